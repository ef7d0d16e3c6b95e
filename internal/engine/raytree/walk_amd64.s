//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

DATA lane<>+0(SB)/4, $0
DATA lane<>+4(SB)/4, $1
DATA lane<>+8(SB)/4, $2
DATA lane<>+12(SB)/4, $3
DATA lane<>+16(SB)/4, $4
DATA lane<>+20(SB)/4, $5
DATA lane<>+24(SB)/4, $6
DATA lane<>+28(SB)/4, $7
GLOBL lane<>(SB), RODATA|NOPTR, $32

DATA entryBits<>+0(SB)/4, $0x7ffffff8
GLOBL entryBits<>(SB), RODATA|NOPTR, $4

DATA magnitude<>+0(SB)/8, $0x7fffffffffffffff
DATA magnitude<>+8(SB)/8, $0x7fffffffffffffff
GLOBL magnitude<>(SB), RODATA|NOPTR, $16

DATA edgeError<>+0(SB)/8, $0x1p-19
GLOBL edgeError<>(SB), RODATA|NOPTR, $8

DATA edgeFloor<>+0(SB)/8, $0x1p-110
GLOBL edgeFloor<>(SB), RODATA|NOPTR, $8

// A node has 256 bytes: six rows of eight float32 at 0, and eight links at 192. A block has 320 bytes:
// the center at 0, the corners at 24, the reach at 312 and the first triangle at 316. TestLayout checks
// these offsets.

// Sort a register of eight int32 in descending order: each lane gets the larger or, where the mask has
// a bit, the smaller of itself and its partner.
#define COMPARE(mask) \
	VPMAXSD Y11, Y13, Y12      \
	VPMINSD Y11, Y13, Y13      \
	VPBLENDD mask, Y13, Y12, Y13

// Add px and py to the sheared corner.
#define SHEAR(offset, x, y) \
	VMOVUPS offset(AX)(R15*4), Y6 \
	VMULPS  Y13, Y6, Y7           \
	VMULPS  Y14, Y6, Y8           \
	VMOVUPS offset(AX)(BX*4), Y9  \
	VMOVUPS offset(AX)(R14*4), Y10 \
	VSUBPS  Y7, Y9, Y9            \
	VSUBPS  Y8, Y10, Y10          \
	VADDPS  Y9, Y11, x            \
	VADDPS  Y10, Y12, y

// z = ax·by − ay·bx
#define EDGE(ax, ay, bx, by, z, t) \
	VMULPS ax, by, z \
	VMULPS ay, bx, t \
	VSUBPS t, z, z

// func advanceAVX2(walks *Walk, nodes *node, blocks *block, tris *mesh.Triangle, faces *Face, list *int64, n, enough int) int
//
// SI: nodes. R8: list. R9: number of walks without a result. R10: place in the list. DI: walk. CX: height
// of its stack. AX: node or block.
TEXT ·advanceAVX2(SB), NOSPLIT, $0-72
	MOVQ nodes+8(FP), SI
	MOVQ list+40(FP), R8
	MOVQ n+48(FP), R9
	MOVQ $-1, R10

turn:
	CMPQ R9, enough+56(FP)
	JLE  done
	INCQ R10
	CMPQ R10, R9
	JLT  load
	XORQ R10, R10

load:
	MOVQ (R8)(R10*8), DI
	ADDQ walks+0(FP), DI
	MOVQ Walk_sp(DI), CX

pop:
	DECQ CX
	JLT  finished
	MOVL Walk_keys(DI)(CX*4), DX
	CMPL DX, Walk_limit(DI)
	JGT  pop
	MOVLQSX Walk_links(DI)(CX*4), AX
	TESTQ AX, AX
	JLT  leaf
	INCQ Walk_Nodes(DI)
	SHLQ $8, AX
	ADDQ SI, AX

	MOVQ Walk_enter+0(DI), R11
	MOVQ Walk_enter+8(DI), R12
	MOVQ Walk_enter+16(DI), R13
	VMOVUPS (AX)(R11*1), Y11
	VMOVUPS (AX)(R12*1), Y12
	VMOVUPS (AX)(R13*1), Y13
	MOVQ Walk_leave+0(DI), R11
	MOVQ Walk_leave+8(DI), R12
	MOVQ Walk_leave+16(DI), R13
	VBROADCASTSS Walk_near+0(DI), Y0
	VBROADCASTSS Walk_near+4(DI), Y1
	VBROADCASTSS Walk_near+8(DI), Y2
	VBROADCASTSS Walk_inverse+0(DI), Y6
	VBROADCASTSS Walk_inverse+4(DI), Y7
	VBROADCASTSS Walk_inverse+8(DI), Y8
	VSUBPS  Y0, Y11, Y11
	VSUBPS  Y1, Y12, Y12
	VSUBPS  Y2, Y13, Y13
	VXORPS  Y9, Y9, Y9
	VMULPS  Y6, Y11, Y11
	VMULPS  Y7, Y12, Y12
	VMULPS  Y8, Y13, Y13
	VMAXPS  Y9, Y11, Y11
	VMAXPS  Y12, Y13, Y13
	VMAXPS  Y11, Y13, Y13  // entries
	VBROADCASTSS Walk_far+0(DI), Y3
	VBROADCASTSS Walk_far+4(DI), Y4
	VBROADCASTSS Walk_far+8(DI), Y5
	VMOVUPS (AX)(R11*1), Y11
	VMOVUPS (AX)(R12*1), Y12
	VMOVUPS (AX)(R13*1), Y14
	VBROADCASTSS Walk_limit(DI), Y10
	VSUBPS  Y3, Y11, Y11
	VSUBPS  Y4, Y12, Y12
	VSUBPS  Y5, Y14, Y14
	VMULPS  Y6, Y11, Y11
	VMULPS  Y7, Y12, Y12
	VMULPS  Y8, Y14, Y14
	VMINPS  Y10, Y11, Y11
	VMINPS  Y12, Y14, Y14
	VMINPS  Y11, Y14, Y14  // exits
	VCMPPS  $6, Y14, Y13, Y15 // not entry ≤ exit
	VMOVMSKPS Y15, DX
	XORL $0xff, DX

	// A key has the bits of the entry and the number of the lane. Keys of missed boxes are −1. Sort
	// the keys in descending order, so that missed boxes come last and are beyond the new height.
	VPBROADCASTD entryBits<>(SB), Y11
	VPAND  Y11, Y13, Y13
	VPOR   lane<>(SB), Y13, Y13
	VPOR   Y15, Y13, Y13
	VPSHUFD $0xb1, Y13, Y11
	COMPARE($0xaa)
	VPSHUFD $0x1b, Y13, Y11
	COMPARE($0xcc)
	VPSHUFD $0xb1, Y13, Y11
	COMPARE($0xaa)
	VPERMQ  $0x4e, Y13, Y11
	VPSHUFD $0x1b, Y11, Y11
	COMPARE($0xf0)
	VPSHUFD $0x4e, Y13, Y11
	COMPARE($0xcc)
	VPSHUFD $0xb1, Y13, Y11
	COMPARE($0xaa)
	VPERMD  192(AX), Y13, Y14 // the lowest three bits of a key are its lane
	VMOVDQU Y13, Walk_keys(DI)(CX*4)
	VMOVDQU Y14, Walk_links(DI)(CX*4)
	POPCNTL DX, DX
	ADDQ DX, CX
	MOVQ CX, Walk_sp(DI)

prefetch:
	// Load the node or the block that the walk visits in its next turn.
	MOVLQSX (Walk_links-4)(DI)(CX*4), AX
	MOVQ AX, BX
	NOTQ BX
	SHRQ $3, BX
	LEAQ (BX)(BX*4), BX
	SHLQ $6, BX
	ADDQ blocks+16(FP), BX
	MOVQ AX, DX
	SHLQ $8, DX
	ADDQ SI, DX
	TESTQ AX, AX
	CMOVQLT BX, DX
	PREFETCHT0 (DX)
	PREFETCHT0 64(DX)
	PREFETCHT0 128(DX)
	PREFETCHT0 192(DX)
	PREFETCHT0 256(DX)
	JMP  turn


leaf:
	INCQ Walk_Blocks(DI)
	NOTQ AX
	MOVL AX, DX
	ANDL $7, DX
	INCL DX                // number of triangles
	SHRQ $3, AX
	LEAQ (AX)(AX*4), AX
	SHLQ $6, AX
	ADDQ blocks+16(FP), AX
	MOVQ Walk_axis+0(DI), BX
	MOVQ Walk_axis+8(DI), R14
	MOVQ Walk_axis+16(DI), R15

	// px in X11, py in X12
	VMOVSD (AX)(BX*1), X11
	VMOVSD (AX)(R14*1), X12
	VMOVSD (AX)(R15*1), X13
	VSUBSD Walk_start+0(DI), X11, X11
	VSUBSD Walk_start+8(DI), X12, X12
	VSUBSD Walk_start+16(DI), X13, X13
	VMULSD Walk_slope+0(DI), X13, X14
	VMULSD Walk_slope+8(DI), X13, X13
	VSUBSD X14, X11, X11
	VSUBSD X13, X12, X12

	// the error of the edge functions in X15
	VMOVUPD magnitude<>(SB), X14
	VANDPD X14, X11, X13
	VANDPD X14, X12, X14
	VMAXSD X13, X14, X13
	VMOVSS 312(AX), X14
	VCVTSS2SD X14, X14, X14
	VADDSD X14, X13, X13
	VMULSD edgeError<>(SB), X13, X15
	VADDSD Walk_drift(DI), X15, X15
	VMULSD X13, X15, X15
	VADDSD edgeFloor<>(SB), X15, X15
	VCVTSD2SS X15, X15, X15
	VCVTSD2SS X11, X11, X11
	VCVTSD2SS X12, X12, X12
	VBROADCASTSS X15, Y15
	VBROADCASTSS X11, Y11
	VBROADCASTSS X12, Y12
	VBROADCASTSS Walk_slope32+0(DI), Y13
	VBROADCASTSS Walk_slope32+4(DI), Y14

	SHEAR(24, Y0, Y1)
	SHEAR(120, Y2, Y3)
	SHEAR(216, Y4, Y5)
	EDGE(Y0, Y1, Y2, Y3, Y6, Y9)
	EDGE(Y2, Y3, Y4, Y5, Y7, Y10)
	EDGE(Y4, Y5, Y0, Y1, Y8, Y9)
	VMINPS Y6, Y7, Y9
	VMAXPS Y6, Y7, Y10
	VMINPS Y8, Y9, Y9      // least
	VMAXPS Y8, Y10, Y10    // most
	VXORPS Y6, Y6, Y6
	VSUBPS Y15, Y6, Y6     // minus the error
	VCMPPS $13, Y6, Y9, Y7 // least ≥ −e
	VCMPPS $2, Y15, Y10, Y8 // most ≤ e
	VORPS  Y7, Y8, Y7
	VMOVMSKPS Y7, BX
	BZHIL  DX, BX, BX
	JEQ  nothing
	VCMPPS $14, Y15, Y9, Y7 // least > e
	VMOVMSKPS Y7, R14
	VCMPPS $1, Y6, Y10, Y8 // most < −e
	VMOVMSKPS Y8, R15
	BZHIL  DX, R14, R14
	BZHIL  DX, R15, R15
	SHLL $8, R14
	SHLL $16, R15
	ORL  R14, BX
	ORL  R15, BX
	MOVL 316(AX), AX

	// The caller reads the triangle of the first bit, and its face.
	TZCNTL BX, R11
	ADDQ AX, R11
	LEAQ (R11)(R11*8), R12
	SHLQ $3, R12
	ADDQ tris+24(FP), R12
	PREFETCHT0 (R12)
	PREFETCHT0 64(R12)
	SHLQ $4, R11
	ADDQ faces+32(FP), R11
	PREFETCHT0 (R11)

result:
	// The walk has a result. It moves behind the walks without a result.
	MOVL AX, Walk_first(DI)
	MOVL BX, Walk_masks(DI)
	MOVQ CX, Walk_sp(DI)
	DECQ R9
	MOVQ (R8)(R9*8), AX
	MOVQ (R8)(R10*8), BX
	MOVQ BX, (R8)(R9*8)
	MOVQ AX, (R8)(R10*8)
	DECQ R10
	JMP  turn

nothing:
	MOVQ CX, Walk_sp(DI)
	JMP  prefetch

finished:
	XORL AX, AX
	XORL BX, BX
	XORQ CX, CX
	JMP  result

done:
	MOVQ R9, ret+64(FP)
	VZEROUPPER
	RET

DATA clipOne<>+0(SB)/8, $1.0
GLOBL clipOne<>(SB), RODATA|NOPTR, $8
DATA clipHalf<>+0(SB)/8, $0.5
GLOBL clipHalf<>(SB), RODATA|NOPTR, $8
DATA clipPad<>+0(SB)/8, $0x1p-19
GLOBL clipPad<>(SB), RODATA|NOPTR, $8
DATA clipFloor<>+0(SB)/8, $0x1p-60
GLOBL clipFloor<>(SB), RODATA|NOPTR, $8

// func clipAVX2(w *Walk, walls *[8]float64, s, d *[4]float64, from, drift float64) (length float64)
//
// Lanes 0 to 2 are the axes. Lane 3 has the start 0, the direction 1, and infinite walls.
TEXT ·clipAVX2(SB), NOSPLIT, $0-56
	MOVQ w+0(FP), DI
	MOVQ walls+8(FP), SI
	MOVQ s+16(FP), AX
	MOVQ d+24(FP), BX
	VMOVUPD (AX), Y1
	VMOVUPD (BX), Y0
	VBROADCASTSD clipOne<>(SB), Y15
	VDIVPD Y0, Y15, Y3      // inverse
	VMOVUPD (SI), Y4
	VMOVUPD 32(SI), Y5
	VSUBPD Y1, Y4, Y4
	VSUBPD Y1, Y5, Y5
	VMULPD Y3, Y4, Y4
	VMULPD Y3, Y5, Y5
	VMINPD Y4, Y5, Y6
	VMAXPD Y4, Y5, Y7
	VEXTRACTF128 $1, Y6, X8
	VEXTRACTF128 $1, Y7, X9
	VMAXPD X8, X6, X6
	VMINPD X9, X7, X7
	VUNPCKHPD X6, X6, X8
	VUNPCKHPD X7, X7, X9
	VMAXSD X8, X6, X6
	VMINSD X9, X7, X7
	VMAXSD from+32(FP), X6, X6 // from
	VSUBSD X6, X7, X10      // length
	VUCOMISD X6, X7
	JLS  missed             // to ≤ from
	VMOVSD X6, Walk_offset(DI)
	VMOVSD X10, length+48(FP)

	VBROADCASTSD X6, Y11
	VBROADCASTSD X10, Y13
	VMULPD Y0, Y11, Y12
	VADDPD Y12, Y1, Y1
	VMOVUPD Y1, (AX)        // start of the computed ray
	VMULPD Y0, Y13, Y14     // its direction
	VPCMPEQD Y8, Y8, Y8
	VPSRLQ $1, Y8, Y8
	VANDPD Y8, Y14, Y2
	VANDPD Y8, Y1, Y3
	VADDPD Y3, Y2, Y4
	VBROADCASTSD clipPad<>(SB), Y5
	VMULPD Y5, Y4, Y4
	VBROADCASTSD drift+40(FP), Y5
	VADDPD Y5, Y4, Y4
	VBROADCASTSD clipFloor<>(SB), Y5
	VADDPD Y5, Y4, Y4       // padding
	VCMPPD $2, Y4, Y2, Y5   // the direction is at most the padding
	VANDNPD Y14, Y8, Y6     // signs
	VORPD  Y6, Y4, Y7       // padding with signs
	VADDPD Y4, Y4, Y8
	VBLENDVPD Y5, Y8, Y7, Y9
	VBROADCASTSD clipHalf<>(SB), Y10
	VMULPD Y10, Y4, Y10
	VBLENDVPD Y5, Y10, Y14, Y11
	VDIVPD Y11, Y15, Y12
	VADDPD Y9, Y1, Y13
	VSUBPD Y9, Y1, Y2
	VCVTPD2PSY Y13, X13
	VCVTPD2PSY Y2, X2
	VCVTPD2PSY Y12, X12
	// Each store has a fourth number, which the next one replaces. The caller sets Walk.limit.
	VMOVUPS X13, Walk_near(DI)
	VMOVUPS X2, Walk_far(DI)
	VMOVUPS X12, Walk_inverse(DI)
	VANDNPD Y14, Y5, Y3
	VMOVMSKPD Y3, CX
	ANDL $7, CX
	LEAQ (CX)(CX*2), CX
	SHLQ $4, CX
	LEAQ ·rowsOf(SB), R8
	VMOVUPS (R8)(CX*1), Y4
	VMOVUPS 32(R8)(CX*1), X5
	VMOVUPS Y4, Walk_enter(DI)
	VMOVUPS X5, (Walk_enter+32)(DI)
	VZEROUPPER
	RET

missed:
	VXORPS X0, X0, X0
	VMOVSD X0, length+48(FP)
	VZEROUPPER
	RET

//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8

// A quad has 256 bytes: six rows of four float64 at 0, four links of eight bytes at 192, and the
// mask of lanes at 224. TestQuadLayout checks these offsets.

// func nextLeafAVX(w *RayWalk, quads *quad) link
//
// DI: walker. SI: quads. DX: stack. CX: height of the stack. BX: number of quads visited.
// R8…R10: offsets of the rows where the segment enters boxes. R11…R13: where it leaves them.
// Y0…Y2: near. Y3…Y5: far. Y6…Y8: inverse. Y9: zeros. Y10: ones.
TEXT ·nextLeafAVX(SB), NOSPLIT, $0-24
	MOVQ w+0(FP), DI
	MOVQ quads+8(FP), SI
	VBROADCASTSD RayWalk_near+0(DI), Y0
	VBROADCASTSD RayWalk_near+8(DI), Y1
	VBROADCASTSD RayWalk_near+16(DI), Y2
	VBROADCASTSD RayWalk_far+0(DI), Y3
	VBROADCASTSD RayWalk_far+8(DI), Y4
	VBROADCASTSD RayWalk_far+16(DI), Y5
	VBROADCASTSD RayWalk_inverse+0(DI), Y6
	VBROADCASTSD RayWalk_inverse+8(DI), Y7
	VBROADCASTSD RayWalk_inverse+16(DI), Y8
	VXORPD Y9, Y9, Y9
	VBROADCASTSD one<>+0(SB), Y10
	MOVQ RayWalk_enter+0(DI), R8
	MOVQ RayWalk_enter+8(DI), R9
	MOVQ RayWalk_enter+16(DI), R10
	MOVQ RayWalk_leave+0(DI), R11
	MOVQ RayWalk_leave+8(DI), R12
	MOVQ RayWalk_leave+16(DI), R13
	SHLQ $5, R8
	SHLQ $5, R9
	SHLQ $5, R10
	SHLQ $5, R11
	SHLQ $5, R12
	SHLQ $5, R13
	LEAQ RayWalk_stack(DI), DX
	MOVQ RayWalk_sp(DI), CX
	MOVQ RayWalk_Nodes(DI), BX

pop:
	DECQ CX
	JLT  empty
	MOVQ (DX)(CX*8), AX    // first in the lower half, count in the upper
	MOVQ AX, R15
	SHRQ $32, R15
	JNE  leaf
	INCQ BX
	SHLQ $8, AX
	ADDQ SI, AX

	VMOVUPD (AX)(R8*1), Y11
	VMOVUPD (AX)(R9*1), Y12
	VMOVUPD (AX)(R10*1), Y13
	VSUBPD  Y0, Y11, Y11
	VSUBPD  Y1, Y12, Y12
	VSUBPD  Y2, Y13, Y13
	VMULPD  Y6, Y11, Y11
	VMULPD  Y7, Y12, Y12
	VMULPD  Y8, Y13, Y13
	VMAXPD  Y9, Y11, Y11
	VMAXPD  Y12, Y13, Y13
	VMAXPD  Y11, Y13, Y13  // entries
	VMOVUPD (AX)(R11*1), Y11
	VMOVUPD (AX)(R12*1), Y12
	VMOVUPD (AX)(R13*1), Y14
	VSUBPD  Y3, Y11, Y11
	VSUBPD  Y4, Y12, Y12
	VSUBPD  Y5, Y14, Y14
	VMULPD  Y6, Y11, Y11
	VMULPD  Y7, Y12, Y12
	VMULPD  Y8, Y14, Y14
	VMINPD  Y10, Y11, Y11
	VMINPD  Y12, Y14, Y14
	VMINPD  Y11, Y14, Y14  // exits
	VCMPPD  $2, Y14, Y13, Y13 // entry ≤ exit
	VMOVMSKPD Y13, R15
	ANDL    224(AX), R15

	// Write every link to the stack, but advance the height only if the bit of the link is set.
	MOVQ 192(AX), R14
	MOVQ R14, (DX)(CX*8)
	BTL  $0, R15
	ADCQ $0, CX
	MOVQ 200(AX), R14
	MOVQ R14, (DX)(CX*8)
	BTL  $1, R15
	ADCQ $0, CX
	MOVQ 208(AX), R14
	MOVQ R14, (DX)(CX*8)
	BTL  $2, R15
	ADCQ $0, CX
	MOVQ 216(AX), R14
	MOVQ R14, (DX)(CX*8)
	BTL  $3, R15
	ADCQ $0, CX
	JMP  pop

leaf:
	MOVL AX, ret_first+16(FP)
	MOVL R15, ret_count+20(FP)
	MOVQ CX, RayWalk_sp(DI)
	MOVQ BX, RayWalk_Nodes(DI)
	VZEROUPPER
	RET

empty:
	MOVL $0, ret_first+16(FP)
	MOVL $0, ret_count+20(FP)
	MOVQ $0, RayWalk_sp(DI)
	MOVQ BX, RayWalk_Nodes(DI)
	VZEROUPPER
	RET

// Command nearest writes the assembly of package nearest:
//
//	go run ./kernels/nearest -out ../nearest/bounds_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// row is the size of eight float32 in bytes. An obbNode has the rows c (0 to 2), A (3 to 11) and e
// (12 to 14). A triBlock has the rows n and o (0 to 3), then the edges (4 to 15). A query has p at
// byte 0, margin at byte 12 and limit at byte 16. TestKernelLayout in package nearest checks this
// layout.
const row = 32

// kernel holds the registers that nodeBounds and blockBounds load at the start.
type kernel struct {
	data, query reg.Register
	p           [3]reg.VecVirtual
	margin      reg.VecVirtual
	positive    reg.VecVirtual // mask of all bits except the sign bit
	zero        reg.VecVirtual
}

func begin(name, doc, data string) *kernel {
	TEXT(name, NOSPLIT, "func("+data+", q, out *byte) (near uint32)")
	Doc(doc)
	k := &kernel{data: Load(Param(data), GP64()), query: Load(Param("q"), GP64())}
	for i := range k.p {
		k.p[i] = YMM()
		VBROADCASTSS(Mem{Base: k.query, Disp: 4 * i}, k.p[i])
	}
	k.margin = YMM()
	VBROADCASTSS(Mem{Base: k.query, Disp: 12}, k.margin)
	k.positive, k.zero = YMM(), YMM()
	VPCMPEQD(k.positive, k.positive, k.positive)
	VPSRLD(Imm(1), k.positive, k.positive)
	VXORPS(k.zero, k.zero, k.zero)
	return k
}

func (k *kernel) row(i int) Mem { return Mem{Base: k.data, Disp: row * i} }

// dot returns the scalar product of v and the rows i to i+2. It adds from left to right.
func (k *kernel) dot(i int, v [3]reg.VecVirtual) reg.VecVirtual {
	sum, t := YMM(), YMM()
	VMULPS(k.row(i), v[0], sum)
	VMULPS(k.row(i+1), v[1], t)
	VADDPS(t, sum, sum)
	t = YMM()
	VMULPS(k.row(i+2), v[2], t)
	VADDPS(t, sum, sum)
	return sum
}

// square replaces each lane of v by max(0, v − margin)².
func (k *kernel) square(v reg.VecVirtual) {
	VSUBPS(k.margin, v, v)
	VMAXPS(k.zero, v, v)
	VMULPS(v, v, v)
}

// first returns the number of the lane with the smallest bound, in bits 8 to 10. The code replaces
// the lowest three bits of each bound by the lane number. The lowest lane therefore wins if bounds
// are nearly equal. The bits of positive floats, read as integers, have the same order as the
// floats.
func first(sum reg.VecVirtual) reg.GPVirtual {
	low := YMM()
	VPCMPEQD(low, low, low)
	VPSRLD(Imm(29), low, low)
	packed := YMM()
	VPANDN(sum, low, packed)
	number := GLOBL("numbers", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	VPOR(number, packed, packed)
	x, y := packed.AsX(), XMM()
	VEXTRACTI128(Imm(1), packed, y)
	VPMINSD(y, x, x)
	VPSHUFD(Imm(0b01001110), x, y)
	VPMINSD(y, x, x)
	VPSHUFD(Imm(0b10110001), x, y)
	VPMINSD(y, x, x)
	lane := GP32()
	VMOVD(x, lane)
	ANDL(Imm(7), lane)
	SHLL(Imm(8), lane)
	return lane
}

// end generates instructions that store the bounds and return a mask of the lanes whose bound is at
// most the limit. If withFirst is true, bits 8 to 10 of the result are the number of the lane with
// the smallest bound.
func (k *kernel) end(sum reg.VecVirtual, withFirst bool) {
	out := Load(Param("out"), GP64())
	VMOVUPS(sum, Mem{Base: out})
	limit := YMM()
	VBROADCASTSS(Mem{Base: k.query, Disp: 16}, limit)
	const lessOrEqual = 2
	VCMPPS(Imm(lessOrEqual), limit, sum, limit)
	near := GP32()
	VMOVMSKPS(limit, near)
	if withFirst {
		ORL(first(sum), near)
	}
	Store(near, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func nodeBounds() {
	k := begin("nodeBoundsAVX2", "nodeBoundsAVX2 is nodeBoundsGeneric in AVX2.", "n")
	for i := range k.p {
		VSUBPS(k.row(i), k.p[i], k.p[i])
	}
	var sum reg.VecVirtual
	for i := range 3 {
		v := k.dot(3+3*i, k.p)
		VANDPS(k.positive, v, v)
		VSUBPS(k.row(12+i), v, v)
		k.square(v)
		if i == 0 {
			sum = v
		} else {
			VADDPS(v, sum, sum)
		}
	}
	k.end(sum, true)
}

func blockBounds() {
	k := begin("blockBoundsAVX2", "blockBoundsAVX2 is blockBoundsGeneric in AVX2.", "b")
	height := k.dot(0, k.p)
	VSUBPS(k.row(3), height, height)
	VANDPS(k.positive, height, height)
	k.square(height)
	var side reg.VecVirtual
	for i := range 3 {
		v := k.dot(4+4*i, k.p)
		VSUBPS(k.row(7+4*i), v, v)
		if i == 0 {
			side = v
		} else {
			VMAXPS(v, side, side)
		}
	}
	k.square(side)
	VADDPS(side, height, height)
	k.end(height, false)
}

func main() {
	ConstraintExpr("!noasm")
	nodeBounds()
	blockBounds()
	Generate()
}

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The struct Lanes has the following layout, which TestKernelLayout checks:
//
//   - bytes 0, 96 and 192: the corners of the triangles, each as four x, four y, four z
//   - byte 288: the points, and byte 384: the other ends of the segments
//   - size: 480 bytes
const (
	lanesPoint = 288
	lanesOther = 384
	lanesSize  = 480
)

// The filter of predicates.Orient3D has these constants, as bits of float64.
const (
	boundDet3  = 0x3cd0000000000000 // 2^-50
	underflow3 = 0x0350000000000000 // 2^-970
)

// planeLanes generates planeLanesAVX2.
func planeLanes() {
	TEXT("planeLanesAVX2", NOSPLIT, "func(l *byte, n int, signs *byte)")
	Doc("planeLanesAVX2 is planeLanesGeneric in assembly.")
	l, n, signs := Load(Param("l"), GP64()), Load(Param("n"), GP64()), Load(Param("signs"), GP64())
	c := filterConstants()
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	pos, neg := c.orient(l, 0, 96, 192)
	SHLL(Imm(4), neg)
	ORL(neg, pos)
	MOVB(pos.As8(), Mem{Base: signs})
	ADDQ(U32(lanesSize), l)
	INCQ(signs)
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// segmentLanes generates segmentLanesAVX2.
func segmentLanes() {
	TEXT("segmentLanesAVX2", NOSPLIT, "func(l *byte, n int, signs *byte)")
	Doc("segmentLanesAVX2 is segmentLanesGeneric in assembly.")
	l, n, signs := Load(Param("l"), GP64()), Load(Param("n"), GP64()), Load(Param("signs"), GP64())
	c := filterConstants()
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	allPos, allNeg := c.orient(l, lanesOther, 0, 96)
	anyPos, anyNeg := GP32(), GP32()
	MOVL(allPos, anyPos)
	MOVL(allNeg, anyNeg)
	for _, edge := range [2][2]int{{96, 192}, {192, 0}} {
		pos, neg := c.orient(l, lanesOther, edge[0], edge[1])
		ANDL(pos, allPos)
		ANDL(neg, allNeg)
		ORL(pos, anyPos)
		ORL(neg, anyNeg)
	}
	ORL(allNeg, allPos)
	ANDL(anyNeg, anyPos)
	SHLL(Imm(4), anyPos)
	ORL(anyPos, allPos)
	MOVB(allPos.As8(), Mem{Base: signs})
	ADDQ(U32(lanesSize), l)
	INCQ(signs)
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// filter holds the addresses of the constants of the filter.
type filter struct{ magnitude, bound, underflow, one Mem }

func filterConstants() filter {
	row := func(name string, bits uint64) Mem {
		m := GLOBL(name, RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64(bits))
		}
		return m
	}
	if constants == (filter{}) {
		constants = filter{row("magnitude", 1<<63-1), row("bound", boundDet3), row("underflow", underflow3), row("one", 0x3ff0000000000000)}
	}
	return constants
}

// constants is set by the first call of filterConstants.
var constants filter

// orient generates the function filter for the points at the offsets a, b and c of l and the point at
// lanesPoint. It returns the lanes that are certainly positive and those that are certainly negative.
func (k filter) orient(l reg.Register, a, b, c int) (pos, neg reg.GPVirtual) {
	minus := func(at int) (d [3]reg.VecVirtual) {
		for i := range d {
			d[i] = YMM()
			VMOVUPD(Mem{Base: l, Disp: at + 32*i}, d[i])
			VSUBPD(Mem{Base: l, Disp: lanesPoint + 32*i}, d[i], d[i])
		}
		return d
	}
	ad, bd, cd := minus(a), minus(b), minus(c)
	abs := YMM()
	VMOVUPD(k.magnitude, abs)
	det, permanent := YMM(), YMM()
	for i, t := range [3][3][3]reg.VecVirtual{{bd, cd, ad}, {cd, ad, bd}, {ad, bd, cd}} {
		left, right, d := YMM(), YMM(), YMM()
		VMULPD(t[0][0], t[1][1], left)
		VMULPD(t[1][0], t[0][1], right)
		VSUBPD(right, left, d)
		VMULPD(t[2][2], d, d)
		VANDPD(abs, left, left)
		VANDPD(abs, right, right)
		VADDPD(right, left, left)
		VANDPD(abs, t[2][2], right)
		VMULPD(right, left, left)
		if i == 0 {
			VMOVAPD(d, det)
			VMOVAPD(left, permanent)
		} else {
			VADDPD(d, det, det)
			VADDPD(left, permanent, permanent)
		}
	}
	for _, d := range [3]reg.VecVirtual{ad[2], bd[2], cd[2]} {
		VANDPD(abs, d, d)
	}
	size := ad[2]
	VADDPD(bd[2], size, size)
	VADDPD(cd[2], size, size)
	VADDPD(k.one, size, size)
	VMULPD(k.underflow, size, size)
	VMULPD(k.bound, permanent, permanent)
	VADDPD(size, permanent, permanent)
	t := abs
	pos, neg = GP32(), GP32()
	const greater = 0x1e // ordered, so false for NaN
	VCMPPD(Imm(greater), permanent, det, t)
	VMOVMSKPD(t, pos)
	VXORPD(t, t, t)
	VSUBPD(det, t, det)
	VCMPPD(Imm(greater), permanent, det, t)
	VMOVMSKPD(t, neg)
	return pos, neg
}

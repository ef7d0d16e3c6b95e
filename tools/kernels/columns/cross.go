package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes declares a read-only constant with four numbers, and returns its address.
func lanes(name string, bits ...uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(bits[i%len(bits)]))
	}
	return m
}

func number(name string, x float64) Mem { return lanes(name, math.Float64bits(x)) }

// Predicates of VCMPPD that are false for NaN.
const (
	less    = U8(0x11)
	greater = U8(0x1e)
)

func cross() {
	magnitude, sign := lanes("magnitude", 1<<63-1), lanes("sign", 1<<63)
	bound2, bound3 := number("bound2", 0x1p-51), number("bound3", 0x1p-50)
	tiny, one, order := number("tiny", 0x1p-970), number("one", 1), lanes("order", 0, 1, 2, 3)
	TEXT("crossAVX2", NOSPLIT, "func(t, x, y, z, windings *byte, n int) (doubt uint64)")
	Doc("crossAVX2 is crossGeneric in AVX2. It reads and writes up to three elements more, but does not change them.")
	t, windings, n := Load(Param("t"), GP64()), Load(Param("windings"), GP64()), Load(Param("n"), GP64())
	point := []reg.Register{Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())}
	doubt, found, rest := GP64(), GP64(), GP64()
	XORL(doubt.As32(), doubt.As32())
	XORL(reg.ECX, reg.ECX)

	Label("points")
	CMPQ(reg.RCX, n)
	JGE(LabelRef("end"))
	load := func(axis int) reg.VecVirtual {
		v := YMM()
		VMOVUPD(Mem{Base: point[axis], Index: reg.RCX, Scale: 8}, v)
		return v
	}
	// difference returns a coordinate of a corner, less the coordinate of the points.
	difference := func(corner, axis int, p reg.VecVirtual) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(Mem{Base: t, Disp: 8 * (3*corner + axis)}, v)
		VSUBPD(p, v, v)
		return v
	}
	var d [2][3]reg.VecVirtual // differences along x and y
	for axis := range d {
		p := load(axis)
		for corner := range d[axis] {
			d[axis][corner] = difference(corner, axis, p)
		}
	}
	var minor, size [3]reg.VecVirtual // minor[i] is the minor without corner i, and size[i] its permanent
	for i := range minor {
		j, k := (i+1)%3, (i+2)%3
		p, q := YMM(), YMM()
		minor[i], size[i] = YMM(), YMM()
		VMULPD(d[0][j], d[1][k], p)
		VMULPD(d[1][j], d[0][k], q)
		VSUBPD(q, p, minor[i])
		VANDPD(magnitude, p, p)
		VANDPD(magnitude, q, q)
		VADDPD(q, p, size[i])
	}
	bound, minus, least, most := YMM(), YMM(), YMM(), YMM()
	VADDPD(size[1], size[0], bound)
	VADDPD(size[2], bound, bound)
	VMULPD(bound2, bound, bound)
	VADDPD(tiny, bound, bound)
	VXORPD(sign, bound, minus)
	VMINPD(minor[1], minor[0], least)
	VMINPD(minor[2], least, least)
	VMAXPD(minor[1], minor[0], most)
	VMAXPD(minor[2], most, most)
	left, right, outside := YMM(), YMM(), YMM()
	VCMPPD(greater, bound, least, left)
	VCMPPD(less, minus, most, right)
	VCMPPD(less, minus, least, least)
	VCMPPD(greater, bound, most, most)
	VANDPD(most, least, outside)

	// The determinant of the points and the triangle
	z := load(2)
	det, permanent, sum, product := YMM(), YMM(), YMM(), YMM()
	for i := range minor {
		dz := difference(i, 2, z)
		if i == 0 {
			VMULPD(minor[i], dz, det)
			VANDPD(magnitude, dz, dz)
			VMULPD(size[i], dz, permanent)
			VADDPD(one, dz, sum)
			continue
		}
		VMULPD(minor[i], dz, product)
		VADDPD(product, det, det)
		VANDPD(magnitude, dz, dz)
		VMULPD(size[i], dz, product)
		VADDPD(product, permanent, permanent)
		VADDPD(dz, sum, sum)
	}
	VMULPD(bound3, permanent, permanent)
	VMULPD(tiny, sum, sum)
	VADDPD(sum, permanent, permanent)
	VXORPD(sign, permanent, sum)
	up, down := YMM(), YMM()
	VCMPPD(greater, permanent, det, up)
	VCMPPD(less, sum, det, down)

	// A point is decided if it is outside, or if both signs are certain.
	known, decided, some := YMM(), YMM(), YMM()
	VORPD(right, left, known)
	VORPD(down, up, decided)
	VANDPD(decided, known, decided)
	VORPD(outside, decided, decided)
	VANDPD(up, left, left)
	VANDPD(down, right, right)
	MOVQ(n, rest)
	SUBQ(reg.RCX, rest)
	VMOVQ(rest, some.AsX())
	VPBROADCASTQ(some.AsX(), some)
	VPCMPGTQ(order, some, some) // the first n−i lanes
	VANDPD(some, left, left)
	VANDPD(some, right, right)
	VANDNPD(some, decided, decided)
	VMOVMSKPD(decided, found.As32())
	SHLQ(reg.CL, found)
	ORQ(found, doubt)
	w := YMM()
	VMOVDQU(Mem{Base: windings, Index: reg.RCX, Scale: 8}, w)
	VPSUBQ(left, w, w) // true is −1
	VPADDQ(right, w, w)
	VMOVDQU(w, Mem{Base: windings, Index: reg.RCX, Scale: 8})
	ADDQ(Imm(4), reg.RCX)
	JMP(LabelRef("points"))

	Label("end")
	VZEROUPPER()
	Store(doubt, ReturnIndex(0))
	RET()
}

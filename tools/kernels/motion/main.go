// Command motion writes the assembly of package motion:
//
//	go run ./kernels/motion -out ../internal/motion/kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	positions()
	Generate()
}

func positions() {
	TEXT("positionsAVX", NOSPLIT, "func(dst, pts *byte, n int, rows, t *byte)")
	Doc("positionsAVX is positionsGeneric for a multiple of four points.")
	dst, pts, n := Load(Param("dst"), GP64()), Load(Param("pts"), GP64()), Load(Param("n"), GP64())
	rows, t := Load(Param("rows"), GP64()), Load(Param("t"), GP64())
	broadcast := func(base reg.Register, i int) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(Mem{Base: base, Disp: 8 * i}, v)
		return v
	}
	var r [9]reg.VecVirtual
	for i := range r {
		r[i] = broadcast(rows, i)
	}

	Label("four")
	SUBQ(Imm(4), n)
	JL(LabelRef("done"))
	a, b, c := YMM(), YMM(), YMM()
	for i, v := range [3]reg.VecVirtual{a, b, c} {
		VMOVUPD(Mem{Base: pts, Disp: 32 * i}, v)
	}
	d, e, f := YMM(), YMM(), YMM()
	VBLENDPD(Imm(0b1100), b, a, d) // d = x0 y0 x2 y2
	VPERM2F128(Imm(0x21), c, a, e) // e = z0 x1 z2 x3
	VBLENDPD(Imm(0b1100), c, b, f) // f = y1 z1 y3 z3
	VSHUFPD(Imm(0b1010), e, d, a)
	VSHUFPD(Imm(0b0101), f, d, b)
	VSHUFPD(Imm(0b1010), f, e, c)
	for i, v := range [3]reg.VecVirtual{a, b, c} {
		VBROADCASTSD(Mem{Base: t, Disp: 8 * i}, d)
		VSUBPD(d, v, v)
	}
	out := [3]reg.VecVirtual{d, e, f}
	for i, v := range out {
		product := YMM()
		VMULPD(r[3*i], a, v)
		VMULPD(r[3*i+1], b, product)
		VADDPD(product, v, v)
		VMULPD(r[3*i+2], c, product)
		VADDPD(product, v, v)
	}
	x, y, z := d, e, f
	VUNPCKLPD(y, x, a)             // a = x0 y0 x2 y2
	VUNPCKHPD(z, y, b)             // b = y1 z1 y3 z3
	VSHUFPD(Imm(0b1010), x, z, c)  // c = z0 x1 z2 x3
	VPERM2F128(Imm(0x20), c, a, d) // d = x0 y0 z0 x1
	VBLENDPD(Imm(0b1100), a, b, e) // e = y1 z1 x2 y2
	VPERM2F128(Imm(0x31), b, c, f) // f = z2 x3 y3 z3
	for i, v := range out {
		VMOVUPD(v, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(96), pts)
	ADDQ(Imm(96), dst)
	JMP(LabelRef("four"))

	Label("done")
	VZEROUPPER()
	RET()
}

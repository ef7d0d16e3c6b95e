package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constant returns the address of a float64.
func constant(name string, v float64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, F64(v))
	return m
}

// The series (1−e)^(−1/2) = 1 + e/2 + 3e²/8 + 5e³/16 + …
func series() (one, half, second, third Mem) {
	return constant("one", 1), constant("half", 0.5), constant("second", 0.375), constant("third", 0.3125)
}

// windingAVX512 generates windingAVX512: eight lanes.
func windingAVX512() {
	oneAt, halfAt, secondAt, thirdAt := series()
	TEXT("windingAVX512", NOSPLIT, "func(st, blocks, spans *byte, n int)")
	Doc("windingAVX512 is windingGeneric.")
	l := begin()
	vec := func() reg.VecVirtual { return ZMM() }
	broadcast := func(m Mem) reg.VecVirtual {
		v := ZMM()
		VBROADCASTSD(m, v)
		return v
	}
	var x [3]reg.VecVirtual
	for i := range x {
		x[i] = broadcast(Mem{Base: l.state, Disp: atX + 8*i})
	}
	one, half, second, third := broadcast(oneAt), broadcast(halfAt), broadcast(secondAt), broadcast(thirdAt)
	p := product{re: ZMM(), im: ZMM(), turns: ZMM(), sign: ZMM()}
	sizes := ZMM()
	VMOVAPD(one, p.re)
	for _, v := range []reg.VecVirtual{p.im, p.turns, p.sign, sizes} {
		VPXORQ(v, v, v)
	}

	// inverse returns 1/√q.
	inverse := func(q reg.VecVirtual) reg.VecVirtual {
		y, t, e := ZMM(), ZMM(), ZMM()
		VRSQRT14PD(q, y)
		VMULPD(y, q, t)
		VMOVAPD(one, e)
		VFNMADD231PD(y, t, e)
		VMOVAPD(second, t)
		VFMADD231PD(third, e, t)
		VFMADD213PD(half, e, t)
		VMULPD(y, e, e)
		VFMADD231PD(e, t, y)
		return y
	}

	l.walk(func(row func(int) Mem) reg.GPVirtual {
		v := see(vec, row, x)
		least, good := ZMM(), K()
		VMINPD(v.qb, v.qa, least)
		VMINPD(v.qc, least, least)
		const greaterOrEqual = 0x1d
		VCMPPD(Imm(greaterOrEqual), row(rowLimit), least, good)

		ya, yb, yc := inverse(v.qa), inverse(v.qb), inverse(v.qc)
		yab, ybc := ZMM(), ZMM()
		VMULPD(ya, yb, yab)
		VMULPD(yb, yc, ybc)
		yca := yb
		VMULPD(yc, ya, yca)
		VFMADD231PD(row(rowLimit), ybc, good, sizes)
		den, det := ZMM(), ZMM()
		VMOVAPD(one, den)
		VFMADD231PD(yab, v.ab, den)
		VFMADD231PD(yca, v.ca, den)
		VFMADD231PD(ybc, v.bc, den)
		VBLENDMPD(den, one, good, den)
		VMULPD(ya, ybc, ybc)
		VMULPD_Z(ybc, v.det, good, det)

		// The product, and whether it went through the cut.
		re, im, sign, left := ZMM(), ZMM(), ZMM(), ZMM()
		VMULPD(det, p.im, re)
		VFMSUB231PD(den, p.re, re)
		VMULPD(det, p.re, im)
		VFMADD231PD(den, p.im, im)
		VPSRAQ(Imm(63), p.re, left)
		VPSRAQ(Imm(63), im, sign)
		VPSUBQ(sign, p.sign, p.sign)
		VPANDQ(left, p.sign, left)
		VPADDQ(left, p.turns, p.turns)
		VMOVAPD(re, p.re)
		VMOVAPD(im, p.im)
		VMOVDQA64(sign, p.sign)

		missed := GP32()
		KNOTB(good, good)
		KMOVB(good, missed)
		return missed
	})
	for _, s := range []struct {
		v  reg.VecVirtual
		at int
	}{{p.re, atRe}, {p.im, atIm}, {p.turns, atTurns}, {sizes, atSizes}} {
		VMOVUPD(s.v, Mem{Base: l.state, Disp: s.at})
	}
	VZEROUPPER()
	RET()
}

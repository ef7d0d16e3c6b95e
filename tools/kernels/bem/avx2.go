package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constant declares a read-only constant with the given number of copies of v, and returns its
// address.
func constant(name string, v float64, copies int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range copies {
		DATA(8*i, F64(v))
	}
	return m
}

// windingAVX2 generates the assembly function windingAVX2, which uses four lanes. It processes each
// block in two halves. Constants stay in memory because there are few registers.
func windingAVX2() {
	one, half := constant("one4", 1, 4), constant("half4", 0.5, 4)
	second, third, fourth := constant("second4", 0.375, 4), constant("third4", 0.3125, 4), constant("fourth4", 35./128, 4)
	TEXT("windingAVX2", NOSPLIT, "func(st, blocks, spans *byte, n int)")
	Doc("windingAVX2 is windingGeneric in AVX2.")
	l := begin()
	p := product{re: YMM(), im: YMM(), turns: YMM()}
	sizes := YMM()
	VMOVUPD(one, p.re)
	for _, v := range []reg.VecVirtual{p.im, p.turns, sizes} {
		VPXOR(v, v, v)
	}

	// inverse returns 1/√q and uses q as working memory.
	inverse := func(q reg.VecVirtual) reg.VecVirtual {
		y, e := YMM(), YMM()
		VCVTPD2PSY(q, y.AsX())
		VRSQRTPS(y.AsX(), y.AsX())
		VCVTPS2PD(y.AsX(), y)
		VMULPD(y, q, q)
		VMOVUPD(one, e)
		VFNMADD231PD(y, q, e)
		t := q
		VMOVUPD(third, t)
		VFMADD231PD(fourth, e, t)
		VFMADD213PD(second, e, t)
		VFMADD213PD(half, e, t)
		VMULPD(y, e, e)
		VFMADD231PD(e, t, y)
		return y
	}

	l.walk(func(row func(int) Mem) reg.GPVirtual {
		var masks [2]reg.GPVirtual
		for h := range masks {
			row := func(i int) Mem { return row(i).Offset(32 * h) }
			var x [3]reg.VecVirtual
			for i := range x {
				x[i] = YMM()
				VBROADCASTSD(Mem{Base: l.state, Disp: atX + 8*i}, x[i])
			}
			v := factorTerms(YMM, row, x)
			least := YMM()
			VMINPD(v.qb, v.qa, least)
			VMINPD(v.qc, least, least)

			ya, yb, yc := inverse(v.qa), inverse(v.qb), inverse(v.qc)
			ybc, yab, yca := YMM(), YMM(), yc
			VMULPD(yb, yc, ybc)
			VMULPD(ya, yb, yab)
			VMULPD(ya, yc, yca)
			den := v.ab
			VMULPD(yab, v.ab, den)
			VFMADD231PD(yca, v.ca, den)
			VFMADD231PD(ybc, v.bc, den)
			VADDPD(one, den, den)

			const greaterOrEqual = 0x1d
			good, other := YMM(), YMM()
			VCMPPD(Imm(greaterOrEqual), row(rowLimit), least, good)
			VCMPPD(Imm(greaterOrEqual), half, den, other)
			VANDPD(other, good, good)
			masks[h] = GP32()
			VMOVMSKPD(good, masks[h])
			VMOVUPD(one, other)
			VBLENDVPD(good, den, other, den)
			VANDPD(good, ybc, ybc)
			VFMADD231PD(row(rowLimit), ybc, sizes)
			VMULPD(ya, ybc, ybc)
			VMULPD(ybc, v.det, v.det)
			det := v.det
			VANDPD(good, det, det)

			re, im, sign, zero := YMM(), YMM(), YMM(), YMM()
			VMULPD(det, p.im, re)
			VFMSUB231PD(den, p.re, re)
			VMULPD(det, p.re, im)
			VFMADD231PD(den, p.im, im)
			VPXOR(zero, zero, zero)
			VPCMPGTQ(p.im, zero, p.im) // lanes of p.im become −1 if they were negative, and otherwise 0
			VPCMPGTQ(im, zero, sign)
			VPCMPGTQ(p.re, zero, p.re)
			VPSUBQ(sign, p.im, sign)
			VPAND(p.re, sign, sign)
			VPADDQ(sign, p.turns, p.turns)
			VMOVAPD(re, p.re)
			VMOVAPD(im, p.im)
		}
		missed := masks[0]
		SHLL(Imm(4), masks[1])
		ORL(masks[1], missed)
		XORL(U32(0xff), missed)
		return missed
	})
	l.store(p, sizes, []halving{
		{XMM, reg.VecVirtual.AsX, func(v, hi reg.VecVirtual) { VEXTRACTF128(Imm(1), v, hi) }},
		{XMM, reg.VecVirtual.AsX, func(v, hi reg.VecVirtual) { VPERMILPD(Imm(1), v, hi) }},
	}, logic{or: plain(VPOR), and: plain(VPAND), andNot: plain(VPANDN)})
	VZEROUPPER()
	RET()
}

// plain converts a function for an instruction with three operands to a variadic function.
func plain(f func(a, b, c Op)) func(...Op) {
	return func(o ...Op) { f(o[0], o[1], o[2]) }
}

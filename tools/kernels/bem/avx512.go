package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// windingAVX512 generates the assembly function windingAVX512, which uses eight lanes.
func windingAVX512() {
	oneAt := constant("one", 1, 1)
	// halfAt, secondAt and thirdAt hold the coefficients 1/2, 3/8 and 5/16 of the series
	// (1−e)^(−1/2) = 1 + e/2 + 3e²/8 + 5e³/16 + …
	halfAt, secondAt, thirdAt := constant("half", 0.5, 1), constant("second", 0.375, 1), constant("third", 0.3125, 1)
	TEXT("windingAVX512", NOSPLIT, "func(st, blocks, spans *byte, n int)")
	Doc("windingAVX512 is windingGeneric in AVX-512.")
	l := begin()
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

	// inverses returns 1/√q for three vectors q. The instructions for the three vectors alternate,
	// because the processor would stall on a single chain of dependent instructions.
	inverses := func(q [3]reg.VecVirtual) (y [3]reg.VecVirtual) {
		var t, e [3]reg.VecVirtual
		each := func(step func(i int)) {
			for i := range q {
				step(i)
			}
		}
		each(func(i int) { y[i], t[i], e[i] = ZMM(), ZMM(), ZMM() })
		each(func(i int) { VRSQRT14PD(q[i], y[i]) })
		each(func(i int) { VMULPD(y[i], q[i], t[i]) })
		each(func(i int) { VMOVAPD(one, e[i]) })
		each(func(i int) { VFNMADD231PD(y[i], t[i], e[i]) })
		each(func(i int) { VMOVAPD(second, t[i]) })
		each(func(i int) { VFMADD231PD(third, e[i], t[i]) })
		each(func(i int) { VFMADD213PD(half, e[i], t[i]) })
		each(func(i int) { VMULPD(y[i], e[i], e[i]) })
		each(func(i int) { VFMADD231PD(e[i], t[i], y[i]) })
		return y
	}

	var outOfLine func()
	l.walk(func(row func(int) Mem) reg.GPVirtual {
		v := factorTerms(ZMM, row, x)
		least := ZMM()
		VMINPD(v.qb, v.qa, least)
		VMINPD(v.qc, least, least)
		// The code tests the sign of a difference. A comparison would occupy an execution port that
		// multiplications need.
		miss, good := K(), K()
		VSUBPD(row(rowLimit), least, least)
		VPMOVQ2M(least, miss)
		KNOTB(miss, good)
		y := inverses([3]reg.VecVirtual{v.qa, v.qb, v.qc})
		ya, yb, yc := y[0], y[1], y[2]
		yab, ybc := ZMM(), ZMM()
		VMULPD(ya, yb, yab)
		VMULPD(yb, yc, ybc)
		yca := yb
		VMULPD(yc, ya, yca)
		den, det := ZMM(), ZMM()
		VMOVAPD(one, den)
		VFMADD231PD(yab, v.ab, den)
		VFMADD231PD(yca, v.ca, den)
		VFMADD231PD(ybc, v.bc, den)
		VBLENDMPD(den, one, good, den)
		VFMADD231PD(row(rowLimit), ybc, good, sizes)
		VMULPD(ya, ybc, ybc)
		VMULPD_Z(ybc, v.det, good, det)

		// A real part below ½ is rare. A branch keeps the instructions for this case out of the
		// common path.
		small, late := ZMM(), K()
		VSUBPD(half, den, small)
		VPMOVQ2M(small, late)
		KORTESTB(late, late)
		JNE(LabelRef("small"))
		Label("multiply")

		// The new product is re + i·im. The number of turns changes if the product crosses the
		// negative real axis.
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
		KMOVB(miss, missed)
		outOfLine = func() {
			Label("small")
			KORB(late, miss, miss)
			KNOTB(miss, good)
			VBLENDMPD(den, one, good, den)
			VMOVAPD_Z(det, good, det)
			JMP(LabelRef("multiply"))
		}
		return missed
	})
	l.store(p, sizes, []halving{
		{YMM, reg.VecVirtual.AsY, func(v, hi reg.VecVirtual) { VEXTRACTF64X4(Imm(1), v, hi) }},
		{XMM, reg.VecVirtual.AsX, func(v, hi reg.VecVirtual) { VEXTRACTF64X2(Imm(1), v, hi) }},
		{XMM, reg.VecVirtual.AsX, func(v, hi reg.VecVirtual) { VPERMILPD(Imm(1), v, hi) }},
	}, logic{or: VPORQ, and: VPANDQ, andNot: VPANDNQ})
	VZEROUPPER()
	RET()
	outOfLine()
}

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// terms holds intermediate values for the factors of the faces in one vector of lanes.
type terms struct {
	qa, qb, qc reg.VecVirtual // squared distances of the corners a, b, c from the point
	ab, bc, ca reg.VecVirtual // scalar products of the vectors from the point to two corners
	det        reg.VecVirtual
}

// factorTerms generates the first part of windingGeneric.
func factorTerms(vec func() reg.VecVirtual, row func(int) Mem, x [3]reg.VecVirtual) (v terms) {
	var d [3]reg.VecVirtual // vector x − a; the rows of e1, e2 and n are negated to match this sign
	for i := range d {
		d[i] = vec()
		VSUBPD(row(rowA+i), x[i], d[i])
	}
	dot := func(first int) reg.VecVirtual {
		p := vec()
		VMULPD(row(first), d[0], p)
		VFMADD231PD(row(first+1), d[1], p)
		VFMADD231PD(row(first+2), d[2], p)
		return p
	}
	v.qa = vec()
	VMULPD(d[0], d[0], v.qa)
	VFMADD231PD(d[1], d[1], v.qa)
	VFMADD231PD(d[2], d[2], v.qa)
	p1, p2 := dot(rowE1), dot(rowE2)
	v.det = dot(rowN)
	v.ab, v.ca, v.bc = vec(), vec(), vec()
	VADDPD(p1, v.qa, v.ab)
	VADDPD(p2, v.qa, v.ca)
	VADDPD(row(rowC12), p2, v.bc)
	VADDPD(v.ab, v.bc, v.bc)
	v.qb, v.qc = p1, p2
	VADDPD(row(rowC1), p1, v.qb)
	VADDPD(v.ab, v.qb, v.qb)
	VADDPD(row(rowC2), p2, v.qc)
	VADDPD(v.ca, v.qc, v.qc)
	return v
}

// product holds a complex product in each lane and its number of turns around 0.
type product struct {
	re, im, turns reg.VecVirtual
	sign          reg.VecVirtual // −1 in lanes where im is negative, and otherwise 0
}

// logic holds the bitwise instructions, whose names depend on the register size.
type logic struct {
	or, and, andNot func(...Op)
}

// times generates the instructions for p = p·q in each lane. The product crosses the negative real
// axis exactly if p and q have imaginary parts of the same sign and p·q has the opposite sign.
// Rounding does not change this condition.
func (p product) times(q product, vec func() reg.VecVirtual, l logic) {
	re, im, up, down := vec(), vec(), vec(), vec()
	VMULPD(q.im, p.im, re)
	VFMSUB231PD(q.re, p.re, re)
	VMULPD(q.im, p.re, im)
	VFMADD231PD(q.re, p.im, im)
	l.or(q.im, p.im, up)
	l.andNot(im, up, up) // sign bit: p.im and q.im are not negative, but im is
	l.and(q.im, p.im, down)
	l.andNot(down, im, down) // sign bit: p.im and q.im are negative, but im is not
	VPSRLQ(Imm(63), up, up)
	VPSRLQ(Imm(63), down, down)
	VPADDQ(q.turns, p.turns, p.turns)
	VPADDQ(up, p.turns, p.turns)
	VPSUBQ(down, p.turns, p.turns)
	VMOVAPD(re, p.re)
	VMOVAPD(im, p.im)
}

// halving describes how to split a register into halves.
type halving struct {
	vec   func() reg.VecVirtual
	low   func(reg.VecVirtual) reg.Register
	upper func(v, hi reg.VecVirtual)
}

// store generates instructions that combine all lanes and write the result to the state. They
// multiply the products and add the sizes.
func (l *loop) store(p product, sizes reg.VecVirtual, halves []halving, bits logic) {
	for _, h := range halves {
		upper := func(v reg.VecVirtual) reg.VecVirtual {
			hi := h.vec()
			h.upper(v, hi)
			return hi
		}
		lower := func(v reg.VecVirtual) reg.VecVirtual { return h.low(v).(reg.VecVirtual) }
		q := product{re: upper(p.re), im: upper(p.im), turns: upper(p.turns)}
		p.re, p.im, p.turns = lower(p.re), lower(p.im), lower(p.turns)
		p.times(q, h.vec, bits)
		hi := upper(sizes)
		sizes = lower(sizes)
		VADDPD(hi, sizes, sizes)
	}
	VMOVSD(p.re, Mem{Base: l.state, Disp: atRe})
	VMOVSD(p.im, Mem{Base: l.state, Disp: atIm})
	VMOVSD(p.turns, Mem{Base: l.state, Disp: atTurns})
	VMOVSD(sizes, Mem{Base: l.state, Disp: atSizes})
}

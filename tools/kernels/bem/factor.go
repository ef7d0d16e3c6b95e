package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// views holds what the factors of a block of panels are made of, for one vector
// of lanes.
type views struct {
	qa, qb, qc reg.VecVirtual // squared distances of the corners
	ab, bc, ca reg.VecVirtual // their products
	det        reg.VecVirtual
}

// see generates what windingsGeneric computes first. row gives the memory of a
// row, x the coordinates of the point.
func see(vec func() reg.VecVirtual, row func(int) Mem, x [3]reg.VecVirtual) (v views) {
	var d [3]reg.VecVirtual // x − a: hence the rows that are negated
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

// product is a complex product in lanes, with its turns.
type product struct {
	re, im, turns reg.VecVirtual
	sign          reg.VecVirtual // −1 where im is negative, else 0
}

package voxels

import "math"

// tally counts what volumes come from. Counts are exact, and so do not depend on how
// the grid is cut: voxels inside as a whole, parts of the others that are inside, and how
// many parts that may be wrong by.
type tally struct{ whole, parts, doubt int64 }

func (t *tally) add(o *tally) {
	t.whole += o.whole
	t.parts += o.parts
	t.doubt += o.doubt
}

// volume returns the volume inside, where a voxel of g has samples³ parts (0: none are
// counted), and a bound of its error.
//
// With ε = 2⁻⁵³, V = whole + parts/samples³ is off by at most 3ε of itself: conversion,
// quotient and sum. Its volume is rounded three times more: 6ε of V in all. The bound
// E = D + 16ε(V + D), D = doubt/samples³, is itself off by at most 7ε of its terms, by
// conversion, quotient, sum and the volume: at least D + 6εV is left. Below the normal
// numbers each of both volumes is off by half a unit more: together by the smallest
// number.
func (t *tally) volume(g Grid, samples int) (volume, off float64) {
	all := float64(max(1, samples*samples*samples))
	v, e := float64(t.whole)+float64(t.parts)/all, float64(t.doubt)/all
	if v == 0 && e == 0 {
		return 0, 0
	}
	volume, off = g.volume(v), g.volume(e+16*ulp*(v+e))+math.SmallestNonzeroFloat64
	if math.IsInf(volume, 1) {
		off = volume
	}
	return volume, off
}

// volume returns the volume of so many voxels. Nothing over- or underflows but the
// result.
func (g Grid) volume(voxels float64) float64 {
	exponent := 0
	for _, h := range triple(g.Spacing) {
		f, e := math.Frexp(h) // f in [1/2, 1)
		voxels *= f
		exponent += e
	}
	return math.Ldexp(voxels, exponent)
}

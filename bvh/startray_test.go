package bvh

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// rayMeetsBox reports whether the ray from o in the direction from p to q meets the closed box. It uses
// rational arithmetic.
func rayMeetsBox(o, p, q r3.Vector, b Box) bool {
	lo, hi := new(big.Rat), (*big.Rat)(nil)
	for k := range 3 {
		start, low, high := axis(o, k), axis(b.Min, k), axis(b.Max, k)
		d := new(big.Rat).SetFloat64(axis(q, k))
		d.Sub(d, new(big.Rat).SetFloat64(axis(p, k)))
		if d.Sign() == 0 {
			if start < low || start > high {
				return false
			}
			continue
		}
		var at [2]*big.Rat
		for i, x := range [2]float64{low, high} {
			at[i] = new(big.Rat).SetFloat64(x)
			at[i].Sub(at[i], new(big.Rat).SetFloat64(start)).Quo(at[i], d)
		}
		if at[0].Cmp(at[1]) > 0 {
			at[0], at[1] = at[1], at[0]
		}
		if at[0].Cmp(lo) > 0 {
			lo = at[0]
		}
		if hi == nil || at[1].Cmp(hi) < 0 {
			hi = at[1]
		}
	}
	return lo.Cmp(hi) <= 0
}

// The directions are exact, or differences that are rounded once. Their lengths range from 2⁻¹⁰⁷⁴ to the
// largest float64.
func TestRayWalkFindsEveryBoxOnTheRay(t *testing.T) {
	n := rounds(30, 3000)
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		var w RayWalk
		met := 0
		for round := range n {
			boxes := s.boxes(r, 1+r.IntN(40))
			tree := build(t, boxes, Options{MaxLeaf: 1 + r.IntN(4)})
			for range 10 {
				o, target := segment(r, s, boxes)
				from, to := o, target
				d := target.Sub(o)
				if r.IntN(2) == 0 { // an exact direction
					d = d.Mul(math.Ldexp(1, r.IntN(2200)-1100))
					from, to = r3.Vector{}, d
				}
				if d == (r3.Vector{}) || !vec.Finite(d) {
					continue
				}
				w.StartRay(tree, o, d)
				got := reported(t, tree, &w)
				for i, b := range boxes {
					if rayMeetsBox(o, from, to, b) {
						met++
						if !got[i] {
							t.Fatalf("round %d: box %d %v missed by the ray from %v along %v", round, i, b, o, d)
						}
					}
				}
			}
		}
		if met == 0 {
			t.Error("no ray met a box: the test covers nothing")
		}
	})
}

// A ray reports a leaf only if it meets a slightly larger box.
func TestStartRayReportsLittleElse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 21))
	s := sources()[0]
	var w RayWalk
	boxes := s.boxes(r, 300)
	tree := build(t, boxes, Options{MaxLeaf: 1})
	for range 300 {
		o, d := s.point(r), s.point(r).Mul(math.Ldexp(1, r.IntN(1800)-900))
		w.StartRay(tree, o, d)
		for i, got := range reported(t, tree, &w) {
			b := boxes[i]
			pad := r3.Vector{X: 0x1p-40, Y: 0x1p-40, Z: 0x1p-40}
			if b.Min, b.Max = b.Min.Sub(pad), b.Max.Add(pad); got && !rayMeetsBox(o, r3.Vector{}, d, b) {
				t.Fatalf("the ray from %v along %v reports box %v", o, d, b)
			}
		}
	}
	for _, d := range []r3.Vector{{}, {X: math.NaN()}, {Y: math.Inf(1)}} {
		w.StartRay(tree, r3.Vector{}, d)
		if _, _, ok := w.Next(); ok {
			t.Errorf("the direction %v reports a leaf", d)
		}
	}
}

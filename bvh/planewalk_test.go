package bvh

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// TestPlaneWalk compares the walk with exact tests of all boxes. It must visit every box that the
// plane meets, and few others.
func TestPlaneWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	next := func() float64 { return float64(r.IntN(33) - 16) }
	boxes := make([]Box, 500)
	for i := range boxes {
		p := r3.Vector{X: next(), Y: next(), Z: next()}
		boxes[i] = Box{Min: p, Max: p.Add(r3.Vector{X: r.Float64(), Y: float64(r.IntN(2)), Z: r.Float64()})}
	}
	tree, err := Build(t.Context(), boxes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var w PlaneWalk
	for range rounds(30, 3000) {
		o, n := r3.Vector{X: next(), Y: next(), Z: next()}, r3.Vector{X: next(), Y: next(), Z: float64(r.IntN(2))}
		seen := make([]bool, len(boxes))
		visited := 0
		for w.Start(tree, o, n); ; {
			first, count, ok := w.Next()
			if !ok {
				break
			}
			for _, i := range tree.Index()[first : first+count] {
				if seen[i] {
					t.Fatalf("box %d visited twice", i)
				}
				seen[i] = true
				visited++
			}
		}
		met := 0
		for i, b := range boxes {
			below, above := false, false
			for c := range 8 {
				p := b.Min
				if c&1 != 0 {
					p.X = b.Max.X
				}
				if c&2 != 0 {
					p.Y = b.Max.Y
				}
				if c&4 != 0 {
					p.Z = b.Max.Z
				}
				h := new(big.Rat)
				for _, x := range [3][3]float64{{p.X, o.X, n.X}, {p.Y, o.Y, n.Y}, {p.Z, o.Z, n.Z}} {
					d := new(big.Rat).SetFloat64(x[0])
					d.Sub(d, new(big.Rat).SetFloat64(x[1]))
					h.Add(h, d.Mul(d, new(big.Rat).SetFloat64(x[2])))
				}
				below, above = below || h.Sign() <= 0, above || h.Sign() >= 0
			}
			if below && above {
				met++
				if !seen[i] {
					t.Fatalf("plane %v, %v: box %v was not visited", o, n, b)
				}
			}
		}
		if n != (r3.Vector{}) && visited > met+8*DefaultMaxLeaf+len(boxes)/2 {
			t.Errorf("plane %v, %v: %d boxes visited, %d met", o, n, visited, met)
		}
	}
}

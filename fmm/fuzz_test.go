package fmm

import (
	"errors"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// FuzzPlan makes a small soup and points from the fuzzed bytes, and compares a plan with the direct
// sum. The first byte determines epsilon, depth and scale.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{0}, []byte{1, 2, 3})
	f.Add([]byte{1, 0, 0, 0, 8, 0, 0, 0, 8, 0}, []byte{2, 2, 0, 4, 4, 4, 255, 255, 255})
	f.Add([]byte("\x02the quick brown fox jumps over the lazy dog, and over again, and again"), []byte("some points of it"))
	f.Add([]byte{0x73, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 8, 200, 100, 7, 3, 5, 90, 90, 90, 91}, []byte{1, 1, 1, 9, 9, 9, 100, 3, 5})
	f.Fuzz(func(t *testing.T, soup, at []byte) {
		if len(soup) == 0 || len(soup) > 1200 || len(at) > 300 {
			return
		}
		head := soup[0]
		epsilon := []float64{0.45, 4e-3, 1e-4, 1e-6}[head&3]
		scale := []float64{1, 0x1p-300, 0x1p300, 0x1p-20}[head>>2&3]
		depth := int(head >> 4 & 3)
		// Bytes are coordinates on a coarse or a fine lattice. Therefore some points coincide, lie on
		// edges or in planes, or are next to each other.
		coordinate := func(b byte) float64 {
			v := float64(b & 15)
			switch b >> 4 {
			case 14:
				v = 8 + math.Ldexp(v, -40)
			case 15:
				v = 100 * v
			default:
				v += float64(b>>4) / 16
			}
			return v * scale
		}
		vector := func(b []byte) r3.Vector {
			return r3.Vector{X: coordinate(b[0]), Y: coordinate(b[1]), Z: coordinate(b[2])}
		}
		var tris []mesh.Triangle
		for b := soup[1:]; len(b) >= 9; b = b[9:] {
			tris = append(tris, mesh.Triangle{vector(b), vector(b[3:]), vector(b[6:])})
		}
		var pts []r3.Vector
		for ; len(at) >= 3; at = at[3:] {
			pts = append(pts, vector(at))
		}
		m := testmesh.Mesh(soupOf(tris))
		p, err := New(t.Context(), corners(m), Options{Epsilon: epsilon, Depth: depth, Workers: 1})
		if err != nil {
			if errors.Is(err, ErrEpsilon) {
				return
			}
			t.Fatal(err)
		}
		want := newAnswers(len(pts))
		if err := bem.NewDirect(m, 1).WindingsTo(t.Context(), want.w, want.bound, want.on, pts); err != nil {
			t.Fatal(err)
		}
		want.direct = want.bound
		got := windings(t, p, pts, 1)
		check(t, "soup", epsilon, got, want, pts)
		var s Scratch
		for i, x := range pts {
			w, bound, on := p.Winding(x, &s)
			if math.Float64bits(w) != math.Float64bits(got.w[i]) || bound != got.bound[i] || on != got.on[i] {
				t.Errorf("at %#v: %v ± %v on=%v in one call, %v ± %v on=%v in a batch", x, w, bound, on, got.w[i], got.bound[i], got.on[i])
			}
		}
	})
}

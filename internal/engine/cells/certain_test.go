package cells_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// The sides of CertainSidesTo equal the sides of SidesTo. No face is within the radius of a point that is
// not unsure. Many points are not unsure, and all are unsure if the radius is too large for the cells.
func TestCertainSides(t *testing.T) {
	const radius = 1e-9
	m := testmesh.Mesh(testmesh.Star(4, 0.5, 3))
	tree, err := m.Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	caster, err := raycross.New(tree, raycross.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := cells.New(t.Context(), m, cells.Options{Rays: func(context.Context) (*raycross.Caster, error) { return caster, nil }})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(28, 5))
	pts := make([]r3.Vector, 20_000)
	for i := range pts {
		pts[i] = r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
		if i%2 == 0 {
			f := m.Triangle(int32(r.IntN(m.NumFaces())))
			off := r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Mul(math.Pow(10, -1-11*r.Float64()))
			pts[i] = f[0].Add(f[1]).Add(f[2]).Mul(1. / 3).Add(off)
		}
	}
	want := make([]side.Side, len(pts))
	if _, err := x.SidesTo(t.Context(), want, pts, 1); err != nil {
		t.Fatal(err)
	}
	searcher := nearest.New(tree)
	var scratch nearest.Scratch
	for _, workers := range []int{1, 3} {
		got, unsure := make([]side.Side, len(pts)), make([]byte, len(pts))
		if _, err := x.CertainSidesTo(t.Context(), got, unsure, radius, pts, workers); err != nil {
			t.Fatal(err)
		}
		certain := 0
		for i, p := range pts {
			if got[i] != want[i] {
				t.Fatalf("%v: side %v, want %v", p, got[i], want[i])
			}
			if unsure[i] == 1 {
				continue
			}
			certain++
			if searcher.Within(p, radius, &scratch) {
				t.Fatalf("%v: a face is within %g, but the point is not unsure", p, radius)
			}
			if d := x.Reach(); vec.Norm(p) > d {
				t.Fatalf("%v: not unsure beyond %g", p, d)
			}
		}
		if certain < len(pts)/4 {
			t.Errorf("only %d of %d points are certain", certain, len(pts))
		}
		if _, err := x.CertainSidesTo(t.Context(), got, unsure, 1, pts, workers); err != nil {
			t.Fatal(err)
		}
		for i := range pts {
			if unsure[i] == 0 || got[i] != want[i] {
				t.Fatalf("%v: unsure %v, side %v, want %v, for a large radius", pts[i], unsure[i], got[i], want[i])
			}
		}
	}
}

package fmm

import (
	"math"
	"math/big"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// For meshes of every kind and for all degrees, the true error of a winding number is at most its
// bound. The reference has an error below 2^−80.
func TestBoundsAgainstExtended(t *testing.T) {
	meshes := map[string]*mesh.Mesh{
		"hemisphere": testmesh.Mesh(testmesh.Hemisphere(4)),
		"sheet":      testmesh.Mesh(testmesh.Sheet(12)),
		"tangle":     testmesh.Mesh(testmesh.Tangle(6, 9, 1)),
		"soup":       testmesh.Mesh(testmesh.Triangles(400, 2)),
	}
	for name, tris := range patches(seeded(71)) {
		meshes[name] = testmesh.Mesh(soupOf(tris))
	}
	n, worst := 0, 0.0
	for name, m := range meshes {
		pts := spots(m, rounds(60, 2000), 72)
		rays := caster(t, m)
		want, off := make([]*big.Float, len(pts)), make([]*big.Float, len(pts))
		for i, x := range pts {
			if vec.Finite(x) {
				want[i], off[i] = rays.PreciseWinding(x, 0x1p-80, new(raycross.Scratch))
			}
		}
		for _, epsilon := range []float64{0.4, 1e-2, 1e-4, 1e-6, 1e-9, 3e-11} {
			for _, depth := range []int{0, 3} {
				opt := Options{Epsilon: epsilon, Depth: depth, Workers: 1}
				p, _ := reachable(t, name, corners(m), opt)
				if p == nil {
					continue
				}
				for i, x := range pts {
					if !vec.Finite(x) {
						continue
					}
					w, bound, _ := p.Winding(x, new(Scratch))
					n++
					worst = max(worst, beyond(t, name, opt, x, w, bound, want[i], off[i]))
				}
			}
		}
	}
	t.Logf("%d winding numbers; the largest error is %.2g of its bound", n, worst)
}

// beyond returns the error of w divided by its bound, and reports an error above the bound.
func beyond(t *testing.T, name string, opt Options, x r3.Vector, w, bound float64, want, off *big.Float) float64 {
	t.Helper()
	e := new(big.Float).Sub(want, big.NewFloat(w))
	e.Abs(e).Sub(e, off)
	if e.Cmp(big.NewFloat(bound)) > 0 {
		t.Errorf("%s, %s, at %#v: %v ± %g, want %g", name, optionText(opt), x, w, bound, want)
	}
	v, _ := e.Float64()
	return v / math.Max(bound, math.SmallestNonzeroFloat64)
}

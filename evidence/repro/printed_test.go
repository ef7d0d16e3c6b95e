package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// The printed method agrees with the sum of all solid angles, within its truncation error, for a
// separate evaluation box and for several depths. A deeper tree has far fields, which the test
// demands.
func TestPrintedAgainstDirect(t *testing.T) {
	for _, m := range []*mesh.Mesh{testmesh.Sphere(3), testmesh.Foam(mesh.FoamOptions{Resolution: 10, Seed: 3})} {
		box := m.Box()
		box.Min = box.Min.Sub(r3.Vector{X: 0.3, Y: 0.1})
		random := rand.New(rand.NewPCG(8, 8))
		for depth := 1; depth <= 4; depth++ {
			f := newPrinted(trianglesOf(m), box, depth, admissible2006, true)
			if err := f.expand(t.Context()); err != nil {
				t.Fatal(err)
			}
			if depth >= 3 && f.counts.across == 0 {
				t.Errorf("depth %d: no pair is in the far field", depth)
			}
			direct := bem.NewDirect(m, 1)
			var pts []r3.Vector
			for range 200 {
				s := box.Size()
				pts = append(pts, box.Min.Add(r3.Vector{X: random.Float64() * s.X, Y: random.Float64() * s.Y, Z: random.Float64() * s.Z}))
			}
			w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
			if err := direct.WindingsTo(t.Context(), w, bound, on, pts); err != nil {
				t.Fatal(err)
			}
			for i, x := range pts {
				// d^−(p+2) times the surface in units of a cell is some hundredths.
				if got := f.value(x); math.Abs(got-w[i]) > 0.05 {
					t.Errorf("%d triangles, depth %d, %v: J = %v, want %v", m.NumFaces(), depth, x, got, w[i])
				}
			}
		}
	}
}

// Every triangle is in the near field of a leaf or in exactly one far field of the leaf and its
// fathers. The counts of Table 1 are the numbers of these pairs.
func TestPrintedPartition(t *testing.T) {
	m := testmesh.Sphere(3)
	f := newPrinted(trianglesOf(m), m.Box(), 3, admissible2006, true)
	pairs := 0
	seen := make([]map[int32]int, len(f.levels)) // far triangles by level and σ
	for h := range f.levels {
		seen[h] = map[int32]int{}
		for _, list := range f.levels[h].pairs {
			for _, p := range list {
				pairs++
				seen[h][p[0]] += int(f.levels[h].omega[p[1]].count)
			}
		}
	}
	if float64(pairs) != f.counts.across {
		t.Errorf("%d pairs, %v counted", pairs, f.counts.across)
	}
	for h := range f.levels {
		for i := range f.levels[h].sigma {
			s := &f.levels[h].sigma[i]
			n := f.nearCount(s, h)
			for at, level := int32(i), h; level >= 0; level-- {
				n += seen[level][at]
				at = f.levels[level].sigma[at].father
			}
			if n != m.NumFaces() {
				t.Fatalf("level %d, cluster %d: %d triangles in near and far fields, want %d", h, i, n, m.NumFaces())
			}
		}
	}
}

// Table 2 implies one depth for 8,192 and 32,768 triangles, and a greater one for 131,072.
func TestPreChosen(t *testing.T) {
	for n, want := range map[int]int{8: 1, 2048: 2, 8192: 3, 32768: 3, 131072: 4, 494124: 5} {
		if got := preChosen(n); got != want {
			t.Errorf("%d triangles: depth %d, want %d", n, got, want)
		}
	}
}

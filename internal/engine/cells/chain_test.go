package cells_test

import (
	"context"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// coordinateRange generates coordinates of one kind. With extreme coordinates, most signs need
// arithmetic of unlimited range, so the tests use fewer points.
type coordinateRange struct {
	name    string
	number  *rapid.Generator[float64]
	extreme bool
}

var ranges = []coordinateRange{
	{"tiny lattice", lattice(2, 1), false},
	{"small lattice", lattice(5, .5), false},
	{"lattice of thirds", lattice(6, 1.0/3), false}, // the numbers 0, 1 and 2 are exact, and the others are rounded
	{"large lattice", lattice(64, 0x1p-6), false},
	{"unit", rapid.Float64Range(0, 1), false},
	{"far away", rapid.Map(rapid.Float64Range(0, 1), func(x float64) float64 { return 1e15 + 8*x }), false},
	{"two sizes", rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e-9)), false},
	{"1e-300", rapid.Map(rapid.Float64Range(0, 1), func(x float64) float64 { return 1e-300 * x }), true},
	{"2^990", rapid.Map(rapid.Float64Range(-1, 1), func(x float64) float64 { return 0x1p990 * x }), true},
	{"all sizes", rapid.Float64Range(-0x1p999, 0x1p999), true},
}

// sampled returns every other range of coordinates, from the given one on, or all ranges with INPOLY_FULL=1.
func sampled(first int) (list []coordinateRange) {
	for k, c := range ranges {
		if full() || k%2 == first {
			list = append(list, c)
		}
	}
	return list
}

// lattice generates the multiples of step from 0 to n·step.
func lattice(n int, step float64) *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(0, n), func(i int) float64 { return step * float64(i) })
}

func (p coordinateRange) point() *rapid.Generator[r3.Vector] {
	return rapid.Custom(func(t *rapid.T) r3.Vector {
		return at(p.number.Draw(t, "x"), p.number.Draw(t, "y"), p.number.Draw(t, "z"))
	})
}

// checkDrawn compares the index of s with rays.
func checkDrawn(t *rapid.T, s mesh.Soup, from coordinateRange) {
	ctx := context.Background()
	m := testmesh.Mesh(s)
	w := newTwin(ctx, t, from.name, m, cells.Options{
		Workers:        rapid.IntRange(1, 3).Draw(t, "workers"),
		ExpectedPoints: rapid.SampledFrom([]int64{0, 1, 1000, 1 << 13}).Draw(t, "expected"),
	}, rapid.SampledFrom(rules).Draw(t, "rule"))
	n, drawn := 150, 20
	if !m.Closed() {
		n = 50
	}
	if from.extreme {
		n, drawn = 12, 2
	}
	spots := w.spots(n, rapid.Uint64().Draw(t, "seed"))
	pts := rapid.SliceOfN(from.point(), drawn, drawn).Draw(t, "points")
	for i, p := range pts {
		spots = append(spots, spot{p, "drawn"}, spot{mix(p, pts[(i+1)%len(pts)], .5), "middle"})
		if len(s.Vertices) > 0 {
			spots = append(spots, spot{mix(p, s.Vertices[i%len(s.Vertices)], .5), "halfway to a vertex"})
		}
	}
	w.check(ctx, t, spots, 1)
	w.judge(t, spots, drawn/2)
}

// property checks f on a hundred random cases, or on two thousand with INPOLY_FULL=1.
func property(t *testing.T, f func(t *rapid.T)) {
	for range rounds(1, 20) {
		rapid.Check(t, f)
	}
}

// Each mesh is a union of boundaries of tetrahedra, so it is closed. Tetrahedra share corners,
// occur several times, and can be inverted. So faces coincide, edges belong to many faces, and
// winding numbers can be negative.
func TestClosedChains(t *testing.T) {
	for _, from := range sampled(0) {
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			property(t, func(t *rapid.T) {
				var s mesh.Soup
				corners := rapid.SliceOfN(from.point(), 4, 12).Draw(t, "corners")
				corner := rapid.SampledFrom(corners)
				most, thick := 8, 3
				if from.extreme {
					most, thick = 3, 2
				}
				for range rapid.IntRange(1, most).Draw(t, "tetrahedra") {
					one := testmesh.Simplex(corner.Draw(t, "a"), corner.Draw(t, "b"), corner.Draw(t, "c"), corner.Draw(t, "d"))
					if rapid.Bool().Draw(t, "flipped") {
						one = testmesh.Flip(one)
					}
					s = testmesh.Union(s, testmesh.Copies(one, rapid.IntRange(1, thick).Draw(t, "copies")))
				}
				checkDrawn(t, s, from)
			})
		})
	}
}

// The meshes are boxes on a lattice. The boxes share faces, edges and vertices.
func TestClosedBoxes(t *testing.T) {
	for _, from := range ranges[:5] {
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			property(t, func(t *rapid.T) {
				var s mesh.Soup
				for range rapid.IntRange(1, 6).Draw(t, "boxes") {
					// The corners are in any order, so boxes can be inverted or flat.
					s = testmesh.Union(s, testmesh.Cube(from.point().Draw(t, "lo"), from.point().Draw(t, "hi")))
				}
				checkDrawn(t, s, from)
			})
		})
	}
}

// Each face joins three random vertices of a small set. So the meshes are usually open, and some
// faces have zero area.
func TestOpenSoups(t *testing.T) {
	for _, from := range sampled(1) {
		t.Run(from.name, func(t *testing.T) {
			t.Parallel()
			property(t, func(t *rapid.T) {
				s := mesh.Soup{Vertices: rapid.SliceOfN(from.point(), 1, 10).Draw(t, "vertices")}
				index := rapid.Int32Range(0, int32(len(s.Vertices)-1))
				for range rapid.IntRange(1, 12).Draw(t, "faces") {
					s.Faces = append(s.Faces, [3]int32{index.Draw(t, "a"), index.Draw(t, "b"), index.Draw(t, "c")})
				}
				checkDrawn(t, s, from)
			})
		})
	}
}

package cells_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

func at(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }

// box returns the cube from lo to hi on every axis.
func box(lo, hi float64) mesh.Soup { return testmesh.Cube(at(lo, lo, lo), at(hi, hi, hi)) }

// defects holds functions that damage a solid.
var defects = []struct {
	name string
	make func(s mesh.Soup) mesh.Soup
}{
	{"", func(s mesh.Soup) mesh.Soup { return s }},
	{"inverted", func(s mesh.Soup) mesh.Soup { return testmesh.Flip(s) }},
	{"a face missing", func(s mesh.Soup) mesh.Soup { return testmesh.Without(s, len(s.Faces)/2) }},
	{"a face flipped", func(s mesh.Soup) mesh.Soup { return testmesh.Flip(s, len(s.Faces)/2) }},
	{"a face doubled", func(s mesh.Soup) mesh.Soup { return testmesh.Double(s, len(s.Faces)/2) }},
	{"all faces thrice", func(s mesh.Soup) mesh.Soup { return testmesh.Copies(s, 3) }},
	{"zero-area faces", func(s mesh.Soup) mesh.Soup { return testmesh.WithDegenerate(s, 10, 1) }},
	{"whiskers", func(s mesh.Soup) mesh.Soup { return testmesh.Union(s, testmesh.Whiskers(12, 1)) }},
	{"in its opposite", func(s mesh.Soup) mesh.Soup { return testmesh.Union(s, testmesh.Flip(testmesh.Scale(s, 2))) }},
}

// Every case of the catalog gives the known sides at its probes. With every defect and under every
// rule, cells and rays give the same sides.
func TestCatalog(t *testing.T) {
	for _, tc := range testmesh.Catalog() {
		for k, d := range defects {
			if k > 0 && len(tc.Soup.Faces) == 0 {
				continue
			}
			t.Run(tc.Name+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				m := testmesh.Mesh(d.make(tc.Soup))
				w := newTwin(t.Context(), t, tc.Name+" "+d.name, m, cells.Options{Workers: 1}, rules...)
				n := rounds(100, 20_000)
				if size := vec.MaxAbs(m.Box().Size()); !m.Closed() || size < 1e-200 && size > 0 {
					n = rounds(30, 5_000) // use few points, because boundary sums and arithmetic of unlimited range are slow
				}
				spots := w.spots(n, uint64(k))
				if k == 0 {
					for _, p := range tc.Probes {
						spots = append(spots, spot{p.Point, "probe"})
						checkProbe(t, w, p)
					}
				}
				w.check(t.Context(), t, spots, 1)
				w.judge(t, spots, rounds(5, 200))
			})
		}
	}
}

func checkProbe(t *testing.T, w *twin, p testmesh.Probe) {
	t.Helper()
	for k, rule := range w.rules {
		want := rule.Apply(int64(p.W), uint64(p.W&1))
		if p.On {
			want = side.OnSurface
		}
		var s cells.Scratch
		if got := w.index[k].Side(p.Point, &s); got != want {
			t.Errorf("%s: %v: side of %s is %v, want %v", w.name, rule, hex(p.Point), got, want)
		}
	}
}

// aligned returns solids whose faces, edges and vertices lie on dyadic lattices. Many faces, edges
// and vertices of different solids coincide.
func aligned() map[string]mesh.Soup {
	out := map[string]mesh.Soup{
		"opposite overlap":  testmesh.Union(box(0, 1), testmesh.Flip(box(.5, 1.5))),
		"opposite copies":   testmesh.Union(box(0, 1), testmesh.Flip(box(0, 1))),
		"opposite in touch": testmesh.Union(box(0, 1), testmesh.Flip(testmesh.Translate(box(0, 1), at(1, 0, 0)))),
		"256 copies":        testmesh.Copies(box(0, 1), 256),
		"W = -200":          testmesh.Copies(testmesh.Flip(box(0, 1)), 200),
		"a hole in a plate": drilledPlate(at(4, 4, .5), 1, 16),
		"octahedral box":    roundedBox(at(2, 1, .5), .5, 1),
		"double pyramid":    testmesh.DoubleCone(4, 1),
		"flat box":          testmesh.Cube(at(0, 0, 0), at(1, 1, 0)),
		"box without width": testmesh.Cube(at(0, 0, 0), at(0, 1, 0)),
		"a point":           testmesh.Cube(at(1, 1, 1), at(1, 1, 1)),
		"doubled sheet":     testmesh.Union(testmesh.Sheet(4), testmesh.Flip(testmesh.Sheet(4))),
		"sheet":             testmesh.Sheet(4),
		"leaning sheets":    testmesh.Union(testmesh.Sheet(2), testmesh.Move(testmesh.Sheet(2), func(p r3.Vector) r3.Vector { return at(p.X, p.Y, p.X-.5) })),
		"whiskers alone":    testmesh.Whiskers(30, 5),
	}
	for w := 2; w <= 5; w++ {
		var s mesh.Soup
		for k := range w {
			s = testmesh.Union(s, box(float64(k), float64(2*w-k)))
		}
		out[fmt.Sprintf("nested %d times", w)] = s
		out[fmt.Sprintf("nested %d times and inverted", w)] = testmesh.Flip(s)
		out[fmt.Sprintf("nested %d times, alternating", w)] = testmesh.Union(s, testmesh.Flip(box(float64(w)-.5, float64(w)+.5)), testmesh.Flip(box(.5, 1.5)))
	}
	var stack, checkers, stairs mesh.Soup
	for i := range 27 {
		cube := testmesh.Translate(box(0, 1), at(float64(i%3), float64(i/3%3), float64(i/9)))
		stack = testmesh.Union(stack, cube)
		if i%2 == 0 {
			checkers = testmesh.Union(checkers, cube)
		} else {
			checkers = testmesh.Union(checkers, testmesh.Flip(cube))
		}
	}
	for i := range 8 {
		stairs = testmesh.Union(stairs, testmesh.Cube(at(float64(i), 0, 0), at(float64(i+1), 2, float64(i+1))))
	}
	out["stacked boxes"], out["checkerboard of signs"], out["stairs"] = stack, checkers, stairs
	// The faces of the coarse solid are much larger than cells.
	out["coarse beside fine"] = testmesh.Union(box(0, 8), testmesh.Translate(testmesh.Scale(testmesh.Soup(testmesh.Sphere(3)), .25), at(9, 9, 9)))
	return out
}

// The solids and the points lie on the same lattices, at several scales. The expected number of
// points differs from scale to scale. With -short, each solid has two of the scales.
func TestAligned(t *testing.T) {
	for name, s := range aligned() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRand(7)
			for k, v := range []struct {
				scale, offset float64
				points        int64
			}{{1, 0, 0}, {1, -0.375, 1}, {0x1p-40, 0, 1e9}, {0x1p500, 0, 100}, {0.1, 1e6, 0}} {
				if testing.Short() && (k+len(name))%5 > 1 {
					continue
				}
				if name == "box without width" && !full() {
					v.points = min(v.points, 1e5) // the grid of a line for 1e9 points takes seconds
				}
				m := testmesh.Mesh(testmesh.Translate(testmesh.Scale(s, v.scale), at(v.offset, v.offset, v.offset)))
				w := newTwin(t.Context(), t, fmt.Sprintf("%s, times %g and at %g", name, v.scale, v.offset), m,
					cells.Options{Workers: 1 + k%2, ExpectedPoints: v.points}, rules...)
				n := rounds(75, 10_000)
				if !m.Closed() || m.NumFaces() > 1000 {
					n = rounds(25, 10_000)
				}
				spots := w.spots(n, uint64(k))
				for range n {
					spots = append(spots, spot{latticePoint(r, m, v.scale, v.offset), "on the lattice of the solid"})
				}
				w.check(t.Context(), t, spots, 1)
				if m.NumFaces() < 500 {
					w.judge(t, spots, rounds(5, 200))
				}
			}
		})
	}
}

// latticePoint returns a point of a random lattice, in or near the box of m.
func latticePoint(r *rand.Rand, m *mesh.Mesh, scale, offset float64) r3.Vector {
	step := scale / float64(int(1)<<r.IntN(5))
	f := func(lo, hi float64) float64 {
		a, b := math.Floor((lo-offset)/step)-1, math.Ceil((hi-offset)/step)+1
		if b-a > 1e6 {
			return lo
		}
		return offset + step*(a+float64(r.IntN(int(b-a)+1)))
	}
	b := m.Box()
	return at(f(b.Min.X, b.Max.X), f(b.Min.Y, b.Max.Y), f(b.Min.Z, b.Max.Z))
}

// If a solid and its points are transformed, the sides of the points do not change. The test
// rotates, mirrors and scales.
func TestEquivariant(t *testing.T) {
	for name, s := range map[string]mesh.Soup{
		"star":         testmesh.Star(3, .75, 1),
		"overlapping":  testmesh.Overlapping(),
		"hemisphere":   testmesh.Hemisphere(2),
		"flipped star": testmesh.Flip(testmesh.Star(2, .5, 2), 1, 5, 60),
	} {
		m := testmesh.Mesh(s)
		w := newTwin(t.Context(), t, name, m, cells.Options{}, rules...)
		spots := w.spots(rounds(100, 5000), 3)
		check := func(what string, opposite bool, image func(p r3.Vector) r3.Vector) {
			moved := testmesh.Move(s, image)
			if opposite {
				moved = testmesh.Flip(moved) // mirroring turns the normals inward, so flip the faces
			}
			v := newTwin(t.Context(), t, name+" "+what, testmesh.Mesh(moved), cells.Options{}, rules...)
			var a, b cells.Scratch
			for k := range rules {
				for _, p := range spots {
					if !scalable(p.X) || !scalable(p.Y) || !scalable(p.Z) {
						continue
					}
					q := image(p.Vector)
					if got, want := v.index[k].Side(q, &a), w.index[k].Side(p.Vector, &b); got != want {
						v.report(t, rules[k], 0, spot{q, p.kind}, fmt.Sprintf("side %v, want %v as for the original", got, want))
					}
				}
			}
		}
		for k, r := range testmesh.Rotations() {
			if full() || k%5 == 1 {
				check(fmt.Sprintf("rotation %d", k), false, r)
			}
		}
		check("mirrored", true, func(p r3.Vector) r3.Vector { return at(-p.X, p.Y, p.Z) })
		for _, e := range []int{-300, -30, 30, 300} {
			check(fmt.Sprintf("times 2^%d", e), false, func(p r3.Vector) r3.Vector { return p.Mul(math.Ldexp(1, e)) })
		}
	}
}

// scalable reports whether both c·2^300 and c·2^−300 are exact.
func scalable(c float64) bool { return c == 0 || math.Abs(c) > 0x1p-700 && math.Abs(c) < 0x1p700 }

// The expected number of points and the number of workers do not change the sides.
func TestOptionsChangeNothing(t *testing.T) {
	ctx := context.Background()
	for name, s := range map[string]mesh.Soup{
		"star":       testmesh.Star(4, .6, 4),
		"hemisphere": testmesh.Hemisphere(3),
		"tangle":     testmesh.Tangle(12, 100, 4),
		"stairs":     aligned()["stairs"],
	} {
		m := testmesh.Mesh(s)
		points, many := []int64{0, 10_000}, []int{1, 7}
		if full() {
			points, many = []int64{0, 1, 64, 10_000, 1 << 40, math.MaxInt64}, []int{1, 2, 7, 0}
		}
		for _, expected := range points {
			var first cells.Shape
			for k, workers := range many {
				w := newTwin(ctx, t, name, m, cells.Options{Workers: workers, ExpectedPoints: expected}, rules[:1]...)
				w.check(ctx, t, w.spots(rounds(50, 10_000), uint64(expected)+1), workers)
				shape := w.index[0].Shape()
				if k == 0 {
					first = shape
				}
				if shape != first {
					t.Errorf("%s: shape %+v of %d workers, want %+v as for one", name, shape, workers, first)
				}
			}
		}
	}
}

package cells_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// validatedHard is the largest number of faces for which checkHard always calls Validate.
const validatedHard = 10_000

// hardCase describes how to test a mesh for which a naive grid would fail.
type hardCase struct {
	points int
	rules  []side.Rule
	near   []r3.Vector // additional points where errors are likely
}

// checkHard builds the index of s, checks its invariants and memory, and compares it with rays.
func checkHard(t *testing.T, s mesh.Soup, c hardCase) *twin {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rounds(1, 20))*within)
	defer cancel()
	if c.rules == nil {
		c.rules = []side.Rule{side.NonZero}
	}
	m := testmesh.Mesh(s)
	w := newTwin(ctx, t, t.Name(), m, cells.Options{}, c.rules...)
	if n := m.NumFaces(); n > validated && (n <= validatedHard || full()) {
		if err := w.index[0].Validate(ctx); err != nil {
			t.Fatalf("invalid index: %v", err)
		}
	}
	spots := w.spots(rounds(c.points, 20*c.points), 11)
	for _, p := range c.near {
		spots = append(spots, spot{p, "chosen"})
	}
	w.check(ctx, t, spots, 0)
	if m.NumFaces() < 10_000 {
		w.judge(t, spots, rounds(5, 100))
	}
	t.Logf("%d faces, shape %+v, Rays called %d times", m.NumFaces(), w.index[0].Shape(), w.calls.Load())
	return w
}

// The mesh is a plate of 1 km by 1 km by 10 m, with edges rounded by 1 mm. Lengths are in meters.
func TestHardPlateWithFillets(t *testing.T) {
	t.Parallel()
	const r, q = 0.001, 16
	half := at(500, 500, 5)
	var near []r3.Vector
	rng := newRand(1)
	for range 2000 {
		// The points lie within a few radii of a rounded edge.
		p := at(half.X+r*(4*rng.Float64()-2), half.Y*(2*rng.Float64()-1), half.Z+r*(4*rng.Float64()-2))
		if rng.IntN(4) == 0 { // move the point to a place near a corner of the plate
			p.Y = half.Y + r*(4*rng.Float64()-2)
		}
		near = append(near, p)
	}
	checkHard(t, roundedBox(half, r, q), hardCase{points: 3000, rules: rules, near: near})
}

// The mesh is a plate of 1 km by 1 km by 10 m with 60 cavities. Each cavity has a radius of 1 mm
// and goes almost through the plate.
func TestHardPlateWithCavities(t *testing.T) {
	t.Parallel()
	s := roundedBox(at(500, 500, 5), 0.001, 8)
	var near []r3.Vector
	rng := newRand(2)
	for range 60 {
		c := at(990*rng.Float64()-495, 990*rng.Float64()-495, -4.5)
		bore := testmesh.DoubleCone(24, 0)
		bore = testmesh.Move(bore, func(p r3.Vector) r3.Vector { return p.Mul(0.001) })
		bore.Vertices[0].Z, bore.Vertices[1].Z = 9, 0 // vertices 0 and 1 are the ends of the cavity of 9 m
		s = testmesh.Union(s, testmesh.Flip(testmesh.Translate(bore, c)))
		for range 20 {
			near = append(near, c.Add(at(.003*rng.Float64()-.0015, .003*rng.Float64()-.0015, 9.2*rng.Float64()-.1)))
		}
	}
	checkHard(t, s, hardCase{points: 3000, near: near})
}

// The mesh is a plate of 1 km by 1 km with a hole of 1 mm. Around the hole, 4,000 faces have a size
// of 700 m by 3 µm. At each corner of the plate, 500 of these faces meet.
func TestHardDrilledPlate(t *testing.T) {
	t.Parallel()
	var near []r3.Vector
	rng := newRand(3)
	for range 1000 {
		near = append(near, at(.003*rng.Float64()-.0015, .003*rng.Float64()-.0015, 11*rng.Float64()-5.5))
		near = append(near, at(500-math.Exp(-20*rng.Float64()), 500-math.Exp(-20*rng.Float64()), 5*(1-math.Exp(-30*rng.Float64()))))
	}
	checkHard(t, drilledPlate(at(500, 500, 5), 0.001, 2000), hardCase{points: 1500, near: near})
}

// The mesh has 100,000 triangles and two vertices of very high valence. Each of these vertices
// belongs to 50,000 triangles.
func TestHardFan(t *testing.T) {
	t.Parallel()
	var near []r3.Vector
	rng := newRand(4)
	for range 500 {
		p := at(rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64())
		near = append(near, at(0, 0, .5).Add(p.Mul(math.Pow(10, -16*rng.Float64()))))
	}
	checkHard(t, testmesh.DoubleCone(50_000, .5), hardCase{points: 1000, near: near})
}

// The mesh has 50,000 ribs of random lengths, so neighboring triangles are not coplanar.
func TestHardUmbrella(t *testing.T) {
	t.Parallel()
	s := testmesh.DoubleCone(50_000, .5)
	rng := newRand(5)
	for i := range s.Vertices[2:] {
		s.Vertices[2+i] = s.Vertices[2+i].Mul(.2 + .8*rng.Float64())
	}
	checkHard(t, s, hardCase{points: 1000})
}

// The mesh is a prism of length 1e6 and width 1. It lies along an axis or along a diagonal.
func TestHardNeedle(t *testing.T) {
	t.Parallel()
	base := mesh.Triangle{at(0, 0, 0), at(0, 1, 0), at(0, 0, 1)}
	var near []r3.Vector
	rng := newRand(6)
	for range 1000 {
		near = append(near, at(1e6*rng.Float64(), 1.2*rng.Float64()-.1, 1.2*rng.Float64()-.1))
	}
	checkHard(t, prism(base, at(1e6, 0, 0)), hardCase{points: 3000, rules: rules, near: near})
	for i := range near {
		near[i] = at(near[i].X, near[i].X+near[i].Y, near[i].X+near[i].Z)
	}
	checkHard(t, prism(base, at(1e6, 1e6, 1e6)), hardCase{points: 3000, rules: rules, near: near})
}

// The meshes have a thousand needles, which lie side by side or cross each other.
func TestHardNeedles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"parallel", "crossing"} {
		t.Run(name, func(t *testing.T) {
			rng := newRand(7)
			var s mesh.Soup
			for i := range 1000 {
				o := at(0, 2*float64(i%32), 2*float64(i/32))
				axis := at(1e6, 1e3, 1)
				if name == "crossing" {
					o = at(0, 1e6*rng.Float64(), 1e6*rng.Float64())
					axis = at(1e6, 1e6*(rng.Float64()-.5), 1e6*(rng.Float64()-.5))
				}
				s = testmesh.Union(s, prism(mesh.Triangle{o, o.Add(at(0, 1, 0)), o.Add(at(0, 0, 1))}, axis))
			}
			checkHard(t, s, hardCase{points: 3000})
		})
	}
}

// The centers of two unit spheres are 1e7 apart, along an axis or along a diagonal.
func TestHardSpheresFarApart(t *testing.T) {
	t.Parallel()
	sphere := testmesh.Soup(testmesh.Sphere(4))
	for name, d := range map[string]r3.Vector{"along an axis": at(1e7, 0, 0), "across": at(1e7, 1e7, -1e7)} {
		t.Run(name, func(t *testing.T) {
			var near []r3.Vector
			rng := newRand(8)
			for range 3000 {
				p := at(1.1*(2*rng.Float64()-1), 1.1*(2*rng.Float64()-1), 1.1*(2*rng.Float64()-1))
				near = append(near, p, p.Add(d))
			}
			checkHard(t, testmesh.Union(sphere, testmesh.Translate(sphere, d)), hardCase{points: 2000, rules: rules, near: near})
		})
	}
}

// All triangles lie in one plane. The meshes are a sheet, a doubled sheet, and a sheet together
// with its inverted copy. The last mesh is closed. If the plane is tilted, the box of the mesh is
// not flat.
func TestHardOnePlane(t *testing.T) {
	t.Parallel()
	lean := func(s mesh.Soup) mesh.Soup {
		return testmesh.Move(s, func(p r3.Vector) r3.Vector { return at(p.X, p.Y, p.X/2+p.Y/4) })
	}
	sheet := testmesh.Sheet(64)
	for name, s := range map[string]mesh.Soup{
		"closed": testmesh.Union(sheet, testmesh.Flip(sheet)), "open": sheet, "doubled": testmesh.Double(sheet),
		"closed and leaning": lean(testmesh.Union(sheet, testmesh.Flip(sheet))), "open and leaning": lean(sheet),
	} {
		t.Run(name, func(t *testing.T) {
			var near []r3.Vector
			rng := newRand(9)
			for range 200 {
				p := at(rng.Float64()*1.2-.1, rng.Float64()*1.2-.1, 0)
				near = append(near, p, at(p.X, p.Y, math.SmallestNonzeroFloat64), at(p.X, p.Y, -1e-300), at(p.X, p.Y, 1e-17))
			}
			n := 3000
			if !testmesh.Mesh(s).Closed() {
				n, near = 150, near[:20] // use few points, because the sum over 256 edges often needs arbitrary precision
			}
			checkHard(t, s, hardCase{points: n, rules: rules, near: near})
		})
	}
}

// The mesh has 300 spheres, which are scattered and overlap. Their sizes are from 1e-6 to 1.
func TestHardManySizes(t *testing.T) {
	t.Parallel()
	rng := newRand(10)
	sphere := testmesh.Soup(testmesh.Sphere(2))
	var s mesh.Soup
	var near []r3.Vector
	for i := range 300 {
		r := math.Pow(10, -6*rng.Float64())
		c := at(4*rng.Float64(), 4*rng.Float64(), 4*rng.Float64())
		one := testmesh.Translate(testmesh.Scale(sphere, r), c)
		if i%7 == 0 {
			one = testmesh.Flip(one)
		}
		s = testmesh.Union(s, one)
		for range 10 {
			near = append(near, c.Add(at(r*(3*rng.Float64()-1.5), r*(3*rng.Float64()-1.5), r*(3*rng.Float64()-1.5))))
		}
	}
	checkHard(t, s, hardCase{points: 3000, rules: rules, near: near})
}

// A dense sphere of radius 1e-4 or 1e-9 lies in a box of size 1.
func TestHardSmallInLarge(t *testing.T) {
	t.Parallel()
	for _, r := range []float64{1e-4, 1e-9} {
		c := at(.3, .4, .5)
		s := testmesh.Union(box(0, 1), testmesh.Translate(testmesh.Scale(testmesh.Soup(testmesh.Sphere(5)), r), c))
		var near []r3.Vector
		rng := newRand(11)
		for range 3000 {
			near = append(near, c.Add(at(r*(2.4*rng.Float64()-1.2), r*(2.4*rng.Float64()-1.2), r*(2.4*rng.Float64()-1.2))))
		}
		checkHard(t, s, hardCase{points: 2000, rules: rules, near: near})
	}
}

// Each face joins random points in the box. All edges are boundary edges.
func TestHardTangle(t *testing.T) {
	t.Parallel()
	checkHard(t, testmesh.Tangle(100, 2000, 12), hardCase{points: 100})
}

// The mesh has 5,000 long thin tetrahedra, which cross the box and overlap each other.
func TestHardSlivers(t *testing.T) {
	t.Parallel()
	rng := newRand(13)
	var parts []mesh.Soup
	for range 5000 {
		draw := func(scale float64) r3.Vector {
			return at(scale*rng.Float64(), scale*rng.Float64(), scale*rng.Float64())
		}
		a, b := draw(1), draw(1)
		parts = append(parts, testmesh.Simplex(a, a.Add(draw(1e-3)), b, b.Add(draw(1e-6))))
	}
	checkHard(t, testmesh.Union(parts...), hardCase{points: 1000})
}

// Some winding numbers do not fit in 8 or 16 bits. Other winding numbers become 0 if they are
// truncated to 8 or 16 bits. Refinement does not shorten the lists of the crossed cells.
func TestHardManyCopies(t *testing.T) {
	t.Parallel()
	corner := testmesh.Tetrahedron()
	copies := []int{129, 257}
	if full() {
		copies = []int{129, 257, 32_769, 65_537} // the large numbers take ten seconds of CPU time
	}
	for _, n := range copies {
		// The speck is small and lies where the winding number is large. The cells of the speck
		// have short lists.
		speck := testmesh.Translate(testmesh.Scale(corner, 0x1p-10), at(.125, .125, .125))
		s := testmesh.Union(testmesh.Copies(corner, n), testmesh.Flip(testmesh.Scale(corner, 4)), speck)
		inner := at(.25, .25, .125)
		near := []r3.Vector{inner, at(1, 1, 1), at(1, 1, .5), at(.5, .5, .5), at(.25, .5, .25), at(0, .25, .25), at(4, 4, 4),
			at(.1252, .1252, .1252), at(.125, .1252, .1252), at(.1249, .1252, .1252)}
		points := 100
		if n > 1000 {
			points = 10
		}
		w := checkHard(t, s, hardCase{points: points, rules: []side.Rule{side.NonZero, side.Negative}, near: near})
		var one cells.Scratch
		if v, bound := w.index[0].Winding(inner, &one); v != float64(n-1) || bound != 0 {
			t.Errorf("%d copies: W = %v ± %v, want %d", n, v, bound, n-1)
		}
		for k, want := range []side.Side{side.Inside, side.Outside} {
			if got := w.index[k].Side(inner, &one); got != want {
				t.Errorf("%d copies: %v: side %v of W = %d, want %v", n, w.rules[k], got, n-1, want)
			}
		}
	}
}

func TestHardSmallMeshes(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]mesh.Soup{
		"a tetrahedron": testmesh.Tetrahedron(),
		"empty":         {},
		"a triangle":    {Vertices: []r3.Vector{at(0, 0, 0), at(1, 0, 0), at(0, 1, 1)}, Faces: [][3]int32{{0, 1, 2}}},
		"a segment":     {Vertices: []r3.Vector{at(0, 0, 0), at(1, 2, 3)}, Faces: [][3]int32{{0, 1, 0}}},
		"a line":        {Vertices: []r3.Vector{at(0, 0, 0), at(1, 2, 3), at(2, 4, 6)}, Faces: [][3]int32{{0, 1, 2}}},
		"a point":       {Vertices: []r3.Vector{at(1, 2, 3)}, Faces: [][3]int32{{0, 0, 0}}},
		"the origin":    {Vertices: []r3.Vector{{}}, Faces: [][3]int32{{0, 0, 0}}},
		"two points":    {Vertices: []r3.Vector{at(1, 2, 3), at(-1e300, 0, 1e-300)}, Faces: [][3]int32{{0, 0, 0}, {1, 1, 1}}},
	} {
		t.Run(name, func(t *testing.T) { checkHard(t, s, hardCase{points: 1000, rules: rules}) })
	}
}

// Parts of the meshes nearly touch, or are copies of each other. Caps then lie in narrow gaps, coincide
// with faces, and count several times.
func TestHardGaps(t *testing.T) {
	t.Parallel()
	star := testmesh.Star(2, .5, 21)
	torn := func(s mesh.Soup, width float64) mesh.Soup {
		out := testmesh.Corners(s)
		rng := newRand(22)
		d := func() float64 { return width * (2*rng.Float64() - 1) }
		for i, v := range out.Vertices {
			out.Vertices[i] = v.Add(at(d(), d(), d()))
		}
		return out
	}
	cube := testmesh.UnitCube()
	long := mesh.Soup{Vertices: cube.Vertices, Faces: slices.Clone(cube.Faces)}
	for range 100 {
		long.Faces = append(long.Faces, cube.Faces[0], cube.Faces[1])
	}
	for name, s := range map[string]mesh.Soup{
		"gaps of 1e-7":      torn(star, 1e-7),
		"gaps of 1e-3":      torn(star, 1e-3),
		"gaps, three times": testmesh.Copies(torn(star, 1e-5), 3),
		"a side many times": long,
		"a hole, flipped":   testmesh.Copies(testmesh.Flip(testmesh.Without(star, 1, 2, 3)), 40),
	} {
		t.Run(name, func(t *testing.T) { checkHard(t, s, hardCase{points: 500, rules: rules}) })
	}
}

// The coordinates of the meshes lie at the ends of the range of float64, or extend over the whole
// range.
func TestHardScales(t *testing.T) {
	t.Parallel()
	const tiny = math.SmallestNonzeroFloat64
	star := testmesh.Star(2, .5, 14)
	for name, s := range map[string]mesh.Soup{
		"1e-300":               testmesh.Scale(star, 1e-300),
		"2^990":                testmesh.Scale(star, 0x1p990),
		"2^1000":               testmesh.Cube(at(-0x1p1000, -0x1p1000, -0x1p1000), at(0x1p1000, 0x1p1000, 0x1p1000)),
		"1e-310":               testmesh.Scale(star, 1e-310),
		"the smallest numbers": testmesh.Cube(r3.Vector{}, at(tiny, 2*tiny, 3*tiny)),
		"2^990 to 1e-300":      testmesh.Cube(r3.Vector{}, at(0x1p990, 1, 1e-300)),
		"2^990 with a hole":    testmesh.Without(testmesh.Cube(r3.Vector{}, at(0x1p990, 0x1p980, 0x1p970)), 3),
		"1e-300 beside 2^990":  testmesh.Union(testmesh.Scale(star, 1e-300), testmesh.Translate(testmesh.Scale(star, 0x1p980), at(0x1p990, 0, 0))),
		"open, 1e-300":         testmesh.Scale(testmesh.Hemisphere(1), 1e-300),
	} {
		t.Run(name, func(t *testing.T) { checkHard(t, s, hardCase{points: 60, rules: rules[:2]}) })
	}
}

// The star has size 64 and lies at 1e15, where coordinates are multiples of 1/8. Its faces collapse
// and cross. The points within the star lie on the lattice of its vertices.
func TestHardCoarse(t *testing.T) {
	t.Parallel()
	s := testmesh.Translate(testmesh.Scale(testmesh.Star(4, .5, 15), 32), at(1e15, -1e15, 1e15))
	var near []r3.Vector
	rng := newRand(16)
	for range 5000 {
		near = append(near, at(1e15, -1e15, 1e15).Add(at(float64(rng.IntN(600)-300)/8, float64(rng.IntN(600)-300)/8, float64(rng.IntN(600)-300)/8)))
	}
	checkHard(t, s, hardCase{points: 3000, rules: rules, near: near})
	// The size of this mesh is a few ulps, so its cells cannot be much smaller than its box.
	few := testmesh.Translate(testmesh.Scale(testmesh.Star(1, .5, 17), .25), at(1e15, -1e15, 1e15))
	checkHard(t, few, hardCase{points: 3000, rules: rules, near: near})
}

package cells_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// newCaster returns a Caster for m.
func newCaster(t fataler, m *mesh.Mesh, rule side.Rule) *raycross.Caster {
	t.Helper()
	x, err := m.Index(context.Background(), bvh.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := raycross.New(x, raycross.Options{Rule: rule})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// moves are ways to choose the vertices that move, and their new places.
var moves = []struct {
	name string
	all  bool // whether most bricks change
	move func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector
}{
	{"one vertex", false, func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector {
		return moveSome(m, rng, 1/float64(len(m.Vertices)), 0.2)
	}},
	{"a few vertices", false, func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector { return moveSome(m, rng, 0.05, 0.3) }},
	{"a vertex to a random place", false, func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector { return moveSome(m, rng, 1/float64(len(m.Vertices)), 2) }},
	{"all vertices a little", true, func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector { return moveSome(m, rng, 1, 1e-3) }},
	{"to other vertices", false, func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector {
		out := append([]r3.Vector(nil), m.Vertices...)
		i, j := rng.IntN(len(out)), rng.IntN(len(out))
		out[i] = r3.Vector{X: out[j].X, Y: out[i].Y, Z: out[j].Z} // often makes faces coplanar or flat
		return out
	}},
	{"a region", false, func(m *mesh.Mesh, rng *rand.Rand) []r3.Vector {
		out := append([]r3.Vector(nil), m.Vertices...)
		size := m.Box().Size()
		c, d := out[rng.IntN(len(out))], randomVector(rng).Mul(0.1*vec.MaxAbs(size))
		for i, p := range out {
			if vec.MaxAbs(p.Sub(c)) < 0.25*vec.MaxAbs(size) {
				out[i] = p.Add(d)
			}
		}
		return out
	}},
}

func randomVector(rng *rand.Rand) r3.Vector {
	return r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}
}

// moveSome moves each vertex with the given probability, by at most a share of the size of m. At least
// one vertex moves. Most new places are in the box of m.
func moveSome(m *mesh.Mesh, rng *rand.Rand, probability, share float64) []r3.Vector {
	out := append([]r3.Vector(nil), m.Vertices...)
	box := m.Box()
	most := share * vec.MaxAbs(box.Size())
	clamp := func(x, lo, hi float64) float64 { return max(lo, min(hi, x)) }
	first := rng.IntN(len(out))
	for i, p := range out {
		if i != first && rng.Float64() >= probability {
			continue
		}
		q := p.Add(randomVector(rng).Mul(most))
		if rng.IntN(20) > 0 {
			q = r3.Vector{X: clamp(q.X, box.Min.X, box.Max.X), Y: clamp(q.Y, box.Min.Y, box.Max.Y), Z: clamp(q.Z, box.Min.Z, box.Max.Z)}
		}
		out[i] = q
	}
	return out
}

// refitted counts the results of checkRefits.
type refitted struct {
	refits, shared int
	reasons        map[cells.RebuildReason]int
}

// check moves vertices several times. It compares each refitted index with rays and checks its
// invariants. The function options returns the options for building an index of a mesh.
func (r *refitted) check(t fataler, name string, m *mesh.Mesh, options func(m *mesh.Mesh) cells.Options, rng *rand.Rand, steps int) {
	t.Helper()
	ctx := context.Background()
	var opt cells.Options
	build := func(m *mesh.Mesh) *cells.Index {
		opt = options(m)
		caster := newCaster(t, m, opt.Rule)
		opt.Rays = func(context.Context) (*raycross.Caster, error) { return caster, nil }
		x, err := cells.New(ctx, m, opt)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := build(m)
	for step := range steps {
		how := moves[rng.IntN(len(moves))]
		if how.all && rng.IntN(4) > 0 {
			how = moves[0]
		}
		next, move, err := m.Moved(ctx, how.move(m, rng), 1)
		if err != nil {
			t.Fatalf("%s, step %d: %s: %v", name, step, how.name, err)
		}
		if err := next.Validate(); err != nil {
			t.Fatalf("%s, step %d: %s: %v", name, step, how.name, err)
		}
		if move.Welded {
			continue
		}
		caster := newCaster(t, next, opt.Rule)
		opt.Rays = func(context.Context) (*raycross.Caster, error) { return caster, nil }
		old, before := x.Shape(), m
		y, change, reason, err := x.Refit(ctx, next, move.Faces, opt)
		if err != nil {
			t.Fatalf("%s, step %d: %s: %v", name, step, how.name, err)
		}
		if x.Shape() != old {
			t.Fatalf("%s, step %d: %s: Refit has changed the old index", name, step, how.name)
		}
		m = next
		if reason != "" {
			r.reasons[reason]++
			if reason == cells.RebuildOpen {
				return
			}
			x = build(m)
			continue
		}
		r.refits++
		r.shared += change.Shared
		if err := y.Validate(ctx); err != nil {
			t.Fatalf("%s, step %d: %s: %v", name, step, how.name, err)
		}
		if rng.IntN(4) == 0 {
			if err := x.Validate(ctx); err != nil {
				t.Fatalf("%s, step %d: %s: the old index: %v", name, step, how.name, err)
			}
		}
		for _, p := range refitSpots(before, m, move.Faces, rng, 60) {
			var s cells.Scratch
			var rays raycross.Scratch
			if got, want := y.Side(p, &s), caster.Side(p, &rays); got != want {
				t.Fatalf("%s, step %d: %s: side of %s is %v, rays say %v", name, step, how.name, hex(p), got, want)
			}
			w, b := y.Winding(p, &s)
			if want, bound := caster.Winding(p, &rays); math.Abs(w-want) > b+bound {
				t.Fatalf("%s, step %d: %s: winding number of %s is %v, rays say %v", name, step, how.name, hex(p), w, want)
			}
		}
		x = y
	}
}

// refitSpots returns points near the moved faces, before and after the move, and other points.
func refitSpots(before, after *mesh.Mesh, moved []int32, rng *rand.Rand, n int) (out []r3.Vector) {
	box := after.Box().Union(before.Box())
	size := box.Size()
	for len(out) < n {
		out = append(out, box.Min.Add(r3.Vector{X: rng.Float64() * size.X, Y: rng.Float64() * size.Y, Z: rng.Float64() * size.Z}))
		if len(moved) == 0 {
			continue
		}
		f := moved[rng.IntN(len(moved))]
		for _, m := range []*mesh.Mesh{before, after} {
			tri := m.Triangle(f)
			a, b := rng.Float64(), rng.Float64()
			p := tri[0].Mul(a).Add(tri[1].Mul((1 - a) * b)).Add(tri[2].Mul((1 - a) * (1 - b)))
			out = append(out, tri[rng.IntN(3)], p, p.Add(randomVector(rng).Mul(1e-3*vec.MaxAbs(size))))
		}
	}
	return out
}

// Refitted indexes satisfy all invariants and agree with rays, for all cases of the catalog and for
// chains of random moves.
func TestRefit(t *testing.T) {
	r := refitted{reasons: map[cells.RebuildReason]int{}}
	solids := testmesh.Catalog()
	solids = append(solids,
		testmesh.Case{Name: "sphere", Soup: testmesh.Soup(testmesh.Sphere(4))},
		testmesh.Case{Name: "spheres", Soup: testmesh.Union(testmesh.Soup(testmesh.Sphere(3)), testmesh.Scale(testmesh.Soup(testmesh.Sphere(3)), 0.5))},
		testmesh.Case{Name: "double cone", Soup: testmesh.DoubleCone(100, 1)},
		testmesh.Case{Name: "whiskers", Soup: testmesh.Union(testmesh.Soup(testmesh.Sphere(3)), testmesh.Whiskers(12, 1))},
	)
	for i, tc := range solids {
		m := testmesh.Mesh(tc.Soup)
		if m.NumFaces() == 0 || vec.MaxAbs(m.Box().Size()) < 1e-200 {
			continue
		}
		for k, rule := range rules {
			if !full() && k != i%len(rules) {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			longList := 1 + rng.IntN(30)
			// The mesh grows in long chains of moves, so the size of the cells depends on the mesh for which they are built.
			options := func(m *mesh.Mesh) cells.Options {
				opt := cells.Options{Rule: rule, Workers: 1 + k%2}
				if m.NumFaces() > 50 {
					opt = opt.WithPlan(vec.MaxAbs(m.Box().Size())/float64(24+8*k), longList, [3]float64{.38, .29, .44})
				}
				return opt
			}
			r.check(t, fmt.Sprintf("%s, %v", tc.Name, rule), m, options, rng, rounds(4, 25)*(1+m.NumFaces()/500))
		}
	}
	t.Logf("%d refits share %d bricks; rebuilt: %v", r.refits, r.shared, r.reasons)
	if !testing.Short() && (r.refits < 20 || r.shared < 500 || r.reasons[cells.RebuildOpen] == 0 || r.reasons[cells.RebuildFrame] == 0 || r.reasons[cells.RebuildMost] == 0) {
		t.Errorf("%+v", r)
	}
}

// Targeted moves check parts of Refit that random moves rarely reach.
func TestRefitTargets(t *testing.T) {
	sphere := func(levels int, radius float64) mesh.Soup {
		return testmesh.Scale(testmesh.Soup(testmesh.Sphere(levels)), radius)
	}
	scale := func(first int, factor float64) func(m *mesh.Mesh, step int) []r3.Vector {
		return func(m *mesh.Mesh, step int) []r3.Vector {
			out := append([]r3.Vector(nil), m.Vertices...)
			for i := first; i < len(out); i++ {
				out[i] = out[i].Mul(factor)
			}
			return out
		}
	}
	one := func(m *mesh.Mesh, step int) []r3.Vector {
		out := append([]r3.Vector(nil), m.Vertices...)
		i := 17 * step % len(out)
		out[i] = out[i].Mul(0.99)
		return out
	}
	again := func(m *mesh.Mesh, step int) []r3.Vector {
		out := append([]r3.Vector(nil), m.Vertices...)
		out[5] = out[5].Mul(1 - 0.01/float64(1+step))
		return out
	}
	fine := testmesh.Mesh(testmesh.UnitCube())
	for range 3 {
		var err error
		if fine, err = fine.Refined(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	var layers mesh.Soup // four nested cubes, two cells apart
	for i := range 4 {
		inner := 1 - float64(i)/16
		cube := testmesh.Scale(testmesh.Soup(fine), inner)
		for k := range cube.Vertices {
			cube.Vertices[k] = cube.Vertices[k].Add(r3.Vector{X: (1 - inner) / 2, Y: (1 - inner) / 2, Z: (1 - inner) / 2})
		}
		layers = testmesh.Union(layers, cube)
	}
	for _, tc := range []struct {
		name  string
		soup  mesh.Soup
		cells float64 // number of cells along the longest edge of the box
		long  int
		steps int
		move  func(m *mesh.Mesh, step int) []r3.Vector
	}{
		// Bricks between the old and the new inner sphere meet no face, and their winding number changes.
		{"inner sphere grows", testmesh.Union(sphere(5, 3), sphere(3, .4)), 128, 19, 1, scale(len(sphere(5, 3).Vertices), 3.5)},
		{"inner sphere shrinks", testmesh.Union(sphere(5, 3), sphere(3, 1.4)), 128, 19, 1, scale(len(sphere(5, 3).Vertices), 0.3)},
		{"refined cells", sphere(6, 1), 16, 19, 6, one},
		{"four winding numbers in a brick", testmesh.Union(sphere(6, 1), sphere(5, .7), sphere(5, .4)), 16, 19, 6, one},
		// The moves of one vertex must not use more and more memory.
		{"one vertex again and again", sphere(5, 1), 64, 19, 60, again},
		// A vertex in the middle of a side moves to the middle of an edge, so faces lose their area.
		{"faces lose their area", testmesh.Soup(fine), 60, 19, 6, func(m *mesh.Mesh, step int) []r3.Vector {
			out := append([]r3.Vector(nil), m.Vertices...)
			face := m.Faces[40*step]
			out[face[0]] = out[face[1]].Mul(0.5).Add(out[face[2]].Mul(0.5))
			return out
		}},
		// Every second move makes the faces of the move before it large again.
		{"faces lose and gain area", testmesh.Soup(fine), 60, 19, 6, func(m *mesh.Mesh, step int) []r3.Vector {
			if step%2 == 1 {
				return fine.Vertices
			}
			out := append([]r3.Vector(nil), m.Vertices...)
			face := m.Faces[40*step]
			out[face[0]] = out[face[1]].Mul(0.5).Add(out[face[2]].Mul(0.5))
			return out
		}},
		// Each brick at a side has the winding numbers 1 to 4 in layers of one cell. Only two of them are in
		// the labels of the brick. The others are in records, and only they tell the numbers of layers in
		// the region.
		{"layers of one cell", layers, 64, 19, 6, func(m *mesh.Mesh, step int) []r3.Vector {
			out := append([]r3.Vector(nil), m.Vertices...)
			n := len(fine.Vertices)
			middle := r3.Vector{X: float64(step % 2), Y: 0.5, Z: 0.5} // of a side
			v := step%4*n + slices.Index(fine.Vertices, middle)
			out[v].X += 0x1p-9
			return out
		}},
	} {
		m := testmesh.Mesh(tc.soup)
		caster := newCaster(t, m, side.NonZero)
		opt := cells.Options{Workers: 1, Rays: func(context.Context) (*raycross.Caster, error) { return caster, nil }}
		opt = opt.WithPlan(vec.MaxAbs(m.Box().Size())/tc.cells, tc.long, [3]float64{.38, .29, .44})
		x, err := cells.New(t.Context(), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		first := x.Shape().Bytes
		for step := range tc.steps {
			next, move, err := m.Moved(t.Context(), tc.move(m, step), 1)
			if err != nil || move.Welded || move.Vertices == 0 {
				t.Fatalf("%s: %+v, %v", tc.name, move, err)
			}
			caster := newCaster(t, next, side.NonZero)
			opt.Rays = func(context.Context) (*raycross.Caster, error) { return caster, nil }
			y, _, reason, err := x.Refit(t.Context(), next, move.Faces, opt)
			if err != nil || reason != "" {
				t.Fatalf("%s, step %d: reason %q, %v", tc.name, step, reason, err)
			}
			if step == tc.steps-1 || full() {
				if err := y.Validate(t.Context()); err != nil {
					t.Fatalf("%s, step %d: %v", tc.name, step, err)
				}
			}
			for _, p := range refitSpots(m, next, move.Faces, rand.New(rand.NewPCG(uint64(step), 1)), 50) {
				var s cells.Scratch
				var rays raycross.Scratch
				if got, want := y.Side(p, &s), caster.Side(p, &rays); got != want {
					t.Fatalf("%s, step %d: side of %s is %v, rays say %v", tc.name, step, hex(p), got, want)
				}
			}
			x, m = y, next
		}
		if got := x.Shape().Bytes; 2*got > 3*first {
			t.Errorf("%s: the index has %d bytes, %d before all moves", tc.name, got, first)
		}
	}
}

// Refit takes no winding number from a brick in which rays answer.
func TestRefitBesideRays(t *testing.T) {
	m := testmesh.Sphere(4)
	opt := cells.Options{Workers: 1}.WithPlan(2.0/96, 19, [3]float64{.38, .29, .44})
	with := func(m *mesh.Mesh) cells.Options {
		caster := newCaster(t, m, side.NonZero)
		opt.Rays = func(context.Context) (*raycross.Caster, error) { return caster, nil }
		return opt
	}
	x, err := cells.New(t.Context(), m, with(m))
	if err != nil {
		t.Fatal(err)
	}
	if n := x.LetRaysAnswer(); n < 100 {
		t.Fatalf("%d bricks, want many", n)
	}
	to := slices.Clone(m.Vertices)
	to[7] = to[7].Mul(0.7)
	next, move, err := m.Moved(t.Context(), to, 1)
	if err != nil {
		t.Fatal(err)
	}
	y, _, reason, err := x.Refit(t.Context(), next, move.Faces, with(next))
	if err != nil || reason != "" {
		t.Fatalf("reason %q, %v", reason, err)
	}
	if err := y.ValidateAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	caster := newCaster(t, next, side.NonZero)
	var s cells.Scratch
	var rays raycross.Scratch
	for _, p := range refitSpots(m, next, move.Faces, rand.New(rand.NewPCG(3, 1)), 2000) {
		if got, want := y.Side(p, &s), caster.Side(p, &rays); got != want {
			t.Fatalf("side of %s is %v, rays say %v", hex(p), got, want)
		}
	}
}

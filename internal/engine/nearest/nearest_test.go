package nearest

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func searcher(t testing.TB, m *mesh.Mesh, opt bvh.Options) *Searcher {
	t.Helper()
	x, err := m.Index(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return New(x)
}

// brute computes the result of Closest from all faces, without a tree. Rational numbers decide between
// the faces that float64 does not separate.
func brute(m *mesh.Mesh, p r3.Vector) Result {
	var signs predicates.Counter
	low := make([]float64, m.NumFaces())
	most := math.Inf(1)
	for f := range low {
		tri := m.Triangle(int32(f))
		_, d, bound := closest(p, &tri, &signs)
		low[f], most = d-bound, min(most, d+bound)
	}
	best := noResult()
	var exact *big.Rat
	for f := range int32(len(low)) {
		if low[f] > most {
			continue
		}
		tri := m.Triangle(f)
		if d2 := exactDistance2(p, tri); exact == nil || d2.Cmp(exact) < 0 {
			exact = d2
			g, _, _ := closest(p, &tri, &signs)
			best.Face, best.Point = f, p.Add(g)
		}
	}
	if exact != nil {
		best.Distance = rootUp(exact)
		if best.Distance == 0 {
			best.Point = p
		}
	}
	return best
}

// same reports whether a and b are equal, bit for bit. NaN equals NaN.
func same(a, b Result) bool {
	bits := math.Float64bits
	return a.Face == b.Face && bits(a.Distance) == bits(b.Distance) &&
		bits(a.Point.X) == bits(b.Point.X) && bits(a.Point.Y) == bits(b.Point.Y) && bits(a.Point.Z) == bits(b.Point.Z)
}

// kinds returns meshes of different kinds for tests of the tree and of the kernel.
func kinds() map[string]mesh.Soup {
	sphere := testmesh.Soup(testmesh.Sphere(2))
	kinds := map[string]mesh.Soup{
		"sphere":     sphere,
		"far sphere": testmesh.Translate(testmesh.Scale(sphere, 0.01), r3.Vector{X: 1e6, Y: -1e6, Z: 1e6}),
		"huge":       testmesh.Scale(sphere, 0x1p900),
		"largest":    testmesh.Scale(sphere, mesh.MaxCoordinate),
		"small":      testmesh.Scale(sphere, 0x1p-1000),
		"subnormal":  testmesh.Scale(sphere, 0x1p-1070),
		"flat":       testmesh.Move(sphere, func(v r3.Vector) r3.Vector { return r3.Vector{X: v.X, Y: v.Y, Z: v.Z * 1e-9} }),
		"needles":    testmesh.Move(sphere, func(v r3.Vector) r3.Vector { return r3.Vector{X: v.X * 1e6, Y: v.Y, Z: v.Z * 1e-6} }),
		"mixed": testmesh.Union(testmesh.UnitCube(), testmesh.Scale(sphere, 0x1p-600), testmesh.Translate(
			testmesh.Scale(sphere, 1e-12), r3.Vector{X: 0.5, Y: 1, Z: 0.5})),
	}
	kinds["speck"], _ = speck(4.335431787512069e-81)
	kinds["plane"] = plane(5, 0)
	kinds["plane, tilted"] = testmesh.Move(plane(5, 1e-3), func(v r3.Vector) r3.Vector {
		return r3.Vector{X: v.X + v.Z, Y: v.Y - 0.3*v.Z, Z: v.Z + v.X/3}
	})
	for _, c := range testmesh.Catalog() {
		kinds[c.Name] = c.Soup
	}
	return kinds
}

// plane returns n² squares in the plane z = 0. Each square has two triangles for each of its
// diagonals, and a segment and a point as faces. The corners of the segment and of the point are the
// given distance above the plane.
func plane(n int, above float64) (soup mesh.Soup) {
	for i := range n {
		for j := range n {
			x, y, k := float64(i), float64(j), int32(len(soup.Vertices))
			soup.Vertices = append(soup.Vertices, r3.Vector{X: x, Y: y}, r3.Vector{X: x + 1, Y: y}, r3.Vector{X: x + 1, Y: y + 1}, r3.Vector{X: x, Y: y + 1},
				r3.Vector{X: x, Y: y + 0.5, Z: above}, r3.Vector{X: x + 1, Y: y + 0.5, Z: above}, r3.Vector{X: x + 0.5, Y: y + 0.5, Z: above})
			soup.Faces = append(soup.Faces, [][3]int32{{k, k + 1, k + 2}, {k, k + 2, k + 3}, {k, k + 1, k + 3}, {k + 1, k + 2, k + 3}, {k + 4, k + 5, k + 6}, {k + 6, k + 6, k + 6}}...)
		}
	}
	return soup
}

// speck returns a triangle of size e at the origin and three larger triangles around it. It also
// returns points between the small triangle and one of the larger triangles. Some points have
// almost the same distance from both triangles.
func speck(e float64) (mesh.Soup, []r3.Vector) {
	soup := mesh.Soup{
		Vertices: []r3.Vector{
			{}, {X: e}, {Y: e}, {X: -1, Y: -1, Z: -1}, {X: -1, Y: -1, Z: -0.99}, {X: -1, Y: -0.99, Z: -1},
			{X: 1, Y: 1, Z: 1}, {X: 1, Y: 1, Z: 0.99}, {X: 1, Y: 0.99, Z: 1},
			{X: -0.1, Y: -0.1, Z: -0.21}, {X: 0.1, Y: -0.1, Z: -0.21}, {Y: 0.1, Z: -0.21},
		},
		Faces: [][3]int32{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}},
	}
	return soup, []r3.Vector{{Z: -0.15}, {Z: -0.104}, {Z: -0.103}, {Z: -0.09}}
}

// pointNear returns a finite point: anywhere, near the mesh, or exactly on it.
func pointNear(r *rand.Rand, m *mesh.Mesh) r3.Vector {
	for {
		if p := anyPointNear(r, m); !math.IsInf(norm1(p.Mul(0.25)), 0) && !math.IsNaN(norm1(p)) {
			return p
		}
	}
}

func anyPointNear(r *rand.Rand, m *mesh.Mesh) r3.Vector {
	box := m.Box()
	half := box.Max.Mul(0.5).Sub(box.Min.Mul(0.5))
	middle := box.Min.Mul(0.5).Add(box.Max.Mul(0.5))
	u := cube(r)
	t := m.Triangle(int32(r.IntN(m.NumFaces())))
	switch r.IntN(6) {
	case 0:
		return t[r.IntN(3)]
	case 1:
		return t[0].Mul(0.5).Add(t[1].Mul(0.5))
	case 2:
		f := math.Exp2(-50 * r.Float64())
		return t[0].Mul(0.25).Add(t[1].Mul(0.25)).Add(t[2].Mul(0.5)).Add(r3.Vector{X: u.X * half.X * f, Y: u.Y * half.Y * f, Z: u.Z * half.Z * f})
	case 3:
		f := 0x1p-1 * math.Exp2(10*r.Float64())
		return middle.Add(r3.Vector{X: u.X * half.X, Y: u.Y * half.Y, Z: u.Z * half.Z}.Mul(f))
	case 4:
		return middle // equally far from all faces of a sphere
	}
	return middle.Add(r3.Vector{X: u.X * half.X, Y: u.Y * half.Y, Z: u.Z * half.Z})
}

func TestClosestEqualsBruteForce(t *testing.T) {
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(name)), 4))
			m := testmesh.Mesh(soup)
			if m.NumFaces() == 0 {
				return // TestClosestWithoutAnAnswer tests meshes without faces
			}
			s := searcher(t, m, bvh.Options{})
			leaves := searcher(t, m, bvh.Options{MaxLeaf: 7})
			var st Scratch
			for range rounds(30, 2000) {
				p := pointNear(r, m)
				want := brute(m, p)
				for _, s := range []*Searcher{s, leaves} {
					got := s.Closest(p, &st)
					if !same(got, want) {
						t.Fatalf("%v: got %+v, want %+v", p, got, want)
					}
					if zero := got.Distance == 0; zero && got.Point != p || !(ErrorBound(got.Distance) >= 0) || zero != (s.PointBound(got.Distance) == 0) {
						t.Fatalf("%v: inconsistent result %+v", p, got)
					}
					for _, tolerance := range []float64{0, want.Distance, math.Nextafter(want.Distance, -1), want.Distance / 2, 2 * want.Distance, math.Inf(1)} {
						if in := s.Within(p, tolerance, &st); in != (want.Distance <= tolerance) && tolerance >= 0 {
							t.Fatalf("%v: Within(%g) is %v at a distance of %g", p, tolerance, in, want.Distance)
						}
					}
				}
			}
		})
	}
}

// Scaling the mesh and the point by a power of two scales the result. The distance does not depend
// on the order of the faces.
func TestClosestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		soup := testmesh.Triangles(rapid.IntRange(1, 40).Draw(t, "faces"), rapid.Uint64().Draw(t, "seed"))
		exponent := rapid.IntRange(-200, 200).Draw(t, "exponent")
		coordinate := rapid.Float64Range(-3, 3)
		p := r3.Vector{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Z: coordinate.Draw(t, "z")}
		find := func(soup mesh.Soup, p r3.Vector) Result {
			m := testmesh.Mesh(soup)
			x, err := m.Index(context.Background(), bvh.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return New(x).Closest(p, new(Scratch))
		}
		want := find(soup, p)
		k := math.Ldexp(1, exponent)
		got := find(testmesh.Scale(soup, k), p.Mul(k))
		if p.Mul(k).Mul(1/k) == p && (got.Distance != want.Distance*k || got.Face != want.Face) {
			t.Fatalf("scaled by %g: got %+v, want %g at face %d", k, got, want.Distance*k, want.Face)
		}
		mirrored := find(testmesh.Scale(soup, -1), p.Mul(-1))
		if mirrored.Distance != want.Distance || mirrored.Face != want.Face {
			t.Fatalf("through the origin: got %+v, want %+v", mirrored, want)
		}
		for _, turn := range testmesh.Rotations() {
			turned := find(testmesh.Move(soup, turn), turn(p))
			if math.Abs(turned.Distance-want.Distance) > 1e-14*(want.Distance+8) {
				t.Fatalf("turned: got %+v, want %+v", turned, want)
			}
		}
		// Each face has a duplicate, and the result is the first copy.
		double := find(testmesh.Union(soup, soup), p)
		if double.Distance != want.Distance || double.Face != want.Face {
			t.Fatalf("doubled: got %+v, want %+v", double, want)
		}
	})
}

func TestClosestWithoutAnAnswer(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	empty := searcher(t, testmesh.Mesh(mesh.Soup{}), bvh.Options{})
	cube := searcher(t, testmesh.Mesh(testmesh.UnitCube()), bvh.Options{})
	var st Scratch
	for _, row := range []struct {
		name string
		s    *Searcher
		p    r3.Vector
	}{
		{"empty mesh", empty, r3.Vector{}},
		{"NaN", cube, r3.Vector{X: 0.5, Y: nan, Z: 0.5}},
		{"infinite", cube, r3.Vector{X: inf}},
		{"negative infinite", cube, r3.Vector{Z: -inf}},
	} {
		got := row.s.Closest(row.p, &st)
		if got.Face != -1 || !math.IsNaN(got.Distance) || !math.IsNaN(ErrorBound(got.Distance)) || !math.IsNaN(got.Point.X) {
			t.Errorf("%s: got %+v, want no answer", row.name, got)
		}
		if row.s.Within(row.p, inf, &st) {
			t.Errorf("%s: Within reports true for an infinite tolerance", row.name)
		}
	}
	for _, tolerance := range []float64{-1, nan, -inf} {
		if cube.Within(r3.Vector{}, tolerance, &st) {
			t.Errorf("Within reports true for tolerance %g", tolerance)
		}
	}
}

func TestClosestTo(t *testing.T) {
	m := testmesh.Sphere(4)
	s := searcher(t, m, bvh.Options{})
	r := rand.New(rand.NewPCG(1, 8))
	pts := make([]r3.Vector, 5000)
	want := make([]Result, len(pts))
	var st Scratch
	for i := range pts {
		pts[i] = pointNear(r, m)
		want[i] = s.Closest(pts[i], &st)
	}
	got := make([]Result, len(pts))
	for _, workers := range []int{0, 1, 2, 7} {
		clear(got)
		if err := s.ClosestTo(context.Background(), got, pts, workers); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !same(got[i], want[i]) {
				t.Fatalf("%d workers, point %d: got %+v, want %+v", workers, i, got[i], want[i])
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.ClosestTo(ctx, got, pts, 2); !errors.Is(err, context.Canceled) || got[len(got)-1].Face != -1 || !math.IsNaN(got[0].Distance) {
		t.Errorf("canceled batch: error %v, first result %+v", err, got[0])
	}
	defer func() {
		if recover() == nil {
			t.Error("got no panic for different lengths, want one")
		}
	}()
	_ = s.ClosestTo(context.Background(), got[1:], pts, 1)
}

func TestClosestDoesNotAllocate(t *testing.T) {
	m := testmesh.Sphere(4)
	s := searcher(t, m, bvh.Options{})
	r := rand.New(rand.NewPCG(2, 8))
	var st Scratch
	if n := testing.AllocsPerRun(500, func() {
		p := cube(r)
		s.Closest(p, &st)
		s.Within(p, 0.1, &st)
	}); n != 0 || st.Signs.Exact != 0 {
		t.Errorf("%v allocations, want 0; %d exact signs", n, st.Signs.Exact)
	}
	if st.Triangles == 0 || st.Nodes() == 0 {
		t.Errorf("%d triangles and %d nodes counted, want some of both", st.Triangles, st.Nodes())
	}
}

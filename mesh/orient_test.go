package mesh_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestFlipNegates flips all faces. The flip must negate the boundary chain and the volume. A second
// flip must restore the mesh.
func TestFlipNegates(t *testing.T) {
	for seed := range uint64(50) {
		m := testmesh.Mesh(testmesh.Tangle(12, 40, seed))
		all := make([]int32, m.NumFaces())
		for f := range all {
			all[f] = int32(f)
		}
		n := flipped(t, m, all)
		if err := n.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := slices.Clone(m.Boundary())
		for i := range want {
			want[i].Mult = -want[i].Mult
		}
		if !slices.Equal(n.Boundary(), want) {
			t.Errorf("seed %d: chain %v, want %v", seed, n.Boundary(), want)
		}
		d, e := diagnose(t, m), diagnose(t, n)
		if math.Abs(d.Volume+e.Volume) > d.VolumeError+e.VolumeError {
			t.Errorf("seed %d: volumes %v and %v", seed, d.Volume, e.Volume)
		}
		if twice := flipped(t, n, all); !slices.Equal(twice.Boundary(), m.Boundary()) {
			t.Errorf("seed %d: flipping twice changes the chain", seed)
		}
		if same := flipped(t, m, append(slices.Clone(all), all...)); !slices.Equal(same.Faces, m.Faces) {
			t.Errorf("seed %d: a face listed twice is not flipped twice", seed)
		}
	}
}

// TestOrientedRestores flips random faces of closed solids. It flips less than half of the faces of
// each solid. Oriented must restore the solids.
func TestOrientedRestores(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	solids := testmesh.Union(testmesh.Torus(2, 0.5, 12, 8), testmesh.Translate(testmesh.Flip(testmesh.UnitCube()), r3.Vector{X: 9}),
		testmesh.Translate(testmesh.Star(2, 0.5, 1), r3.Vector{Y: 9}), testmesh.Translate(testmesh.Hemisphere(2), r3.Vector{Z: 9}))
	want := testmesh.Mesh(solids)
	for range 50 {
		var flips []int32
		for _, b := range solids.Bodies {
			for _, k := range rng.Perm(int(b.Count))[:rng.IntN(int(b.Count+1)/2)] {
				flips = append(flips, b.First+int32(k))
			}
		}
		got, o, err := flipped(t, want, flips).Oriented(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(flips)
		if !slices.Equal(o.Flipped, flips) || !slices.Equal(got.Faces, want.Faces) {
			t.Fatalf("flipped %v, oriented back %v", flips, o.Flipped)
		}
		if o.Patches != 4 || len(o.NonOrientable) != 0 {
			t.Fatalf("%d patches, non-orientable %v; want 4, none", o.Patches, o.NonOrientable)
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOrientedProperties orients random soups. In the result, only non-orientable patches can have
// misoriented edges. Oriented must reverse at most half of the faces of each patch. A second call
// of Oriented must change nothing.
func TestOrientedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testmesh.Mesh(testmesh.Tangle(rapid.IntRange(4, 40).Draw(t, "points"), rapid.IntRange(1, 40).Draw(t, "faces"), rapid.Uint64().Draw(t, "seed")))
		got, o, err := m.Oriented(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		type key [2]int32
		sides := map[key][]int32{}
		same := map[key]int{}
		for f, c := range got.Faces {
			for k := range 3 {
				a, b := c[k], c[(k+1)%3]
				e := key{min(a, b), max(a, b)}
				sides[e] = append(sides[e], int32(f))
				if a < b {
					same[e]++
				}
			}
		}
		bad := map[int32]bool{}
		for e, faces := range sides {
			if len(faces) != 2 {
				continue
			}
			// Copies of a triangle with the same orientation do not belong together.
			if c, d := sorted(got.Faces[faces[0]]), sorted(got.Faces[faces[1]]); c == d && same[e] != 1 {
				continue
			}
			if o.Labels[faces[0]] != o.Labels[faces[1]] {
				t.Fatalf("faces %v share edge %v but not a patch", faces, e)
			}
			if same[e] != 1 {
				bad[o.Labels[faces[0]]] = true
			}
		}
		turned, size := map[int32]int{}, map[int32]int{}
		for f := range m.Faces {
			size[o.Labels[f]]++
			if got.Faces[f] != m.Faces[f] {
				turned[o.Labels[f]]++
			}
		}
		for l, n := range turned {
			if 2*n > size[l] {
				t.Fatalf("patch %d: %d of %d faces turned", l, n, size[l])
			}
		}
		for _, l := range o.NonOrientable {
			if !bad[l] || turned[l] > 0 {
				t.Fatalf("patch %d counts as non-orientable: misoriented %v, turned %d", l, bad[l], turned[l])
			}
			delete(bad, l)
		}
		if len(bad) > 0 {
			t.Fatalf("patches %v are misoriented", bad)
		}
		if again, p, err := got.Oriented(context.Background()); err != nil || len(p.Flipped) != 0 || again != got {
			t.Fatalf("orienting again flips %v", p.Flipped)
		}
	})
}

func sorted(t [3]int32) [3]int32 {
	slices.Sort(t[:])
	return t
}

// A doubled triangle or sheet is not a flipped one: if one of two copies were turned over, the
// copies would cancel.
func TestOrientedKeepsCopies(t *testing.T) {
	for name, soup := range map[string]mesh.Soup{
		"triangle": testmesh.Double(mesh.Soup{Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}}, Faces: [][3]int32{{0, 1, 2}}}),
		"bowl":     testmesh.Double(testmesh.Hemisphere(2)),
	} {
		m := testmesh.Mesh(soup)
		if got, o, err := m.Oriented(context.Background()); err != nil || got != m || m.MisorientedEdges() == 0 {
			t.Errorf("%s: flipped %v of %d faces, %d misoriented edges, error %v", name, o.Flipped, m.NumFaces(), m.MisorientedEdges(), err)
		}
	}
}

func TestOrientedMoebius(t *testing.T) {
	m := testmesh.Mesh(testmesh.Union(testmesh.Moebius(7), testmesh.Translate(testmesh.Flip(testmesh.UnitCube(), 3), r3.Vector{X: 5})))
	got, o, err := m.Oriented(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.NonOrientable, []int32{0}) || o.Patches != 2 {
		t.Errorf("non-orientable %v of %d patches, want [0] of 2", o.NonOrientable, o.Patches)
	}
	if want := []int32{14 + 3}; !slices.Equal(o.Flipped, want) {
		t.Errorf("flipped %v, want %v", o.Flipped, want)
	}
	if d := diagnose(t, got); d.MisorientedEdges != 1 {
		t.Errorf("%d misoriented edges left, want the one of the strip", d.MisorientedEdges)
	}
}

// TestExtract extracts parts of a mesh. It compares each part with a new mesh of the same
// triangles.
func TestExtract(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for seed := range uint64(100) {
		m := testmesh.Mesh(testmesh.WithDegenerate(testmesh.Tangle(15, 30, seed), 2, seed))
		faces := make([]int32, rng.IntN(40))
		var s mesh.Soup
		for i := range faces {
			faces[i] = int32(rng.IntN(m.NumFaces()))
			c := m.Triangle(faces[i])
			k := int32(3 * i)
			s.Vertices = append(s.Vertices, c[0], c[1], c[2])
			s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
		}
		got, want := extracted(t, m, faces), testmesh.Mesh(s)
		if err := got.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got.Vertices) != len(want.Vertices) || got.NumFaces() != len(faces) {
			t.Fatalf("seed %d: %d vertices, %d faces; want %d, %d", seed, len(got.Vertices), got.NumFaces(), len(want.Vertices), len(faces))
		}
		for i := range faces {
			if got.Triangle(int32(i)) != want.Triangle(int32(i)) {
				t.Fatalf("seed %d: face %d is %v, want %v", seed, i, got.Triangle(int32(i)), want.Triangle(int32(i)))
			}
		}
	}
}

func TestGatherAndBoxes(t *testing.T) {
	m := testmesh.Sphere(3)
	order := []int32{5, 0, 511, 5}
	got := make([]mesh.Triangle, len(order))
	if err := m.GatherTo(t.Context(), got, order, 0); err != nil {
		t.Fatal(err)
	}
	for i, c := range got {
		if c != m.Triangle(order[i]) {
			t.Errorf("GatherTo: place %d holds %v, want face %d", i, c, order[i])
		}
	}
	for f, b := range m.Boxes() {
		for _, p := range m.Triangle(int32(f)) {
			if !b.Contains(p) || !m.Box().Contains(p) {
				t.Errorf("box of face %d misses %v", f, p)
			}
		}
		if b.Min == b.Max {
			t.Errorf("box of face %d is empty", f)
		}
	}
}

func flipped(t testing.TB, m *mesh.Mesh, faces []int32) *mesh.Mesh {
	t.Helper()
	out, err := m.Flipped(t.Context(), faces)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func extracted(t testing.TB, m *mesh.Mesh, faces []int32) *mesh.Mesh {
	t.Helper()
	out, err := m.Extract(t.Context(), faces)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

package mesh_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// cut returns the faces of m with vertices of their own for a random half of the faces: those vertices
// differ by up to size in each coordinate.
func cut(m *mesh.Mesh, r *rand.Rand, size float64) mesh.Soup {
	s := testmesh.Soup(m)
	n := testmesh.Soup(m).Vertices
	second := map[int32]int32{}
	split := r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
	for f, t := range s.Faces {
		if n[t[0]].Add(n[t[1]]).Add(n[t[2]]).Dot(split) < 0 {
			continue
		}
		for k, v := range t {
			w, ok := second[v]
			if !ok {
				w = int32(len(s.Vertices))
				second[v] = w
				d := r3.Vector{X: r.Float64() - .5, Y: r.Float64() - .5, Z: r.Float64() - .5}
				s.Vertices = append(s.Vertices, n[v].Add(d.Mul(2*size)))
			}
			s.Faces[f][k] = w
		}
	}
	return s
}

func weld(t interface{ Fatal(...any) }, m *mesh.Mesh, tolerance float64) (*mesh.Mesh, mesh.Welding) {
	w, done, err := m.Welded(context.Background(), tolerance, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w, done
}

// TestWeldedSeams cuts closed meshes and welds the cut.
func TestWeldedSeams(t *testing.T) {
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		d := diagnose(t, m)
		if !d.Watertight || d.ShortestEdge < 1e-3*d.Size {
			continue
		}
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 1))
			seam := testmesh.Mesh(cut(m, r, 1e-9*d.Size))
			if seam.Closed() {
				continue // the plane has all faces on one side
			}
			welded, done := weld(t, seam, 1e-6*d.Size)
			after := diagnose(t, welded)
			if !after.Watertight || after.Vertices != d.Vertices || after.Faces != d.Faces || after.Collapsed != 0 {
				t.Errorf("%s, seed %d: %d edges open, %d vertices, want a closed mesh with %d", c.Name, seed, after.ChainEdges, after.Vertices, d.Vertices)
			}
			if want := len(seam.Vertices) - len(m.Vertices); done.Joined != want || !(done.Farthest > 0 && done.Farthest <= 4e-9*d.Size) {
				t.Errorf("%s, seed %d: %+v, want %d joined", c.Name, seed, done, want)
			}
		}
	}
}

// TestWeldedKeeps tests that a mesh without unmatched edges and one without near vertices do not change.
func TestWeldedKeeps(t *testing.T) {
	sphere := testmesh.Sphere(2)
	if m, done := weld(t, sphere, 10); m != sphere || done.Joined != 0 {
		t.Errorf("a closed mesh changed: %+v", done)
	}
	open := testmesh.Mesh(testmesh.Hemisphere(2))
	for _, tolerance := range []float64{0, 5e-324, 1e-300, 1e-9} {
		if m, done := weld(t, open, tolerance); m != open || done != (mesh.Welding{Tolerance: tolerance}) {
			t.Errorf("tolerance %g: %+v", tolerance, done)
		}
	}
	if m, done := weld(t, open, math.MaxFloat64); len(m.Vertices) >= len(open.Vertices) || done.Collapsed == 0 {
		t.Errorf("the largest tolerance: %+v", done)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, _, err := open.Welded(context.Background(), bad, 1); err == nil {
			t.Errorf("tolerance %g: no error", bad)
		}
	}
}

// TestWeldedTwin compares Welded with the definition, in rational arithmetic, for triangles whose corners
// are in clusters on a lattice, so many distances are equal.
func TestWeldedTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Ldexp(1, rapid.SampledFrom([]int{0, 0, 40, -40, -1000, 940}).Draw(t, "scale"))
		offset := rapid.SampledFrom([]float64{0, 1, 1 << 40, 1 << 52}).Draw(t, "offset")
		coordinate := rapid.Custom(func(t *rapid.T) float64 {
			return (offset + float64(rapid.IntRange(-4, 4).Draw(t, "k"))) * scale
		})
		s := mesh.Soup{}
		for range rapid.IntRange(1, 12).Draw(t, "faces") {
			n := int32(len(s.Vertices))
			for range 3 {
				s.Vertices = append(s.Vertices, r3.Vector{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Z: coordinate.Draw(t, "z")})
			}
			s.Faces = append(s.Faces, [3]int32{n, n + 1, n + 2})
		}
		for f := 0; f+1 < len(s.Faces); f += 3 { // polygons of two triangles
			s.Polygons = append(s.Polygons, mesh.Polygon{First: int32(f), Count: 2})
		}
		m := testmesh.Mesh(s)
		tolerance := rapid.SampledFrom([]float64{.5, 1, math.Sqrt2, math.Nextafter(math.Sqrt2, 2), math.Sqrt(3), 2, 3, 7, 100}).Draw(t, "tolerance") * scale
		welded, done := weld(t, m, tolerance)
		if err := welded.Validate(); err != nil {
			t.Fatal(err)
		}
		if again, _ := weld(t, welded, tolerance); again != welded {
			t.Fatal("the second welding joins more vertices")
		}
		want := weldTwin(m, tolerance)
		joined, collapsed := 0, 0
		for v, to := range want {
			if int(to) != v {
				joined++
			}
		}
		for f, face := range m.Faces {
			var p, q [3]r3.Vector
			for k, v := range face {
				p[k], q[k] = m.Vertices[want[v]], welded.Vertices[welded.Faces[f][k]]
			}
			if p != q {
				t.Fatalf("face %d: %v, want %v", f, q, p)
			}
			if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) && face[0] != face[1] && face[1] != face[2] && face[2] != face[0] {
				collapsed++
			}
		}
		if done.Joined != joined || done.Collapsed != collapsed || len(welded.Vertices) != len(m.Vertices)-joined {
			t.Fatalf("%+v, want %d joined and %d collapsed", done, joined, collapsed)
		}
		if done.Farthest > tolerance*(1+1e-15) {
			t.Fatalf("a vertex moved by %g, beyond the tolerance %g", done.Farthest, tolerance)
		}
	})
}

// weldTwin returns for each vertex of m the vertex that it joins, or itself, by the definition.
func weldTwin(m *mesh.Mesh, tolerance float64) []int32 {
	odd := map[[2]int32]bool{}
	for _, t := range m.Faces {
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			continue
		}
		for k := range t {
			a, b := t[k], t[(k+1)%3]
			odd[[2]int32{min(a, b), max(a, b)}] = !odd[[2]int32{min(a, b), max(a, b)}]
		}
	}
	candidate := make([]bool, len(m.Vertices))
	for e, unmatched := range odd {
		if unmatched {
			candidate[e[0]], candidate[e[1]] = true, true
		}
	}
	limit := new(big.Rat).SetFloat64(tolerance)
	limit.Mul(limit, limit)
	to := make([]int32, len(m.Vertices))
	for v := range to {
		to[v] = int32(v)
		var best *big.Rat
		for w := 0; candidate[v] && w < v; w++ {
			if !candidate[w] || to[w] != int32(w) {
				continue
			}
			d := new(big.Rat)
			p, q := m.Vertices[v], m.Vertices[w]
			for _, c := range [3][2]float64{{p.X, q.X}, {p.Y, q.Y}, {p.Z, q.Z}} {
				x := new(big.Rat).SetFloat64(c[0])
				x.Sub(x, new(big.Rat).SetFloat64(c[1]))
				d.Add(d, x.Mul(x, x))
			}
			if d.Cmp(limit) <= 0 && (best == nil || d.Cmp(best) < 0) {
				best, to[v] = d, int32(w)
			}
		}
	}
	return to
}

// TestWeldTolerance compares Diagnosis.WeldTolerance with all distances of vertices.
func TestWeldTolerance(t *testing.T) {
	sphere := testmesh.Sphere(1)
	size := diagnose(t, sphere).Size
	found := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := cut(sphere, r, size*math.Pow(10, -6-8*r.Float64()))
		if seed%4 == 0 { // a hole besides the cut
			s.Faces = s.Faces[:len(s.Faces)-1]
		}
		m := testmesh.Mesh(s)
		got := diagnose(t, m).WeldTolerance
		least := 0.0
		if !m.Closed() {
			for _, d := range distances(m, 1.01e-6*size) {
				if w, _ := weld(t, m, d); w.Closed() {
					least = d
					break
				}
			}
		}
		limit := 1e-6 * diagnose(t, m).Size
		if least > limit {
			least = 0
		}
		if (got == 0) != (least == 0) || got < least || got > least*1.1 || got > limit {
			t.Errorf("seed %d: tolerance %g, want %g rounded up", seed, got, least)
		}
		if got > 0 {
			found++
			if w, _ := weld(t, m, got); !w.Closed() {
				t.Errorf("seed %d: the tolerance %g does not close the mesh", seed, got)
			}
			if text := fmt.Sprintf("%.1e", got); fmt.Sprintf("%.17g", got) != fmt.Sprintf("%.17g", parse(t, text)) && got < limit*.9 {
				t.Errorf("seed %d: the tolerance %g has more than two digits", seed, got)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d meshes have a tolerance", found)
	}
}

func parse(t *testing.T, text string) (x float64) {
	if _, err := fmt.Sscan(text, &x); err != nil {
		t.Fatal(err)
	}
	return x
}

// distances returns the distances of pairs of vertices up to a limit, rounded up, in ascending order.
func distances(m *mesh.Mesh, limit float64) (list []float64) {
	for i, p := range m.Vertices {
		for _, q := range m.Vertices[:i] {
			if d := p.Distance(q) * (1 + 1e-15); d <= limit {
				list = append(list, d)
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestWeldedClusters has many vertices within the tolerance of each other, and one far vertex.
func TestWeldedClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := mesh.Soup{Vertices: []r3.Vector{{X: 1e300}, {Y: 1}, {Z: 1}}, Faces: [][3]int32{{0, 1, 2}}}
	for range 10_000 {
		n := int32(len(s.Vertices))
		for range 3 {
			s.Vertices = append(s.Vertices, r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()})
		}
		s.Faces = append(s.Faces, [3]int32{n, n + 1, n + 2})
	}
	m := testmesh.Mesh(s)
	for _, tolerance := range []float64{1e-9, 1e-3, .1, 2, 1e290} {
		w, done := weld(t, m, tolerance)
		if len(w.Vertices)+done.Joined != len(m.Vertices) {
			t.Errorf("tolerance %g: %d vertices and %d joined of %d", tolerance, len(w.Vertices), done.Joined, len(m.Vertices))
		}
	}
	diagnose(t, m)
}

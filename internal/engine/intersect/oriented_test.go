package intersect

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/oriented"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// Slivers that do not meet have no pairs. The number of pairs of faces that are compared grows as n log n, not as n².
func TestSlivers(t *testing.T) {
	compared := func(n int) (counts []int64, names []string) {
		for _, s := range testmesh.Slivers(n) {
			m := testmesh.Mesh(s.Soup)
			x, err := m.Index(t.Context(), bvh.Options{})
			if err != nil {
				t.Fatal(err)
			}
			search := search{x: x, waste: -1}
			r, err := search.find(t.Context(), Options{Limit: 3})
			if err != nil {
				t.Fatal(err)
			}
			if r.Total() != 0 {
				t.Errorf("%s of %d faces: %+v", s.Name, n, r)
			}
			counts, names = append(counts, search.wasted.Load()), append(names, s.Name)
		}
		return counts, names
	}
	small, names := compared(1000)
	large, _ := compared(8000)
	for i, name := range names {
		if growth := float64(large[i]) / float64(small[i]); growth > 8*1.5 {
			t.Errorf("%s: 8 times the faces, %.1f times the pairs: %d, %d", name, growth, small[i], large[i])
		}
		t.Logf("%s: %.1f, %.1f pairs a face", name, float64(small[i])/1000, float64(large[i])/8000)
	}
}

// The search changes to oriented boxes when it should, and only then.
func TestChange(t *testing.T) {
	changes := func(s mesh.Soup) bool {
		x, err := testmesh.Mesh(s).Index(t.Context(), bvh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		search := search{x: x, waste: wastePerFace * int64(len(s.Faces))}
		if _, err := search.find(t.Context(), Options{}); err != nil {
			t.Fatal(err)
		}
		return search.oriented != nil
	}
	for _, s := range testmesh.Slivers(4000) {
		if want := s.Name == "rod-diagonal" || s.Name == "lens"; want && !changes(s.Soup) {
			t.Errorf("%s is searched with boxes along the axes", s.Name)
		}
	}
	if changes(testmesh.Torus(3, 1, 80, 40)) {
		t.Error("a torus is searched with oriented boxes")
	}
}

// Slivers that meet: each mesh is moved a little and joined with itself, so that long faces cross, touch and overlap.
func TestCrossingSlivers(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 1))
	total := int64(0)
	for _, s := range testmesh.Slivers(100) {
		for _, shift := range []r3.Vector{{}, {X: .25}, {Z: 3}, {X: 1e-9, Y: -1e-12}, {X: r.NormFloat64(), Y: r.NormFloat64(), Z: 9 * r.NormFloat64()}} {
			both := testmesh.Union(s.Soup, testmesh.Translate(s.Soup, shift))
			scale := []float64{1, 1, 1, 0x1p-900, 0x1p900}[r.IntN(5)]
			found := findBoth(t, testmesh.Mesh(testmesh.Scale(both, scale)), Options{Limit: 50, Faces: true})
			total += found.Total()
		}
	}
	if total < 10_000 {
		t.Errorf("%d pairs", total)
	}
}

// No test of boxes, cones or faces separates what has a common point.
func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 2))
	point := func(size float64) r3.Vector {
		return r3.Vector{X: r.NormFloat64() * size, Y: r.NormFloat64() * size * math.Pow(10, -6*r.Float64()), Z: r.NormFloat64() * size}
	}
	apart := 0
	for range 5000 {
		size := math.Pow(10, 4*r.Float64()-2)
		offset := point(math.Pow(10, 9*r.Float64()))
		var tris [2][]mesh.Triangle
		for k := range tris {
			d := point(size).Mul(r.Float64() * 3)
			for range 1 + r.IntN(3) {
				tris[k] = append(tris[k], mesh.Triangle{offset.Add(d).Add(point(size)), offset.Add(d).Add(point(size)), offset.Add(d).Add(point(size))})
			}
		}
		if r.IntN(3) == 0 { // a common corner, with the others on two sides of it
			tris[1][0][0] = tris[0][0][0]
		}
		var boxes [2]oriented.Box
		for k := range boxes {
			boxes[k] = boxAround(t, tris[k])
			for _, tri := range tris[k] {
				for _, p := range tri {
					if !contains(&boxes[k], p) {
						t.Fatalf("the box %+v does not contain %v", boxes[k], p)
					}
				}
			}
		}
		meet := slices.ContainsFunc(tris[0], func(a mesh.Triangle) bool {
			return slices.ContainsFunc(tris[1], func(b mesh.Triangle) bool {
				return len(common(ratTriangle(a), ratTriangle(b))) > 0
			})
		})
		separated := boxes[0].Apart(&boxes[1]) || boxes[1].Apart(&boxes[0])
		for _, a := range tris[0] {
			f := oriented.Face{Corners: &a}
			if len(tris[0]) == 1 && f.Apart(&boxes[1]) {
				separated = true
			}
		}
		if separated {
			apart++
			if meet {
				t.Fatalf("%v and %v meet, but are separated", tris[0], tris[1])
			}
		}
	}
	if apart < 300 {
		t.Errorf("%d pairs are separated", apart)
	}
}

// All edges of these faces are parallel up to rounding, so what remains of them across the first axis is noise. g meets
// one of the faces.
func TestParallelEdges(t *testing.T) {
	const e = 0x1p-50
	tris := []mesh.Triangle{
		{{X: 5.125 + e, Y: 5.125, Z: 5.125}, {X: 6.0625, Y: 6.0625, Z: 6.0625}, {X: 5.0625 + e, Y: 5.0625, Z: 5.0625}},
		{{X: 4.875 + e, Y: 5.1875, Z: 5.53125}, {X: 5.8125, Y: 6.125, Z: 6.46875}, {X: 4.8125 + e, Y: 5.125, Z: 5.46875}},
		{{X: 5.296875 + e, Y: 4.9375, Z: 5.109375}, {X: 6.234375, Y: 5.875, Z: 6.046875}, {X: 5.234375 + e, Y: 4.875, Z: 5.046875}},
		{{X: 5.078125 + e, Y: 5.234375, Z: 5.171875}, {X: 6.015625, Y: 6.171875, Z: 6.109375}, {X: 5.015625 + e, Y: 5.171875, Z: 5.109375}},
	}
	g := mesh.Triangle{
		{X: 63.796149701997130, Y: -1.0622457415478581, Z: -6.583587491105006},
		{X: 5.0881876408395526, Y: 4.7121540976251879, Z: 5.1677529057620850},
		{X: 5.0880788300152195, Y: 5.0681955761987412, Z: 4.9854490284161450},
	}
	if len(common(ratTriangle(g), ratTriangle(tris[2]))) == 0 {
		t.Fatal("the faces do not meet")
	}
	box, single := boxAround(t, tris), boxAround(t, []mesh.Triangle{g})
	if f := (oriented.Face{Corners: &g}); f.Apart(&box) || box.Apart(&single) || single.Apart(&box) {
		t.Error("faces that meet are separated")
	}
}

// boxAround returns the box of at most four faces, and checks its axes.
func boxAround(t *testing.T, tris []mesh.Triangle) oriented.Box {
	t.Helper()
	corners := make([][3]int32, len(tris))
	for i := range int32(len(tris)) {
		corners[i] = [3]int32{3 * i, 3*i + 1, 3*i + 2}
	}
	tree, err := oriented.New(t.Context(), tris, corners, 3*len(tris))
	if err != nil {
		t.Fatal(err)
	}
	box := tree.Nodes[0].Box
	for i, a := range box.Axis {
		for j, b := range box.Axis {
			if want := map[bool]float64{true: 1}[i == j]; math.Abs(a.Dot(b)-want) > 0x1p-48 {
				t.Fatalf("axes %d and %d have the product %v", i, j, a.Dot(b))
			}
		}
	}
	return box
}

// contains reports whether the box contains p, with rational numbers.
func contains(b *oriented.Box, p r3.Vector) bool {
	d := toRat(p).minus(toRat(b.Center))
	for j, axis := range b.Axis {
		x := toRat(axis).dot(d)
		if x.Abs(x).Cmp(toRat(r3.Vector{X: b.Half[j]})[0]) > 0 {
			return false
		}
	}
	return true
}

// A search that some workers give up as hopeless, while the last one finds enough pairs, is incomplete.
func TestHopelessAndEnough(t *testing.T) {
	x, err := testmesh.Mesh(testmesh.Triangles(300, 1)).Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := search{x: x, waste: math.MaxInt64}
	s.hopeless.Store(true)
	s.stop = 1
	s.found.Store(1)
	r, err := s.merge(t.Context(), make([]worker, 2), 1)
	if err != nil || !r.Incomplete {
		t.Errorf("error %v, incomplete %v", err, r.Incomplete)
	}
}

// Faces without area that overlap in boxes do not make the search quadratic.
func TestManyDegenerate(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 4))
	var soup mesh.Soup
	for i := range int32(3000) {
		o, a := r3.Vector{X: r.Float64(), Y: r.Float64()}, 40+20*r.Float64()
		soup.Vertices = append(soup.Vertices, o, o.Add(r3.Vector{X: a, Y: a, Z: a}), o.Add(r3.Vector{X: a, Y: a, Z: a}))
		soup.Faces = append(soup.Faces, [3]int32{3 * i, 3*i + 1, 3*i + 2})
	}
	x, err := testmesh.Mesh(soup).Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := search{x: x, waste: wastePerFace * int64(len(soup.Faces))}
	found, err := s.find(t.Context(), Options{})
	if err != nil || found.Total() != 0 || s.oriented == nil {
		t.Errorf("%d pairs, error %v, with oriented boxes: %v", found.Total(), err, s.oriented != nil)
	}
}

// A search that ends while it builds the oriented tree returns the error of its context.
func TestOrientedCanceled(t *testing.T) {
	m := testmesh.Mesh(testmesh.Slivers(2000)[0].Soup)
	x, err := m.Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := search{x: x}
	if err := s.gather(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := oriented.New(ctx, x.Triangles(), s.faces, len(m.Vertices)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

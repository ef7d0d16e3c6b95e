package mesh_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// bulged returns a cube whose edge from vertex 0 to vertex 1 has a further vertex 8. Both squares at
// this edge have five corners, and both are divided along the diagonal from 0 to 1.
func bulged(middle r3.Vector) mesh.Soup {
	var s mesh.Soup
	for i := range 8 {
		s.Vertices = append(s.Vertices, r3.Vector{X: float64(i & 1), Y: float64(i >> 1 & 1), Z: float64(i >> 2)})
	}
	s.Vertices = append(s.Vertices, middle)
	for _, polygon := range [][]int32{
		{0, 8, 1, 5, 4}, {1, 8, 0, 2, 3}, // both fans begin with the corner at vertex 8
		{4, 5, 7, 6}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5},
	} {
		s.Polygons = append(s.Polygons, mesh.Polygon{First: int32(len(s.Faces)), Count: int32(len(polygon) - 2)})
		for k := 2; k < len(polygon); k++ {
			s.Faces = append(s.Faces, [3]int32{polygon[0], polygon[k-1], polygon[k]})
		}
	}
	return s
}

func TestPolygonDiagonals(t *testing.T) {
	for name, middle := range map[string]r3.Vector{
		"on the edge": {X: .5}, "beside the edge": {X: .5, Y: -1e-9, Z: -1e-9}, "bulged": {X: .5, Y: -.25, Z: -.25},
	} {
		s := bulged(middle)
		d := diagnosed(t, testmesh.Mesh(s))
		if !d.Watertight || d.NonManifoldEdges != 0 || d.DuplicateFaces != 0 || d.ZeroArea != 0 || len(d.ZeroAreaFaces) != 0 ||
			d.Edges != 3*len(s.Faces)/2 || !d.Components[0].Watertight {
			t.Errorf("%s: %+v", name, d)
		}
		all, err := testmesh.Mesh(s).Defects(context.Background())
		if err != nil || len(all.NonManifold)+len(all.Duplicates)+len(all.ZeroArea)+len(all.Open) != 0 {
			t.Errorf("%s: defects %+v, error %v", name, all, err)
		}
		// Without the polygons, the same triangles have defects.
		s.Polygons = nil
		d = diagnosed(t, testmesh.Mesh(s))
		if d.Watertight || d.NonManifoldEdges != 1 || d.DuplicateFaces != 1 || d.OppositeFaces != 1 || (d.ZeroArea == 2) != (name == "on the edge") {
			t.Errorf("%s, triangles: %+v", name, d)
		}
	}
}

// Real defects stay defects in polygons.
func TestPolygonDefects(t *testing.T) {
	for _, c := range []struct {
		name                             string
		again                            []int32 // polygon to add
		duplicates, opposite, zero, many int
	}{
		{"a polygon twice", []int32{4, 5, 7, 6}, 2, 0, 0, 4},
		{"a polygon twice, divided differently", []int32{5, 7, 6, 4}, 0, 0, 0, 4},
		{"a polygon turned over", []int32{4, 6, 7, 5}, 2, 2, 0, 4},
		{"a triangle of a polygon", []int32{4, 5, 7}, 1, 0, 0, 2},
		{"a flat polygon", []int32{0, 8, 1, 8}, 0, 0, 2, 0}, // each of its edges cancels itself
	} {
		s := bulged(r3.Vector{X: .5})
		s.Polygons = append(s.Polygons, mesh.Polygon{First: int32(len(s.Faces)), Count: int32(len(c.again) - 2)})
		for k := 2; k < len(c.again); k++ {
			s.Faces = append(s.Faces, [3]int32{c.again[0], c.again[k-1], c.again[k]})
		}
		d := diagnosed(t, testmesh.Mesh(s))
		if d.DuplicateFaces != c.duplicates || d.OppositeFaces != c.opposite || d.ZeroArea != c.zero || d.NonManifoldEdges != c.many || d.Watertight != (c.many == 0) {
			t.Errorf("%s: %d duplicate, %d opposite, %d of zero area, %d non-manifold, watertight %v; want %+v",
				c.name, d.DuplicateFaces, d.OppositeFaces, d.ZeroArea, d.NonManifoldEdges, d.Watertight, c)
		}
	}
}

func TestPolygonsOutOfRange(t *testing.T) {
	for _, polygons := range [][]mesh.Polygon{
		{{First: -1, Count: 2}}, {{First: 0, Count: 0}}, {{First: 11, Count: 2}}, {{First: 0, Count: 2}, {First: 1, Count: 2}}, {{First: 1, Count: 1<<31 - 1}},
	} {
		s := testmesh.UnitCube()
		s.Polygons = polygons
		if _, err := mesh.New(context.Background(), s, mesh.Options{}); !errors.Is(err, mesh.ErrIndex) {
			t.Errorf("%v: error %v, want ErrIndex", polygons, err)
		}
	}
}

// Derived meshes keep the polygons.
func TestPolygonsDerived(t *testing.T) {
	m := testmesh.Mesh(bulged(r3.Vector{X: .5, Y: -1e-9, Z: -1e-9}))
	var faces []int32
	for f := range m.Faces {
		faces = append(faces, int32(f))
	}
	refined, err := m.Refined(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	extracted, err := m.Extract(context.Background(), faces)
	if err != nil {
		t.Fatal(err)
	}
	flipped, err := m.Flipped(context.Background(), faces)
	if err != nil {
		t.Fatal(err)
	}
	reversed := slices.Clone(faces)
	slices.Reverse(reversed)
	turned, err := m.Extract(context.Background(), reversed)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    *mesh.Mesh
		want bool
	}{"refined": {refined, true}, "extracted": {extracted, true}, "flipped": {flipped, true}, "in reverse order, which divides polygons": {turned, false}} {
		if d := diagnosed(t, c.m); d.Watertight != c.want {
			t.Errorf("%s: watertight %v, %d non-manifold edges", name, d.Watertight, d.NonManifoldEdges)
		}
	}
	if !m.ByDivision(0, 1) || !m.ByDivision(0, 3) || m.ByDivision(1, 4) {
		t.Errorf("ByDivision: %v, %v, %v; want true, true, false", m.ByDivision(0, 1), m.ByDivision(0, 3), m.ByDivision(1, 4))
	}
}

func diagnosed(t *testing.T, m *mesh.Mesh) mesh.Diagnosis {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	d, err := m.Diagnose(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPolygonsRandom divides random faces into polygons and validates the mesh.
func TestPolygonsRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var s mesh.Soup
		for range 4 + r.IntN(5) {
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(r.IntN(3)), Y: float64(r.IntN(3)), Z: float64(r.IntN(3))})
		}
		for range 1 + r.IntN(12) {
			n := 1 + r.IntN(4)
			s.Polygons = append(s.Polygons, mesh.Polygon{First: int32(len(s.Faces)), Count: int32(n)})
			for range n {
				pick := func() int32 { return int32(r.IntN(len(s.Vertices))) }
				s.Faces = append(s.Faces, [3]int32{pick(), pick(), pick()})
			}
			if r.IntN(2) == 0 { // triangles of the file
				s.Polygons = s.Polygons[:len(s.Polygons)-1]
			}
		}
		d := diagnosed(t, testmesh.Mesh(s))
		if edges := d.BoundaryEdges + d.NonManifoldEdges + d.MisorientedEdges; d.Watertight != (d.Triangles > 0 && edges == 0) {
			t.Errorf("seed %d: watertight %v with %d edges that are not", seed, d.Watertight, edges)
		}
	}
}

package mesh_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestIndex checks the result of Index for several numbers of workers. The tree must equal a tree
// over the result of Boxes. The triangles must be the faces in leaf order.
func TestIndex(t *testing.T) {
	// This mesh has collapsed faces and faces of zero area.
	crowd := testmesh.Mesh(testmesh.WithDegenerate(testmesh.Tangle(200, 3000, 1), 40, 2))
	sphere := testmesh.Sphere(5)
	for _, row := range []struct {
		name string
		m    *mesh.Mesh
	}{
		{"no faces", &mesh.Mesh{}},
		{"one face", &mesh.Mesh{Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}}, Faces: [][3]int32{{0, 1, 2}}}},
		{"sphere", sphere},
		{"crowd", crowd},
		{"not welded", &mesh.Mesh{Vertices: slices.Concat(sphere.Vertices, sphere.Vertices), Faces: slices.Concat(sphere.Faces, sphere.Faces)}},
	} {
		want, err := bvh.Build(t.Context(), row.m.Boxes(), bvh.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{0, 1, 3} {
			x, err := row.m.Index(t.Context(), bvh.Options{Workers: workers})
			if err != nil {
				t.Fatalf("%s: %v", row.name, err)
			}
			tree := x.Tree()
			if x.Mesh() != row.m {
				t.Errorf("%s: not the mesh that was indexed", row.name)
			}
			if err := tree.Validate(row.m.Boxes()); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			if tree.Len() != row.m.NumFaces() || !slices.Equal(tree.Index(), want.Index()) {
				t.Errorf("%s, %d workers: not the tree over the boxes of %d faces", row.name, workers, row.m.NumFaces())
			}
			var tris []mesh.Triangle
			for _, f := range tree.Index() {
				tris = append(tris, row.m.Triangle(f))
			}
			if !slices.Equal(x.Triangles(), tris) {
				t.Errorf("%s, %d workers: triangles are not in the order of the leaves", row.name, workers)
			}
		}
	}
}

func TestIndexErrors(t *testing.T) {
	bad := mesh.Mesh{Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {X: math.Inf(1)}}, Faces: [][3]int32{{0, 1, 2}, {0, 1, 3}}}
	x, err := bad.Index(t.Context(), bvh.Options{Workers: 1})
	var box *bvh.BoxError
	if !errors.As(err, &box) || box.Index != 1 || x != nil {
		t.Errorf("a corner at infinity: error %v, want one of box 1", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := testmesh.Sphere(2).Index(ctx, bvh.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

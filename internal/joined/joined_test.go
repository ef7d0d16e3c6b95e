package joined_test

import (
	"context"
	"errors"
	"testing"

	"github.com/inpoly/inpoly/internal/joined"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// Each face of the list is the face of its owner. Meshes without faces own nothing.
func TestMeshes(t *testing.T) {
	empty := &mesh.Mesh{}
	parts := []*mesh.Mesh{empty, testmesh.Sphere(1), empty, empty, testmesh.Sphere(0), empty}
	owners, all, err := joined.Meshes(t.Context(), parts)
	if err != nil || len(all.Faces) != 32+8 {
		t.Fatalf("%d faces, %v", len(all.Faces), err)
	}
	for f := range all.Faces {
		part, own := owners.Owner(int32(f))
		if part != 1 && part != 4 {
			t.Fatalf("face %d belongs to mesh %d", f, part)
		}
		for k, v := range parts[part].Triangle(own) {
			if all.Vertices[all.Faces[f][k]] != v {
				t.Fatalf("face %d is not face %d of mesh %d", f, own, part)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := joined.Meshes(ctx, parts); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

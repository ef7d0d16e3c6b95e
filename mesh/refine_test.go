package mesh_test

import (
	"errors"
	"math"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestRefined checks that a refined closed mesh is closed. Refinement must halve the edges of the
// boundary chain. It must not change the volume or the area.
func TestRefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testmesh.Tangle(rapid.IntRange(3, 20).Draw(t, "points"), rapid.IntRange(1, 40).Draw(t, "faces"), rapid.Uint64().Draw(t, "seed"))
		s = testmesh.WithDegenerate(s, rapid.IntRange(0, 2).Draw(t, "degenerate"), 1)
		s = testmesh.Union(s, testmesh.UnitCube())
		m := testmesh.Mesh(s)
		fine, err := m.Refined(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := fine.Validate(); err != nil {
			t.Fatal(err)
		}
		if fine.NumFaces() != 4*m.NumFaces() || fine.Closed() != m.Closed() || fine.EvenEdges() != m.EvenEdges() {
			t.Fatalf("%d faces, closed %v, even %v; before: %d, %v, %v",
				fine.NumFaces(), fine.Closed(), fine.EvenEdges(), m.NumFaces(), m.Closed(), m.EvenEdges())
		}
		if len(fine.Boundary()) != 2*len(m.Boundary()) {
			t.Fatalf("%d boundary edges of %d", len(fine.Boundary()), len(m.Boundary()))
		}
		for i, b := range fine.Bodies {
			if c := m.Bodies[i]; b.First != 4*c.First || b.Count != 4*c.Count {
				t.Fatalf("body %v became %v", c, b)
			}
		}
		d, e := diagnose2(t, m), diagnose2(t, fine)
		if math.Abs(d.Area-e.Area) > 1e-12*d.Area || len(d.Components) != len(e.Components) {
			t.Fatalf("area %v, %d components; before: %v, %d", e.Area, len(e.Components), d.Area, len(d.Components))
		}
	})
}

func diagnose2(t *rapid.T, m *mesh.Mesh) mesh.Diagnosis {
	d, err := m.Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRefinedRefuses(t *testing.T) {
	_, err := testmesh.Sphere(0).Refined(t.Context(), func(r3.Vector) r3.Vector { return r3.Vector{X: math.NaN()} })
	if !errors.Is(err, mesh.ErrNotFinite) {
		t.Errorf("error %v, want %v", err, mesh.ErrNotFinite)
	}
}

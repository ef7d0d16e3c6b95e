package orient_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/engine/orient"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestRepairReport repairs random soups. The list of turned faces and the counts of the report must
// describe the difference of the two meshes. Auto must not turn faces over in a component without
// misoriented edges, and must not examine a mesh without misoriented edges.
func TestRepairReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testmesh.Mesh(testmesh.Tangle(rapid.IntRange(4, 30).Draw(t, "points"), rapid.IntRange(1, 40).Draw(t, "faces"), rapid.Uint64().Draw(t, "seed")))
		_, before, err := m.Oriented(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		labels, _ := m.Components()
		mixed := map[int32]bool{}
		for _, f := range before.Flipped {
			mixed[labels[f]] = true
		}
		for _, mode := range []orient.Mode{orient.Auto, orient.Never, orient.Always} {
			got, flipped, rep, err := orient.Repair(context.Background(), m, mode, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil {
				t.Fatal(err)
			}
			if !mode.Examines(m) && (got != m || rep != orient.Report{}) {
				t.Fatalf("%v: a mesh with %d misoriented edges was examined: %+v", mode, m.MisorientedEdges(), rep)
			}
			var want []int32
			parts := map[int32]bool{}
			for f, face := range got.Faces {
				if face != m.Faces[f] {
					want = append(want, int32(f))
					parts[labels[f]] = true
					if mode == orient.Auto && !mixed[labels[f]] {
						t.Fatalf("face %d was turned over, but its component has no misoriented edge", f)
					}
				}
			}
			if !slices.Equal(flipped, want) || rep.Faces != len(want) || rep.Components != len(parts) {
				t.Fatalf("%v: turned over %v, want %v in %d components; report %+v", mode, flipped, want, len(parts), rep)
			}
			if _, again, _, err := orient.Repair(context.Background(), got, mode, 2); err != nil || mode == orient.Auto && len(again) > 0 {
				t.Fatalf("%v: the second repair turns over %v, error %v", mode, again, err)
			}
		}
	})
}

// Thousands of shells whose boxes contain each other, although no shell contains another, must not
// take quadratically many rays.
func TestRepairManyBoxes(t *testing.T) {
	var soups []mesh.Soup
	n := 1000
	for i := range n { // disjoint tetrahedra at the long diagonal of the largest box
		h := 1 + float64(i)/float64(n)
		thin := testmesh.Tetrahedron()
		for k, p := range thin.Vertices {
			x := h * (2*p.X - 1)
			thin.Vertices[k] = r3.Vector{X: x, Y: h*(2*p.X-1) + 1e-6*(p.Y+3*float64(i)), Z: h*(2*p.X-1) + 1e-6*p.Z}
		}
		soups = append(soups, testmesh.Flip(testmesh.Flip(thin), 1))
	}
	m := testmesh.Mesh(testmesh.Union(soups...))
	if _, _, rep, err := orient.Repair(context.Background(), m, orient.Auto, 0); err != nil || rep.Shells != n || rep.Turned > n/2 {
		t.Errorf("%+v, error %v; want %d shells, most of them not compared with all larger ones", rep, err, n)
	}
}

// Thousands of shells, one in the other, must take little memory.
func TestRepairDeepNest(t *testing.T) {
	var soups []mesh.Soup
	for i := range 2000 {
		h := 1 + float64(i)
		soups = append(soups, testmesh.Flip(testmesh.Flip(testmesh.Cube(r3.Vector{X: -h, Y: -h, Z: -h}, r3.Vector{X: h, Y: h, Z: h})), 5))
	}
	m := testmesh.Mesh(testmesh.Union(soups...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, rep, err := orient.Repair(context.Background(), m, orient.Auto, 0)
	runtime.ReadMemStats(&after)
	if want := (orient.Report{Faces: 22000, Components: 2000, Patches: 2000, Inconsistent: 2000, Shells: 2000, Turned: 2000}); err != nil || rep != want {
		t.Errorf("%+v, error %v, want %+v", rep, err, want)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 100 {
		t.Errorf("%d MB allocated for a mesh of %d faces", mb, m.NumFaces())
	}
}

func TestRepairStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	m := testmesh.Mesh(testmesh.Flip(testmesh.Star(4, 0.5, 1), 3))
	for _, mode := range []orient.Mode{orient.Auto, orient.Never, orient.Always} {
		if _, _, _, err := orient.Repair(ctx, m, mode, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v, want %v", mode, err, context.Canceled)
		}
	}
	if v, bound := orient.SignedVolume(m, orient.VolumeUnit(m)); math.IsNaN(v) || bound < 0 {
		t.Errorf("volume %v ± %v", v, bound)
	}
}

package testmesh

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// TestExtremeSolids compares the volume of each extreme solid with the volume that follows from its
// construction. The solids must be closed. Their Euler characteristic must be 2 for each body, or 0
// for a body with a hole.
func TestExtremeSolids(t *testing.T) {
	polygon := func(n int) float64 { return float64(n) / 2 * math.Sin(2*math.Pi/float64(n)) } // area of the regular n-gon inscribed in the unit circle
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	for _, row := range []struct {
		name   string
		soup   mesh.Soup
		faces  int
		volume float64
		euler  int
	}{
		{"double cone", DoubleCone(12, 3), 24, 2 * polygon(12), 2},
		{"simplex", Simplex(at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)), 4, 1.0 / 6, 2},
		{"simplex inverted", Simplex(at(0, 0, 0), at(0, 1, 0), at(1, 0, 0), at(0, 0, 1)), 4, -1.0 / 6, 2},
		{"copies", Copies(UnitCube(), 5), 60, 5, math.MaxInt},
		{"doubled sheet", Union(Sheet(5), Flip(Sheet(5))), 100, 0, math.MaxInt},
	} {
		m := Mesh(row.soup)
		d, err := m.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !m.Closed() || len(m.Degenerate()) > 0 {
			t.Errorf("%s: closed %v, %d faces without area; want a closed mesh without", row.name, m.Closed(), len(m.Degenerate()))
		}
		if d.Faces != row.faces {
			t.Errorf("%s: %d faces, want %d", row.name, d.Faces, row.faces)
		}
		if math.Abs(d.Volume-row.volume) > d.VolumeError+1e-12*math.Abs(row.volume) {
			t.Errorf("%s: volume %v ± %v, want %v", row.name, d.Volume, d.VolumeError, row.volume)
		}
		if e := d.Vertices - d.Edges + d.Triangles; row.euler != math.MaxInt && e != row.euler {
			t.Errorf("%s: Euler characteristic %d, want %d", row.name, e, row.euler)
		}
	}
}

func TestWhiskers(t *testing.T) {
	m := Mesh(Whiskers(300, 1))
	if n := len(m.Degenerate()); n != 300 {
		t.Errorf("%d of 300 whiskers have no area, want all", n)
	}
	if m.Closed() {
		t.Error("no whisker has a boundary, want some")
	}
	if d, err := m.Diagnose(t.Context()); err != nil || d.Area != 0 {
		t.Errorf("area %v (%v), want 0", d.Area, err)
	}
}

package testmesh

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// The extreme solids are closed, of the volume that their construction gives,
// and simple: Euler characteristic 2 a body, 0 with a hole.
func TestExtremeSolids(t *testing.T) {
	polygon := func(n int) float64 { return float64(n) / 2 * math.Sin(2*math.Pi/float64(n)) } // in the unit circle
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	// By Steiner's formula the rounded box has its own volume, that of prisms over
	// its sides and edges, and that of the ball cut into q segments a quarter.
	ball := func(q int) float64 {
		v := 0.0
		for j := range q {
			// Between two rings lies a frustum of regular polygons.
			s0, c0 := quarter(j, q)
			s1, c1 := quarter(j+1, q)
			v += 2 * polygon(4*q) * (s1 - s0) * (c0*c0 + c0*c1 + c1*c1) / 3
		}
		return v
	}
	rounded := func(h r3.Vector, r float64, q int) float64 {
		return 8*h.X*h.Y*h.Z + 8*r*(h.X*h.Y+h.Y*h.Z+h.Z*h.X) +
			2*r*r*polygon(4*q)*(h.X+h.Y+h.Z) + r*r*r*ball(q)
	}
	for _, row := range []struct {
		name   string
		soup   mesh.Soup
		faces  int
		volume float64
		euler  int
	}{
		{"rounded box", RoundedBox(at(3, 2, 1), 0.5, 4), 332, rounded(at(3, 2, 1), 0.5, 4), 2},
		{"rounded plate", RoundedBox(at(500, 500, 5), 0.001, 3), 204, rounded(at(500, 500, 5), 0.001, 3), 2},
		{"octahedral box", RoundedBox(at(1, 1, 1), 1, 1), 44, rounded(at(1, 1, 1), 1, 1), 2},
		{"drilled plate", DrilledPlate(at(3, 2, 1), 0.5, 12), 64, 48 - 2*0.25*polygon(12), 0},
		{"double cone", DoubleCone(12, 3), 24, 2 * polygon(12), 2},
		{"prism", Prism(mesh.Triangle{at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)}, at(1, 1, 3)), 8, 1.5, 2},
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

package testmesh

import (
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// TestCatalog checks what each case says about its mesh. It computes winding numbers as sums of
// solid angles in plain float64 arithmetic.
func TestCatalog(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Catalog() {
		if names[c.Name] {
			t.Errorf("two cases are named %q", c.Name)
		}
		names[c.Name] = true
		m := Mesh(c.Soup)
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if m.Closed() != c.Closed || m.EvenEdges() != c.Even {
			t.Errorf("%s: closed %v, even %v; want %v, %v", c.Name, m.Closed(), m.EvenEdges(), c.Closed, c.Even)
		}
		for _, p := range c.Probes {
			if on := onFace(m, p.Point); on != p.On {
				t.Errorf("%s: %v is on a face: got %v, want %v", c.Name, p.Point, on, p.On)
			}
			if !p.On && !c.Closed {
				t.Errorf("%s: the case is open, so the winding number of %v is not an integer", c.Name, p.Point)
			}
			// Plain arithmetic is accurate only for solids and coordinates of ordinary size.
			if size := m.Box().Size().X; p.On || size > 100 || size < 1e-3 || m.Box().Size().Z < 1e-3 || p.Point.Norm() > 1e7 {
				continue
			}
			if w := windingNumber(m, p.Point); math.Abs(w-float64(p.W)) > 1e-6 {
				t.Errorf("%s: winding number of %v is %v, want %d", c.Name, p.Point, w, p.W)
			}
		}
	}
}

func onFace(m *mesh.Mesh, p r3.Vector) bool {
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		if predicates.OnTriangle(p, t[0], t[1], t[2]) {
			return true
		}
	}
	return false
}

// windingNumber returns the winding number at p: the sum of the solid angles of all triangles (van
// Oosterom and Strackee 1983).
func windingNumber(m *mesh.Mesh, p r3.Vector) float64 {
	w := 0.0
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		a, b, c := t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)
		la, lb, lc := a.Norm(), b.Norm(), c.Norm()
		w += math.Atan2(a.Dot(b.Cross(c)), la*lb*lc+a.Dot(b)*lc+b.Dot(c)*la+c.Dot(a)*lb)
	}
	return w / (2 * math.Pi)
}

func TestSolids(t *testing.T) {
	rows := []struct {
		name             string
		soup             mesh.Soup
		faces, vertices  int
		volume, boundary float64
		loops, euler     int
	}{
		{"cube", UnitCube(), 12, 8, 1, 0, 0, 2},
		{"tetrahedron", Tetrahedron(), 4, 4, 1.0 / 6, 0, 0, 2},
		{"torus", Torus(2, 0.5, 24, 12), 576, 288, math.NaN(), 0, 0, 0},
		{"star", Star(3, 0.5, 1), 512, 258, math.NaN(), 0, 0, 2},
		{"hemisphere", Hemisphere(3), 256, 145, math.NaN(), 32, 1, 1},
		{"Möbius strip", Moebius(9), 18, 18, math.NaN(), 19, 1, 0}, // 18 boundary edges, and one edge between faces of opposite orientation
		{"T-junction", TJunction(), 13, 9, math.NaN(), 3, 1, 1},
		{"nested", Nested(false), 24, 16, 72, 0, 0, 4},
		{"cavity", Nested(true), 24, 16, 56, 0, 0, 4},
		{"overlapping", Overlapping(), 24, 16, 128, 0, 0, 4},
		{"zero-area faces", WithDegenerate(UnitCube(), 5, 3), 32, math.MaxInt, 1, 0, 0, math.MaxInt},
		{"soup", Triangles(50, 1), 50, 150, math.NaN(), 150, 50, 50},
	}
	for _, row := range rows {
		m := Mesh(row.soup)
		d, err := m.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d.Faces != row.faces || float64(d.ChainEdges) != row.boundary || d.ChainLoops != row.loops {
			t.Errorf("%s: %d faces, %d chain edges, %d loops; want %d, %g, %d",
				row.name, d.Faces, d.ChainEdges, d.ChainLoops, row.faces, row.boundary, row.loops)
		}
		if row.vertices != math.MaxInt && d.Vertices != row.vertices {
			t.Errorf("%s: %d vertices, want %d", row.name, d.Vertices, row.vertices)
		}
		if e := d.Vertices - d.Edges + d.Triangles; row.euler != math.MaxInt && e != row.euler {
			t.Errorf("%s: Euler characteristic %d, want %d", row.name, e, row.euler)
		}
		if math.Abs(d.Volume-row.volume) > d.VolumeError+1e-15 {
			t.Errorf("%s: volume %v ± %v, want %v", row.name, d.Volume, d.VolumeError, row.volume)
		}
	}
}

// TestRotations checks that Rotations returns 24 different rotations and no reflection.
func TestRotations(t *testing.T) {
	all := Rotations()
	seen := map[r3.Vector]bool{}
	for i, r := range all {
		seen[r(r3.Vector{X: 1, Y: 2, Z: 3})] = true
		x, y, z := r(r3.Vector{X: 1}), r(r3.Vector{Y: 1}), r(r3.Vector{Z: 1})
		if x.Cross(y) != z {
			t.Errorf("%d is no rotation: x×y = %v, z = %v", i, x.Cross(y), z)
		}
	}
	if len(all) != 24 || len(seen) != 24 {
		t.Errorf("%d rotations, %d different; want 24", len(all), len(seen))
	}
	if p := (r3.Vector{X: 1, Y: 2, Z: 3}); all[0](p) != p {
		t.Errorf("the first rotation moves %v to %v", p, all[0](p))
	}
}

// TestCopies checks that the functions return new memory and do not change their arguments.
func TestCopies(t *testing.T) {
	s := UnitCube()
	want := clone(s)
	for name, f := range map[string]func() mesh.Soup{
		"Without":        func() mesh.Soup { return Without(s, 1) },
		"Flip":           func() mesh.Soup { return Flip(s) },
		"Double":         func() mesh.Soup { return Double(s) },
		"WithDegenerate": func() mesh.Soup { return WithDegenerate(s, 3, 1) },
		"Corners":        func() mesh.Soup { return Corners(s) },
		"Scale":          func() mesh.Soup { return Scale(s, 1) },
		"Union":          func() mesh.Soup { return Union(s) },
	} {
		out := f()
		for i := range out.Vertices {
			out.Vertices[i] = r3.Vector{X: math.NaN()}
		}
		for i := range out.Faces {
			out.Faces[i] = [3]int32{-1, -1, -1}
		}
		Mesh(s)
		if !slices.Equal(s.Vertices, want.Vertices) || !slices.Equal(s.Faces, want.Faces) {
			t.Fatalf("%s shares memory with its argument", name)
		}
	}
}

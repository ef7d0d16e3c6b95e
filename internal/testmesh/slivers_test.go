package testmesh

import (
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

// The meshes are closed, outward, of about the size asked for, and mostly of thin faces.
func TestSlivers(t *testing.T) {
	for _, n := range []int{100, 1000, 3000} {
		for _, s := range Slivers(n) {
			m := Mesh(s.Soup)
			d, err := m.Diagnose(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !m.Closed() || d.Volume <= d.VolumeError || len(m.Degenerate()) > 0 {
				t.Errorf("%s of %d: closed %v, volume %v ± %v, %d faces without area", s.Name, n, m.Closed(), d.Volume, d.VolumeError, len(m.Degenerate()))
			}
			if f := m.NumFaces(); f < n*2/3 || f > n*4/3 {
				t.Errorf("%s: %d faces, want about %d", s.Name, f, n)
			}
			thin := 0
			for f := range m.Faces {
				if isThin(m.Triangle(int32(f))) {
					thin++
				}
			}
			if n >= 1000 && thin < m.NumFaces()/2 {
				t.Errorf("%s of %d: %d of %d faces are thin", s.Name, n, thin, m.NumFaces())
			}
		}
	}
}

// isThin reports whether the longest edge is at least five times the height above it.
func isThin(c mesh.Triangle) bool {
	longest := max(c[1].Sub(c[0]).Norm(), c[2].Sub(c[1]).Norm(), c[0].Sub(c[2]).Norm())
	return longest*longest >= 5*c[1].Sub(c[0]).Cross(c[2].Sub(c[0])).Norm()
}

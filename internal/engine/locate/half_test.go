package locate

import (
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// The share must be small for a small hole, and large for a thin plate of squares without sides.
func TestHalfShare(t *testing.T) {
	of := func(s mesh.Soup) float64 {
		m, err := mesh.New(t.Context(), s, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return halfShare(m)
	}
	sphere, err := mesh.Sphere(t.Context(), mesh.SphereOptions{Radius: 1, Refine: 3})
	if err != nil {
		t.Fatal(err)
	}
	soup := mesh.Soup{Vertices: sphere.Vertices, Faces: sphere.Faces}
	if got := of(soup); got != 0 {
		t.Errorf("closed: %v, want 0", got)
	}
	soup.Faces = soup.Faces[1:]
	if got := of(soup); !(got > 0 && got < 0.05) {
		t.Errorf("small hole: %v, want a small share", got)
	}
	for range 3 {
		soup.Faces = append(soup.Faces[:len(soup.Faces):len(soup.Faces)], soup.Faces[7:9]...)
	}
	if got := of(soup); got != 0 {
		t.Errorf("edges that count three times: %v, want 0", got)
	}
	plate := func(n int) (s mesh.Soup) {
		for x := range n {
			for y := range n {
				k := int32(len(s.Vertices))
				for c := range 4 {
					s.Vertices = append(s.Vertices, r3.Vector{X: float64(x + c%2), Y: float64(y + c/2), Z: 0.01 * float64((x+y)%2)})
				}
				s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 3}, [3]int32{k, k + 3, k + 2})
			}
		}
		return s
	}
	if got := of(plate(4)); got < 0.2 {
		t.Errorf("thin plate: %v, want a large share", got)
	}
	if got := of(plate(20)); got != 0 {
		t.Errorf("many edges: %v, want 0", got)
	}
}

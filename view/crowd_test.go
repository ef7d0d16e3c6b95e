package view

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// coincident returns a mesh of n faces with the same corners, at height z = 0, and a cube.
func coincident(n int) mesh.Soup {
	s := testmesh.UnitCube()
	first := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Vector{X: -1, Y: -1, Z: 0.25}, r3.Vector{X: 2, Y: -1, Z: 0.25}, r3.Vector{X: 0.5, Y: 2, Z: 0.75})
	for range n {
		s.Faces = append(s.Faces, [3]int32{first, first + 1, first + 2})
	}
	return s
}

// The work of slices, which is the number of pixels times the number of near faces, is bounded for meshes
// whose faces coincide. Such slices say that they have fewer pixels. Other slices have all pixels.
func TestSlicesOfCoincidentFaces(t *testing.T) {
	for _, n := range []int{1, 2000} {
		if n > 1 && os.Getenv("INPOLY_FULL") == "" {
			continue
		}
		solid, err := inpoly.New(t.Context(), testmesh.Mesh(coincident(n)), inpoly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(t.Context(), solid, nil, Options{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		crowded := n > 1
		if x := s.slice; x.crowded != crowded || crowded != (max(x.cols, x.rows) < 512) {
			t.Errorf("%d faces: a slice of %d × %d pixels, crowded %v", n, x.cols, x.rows, x.crowded)
		}
		if work := float64(s.slice.cols*s.slice.rows) * s.slice.crowd(s.subject); work > 2*sliceWork {
			t.Errorf("%d faces: the work of the slice is %g", n, work)
		}
		for k, x := range s.stacks {
			work := 0.0
			for _, one := range x.slices {
				work += float64(one.cols*one.rows) * one.crowd(s.subject)
				if one.cols != x.slices[0].cols || one.rows != x.slices[0].rows {
					t.Errorf("%d faces: the slices of stack %d differ in size", n, k)
				}
			}
			if limit := max(2*stackWork, 4*stackSlices*leastPixels*leastPixels*float64(onFace*n)); work > limit {
				t.Errorf("%d faces: the work of stack %d is %g", n, k, work)
			}
			if !crowded && max(x.slices[0].cols, x.slices[0].rows) != stackPixels {
				t.Errorf("stack %d has %d × %d pixels", k, x.slices[0].cols, x.slices[0].rows)
			}
		}
		var page bytes.Buffer
		if err := s.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page.String(), crowdedNote) != crowded || strings.Contains(s.sliceNote(), crowdedNote) != crowded {
			t.Errorf("%d faces: the note about pixels is wrong: %s", n, s.sliceNote())
		}
		for i, w := range s.slice.w {
			if p := s.slice.point(i%s.slice.cols, i/s.slice.cols); math.IsNaN(w) || n == 1 && math.Abs(w) > 2.01 {
				t.Fatalf("%d faces: W of %v is %g", n, p, w)
			}
		}
	}
}

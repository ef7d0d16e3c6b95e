package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// TestTouching poses two cubes face to face, at random rotations and places. The poses are rounded,
// so the faces have a tiny gap or overlap. The nodes of both faces must be OnSurface. With a larger
// gap, there are no contacts. With a larger overlap, nodes of the other cube are Inside.
func TestTouching(t *testing.T) {
	cube := testmesh.UnitCube()
	open := testmesh.Without(cube, 0, 1)
	small := testmesh.Translate(testmesh.Scale(cube, 0.5), r3.Vector{Y: 0.25, Z: 0.25})
	solid := func(s mesh.Soup) *inpoly.Solid {
		return solidOf(t, testmesh.Mesh(s), inpoly.Options{Method: inpoly.RayCrossing, Workers: 1})
	}
	whole, opened, part := solid(cube), solid(open), solid(small)
	r := rand.New(rand.NewPCG(21, 22))
	contacts := func(at pose.Pose, b *inpoly.Solid, shift r3.Vector) (on, in int) {
		other := at
		other.Translation = at.Apply(shift)
		w, err := New(t.Context(), []Body{{whole, at}, {b, other}}, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range w.Contacts() {
			switch c.Side {
			case inpoly.OnSurface:
				on++
				if size := 1 + at.Translation.Norm(); math.Abs(c.Depth) > 1e-13*size {
					t.Errorf("depth %g", c.Depth)
				}
			case inpoly.Inside:
				in++
			}
		}
		return on, in
	}
	for i := range 300 {
		at := randomPose(r, math.Pow(10, float64(i%8)-3))
		size := 1 + at.Translation.Norm()
		x := func(d float64) r3.Vector { return r3.Vector{X: d} }
		// All eight nodes between two equal cubes are corners of both cubes.
		if on, in := contacts(at, whole, x(1)); on != 8 || in != 0 {
			t.Fatalf("case %d: face to face: %d on, %d in; want 8, 0", i, on, in)
		}
		if on, in := contacts(at, opened, x(1)); on < 4 || in != 0 {
			t.Fatalf("case %d: an open cube: %d on, %d in", i, on, in)
		}
		// Four nodes of the small cube are in a face of the cube.
		if on, in := contacts(at, part, x(1)); on != 4 || in != 0 {
			t.Fatalf("case %d: a small cube on a face: %d on, %d in; want 4, 0", i, on, in)
		}
		if on, in := contacts(at, part, x(1+1e-13*size)); on != 0 || in != 0 {
			t.Fatalf("case %d: a gap: %d on, %d in; want none", i, on, in)
		}
		if on, in := contacts(at, part, x(1-1e-13*size)); on != 0 || in != 4 {
			t.Fatalf("case %d: an overlap: %d on, %d in; want 0, 4", i, on, in)
		}
		// Two cubes touch along an edge, and at a corner.
		if on, in := contacts(at, whole, r3.Vector{X: 1, Y: 1}); on != 4 || in != 0 {
			t.Fatalf("case %d: along an edge: %d on, %d in; want 4, 0", i, on, in)
		}
		if on, in := contacts(at, whole, r3.Vector{X: -1, Y: 1, Z: 1}); on != 2 || in != 0 {
			t.Fatalf("case %d: at a corner: %d on, %d in; want 2, 0", i, on, in)
		}
	}
}

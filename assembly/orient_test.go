package assembly_test

import (
	"context"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// Each solid is oriented by itself: a solid with flipped faces, and no other solid.
func TestOrientsEachSolid(t *testing.T) {
	cube := testmesh.UnitCube()
	at := func(x float64) r3.Vector { return r3.Vector{X: x} }
	parts := partsOf(testmesh.Flip(cube, 0, 1), testmesh.Translate(testmesh.Flip(cube), at(2)), testmesh.Translate(testmesh.Moebius(9), at(20)))
	for _, tc := range []struct {
		mode    inpoly.Orient
		flipped [3]int
		w       [2]float64
	}{
		{inpoly.OrientAuto, [3]int{2, 0, 0}, [2]float64{1, -1}},
		{inpoly.OrientNever, [3]int{0, 0, 0}, [2]float64{2. / 3, -1}},
		{inpoly.OrientAlways, [3]int{2, 12, 0}, [2]float64{1, 1}},
	} {
		a, err := assembly.New(context.Background(), parts, assembly.Options{Options: inpoly.Options{Orient: tc.mode}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tc.flipped {
			if got := len(a.Solid(i).Flipped()); got != want {
				t.Errorf("%v: solid %d: %d faces turned over, want %d", tc.mode, i, got, want)
			}
		}
		for i, want := range tc.w {
			w, bound := a.Solid(i).Winding(r3.Vector{X: .5 + 2*float64(i), Y: .5, Z: .5})
			if w < want-bound-1e-12 || w > want+bound+1e-12 {
				t.Errorf("%v: solid %d: W = %v, want %v", tc.mode, i, w, want)
			}
		}
	}
}

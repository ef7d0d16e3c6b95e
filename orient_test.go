package inpoly_test

import (
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func TestOrient(t *testing.T) {
	cube := testmesh.UnitCube()
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	centre := at(.5, .5, .5)
	small := testmesh.Cube(at(-.5, -.5, -.5), at(.5, .5, .5))
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		want map[r3.Vector]float64 // winding numbers afterwards
	}{
		{"right already", cube, map[r3.Vector]float64{centre: 1}},
		{"inverted", testmesh.Flip(cube), map[r3.Vector]float64{centre: 1}},
		{"one face flipped", testmesh.Flip(cube, 3), map[r3.Vector]float64{centre: 1}},
		{"most faces flipped", testmesh.Flip(cube, 0, 1, 2, 3, 4, 5, 6, 7), map[r3.Vector]float64{centre: 1}},
		{"cavity", testmesh.Nested(true), map[r3.Vector]float64{at(0, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"cavity, all inverted", testmesh.Flip(testmesh.Nested(true)), map[r3.Vector]float64{at(0, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"cavity, some faces flipped", testmesh.Flip(testmesh.Nested(true), 2, 15), map[r3.Vector]float64{at(0, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"solid in a solid", testmesh.Nested(false), map[r3.Vector]float64{at(0, 0, 0): 2, at(1.5, 0, 0): 1}},
		{"solid in a cavity", testmesh.Union(testmesh.Flip(testmesh.Nested(true)), testmesh.Flip(small)),
			map[r3.Vector]float64{at(0, 0, 0): 1, at(.75, 0, 0): 0, at(1.5, 0, 0): 1}},
		{"two bodies, one inverted", testmesh.Union(cube, testmesh.Translate(testmesh.Flip(cube), at(4, 0, 0))),
			map[r3.Vector]float64{centre: 1, at(4.5, .5, .5): 1}},
		{"overlapping, both inverted", testmesh.Flip(testmesh.Overlapping()), map[r3.Vector]float64{at(0, 0, 0): 2, at(-1.5, 0, 0): 1}},
		{"tiny, inverted", testmesh.Scale(testmesh.Flip(cube), 0x1p-500), map[r3.Vector]float64{centre.Mul(0x1p-500): 1}},
		{"open bowl, inverted", testmesh.Flip(testmesh.Without(cube, 8, 9)), map[r3.Vector]float64{centre: 5. / 6}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			solid := newSolid(t, tc.soup, inpoly.Options{Orient: true})
			for p, want := range tc.want {
				if w, bound := solid.Winding(p); w < want-bound-1e-12 || w > want+bound+1e-12 {
					t.Errorf("W(%v) = %v ± %g, want %v", p, w, bound, want)
				}
			}
			if rep := solid.Report(); rep.Orientation == nil || !rep.Diagnosis.ConsistentOrientation {
				t.Errorf("report: orientation %+v, consistent %v", rep.Orientation, rep.Diagnosis.ConsistentOrientation)
			}
		})
	}
}

func TestOrientReport(t *testing.T) {
	cube := testmesh.UnitCube()
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		want inpoly.Orientation
	}{
		{"right already", cube, inpoly.Orientation{Patches: 1}},
		{"inverted", testmesh.Flip(cube), inpoly.Orientation{Patches: 1, Turned: 1}},
		{"one face", testmesh.Flip(cube, 3), inpoly.Orientation{Patches: 1, Inconsistent: 1}},
		{"Möbius strip", testmesh.Moebius(12), inpoly.Orientation{Patches: 1, NonOrientable: 1}},
		{"nothing", mesh.Soup{}, inpoly.Orientation{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := *newSolid(t, tc.soup, inpoly.Options{Orient: true}).Report().Orientation; got != tc.want {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}

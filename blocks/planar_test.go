package blocks

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// TestPlanarWalls compares the shares of boxes whose walls coincide, but are divided into other triangles. Boxes are
// beside each other, or the first is within the second. Shears whose coordinates are exact turn the walls into
// slanted planes. The bounds of blocks that only one plane crosses must be tiny.
func TestPlanarWalls(t *testing.T) {
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	for name, c := range map[string]struct {
		lo, hi [2]r3.Vector
		within bool
	}{
		"beside": {lo: [2]r3.Vector{at(0, 0, 0), at(1, -0.5, -0.25)}, hi: [2]r3.Vector{at(1, 1, 1), at(2, 1.5, 1.5)}},
		"within": {lo: [2]r3.Vector{at(0, 0.25, 0.25), at(-1, 0, 0)}, hi: [2]r3.Vector{at(1, 0.75, 1), at(1, 1, 2)}, within: true},
	} {
		for _, shear := range []float64{0, 0.5, -0.375} {
			var solids []*inpoly.Solid
			for i := range c.lo {
				s := testmesh.Move(testmesh.Cube(c.lo[i], c.hi[i]), func(v r3.Vector) r3.Vector { return r3.Vector{X: v.X + shear*v.Y + v.Z*shear/2, Y: v.Y, Z: v.Z} })
				solids = append(solids, solidOf(t, testmesh.Mesh(s), inpoly.Options{}))
			}
			for _, f := range []Frame{
				{Origin: at(-1.61, -0.72, -0.53), Size: at(0.11, 0.13, 0.17), Counts: [3]int{38, 20, 18}},
				{Origin: at(-1.5, -0.75, -0.5), Size: at(0.125, 0.125, 0.125), Counts: [3]int{32, 20, 20}}, // the walls are on sides of blocks
			} {
				both := modelOf(t, f, Options{Levels: 2}, solids...)
				first, second := modelOf(t, f, Options{}, solids[0]), modelOf(t, f, Options{}, solids[1])
				crossed, exact := 0, 0
				for k := range both.Rows {
					want := [2]float64{first.Shares[0][k], second.Shares[0][k]}
					if c.within {
						want[1] -= want[0]
					}
					for s := range want {
						x, e := both.Shares[s][k], both.Bounds[s][k]
						if !(math.Abs(x-want[s]) <= e+first.Bounds[0][k]+second.Bounds[0][k]+1e-15) {
							t.Fatalf("%s, shear %g, row %+v, solid %d: share %g ± %g, want %g", name, shear, both.Rows[k], s, x, e, want[s])
						}
					}
					if first.Rows[k].Mixed && second.Rows[k].Mixed {
						if crossed++; both.Bounds[0][k] < 1e-10 && both.Bounds[1][k] < 1e-10 {
							exact++
						}
					}
				}
				if crossed < 20 || 3*exact < crossed { // the others are at edges
					t.Errorf("%s, shear %g: bounds of %d of %d blocks at the wall are tiny", name, shear, exact, crossed)
				}
			}
		}
	}
}

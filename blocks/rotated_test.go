package blocks

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// TestQuarterTurn compares a frame that is turned by 90° with the same frame around a turned mesh, for all
// kinds of meshes. The turn is exact, so the exact shares are equal.
func TestQuarterTurn(t *testing.T) {
	q, err := Rotation(90, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		turned := testmesh.Mesh(testmesh.Move(c.Soup, func(v r3.Vector) r3.Vector { return r3.Vector{X: -v.Y, Y: v.X, Z: v.Z} }))
		if m.Box().Empty() {
			continue
		}
		f := around(turned.Box(), 3)
		f.Origin = r3.Vector{}
		f.Size = f.Size.Mul(1.5)
		if f.Check() != nil {
			continue // flat meshes
		}
		opt := inpoly.Options{Orient: inpoly.OrientNever}
		g := f
		g.Rotation = q
		model, err := New(t.Context(), []*inpoly.Solid{solidOf(t, m, opt)}, g.Pose(), Options{Levels: 2})
		if err != nil {
			t.Logf("%s: %v", c.Name, err) // an open mesh with edges that are too short
			continue
		}
		var got Rows
		if err := model.Worker(t.Context()).Grid(&got, &g, [3]int{}, g.Counts); err != nil {
			t.Fatal(err)
		}
		want := modelOf(t, f, Options{Levels: 2}, solidOf(t, turned, opt))
		at := map[[3]int32]int{}
		for i, r := range want.Rows {
			at[r.Block] = i
		}
		for i, r := range got.Rows {
			k := at[r.Block]
			x, e, y, d := got.Shares[0][i], got.Bounds[0][i], want.Shares[0][k], want.Bounds[0][k]
			if !(math.Abs(x-y) <= e+d) {
				t.Errorf("%s, block %v: share %g ± %g, want %g ± %g", c.Name, r.Block, x, e, y, d)
			}
		}
	}
}

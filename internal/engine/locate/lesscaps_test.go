package locate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Columns of open meshes find the sides that rays find, where winding numbers are near ±1/2 and tiny slivers lie far from the
// center of all caps.
func TestOpenColumnsNearThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	rnd := func() r3.Vector { return r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1} }
	for range 60 {
		size := math.Exp2(-30 - 15*r.Float64())
		width := size * math.Exp2(-20*r.Float64())
		var soup mesh.Soup
		add := func(a, b, c r3.Vector) {
			k := int32(len(soup.Vertices))
			soup.Vertices, soup.Faces = append(soup.Vertices, a, b, c), append(soup.Faces, [3]int32{k, k + 1, k + 2})
		}
		dir := rnd()
		for range 16 {
			a := rnd().Mul(size)
			add(a, a.Add(dir.Mul(size)), a.Add(rnd().Mul(width)))
		}
		add(r3.Vector{X: -.3, Y: -.4}, r3.Vector{X: 3.1, Y: -.5}, r3.Vector{X: -.2, Y: 2.7})
		surface := NewSurface(testmesh.Mesh(soup), SurfaceOptions{Rule: side.NonZero})
		columns, err := newColumns(t.Context(), surface, NewWorkload(surface.mesh, Workload{Points: 1000}))
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			p := rnd().Mul(size * math.Exp2(10*r.Float64()))
			if r.IntN(2) == 0 {
				p.Z *= math.Exp2(-20 * r.Float64())
			}
			if got, want := columns.Side(p), (rays{surface}).Side(p); got != want {
				t.Fatalf("%v: columns %v, rays %v", p, got, want)
			}
		}
	}
}

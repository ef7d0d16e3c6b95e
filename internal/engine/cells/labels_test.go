package cells

import (
	"context"
	"math"
	"testing"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// The index uses every kind of label: tables, open cells with and without fields, and cells whose
// label is not the winding number of the mesh and its caps. Validate compares these labels with rays, in this test and in
// others.
func TestLabels(t *testing.T) {
	// The rim of this part of a sphere is not planar, so the caps lie far from the surface W = 1/2.
	s := testmesh.Soup(testmesh.Sphere(4))
	var kept mesh.Soup
	kept.Vertices = s.Vertices
	for _, f := range s.Faces {
		c := s.Vertices[f[0]].Add(s.Vertices[f[1]]).Add(s.Vertices[f[2]]).Mul(1. / 3)
		if c.Z < .8*math.Cos(3*math.Atan2(c.Y, c.X)) {
			kept.Faces = append(kept.Faces, f)
		}
	}
	m := testmesh.Mesh(kept)
	rays := func(ctx context.Context) (*raycross.Caster, error) {
		x, err := m.Index(ctx, bvh.Options{})
		if err != nil {
			return nil, err
		}
		return raycross.New(x, raycross.Options{})
	}
	x, err := New(t.Context(), m, Options{ExpectedPoints: 1e7, Rays: rays}.WithPlan(1./16, 19, [3]float64{.3, .4, .2}))
	if err != nil {
		t.Fatal(err)
	}
	if err := x.ValidateAll(t.Context()); err != nil {
		t.Error(err)
	}
	g := &x.grid
	tables, moved := 0, 0
	for _, c := range g.Chunks {
		for i := range c.Records {
			if r := &c.Records[i]; *r != (layout.Record{}) && r.Kind() == layout.KindTable {
				tables++
			}
		}
	}
	for b := range int32(g.Bricks()) {
		for i := range int32(layout.BrickSide * layout.BrickSide * layout.BrickSide) {
			at := layout.CellOf(g.FirstCell(b), i, layout.BrickBits)
			_, word, bit := g.Find(at[0], at[1], at[2])
			if g.IsOpen(word, bit) {
				continue
			}
			box := g.Box(at, 1)
			if j, _, _ := g.CapSumAt(box.Min.Add(box.Max).Mul(.5)); math.Abs(j) > .5 {
				moved++
			}
		}
	}
	fields := map[uint8]int{}
	for _, f := range g.Fields {
		fields[f.Kind]++
	}
	if tables == 0 || moved == 0 || g.Counts.Open == 0 || fields[layout.CapField] == 0 || fields[layout.MeshField] == 0 || fields[layout.FaceField] == 0 {
		t.Errorf("%d tables, %d moved cells, %d open cells, fields %v: want some of each", tables, moved, g.Counts.Open, fields)
	}
	t.Logf("%d tables, %d moved cells, %d open cells, fields %v", tables, moved, g.Counts.Open, fields)
}

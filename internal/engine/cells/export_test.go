package cells

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/build"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// CellCorners returns corners of n random crossed cells of any level. The result is empty if no
// cell is crossed.
func (x *Index) CellCorners(n int, seed uint64) []r3.Vector {
	g := &x.grid
	var leaves []layout.CellAddr
	var visit func(id uint32, a layout.CellAddr)
	visit = func(id uint32, a layout.CellAddr) {
		switch r := g.Record(id); {
		case r.HasPlanes():
			leaves = append(leaves, a)
		case r.Kind() == layout.KindRefined:
			c, lo := r.Children(), a.FirstChild()
			id := c.First
			for i := range int32(64) {
				if c.Crossed>>i&1 == 1 {
					visit(id, layout.CellAddr{Level: a.Level + 1, At: layout.CellOf(lo, i, layout.ChildBits)})
					id++
				}
			}
		}
	}
	for stored, b := range g.Positions {
		lo := g.FirstCell(b)
		for i := range int32(layout.BrickSide * layout.BrickSide * layout.BrickSide) {
			word, bit := uint32(stored*layout.BrickSide+int(i/64)), uint(i%64)
			if g.HasRecord(word, bit) {
				visit(g.RecordOf(word, bit), layout.CellAddr{At: layout.CellOf(lo, i, layout.BrickBits)})
			}
		}
	}
	if len(leaves) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 2))
	out := make([]r3.Vector, n)
	for i := range out {
		out[i] = g.Corner(leaves[r.IntN(len(leaves))], uint8(r.IntN(8)))
	}
	return out
}

// References returns the reference points of the crossed cell that contains p. If p is in an empty
// cell, the result is empty.
func (x *Index) References(p r3.Vector) (out []r3.Vector) {
	g := &x.grid
	tx, ty, tz := g.Coords(p)
	if len(g.Top) == 0 || !g.Contains(tx, ty, tz) {
		return nil
	}
	c := layout.CellAddr{Level: 0, At: [3]int32{int32(tx), int32(ty), int32(tz)}}
	_, word, bit := g.Find(c.At[0], c.At[1], c.At[2])
	if !g.HasRecord(word, bit) {
		return nil
	}
	id, _, ok := g.Descend(tx, ty, tz, g.RecordOf(word, bit), &c)
	if !ok || !g.Record(id).HasPlanes() {
		return nil
	}
	for i := range 2 {
		corner, _, _ := g.Record(id).Reference(i)
		out = append(out, g.Corner(c, corner))
	}
	return out
}

// Caps returns the caps.
func (x *Index) Caps() (out []mesh.Triangle) {
	for i := range x.grid.Caps {
		out = append(out, x.grid.Triangle(int32(x.grid.Mesh.NumFaces()+i)))
	}
	return out
}

// LetRaysAnswer marks all bricks inside of the mesh that no face meets, so that rays answer there. The
// labels of these bricks are those of bricks outside. LetRaysAnswer returns the number of marked bricks.
// The builder marks a brick if no ray finds its winding number.
func (x *Index) LetRaysAnswer() (n int) {
	g := &x.grid
	outside := uint32(0)
	for _, e := range g.Top {
		if i := e >> 3; int(i) >= len(g.Positions) && g.W[i][0] == 0 {
			outside = e
		}
	}
	for b, e := range g.Top {
		if i := e >> 3; int(i) >= len(g.Positions) && g.W[i][0] != 0 {
			g.Top[b] = outside | layout.TopRayOnly
			n++
		}
	}
	return n
}

// WithPlan returns opt with a plan that replaces the cost model. Cells of level 0 have the given
// edge. Cells with lists longer than longList are refined, and cells with few triangles get tables.
// offset is the place of the mesh box in the first cell, in units of the edge.
func (opt Options) WithPlan(edge float64, longList int, offset [3]float64) Options {
	opt.plan = &build.Plan{Edge: edge, LongList: longList, Offset: offset, Tables: true}
	return opt
}

// The test checks the numbers in the example of the package comment.
func TestPackageComment(t *testing.T) {
	x, err := New(t.Context(), testmesh.Sphere(5), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	g := &x.grid
	want := Shape{Cell: x.Shape().Cell, Bricks: 68, Crossed: 4962, Entries: 32564, Bytes: x.Shape().Bytes}
	if got := x.Shape(); got != want || math.Round(1e3*got.Cell) != 63 || math.Abs(float64(got.Bytes)-653e3) > 1e3 || g.Dims != [3]int32{5, 5, 5} || len(g.W) != 70 {
		t.Errorf("%+v, %v bricks, %d of them stored", got, g.Dims, len(g.W))
	}
	tx, ty, tz := g.Coords(r3.Vector{X: 0.65, Y: 0.7, Z: 0.2})
	at := [3]float64{math.Round(100 * tx), math.Round(100 * ty), math.Round(100 * tz)}
	entry, word, bit := g.Find(int32(tx), int32(ty), int32(tz))
	if at != [3]float64{2668, 2739, 1957} || entry>>3 != 45 || word != 363 || bit != 26 || g.RecordOf(word, bit) != 5053 {
		t.Errorf("the point is at %v/100: entry %d, word %d, bit %d, record %d", at, entry>>3, word, bit, g.RecordOf(word, bit))
	}
	ux, uy, uz := (&layout.CellAddr{At: [3]int32{26, 27, 19}}).Units(tx, ty, tz, 1)
	if pos, neg := g.Record(5053).Signs(ux, uy, uz); pos&0xf != 0 || neg&0xf != 0xf {
		t.Errorf("planes %b are positive and %b negative, want all four negative", pos, neg)
	}
	if _, signs, w := g.Record(5053).Reference(0); signs&0xf != 0 || w != 1 {
		t.Errorf("reference 0: signs %b, W = %d; want 0, 1", signs, w)
	}
}

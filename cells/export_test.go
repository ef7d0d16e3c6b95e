package cells

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells/internal/build"
	"github.com/inpoly/inpoly/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/testmesh"
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
			if g.Words[word].Crossed>>bit&1 == 1 {
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
	if g.Words[word].Crossed>>bit&1 == 0 {
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

// Apexes returns the apexes of the caps. All caps of one hole share one apex.
func (x *Index) Apexes() (out []r3.Vector) {
	for _, t := range x.grid.Caps {
		if n := len(out); n == 0 || out[n-1] != t[2] {
			out = append(out, t[2])
		}
	}
	return out
}

// WithPlan returns opt with a plan that replaces the cost model. Cells of level 0 have the given
// edge. Cells with lists longer than longList are refined. offset is the place of the mesh box in
// the first cell, in units of the edge.
func (opt Options) WithPlan(edge float64, longList int, offset [3]float64) Options {
	opt.plan = &build.Plan{Edge: edge, LongList: longList, Offset: offset}
	return opt
}

// The test checks the numbers in the example of the package comment.
func TestPackageComment(t *testing.T) {
	x, err := New(t.Context(), testmesh.Sphere(5), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	g := &x.grid
	want := Shape{Cell: x.Shape().Cell, Bricks: 50, Crossed: 3322, Entries: 27408, Bytes: x.Shape().Bytes}
	if got := x.Shape(); got != want || math.Round(1e3*got.Cell) != 77 || math.Abs(float64(got.Bytes)-523e3) > 1e3 || g.Dims != [3]int32{4, 4, 4} || len(g.W) != 52 {
		t.Errorf("%+v, %v bricks, %d of them stored", got, g.Dims, len(g.W))
	}
	tx, ty, tz := g.Coords(r3.Vector{X: 0.7, Y: 0.7, Z: 0.1})
	at := [3]float64{math.Round(100 * tx), math.Round(100 * ty), math.Round(100 * tz)}
	entry, word, bit := g.Find(int32(tx), int32(ty), int32(tz))
	if at != [3]float64{2248, 2240, 1474} || entry>>3 != 22 || word != 182 || bit != 54 || g.RecordOf(word, bit) != 2961 {
		t.Errorf("the point is at %v/100: entry %d, word %d, bit %d", at, entry>>3, word, bit)
	}
	ux, uy, uz := (&layout.CellAddr{At: [3]int32{22, 22, 14}}).Units(tx, ty, tz, 1)
	if pos, neg := g.Record(2961).Signs(ux, uy, uz); pos != 0 || neg != layout.AllPlanes {
		t.Errorf("planes %b are positive and %b negative, want all negative", pos, neg)
	}
	if _, signs, w := g.Record(2961).Reference(0); signs != 0 || w != 1 {
		t.Errorf("reference 0: signs %b, W = %d; want 0, 1", signs, w)
	}
}

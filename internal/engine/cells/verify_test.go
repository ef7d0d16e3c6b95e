package cells

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// verifyEffort limits the two slow checks of Validate. Each of these checks uses an evenly spaced
// sample.
type verifyEffort struct {
	lists int // number of lists to compare with exact predicates
	rays  int // number of leaves and number of empty cells to compare with rays
}

// Validate checks all invariants of the index by brute force. It takes milliseconds for each
// thousand triangles. It checks that
//
//   - each face is listed in every cell that it meets;
//   - each record belongs to one cell;
//   - neighboring empty cells have the same winding number;
//   - empty cells at the border of the grid have winding number 0;
//   - the winding numbers of some references and of some empty cells agree with rays;
//   - the fields of some open cells agree with rays and with sums over the caps;
//   - the bits of references and the proved signs of planes agree with exact predicates;
//   - the set of the faces of zero area is that of the mesh;
//   - labels and Shape agree with the other data.
//
// Errors: the first violation, with its place; the error of Rays; the error of ctx if ctx ends
// first.
func (x *Index) Validate(ctx context.Context) error {
	return x.verify(ctx, verifyEffort{lists: 500, rays: 50})
}

// ValidateAll does the checks of Validate for all lists. It compares a thousand leaves and a
// thousand empty cells with rays.
func (x *Index) ValidateAll(ctx context.Context) error {
	return x.verify(ctx, verifyEffort{lists: math.MaxInt32, rays: 1000})
}

func (x *Index) verify(ctx context.Context, e verifyEffort) error {
	g := &x.grid
	switch box := g.Mesh.Box(); {
	case box.Empty() || x.noGrid:
		if len(g.Top) > 0 || g.Counts != (layout.Counts{}) {
			return fmt.Errorf("%d bricks in the top, want none without faces or if rays answer for all points", len(g.Top))
		}
		return nil
	case len(g.Top) != g.Bricks():
		return fmt.Errorf("%d bricks in the top, want %v", len(g.Top), g.Dims)
	}
	if len(g.Degenerate) != len(g.Mesh.Degenerate()) {
		return fmt.Errorf("%d faces of zero area, want %v", len(g.Degenerate), g.Mesh.Degenerate())
	}
	for _, f := range g.Mesh.Degenerate() {
		if !g.Degenerate[f] {
			return fmt.Errorf("face %d has zero area, and is not in the set of these faces", f)
		}
	}
	v := &validator{
		Grid: g, castRays: x.rays, ctx: ctx, effort: e,
		random: rand.New(rand.NewPCG(1, uint64(g.Mesh.NumFaces()))),
		seen:   map[uint32]bool{},
		lists:  map[uint32][]int32{},
	}
	for _, check := range []func() error{v.bricks, v.counts, v.neighbors, v.faces, v.signs, v.windings, v.fields} {
		if err := check(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// validator is the state that all checks of Validate share. The first check, bricks, fills the maps
// and slices.
type validator struct {
	*layout.Grid
	castRays func(context.Context) (*raycross.Caster, error)
	ctx      context.Context
	effort   verifyEffort
	random   *rand.Rand
	seen     map[uint32]bool    // records that belong to a visited cell
	lists    map[uint32][]int32 // maps the first record of each crossed leaf to the faces of the leaf; a leaf of KindRayOnly has the value nil
	leaves   []layout.Leaf      // crossed leaves that have a list
	empty    []emptyLeaf
	counted  layout.Counts
}

// emptyLeaf is a cell that no face meets. w is its winding number.
type emptyLeaf struct {
	layout.CellAddr
	w int32
}

// bricks visits every brick, every word of the brick, and every record of the word.
func (v *validator) bricks() error {
	if len(v.Words) != layout.BrickSide*len(v.W) || len(v.First) != layout.BrickSide*len(v.Positions) || len(v.W) < len(v.Positions) {
		return fmt.Errorf("%d words and %d first records for %d bricks, %d of them crossed", len(v.Words), len(v.First), len(v.W), len(v.Positions))
	}
	found := 0
	for b, e := range v.Top {
		at := v.BrickAt(int32(b))
		n := int(e >> 3)
		if n >= len(v.W) {
			return fmt.Errorf("brick %v: stored brick %d of %d", at, n, len(v.W))
		}
		for value, w := range v.W[n] {
			if got := e>>value&1 == 1; got != (v.Side(w) == side.Inside) {
				return fmt.Errorf("brick %v: inside is %v for W = %d", at, got, w)
			}
		}
		if n < len(v.Positions) {
			if found++; v.Positions[n] != int32(b) {
				return fmt.Errorf("brick %v: stored brick %d belongs to brick %v", at, n, v.BrickAt(v.Positions[n]))
			}
		} else if v.W[n][0] != v.W[n][1] && len(v.Caps) == 0 {
			return fmt.Errorf("brick %v: two winding numbers %v in a brick without faces", at, v.W[n])
		}
		if err := v.brick(int32(b), n); err != nil {
			return err
		}
	}
	if found != len(v.Positions) {
		return fmt.Errorf("%d crossed bricks in the top, want %d", found, len(v.Positions))
	}
	return nil
}

// brick visits brick position b, whose stored brick has number n.
func (v *validator) brick(b int32, n int) error {
	lo := v.FirstCell(b)
	first := layout.CellAddr{Level: 0, At: lo}
	words := v.Words[n*layout.BrickSide:][:layout.BrickSide]
	if n >= len(v.Positions) {
		for z, w := range words {
			if (len(v.Caps) == 0 || v.Open == nil) && w != (layout.Word{}) || w.Crossed != 0 && w.Crossed != v.Open[n*layout.BrickSide+z] {
				return fmt.Errorf("cell %+v: crossed cells or values in a brick without faces", first)
			}
		}
		if v.Open != nil {
			for z := range words {
				v.counted.Open += bits.OnesCount64(v.Open[n*layout.BrickSide+z])
			}
		}
		c := layout.CellOf(lo, v.random.Int32N(layout.BrickSide*layout.BrickSide*layout.BrickSide), layout.BrickBits)
		if v.Top[b]&layout.TopRayOnly == 0 {
			_, word, bit := v.Find(c[0], c[1], c[2])
			v.empty = append(v.empty, emptyLeaf{layout.CellAddr{Level: 0, At: c}, v.W[n][v.Words[word].Value>>bit&1]})
		}
		return nil
	}
	crossed := 0
	for z, w := range words {
		listed := w.Crossed
		if v.Listed != nil {
			listed = v.Listed[n*layout.BrickSide+z]
			if open := v.Open[n*layout.BrickSide+z]; w.Crossed != listed|open {
				return fmt.Errorf("cell %+v: layer %d: crossed cells %b, listed %b, open %b", first, z, w.Crossed, listed, open)
			}
			v.counted.Open += bits.OnesCount64(v.Open[n*layout.BrickSide+z])
		}
		if listed&w.Value != 0 {
			return fmt.Errorf("cell %+v: layer %d: crossed cells have values", first, z)
		}
		id := v.First[n*layout.BrickSide+z]
		for bit := range int32(64) {
			at := layout.CellAddr{Level: 0, At: [3]int32{lo[0] + bit%layout.BrickSide, lo[1] + bit/layout.BrickSide, lo[2] + int32(z)}}
			if listed>>bit&1 == 0 {
				v.empty = append(v.empty, emptyLeaf{at, v.W[n][w.Value>>bit&1]})
				continue
			}
			crossed++
			if err := v.cell(id, at); err != nil {
				return err
			}
			id++
		}
	}
	if crossed > 0 {
		v.counted.Bricks++
	}
	return nil
}

// claim marks the record with number id as a record of the cell at a. It fails if the record does
// not exist or belongs to another cell.
func (v *validator) claim(id uint32, a layout.CellAddr) error {
	chunk, at := int(id>>layout.ChunkBits), int(id&(layout.ChunkSize-1))
	if chunk >= len(v.Chunks) || at >= len(v.Chunks[chunk].Records) || len(v.Chunks[chunk].Faces) != len(v.Chunks[chunk].Records) {
		return fmt.Errorf("cell %+v: there is no record %d", a, id)
	}
	if v.seen[id] {
		return fmt.Errorf("cell %+v: record %d is used twice", a, id)
	}
	v.seen[id] = true
	return nil
}

// cell visits the cell at a, whose first record has number id. It also visits the children of the
// cell.
func (v *validator) cell(id uint32, a layout.CellAddr) error {
	if err := v.claim(id, a); err != nil {
		return err
	}
	r := v.Record(id)
	switch r.Kind() {
	case layout.KindUniform:
		v.empty = append(v.empty, emptyLeaf{a, int32(int64(r[1]))})
	case layout.KindRayOnly:
		v.counted.RayOnly++
		v.lists[id] = nil
	case layout.KindRefined:
		return v.children(r.Children(), a)
	case layout.KindTable, layout.KindLast, layout.KindMore:
		return v.list(id, a)
	default:
		return fmt.Errorf("cell %+v: record %d has kind %d", a, id, r.Kind())
	}
	return nil
}

// children visits the children of the cell at a. c describes these children.
func (v *validator) children(c layout.Children, a layout.CellAddr) error {
	if a.Level >= v.MaxLevel {
		return fmt.Errorf("cell %+v: the cell is refined, but the deepest level is %d", a, v.MaxLevel)
	}
	if c.Crossed&c.Value != 0 {
		return fmt.Errorf("cell %+v: crossed children have values", a)
	}
	v.counted.Depth = max(v.counted.Depth, a.Level+1)
	lo := a.FirstChild()
	id := c.First
	for i := range int32(64) {
		at := layout.CellAddr{Level: a.Level + 1, At: layout.CellOf(lo, i, layout.ChildBits)}
		if c.Crossed>>i&1 == 0 {
			v.empty = append(v.empty, emptyLeaf{at, c.W[c.Value>>i&1]})
			continue
		}
		if err := v.cell(id, at); err != nil {
			return err
		}
		id++
	}
	return nil
}

// counts compares the counts of the visited bricks with Grid.Counts. It also checks that a closed
// mesh has neither caps nor Parity, and that no grid has both.
func (v *validator) counts() error {
	v.counted.Crossed = len(v.leaves)
	for _, list := range v.lists {
		v.counted.Entries += len(list)
	}
	if v.Dead != nil && v.counted.Depth < v.Counts.Depth {
		v.counted.Depth = v.Counts.Depth // a refit does not find out whether the deepest cell is gone
	}
	if v.counted != v.Counts {
		return fmt.Errorf("counts are %+v, want %+v", v.Counts, v.counted)
	}
	if closed, caps := v.Mesh.Closed(), len(v.Caps) > 0; closed && caps || v.Parity && (closed || caps) {
		return fmt.Errorf("%d caps with parity %v, mesh closed %v", len(v.Caps), v.Parity, closed)
	}
	return nil
}

// pointIn returns a rounded random point in the cell at a.
func (v *validator) pointIn(a layout.CellAddr) r3.Vector {
	lo, hi := v.Corner(a, 0), v.Corner(a, 7)
	f := func(lo, hi float64) float64 { return min(lo+float64((hi-lo)*v.random.Float64()), hi) }
	return r3.Vector{X: f(lo.X, hi.X), Y: f(lo.Y, hi.Y), Z: f(lo.Z, hi.Z)}
}

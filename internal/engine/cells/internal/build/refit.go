package build

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// Reason tells why a refit is not possible and the grid must be built again. It is empty after a
// successful refit.
type Reason string

// These are the reasons of Refit.
const (
	Open  Reason = "open"  // the mesh is open, and its caps move with it
	Frame Reason = "frame" // a vertex leaves the box of the grid
	Most  Reason = "most"  // more than half of the bricks change
	Worn  Reason = "worn"  // lists have become long, or earlier refits have left many records that are not used
)

const (
	// maxShare limits a refit: at most 1/maxShare of the crossed bricks are replaced. Replacing
	// this share takes about as long as building all bricks. // tuning
	maxShare = 2
	// A grid is worn if it has more than maxWorn times the records or list entries of a new grid.
	// (tuning)
	maxWorn = 2
	// boxMargin is the least distance of the mesh from the upper faces of the grid, in cells. It is
	// greater than the slack of cells, so the span of a face has no cell beyond the grid.
	boxMargin = 0x1p-10
)

// Change counts the crossed bricks of a refitted grid.
type Change struct {
	Bricks int // number of crossed bricks
	Shared int // number of crossed bricks that both grids have
}

// Refit returns a grid of m that shares most records with the grid old. It does not change old. m
// has the faces of old.Mesh, but some of its vertices have moved. moved lists the faces of these
// vertices in ascending order. If Refit returns a Reason, the caller must build a new grid. The
// labels and lists of the result satisfy the same conditions as in a new grid. The result has the
// frame of old. rays returns a Caster for m.
//
// Errors: the error of rays; the error of ctx if ctx ends first.
func Refit(ctx context.Context, old *layout.Grid, m *mesh.Mesh, moved []int32, workers int,
	rays func(context.Context) (*raycross.Caster, error)) (*layout.Grid, Change, Reason, error) {
	switch {
	case !m.Closed() && !old.Parity:
		return nil, Change{}, Open, nil
	case !fits(&old.Frame, m):
		return nil, Change{}, Frame, nil
	}
	g := &layout.Grid{
		Frame: old.Frame, Mesh: m, Rule: old.Rule, Parity: old.Parity, Degenerate: old.Degenerate, Chunks: old.Chunks,
		LongList: old.LongList, Tables: old.Tables, PointsPerCell: old.PointsPerCell, Built: old.Built,
	}
	if flat := m.Degenerate(); !slices.Equal(flat, old.Mesh.Degenerate()) {
		g.Degenerate = degenerateSet(flat)
	}
	if len(moved) == 0 {
		shared := *old
		shared.Mesh, shared.Degenerate = m, g.Degenerate
		return &shared, Change{len(old.Positions), len(old.Positions)}, "", nil
	}
	r, err := newRegion(ctx, old, m, moved, workers)
	if err != nil || r == nil {
		return nil, Change{}, Most, err
	}
	b := &builder{Grid: g, opt: Options{Rule: g.Rule, Workers: workers, Rays: rays}, workers: par.Workers(workers), region: r}
	l := &labeler{builder: b}
	for z := range l.full[0] {
		l.full[0][z] = ^uint64(0)
	}
	faces, err := b.findFaces(ctx)
	if err != nil {
		return nil, Change{}, "", err
	}
	if err := l.makeBricks(ctx, faces); err != nil {
		return nil, Change{}, "", err
	}
	l.addBorder(old)
	if err := l.labelAll(ctx); err != nil {
		return nil, Change{}, "", err
	}
	out := l.combine(old)
	if size := out.Size(); size.Records > maxWorn*out.Built.Records+layout.ChunkSize || size.Entries > maxWorn*out.Built.Entries+fewEntries {
		return nil, Change{}, Worn, ctx.Err()
	}
	return out, Change{Bricks: len(out.Positions), Shared: len(old.Positions) - r.crossed}, "", ctx.Err()
}

// fits reports whether f can be the frame of m. It requires that m is in the box of the grid and
// that the smallest cells are large enough for the coordinates of m. Then the error bounds Slack
// and SignBound hold.
func fits(f *layout.Frame, m *mesh.Mesh) bool {
	box := m.Box()
	x, y, z := f.Coords(box.Min)
	if min(x, y, z) < 0 {
		return false
	}
	x, y, z = f.Coords(box.Max)
	return x <= f.Cells[0]-boxMargin && y <= f.Cells[1]-boxMargin && z <= f.Cells[2]-boxMargin &&
		f.HoldsCoordinate(max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max)))
}

// combine returns the grid that has the bricks of the region from l, and all other bricks from old.
func (l *labeler) combine(old *layout.Grid) *layout.Grid {
	g := &layout.Grid{}
	*g = *l.Grid
	kept := len(old.Positions) - l.region.crossed
	count := kept + len(l.Positions)
	g.Positions = make([]int32, 0, count)
	g.Words, g.First = make([]layout.Word, 0, count*layout.BrickSide), make([]uint32, 0, count*layout.BrickSide)
	g.W = make([][2]int32, 0, count)
	crossedAt := slices.Repeat([]int32{-1}, g.Bricks())
	add := func(from *layout.Grid, n int) {
		crossedAt[from.Positions[n]] = int32(len(g.Positions))
		g.Positions = append(g.Positions, from.Positions[n])
		g.Words = append(g.Words, from.Words[n*layout.BrickSide:][:layout.BrickSide]...)
		g.First = append(g.First, from.First[n*layout.BrickSide:][:layout.BrickSide]...)
		g.W = append(g.W, from.W[n])
	}
	gone := deadRecords{Grid: old, dead: make([]int32, len(g.Chunks))}
	copy(gone.dead, old.Dead)
	next := 0
	for n, b := range old.Positions {
		for next < len(l.Positions) && l.Positions[next] < b {
			add(l.Grid, next)
			next++
		}
		if l.region.active[b] {
			gone.brick(n)
		} else {
			add(old, n)
		}
	}
	for ; next < len(l.Positions); next++ {
		add(l.Grid, next)
	}
	(&builder{Grid: g}).writeTop(crossedAt, func(b int32) int32 {
		switch entry := old.Top[b]; {
		case l.region.active[b]:
			return l.finalW(1 + b)
		case entry&layout.TopRayOnly != 0:
			return unknownW
		default:
			return old.W[entry>>3][0]
		}
	})
	g.Counts = gone.without(l.Counts)
	g.Dead = gone.dead
	g.Chunks = slices.Clone(g.Chunks)
	for i := range g.Chunks {
		if i >= len(old.Chunks) || old.Chunks[i].Records == nil {
			g.Dead[i] = 0 // a new chunk
		} else if n := int(g.Dead[i]); n > 0 && n == len(g.Chunks[i].Records) {
			g.Chunks[i], g.Dead[i] = layout.Chunk{}, 0
		}
	}
	g.PrepareLookUp()
	return g
}

// deadRecords counts the records of bricks that a refit replaces.
type deadRecords struct {
	*layout.Grid
	dead   []int32 // for each chunk, the number of records that are not used
	counts layout.Counts
}

// brick counts the records of crossed brick n.
func (d *deadRecords) brick(n int) {
	empty := true
	for z := n * layout.BrickSide; z < (n+1)*layout.BrickSide; z++ {
		for i := range bits.OnesCount64(d.Words[z].Crossed) {
			d.cell(d.First[z]+uint32(i), 0)
			empty = false
		}
	}
	if !empty {
		d.counts.Bricks++
	}
}

// cell counts the records of a cell of the given level. id is the number of its first record.
func (d *deadRecords) cell(id uint32, level int) {
	d.dead[id>>layout.ChunkBits]++
	r := d.Record(id)
	switch r.Kind() {
	case layout.KindUniform:
		return
	case layout.KindRayOnly:
		d.counts.RayOnly++
		return
	case layout.KindRefined:
		d.counts.Depth = max(d.counts.Depth, level+1)
		c := r.Children()
		for i := range bits.OnesCount64(c.Crossed) {
			d.cell(c.First+uint32(i), level+1)
		}
		return
	}
	d.counts.Crossed++
	for {
		for _, f := range d.Faces(id) {
			if f >= 0 {
				d.counts.Entries++
			}
		}
		if r.Kind() != layout.KindMore {
			return
		}
		id = r.Next()
		d.dead[id>>layout.ChunkBits]++
		r = d.Record(id)
	}
}

// without subtracts the counted bricks from the counts of d.Grid and adds added. Depth stays,
// although the deepest cell can be gone.
func (d *deadRecords) without(added layout.Counts) layout.Counts {
	c := d.Grid.Counts
	c.Bricks -= d.counts.Bricks
	c.Crossed -= d.counts.Crossed
	c.Entries -= d.counts.Entries
	c.RayOnly -= d.counts.RayOnly
	c.Add(added)
	return c
}

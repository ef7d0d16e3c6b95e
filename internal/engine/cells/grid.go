package cells

import (
	"context"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// tuning
const (
	// A grid is divided into about minBlocks blocks of work or more. The number of points in a block
	// is about minBlock to maxBlock.
	minBlocks = 32
	minBlock  = 1 << 12
	maxBlock  = 1 << 17
	// mostRow is the largest number of points of a row in a block.
	mostRow = 1 << 13
)

// SidesGridTo writes the side of each point of the grid to dst, in the order of the point numbers.
// The sides equal the results of SidesTo for the same points. SidesGridTo is faster than SidesTo:
// consecutive points of a row often lie in empty cells with the same winding number, and
// neighboring rows often have the same sides. Each call allocates some working memory. If workers ≤
// 0, it uses one worker for each processor. SidesGridTo panics if len(dst) is not the number of
// points.
//
// Errors: the errors of side.Grid.Len and of SidesTo.
func (x *Index) SidesGridTo(ctx context.Context, dst []side.Side, grid side.Grid, workers int) (side.Stats, error) {
	bytes := unsafe.Slice((*byte)(unsafe.SliceData(dst)), len(dst)) // a Side is a byte
	identity := Labels{side.Unknown: byte(side.Unknown), side.Outside: byte(side.Outside), side.OnSurface: byte(side.OnSurface), side.Inside: byte(side.Inside)}
	_, stats, err := x.LabelGridTo(ctx, bytes, &identity, grid, workers)
	return stats, err
}

// Labels holds the byte that LabelGridTo writes for each side.
type Labels [side.Inside + 1]byte

// Counts holds the number of points with each side.
type Counts [side.Inside + 1]int64

// LabelGridTo does the work of SidesGridTo, but writes labels[s] instead of the side s to dst.
// counts[s] is the number of points with side s. After an error, counts has no meaning.
func (x *Index) LabelGridTo(ctx context.Context, dst []byte, labels *Labels, grid side.Grid, workers int) (counts Counts, stats side.Stats, err error) {
	n, err := grid.Len()
	if err != nil {
		return counts, stats, err
	}
	if n != len(dst) {
		panic("cells: the length of dst differs from the number of points in the grid")
	}
	if n == 0 {
		return counts, stats, ctx.Err()
	}
	f := newFiller(x, grid, dst, labels)
	workers = min(par.Workers(workers), f.blocks[0]*f.blocks[1]*f.blocks[2])
	work := func(b *batch, lo, hi int) {
		if b.grid == nil {
			b.grid = new(gridBatch)
		}
		for i := lo; i < hi; i++ {
			if b.failed(ctx) == nil {
				f.block(ctx, b, i)
			}
			if b.failed(ctx) != nil {
				f.clear(i, hi)
				return
			}
			f.count(b.grid)
		}
	}
	stats, err = x.parallel(ctx, f.blocks[0]*f.blocks[1]*f.blocks[2], 1, workers, runSize, work, f.clear)
	for s := range counts {
		counts[s] = f.counts[s].Load()
	}
	return counts, stats, err
}

// filler fills dst with the labels of the points of one grid. It divides the grid into blocks.
type filler struct {
	x      *Index
	grid   side.Grid
	dst    []byte
	labels *Labels
	runs   [side.Inside + 1][512]byte // runs[s] holds copies of labels[s]
	steps  [3]int                     // approximate number of points of a block along each axis
	blocks [3]int                     // number of blocks along each axis

	// origin and spacing describe the grid of points, and min and cells the grid of cells, per
	// axis.
	origin, spacing, min, cells [3]float64

	counts [side.Inside + 1]atomic.Int64 // numbers of points of the finished blocks by side
}

func newFiller(x *Index, grid side.Grid, dst []byte, labels *Labels) *filler {
	g := &x.grid
	f := &filler{
		x: x, grid: grid, dst: dst, labels: labels,
		origin:  [3]float64{grid.Origin.X, grid.Origin.Y, grid.Origin.Z},
		spacing: [3]float64{grid.Spacing.X, grid.Spacing.Y, grid.Spacing.Z},
		min:     [3]float64{g.Min.X, g.Min.Y, g.Min.Z},
		cells:   g.Cells,
	}
	for s := range f.runs {
		for i := range f.runs[s] {
			f.runs[s][i] = labels[s]
		}
	}
	// Blocks are about as deep as they are high. Then the boundaries of blocks rarely separate the
	// points of a cell.
	c := grid.Counts
	f.steps[0] = min(c[0], mostRow)
	rows := max(1, max(minBlock, min(len(dst)/minBlocks, maxBlock))/f.steps[0])
	f.steps[2] = min(c[2], int(math.Sqrt(float64(rows))))
	f.steps[1] = min(c[1], rows/f.steps[2])
	f.steps[2] = min(c[2], rows/f.steps[1])
	for a := range c {
		f.blocks[a] = (c[a] + f.steps[a] - 1) / f.steps[a]
	}
	return f
}

// bounds returns the points of block n: from lo to hi−1 along each axis.
func (f *filler) bounds(n int) (lo, hi [3]int) {
	for a, count := range f.blocks {
		lo[a], hi[a] = f.start(a, n%count), f.start(a, n%count+1)
		n /= count
	}
	return lo, hi
}

// start returns the first point of a block along an axis. Along y and z, it is the first point of a
// cell if possible.
func (f *filler) start(axis, block int) int {
	first, count := block*f.steps[axis], f.grid.Counts[axis]
	if axis == 0 || first == 0 || first >= count {
		return min(first, count)
	}
	_, cell, _ := f.locate(axis, first-1)
	for i := first; i < min(first+f.steps[axis], count) && cell >= 0; i++ {
		if _, next, _ := f.locate(axis, i); next != cell {
			return i
		}
	}
	return first
}

// clear sets the sides of all points in blocks lo to hi−1 to Unknown.
func (f *filler) clear(lo, hi int) {
	for n := lo; n < hi; n++ {
		from, to := f.bounds(n)
		for k := from[2]; k < to[2]; k++ {
			for j := from[1]; j < to[1]; j++ {
				f.fill(f.dst[f.number(from[0], j, k):][:to[0]-from[0]], side.Unknown)
			}
		}
	}
}

// count adds the counts of a finished block to f.counts.
func (f *filler) count(w *gridBatch) {
	for s, n := range w.counts {
		f.counts[s].Add(n)
	}
	w.counts = Counts{}
}

// number returns the number of point (i, j, k).
func (f *filler) number(i, j, k int) int { return i + f.grid.Counts[0]*(j+f.grid.Counts[1]*k) }

func (f *filler) fill(dst []byte, s side.Side) {
	for len(dst) > 0 {
		dst = dst[copy(dst, f.runs[s][:]):]
	}
}

// locate returns these numbers for a coordinate that is in no cell.
const (
	outside   = -1 // the coordinate is not in the grid of cells
	notFinite = -2 // the coordinate is infinite or NaN
)

// locate returns the coordinate x of point i along an axis, the cell of the point, and the coordinate
// of the point in this cell. The last result has the bits of an int16.
func (f *filler) locate(axis, i int) (x float64, cell int32, unit uint16) {
	x = f.origin[axis] + float64(float64(f.grid.First[axis]+i)*f.spacing[axis])
	t := (x - f.min[axis]) * f.x.grid.Inv
	if t >= 0 && t < f.cells[axis] {
		c := int32(t)
		return x, c, uint16(layout.Unit(t - float64(c)))
	}
	if x-x != 0 {
		return x, notFinite, 0
	}
	return x, outside, 0
}

// axis describes consecutive points of a grid along one axis.
type axis struct {
	first  int       // number of the first point
	coords []float64 // coordinate of each point
	units  []uint16  // coordinate of each point in its cell
	cells  []cellRun // cells of the points
}

// cellRun is a run of points along one axis, from lo to hi−1, that have the same cell on this axis.
type cellRun struct {
	cell   int32
	lo, hi int
}

// prepareAxis sets a to points lo to hi−1 along an axis.
func (f *filler) prepareAxis(a *axis, number, lo, hi int) {
	a.first, a.coords, a.units, a.cells = lo, a.coords[:0], a.units[:0], a.cells[:0]
	for i := lo; i < hi; i++ {
		x, c, u := f.locate(number, i)
		a.coords, a.units = append(a.coords, x), append(a.units, u)
		if n := len(a.cells); n > 0 && a.cells[n-1].cell == c {
			a.cells[n-1].hi = i + 1
		} else {
			a.cells = append(a.cells, cellRun{c, i, i + 1})
		}
	}
}

// span is a run of points in a row, from lo to hi−1. kind tells how their sides are found.
type span struct {
	kind   uint8
	side   side.Side // side of the points if kind is spanUniform
	lo, hi int
	entry  uint32 // entry of the brick in layout.Grid.Top if kind is spanCrossed
	cells  int    // number of the first cell of the brick in the axis x
}

const (
	spanUniform   = iota // all points have the same side
	spanCrossed          // the points are in a brick with crossed cells
	spanPostponed        // the sides are computed point by point
)

// brickRun is a run of points along one axis, from lo to hi−1, that have the same brick on this
// axis.
type brickRun struct {
	brick  int32 // number of the brick along the axis, or outside, or notFinite
	lo, hi int
	cells  int // index of the first cell in axis.cells
}

// gridRow is a row of points of a block.
type gridRow struct {
	start  int     // number of its first point in the block
	packed uint64  // coordinates y and z of its points in their cells; see layout.Pack
	y, z   float64 // coordinates of its points
}

// gridBatch is the working memory of one worker.
type gridBatch struct {
	x, y, z axis
	bricks  []brickRun // bricks of x
	spans   []span     // spans of the rows of one row of bricks
	counts  Counts

	rows    []gridRow     // rows of points in one row of cells
	crossed []crossedCell // crossed cells of these rows
	coarse  coarseCells
	fine    fineCell

	// The sides of postponed points are computed point by point. pts has their coordinates.
	n   int
	to  [runSize]int // to[i] is the number in the grid of postponed point i
	pts [runSize]r3.Vector
	dst [runSize]side.Side
}

// block finds the sides of the points of block n.
func (f *filler) block(ctx context.Context, b *batch, n int) {
	lo, hi := f.bounds(n)
	w := b.grid
	if w.x.first != lo[0] || len(w.x.units) != hi[0]-lo[0] {
		f.prepareAxis(&w.x, 0, lo[0], hi[0])
		w.findBricks()
	}
	f.prepareAxis(&w.y, 1, lo[1], hi[1])
	f.prepareAxis(&w.z, 2, lo[2], hi[2])
	brick := [2]int32{math.MinInt32, math.MinInt32}
	for _, z := range w.z.cells {
		for _, y := range w.y.cells {
			if at := [2]int32{y.cell >> layout.BrickBits, z.cell >> layout.BrickBits}; at != brick || y.cell < 0 || z.cell < 0 {
				brick = at
				f.findSpans(w, y.cell, z.cell)
			}
			f.fillRows(ctx, b, &y, &z)
		}
	}
	f.flushCoarse(ctx, b)
	f.flushPostponed(ctx, b)
}

// findBricks sets w.bricks.
func (w *gridBatch) findBricks() {
	w.bricks = w.bricks[:0]
	for i, c := range w.x.cells {
		brick := c.cell
		if brick >= 0 {
			brick >>= layout.BrickBits
		}
		if n := len(w.bricks); n > 0 && w.bricks[n-1].brick == brick {
			w.bricks[n-1].hi = c.hi
		} else {
			w.bricks = append(w.bricks, brickRun{brick, c.lo, c.hi, i})
		}
	}
}

// findSpans sets w.spans for the row of bricks that contains the cells y and z.
func (f *filler) findSpans(w *gridBatch, y, z int32) {
	g := &f.x.grid
	w.spans = w.spans[:0]
	position := (z>>layout.BrickBits*g.Dims[1] + y>>layout.BrickBits) * g.Dims[0]
	for _, r := range w.bricks {
		s := span{kind: spanUniform, side: side.Outside, lo: r.lo, hi: r.hi}
		switch least := min(r.brick, y, z); {
		case f.x.noGrid || least == notFinite || least == outside && len(g.Caps) > 0:
			s.kind = spanPostponed
		case least >= 0:
			s.entry, s.cells = g.Top[position+r.brick], r.cells
			switch brick := s.entry >> 3; {
			case s.entry&layout.TopRayOnly != 0:
				s.kind = spanPostponed
			case !g.Uniform(brick):
				s.kind = spanCrossed
			default:
				s.side = layout.Label(s.entry, g.Words[brick*layout.BrickSide].Value)
			}
		}
		if n := len(w.spans); n > 0 && s.kind != spanCrossed && w.spans[n-1].kind == s.kind && w.spans[n-1].side == s.side {
			w.spans[n-1].hi = s.hi
			continue
		}
		w.spans = append(w.spans, s)
	}
}

// point returns point i of the block in a row.
func (w *gridBatch) point(row *gridRow, i int) r3.Vector {
	return r3.Vector{X: w.x.coords[i], Y: row.y, Z: row.z}
}

// findRows sets w.rows to the rows of the block in the cells y and z.
func (f *filler) findRows(w *gridBatch, y, z *cellRun) {
	w.rows = w.rows[:0]
	for k := z.lo; k < z.hi; k++ {
		for j := y.lo; j < y.hi; j++ {
			j, k := j-w.y.first, k-w.z.first
			w.rows = append(w.rows, gridRow{
				start:  f.number(w.x.first, j+w.y.first, k+w.z.first),
				packed: uint64(w.y.units[j])<<16 | uint64(w.z.units[k])<<32 | layout.CoordUnit<<48,
				y:      w.y.coords[j], z: w.z.coords[k],
			})
		}
	}
}

// fillRows finds the sides of the points of the block in the cells y and z. Outside of crossed
// cells, all these rows have the same sides.
func (f *filler) fillRows(ctx context.Context, b *batch, y, z *cellRun) {
	g, w := &f.x.grid, b.grid
	f.findRows(w, y, z)
	n := len(w.x.units)
	row := f.dst[w.rows[0].start:][:n]
	counts := f.firstRow(w, row, y.cell, z.cell)
	rows := int64(len(w.rows))
	filled := int64(0)
	for s, count := range counts {
		w.counts[s] += count * rows
		filled += count
	}
	b.scratch.points += uint64(filled * rows)
	if filled > 0 {
		for i := range w.rows[1:] {
			copy(f.dst[w.rows[i+1].start:][:n], row)
		}
	}
	for i := range w.spans {
		if s := &w.spans[i]; s.kind == spanPostponed {
			f.postpone(ctx, b, s.lo, s.hi)
		}
	}
	for _, c := range w.crossed {
		if g.IsOpen(c.word, uint(c.bit)) {
			f.postpone(ctx, b, c.lo, c.hi)
		} else {
			f.cross(ctx, b, g.RecordOf(c.word, uint(c.bit)), c.lo, c.hi)
		}
	}
}

// firstRow fills one row in the cells y and z. It skips the points in crossed cells and in
// postponed spans. It returns the number of filled points by side, and sets w.crossed to the
// crossed cells of the row.
func (f *filler) firstRow(w *gridBatch, row []byte, y, z int32) (counts Counts) {
	g := &f.x.grid
	from := w.x.first
	fill := func(lo, hi int, s side.Side) {
		counts[s] += int64(hi - lo)
		f.fill(row[lo-from:hi-from], s)
	}
	shift := uint(y&(layout.BrickSide-1)) << layout.BrickBits
	crossedCells := w.crossed[:0]
	for i := range w.spans {
		s := &w.spans[i]
		if s.kind == spanUniform {
			fill(s.lo, s.hi, s.side)
		}
		if s.kind != spanCrossed {
			continue
		}
		word := s.entry>>3*layout.BrickSide + uint32(z&(layout.BrickSide-1))
		crossed, value := uint8(g.Words[word].Crossed>>shift), uint8(g.Words[word].Value>>shift)
		if crossed == 0 && value+1 <= 1 { // the values of all eight cells are 0, or all are 1
			fill(s.lo, s.hi, layout.Label(s.entry, uint64(value)))
			continue
		}
		for i, lo := s.cells, s.lo; lo < s.hi; i++ {
			c := &w.x.cells[i]
			bit := uint(c.cell & (layout.BrickSide - 1))
			if crossed>>bit&1 == 1 {
				crossedCells = append(crossedCells, crossedCell{word, uint8(shift + bit), c.lo, c.hi})
			} else {
				fill(c.lo, c.hi, layout.Label(s.entry, uint64(value>>bit)))
			}
			lo = c.hi
		}
	}
	w.crossed = crossedCells
	return counts
}

// postpone collects points lo to hi−1 of the rows in b.grid.rows. If the memory for postponed points is
// full, postpone calls flushPostponed.
func (f *filler) postpone(ctx context.Context, b *batch, lo, hi int) {
	w := b.grid
	for r := range w.rows {
		for i := lo - w.x.first; i < hi-w.x.first; i++ {
			if w.n == runSize {
				f.flushPostponed(ctx, b)
			}
			w.to[w.n], w.pts[w.n] = w.rows[r].start+i, w.point(&w.rows[r], i)
			w.n++
		}
	}
}

// flushPostponed finds the sides of the postponed points and writes their labels to f.dst.
func (f *filler) flushPostponed(ctx context.Context, b *batch) {
	w := b.grid
	if n := w.n; n > 0 {
		// Ignore the error. b or ctx also has it, and the caller checks both.
		_ = f.x.sides(ctx, b, w.dst[:n], nil, w.pts[:n])
		for i, at := range w.to[:n] {
			f.write(w, at, w.dst[i])
		}
	}
	w.n = 0
}

// write writes the label of a point.
func (f *filler) write(w *gridBatch, at int, s side.Side) {
	f.dst[at] = f.labels[s]
	w.counts[s]++
}

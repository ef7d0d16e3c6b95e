package cells

import (
	"context"
	"slices"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// tuning
const (
	gridSize = 1 << 15 // approximate number of points in a block of work
	mostRow  = 1 << 16 // largest number of points in a piece of a row
)

// SidesGridTo writes the side of each point of the grid to dst, in the order of the point numbers.
// The sides equal the results of SidesTo for the same points. Consecutive points of a row often lie
// in empty cells with the same winding number. SidesGridTo is fast because it writes the sides of
// such points together. Each call allocates some working memory. If workers ≤ 0, it uses one worker
// for each processor. SidesGridTo panics if len(dst) is not the number of points.
//
// Errors: the errors of side.Grid.Len and of SidesTo.
func (x *Index) SidesGridTo(ctx context.Context, dst []side.Side, grid side.Grid, workers int) (side.Stats, error) {
	n, err := grid.Len()
	if err != nil {
		return side.Stats{}, err
	}
	if n != len(dst) {
		panic("cells: the length of dst differs from the number of points in the grid")
	}
	if n == 0 {
		return side.Stats{}, ctx.Err()
	}
	f := newFiller(x, grid, dst)
	work := func(b *batch, lo, hi int) {
		if b.grid == nil {
			b.grid = new(gridBatch)
		}
		for i := lo; i < hi; i++ {
			if b.failed(ctx) != nil {
				f.clear(i, hi)
				break
			}
			f.piece(ctx, b, i)
		}
		f.flush(ctx, b)
	}
	return x.parallel(ctx, f.pieces, max(1, gridSize/f.length), par.Workers(workers), runSize, work, f.clear)
}

// filler fills the rows of one grid of points. It divides long rows into pieces.
type filler struct {
	x      *Index
	grid   side.Grid
	dst    []side.Side
	length int // number of points in a piece; the last piece of a row can have fewer points
	pieces int
	perRow int // number of pieces in a row
	// The planes between cells along x have the numbers 0, 1, 2, …. firstPoint[c] is the number of
	// the first point of a row at or beyond plane c. If firstPoint is nil, the filler postpones all
	// points.
	firstPoint []int
}

// gridBatch is the working memory of one worker for postponed points.
type gridBatch struct {
	n   int
	to  [runSize]int // to[i] is the index in filler.dst of the side of point i
	pts [runSize]r3.Vector
	dst [runSize]side.Side
}

func newFiller(x *Index, grid side.Grid, dst []side.Side) *filler {
	g := &x.grid
	f := &filler{x: x, grid: grid, dst: dst, length: min(grid.Counts[0], mostRow)}
	f.perRow = (grid.Counts[0] + f.length - 1) / f.length
	f.pieces = f.perRow * grid.Counts[1] * grid.Counts[2]
	// Rounding keeps the order of the points of a row, so the points of a cell are consecutive.
	// firstPoint is not worth its cost if a row has few points for each brick along x. The same
	// holds if it would have many more elements than the grid has points.
	rows := grid.Counts[1] * grid.Counts[2]
	if x.noGrid || len(g.Top) == 0 || !(grid.Spacing.X > 0) || !vec.Finite(grid.Origin) || !vec.Finite(grid.Point(grid.Counts[0]-1, 0, 0)) ||
		2*grid.Counts[0] < int(g.Dims[0]) || g.Cells[0] > 16*float64(rows)*float64(grid.Counts[0]) {
		return f
	}
	f.firstPoint = make([]int, int(g.Dims[0])*layout.BrickSide+1)
	for c := range f.firstPoint {
		f.firstPoint[c] = sort.Search(grid.Counts[0], func(i int) bool {
			return (grid.Point(i, 0, 0).X-g.Min.X)*g.Inv >= float64(c)
		})
	}
	return f
}

// where returns the row (j, k) of piece i, the index of its first point in the row and in f.dst,
// and its number of points.
func (f *filler) where(i int) (j, k, from, at, n int) {
	row := i / f.perRow
	from = i % f.perRow * f.length
	return row % f.grid.Counts[1], row / f.grid.Counts[1], from, row*f.grid.Counts[0] + from, min(f.length, f.grid.Counts[0]-from)
}

// clear sets the sides of all points in pieces lo to hi−1 to Unknown.
func (f *filler) clear(lo, hi int) {
	_, _, _, from, _ := f.where(lo)
	_, _, _, at, n := f.where(hi - 1)
	clear(f.dst[from : at+n])
}

// piece finds the sides of the points of piece i, except for the points that it postpones.
func (f *filler) piece(ctx context.Context, b *batch, i int) {
	j, k, from, at, n := f.where(i)
	g := &f.x.grid
	p := f.grid.Point(0, j, k)
	_, ty, tz := g.Coords(p)
	row := f.dst[at : at+n]
	if f.firstPoint == nil || !vec.Finite(p) {
		f.postpone(ctx, b, j, k, from, from+n)
		return
	}
	if !(ty >= 0 && ty < g.Cells[1] && tz >= 0 && tz < g.Cells[2]) {
		f.outside(ctx, b, j, k, from, from+n, at-from)
		return
	}
	clip := func(i int) int { return max(from, min(i, from+n)) }
	f.outside(ctx, b, j, k, from, clip(f.firstPoint[0]), at-from)
	f.outside(ctx, b, j, k, clip(f.firstPoint[len(f.firstPoint)-1]), from+n, at-from)
	iy, iz := int32(ty), int32(tz)
	for bx := range g.Dims[0] {
		bounds := f.firstPoint[bx*layout.BrickSide:][:layout.BrickSide+1]
		lo, hi := clip(bounds[0]), clip(bounds[layout.BrickSide])
		if lo == hi {
			continue
		}
		entry, word, bit := g.Find(bx*layout.BrickSide, iy, iz)
		if entry&layout.TopRayOnly != 0 {
			f.postpone(ctx, b, j, k, lo, hi)
			continue
		}
		crossed, value := uint8(g.Words[word].Crossed>>bit), uint8(g.Words[word].Value>>bit)
		if crossed == 0 && value+1 <= 1 { // the values of all eight cells are 0, or all are 1
			fill(row[lo-from:hi-from], layout.Label(entry, uint64(value)))
			b.scratch.points += uint64(hi - lo)
			continue
		}
		for c := range layout.BrickSide {
			if hi = clip(bounds[c+1]); lo == hi {
				continue
			}
			if crossed>>c&1 == 1 {
				f.postpone(ctx, b, j, k, lo, hi)
			} else {
				fill(row[lo-from:hi-from], layout.Label(entry, uint64(value>>c)))
				b.scratch.points += uint64(hi - lo)
			}
			lo = hi
		}
	}
}

// outside finds the sides of points lo to hi−1 of row (j, k). All of them must lie outside of the
// grid of cells. rowStart is the index in dst of the first point of the row.
func (f *filler) outside(ctx context.Context, b *batch, j, k, lo, hi, rowStart int) {
	if len(f.x.grid.Caps) > 0 {
		f.postpone(ctx, b, j, k, lo, hi)
		return
	}
	if lo < hi {
		fill(f.dst[rowStart+lo:rowStart+hi], side.Outside)
		b.scratch.points += uint64(hi - lo)
	}
}

// postpone collects points lo to hi−1 of row (j, k). If the memory for postponed points is full,
// postpone calls flush.
func (f *filler) postpone(ctx context.Context, b *batch, j, k, lo, hi int) {
	w := b.grid
	for i := lo; i < hi; i++ {
		if w.n == runSize {
			f.flush(ctx, b)
		}
		w.to[w.n], w.pts[w.n] = i+f.grid.Counts[0]*(j+f.grid.Counts[1]*k), f.grid.Point(i, j, k)
		w.n++
	}
}

// flush finds the sides of the postponed points and writes these sides to f.dst.
func (f *filler) flush(ctx context.Context, b *batch) {
	w := b.grid
	if n := w.n; n > 0 {
		// Ignore the error. It is also in b or ctx, which the caller checks.
		_ = f.x.sides(ctx, b, w.dst[:n], w.pts[:n])
		for i, at := range w.to[:n] {
			f.dst[at] = w.dst[i]
		}
	}
	w.n = 0
}

func fill(dst []side.Side, s side.Side) {
	for len(dst) > 0 {
		n := copy(dst, sideRuns[s])
		dst = dst[n:]
	}
}

// sideRuns[s] holds 512 copies of side s.
var sideRuns = func() (runs [side.Inside + 1][]side.Side) {
	for s := range runs {
		runs[s] = slices.Repeat([]side.Side{side.Side(s)}, 512)
	}
	return runs
}()

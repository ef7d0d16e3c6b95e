package cells

import (
	"cmp"
	"context"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// SidesGridTo writes the side of every point of g to dst, in the order of their
// numbers: the answers of SidesTo for the same points. Rows along x are filled by
// runs of points in cells of the same label, so nothing but dst is read or
// written for most of them. It panics if dst has not one element for each point,
// and fails as Grid.Len does. Otherwise it is like SidesTo, but allocates some
// working memory for each call.
func (x *Index) SidesGridTo(ctx context.Context, dst []side.Side, g side.Grid, workers int) (side.Stats, error) {
	n, err := g.Len()
	if err != nil {
		return side.Stats{}, err
	}
	if n != len(dst) {
		panic("cells: dst and grid differ in length")
	}
	if n == 0 {
		return side.Stats{}, ctx.Err()
	}
	f := newFiller(x, g, dst)
	size := max(1, gridSize/f.length)
	workers = min(par.Workers(workers), (f.pieces+size-1)/size)
	batches := make([]*batch, workers)
	for i := range batches {
		batches[i] = x.getBatch(ctx, runSize)
		batches[i].grid = new(gridBatch)
	}
	begun := make([]bool, (f.pieces+size-1)/size)
	err = par.Blocks(ctx, f.pieces, size, workers, func(worker, lo, hi int) {
		begun[lo/size] = true
		b := batches[worker]
		for i := lo; i < hi; i++ {
			if b.failed(ctx) != nil {
				f.clear(i, hi)
				break
			}
			f.piece(ctx, b, i)
		}
		f.flush(ctx, b)
	})
	for i, ok := range begun {
		if !ok {
			f.clear(i*size, min(f.pieces, (i+1)*size))
		}
	}
	var sum side.Stats
	for _, b := range batches {
		sum.Add(b.scratch.Stats())
		err = cmp.Or(err, b.scratch.err)
		b.grid = nil
		x.putBatch(b)
	}
	return sum, err
}

// gridSize is about how many points of a grid a worker takes at a time.
const gridSize = 1 << 15

// mostRow is how many points of a row are filled at a time; longer rows are cut.
const mostRow = 1 << 16

// filler fills the rows of one grid of points.
type filler struct {
	x      *Index
	g      side.Grid
	dst    []side.Side
	length int // points in a piece of a row, but for the last of the row
	pieces int
	perRow int
	// For each plane between cells along x, the number of the first point of a row
	// that is not before it; nil if rows have to be answered point by point.
	first []int
}

// gridBatch is the working memory of a worker for points in crossed cells.
type gridBatch struct {
	n   int
	to  [runSize]int
	pts [runSize]r3.Vector
	dst [runSize]side.Side
}

func newFiller(x *Index, g side.Grid, dst []side.Side) *filler {
	f := &filler{x: x, g: g, dst: dst, length: min(g.Counts[0], mostRow)}
	f.perRow = (g.Counts[0] + f.length - 1) / f.length
	f.pieces = f.perRow * g.Counts[1] * g.Counts[2]
	// Rounded products and sums keep the order of the points. Where a row has fewer
	// points than bricks, or all together far fewer than there are cells, going
	// through them would cost more than it saves.
	rows := g.Counts[1] * g.Counts[2]
	if x.gone || len(x.top) == 0 || !(g.Spacing.X > 0) || !vec.Finite(g.Origin) || !vec.Finite(g.Point(g.Counts[0]-1, 0, 0)) ||
		2*g.Counts[0] < int(x.dims[0]) || x.lim[0] > 16*float64(rows)*float64(g.Counts[0]) {
		return f
	}
	f.first = make([]int, int(x.dims[0])*brickSide+1)
	for c := range f.first {
		f.first[c] = sort.Search(g.Counts[0], func(i int) bool {
			return (g.Point(i, 0, 0).X-x.min.X)*x.inv >= float64(c)
		})
	}
	return f
}

// where returns the row of piece i, the first point of the piece in it, its place
// in dst and its length.
func (f *filler) where(i int) (j, k, from, at, n int) {
	row := i / f.perRow
	from = i % f.perRow * f.length
	return row % f.g.Counts[1], row / f.g.Counts[1], from, row*f.g.Counts[0] + from, min(f.length, f.g.Counts[0]-from)
}

// clear makes the sides of pieces lo to hi Unknown.
func (f *filler) clear(lo, hi int) {
	_, _, _, from, _ := f.where(lo)
	_, _, _, at, n := f.where(hi - 1)
	clear(f.dst[from : at+n])
}

// piece answers piece i of a row, but for what flush has to.
func (f *filler) piece(ctx context.Context, b *batch, i int) {
	j, k, from, at, n := f.where(i)
	x := f.x
	p := f.g.Point(0, j, k)
	_, ty, tz := x.at(p)
	row := f.dst[at : at+n]
	if f.first == nil || !(ty >= 0 && ty < x.lim[1] && tz >= 0 && tz < x.lim[2]) {
		if f.first != nil && x.veil == nil && vec.Finite(p) {
			fill(row, side.Outside)
			b.scratch.points += uint64(n)
			return
		}
		f.later(ctx, b, j, k, from, from+n)
		return
	}
	clip := func(i int) int { return max(from, min(i, from+n)) }
	f.outside(ctx, b, j, k, from, clip(f.first[0]), at-from)
	f.outside(ctx, b, j, k, clip(f.first[len(f.first)-1]), from+n, at-from)
	iy, iz := int32(ty), int32(tz)
	for bx := range x.dims[0] {
		bounds := f.first[bx*brickSide:][:brickSide+1]
		lo, hi := clip(bounds[0]), clip(bounds[brickSide])
		if lo == hi {
			continue
		}
		e, word, bit := x.find(bx*brickSide, iy, iz)
		if e&needsRays != 0 {
			f.later(ctx, b, j, k, lo, hi)
			continue
		}
		crossed, value := uint8(x.words[word].crossed>>bit), uint8(x.words[word].value>>bit)
		if crossed == 0 && value+1 <= 1 { // all 0 or all 1
			fill(row[lo-from:hi-from], label(e, uint64(value)))
			b.scratch.points += uint64(hi - lo)
			continue
		}
		for c := range brickSide {
			if hi = clip(bounds[c+1]); lo == hi {
				continue
			}
			if crossed>>c&1 == 1 {
				f.later(ctx, b, j, k, lo, hi)
			} else {
				fill(row[lo-from:hi-from], label(e, uint64(value>>c)))
				b.scratch.points += uint64(hi - lo)
			}
			lo = hi
		}
	}
}

// outside answers points lo to hi of a row, which are not in the grid of cells;
// point 0 of the row would have place at in dst.
func (f *filler) outside(ctx context.Context, b *batch, j, k, lo, hi, at int) {
	if f.x.veil != nil {
		f.later(ctx, b, j, k, lo, hi)
		return
	}
	if lo < hi {
		fill(f.dst[at+lo:at+hi], side.Outside)
		b.scratch.points += uint64(hi - lo)
	}
}

// later puts points lo to hi of row (j, k) off until there are many.
func (f *filler) later(ctx context.Context, b *batch, j, k, lo, hi int) {
	w := b.grid
	for i := lo; i < hi; i++ {
		if w.n == runSize {
			f.flush(ctx, b)
		}
		w.to[w.n], w.pts[w.n] = i+f.g.Counts[0]*(j+f.g.Counts[1]*k), f.g.Point(i, j, k)
		w.n++
	}
}

// flush answers what was put off.
func (f *filler) flush(ctx context.Context, b *batch) {
	w := b.grid
	if n := w.n; n > 0 {
		// An error is found again by the caller.
		_ = f.x.sides(ctx, b, w.dst[:n], w.pts[:n])
		for i, at := range w.to[:n] {
			f.dst[at] = w.dst[i]
		}
	}
	w.n = 0
}

// fill sets all of dst to s.
func fill(dst []side.Side, s side.Side) {
	for len(dst) > 0 {
		n := copy(dst, solid[s][:])
		dst = dst[n:]
	}
}

// solid holds runs of each side, for fill to copy.
var solid = func() (runs [side.Inside + 1][512]side.Side) {
	for s := range runs {
		for i := range runs[s] {
			runs[s][i] = side.Side(s)
		}
	}
	return runs
}()

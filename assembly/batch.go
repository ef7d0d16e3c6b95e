package assembly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// Points of a batch go to the workers in blocks of largestBlock. If that gives a worker
// too few blocks, blocks are smaller, but at least smallestBlock. A worker sorts the
// points of a block by the solids whose boxes contain them, at most maxPairs pairs (plus
// the pairs of one point) at a time. Then it queries solid by solid, and a large solid
// for at least batchPoints points at once. Choices: 2 MB of pairs, and batches that pay.
const (
	largestBlock  = 1 << 14
	smallestBlock = 64
	maxPairs      = 1 << 17
	batchPoints   = 128
)

// fewSolids is the largest number of boxes that are compared with every point instead of
// being found through the tree: a box takes about a nanosecond, a walk about twenty.
const fewSolids = 12 // tuning

// pair says that a point of a block lies in the box of the solid of a rank.
type pair struct{ rank, point int32 }

// batchWorker is the working memory of one worker of a batch.
type batchWorker struct {
	stats side.Stats // of all solids
	walk  boxWalk

	pairs  []pair
	ends   []int32 // for each rank, the end of its points
	sorted []int32 // points by rank, ascending

	picked  []int32 // numbers of the points that a solid answers for
	pts     []r3.Vector
	answers side.Answers
}

// groupFunc handles the points of a block that lie in the box of one solid. It returns
// an error if ctx has interrupted that.
type groupFunc func(ctx context.Context, w *batchWorker, solid int32, points []int32) error

// forEachBody calls group for the solids of set by rank, with the points of pts in
// their boxes, ascending. The groups of one point come in the order of the ranks.
func (w *batchWorker) forEachBody(ctx context.Context, set *boxSet, by *ranking, pts []r3.Vector, group groupFunc) error {
	if len(by.order) <= fewSolids {
		return w.forEachOfFew(ctx, set, by, pts, group)
	}
	w.pairs = w.pairs[:0]
	for i, p := range pts {
		w.walk.start(set, p)
		for solid, ok := w.walk.next(); ok; solid, ok = w.walk.next() {
			w.pairs = append(w.pairs, pair{by.of[solid], int32(i)})
		}
		if len(w.pairs) >= maxPairs {
			if err := w.flush(ctx, by, group); err != nil {
				return err
			}
		}
	}
	return w.flush(ctx, by, group)
}

// forEachOfFew is forEachBody without the tree.
func (w *batchWorker) forEachOfFew(ctx context.Context, set *boxSet, by *ranking, pts []r3.Vector, group groupFunc) error {
	for _, solid := range by.order {
		w.sorted = set.inside(w.sorted, solid, pts)
		if len(w.sorted) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := group(ctx, w, solid, w.sorted); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// flush sorts the pairs by rank, calls group for each and forgets them.
func (w *batchWorker) flush(ctx context.Context, by *ranking, group groupFunc) error {
	n := len(by.order)
	if len(w.ends) != n+1 {
		w.ends = make([]int32, n+1)
	}
	clear(w.ends)
	for _, p := range w.pairs {
		w.ends[p.rank+1]++
	}
	for r := range n {
		w.ends[r+1] += w.ends[r]
	}
	// ends[r] is now the beginning of the points of rank r; the loop moves it to their end.
	w.sorted = resize(w.sorted, len(w.pairs))
	for _, p := range w.pairs {
		w.sorted[w.ends[p.rank]] = p.point
		w.ends[p.rank]++
	}
	w.pairs = w.pairs[:0]
	from := int32(0)
	for r, solid := range by.order {
		to := w.ends[r]
		if from == to {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := group(ctx, w, solid, w.sorted[from:to]); err != nil {
			return err
		}
		from = to
	}
	return ctx.Err()
}

// locate writes the wanted answers of l, a Locator of m, for the points of pts that
// points lists to w.answers. It returns an error if ctx has interrupted that.
func (w *batchWorker) locate(ctx context.Context, m *member, l locate.Locator, points []int32, pts []r3.Vector, sides bool) error {
	w.gather(points, pts)
	var dst side.Answers
	if sides {
		w.answers.Sides = resize(w.answers.Sides, len(points))
		dst.Sides = w.answers.Sides
	} else {
		w.answers.Winding, w.answers.Bound = resize(w.answers.Winding, len(points)), resize(w.answers.Bound, len(points))
		dst.Winding, dst.Bound = w.answers.Winding, w.answers.Bound
	}
	// Batches of few points take no working memory that m would keep.
	step := locate.Few
	if m.batched && len(points) >= batchPoints {
		step = len(points)
	}
	for lo := 0; lo < len(points); lo += step {
		hi := min(len(points), lo+step)
		stats, err := l.LocateTo(ctx, dst.Slice(lo, hi), w.pts[lo:hi], 1)
		w.stats.Add(stats)
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// gather copies the points.
func (w *batchWorker) gather(points []int32, pts []r3.Vector) {
	w.pts = resize(w.pts, len(points))
	for k, i := range points {
		w.pts[k] = pts[i]
	}
}

// blocks calls work for blocks of n points with a worker's memory, which is w for
// one block at a time, until ctx ends. It counts n points, however many solids were
// asked.
func (a *Assembly) blocks(ctx context.Context, n int, work func(w *batchWorker, lo, hi int)) (side.Stats, error) {
	workers := par.Workers(a.opt.Workers)
	size := a.blockSize(n)
	batchWorkers := make([]batchWorker, min(workers, (n+size-1)/size))
	err := par.Blocks(ctx, n, size, workers, func(worker, lo, hi int) {
		work(&batchWorkers[worker], lo, hi)
	})
	var sum side.Stats
	for i := range batchWorkers {
		sum.Add(batchWorkers[i].stats)
	}
	sum.Points = uint64(n)
	return sum, err
}

// blockSize returns the number of points of a block, for n points in total: at least four
// blocks for each worker, within limits.
func (a *Assembly) blockSize(n int) int {
	return min(largestBlock, max(smallestBlock, n/(4*par.Workers(a.opt.Workers))))
}

// resize returns s with n elements, of any value.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

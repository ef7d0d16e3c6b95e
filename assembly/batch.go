package assembly

import (
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

const (
	// largestBlock is the largest number of points in a block. If a worker would get too few blocks,
	// blocks are smaller, but have at least smallestBlock points (tuning).
	largestBlock  = 1 << 14
	smallestBlock = 64
	// maxPairs is the number of pairs of point and solid that a worker collects before a query. The
	// pairs of one point are never divided. Collected pairs take 2 MB (tuning).
	maxPairs = 1 << 17
	// batchPoints is the smallest number of points for which a large solid is queried in one batch
	// (tuning).
	batchPoints = 128
	// fewSolids is the largest number of boxes for which every point is compared with every box. For
	// more boxes, a tree finds the boxes that contain a point. A comparison with a box takes about
	// one nanosecond, and a walk through the tree takes about 20 nanoseconds (tuning).
	fewSolids = 12
)

// pair is a point of a block and the rank of a solid whose box contains the point.
type pair struct{ rank, point int32 }

// batchWorker is the working memory of one worker of a batch.
type batchWorker struct {
	stats side.Stats // sum over all solids
	walk  boxWalk

	pairs  []pair
	ends   []int32 // for each rank, the end of its points in w.sorted
	sorted []int32 // points sorted by rank, and by index within a rank

	picked  []int32     // indexes of the points for which one solid is queried
	kept    []side.Side // sides of these points relative to a solid with negative parts
	near    []int32     // positions in kept of the points that negative parts can cut out
	cut     []int32     // indexes of these points
	pts     []r3.Vector
	answers side.Answers
}

// groupFunc handles the points of a block that lie in the box of one solid. Its only possible error
// is the error of the context.
type groupFunc func(solid int32, points []int32) error

// forEachBody calls group for each solid whose box contains points of pts. It passes the indexes of
// these points, ascending. The calls for each point follow the ranking.
func (w *batchWorker) forEachBody(ctx context.Context, set *boxSet, ranks *ranking, pts []r3.Vector, group groupFunc) error {
	if len(ranks.order) <= fewSolids {
		for _, solid := range ranks.order {
			w.sorted = set.inside(w.sorted, solid, pts)
			if err := callGroup(ctx, group, solid, w.sorted); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	w.pairs = w.pairs[:0]
	for i, p := range pts {
		w.walk.start(set, p)
		for solid, ok := w.walk.next(); ok; solid, ok = w.walk.next() {
			w.pairs = append(w.pairs, pair{ranks.rankOf[solid], int32(i)})
		}
		if len(w.pairs) >= maxPairs {
			if err := w.flush(ctx, ranks, group); err != nil {
				return err
			}
		}
	}
	return w.flush(ctx, ranks, group)
}

// callGroup calls group unless there are no points or ctx has ended.
func callGroup(ctx context.Context, group groupFunc, solid int32, points []int32) error {
	if len(points) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return group(solid, points)
}

// flush sorts the pairs by rank, calls group for each rank, and removes the pairs.
func (w *batchWorker) flush(ctx context.Context, ranks *ranking, group groupFunc) error {
	n := len(ranks.order)
	w.ends = resize(w.ends, n+1)
	clear(w.ends)
	for _, p := range w.pairs {
		w.ends[p.rank+1]++
	}
	for r := range n {
		w.ends[r+1] += w.ends[r]
	}
	// Before the loop, ends[r] is the beginning of the points of rank r. The loop moves ends[r] to
	// the end of these points.
	w.sorted = resize(w.sorted, len(w.pairs))
	for _, p := range w.pairs {
		w.sorted[w.ends[p.rank]] = p.point
		w.ends[p.rank]++
	}
	w.pairs = w.pairs[:0]
	from := int32(0)
	for r, solid := range ranks.order {
		if err := callGroup(ctx, group, solid, w.sorted[from:w.ends[r]]); err != nil {
			return err
		}
		from = w.ends[r]
	}
	return ctx.Err()
}

// locate queries some of the points with l, a Stage of m. It writes sides or winding numbers to
// w.answers. If ctx ends first, locate returns the error of ctx.
func (w *batchWorker) locate(ctx context.Context, m *member, l *locate.Stage, points []int32, pts []r3.Vector, wantSides bool) error {
	w.pts = resize(w.pts, len(points))
	for k, i := range points {
		w.pts[k] = pts[i]
	}
	var dst side.Answers
	if wantSides {
		w.answers.Sides = resize(w.answers.Sides, len(points))
		dst.Sides = w.answers.Sides
	} else {
		w.answers.Winding, w.answers.Bound = resize(w.answers.Winding, len(points)), resize(w.answers.Bound, len(points))
		dst.Winding, dst.Bound = w.answers.Winding, w.answers.Bound
	}
	step := locate.Few // for at most locate.Few points, m stores no working memory
	if m.batched && len(points) >= batchPoints {
		step = len(points)
	}
	for lo := 0; lo < len(points); lo += step {
		hi := min(len(points), lo+step)
		stats, err := l.LocateTo(ctx, answers.Slice(dst, lo, hi), w.pts[lo:hi], 1)
		w.stats.Add(stats)
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// blocks calls work(w, lo, hi) for each block of n points until ctx ends. Calls with the same w do
// not overlap. The Stats count n points, even if several solids were queried for a point.
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

// blockSize returns the number of points in a block of a batch of n points. Each worker gets at
// least four blocks, unless the limits of a block prevent this.
func (a *Assembly) blockSize(n int) int {
	return min(largestBlock, max(smallestBlock, n/(4*par.Workers(a.opt.Workers))))
}

// resize returns a slice of n elements with undefined content. It reuses the memory of s if
// possible.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

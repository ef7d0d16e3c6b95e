package inpoly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// Points of a batch go to the workers in blocks of mostAsked, of fewer where every
// worker would get less than some, at least leastAsked. A worker sorts the points of
// a block by the solids whose boxes they lie in, at most mostPairs at a time and
// those of one point more, and asks solid by solid: a large one for bulkPoints points
// or more at once. Choices: 2 MB of pairs, and batches that pay.
const (
	mostAsked  = 1 << 14
	leastAsked = 64
	mostPairs  = 1 << 17
	bulkPoints = 128
)

// fewSolids is how many boxes are compared with every point rather than found through
// the tree: a box takes about a nanosecond, a walk some twenty. A choice.
const fewSolids = 12

// pair says that a point of a block lies in the box of the solid of a rank.
type pair struct{ rank, point int32 }

// asker is the working memory of one worker of a batch.
type asker struct {
	scratch scratch
	extra   Stats // of the batch methods of solids
	walk    boxWalk

	pairs  []pair
	ends   []int32 // for each rank, where its points end
	sorted []int32 // points by rank, ascending

	pick  []int32 // numbers of the points that a solid is asked for
	pts   []r3.Vector
	sides []Side
	w     []float64
	bound []float64
}

// asked is a block's answers in the making: group takes the points of a block in
// the box of one solid. It returns an error if they were interrupted.
type asked func(ctx context.Context, w *asker, solid int32, points []int32) error

// ask calls group for the solids of set by rank, with the points of pts in their
// boxes, ascending. The groups of one point come in the order of the ranks.
func (a *Assembly) ask(ctx context.Context, w *asker, set *boxSet, by *ranking, pts []r3.Vector, group asked) error {
	if len(by.order) <= fewSolids {
		return w.askFew(ctx, set, by, pts, group)
	}
	w.pairs = w.pairs[:0]
	for i, p := range pts {
		w.walk.start(set, p)
		for solid, ok := w.walk.next(); ok; solid, ok = w.walk.next() {
			w.pairs = append(w.pairs, pair{by.of[solid], int32(i)})
		}
		if len(w.pairs) >= mostPairs {
			if err := w.flush(ctx, by, group); err != nil {
				return err
			}
		}
	}
	return w.flush(ctx, by, group)
}

// askFew is ask without the tree.
func (w *asker) askFew(ctx context.Context, set *boxSet, by *ranking, pts []r3.Vector, group asked) error {
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
func (w *asker) flush(ctx context.Context, by *ranking, group asked) error {
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
	// ends[r] is now where the points of rank r begin; it moves to where they end.
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

// askSides writes the side that m has for pts[points[k]] to w.sides[k]: without the
// tolerance if exact. It returns an error if it was interrupted.
func (w *asker) askSides(ctx context.Context, m *member, exact bool, points []int32, pts []r3.Vector) error {
	w.sides = resize(w.sides, len(points))
	s := m.alone
	if s.opt.Tolerance > 0 && !exact {
		if err := s.needTree(ctx); err != nil {
			return err
		}
	}
	if m.bulk && len(points) >= bulkPoints && (!exact || s.opt.Tolerance == 0) {
		w.gather(points, pts)
		stats, err := s.SidesStatsTo(ctx, w.sides, w.pts)
		w.extra.Add(stats)
		return err
	}
	direct := s.useDirect(len(points))
	for k, i := range points {
		if exact {
			w.sides[k] = s.exactSide(pts[i], &w.scratch, direct)
		} else {
			w.sides[k] = s.side(pts[i], &w.scratch, direct)
		}
		if k%checkPoints == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// gather copies the points.
func (w *asker) gather(points []int32, pts []r3.Vector) {
	w.pts = resize(w.pts, len(points))
	for k, i := range points {
		w.pts[k] = pts[i]
	}
}

// stats returns the counts of all work of w.
func (w *asker) stats() Stats {
	sum := w.scratch.stats()
	sum.Add(w.extra)
	return sum
}

// blocks calls work for blocks of n points with a worker's memory, which is w for
// one block at a time, until ctx ends. It counts n points, however many solids were
// asked.
func (a *Assembly) blocks(ctx context.Context, n int, work func(w *asker, lo, hi int)) (Stats, error) {
	workers := par.Workers(a.opt.Workers)
	size := a.blockSize(n)
	askers := make([]asker, min(workers, (n+size-1)/size))
	err := par.Blocks(ctx, n, size, workers, func(worker, lo, hi int) {
		w := &askers[worker]
		w.scratch.watch(ctx)
		work(w, lo, hi)
	})
	var sum Stats
	for i := range askers {
		sum.Add(askers[i].stats())
	}
	sum.Points = uint64(n)
	return sum, err
}

// blockSize returns how many of n points a block has: four blocks for each worker at
// least, within limits.
func (a *Assembly) blockSize(n int) int {
	return min(mostAsked, max(leastAsked, n/(4*par.Workers(a.opt.Workers))))
}

// resize returns s with n elements, of any value.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

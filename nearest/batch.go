package nearest

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// blockSize is the number of points that a worker takes at a time, at most: about half
// a millisecond of work. It reads runSize of them at once, then looks at the context.
const (
	blockSize = 1 << 10
	runSize   = 1 << 6
)

// widePays is how many triangles may be put into the wide for a point. Measured: a
// triangle takes some 0.2 µs, a point with it at least 1 µs less than without. Fewer
// points in all than that, since the Searcher was made, are answered by the tree.
const widePays = 4

// ClosestTo writes the answer for pts[i] to dst[i], as Closest gives it, bit for bit,
// with the given number of workers (0 or less: all processors). The answers do not
// depend on that number. It panics if the lengths differ. If ctx ends first it returns
// the error of ctx; dst then holds NaN distances and face −1 where no answer was
// found.
//
// Points are answered in the order of a space-filling curve, which takes 16 bytes
// a point, for a million of them at a time. The call with which a quarter as many points
// as the mesh has faces have been asked for builds another hierarchy, which makes
// all later ones faster and takes some 90 bytes a face.
func (s *Searcher) ClosestTo(ctx context.Context, dst []Result, pts []r3.Vector, workers int) error {
	if len(dst) != len(pts) {
		panic(fmt.Sprintf("nearest: %d results for %d points", len(dst), len(pts)))
	}
	nothing := none()
	for i := range dst {
		dst[i] = nothing
	}
	return s.each(ctx, pts, workers, func(lo int, order []uint64, found []Result) {
		for k := range found {
			dst[lo+int(order[k]&indexMask)] = found[k]
		}
	})
}

// DistancesTo is ClosestTo for distances and faces alone.
func (s *Searcher) DistancesTo(ctx context.Context, d []float64, face []int32, pts []r3.Vector, workers int) error {
	if len(d) != len(pts) || len(face) != len(pts) {
		panic(fmt.Sprintf("nearest: %d distances and %d faces for %d points", len(d), len(face), len(pts)))
	}
	for i := range d {
		d[i], face[i] = math.NaN(), -1
	}
	return s.each(ctx, pts, workers, func(lo int, order []uint64, found []Result) {
		d, face := d[lo:], face[lo:]
		for k := range found {
			i, r := order[k]&indexMask, &found[k]
			d[i], face[i] = r.Distance, r.Face
		}
	})
}

// each calls write with the answers to the points of a run, whose numbers are lo more
// than the low bits of order, from several goroutines, until ctx ends.
func (s *Searcher) each(ctx context.Context, pts []r3.Vector, workers int, write func(lo int, order []uint64, found []Result)) error {
	w, err := s.wideFor(ctx, len(pts), workers)
	if err != nil {
		return fmt.Errorf("nearest: %w", err)
	}
	workers = par.Workers(workers)
	// Small batches are split so that every worker gets some.
	size := min(blockSize, max(runSize, len(pts)/(4*workers)))
	workers = min(workers, (len(pts)+size-1)/size)
	b := s.getBatch(workers)
	defer s.putBatch(b)
	for lo := 0; lo < len(pts); lo += maxSort {
		part := pts[lo:min(len(pts), lo+maxSort)]
		order, err := b.sorter.order(ctx, part, s.tree.Bounds(), workers)
		if err == nil {
			err = par.Blocks(ctx, len(part), size, workers, func(worker, from, to int) {
				b.workers[worker].answer(ctx, s, w, part, order[from:to], func(order []uint64, found []Result) { write(lo, order, found) })
			})
		}
		if err != nil {
			return fmt.Errorf("nearest: %w", err)
		}
	}
	return nil
}

// batch is the working memory of a call.
type batch struct {
	sorter  sorter
	workers []worker
}

// worker is the working memory of a goroutine.
type worker struct {
	scratch Scratch
	walk    wideWalk
	pts     [runSize]r3.Vector
	found   [runSize]Result
}

// getBatch returns working memory for so many workers.
func (s *Searcher) getBatch(workers int) *batch {
	var b *batch
	select {
	case b = <-s.batches:
	default:
		b = new(batch)
	}
	if len(b.workers) < workers {
		b.workers = make([]worker, workers)
	}
	return b
}

// putBatch keeps b for later calls, if there are not enough already.
func (s *Searcher) putBatch(b *batch) {
	for i := range b.workers {
		b.workers[i].scratch.Done = nil
	}
	select {
	case s.batches <- b:
	default:
	}
}

// answer finds the answers of the points of the given numbers, run by run. Points are
// read and answers written where they are, scattered in memory, for a whole run at
// once: so the processor waits for many cache lines at a time, not for one of each point.
func (b *worker) answer(ctx context.Context, s *Searcher, w *wide, pts []r3.Vector, order []uint64, write func(order []uint64, found []Result)) {
	b.scratch.Done = ctx.Done()
	for len(order) > 0 {
		if ctx.Err() != nil {
			return
		}
		run := order[:min(len(order), runSize)]
		order = order[len(run):]
		for k, key := range run {
			b.pts[k] = pts[key&indexMask]
		}
		for k, p := range b.pts[:len(run)] {
			if w != nil {
				b.found[k] = w.closest(s, p, &b.walk, &b.scratch)
			} else {
				b.found[k] = s.Closest(p, &b.scratch)
			}
		}
		write(run, b.found[:len(run)])
	}
}

// wideFor returns the wide if it is there, or is worth while for n points more.
func (s *Searcher) wideFor(ctx context.Context, n, workers int) (*wide, error) {
	if w := s.wide.Load(); w != nil || s.unfit {
		return w, nil
	}
	if asked := s.asked.Add(int64(n)); asked < int64(len(s.tris))/widePays {
		return nil, nil
	}
	select {
	case s.building <- struct{}{}:
		defer func() { <-s.building }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w := s.wide.Load(); w != nil {
		return w, nil
	}
	w, err := newWide(ctx, s.tris, s.tree.Bounds(), workers)
	if err != nil {
		return nil, err
	}
	s.wide.Store(w)
	return w, nil
}

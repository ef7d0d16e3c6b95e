package inpoly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/raycross"
)

// blockSize is how many points a worker takes at a time where a point takes
// microseconds or more; the context is checked for every point. Direct sums take
// fewer, so that a few points keep all workers busy: blockTerms triangles take
// about as long as a block of rays.
const (
	blockSize  = 64
	blockTerms = 1 << 13
)

// scratch is the working memory of one goroutine.
type scratch struct {
	ctx    context.Context // of the batch; nil for a single point
	ray    raycross.Scratch
	near   nearest.Scratch
	cells  cells.Scratch
	caps   cells.Scratch // for the cells of a field; what it counts as points are not
	direct uint64        // points that were decided by none of these
	// fallback counts points that a field left to rays.
	fallback uint64
}

// Side returns where p lies. It is exact, and Unknown only for a p that is not
// finite, or where the winding number of an open mesh cannot be told from the
// threshold of the rule in 256-bit arithmetic (as a rule, where it is equal to
// it). It does not allocate unless an exact last stage is reached, which the
// Stats of SidesStatsTo count.
func (s *Solid) Side(p r3.Vector) Side {
	if s.cells != nil && s.opt.Tolerance == 0 {
		var sc cells.Scratch // to clear all of scratch takes longer than this answer
		return s.cells.Side(p, &sc)
	}
	var sc scratch
	return s.side(p, &sc, s.useDirect(1))
}

// SidesTo writes the side of pts[i] to dst[i], using Options.Workers
// goroutines. It panics if the lengths differ. When ctx ends first its error is
// returned, and dst holds Unknown where no answer was found. Answers do not
// depend on the order of points or the number of workers. Each worker needs 1 MB
// of working memory (4 MB by cells, 18 MB by multipoles), which later calls use again;
// besides that, one worker allocates no more than Side, and a few small things for a
// batch by multipoles.
func (s *Solid) SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error {
	_, err := s.SidesStatsTo(ctx, dst, pts)
	return err
}

// SidesStatsTo is SidesTo, and returns the counts of the work that was done.
func (s *Solid) SidesStatsTo(ctx context.Context, dst []Side, pts []r3.Vector) (Stats, error) {
	if len(dst) != len(pts) {
		panic("inpoly: dst and pts differ in length")
	}
	if s.cells != nil && s.opt.Tolerance == 0 {
		return s.cells.SidesTo(ctx, dst, pts, s.opt.Workers)
	}
	if s.fieldSides() {
		return s.fieldSidesTo(ctx, dst, pts)
	}
	clear(dst)
	if s.opt.Tolerance > 0 {
		if err := s.needTree(ctx); err != nil {
			return Stats{}, err
		}
	}
	direct := s.useDirect(len(pts))
	if s.opt.Tolerance == 0 && !direct {
		t, err := s.tree.get(ctx)
		if err != nil {
			return Stats{}, err
		}
		return t.caster.SidesTo(ctx, dst, pts, s.opt.Workers)
	}
	if par.Workers(s.opt.Workers) > 1 {
		return s.forEach(ctx, len(pts), func(i int, sc *scratch) { dst[i] = s.sideUnless(ctx, pts[i], sc, direct) })
	}
	var sc scratch
	sc.watch(ctx)
	for i, p := range pts {
		if err := ctx.Err(); err != nil {
			return sc.stats(), err
		}
		dst[i] = s.sideUnless(ctx, p, &sc, direct)
	}
	return sc.stats(), ctx.Err()
}

// sideUnless is side, or Unknown if ctx has ended: it may have been interrupted.
func (s *Solid) sideUnless(ctx context.Context, p r3.Vector, sc *scratch, direct bool) Side {
	got := s.side(p, sc, direct)
	if ctx.Err() != nil {
		return Unknown
	}
	return got
}

// forEach calls work for every i in [0, n) on Options.Workers goroutines, each
// with a scratch of its own, until ctx ends.
func (s *Solid) forEach(ctx context.Context, n int, work func(i int, sc *scratch)) (Stats, error) {
	size := blockSize
	if s.direct != nil {
		size = min(max(1, blockTerms/max(1, s.mesh.NumFaces())), blockSize)
	}
	workers := min(par.Workers(s.opt.Workers), (n+size-1)/size)
	scratches := make([]scratch, workers)
	err := par.Blocks(ctx, n, size, workers, func(worker, lo, hi int) {
		sc := &scratches[worker]
		sc.watch(ctx)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			work(i, sc)
		}
	})
	var sum Stats
	for i := range scratches {
		sum.Add(scratches[i].stats())
	}
	return sum, err
}

// watch lets ctx interrupt what may take long for a single point: a search for
// the nearest face, sums in arbitrary precision, and building the tree.
func (sc *scratch) watch(ctx context.Context) {
	sc.ctx = ctx
	sc.ray.Done, sc.near.Done, sc.cells.Interrupt = ctx.Done(), ctx.Done(), ctx.Done()
}

func (sc *scratch) stats() Stats {
	sum := sc.ray.Stats()
	sum.Add(sc.cells.Stats())
	signs := sc.caps.Stats()
	signs.Points = 0
	sum.Add(signs)
	sum.Points += sc.direct
	sum.Fallback += sc.fallback
	return sum
}

// side answers for one point, by the direct sum if direct.
func (s *Solid) side(p r3.Vector, sc *scratch, direct bool) Side {
	if s.opt.Tolerance > 0 && s.searched().near.Within(p, s.opt.Tolerance, &sc.near) {
		sc.direct++
		return OnSurface
	}
	return s.exactSide(p, sc, direct)
}

// exactSide answers without the tolerance. The direct sum decides where its
// bound allows; what it leaves is decided by ray crossing.
func (s *Solid) exactSide(p r3.Vector, sc *scratch, direct bool) Side {
	if s.cells != nil {
		return s.cells.Side(p, &sc.cells)
	}
	if s.fieldSides() {
		return s.fieldSide(p, sc)
	}
	if direct {
		if got, ok := s.directSide(p); ok {
			sc.direct++
			return got
		}
	}
	t, err := s.tree.get(sc.context())
	if err != nil {
		return Unknown
	}
	return t.caster.Side(p, &sc.ray)
}

// Winding returns the winding number of p and a certified bound of its error.
// For a closed mesh it is an exact integer off the surface, with bound 0. On
// the surface the triangles that contain p contribute nothing, which gives 1/2
// within the bound on a smooth face of a closed mesh. A p that is not finite gives NaN and +Inf.
func (s *Solid) Winding(p r3.Vector) (w, bound float64) {
	f, _ := s.windingField(context.Background(), 0) // builds nothing, and so cannot fail
	var sc scratch
	return s.winding(p, f, &sc)
}

// WindingsTo writes the winding number of pts[i] to w[i] and its bound to
// bound[i], using Options.Workers goroutines. It panics if the lengths differ.
// When ctx ends first its error is returned, and w holds NaN and bound +Inf
// where no answer was found. Answers do not depend on the number of workers. Those of
// an open mesh by multipoles (FMM, and Auto once many have been asked for) change
// within their bounds when many more points come than were expected.
func (s *Solid) WindingsTo(ctx context.Context, w, bound []float64, pts []r3.Vector) error {
	if len(w) != len(pts) || len(bound) != len(pts) {
		panic("inpoly: w, bound and pts differ in length")
	}
	_, err := s.windingsTo(ctx, answers{w: w, bound: bound}, pts)
	return err
}

// SidesWindingsTo is SidesStatsTo and WindingsTo together, which takes less time than
// one after the other where both follow from the same numbers. It panics if the
// lengths differ.
func (s *Solid) SidesWindingsTo(ctx context.Context, dst []Side, w, bound []float64, pts []r3.Vector) (Stats, error) {
	if len(dst) != len(pts) || len(w) != len(pts) || len(bound) != len(pts) {
		panic("inpoly: dst, w, bound and pts differ in length")
	}
	return s.windingsTo(ctx, answers{dst, w, bound}, pts)
}

// windingsTo fills a, of which w and bound are not nil.
func (s *Solid) windingsTo(ctx context.Context, a answers, pts []r3.Vector) (Stats, error) {
	a.clear()
	var stats Stats
	f, err := s.windingField(ctx, len(pts))
	if err != nil {
		return stats, err
	}
	if a.sides != nil && (f == nil || s.opt.Tolerance > 0 || countsParity(s.mesh, s.opt.Rule)) {
		if stats, err = s.SidesStatsTo(ctx, a.sides, pts); err != nil {
			return stats, err
		}
		a.sides = nil
	}
	if f != nil {
		both, err := s.fieldAnswers(ctx, f, a, pts)
		if a.sides != nil {
			stats = both
		}
		return stats, err
	}
	_, err = s.forEach(ctx, len(pts), func(i int, sc *scratch) {
		if x, b := s.winding(pts[i], nil, sc); ctx.Err() == nil { // else it may have been interrupted
			a.w[i], a.bound[i] = x, b
		}
	})
	return stats, err
}

func (s *Solid) winding(p r3.Vector, f *field, sc *scratch) (w, bound float64) {
	switch {
	case f != nil:
		return s.fieldWinding(f, p, sc)
	case s.cells != nil:
		return s.cells.Winding(p, &sc.cells)
	case s.direct != nil:
		return s.directWinding(p, sc)
	}
	return s.searched().caster.Winding(p, &sc.ray)
}

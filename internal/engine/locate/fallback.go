package locate

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// Estimator approximates winding numbers with a certified bound. It is safe for concurrent use.
type Estimator interface {
	// Estimate returns the estimate for p and allocates no memory. p must be finite.
	Estimate(p r3.Vector) Estimate
	// Prepare returns a BatchEstimator for the points, and the number of points in a block. If there
	// are enough points to pay for a better index, Prepare first builds that index.
	Prepare(ctx context.Context, pts []r3.Vector, workers int) (b BatchEstimator, size int)
	// Bytes estimates the memory of the index.
	Bytes() int64
}

// Estimate is the result of an Estimator for one point.
//
// OnSurface reports that the point lies exactly on a face. If OK is true, the winding number is
// within W ± Bound. If OK is true and OnSurface is false, the point lies on no face, not even on a
// face of zero area. If OK is false, W and Bound have no meaning.
type Estimate struct {
	W, Bound      float64
	OK, OnSurface bool
}

// BatchEstimator estimates the points of one batch. It is safe for concurrent use.
type BatchEstimator interface {
	// EstimateTo writes the estimates for pts to dst. pts is a block of the batch. dst has the
	// length of pts and can have any content. If a point is not finite, EstimateTo can leave its
	// element of dst unchanged. The Stats count signs and rays, but not points. EstimateTo fails
	// only with the error of ctx.
	EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error)
}

// WithFallback returns a Locator that uses the estimates of e with the given rule. If the bound of
// an estimate does not decide a side, the exact Locator finds the side. If the bound exceeds
// epsilon, the exact Locator finds the winding number. If parity is true, the exact Locator finds
// all sides; see the function Parity.
func WithFallback(e Estimator, exact Locator, rule side.Rule, parity bool, epsilon float64) Locator {
	f := &fallback{estimator: e, exact: exact, rule: rule, parity: parity, epsilon: epsilon}
	f.batches.New = func() any { return new(fallbackBatch) }
	return f
}

type fallback struct {
	estimator Estimator
	exact     Locator
	rule      side.Rule
	parity    bool
	epsilon   float64
	batches   sync.Pool // holds values of type *fallbackBatch
}

// settled returns a Locator for a batch of pts. It uses the current plan of multipoles, which later
// queries do not replace.
func (f *fallback) settled(ctx context.Context, pts []r3.Vector, _ int) (Locator, error) {
	if p, ok := f.estimator.(*potential); ok {
		return WithFallback(&planned{p, p.planFor(ctx, pts)}, f.exact, f.rule, f.parity, f.epsilon), ctx.Err()
	}
	return f, ctx.Err()
}

// side returns the side that follows from e. ok is false if e does not decide the side.
func (f *fallback) side(e *Estimate) (s side.Side, ok bool) {
	switch {
	case e.OnSurface:
		return side.OnSurface, true
	case e.OK:
		return f.rule.Decide(e.W, e.Bound)
	}
	return side.Unknown, false
}

// good reports whether the bound of e is at most the requested epsilon.
func (f *fallback) good(e *Estimate) bool { return e.OK && e.Bound <= f.epsilon }

func (f *fallback) Side(p r3.Vector) side.Side {
	if f.parity {
		return f.exact.Side(p)
	}
	if !vec.Finite(p) {
		return side.Unknown
	}
	e := f.estimator.Estimate(p)
	if s, ok := f.side(&e); ok {
		return s
	}
	return f.exact.Side(p)
}

func (f *fallback) Winding(p r3.Vector) (w, bound float64) {
	if !vec.Finite(p) {
		return math.NaN(), math.Inf(1)
	}
	if e := f.estimator.Estimate(p); f.good(&e) {
		return e.W, e.Bound
	}
	return f.exact.Winding(p)
}

func (f *fallback) Bytes() int64 { return f.estimator.Bytes() }

func (f *fallback) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	answers.Start(dst, len(pts))
	if dst.Sides == nil || !f.parity {
		return f.locate(ctx, dst, pts, workers)
	}
	stats, err := f.exact.LocateTo(ctx, side.Answers{Sides: dst.Sides}, pts, workers)
	if err == nil && dst.Winding != nil {
		_, err = f.locate(ctx, side.Answers{Winding: dst.Winding, Bound: dst.Bound}, pts, workers)
	}
	return stats, err
}

// locate writes the answers for pts to the slices of dst, which the caller has cleared. It uses the
// estimator for sides even if f.parity is true.
func (f *fallback) locate(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	estimator, size := f.estimator.Prepare(ctx, pts, workers)
	size = max(1, min(size, len(pts)))
	workers = min(par.Workers(workers), (len(pts)+size-1)/size)
	if workers == 1 {
		b := f.batches.Get().(*fallbackBatch)
		defer f.batches.Put(b)
		b.stats = side.Stats{}
		for lo := 0; lo < len(pts) && err == nil; lo += size {
			hi := min(len(pts), lo+size)
			err = b.block(ctx, f, estimator, answers.Slice(dst, lo, hi), pts[lo:hi])
		}
		stats = b.stats
	} else {
		stats, err = f.parallel(ctx, estimator, dst, pts, size, workers)
	}
	if err == nil {
		stats.Points = uint64(len(pts)) // a point that needs two exact answers counts once
		err = ctx.Err()
	}
	return stats, err
}

// parallel does the work of locate with several workers.
func (f *fallback) parallel(ctx context.Context, estimator BatchEstimator, dst side.Answers, pts []r3.Vector, size, workers int) (side.Stats, error) {
	batches := make([]*fallbackBatch, workers)
	for i := range batches {
		batches[i] = f.batches.Get().(*fallbackBatch)
		batches[i].stats = side.Stats{}
	}
	err := par.Blocks(ctx, len(pts), size, workers, func(worker, lo, hi int) {
		_ = batches[worker].block(ctx, f, estimator, answers.Slice(dst, lo, hi), pts[lo:hi]) // par.Blocks returns the error of ctx
	})
	var stats side.Stats
	for _, b := range batches {
		stats.Add(b.stats)
		f.batches.Put(b)
	}
	return stats, err
}

// fallbackBatch is the working memory of one worker of a batch.
type fallbackBatch struct {
	stats     side.Stats
	estimates []Estimate
	sides     pending // points whose estimate does not decide the side
	windings  pending // points whose estimate has a bound above epsilon
	answers   side.Answers
}

// pending is a list of points with their indexes in a block.
type pending struct {
	index []int32
	pts   []r3.Vector
}

func (l *pending) reset() { l.index, l.pts = l.index[:0], l.pts[:0] }

func (l *pending) add(i int, p r3.Vector) {
	l.index, l.pts = append(l.index, int32(i)), append(l.pts, p)
}

// block writes the answers for one block of points to dst, which the caller has cleared. If ctx
// ends, block returns the error of ctx, and some elements of dst stay cleared.
func (b *fallbackBatch) block(ctx context.Context, f *fallback, estimator BatchEstimator, dst side.Answers, pts []r3.Vector) error {
	b.estimates = resize(b.estimates, len(pts))
	stats, err := estimator.EstimateTo(ctx, b.estimates, pts)
	b.stats.Add(stats)
	if err != nil {
		return err
	}
	b.sides.reset()
	b.windings.reset()
	for i, p := range pts {
		if !vec.Finite(p) {
			if dst.Sides != nil {
				b.stats.Undecided++
			}
			continue
		}
		e := &b.estimates[i]
		if dst.Sides != nil {
			if s, ok := f.side(e); ok {
				dst.Sides[i] = s
			} else {
				b.sides.add(i, p)
			}
		}
		if dst.Winding != nil {
			if f.good(e) {
				dst.Winding[i], dst.Bound[i] = e.W, e.Bound
			} else {
				b.windings.add(i, p)
			}
		}
	}
	return b.fallBack(ctx, f, dst)
}

// fallBack writes the answers of the exact Locator for the pending points to dst.
func (b *fallbackBatch) fallBack(ctx context.Context, f *fallback, dst side.Answers) error {
	if n := len(b.sides.pts); n > 0 {
		b.answers.Sides = resize(b.answers.Sides, n)
		stats, err := f.exact.LocateTo(ctx, side.Answers{Sides: b.answers.Sides}, b.sides.pts, 1)
		stats.Fallback += uint64(n)
		b.stats.Add(stats)
		if err != nil {
			return err
		}
		for k, i := range b.sides.index {
			dst.Sides[i] = b.answers.Sides[k]
		}
	}
	if n := len(b.windings.pts); n > 0 {
		b.answers.Winding, b.answers.Bound = resize(b.answers.Winding, n), resize(b.answers.Bound, n)
		stats, err := f.exact.LocateTo(ctx, side.Answers{Winding: b.answers.Winding, Bound: b.answers.Bound}, b.windings.pts, 1)
		b.stats.Add(stats)
		if err != nil {
			return err
		}
		for k, i := range b.windings.index {
			dst.Winding[i], dst.Bound[i] = b.answers.Winding[k], b.answers.Bound[k]
		}
	}
	return nil
}

// resize returns a slice of n elements with any content. It reuses the memory of s if possible.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

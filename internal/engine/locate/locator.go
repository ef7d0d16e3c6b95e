// Package locate finds where points lie relative to one mesh. It contains the strategies, their
// common code, and the choice of a strategy.
//
// A Locator returns exact sides. Rays and the cells of a grid are Locators. An Estimator returns
// approximate winding numbers with a certified bound. Direct sums, multipoles, and multipoles of
// caps are Estimators. WithFallback turns an Estimator into a Locator. This Locator uses rays if
// the bound of an estimate does not decide a side. A Stage stands between the queries and the Locators:
// it places points in the frame of the mesh, adds a tolerance, and replaces a cheap Locator by a better one
// after enough queries.
//
// The file methods.go lists every strategy once, with its cost and its constructor. Build chooses a
// strategy and returns a Set, which contains the Stages of one solid.
//
//	s := locate.NewSurface(m, locate.SurfaceOptions{Rule: side.NonZero})
//	set, err := locate.Build(ctx, s, locate.NewWorkload(m, options), locate.Auto)
//	where := set.Sides.Side(p)
package locate

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// Locator returns sides and winding numbers for one mesh under one rule. It behaves like an
// immutable value and is safe for concurrent use. All Locators of a mesh return the same sides. The
// winding numbers of two Locators agree within their bounds.
type Locator interface {
	// Side returns the side of p. The side is Unknown if p is not finite, or if 256-bit arithmetic
	// cannot separate the winding number from the threshold of the rule. Side allocates memory only
	// for arbitrary-precision arithmetic.
	Side(p r3.Vector) side.Side
	// Winding returns the winding number of p and a certified bound of its error. If p is not
	// finite, Winding returns NaN and +Inf.
	Winding(p r3.Vector) (w, bound float64)
	// LocateTo writes answers for pts to the slices of dst that are not nil. It uses the given
	// number of workers, or one per processor if workers ≤ 0. The answers depend neither on the
	// number of workers nor on the order of points. If ctx ends first, LocateTo returns the error
	// of ctx, and elements without an answer are Unknown, or have the winding number NaN and the
	// bound +Inf. LocateTo panics if a non-nil slice of dst does not have the length of pts. The
	// Stats count the work for sides. If dst.Sides is nil, they count the work for winding numbers.
	LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error)
	// Bytes estimates the memory of the index, without the Surface.
	Bytes() int64
}

// eachBlock generates the n points of g in blocks, in the order of their numbers. It calls do with
// each block and with the number of its first point. It stops at the first error.
func eachBlock(g side.Grid, n int, do func(lo int, pts []r3.Vector) error) error {
	pts := make([]r3.Vector, min(n, gridBlock))
	i, j, k := 0, 0, 0 // indexes of the next point
	for lo := 0; lo < n; lo += len(pts) {
		pts = pts[:min(len(pts), n-lo)]
		for at := range pts {
			pts[at] = g.Point(i, j, k)
			if i++; i == g.Counts[0] {
				i, j = 0, j+1
			}
			if j == g.Counts[1] {
				j, k = 0, k+1
			}
		}
		if err := do(lo, pts); err != nil {
			return err
		}
	}
	return nil
}

// Few is the largest number of points that a batch processes one by one. Such a batch allocates no
// working memory that the index would keep for later batches. This saves memory in assemblies of
// thousands of solids (tuning).
const Few = 16

// blockSize is the number of points in a block if each point takes microseconds or more (tuning).
const blockSize = 64

// windingsTo writes the winding numbers of the points until ctx ends. Each worker has one scratch
// value, which is prepared before each block. windingsTo returns all scratch values.
func windingsTo[S any](ctx context.Context, dst side.Answers, pts []r3.Vector, workers int,
	init func(*S), winding func(r3.Vector, *S) (w, bound float64)) ([]S, error) {
	workers = min(par.Workers(workers), (len(pts)+blockSize-1)/blockSize)
	scratches := make([]S, workers)
	err := par.Blocks(ctx, len(pts), blockSize, workers, func(worker, lo, hi int) {
		s := &scratches[worker]
		init(s)
		for i := lo; i < hi; i++ {
			dst.Winding[i], dst.Bound[i] = winding(pts[i], s)
		}
		if ctx.Err() != nil { // winding stops early if ctx ends
			part := side.Answers{Winding: dst.Winding[lo:hi], Bound: dst.Bound[lo:hi]}
			answers.Clear(part)
		}
	})
	return scratches, err
}

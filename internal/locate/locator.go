// Package locate finds where points lie relative to one mesh. It holds the strategies,
// the choice among them, and their shared code.
//
// A Locator answers exactly: rays, cells of a grid. An Estimator approximates winding
// numbers with a certified bound: direct sums, multipoles, multipoles of caps.
// WithFallback turns an Estimator into a Locator: rays answer for the points that its
// bound does not decide. WithTolerance adds a tolerance. WithUpgrade uses a cheap Locator
// until building a better one pays off.
//
// The strategies are listed once, in methods.go, each with its cost and its constructor.
// Build chooses among them and returns a Set, the Locators of one solid.
//
//	s := locate.NewSurface(m, locate.SurfaceOptions{Rule: side.NonZero})
//	set, err := locate.Build(ctx, s, locate.NewWorkload(m, &diagnosis, limits), locate.Auto)
//	where := set.Sides.Side(p)
package locate

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// Locator answers for one mesh under one rule. It is immutable as far as callers can
// observe, and is safe for concurrent use. All Locators of a mesh give the same sides.
// Their winding numbers agree within their bounds.
type Locator interface {
	// Side returns the side of p. It does not allocate unless an exact last stage is
	// reached. It is Unknown if p is not finite, or if 256-bit arithmetic cannot separate
	// W from the threshold of the rule.
	Side(p r3.Vector) side.Side
	// Winding returns the winding number of p and a certified bound of its error; NaN and
	// +Inf if p is not finite.
	Winding(p r3.Vector) (w, bound float64)
	// LocateTo writes the wanted answers for pts, on the given number of workers (≤ 0:
	// one for each processor). The answers do not depend on the number of workers or the
	// order of points. If ctx ends first it returns the error of ctx, and elements
	// without an answer hold Unknown, or NaN and +Inf. It panics if lengths differ. The
	// Stats count the work for sides, or the work for winding numbers if no sides are
	// wanted.
	LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error)
	// Bytes estimates the memory of the index, without the Surface.
	Bytes() int64
}

// Single returns the side of p and the statistics of the work.
func Single(l Locator, p r3.Vector) (side.Side, side.Stats) {
	var s [1]side.Side
	stats, _ := l.LocateTo(context.Background(), side.Answers{Sides: s[:]}, []r3.Vector{p}, 1) // this context does not end
	return s[0], stats
}

// gridLocator is a Locator that fills regular grids faster than single points.
type gridLocator interface {
	LocateGridTo(ctx context.Context, dst []side.Side, g side.Grid, workers int) error
}

// gridBlock is the number of grid points that are generated at a time: 3 MB, a few
// batches for each worker of a common machine. tuning
const gridBlock = 1 << 17

// GridTo writes the side of every point of g to dst, in the order of their numbers:
// the answers of LocateTo for the same points, in constant memory. len(dst) must be
// the number of points. If ctx ends first its error is returned, and dst holds
// Unknown where there is no answer.
func GridTo(ctx context.Context, l Locator, dst []side.Side, g side.Grid, workers int) error {
	if fast, ok := l.(gridLocator); ok {
		return fast.LocateGridTo(ctx, dst, g, workers)
	}
	clear(dst)
	pts := make([]r3.Vector, 0, min(len(dst), gridBlock))
	done := 0
	flush := func() error {
		_, err := l.LocateTo(ctx, side.Answers{Sides: dst[done : done+len(pts)]}, pts, workers)
		done, pts = done+len(pts), pts[:0]
		return err
	}
	for k := range g.Counts[2] {
		for j := range g.Counts[1] {
			for i := range g.Counts[0] {
				pts = append(pts, g.Point(i, j, k))
				if len(pts) == cap(pts) {
					if err := flush(); err != nil {
						return err
					}
				}
			}
		}
	}
	return flush()
}

// Few is how many points a batch may have to be answered one by one, without working
// memory that an index would keep: assemblies of thousands of solids rely on that. tuning
const Few = 16

// blockSize is the number of points that a worker takes at a time if a point takes
// microseconds or more. tuning
const blockSize = 64

// checkPoints is the number of points that are answered between two checks of ctx if a
// point takes about a microsecond or less. tuning
const checkPoints = 1 << 8

// forEach calls work for every i in [0, n), in blocks of size on the given number of
// workers, until ctx ends. Each worker has its own scratch, which init prepares. It
// returns the scratches.
func forEach[S any](ctx context.Context, n, size, workers int, init func(*S), work func(i int, s *S)) ([]S, error) {
	workers = min(par.Workers(workers), (n+size-1)/size)
	scratches := make([]S, workers)
	err := par.Blocks(ctx, n, size, workers, func(worker, lo, hi int) {
		s := &scratches[worker]
		init(s)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			work(i, s)
		}
	})
	return scratches, err
}

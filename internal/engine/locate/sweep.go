package locate

import (
	"context"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/columns"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// swept finds the sides of points for a closed mesh by sweeping over its triangles. It adds up how
// much longer the sweeps take than queries of an index would, by estimates. When this sum exceeds
// the estimated time to build an index, swept builds the index and uses it from then on.
type swept struct {
	surface *Surface
	sizes   mesh.Sizes
	sweep   *columns.Sweep
	upgrade *lazy.Upgrade[Locator] // nil before the index is built; work is in nanoseconds
}

// sweepPays reports whether a sweep over the triangles for all expected points is faster than an
// index.
func sweepPays(w Workload) bool {
	build, point := columns.Cost(w.Sizes, w.assumedPoints())
	return sweepCost(w) < build+float64(w.Points)*point
}

// newSwept returns a Locator that sweeps over the triangles of a closed mesh. It expects w.Points
// points.
func newSwept(s *Surface, w Workload) *swept {
	l := &swept{surface: s, sizes: w.Sizes, sweep: columns.NewSweep(s.mesh, w.Sizes)}
	build, _ := columns.Cost(w.Sizes, w.Points)
	l.upgrade = lazy.NewUpgrade(nil,
		func(current Locator, work int64) bool { return current == nil && float64(work) > build },
		func(ctx context.Context, _ Locator, _ int64, workers int) (Locator, bool, error) {
			index, err := newCrossings(ctx, s, w.Points)
			return index, true, err
		})
	return l
}

// newCrossings returns the Locator of columns for a closed mesh.
func newCrossings(ctx context.Context, s *Surface, points int64) (Locator, error) {
	x, err := columns.New(ctx, s.mesh, columns.Options{Workers: s.opt.Workers, ExpectedPoints: points})
	if err != nil {
		return nil, err
	}
	return WithFallback(crossings{x}, rays{s}, s.opt.Rule, false, 0), nil
}

// index returns the index for a batch of the given number of points, if the index exists or if
// building it now pays. Otherwise it returns nil, and the caller sweeps.
func (l *swept) index(ctx context.Context, points, workers int) (Locator, error) {
	if l.upgrade.Final() {
		return l.upgrade.Current(), nil
	}
	_, point := columns.Cost(l.sizes, int64(points))
	excess := columns.SweepCost(l.sizes, int64(points)) - float64(points)*point
	return l.upgrade.For(ctx, int64(max(0, excess)), workers)
}

// settled returns the index and builds it if necessary. Without it, a caller that divides a batch
// would sweep once for each part.
func (l *swept) settled(ctx context.Context, _ []r3.Vector, workers int) (Locator, error) {
	x, err := l.upgrade.For(ctx, math.MaxInt64, workers)
	if err != nil {
		return l, err
	}
	return x, nil
}

func (l *swept) Side(p r3.Vector) side.Side {
	x, _ := l.index(context.Background(), 1, 0) // the error is nil because this context never ends
	if x != nil {
		return x.Side(p)
	}
	if !vec.Finite(p) {
		return side.Unknown
	}
	return l.sideOf(l.sweep.Winding(p, new(columns.Scratch)))
}

// sideOf returns the side of a point with the given winding number, which can be columns.OnSurface.
func (l *swept) sideOf(w int32) side.Side {
	if w == columns.OnSurface {
		return side.OnSurface
	}
	s, _ := l.surface.opt.Rule.Decide(float64(w), 0) // an integer is not at a threshold
	return s
}

func (l *swept) Winding(p r3.Vector) (w, bound float64) {
	if x := l.upgrade.Current(); x != nil {
		return x.Winding(p)
	}
	if !vec.Finite(p) {
		return math.NaN(), math.Inf(1)
	}
	n := l.sweep.Winding(p, new(columns.Scratch))
	if n == columns.OnSurface {
		return rays{l.surface}.Winding(p)
	}
	return float64(n), 0
}

func (l *swept) Bytes() int64 {
	if x := l.upgrade.Current(); x != nil {
		return x.Bytes()
	}
	return 0
}

// mostSwept is the largest number of points in a sweep. It bounds the working memory. // tuning
const mostSwept = 1 << 17

func (l *swept) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	x, err := l.index(ctx, len(pts), workers)
	if x != nil && err == nil {
		return x.LocateTo(ctx, dst, pts, workers)
	}
	answers.Start(dst, len(pts))
	for lo := 0; lo < len(pts) && err == nil; lo += mostSwept {
		hi := min(len(pts), lo+mostSwept)
		var part side.Stats
		part, err = l.locate(ctx, answers.Slice(dst, lo, hi), pts[lo:hi], workers)
		stats.Add(part)
	}
	if err == nil {
		err = ctx.Err()
	}
	return stats, err
}

// locate sweeps once. The slices of dst must be clear.
func (l *swept) locate(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	var common [3]side.Side // sides for the winding numbers −1, 0 and 1
	for i := range common {
		common[i] = l.sideOf(int32(i - 1))
	}
	var onSurface pending // points whose winding numbers rays find
	undecided := uint64(0)
	var mu sync.Mutex // guards onSurface and undecided
	stats, err := l.sweep.Windings(ctx, pts, workers, func(index []int32, windings []int64) {
		for k, i := range index {
			w := windings[k]
			if w == 0 && !vec.Finite(pts[i]) {
				if dst.Sides != nil {
					mu.Lock()
					undecided++
					mu.Unlock()
				}
				continue
			}
			if dst.Sides != nil {
				if k := uint64(w + 1); k < uint64(len(common)) {
					dst.Sides[i] = common[k]
				} else {
					dst.Sides[i] = l.sideOf(int32(max(w, columns.OnSurface)))
				}
			}
			switch {
			case dst.Winding == nil:
			case w <= columns.OnSurface:
				mu.Lock()
				onSurface.add(int(i), pts[i])
				mu.Unlock()
			default:
				dst.Winding[i], dst.Bound[i] = float64(w), 0
			}
		}
	})
	stats.Points, stats.Undecided = uint64(len(pts)), undecided
	if err != nil || len(onSurface.pts) == 0 {
		return stats, err
	}
	answers := side.Answers{Winding: make([]float64, len(onSurface.pts)), Bound: make([]float64, len(onSurface.pts))}
	_, err = rays{l.surface}.LocateTo(ctx, answers, onSurface.pts, workers)
	for k, i := range onSurface.index {
		dst.Winding[i], dst.Bound[i] = answers.Winding[k], answers.Bound[k]
	}
	return stats, err
}

package locate

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/columns"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// crossings estimates the winding numbers of a closed mesh. It counts the triangles along a ray
// parallel to an axis. Its winding numbers are exact, but it returns none for a point on the
// surface.
type crossings struct{ index *columns.Index }

// newColumns returns the Locator for the method Columns. On an open mesh S, it computes the winding
// number W(S+C) of the mesh and its caps C by columns, and subtracts the potential J(C); see
// newCapped. A tree over the caps computes J(C). If it does not decide a side, a ray does.
func newColumns(ctx context.Context, s *Surface, w Workload) (Locator, error) {
	if s.mesh.Closed() {
		if sweepPays(w) {
			return newSwept(s, w), ctx.Err()
		}
		return newCrossings(ctx, s, w.Points)
	}
	closed, caps, err := s.mesh.Capped(ctx, s.opt.Workers)
	if err != nil {
		return nil, fmt.Errorf("close the mesh: %w", err)
	}
	x, err := columns.New(ctx, closed, columns.Options{Workers: s.opt.Workers, ExpectedPoints: w.Points})
	if err != nil {
		return nil, err
	}
	winding := func(p r3.Vector, m *memory) (w float64, ok bool) {
		n, on := x.Winding(p, &m.columns)
		return float64(n), !on
	}
	// The sum over the boundary has a smaller bound than the sum over the caps. So rays, which use
	// the boundary, find all winding numbers.
	return WithFallback(newLessCapTree(caps, winding), rays{s}, s.opt.Rule, w.Parity, 0), nil
}

func (c crossings) Estimate(p r3.Vector) Estimate {
	var s columns.Scratch
	w, on := c.index.Winding(p, &s)
	return Estimate{W: float64(w), OK: !on, OnSurface: on}
}

func (c crossings) Prepare(_ context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	if len(pts) <= crossingsOneWorker {
		return c, len(pts)
	}
	return c, crossingsBlock
}

// tuning
const (
	crossingsBlock     = 512  // number of points in a block
	crossingsOneWorker = 1024 // number of points for one worker; another one would begin when most of them are done
	checkCrossings     = 16   // number of points between two checks of the context
)

func (c crossings) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	var s columns.Scratch
	for i, p := range pts {
		if i%checkCrossings == 0 && ctx.Err() != nil {
			return s.Stats(), ctx.Err()
		}
		if vec.Finite(p) {
			w, on := c.index.Winding(p, &s)
			dst[i] = Estimate{W: float64(w), OK: !on, OnSurface: on}
		}
	}
	return s.Stats(), ctx.Err()
}

func (c crossings) Bytes() int64 { return c.index.Bytes() }

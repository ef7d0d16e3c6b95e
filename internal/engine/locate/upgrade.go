package locate

import (
	"context"
	"math"

	"github.com/inpoly/inpoly/internal/lazy"
)

// directUntil returns the Locators for a small number of points. The first one uses the direct sum,
// until the given number of points has been queried or the tree exists. The second one casts rays,
// which are faster.
func directUntil(points int64, direct Locator, s *Surface) *lazy.Upgrade[Locator] {
	return lazy.NewUpgrade(direct,
		func(_ Locator, queried int64) bool { return queried > points || s.Indexed() },
		func(ctx context.Context, _ Locator, _ int64, _ int) (Locator, bool, error) {
			_, err := s.Rays(ctx)
			return rays{s}, true, err
		})
}

// cellsLater returns the Locators that start with columns. After enough points, they use cells. Columns and
// cells return the same answers.
func cellsLater(c *costs, s *Surface, w Workload, base Locator) *lazy.Upgrade[Locator] {
	expecting := func(queried int64) Workload {
		w := w
		w.Points = 4 * min(queried, math.MaxInt64/4) // tuning: a caller that exceeds its expected number usually continues
		return w
	}
	return lazy.NewUpgrade(base,
		func(_ Locator, queried int64) bool {
			if queried <= w.Points {
				return false
			}
			many := w
			many.Points = 0 // for the time of a query, even if sweeps come first
			return float64(queried)*c.columnSides(many).Point > c.cellSides(expecting(queried)).Build
		},
		func(ctx context.Context, _ Locator, queried int64, _ int) (Locator, bool, error) {
			cells, _ := named(c.sideMethods(), Cells)
			built, err := cells.Build(ctx, s, expecting(queried))
			return built.Locator, true, err
		})
}

// multipolesLater returns the Locators for winding numbers of an open mesh. They start with the
// given Locator. After enough points, they use the cheapest Estimator if it reaches w.Epsilon.
func multipolesLater(c *costs, s *Surface, w Workload, base Locator, secondsPerPoint func(Workload) float64) *lazy.Upgrade[Locator] {
	expecting := func(queried int64) Workload {
		w := w
		w.Points = max(w.Points, queried)
		return w
	}
	return lazy.NewUpgrade(base,
		func(_ Locator, queried int64) bool {
			w := expecting(queried)
			best := cheapest(w, c.windingMethods(w))
			return best.Estimates && best.Cost(w).total(w) < float64(w.Points)*secondsPerPoint(w)
		},
		func(ctx context.Context, _ Locator, queried int64, _ int) (Locator, bool, error) {
			w := expecting(queried)
			built, err := cheapest(w, c.windingMethods(w)).Build(ctx, s, w)
			switch {
			case ctx.Err() != nil:
				return nil, false, ctx.Err()
			case err != nil: // the Estimator does not reach w.Epsilon or needs too many caps
				return base, true, nil
			}
			return built.Locator, true, nil
		})
}

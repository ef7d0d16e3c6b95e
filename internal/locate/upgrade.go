package locate

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/side"
)

// WithUpgrade returns a Locator that uses the current Locator of u. Each computed side adds 1 to the
// work of u, and so does each winding number of a batch. If the work pays for a better Locator, one
// caller builds it and other callers wait. A single winding number adds nothing, so its caller never
// has to build or wait.
func WithUpgrade(u *lazy.Upgrade[Locator]) Locator { return &upgrading{u} }

type upgrading struct{ upgrade *lazy.Upgrade[Locator] }

func (u *upgrading) Side(p r3.Vector) side.Side {
	l, _ := u.upgrade.For(context.Background(), 1, 0) // the error is nil because this context never ends
	return l.Side(p)
}

func (u *upgrading) Winding(p r3.Vector) (w, bound float64) { return u.upgrade.Current().Winding(p) }

func (u *upgrading) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	l, err := u.upgrade.For(ctx, int64(len(pts)), workers)
	if err != nil {
		dst.Check(len(pts))
		dst.Clear()
		return side.Stats{}, err
	}
	return l.LocateTo(ctx, dst, pts, workers)
}

func (u *upgrading) Bytes() int64 { return u.upgrade.Current().Bytes() }

// Settled returns the Locator that l uses for a batch of pts. It counts these points, and first builds
// a better index if they pay for it. The answers of the result do not depend on other queries. So a
// caller that divides the batch gets the same answers in every run. The error is the error of ctx.
func Settled(ctx context.Context, l Locator, pts []r3.Vector, workers int) (Locator, error) {
	switch l := l.(type) {
	case *posed:
		inner, err := Settled(ctx, l.base, pts, workers)
		settled := *l
		settled.base = inner
		return &settled, err
	case *precise:
		inner, err := Settled(ctx, l.Locator, pts, workers)
		return &precise{inner, l.surface, l.epsilon}, err
	case *upgrading:
		inner, err := l.upgrade.For(ctx, int64(len(pts)), workers)
		if err != nil {
			return l, err
		}
		return Settled(ctx, inner, pts, workers)
	case *swept:
		return l.settled(ctx, workers)
	case *fallback:
		if p, ok := l.estimator.(*potential); ok {
			return WithFallback(&planned{p, p.planFor(ctx, pts)}, l.exact, l.rule, l.parity, l.epsilon), ctx.Err()
		}
	}
	return l, ctx.Err()
}

// directUntil returns a Locator that uses the direct sum until the given number of points has been
// queried or the tree exists. Afterward, the Locator casts rays, which are faster.
func directUntil(points int64, direct Locator, s *Surface) Locator {
	return WithUpgrade(lazy.NewUpgrade(direct,
		func(_ Locator, queried int64) bool { return queried > points || s.Indexed() },
		func(ctx context.Context, _ Locator, _ int64, _ int) (Locator, bool, error) {
			_, err := s.Rays(ctx)
			return rays{s}, true, err
		}))
}

// cellsLater returns a Locator that starts with columns. After enough points, it uses cells. Columns and
// cells return the same answers.
func cellsLater(c *costs, s *Surface, w Workload, base Locator) Locator {
	expecting := func(queried int64) Workload {
		w := w
		w.Points = 4 * min(queried, math.MaxInt64/4) // tuning: callers that exceed their own number once go on
		return w
	}
	return WithUpgrade(lazy.NewUpgrade(base,
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
		}))
}

// multipolesLater returns a Locator for winding numbers of an open mesh. It starts with the given
// Locator. After enough points, it uses the cheapest Estimator, unless this Estimator does not
// reach w.Epsilon.
func multipolesLater(c *costs, s *Surface, w Workload, base Locator, secondsPerPoint func(Workload) float64) Locator {
	expecting := func(queried int64) Workload {
		w := w
		w.Points = max(w.Points, queried)
		return w
	}
	return WithUpgrade(lazy.NewUpgrade(base,
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
		}))
}

package locate

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/side"
)

// WithUpgrade returns a Locator that answers with the current Locator of u. Every point
// of a batch, and every single side, is a unit of work for u. A single winding number
// counts no work, because it would have to wait for u to build.
func WithUpgrade(u *lazy.Upgrade[Locator]) Locator { return &upgrading{u} }

type upgrading struct{ upgrade *lazy.Upgrade[Locator] }

func (u *upgrading) Side(p r3.Vector) side.Side {
	l, _ := u.upgrade.For(context.Background(), 1, 0) // this context does not end
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

// directUntil finds sides by the direct sum until the given number of points has been
// queried or the tree exists. After that, rays are faster.
func directUntil(points int64, direct Locator, s *Surface) Locator {
	return WithUpgrade(lazy.NewUpgrade(direct,
		func(_ Locator, asked int64) bool { return asked > points || s.Indexed() },
		func(ctx context.Context, _ Locator, _ int64, _ int) (Locator, bool, error) {
			_, err := s.Rays(ctx)
			return rays{s}, true, err
		}))
}

// multipolesLater finds winding numbers of an open mesh with base, which takes point
// seconds for each. Once enough have been queried, it changes to multipoles or to a mesh
// closed by caps. If neither reaches w.Epsilon, it stays with base.
func multipolesLater(c *costs, s *Surface, w Workload, base Locator, point func(Workload) float64) Locator {
	asking := func(asked int64) Workload {
		w := w
		w.Points = max(w.Points, asked)
		return w
	}
	return WithUpgrade(lazy.NewUpgrade(base,
		func(_ Locator, asked int64) bool {
			w := asking(asked)
			best := cheapest(w, c.windingMethods(w))
			return best.Estimates && best.Cost(w).total(w) < float64(w.Points)*point(w)
		},
		func(ctx context.Context, _ Locator, asked int64, _ int) (Locator, bool, error) {
			w := asking(asked)
			built, err := cheapest(w, c.windingMethods(w)).Build(ctx, s, w)
			switch {
			case ctx.Err() != nil:
				return nil, false, ctx.Err()
			case err != nil: // multipoles do not reach epsilon, or there are too many caps
				return base, true, nil
			}
			return built.Locator, true, nil
		}))
}

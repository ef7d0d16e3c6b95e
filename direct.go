package inpoly

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/golang/geo/r3"
)

// spare counts down the points for which a Solid saves itself the tree.
type spare struct{ points atomic.Int64 }

// newSpare returns a spare of n points; nil, which is never used up, if n < 0.
func newSpare(n int64) *spare {
	if n < 0 {
		return nil
	}
	s := new(spare)
	s.points.Store(n)
	return s
}

// take reports whether n points more are still to be answered without the tree.
func (s *spare) take(n int) bool {
	// Nothing is subtracted once it is used up: the number cannot overflow.
	return s == nil || s.points.Load() >= 0 && s.points.Add(-int64(n)) >= 0
}

// useDirect reports whether the sides of n points more are to be found by the
// direct sum: always if it was asked for; if Auto has chosen it, until there is
// the tree or more points came than it was chosen for. Sides do not depend on it.
func (s *Solid) useDirect(n int) bool {
	switch {
	case s.direct == nil || countsParity(s.mesh, s.opt.Rule):
		return false
	case s.spare == nil:
		return true
	}
	return !s.tree.there() && s.spare.take(n)
}

// directSide returns the side of p if the bound of the direct sum decides it.
func (s *Solid) directSide(p r3.Vector) (Side, bool) {
	if !finite(p) {
		return Unknown, true
	}
	w, bound, on := s.direct.Winding(p)
	if on {
		return OnSurface, true
	}
	return s.opt.Rule.Decide(w, bound)
}

// directWinding is Winding by the direct sum. What a closed mesh leaves undecided
// is cast.
func (s *Solid) directWinding(p r3.Vector, sc *scratch) (w, bound float64) {
	w, bound, on := s.direct.Winding(p)
	if !s.mesh.Closed() || on || !finite(p) {
		return w, bound
	}
	if bound < 0.5 {
		return math.RoundToEven(w) + 0, 0 // −0 becomes 0
	}
	t, err := s.tree.get(sc.context())
	if err != nil {
		return math.NaN(), math.Inf(1)
	}
	return t.caster.Winding(p, &sc.ray)
}

// context returns that of the batch, or one that does not end.
func (sc *scratch) context() context.Context {
	if sc.ctx == nil {
		return context.Background()
	}
	return sc.ctx
}

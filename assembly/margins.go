package assembly

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// exactMargin is the margin of a side that does not depend on an approximate surface.
const exactMargin = 0.5

// HasExactSides reports whether every side is that of a closed surface, or the parity of crossings that all
// rays agree on. All margins are 1/2 then; see MarginsTo.
func (a *Assembly) HasExactSides() bool {
	for i := range a.members {
		if !a.members[i].hasExactSides() {
			return false
		}
	}
	return true
}

func (m *member) hasExactSides() bool {
	surface := m.set.Surface
	return surface.Mesh().Closed() || locate.Parity(surface.Mesh(), surface.Rule())
}

// MarginsTo writes for each point how far the winding numbers are from those for which the side would be
// another one. On an open mesh, a point with a small margin is near a hole, and another way to close the
// hole can change its side.
//
// The margin relative to one open mesh is the distance of the winding number from the nearest threshold of
// the rule, without its bound: |side.Rule.Margin(W)| − bound, but at least 0. It is 1/2 for a mesh that
// HasExactSides describes, and on the surface. In the union of several solids, a point inside has the largest margin of
// the solids that contain it, and a point outside the smallest margin of all solids. A negative part counts as
// a solid that the point must be outside. The margin of a point that is not finite is NaN.
//
// known holds answers of LocateTo for the same points, or nil slices. They save time if a has one solid.
// dst must have one element for each point. Errors: the error of ctx if ctx ends first.
func (a *Assembly) MarginsTo(ctx context.Context, dst []float64, known side.Answers, pts []r3.Vector) error {
	if len(dst) != len(pts) {
		panic(fmt.Sprintf("assembly: %d margins for %d points", len(dst), len(pts)))
	}
	for i := range dst {
		dst[i] = math.Inf(-1) // outside of no solid
	}
	if len(a.members) == 1 && a.negative == 0 && known.Sides != nil && known.Winding != nil {
		a.members[0].signedMargins(dst, known)
	} else {
		one, cut := make([]float64, len(pts)), make([]float64, len(pts))
		answers := side.Answers{Sides: make([]side.Side, len(pts)), Winding: make([]float64, len(pts)), Bound: make([]float64, len(pts))}
		for i := range a.members {
			m := &a.members[i]
			if m.cut {
				continue
			}
			if err := a.memberMargins(ctx, one, int32(i), answers, pts); err != nil {
				return err
			}
			for _, c := range m.cuts {
				if err := a.memberMargins(ctx, cut, c, answers, pts); err != nil {
					return err
				}
				for k := range one {
					one[k] = min(one[k], -cut[k])
				}
			}
			for k := range dst {
				dst[k] = max(dst[k], one[k])
			}
		}
	}
	for i, p := range pts {
		switch {
		case !vec.Finite(p):
			dst[i] = math.NaN()
		case math.IsInf(dst[i], -1):
			dst[i] = exactMargin
		default:
			dst[i] = math.Abs(dst[i])
		}
	}
	return ctx.Err()
}

// memberMargins writes the signed margins of the points relative to one solid. They are positive inside.
func (a *Assembly) memberMargins(ctx context.Context, dst []float64, solid int32, answers side.Answers, pts []r3.Vector) error {
	m := &a.members[solid]
	if !m.hasExactSides() || m.cut { // sideBounds has no box of a negative part
		if _, err := m.locateTo(ctx, inpoly.Answers{Answers: answers}, pts); err != nil {
			return err
		}
		m.signedMargins(dst, answers)
		return nil
	}
	near := a.sideBounds.inside(nil, solid, pts)
	for i := range dst {
		dst[i] = -exactMargin // all other points are outside
	}
	some := make([]r3.Vector, len(near))
	for k, i := range near {
		some[k] = pts[i]
	}
	sides := make([]side.Side, len(near))
	if _, err := m.locateTo(ctx, inpoly.Answers{Answers: side.Answers{Sides: sides}}, some); err != nil {
		return err
	}
	for k, i := range near {
		dst[i] = signed(sides[k], exactMargin)
	}
	return nil
}

// signedMargins writes the margins of points with the given answers.
func (m *member) signedMargins(dst []float64, answers side.Answers) {
	exact, rule := m.hasExactSides(), m.set.Surface.Rule()
	for i, s := range answers.Sides {
		margin := exactMargin
		if !exact && s != side.OnSurface {
			margin = math.Abs(rule.Margin(answers.Winding[i])) - answers.Bound[i]
			if !(margin > 0) { // also NaN
				margin = 0
			}
		}
		dst[i] = signed(s, margin)
	}
}

// signed returns the margin with the sign of the side. It is 0 if the side is Unknown.
func signed(s side.Side, margin float64) float64 {
	switch s {
	case side.Unknown:
		return 0
	case side.Outside:
		return -margin
	}
	return margin
}

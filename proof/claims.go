package proof

import (
	"context"
	_ "embed"
	"errors"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/side"
)

// Checker is the program that checks proof files: a script for Python 3.9 or newer, which needs only
// the standard library.
//
//go:embed check.py
var Checker []byte

// Claim is an answer about one point.
type Claim struct {
	Row   int64 // a number that identifies the point in the file, such as its row; see Write
	Point r3.Vector
	Side  inpoly.Side // the exact side, without a tolerance
	// Winding is the winding number of an open mesh within ± Bound. If it is NaN, Write computes it.
	// Closed meshes do not need it.
	Winding, Bound float64
	// Distance and Face are the results of Solid.Distance. If Face is negative or Distance is not finite,
	// there is no claim about them.
	Distance float64
	Face     int32
}

// hasDistance reports whether c claims a distance. A distance can overflow.
func (c *Claim) hasDistance() bool {
	return c.Face >= 0 && !math.IsNaN(c.Distance) && !math.IsInf(c.Distance, 0)
}

// Claims returns the answers of t about pts, with rows from 1. It computes distances and nearest faces
// only if distances is set. Errors: ErrTolerance, ErrWelded; ErrPose if distances is set and t has a pose; the error of
// ctx if ctx ends first.
func Claims(ctx context.Context, t inpoly.Target, pts []r3.Vector, distances bool) ([]Claim, error) {
	if err := checkOptions(t); err != nil {
		return nil, err
	}
	if distances && locate.Of(t).Place != nil {
		return nil, ErrPose
	}
	sides := make([]inpoly.Side, len(pts))
	dst := inpoly.Answers{Answers: side.Answers{Sides: sides}}
	if distances {
		dst.Distance, dst.Face = make([]float64, len(pts)), make([]int32, len(pts))
	}
	if _, err := t.LocateTo(ctx, dst, pts); err != nil {
		return nil, err
	}
	claims := make([]Claim, len(pts))
	for i, p := range pts {
		claims[i] = Claim{Row: int64(i) + 1, Point: p, Side: sides[i], Winding: math.NaN(), Bound: math.NaN(), Distance: math.NaN(), Face: -1}
		if distances {
			claims[i].Distance, claims[i].Face = dst.Distance[i], dst.Face[i]
		}
	}
	return claims, nil
}

// withoutPose returns the Solid of t.
func withoutPose(t inpoly.Target) *inpoly.Solid {
	if p, ok := t.(*inpoly.Posed); ok {
		return p.Solid()
	}
	return t.(*inpoly.Solid)
}

// checkOptions returns an error if the options of t make answers that the checker cannot verify.
func checkOptions(t inpoly.Target) error {
	r := t.Report()
	if r.Tolerance > 0 {
		return ErrTolerance
	}
	if r.Welding != nil && r.Welding.Joined > 0 {
		return ErrWelded
	}
	return nil
}

// These errors are possible results of Claims and Write.
var (
	// ErrTolerance means that the solid has a tolerance. Its sides depend on distances, so Write cannot
	// prove them.
	ErrTolerance = errors.New("sides with a tolerance have no proof")
	// ErrWelded means that Options.Weld has joined vertices. The answers are about a mesh that differs from
	// the mesh of the file, and the checker cannot verify the difference.
	ErrWelded = errors.New("answers about a mesh whose vertices weld has joined have no proof")
	// ErrPose means that distances at a pose have no proof: they include the rounding of positions.
	ErrPose = errors.New("distances at a pose have no proof")
	// ErrFalse means that a claim is false, for example because the solid did not make it.
	ErrFalse = errors.New("the answer is false")
)

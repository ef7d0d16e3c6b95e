package binding

import (
	"context"
	"fmt"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// Answers holds the slices that LocateTo writes to, with one element for each point. LocateTo does
// not compute answers whose slice is nil.
type Answers struct {
	Sides          []side.Side // relative to the union of the solids; see assembly.Assembly.Side
	Winding, Bound []float64   // winding numbers and their bounds

	// Signed distances and the bounds of their errors, which include the rounding of positions at a pose;
	// see assembly.Assembly.Distance and inpoly.Answers.DistanceBound.
	Distance, DistanceBound []float64
	// Face is the nearest face, with its index in the file or array of the solid NearestBody. Both
	// are −1 if there is no nearest face.
	Face, NearestBody []int32
	Nearest           []r3.Vector // closest points on the surface, rounded; NaN if there is none

	// The other fields of inpoly.Nearest for these points: PointBound, Barycentric, Feature and Normal.
	// Without a closest point, the bound is +Inf, the feature is 0, and the numbers are NaN.
	NearestBound []float64
	Barycentric  [][3]float64
	Feature      []inpoly.Feature
	Normal       []r3.Vector

	Body   []int32 // see assembly.Assembly.Body
	Choice assembly.Choice
}

// visit visits the slices of a. None of them needs another one.
func (a *Answers) visit(p *answers.Pass) {
	answers.Sides.Visit(p, &a.Sides, false)
	answers.Windings.Visit(p, &a.Winding, false)
	answers.WindingBounds.Visit(p, &a.Bound, false)
	answers.Distances.Visit(p, &a.Distance, false)
	answers.DistanceBounds.Visit(p, &a.DistanceBound, false)
	answers.Faces.Visit(p, &a.Face, false)
	answers.NearestBodies.Visit(p, &a.NearestBody, false)
	answers.Points.Visit(p, &a.Nearest, false)
	answers.PointBounds.Visit(p, &a.NearestBound, false)
	answers.Barycentrics.Visit(p, &a.Barycentric, false)
	answers.Features.Visit(p, &a.Feature, false)
	answers.Normals.Visit(p, &a.Normal, false)
	answers.Bodies.Visit(p, &a.Body, false)
}

// check returns an error that wraps ErrArgument if the length of a slice differs from n.
func (a *Answers) check(n int) error {
	p := answers.Lengths(n)
	a.visit(&p)
	if err := p.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrArgument, err)
	}
	if a.Choice > assembly.Count {
		return fmt.Errorf("%w: unknown choice of bodies %d", ErrArgument, a.Choice)
	}
	return nil
}

// slice returns the answers for points lo to hi−1.
func (a Answers) slice(lo, hi int) Answers {
	p := answers.Cut(lo, hi)
	a.visit(&p)
	return a
}

// clear marks all elements as not computed.
func (a Answers) clear() {
	p := answers.Clearing()
	a.visit(&p)
}

// chunk is the number of points of one call of the Assembly. The blocks of LocateFuncTo have at most a
// quarter of this length, because they need memory (tuning).
const chunk = 1 << 20

// With progress, distances are computed in steps: the first step has firstStep points, and a step
// has twice as many points as the previous step if that took less than stepTime (tuning). Winding
// numbers are computed chunk by chunk, because they can depend on the number of points in
// a call.
const (
	firstStep = 1 << 16
	stepTime  = 250 * time.Millisecond
)

// LocateTo computes the answers for pts. It calls progress, unless it is nil, as points are finished,
// on the goroutine of the caller. If ctx ends first, LocateTo returns the error of ctx. The answers
// that are not computed are then the side Unknown, the winding number NaN with the bound +Inf, the
// distance NaN with the bound NaN, −1 or inpoly.UncertainBody. When LocateTo returns, no goroutine uses the slices.
//
// Errors: ErrArgument if the length of a slice is wrong; the error of ctx.
func (s *Solid) LocateTo(ctx context.Context, dst Answers, pts []r3.Vector, progress func(done, total int64)) error {
	if err := dst.check(len(pts)); err != nil {
		return err
	}
	return s.chunks(ctx, &dst, len(pts), chunk, progress, func(lo, hi int) []r3.Vector { return pts[lo:hi] })
}

// LocateFuncTo is like LocateTo for n points. The function fill stores points lo, lo+1 and so on in
// dst. Several goroutines call it.
func (s *Solid) LocateFuncTo(ctx context.Context, dst Answers, n int, fill func(dst []r3.Vector, lo int), progress func(done, total int64)) error {
	if err := dst.check(n); err != nil {
		return err
	}
	block := make([]r3.Vector, min(n, chunk/4))
	return s.chunks(ctx, &dst, n, len(block), progress, func(lo, hi int) []r3.Vector {
		pts := block[:hi-lo]
		// The background context never ends, so there is no error.
		_ = par.Blocks(context.Background(), len(pts), 1<<14, s.workers, func(_, from, to int) {
			fill(pts[from:to], lo+from)
		})
		return pts
	})
}

// chunks locates n points in chunks of the given size.
func (s *Solid) chunks(ctx context.Context, dst *Answers, n, size int, progress func(done, total int64), points func(lo, hi int) []r3.Vector) error {
	for lo := 0; lo < n; lo += size {
		hi := min(n, lo+size)
		locate := s.locateTo
		if progress != nil {
			locate = func(ctx context.Context, dst Answers, pts []r3.Vector) error {
				return s.stepsTo(ctx, dst, pts, func(done int) { progress(int64(lo+done), int64(n)) })
			}
		}
		if err := locate(ctx, dst.slice(lo, hi), points(lo, hi)); err != nil {
			dst.slice(hi, n).clear()
			return err
		}
	}
	return ctx.Err()
}

// stepsTo computes the answers of one chunk, and calls progress with the number of finished points.
func (s *Solid) stepsTo(ctx context.Context, dst Answers, pts []r3.Vector, progress func(done int)) error {
	if !dst.wantsDistance() {
		err := s.locateTo(ctx, dst, pts)
		if err == nil {
			progress(len(pts))
		}
		return err
	}
	if dst.Winding != nil || dst.Bound != nil {
		whole := dst
		whole.Distance, whole.DistanceBound, whole.Face, whole.NearestBody = nil, nil, nil, nil
		whole.Nearest, whole.NearestBound, whole.Barycentric, whole.Feature, whole.Normal = nil, nil, nil, nil, nil
		dst.Sides, dst.Winding, dst.Bound, dst.Body = nil, nil, nil, nil
		if err := s.locateTo(ctx, whole, pts); err != nil {
			dst.clear()
			return err
		}
	}
	step := firstStep
	for lo := 0; lo < len(pts); {
		start := time.Now()
		hi := min(lo+step, len(pts))
		if err := s.locateTo(ctx, dst.slice(lo, hi), pts[lo:hi]); err != nil {
			dst.slice(hi, len(pts)).clear()
			return err
		}
		progress(hi)
		lo = hi
		if time.Since(start) < stepTime {
			step *= 2
		}
	}
	return nil
}

// wantsDistance reports whether an answer needs the nearest faces.
func (a *Answers) wantsDistance() bool {
	return a.Distance != nil || a.DistanceBound != nil || a.Face != nil || a.NearestBody != nil || a.wantsNearest()
}

// wantsNearest reports whether an answer needs the closest points.
func (a *Answers) wantsNearest() bool {
	return a.Nearest != nil || a.NearestBound != nil || a.Barycentric != nil || a.Feature != nil || a.Normal != nil
}

// locateTo computes the answers for pts in one call of the Assembly.
func (s *Solid) locateTo(ctx context.Context, dst Answers, pts []r3.Vector) error {
	n := len(pts)
	a := inpoly.Answers{Body: dst.Body}
	a.Sides, a.Winding, a.Bound = dst.Sides, dst.Winding, dst.Bound
	if a.Winding == nil && a.Bound != nil {
		a.Winding = make([]float64, n)
	}
	if a.Bound == nil && a.Winding != nil {
		a.Bound = make([]float64, n)
	}
	if dst.wantsDistance() {
		a.Distance, a.Face, a.NearestBody = orMake(dst.Distance, n), orMake(dst.Face, n), orMake(dst.NearestBody, n)
		a.DistanceBound = dst.DistanceBound
	}
	if dst.wantsNearest() {
		a.Nearest = make([]inpoly.Nearest, n)
	}
	_, err := s.Assembly.LocateTo(ctx, assembly.Query{Body: dst.Choice}, a, pts)
	for i, f := range dst.Face {
		if f >= 0 {
			dst.Face[i] = s.FileFace(int(a.NearestBody[i]), f)
		}
	}
	if err != nil {
		Answers{
			Nearest: dst.Nearest, NearestBound: dst.NearestBound, Barycentric: dst.Barycentric, Feature: dst.Feature, Normal: dst.Normal,
		}.clear()
		return err
	}
	dst.setNearest(a.Nearest)
	return nil
}

// setNearest copies the closest points to the slices that are not nil.
func (a *Answers) setNearest(found []inpoly.Nearest) {
	for i := range a.Nearest {
		a.Nearest[i] = found[i].Point
	}
	for i := range a.NearestBound {
		a.NearestBound[i] = found[i].PointBound
	}
	for i := range a.Barycentric {
		a.Barycentric[i] = found[i].Barycentric
	}
	for i := range a.Feature {
		a.Feature[i] = found[i].Feature
	}
	for i := range a.Normal {
		a.Normal[i] = found[i].Normal
	}
}

func orMake[T any](s []T, n int) []T {
	if s == nil {
		return make([]T, n)
	}
	return s
}

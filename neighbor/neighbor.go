package neighbor

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Disk is a closed disk in the plane.
type Disk struct {
	Center r2.Point
	Radius float64 // from 2^-500 to 2^500, or Absent
}

// Sphere is a closed ball in space.
type Sphere struct {
	Center r3.Vector
	Radius float64 // from 2^-500 to 2^500, or Absent
}

// Rect is a closed axis-parallel rectangle with Min ≤ Max on both axes. It may be flat. Only
// EmptyRect has Min > Max; it is absent.
type Rect struct {
	Min, Max r2.Point
}

// EmptyRect returns the rectangle that touches nothing. In space use bvh.EmptyBox.
func EmptyRect() Rect {
	inf := math.Inf(1)
	return Rect{Min: r2.Point{X: inf, Y: inf}, Max: r2.Point{X: -inf, Y: -inf}}
}

// Absent returns −Inf, the radius of an absent ball. An absent body touches nothing in this step. A
// later step can use its index again. An empty box is absent too.
func Absent() float64 { return math.Inf(-1) }

// Body is any kind of body: Disk and Rect in the plane, Sphere and bvh.Box in space.
type Body interface {
	Disk | Sphere | Rect | bvh.Box
}

// Pair has the indices of two bodies that touch, A < B.
type Pair struct {
	A, B int32
}

// ErrBody is the error for an invalid body: a coordinate that is not finite or exceeds 2^500, a
// radius outside [2^-500, 2^500], or a box with Min > Max. The square of such a number could
// underflow or overflow. Other fields of an absent body are not checked.
var ErrBody = errors.New("bad body")

// Method finds the pairs of bodies that touch, step after step. It stores information from one step
// for the next. One goroutine at a time may use it.
type Method[T Body] interface {
	// Update takes the bodies of the next step. It does not retain the slice. Index i is the same
	// body in all steps. Bodies beyond the end of a shorter slice are absent. If Update fails, it
	// changes nothing.
	//
	// Errors: ErrBody, naming the first bad body; the error of ctx.
	Update(ctx context.Context, bodies []T) error
	// Pairs returns each pair that touches in the last step once, ordered by A, then B. The slice
	// is valid until the next Update.
	Pairs() []Pair
	// Stats returns the counts since the beginning.
	Stats() Stats
}

// Tracker is a Method that also reports the changes of a step.
type Tracker[T Body] interface {
	Method[T]
	// Changes returns the pairs that began to touch and the pairs that ceased to touch in the last
	// step, in the order of Pairs. The slices are valid until the next Update.
	Changes() (added, removed []Pair)
}

// Stats counts the work of a Method. The counts are the same for any number of workers.
type Stats struct {
	Steps     uint64 // successful calls of Update
	Tests     uint64 // pairs of bodies compared, exactly or by bounds
	Rebuilds  uint64 // steps in which the structure was rebuilt
	Exchanges uint64 // exchanges of neighboring interval ends while sorting
}

// limit is the largest magnitude of a coordinate and of a radius; 1/limit is the smallest radius.
// The square of a sum of radii is then a normal number, and the square of a distance is finite.
// Therefore touchDisks and touchSpheres have an error of a few units in the last place.
const limit = 0x1p500

// check returns ErrBody for the first bad body.
func check[T Body](bodies []T) error {
	if len(bodies) > math.MaxInt32 {
		return fmt.Errorf("%w: body %d: indices must be below %d", ErrBody, len(bodies)-1, math.MaxInt32)
	}
	switch bodies := any(bodies).(type) {
	case []Disk:
		for i := range bodies {
			if b := &bodies[i]; !(validRadius(b.Radius) && validPoint(b.Center)) && !b.absent() {
				return badBall(i, validPoint(b.Center), b.Center, b.Radius)
			}
		}
	case []Sphere:
		for i := range bodies {
			if b := &bodies[i]; !(validRadius(b.Radius) && validVector(b.Center)) && !b.absent() {
				return badBall(i, validVector(b.Center), b.Center, b.Radius)
			}
		}
	case []Rect:
		for i := range bodies {
			b := &bodies[i]
			if !(validPoint(b.Min) && validPoint(b.Max) && b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y) && !b.absent() {
				return fmt.Errorf("%w: body %d: corners %g and %g must be ordered and within ±2^500", ErrBody, i, b.Min, b.Max)
			}
		}
	case []bvh.Box:
		for i := range bodies {
			if b := &bodies[i]; !(validVector(b.Min) && validVector(b.Max) && !b.Empty()) && !absentBox(b) {
				return fmt.Errorf("%w: body %d: corners %g and %g must be ordered and within ±2^500", ErrBody, i, b.Min, b.Max)
			}
		}
	}
	return nil
}

// badBall returns the error for ball i. It names the center unless the center is valid.
func badBall(i int, validCenter bool, center any, radius float64) error {
	if !validCenter {
		return fmt.Errorf("%w: body %d: center %g must be within ±2^500", ErrBody, i, center)
	}
	return fmt.Errorf("%w: body %d: radius %g must be from 2^-500 to 2^500", ErrBody, i, radius)
}

// The comparisons are false for NaN.
func validRadius(r float64) bool { return r >= 1/limit && r <= limit }
func validNumber(x float64) bool { return x >= -limit && x <= limit }

func validPoint(p r2.Point) bool { return validNumber(p.X) && validNumber(p.Y) }
func validVector(v r3.Vector) bool {
	return validNumber(v.X) && validNumber(v.Y) && validNumber(v.Z)
}

func (d *Disk) absent() bool   { return d.Radius == Absent() }
func (s *Sphere) absent() bool { return s.Radius == Absent() }
func (r *Rect) absent() bool   { return *r == EmptyRect() }

func absentBox(b *bvh.Box) bool { return *b == bvh.EmptyBox() }

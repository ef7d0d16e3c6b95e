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
	Radius float64 // radius from 2^-500 to 2^500, or Absent()
}

// Sphere is a closed ball in space.
type Sphere struct {
	Center r3.Vector
	Radius float64 // radius from 2^-500 to 2^500, or Absent()
}

// Rect is a closed axis-parallel rectangle with Min ≤ Max on both axes. It can be flat. The only
// valid Rect with Min > Max is EmptyRect, which is an absent body.
type Rect struct {
	Min, Max r2.Point
}

// EmptyRect returns the rectangle that touches nothing. The corresponding box in space is
// bvh.EmptyBox.
func EmptyRect() Rect {
	inf := math.Inf(1)
	return Rect{Min: r2.Point{X: inf, Y: inf}, Max: r2.Point{X: -inf, Y: -inf}}
}

// Absent returns −Inf, the radius of an absent disk or ball. An absent body touches nothing. A body
// that is absent in one step can be present in a later step. An empty box is also absent.
func Absent() float64 { return math.Inf(-1) }

// Body is a type of body: Disk and Rect in the plane, Sphere and bvh.Box in space.
type Body interface {
	Disk | Sphere | Rect | bvh.Box
}

// Pair has the indices A < B of two bodies that touch.
type Pair struct {
	A, B int32
}

// ErrBody is the error for an invalid body. A body is invalid if a coordinate is not finite or
// exceeds 2^500, if a radius is outside [2^-500, 2^500], or if Min > Max in a box. The square of a
// number outside these limits can overflow or underflow. The center of an absent body is not
// checked.
var ErrBody = errors.New("bad body")

// ErrPairs is the error for more pairs than AutoOptions.MaxPairs.
var ErrPairs = errors.New("too many pairs of bodies")

// Method finds the pairs of bodies that touch, step after step. It uses information from the last
// step to save time. One goroutine at a time may use a Method.
type Method[T Body] interface {
	// Update makes a step with the given bodies. It does not retain the slice. Each index
	// identifies the same body in all steps. If the slice is shorter than in an earlier step, the
	// missing bodies are absent. If Update fails, it changes nothing.
	//
	// The error wraps ErrBody and names the first bad body, or it is the error of ctx.
	Update(ctx context.Context, bodies []T) error
	// Pairs returns the pairs that touch in the last step. Each pair occurs once. The pairs are
	// ordered by A, then by B. The slice is valid until the next Update.
	Pairs() []Pair
	// Stats returns the counts since the Method was created.
	Stats() Stats
}

// Tracker is a Method that also reports how the pairs change in a step.
type Tracker[T Body] interface {
	Method[T]
	// Changes returns the pairs that began to touch in the last step, and the pairs that ceased to
	// touch. Both slices are in the order of Pairs and are valid until the next Update.
	Changes() (added, removed []Pair)
}

// Stats counts the work of a Method. The counts do not depend on the number of workers.
type Stats struct {
	Steps     uint64 // number of successful calls of Update
	Tests     uint64 // number of tests of two bodies or of their bounds
	Rebuilds  uint64 // number of steps that rebuilt the data structure
	Exchanges uint64 // number of exchanges of adjacent elements while sorting
}

// limit is the largest magnitude of a coordinate and of a radius. The smallest radius is 1/limit.
// With these limits, the square of a sum of radii is a normal number, and the square of a distance
// is finite. Therefore touchDisks and touchSpheres have an error of a few units in the last place.
const limit = 0x1p500

// check returns an error that wraps ErrBody and describes the first bad body.
func check[T Body](bodies []T) error {
	if len(bodies) > math.MaxInt32 {
		return fmt.Errorf("%w: body %d: the index must be below %d", ErrBody, len(bodies)-1, math.MaxInt32)
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
				return fmt.Errorf("%w: body %d: Min %g and Max %g must be within ±2^500, with Min ≤ Max", ErrBody, i, b.Min, b.Max)
			}
		}
	case []bvh.Box:
		for i := range bodies {
			if b := &bodies[i]; !(validVector(b.Min) && validVector(b.Max) && !b.Empty()) && !absentBox(b) {
				return fmt.Errorf("%w: body %d: Min %g and Max %g must be within ±2^500, with Min ≤ Max", ErrBody, i, b.Min, b.Max)
			}
		}
	}
	return nil
}

// badBall returns an error that names the center of ball i if the center is invalid, and otherwise
// the radius.
func badBall(i int, validCenter bool, center any, radius float64) error {
	if !validCenter {
		return fmt.Errorf("%w: body %d: center %g must be within ±2^500", ErrBody, i, center)
	}
	return fmt.Errorf("%w: body %d: radius %g must be from 2^-500 to 2^500", ErrBody, i, radius)
}

// All comparisons with NaN are false, so NaN is not valid.
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

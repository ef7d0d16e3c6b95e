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

// Rect is a closed axis-parallel rectangle, Min ≤ Max on both axes. It may be flat.
// EmptyRect is the one exception: it is absent.
type Rect struct {
	Min, Max r2.Point
}

// EmptyRect returns the rectangle that touches nothing; its counterpart in space is
// bvh.EmptyBox.
func EmptyRect() Rect {
	inf := math.Inf(1)
	return Rect{Min: r2.Point{X: inf, Y: inf}, Max: r2.Point{X: -inf, Y: -inf}}
}

// Absent returns −Inf, the radius of an absent body: it touches nothing in this step, and its
// index stays free for it or another body. An empty box is absent too.
func Absent() float64 { return math.Inf(-1) }

// Body is a kind of bodies: in the plane Disk and Rect, in space Sphere and bvh.Box.
type Body interface {
	Disk | Sphere | Rect | bvh.Box
}

// Pair is two bodies that touch, by their indices, A < B.
type Pair struct {
	A, B int32
}

// ErrBody is the error for a body that cannot be handled: a coordinate that is not finite or
// exceeds 2^500, a radius outside [2^-500, 2^500], whose square would vanish or overflow, a box
// with Min > Max. An absent body is never bad, whatever its other fields hold.
var ErrBody = errors.New("bad body")

// Method finds the pairs of bodies that touch, step after step. It keeps information from one
// step for the next. One goroutine at a time may use it.
type Method[T Body] interface {
	// Update takes the bodies of the next step. It does not keep the slice. Index i is the same
	// body in all steps; bodies beyond the end of a shorter slice are absent. If Update fails,
	// the state is as before the call.
	//
	// Errors: ErrBody, naming the first bad body; the error of ctx.
	Update(ctx context.Context, bodies []T) error
	// Pairs returns the pairs that touch in the last step, each once, ordered by A, then B. The
	// slice is valid until the next Update.
	Pairs() []Pair
	// Stats returns the counts since the beginning.
	Stats() Stats
}

// Tracker is a Method that also reports the changes of a step.
type Tracker[T Body] interface {
	Method[T]
	// Changes returns the pairs that began and the pairs that ceased to touch in the last step,
	// in the order of Pairs. The slices are valid until the next Update.
	Changes() (added, removed []Pair)
}

// Stats counts the work of a Method. The counts are the same for any number of workers.
type Stats struct {
	Steps     uint64 // successful calls of Update
	Tests     uint64 // pairs of bodies compared, exactly or by bounds
	Rebuilds  uint64 // steps in which the structure was rebuilt
	Exchanges uint64 // exchanges of neighboring interval ends while sorting
}

// Coordinates are at most limit in magnitude, radii from 1/limit to limit. The square of a sum
// of radii is then a normal number, so touchDisks and touchSpheres are right to a few units in
// the last place, and the square of a distance is finite.
const limit = 0x1p500

// check returns ErrBody for the first bad body.
func check[T Body](bodies []T) error {
	if len(bodies) > math.MaxInt32 {
		return fmt.Errorf("%w: body %d: indices end at %d", ErrBody, len(bodies)-1, math.MaxInt32-1)
	}
	at, fault := -1, ""
	switch bodies := any(bodies).(type) {
	case []Disk:
		at, fault = checkDisks(bodies)
	case []Sphere:
		at, fault = checkSpheres(bodies)
	case []Rect:
		at, fault = checkRects(bodies)
	case []bvh.Box:
		at, fault = checkBoxes(bodies)
	}
	if at >= 0 {
		return fmt.Errorf("%w: body %d: %s", ErrBody, at, fault)
	}
	return nil
}

func checkDisks(bodies []Disk) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if validRadius(b.Radius) && validPoint(b.Center) || b.absent() {
			continue
		}
		if !validPoint(b.Center) {
			return i, fmt.Sprintf("center (%g, %g)", b.Center.X, b.Center.Y)
		}
		return i, fmt.Sprintf("radius %g", b.Radius)
	}
	return -1, ""
}

func checkSpheres(bodies []Sphere) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if validRadius(b.Radius) && validVector(b.Center) || b.absent() {
			continue
		}
		if !validVector(b.Center) {
			return i, fmt.Sprintf("center (%g, %g, %g)", b.Center.X, b.Center.Y, b.Center.Z)
		}
		return i, fmt.Sprintf("radius %g", b.Radius)
	}
	return -1, ""
}

func checkRects(bodies []Rect) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if validPoint(b.Min) && validPoint(b.Max) && b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y || b.absent() {
			continue
		}
		return i, fmt.Sprintf("from (%g, %g) to (%g, %g)", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
	}
	return -1, ""
}

func checkBoxes(bodies []bvh.Box) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if validVector(b.Min) && validVector(b.Max) && !b.Empty() || absentBox(b) {
			continue
		}
		return i, fmt.Sprintf("from (%g, %g, %g) to (%g, %g, %g)", b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z)
	}
	return -1, ""
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

package neighbor

import (
	"context"
	"errors"
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

// Absent returns −Inf, the radius of a body that is not there in a step: it touches
// nothing, and its index stays free for it or another one. An empty box is absent too.
func Absent() float64 { return math.Inf(-1) }

// Body is what methods find the neighbors of: in the plane Disk and Rect, in space
// Sphere and bvh.Box.
type Body interface {
	Disk | Sphere | Rect | bvh.Box
}

// Pair is two bodies that touch, by their indices, A < B.
type Pair struct {
	A, B int32
}

// ErrBody is the error for a body that cannot be handled: a coordinate that is not
// finite or exceeds 2^500, a radius outside [2^-500, 2^500] (so that its square neither
// vanishes nor overflows), a box with Min > Max. What is wrong with an absent body beside
// its mark does not matter.
var ErrBody = errors.New("bad body")

// Method finds the pairs of bodies that touch, step after step. A Method keeps what
// it learns from one step for the next; it is for one goroutine at a time.
type Method[T Body] interface {
	// Update takes the bodies of the next step, which it does not keep. Index i is the
	// same body in all steps; those beyond the end of a shorter slice are absent. If a body
	// is bad it fails with ErrBody, naming the first one, or with the error of ctx; the
	// state is then that before the call.
	Update(ctx context.Context, bodies []T) error
	// Pairs returns the pairs that touch in the step last taken, each once, ordered by A,
	// then B. The slice is valid until the next Update.
	Pairs() []Pair
	// Stats returns what has been counted since the beginning.
	Stats() Stats
}

// Tracker is a Method that also knows what a step has changed.
type Tracker[T Body] interface {
	Method[T]
	// Changes returns the pairs that began and ceased to touch in the last step, ordered as
	// those of Pairs. The slices are valid until the next Update.
	Changes() (added, removed []Pair)
}

// Stats counts the work of a Method: deterministic, the same for any number of workers.
type Stats struct {
	Steps     uint64 // successful calls of Update
	Tests     uint64 // pairs of bodies compared, exactly or by bounds
	Rebuilds  uint64 // steps in which the structure was built anew
	Exchanges uint64 // neighboring ends that changed places while sorting
}

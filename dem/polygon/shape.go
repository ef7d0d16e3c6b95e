package polygon

import (
	"fmt"
	"math"

	"github.com/golang/geo/r2"
)

// MaxCoordinate bounds the coordinates of corners and of places, 2^200: the second moment
// of area, of degree four, stays finite. MinSize is the least size of a shape, 2^-200: the
// largest of its coordinates must not be smaller. Error bounds of signs are then larger than
// anything that underflow can lose. MinArea, 2^-500, is the least area, for the same reason:
// the second moment is then above 2^-1010. MinEdge, 2^-500, is the least length of an edge, so
// that its direction has no rounding but that of float64.
const (
	MaxCoordinate = 0x1p200
	MinSize       = 0x1p-200
	MinArea       = 0x1p-500
	MinEdge       = 0x1p-500
)

// Shape is a convex polygon in its own frame, its corners counterclockwise. It is
// immutable and may be shared by any number of bodies and goroutines.
type Shape struct {
	corners  []r2.Point
	area     float64
	centroid r2.Point
	second   float64
	radius   float64 // of the least circle around the origin, rounded up
	reach    float64 // largest |x|+|y| of a corner, rounded up
	size     float64 // largest distance of a corner from the first one
}

// New returns the convex polygon with the given corners, counterclockwise. It copies them.
// Corners in the middle of a straight side (exactly so) are left out: they belong to no
// change of direction, and the polygon is the same set without them.
//
// The errors wrap ErrShape and name the corner by its index in the argument: fewer than
// three corners, a coordinate that is not finite or exceeds MaxCoordinate, a corner that
// repeats another one, a right turn or a reversal, corners clockwise, more than one turn
// around, all corners in one line, a shape smaller than MinSize or MinArea, an edge shorter
// than MinEdge. Turns are decided exactly.
func New(corners []r2.Point) (*Shape, error) {
	kept, err := check(corners)
	if err != nil {
		return nil, err
	}
	s := &Shape{corners: kept}
	for _, c := range kept {
		s.reach = max(s.reach, math.Abs(c.X)+math.Abs(c.Y))
		s.radius = max(s.radius, c.Norm())
		s.size = max(s.size, c.Sub(kept[0]).Norm())
	}
	// Rounded up: the sum has a relative error of 2^-53, the hypotenuse below 2^-52, and turning
	// by rounded cosine and sine adds as much.
	s.reach *= 1 + 0x1p-50
	s.radius *= 1 + 0x1p-50
	s.measure()
	if s.area < MinArea {
		return nil, fmt.Errorf("area %g is below %g: %w", s.area, float64(MinArea), ErrShape)
	}
	return s, nil
}

// Len returns the number of corners, which is the number of edges.
func (s *Shape) Len() int { return len(s.corners) }

// Corner returns the corner with index i, 0 ≤ i < Len. Edge i goes from corner i to
// corner i+1, the last one to corner 0.
func (s *Shape) Corner(i int) r2.Point { return s.corners[i] }

// Radius returns the radius of a circle around the origin that contains the shape: the
// distance of the farthest corner, rounded up. It does not change when the shape turns.
func (s *Shape) Radius() float64 { return s.radius }

// Centerd returns the shape moved so that its centroid is the origin, to rounding. Bodies
// that turn freely turn about it. The corners are rounded anew and checked as by New: those
// of very thin shapes may not be convex any more.
func (s *Shape) Centerd() (*Shape, error) {
	moved := make([]r2.Point, len(s.corners))
	for i, c := range s.corners {
		moved[i] = c.Sub(s.centroid)
	}
	return New(moved)
}

func (s *Shape) next(i int) int {
	if i++; i == len(s.corners) {
		return 0
	}
	return i
}

func (s *Shape) previous(i int) int {
	if i == 0 {
		i = len(s.corners)
	}
	return i - 1
}

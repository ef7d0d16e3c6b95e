package polygon

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r2"
)

// These limits of shapes prevent overflow and underflow.
const (
	// MaxCoordinate is the largest coordinate of corners and of places. The limit keeps the second
	// moment of area finite, which is a polynomial of degree four in the coordinates.
	MaxCoordinate = 0x1p200
	// MinSize is the smallest allowed value of the largest coordinate of a shape. This limit makes
	// the error bounds of determinants larger than the error of underflow.
	MinSize = 0x1p-200
	// MinArea is the smallest area of a shape. This limit keeps the second moment above 2^-1010.
	MinArea = 0x1p-500
	// MinEdge is the smallest length of an edge. Shorter edges lose accuracy.
	MinEdge = 0x1p-500
)

// Shape is a convex polygon with counterclockwise corners in its own frame. A Shape never changes.
// Any number of bodies and goroutines can share it.
type Shape struct {
	corners  []r2.Point
	area     float64
	centroid r2.Point
	second   float64 // second moment of area about the centroid
	radius   float64 // largest distance of a corner from the origin, rounded up
	reach    float64 // largest |x|+|y| of a corner, rounded up
	size     float64 // largest distance of a corner from corner 0
	shortest float64 // length of the shortest edge
	// thickness is the area divided by the size. Up to a small factor, it is the mean width of the
	// shape at a right angle to its longest direction.
	thickness float64
	runs      *runTable
}

// New returns the convex polygon with the given counterclockwise corners. New copies the corners.
// It drops corners that lie exactly on the straight line between their neighbors, which does not
// change the set of points. The signs of turns are exact. New takes O(n log n) time and memory: for
// 1,000 corners, the shape stores 240 kB.
//
// Errors: ErrShape, usually with the index of the bad corner. The reasons are: fewer than three
// corners, a coordinate that is not finite or exceeds MaxCoordinate, a repeated corner, a right
// turn or a reversal, clockwise corners, a boundary that goes around more than once, all corners in
// one line, a shape below MinSize or MinArea, an edge below MinEdge.
func New(corners []r2.Point) (*Shape, error) {
	kept, err := checkCorners(corners)
	if err != nil {
		return nil, err
	}
	s := &Shape{corners: kept}
	s.shortest = math.Inf(1)
	for i, c := range kept {
		s.shortest = min(s.shortest, kept[s.next(i)].Sub(c).Norm())
		s.reach = max(s.reach, math.Abs(c.X)+math.Abs(c.Y))
		s.radius = max(s.radius, c.Norm())
		s.size = max(s.size, c.Sub(kept[0]).Norm())
	}
	// Round up. The relative errors of the sum |x|+|y| and of the norm are below 2^-52. The rotation
	// by the rounded cosine and sine adds a similar error.
	s.reach *= 1 + 0x1p-50
	s.radius *= 1 + 0x1p-50
	f := plainFrame(s)
	s.computeMoments(f)
	if s.area < MinArea {
		return nil, fmt.Errorf("area %g must be at least %g: %w", s.area, float64(MinArea), ErrShape)
	}
	s.thickness = s.area / s.size
	if len(kept) > maxWalk {
		s.runs = newRunTable(f, s)
	}
	return s, nil
}

// Len returns the number of corners. The number of edges is the same.
func (s *Shape) Len() int { return len(s.corners) }

// Corner returns corner i, for 0 ≤ i < Len. Edge i leads from corner i to corner i+1. The last edge
// leads to corner 0.
func (s *Shape) Corner(i int) r2.Point { return s.corners[i] }

// Radius returns the distance of the farthest corner from the origin, rounded up. The circle with
// this radius around the origin contains the shape in any rotation.
func (s *Shape) Radius() float64 { return s.radius }

// Centered returns a copy of the shape whose centroid is at the origin, except for rounding. A body
// that rotates freely rotates about its centroid. Centered passes the rounded corners to New. If
// rounding makes a very thin shape nonconvex, Centered returns the error of New.
func (s *Shape) Centered() (*Shape, error) {
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

// from returns the number of edges from corner i to corner j, counterclockwise.
func (s *Shape) from(i, j int) int {
	if j -= i; j < 0 {
		j += len(s.corners)
	}
	return j
}

// advance returns the corner that follows count edges after corner i, for count ≤ Len.
func (s *Shape) advance(i, count int) int {
	if i += count; i >= len(s.corners) {
		i -= len(s.corners)
	}
	return i
}

// ErrShape is the error for corners that do not form a convex counterclockwise polygon.
var ErrShape = errors.New("not a convex counterclockwise polygon")

func shapeError(corners []r2.Point, i int, format string, args ...any) error {
	return fmt.Errorf("corner %d (%g, %g): %s: %w", i, corners[i].X, corners[i].Y, fmt.Sprintf(format, args...), ErrShape)
}

// checkCorners checks the given corners and returns those at which the boundary turns.
func checkCorners(corners []r2.Point) ([]r2.Point, error) {
	if len(corners) < 3 {
		return nil, fmt.Errorf("number of corners %d must be at least 3: %w", len(corners), ErrShape)
	}
	if len(corners) > math.MaxInt32 {
		return nil, fmt.Errorf("number of corners %d must be below 2^31: %w", len(corners), ErrShape)
	}
	size := 0.0
	seen := make(map[r2.Point]int, len(corners))
	for i, c := range corners {
		// The negated condition also rejects NaN.
		if !(math.Abs(c.X) <= MaxCoordinate && math.Abs(c.Y) <= MaxCoordinate) {
			return nil, shapeError(corners, i, "coordinates must be numbers up to %g", float64(MaxCoordinate))
		}
		// The numbers −0 and 0 are equal, and therefore also equal as map keys.
		if first, ok := seen[c]; ok {
			return nil, shapeError(corners, i, "repeats corner %d", first)
		}
		seen[c] = i
		size = max(size, math.Abs(c.X), math.Abs(c.Y))
	}
	if size < MinSize {
		return nil, fmt.Errorf("largest coordinate %g must be at least %g: %w", size, float64(MinSize), ErrShape)
	}
	return checkTurns(corners)
}

// checkTurns returns the corners at which the boundary turns. A polygon is convex if its boundary
// turns left at all these corners and goes around once. The signs of the turns are exact.
func checkTurns(corners []r2.Point) ([]r2.Point, error) {
	n := len(corners)
	firstLeft, firstRight := -1, -1
	kept := make([]r2.Point, 0, n)
	f := plainFrame(&Shape{corners: corners})
	var which []int
	for i, c := range corners {
		before, after := corners[(i+n-1)%n], corners[(i+1)%n]
		switch turn := sign(f.twiceArea((i+n-1)%n, i, (i+1)%n)); {
		case turn > 0:
			if firstLeft < 0 {
				firstLeft = i
			}
		case turn < 0:
			if firstRight < 0 {
				firstRight = i
			}
		case !between(before, c, after):
			return nil, shapeError(corners, i, "the boundary reverses")
		default:
			continue
		}
		kept, which = append(kept, c), append(which, i)
	}
	switch {
	case firstLeft >= 0 && firstRight >= 0:
		return nil, shapeError(corners, firstRight, "the boundary turns to the right here and to the left at corner %d", firstLeft)
	case firstRight >= 0:
		return nil, shapeError(corners, firstRight, "the boundary turns to the right at all corners: list them counterclockwise")
	case firstLeft < 0:
		return nil, shapeError(corners, 0, "all corners are in one line")
	}
	// The boundary turns left at all corners, by less than half a turn each. In each lap, its
	// direction passes once from the lower to the upper half of the unit circle.
	laps := 0
	for i := range kept {
		before, at, after := kept[(i+len(kept)-1)%len(kept)], kept[i], kept[(i+1)%len(kept)]
		if after.Sub(at).Norm() < MinEdge {
			return nil, shapeError(corners, which[i], "the edge to the next corner is shorter than %g", float64(MinEdge))
		}
		if !upper(before, at) && upper(at, after) {
			if laps++; laps > 1 {
				return nil, shapeError(corners, which[i], "the boundary goes around more than once")
			}
		}
	}
	return kept, nil
}

// upper reports whether the direction from p to q has an angle in [0, π).
func upper(p, q r2.Point) bool { return q.Y > p.Y || (q.Y == p.Y && q.X > p.X) }

// between reports whether c lies between a and b. The three points must be collinear.
func between(a, c, b r2.Point) bool {
	if a.X != b.X {
		return (a.X < c.X) == (c.X < b.X)
	}
	return (a.Y < c.Y) == (c.Y < b.Y)
}

// Area returns the area of the shape, which is positive. Its relative error is some units in the
// last place, even for a thin shape.
func (s *Shape) Area() float64 { return s.area }

// Centroid returns the centroid of the area. Its error is some units in the last place of the
// largest coordinate.
func (s *Shape) Centroid() r2.Point { return s.centroid }

// SecondMoment returns the polar second moment of area about the centroid. This is the integral of
// the squared distance from the centroid. The moment of inertia is the second moment times the
// density. To get the second moment about another point, add Area times the squared distance from
// that point to the centroid (Steiner's theorem). The relative error is some units in the last
// place.
func (s *Shape) SecondMoment() float64 { return s.second }

// computeMoments sums over the triangles that have corner 0 in common. All triangles have a
// positive area, so no terms cancel. Let u and v be the sides of a triangle at corner 0, and w =
// u×v. Relative to corner 0, the triangle has the area w/2, the centroid (u+v)/3, and ∫|x|² = w(u·u
// + u·v + v·v)/12.
func (s *Shape) computeMoments(f *frame) {
	o := s.corners[0]
	var twice, second float64
	var first r2.Point
	for i := 1; i+1 < len(s.corners); i++ {
		p, q := s.corners[i], s.corners[i+1]
		u, v := p.Sub(o), q.Sub(o)
		w := f.twiceArea(0, i, i+1)
		twice += w
		first = first.Add(u.Add(v).Mul(w / 3))
		second += w * (u.Dot(u) + u.Dot(v) + v.Dot(v))
	}
	s.area = twice / 2
	c := first.Mul(1 / twice)
	s.centroid = o.Add(c)
	// Move the axis from corner 0 to the centroid. The subtraction cancels at most three quarters
	// of the sum, for a needle.
	s.second = second/12 - s.area*c.Dot(c)
}

// plainFrame returns a frame in which both bodies are the unrotated shape s at the origin.
// Coordinates have no errors. The error bound of determinants is infinite, so float64 decides no
// sign.
func plainFrame(s *Shape) *frame {
	b := &Body{shape: s, cos: 1}
	return &frame{body: [2]*Body{b, b}, limit: math.Inf(1)}
}

// twiceArea returns twice the signed area of the triangle of corners i, j, k, with a small relative
// error. The result is positive for a left turn at j. The sign is exact.
func (f *frame) twiceArea(i, j, k int) float64 {
	p, q, r := f.corner(0, i), f.corner(0, j), f.corner(0, k)
	return f.cross(&p, &q, &p, &r)
}

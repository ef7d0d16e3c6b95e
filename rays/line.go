package rays

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Ray is the set of the points Origin + t·Direction for t ≥ 0. Direction need not be a unit vector.
type Ray struct{ Origin, Direction r3.Vector }

// Point returns the point of r with the parameter t, rounded.
func (r Ray) Point(t float64) r3.Vector { return r.Origin.Add(r.Direction.Mul(t)) }

// Segment is the set of the points A + t·(B−A) for 0 ≤ t ≤ 1. If A = B, it is a point.
type Segment struct{ A, B r3.Vector }

// Point returns the point of s with the parameter t, rounded. Point(0) is A, and Point(1) is B. For 0 ≤ t ≤ 1,
// the error of a coordinate is at most about one unit in its last place, however far A and B are.
func (s Segment) Point(t float64) r3.Vector {
	switch t {
	case 0:
		return s.A
	case 1:
		return s.B
	}
	return r3.Vector{X: along(s.A.X, s.B.X, t), Y: along(s.A.Y, s.B.Y, t), Z: along(s.A.Z, s.B.Z, t)}
}

// along returns a + t·(b−a), rounded. Let u = 2⁻⁵³. For 0 ≤ t ≤ 1, its error is at most 2u times
// its magnitude, plus 8u²·t·|b−a|, plus 2⁻¹⁰⁷¹ for underflow.
//
// d + e is exactly b−a, with |e| ≤ u|d|. p is the rounded product t·d, and x is the rounded sum
// a+p. The code computes the rounding errors of p and x exactly, and adds them at the end. So only
// small terms and the last sum are rounded.
func along(a, b, t float64) float64 {
	d, e := predicates.TwoDiff(b, a)
	p, low := predicates.TwoProduct(t, d)
	x, rest := predicates.TwoSum(a, p)
	return x + (rest + (low + float64(t*e)))
}

// Line is a Ray or a Segment.
type Line interface{ Ray | Segment }

// Check returns nil if r is valid. Otherwise it returns ErrDirection, or mesh.ErrNotFinite, or
// mesh.ErrTooLarge if a coordinate exceeds mesh.MaxCoordinate in magnitude.
func (r Ray) Check() error {
	l := line{a: r.Origin, d: r.Direction}
	return l.check()
}

// Check returns nil if s is valid. Otherwise it returns mesh.ErrNotFinite, or mesh.ErrTooLarge if a
// coordinate exceeds mesh.MaxCoordinate in magnitude.
func (s Segment) Check() error {
	l := line{a: s.A, b: s.B, segment: true}
	return l.check()
}

// ErrDirection reports a ray whose direction is zero.
var ErrDirection = errors.New("the direction is zero")

// InputError reports the first line of a batch that would have too many samples. Err wraps ErrStep.
type InputError struct {
	Index int // number of the line in the batch
	Err   error
}

// Error returns a message with the number of the line.
func (e *InputError) Error() string { return fmt.Sprintf("line %d: %v", e.Index, e.Err) }

// Unwrap returns e.Err.
func (e *InputError) Unwrap() error { return e.Err }

// line is a Ray or a Segment, with the numbers that all tests against faces use. Its coordinates
// are in the frame of the mesh. If the Caster has a pose, they are rounded.
type line struct {
	a, b    r3.Vector // origin of a ray; ends of a segment
	d       r3.Vector // exact direction of a ray; b−a of a segment, each component rounded once
	segment bool
	bad     bool // whether the Ray or Segment is not valid

	posed  *posed  // nil without a pose
	radius float64 // bound of the distances of a and b from the exact points; 0 without a pose
	spread float64 // bound of the error of d in addition to the one that d has without a pose
}

// newLine returns the line for l. If the Caster has a pose, x keeps the exact coordinates.
func newLine[L Line](c *Caster, l *L, x *posed) (n line) {
	setLine(c, &n, l, x)
	return n
}

// setLine does the work of newLine without copies of n.
func setLine[L Line](c *Caster, n *line, l *L, x *posed) {
	setWorldLine(n, l)
	if c.set.Place != nil && !n.bad {
		x.in(c.set.Place, n)
	}
}

// worldLine returns the line for l in the world.
func worldLine[L Line](l *L) (n line) {
	setWorldLine(&n, l)
	return n
}

func setWorldLine[L Line](n *line, l *L) {
	n.posed, n.radius, n.spread = nil, 0, 0
	switch l := any(l).(type) {
	case *Ray:
		n.a, n.d, n.segment = l.Origin, l.Direction, false
		n.bad = (!isSmall(&n.a) || !isSmall(&n.d) || n.d == r3.Vector{}) && n.check() != nil
	case *Segment:
		n.a, n.b, n.d, n.segment = l.A, l.B, l.B.Sub(l.A), true
		n.bad = (!isSmall(&n.a) || !isSmall(&n.b)) && n.check() != nil
	}
}

// isSmall reports whether the coordinates of v are finite and far below mesh.MaxCoordinate.
func isSmall(v *r3.Vector) bool {
	const small = 1 << 60
	return math.Abs(v.X) < small && math.Abs(v.Y) < small && math.Abs(v.Z) < small
}

func (l *line) check() error {
	end := l.b
	if !l.segment {
		end = l.d
	}
	switch {
	case !vec.Finite(l.a) || !vec.Finite(end):
		return mesh.ErrNotFinite
	case vec.MaxAbs(l.a) > mesh.MaxCoordinate || vec.MaxAbs(end) > mesh.MaxCoordinate:
		return mesh.ErrTooLarge
	case !l.segment && end == (r3.Vector{}):
		return ErrDirection
	}
	return nil
}

// exact returns the exact origin and direction of l in the frame of the mesh. If the Caster has a
// pose, they are rounded to many digits.
func (l *line) exact() (origin, direction r3.PreciseVector) {
	if l.posed != nil {
		return l.posed.quotient(l)
	}
	return r3.PreciseVectorFromVector(l.a), l.direction()
}

// direction returns the exact direction of l. The Caster must have no pose.
func (l *line) direction() r3.PreciseVector {
	if l.segment {
		return r3.PreciseVectorFromVector(l.b).Sub(r3.PreciseVectorFromVector(l.a))
	}
	return r3.PreciseVectorFromVector(l.d)
}

// isPoint reports whether l is a segment whose ends are equal.
func (l *line) isPoint() bool {
	if !l.segment {
		return false
	}
	_, _, d := l.world()
	return d == r3.Vector{}
}

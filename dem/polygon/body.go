package polygon

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/golang/geo/r2"
)

// ErrPose is the error for a pose that is not finite or exceeds MaxCoordinate.
var ErrPose = errors.New("bad pose")

// Pose places a shape: it is rotated about its origin by Angle, in radians and counterclockwise,
// then moved by At. The zero Pose is the identity.
type Pose struct {
	At    r2.Point
	Angle float64
}

// Body is a shape in a pose. As a set of points it is exactly the image of the shape under
// x ↦ Rx + At, where R has the rows (Cos, −Sin), (Sin, Cos) of the rounded cosine and sine
// of the angle: a similarity, so it is exactly convex. All decisions are about this set.
//
// A Body is a small value made by Place. It is safe for concurrent use while nobody moves it.
type Body struct {
	shape    *Shape
	cos, sin float64
	at       r2.Point
}

// Place returns the shape in a pose. Errors: ErrPose.
func Place(s *Shape, p Pose) (Body, error) {
	b := Body{shape: s, cos: 1}
	err := b.Move(p)
	return b, err
}

// Move changes the pose of the body. If it fails, the body keeps its pose. Errors: ErrPose.
func (b *Body) Move(p Pose) error {
	// The negation catches NaN.
	if !(math.Abs(p.At.X) <= MaxCoordinate && math.Abs(p.At.Y) <= MaxCoordinate) {
		return fmt.Errorf("place (%g, %g): coordinates must be numbers up to %g: %w", p.At.X, p.At.Y, float64(MaxCoordinate), ErrPose)
	}
	if math.IsNaN(p.Angle) || math.IsInf(p.Angle, 0) {
		return fmt.Errorf("angle %g: must be a number: %w", p.Angle, ErrPose)
	}
	b.at = p.At
	b.sin, b.cos = math.Sincos(p.Angle)
	return nil
}

// Shape returns the shape.
func (b *Body) Shape() *Shape { return b.shape }

// At returns the place of the shape's origin.
func (b *Body) At() r2.Point { return b.at }

// Corner returns corner i of the shape in its pose, rounded.
func (b *Body) Corner(i int) r2.Point { return b.World(b.shape.corners[i]) }

// Centroid returns the centroid of the shape in its pose, rounded.
func (b *Body) Centroid() r2.Point { return b.World(b.shape.centroid) }

// World transforms a point from the frame of the shape by the pose, rounded.
func (b *Body) World(p r2.Point) r2.Point {
	x, y := b.turn(p)
	return r2.Point{X: x + b.at.X, Y: y + b.at.Y}
}

func (b *Body) turn(p r2.Point) (x, y float64) {
	return float64(b.cos*p.X) - float64(b.sin*p.Y), float64(b.sin*p.X) + float64(b.cos*p.Y)
}

// Bounds returns the corners of an axis-parallel rectangle that contains the body, rounded
// outward. It takes O(n) time; Shape.Radius bounds the body in constant time.
func (b *Body) Bounds() (low, high r2.Point) {
	inf := math.Inf(1)
	low, high = r2.Point{X: inf, Y: inf}, r2.Point{X: -inf, Y: -inf}
	for _, c := range b.shape.corners {
		x, y := b.turn(c)
		low.X, low.Y = min(low.X, x), min(low.Y, y)
		high.X, high.Y = max(high.X, x), max(high.Y, y)
	}
	// The error of a rotated coordinate is at most errTurn·reach, that of the sum half a unit in the
	// last place, which the rounding to the next number covers.
	pad := errTurn * b.shape.reach
	return r2.Point{X: down(low.X - pad + b.at.X), Y: down(low.Y - pad + b.at.Y)},
		r2.Point{X: up(high.X + pad + b.at.X), Y: up(high.Y + pad + b.at.Y)}
}

func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }

// unit is half a unit in the last place of 1: |fl(x) − x| is at most unit·|fl(x)| and unit·|x|.
const unit = 0x1p-53

// errTurn·reach bounds the error of a coordinate of a rotated corner: two products and a
// difference, each with an error of at most unit·reach to first order; one more covers the higher
// orders.
const errTurn = 4 * unit

// frame holds two bodies relative to the place of the first one: only the difference of their
// places matters, however large the places are.
type frame struct {
	body  [2]*Body
	to    r2.Point   // place of the second body, rounded
	rest  r2.Point   // its error: to+rest is exact
	err   [2]float64 // bound of the error of a rounded coordinate of corners of a body
	limit float64    // bound of the error of determinants in float64: see sign.go

	visits   uint64 // features that sweeps and clipping examined
	doubles  uint64 // signs that float64 did not decide
	exact    uint64 // determinants by expansions
	rational uint64 // determinants by rational numbers
}

// corner is corner i of body of in a frame, rounded.
type corner struct {
	x, y float64
	of   int32
	i    int32
}

func (f *frame) init(a, b *Body) {
	f.body = [2]*Body{a, b}
	f.to.X, f.rest.X = twoDiff(b.at.X, a.at.X)
	f.to.Y, f.rest.Y = twoDiff(b.at.Y, a.at.Y)
	apart := max(math.Abs(f.to.X), math.Abs(f.to.Y))
	f.err[0] = errTurn * a.shape.reach
	// Beside the rotation, the difference of places is rounded by unit·apart, and the sum by
	// unit·(reach + apart).
	f.err[1] = (errTurn + 2*unit) * (b.shape.reach + apart)
	f.limit = limit(f.span())
}

// span bounds the coordinates: the sum of the reaches and the distance of the places on an axis.
func (f *frame) span() float64 {
	return f.body[0].shape.reach + f.body[1].shape.reach + max(math.Abs(f.to.X), math.Abs(f.to.Y))
}

// corner returns corner i of body k.
func (f *frame) corner(k, i int) corner {
	b := f.body[k]
	x, y := b.turn(b.shape.corners[i])
	if k == 1 {
		x, y = x+f.to.X, y+f.to.Y
	}
	return corner{x: x, y: y, of: int32(k), i: int32(i)}
}

// local returns a corner in the frame of its shape.
func (f *frame) local(c *corner) r2.Point { return f.body[c.of].shape.corners[c.i] }

// Feature is a corner or an edge of a shape. Edge i leads from corner i to corner i+1, the last
// one to corner 0.
type Feature struct {
	Index int32
	Edge  bool
}

// String returns "corner 3" or "edge 3".
func (v Feature) String() string {
	if v.Edge {
		return "edge " + strconv.Itoa(int(v.Index))
	}
	return "corner " + strconv.Itoa(int(v.Index))
}

func cornerFeature(i int) Feature { return Feature{Index: int32(i)} }
func edgeFeature(i int) Feature   { return Feature{Index: int32(i), Edge: true} }

// next and previous return corner i±1 of body k.
func (f *frame) next(k, i int) int     { return f.body[k].shape.next(i) }
func (f *frame) previous(k, i int) int { return f.body[k].shape.previous(i) }

// Relation is the exact relation of two bodies.
type Relation int8

// The relations. The zero Relation is invalid.
const (
	Separated   Relation = iota + 1 // no point in common
	Touching                        // points of boundaries in common, but no area
	Overlapping                     // an area in common
)

// String returns the name.
func (r Relation) String() string {
	switch r {
	case Separated:
		return "separated"
	case Touching:
		return "touching"
	case Overlapping:
		return "overlapping"
	}
	return "unknown"
}

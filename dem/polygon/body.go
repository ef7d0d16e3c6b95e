package polygon

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r2"
)

// ErrPose is the error for a pose that is not finite or has a coordinate beyond MaxCoordinate.
var ErrPose = errors.New("bad pose")

// Pose places a shape: it rotates the shape about its origin by Angle, then moves it by At. Angle
// is in radians, counterclockwise. The zero Pose is the identity.
type Pose struct {
	At    r2.Point
	Angle float64
}

// Body is a shape in a pose. It is exactly the set of points R·x + t for the points x of the shape,
// where t is Pose.At. The rows of the matrix R are (c, −s) and (s, c), where c and s are the
// rounded cosine and sine of the angle. The matrix R rotates and scales, so the body is exactly
// convex. All decisions are exact for this set.
//
// A Body is a small value that Place returns. Concurrent use is safe while no goroutine moves the
// Body.
type Body struct {
	shape    *Shape
	cos, sin float64
	at       r2.Point
}

// Place returns a Body: the shape s in the pose p. Errors: ErrPose.
func Place(s *Shape, p Pose) (Body, error) {
	b := Body{shape: s, cos: 1}
	err := b.Move(p)
	return b, err
}

// Move changes the pose of the body. If Move fails, the body keeps its pose. Errors: ErrPose.
func (b *Body) Move(p Pose) error {
	// The negated condition also rejects NaN.
	if !(math.Abs(p.At.X) <= MaxCoordinate && math.Abs(p.At.Y) <= MaxCoordinate) {
		return fmt.Errorf("position (%g, %g): coordinates must be numbers up to %g: %w", p.At.X, p.At.Y, float64(MaxCoordinate), ErrPose)
	}
	if math.IsNaN(p.Angle) || math.IsInf(p.Angle, 0) {
		return fmt.Errorf("angle %g must be a finite number: %w", p.Angle, ErrPose)
	}
	b.at = p.At
	b.sin, b.cos = math.Sincos(p.Angle)
	return nil
}

// Shape returns the shape that was passed to Place.
func (b *Body) Shape() *Shape { return b.shape }

// At returns the position of the origin of the shape.
func (b *Body) At() r2.Point { return b.at }

// Corner returns the rounded position of corner i of the shape in the pose of the body.
func (b *Body) Corner(i int) r2.Point { return b.World(b.shape.corners[i]) }

// Centroid returns the rounded position of the centroid of the shape in the pose of the body.
func (b *Body) Centroid() r2.Point { return b.World(b.shape.centroid) }

// World transforms the point p from the frame of the shape to the world. The result is rounded.
func (b *Body) World(p r2.Point) r2.Point {
	x, y := b.turn(p)
	return r2.Point{X: x + b.at.X, Y: y + b.at.Y}
}

func (b *Body) turn(p r2.Point) (x, y float64) {
	return float64(b.cos*p.X) - float64(b.sin*p.Y), float64(b.sin*p.X) + float64(b.cos*p.Y)
}

// Bounds returns the lower and the upper corner of an axis-parallel rectangle that contains the
// body. The corners are rounded outward. Bounds takes O(n) time for n corners. Shape.Radius returns
// the radius of a bounding circle in constant time.
func (b *Body) Bounds() (low, high r2.Point) {
	inf := math.Inf(1)
	low, high = r2.Point{X: inf, Y: inf}, r2.Point{X: -inf, Y: -inf}
	for _, c := range b.shape.corners {
		x, y := b.turn(c)
		low.X, low.Y = min(low.X, x), min(low.Y, y)
		high.X, high.Y = max(high.X, x), max(high.Y, y)
	}
	// pad bounds the error of a rotated coordinate. The functions up and down cover the rounding
	// error of the sum with b.at.
	pad := errTurn * b.shape.reach
	return r2.Point{X: down(low.X - pad + b.at.X), Y: down(low.Y - pad + b.at.Y)},
		r2.Point{X: up(high.X + pad + b.at.X), Y: up(high.Y + pad + b.at.Y)}
}

func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }

// unit is the rounding unit of float64. If fl(x) is the rounded value of x, |fl(x) − x| is at most
// unit·|fl(x)| and at most unit·|x|.
const unit = 0x1p-53

// errTurn·reach bounds the error of each coordinate of a rotated corner. To first order, two
// products and their difference each add an error of at most unit·reach. The factor 4 instead of 3
// covers the terms of higher order.
const errTurn = 4 * unit

// frame describes two bodies in coordinates relative to the place (Pose.At) of the first body.
// These coordinates depend only on the difference of the places.
type frame struct {
	body       [2]*Body
	offset     r2.Point   // rounded place of the second body relative to the first body
	offsetRest r2.Point   // rounding error of offset; the sum offset+offsetRest is exact
	err        [2]float64 // error bound of the rounded corner coordinates of each body
	limit      float64    // error bound of determinants in float64

	steps    uint64 // number of pairs of edges examined to follow crossings
	visits   uint64 // number of corners, edges and chords examined by sweeps, clipping, track and lens
	doubles  uint64 // number of signs that float64 did not decide
	exact    uint64 // number of determinants computed by expansions
	rational uint64 // number of determinants computed by rational numbers
}

// corner is corner i of one of the two bodies, with its rounded position in the frame.
type corner struct {
	x, y float64
	body int32
	i    int32
}

func (f *frame) init(a, b *Body) {
	f.body = [2]*Body{a, b}
	f.offset.X, f.offsetRest.X = twoDiff(b.at.X, a.at.X)
	f.offset.Y, f.offsetRest.Y = twoDiff(b.at.Y, a.at.Y)
	apart := max(math.Abs(f.offset.X), math.Abs(f.offset.Y))
	f.err[0] = errTurn * a.shape.reach
	// Three operations add rounding errors: the rotation, the difference of places (unit·apart), and
	// the sum (unit·(reach + apart)).
	f.err[1] = (errTurn + 2*unit) * (b.shape.reach + apart)
	f.limit = limit(f.span())
}

// span returns an upper bound of the coordinates in the frame: the sum of the reaches of both
// shapes and the largest coordinate difference of the places.
func (f *frame) span() float64 {
	return f.body[0].shape.reach + f.body[1].shape.reach + max(math.Abs(f.offset.X), math.Abs(f.offset.Y))
}

func (f *frame) corner(k, i int) corner {
	b := f.body[k]
	x, y := b.turn(b.shape.corners[i])
	if k == 1 {
		x, y = x+f.offset.X, y+f.offset.Y
	}
	return corner{x: x, y: y, body: int32(k), i: int32(i)}
}

// position returns the rounded position of corner i of body k in the frame.
func (f *frame) position(k, i int) r2.Point {
	b := f.body[k]
	x, y := b.turn(b.shape.corners[i])
	if k == 1 {
		x, y = x+f.offset.X, y+f.offset.Y
	}
	return r2.Point{X: x, Y: y}
}

// local returns the coordinates of a corner in the frame of its shape.
func (f *frame) local(c *corner) r2.Point { return f.body[c.body].shape.corners[c.i] }

// Feature is a corner or an edge of a shape. Edge i leads from corner i to corner i+1. The last
// edge leads to corner 0.
type Feature struct {
	Index int32
	Edge  bool
}

// String returns "corner 3" or "edge 3".
func (v Feature) String() string {
	if v.Edge {
		return fmt.Sprint("edge ", v.Index)
	}
	return fmt.Sprint("corner ", v.Index)
}

func cornerFeature(i int) Feature { return Feature{Index: int32(i)} }
func edgeFeature(i int) Feature   { return Feature{Index: int32(i), Edge: true} }

// next returns the corner after corner i of body k. previous returns the corner before it.
func (f *frame) next(k, i int) int     { return f.body[k].shape.next(i) }
func (f *frame) previous(k, i int) int { return f.body[k].shape.previous(i) }

// Relation is the exact relation of two bodies.
type Relation int8

// These constants are the relations. The zero Relation is invalid.
const (
	Separated   Relation = iota + 1 // the bodies have no common point
	Touching                        // the boundaries have a common point, but the bodies have no common area
	Overlapping                     // the bodies have a common area
)

// String returns the name of the relation.
func (r Relation) String() string {
	if r < Separated || r > Overlapping {
		return "unknown"
	}
	return [...]string{Separated: "separated", Touching: "touching", Overlapping: "overlapping"}[r]
}

package polygon

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r2"
)

// ErrPose is the error for a pose that is not finite or beyond MaxCoordinate.
var ErrPose = errors.New("bad pose")

// Pose is where a shape is: turned about its origin by Angle, in radians and
// counterclockwise, then moved by At. The zero Pose leaves it where it is.
type Pose struct {
	At    r2.Point
	Angle float64
}

// Body is a shape in a pose. As a set of points it is exactly the image of the shape under
// x ↦ Rx + At, where R has the rows (Cos, −Sin), (Sin, Cos) of the rounded cosine and sine
// of the angle: a similarity, so it is exactly convex. All decisions are about this set.
//
// A Body is a small value; make one with Place. It is safe for concurrent use as long as
// nobody moves it.
type Body struct {
	shape    *Shape
	cos, sin float64
	at       r2.Point
}

// Place returns the shape in a pose. The error wraps ErrPose.
func Place(s *Shape, p Pose) (Body, error) {
	b := Body{shape: s, cos: 1}
	err := b.Move(p)
	return b, err
}

// Move puts the body into another pose. If the pose is bad it fails with ErrPose, and the
// body stays where it is.
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

// At returns where the origin of the shape is.
func (b *Body) At() r2.Point { return b.at }

// Corner returns corner i of the shape in its pose, rounded.
func (b *Body) Corner(i int) r2.Point { return b.World(b.shape.corners[i]) }

// Centroid returns the centroid of the shape in its pose, rounded.
func (b *Body) Centroid() r2.Point { return b.World(b.shape.centroid) }

// World returns a point of the shape's frame in the pose of the body, rounded.
func (b *Body) World(p r2.Point) r2.Point {
	x, y := b.turn(p)
	return r2.Point{X: x + b.at.X, Y: y + b.at.Y}
}

func (b *Body) turn(p r2.Point) (x, y float64) {
	return float64(b.cos*p.X) - float64(b.sin*p.Y), float64(b.sin*p.X) + float64(b.cos*p.Y)
}

// Bounds returns the corners of an axis-parallel rectangle that contains the body, rounded
// outward. It looks at every corner; Shape.Radius gives a circle for nothing.
func (b *Body) Bounds() (low, high r2.Point) {
	inf := math.Inf(1)
	low, high = r2.Point{X: inf, Y: inf}, r2.Point{X: -inf, Y: -inf}
	for _, c := range b.shape.corners {
		x, y := b.turn(c)
		low.X, low.Y = min(low.X, x), min(low.Y, y)
		high.X, high.Y = max(high.X, x), max(high.Y, y)
	}
	// Each turned coordinate is wrong by errTurn·reach at most (see frame.go), the sum by half
	// a unit in the last place, which the second step takes.
	pad := errTurn * b.shape.reach
	return r2.Point{X: down(low.X - pad + b.at.X), Y: down(low.Y - pad + b.at.Y)},
		r2.Point{X: up(high.X + pad + b.at.X), Y: up(high.Y + pad + b.at.Y)}
}

func down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }

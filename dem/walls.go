package dem

import (
	"fmt"
	"math"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// noWalls returns walls at infinity.
func noWalls() bvh.Box {
	inf := math.Inf(1)
	return bvh.Box{Min: r3.Vector{X: -inf, Y: -inf, Z: -inf}, Max: r3.Vector{X: inf, Y: inf, Z: inf}}
}

// wallBox returns walls in the plane as walls in space. The zero Rect means no walls.
func wallBox(walls neighbor.Rect) bvh.Box {
	box := noWalls()
	if walls != (neighbor.Rect{}) {
		box.Min.X, box.Min.Y = walls.Min.X, walls.Min.Y
		box.Max.X, box.Max.Y = walls.Max.X, walls.Max.Y
	}
	return box
}

// checkWalls returns ErrOptions if the walls enclose nothing or gravity is not finite.
func checkWalls(walls bvh.Box, gravity r3.Vector) error {
	if !(walls.Min.X < walls.Max.X && walls.Min.Y < walls.Max.Y && walls.Min.Z < walls.Max.Z) {
		return fmt.Errorf("dem: %w: walls from %v to %v enclose nothing", ErrOptions, walls.Min, walls.Max)
	}
	if !finiteVector(gravity) {
		return fmt.Errorf("dem: %w: gravity %v is not finite", ErrOptions, gravity)
	}
	return nil
}

// strictlyIn reports whether p is inside the box and not on a side. It is false for NaN.
func strictlyIn(b bvh.Box, p r3.Vector) bool {
	return p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y && p.Z > b.Min.Z && p.Z < b.Max.Z
}

// wallForce returns the force along one axis on a ball at x that moves with velocity v
// between walls at lo and hi: the force of a ball with the same law whose surface is the wall.
func wallForce(x, v, r, lo, hi, k, d float64) float64 {
	f := 0.0
	if below := lo + r - x; below > 0 {
		f += float64(k*below) - float64(d*v)
	}
	if above := x + r - hi; above > 0 {
		f -= float64(k*above) + float64(d*v)
	}
	return f
}

// wallEnergy returns the sum of the squares of the lengths by which [x−r, x+r] exceeds
// [lo, hi].
func wallEnergy(x, r, lo, hi float64) float64 {
	below, above := max(0, lo+r-x), max(0, x+r-hi)
	return float64(below*below) + float64(above*above)
}

// wall is a straight wall at a right angle to an axis of the plane. The points with
// sign·(coordinate − level) > 0, which is their depth, are behind it.
type wall struct {
	acrossY     bool // the axis is y
	sign, level float64
}

// wallsOf returns the four walls around the box.
func wallsOf(b bvh.Box) [4]wall {
	return [4]wall{{false, -1, b.Min.X}, {false, 1, b.Max.X}, {true, -1, b.Min.Y}, {true, 1, b.Max.Y}}
}

// reached reports whether a part of the box is behind the wall.
func (w wall) reached(box neighbor.Rect) bool { return w.depth(box.Min) > 0 || w.depth(box.Max) > 0 }

func (w wall) depth(p r2.Point) float64 { return w.sign * (w.across(p) - w.level) }

// across returns the coordinate at a right angle to the wall, along the one parallel to it.
func (w wall) across(p r2.Point) float64 {
	if w.acrossY {
		return p.Y
	}
	return p.X
}

func (w wall) along(p r2.Point) float64 {
	if w.acrossY {
		return p.X
	}
	return p.Y
}

// inward returns a vector of length f at a right angle to the wall, away from it.
func (w wall) inward(f float64) r2.Point {
	if w.acrossY {
		return r2.Point{Y: -w.sign * f}
	}
	return r2.Point{X: -w.sign * f}
}

// clippedPart is the part of a polygon behind a wall.
type clippedPart struct {
	area     float64
	centroid r2.Point
	width    float64 // of the polygon along the wall, at the wall
}

// clip returns the part of b behind the wall: b clipped to depths above 0, as a fan of
// triangles at the first corner of the part.
func (w wall) clip(b *polygon.Body) clippedPart {
	var part clippedPart
	var origin, previous r2.Point // of the fan; the last corner, relative to it
	var sum r2.Point
	corners := 0
	lo, hi := math.Inf(1), math.Inf(-1)
	add := func(p r2.Point) {
		if corners == 0 {
			origin = p
		}
		p = p.Sub(origin)
		double := cross(previous, p)
		part.area += double / 2
		sum = sum.Add(times(double, previous.Add(p)))
		previous = p
		corners++
	}
	n := b.Shape().Len()
	from := b.Corner(n - 1)
	fromDepth := w.depth(from)
	for i := range n {
		to := b.Corner(i)
		toDepth := w.depth(to)
		if (fromDepth > 0) != (toDepth > 0) {
			on := from.Add(times(fromDepth/(fromDepth-toDepth), to.Sub(from)))
			lo, hi = min(lo, w.along(on)), max(hi, w.along(on))
			add(on)
		}
		if toDepth > 0 {
			add(to)
		}
		from, fromDepth = to, toDepth
	}
	if !(part.area > 0) {
		return clippedPart{}
	}
	// The centroid of a triangle with sides u, v from the origin is (u+v)/3, its double area u×v.
	part.centroid = origin.Add(times(1/(6*part.area), sum))
	part.width = max(0, hi-lo)
	return part
}

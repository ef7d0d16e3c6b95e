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

func noWalls() bvh.Box {
	inf := math.Inf(1)
	return bvh.Box{Min: r3.Vector{X: -inf, Y: -inf, Z: -inf}, Max: r3.Vector{X: inf, Y: inf, Z: inf}}
}

// wallBox returns walls in the plane as a box that is infinite along z. The zero Rect means no walls.
func wallBox(walls neighbor.Rect) bvh.Box {
	box := noWalls()
	if walls != (neighbor.Rect{}) {
		box.Min.X, box.Min.Y = walls.Min.X, walls.Min.Y
		box.Max.X, box.Max.Y = walls.Max.X, walls.Max.Y
	}
	return box
}

func checkWalls(walls bvh.Box, gravity r3.Vector) error {
	if !(walls.Min.X < walls.Max.X && walls.Min.Y < walls.Max.Y && walls.Min.Z < walls.Max.Z) {
		return fmt.Errorf("dem: %w: walls from %v to %v must enclose a space", ErrOptions, walls.Min, walls.Max)
	}
	if !finiteVector(gravity) {
		return fmt.Errorf("dem: %w: gravity %v is not finite", ErrOptions, gravity)
	}
	return nil
}

// strictlyIn reports whether p is inside the box b and not on a side. It returns false if a
// coordinate is NaN.
func strictlyIn(b bvh.Box, p r3.Vector) bool {
	return p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y && p.Z > b.Min.Z && p.Z < b.Max.Z
}

// wallForce returns the force of two walls on a ball along one axis. The ball has the radius r, the
// position x and the velocity v. The walls are at lo and hi. A wall acts like the surface of a ball
// with the stiffness k and the damping d.
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

// wallEnergy returns a² + b². The interval [x−r, x+r] extends below lo by a, and above hi by b.
func wallEnergy(x, r, lo, hi float64) float64 {
	below, above := max(0, lo+r-x), max(0, x+r-hi)
	return float64(below*below) + float64(above*above)
}

// wall is a straight wall at a right angle to an axis of the plane. Points p with depth(p) > 0 are
// behind the wall.
type wall struct {
	out   r2.Point // unit vector from the inside to the outside
	level float64  // dot(out, p) for every point p on the wall
}

func wallsOf(b bvh.Box) [4]wall {
	return [4]wall{{r2.Point{X: -1}, -b.Min.X}, {r2.Point{X: 1}, b.Max.X}, {r2.Point{Y: -1}, -b.Min.Y}, {r2.Point{Y: 1}, b.Max.Y}}
}

// depth returns the distance of p from the wall. The distance is positive behind the wall.
func (w wall) depth(p r2.Point) float64 { return dot(w.out, p) - w.level }

// reached reports whether a part of the box is behind the wall.
func (w wall) reached(box neighbor.Rect) bool { return w.depth(box.Min) > 0 || w.depth(box.Max) > 0 }

type clippedPart struct {
	area     float64
	centroid r2.Point
	width    float64 // length of the common part of the polygon and the wall
}

// clip returns the part of b behind the wall. It divides this part into triangles that share the
// first corner, and sums their areas and centroids.
func (w wall) clip(b *polygon.Body) clippedPart {
	var part clippedPart
	// origin is the shared corner. previous is the previous corner relative to origin.
	var origin, previous r2.Point
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
			lo, hi = min(lo, cross(w.out, on)), max(hi, cross(w.out, on))
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
	// A triangle with the sides u and v at the origin has the centroid (u+v)/3 and the area u×v/2.
	part.centroid = origin.Add(times(1/(6*part.area), sum))
	part.width = max(0, hi-lo)
	return part
}

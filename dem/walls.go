package dem

import (
	"fmt"
	"math"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// everywhere returns walls that are nowhere.
func everywhere() neighbor.Rect {
	inf := math.Inf(1)
	return neighbor.Rect{Min: r2.Point{X: -inf, Y: -inf}, Max: r2.Point{X: inf, Y: inf}}
}

// around returns r with its sides moved outward by a distance.
func around(r neighbor.Rect, distance float64) neighbor.Rect {
	return neighbor.Rect{
		Min: r2.Point{X: r.Min.X - distance, Y: r.Min.Y - distance},
		Max: r2.Point{X: r.Max.X + distance, Y: r.Max.Y + distance},
	}
}

// behind reports whether all of the box is behind a side of the walls.
func behind(box, walls neighbor.Rect) bool {
	return box.Max.X <= walls.Min.X || box.Min.X >= walls.Max.X || box.Max.Y <= walls.Min.Y || box.Min.Y >= walls.Max.Y
}

// checkWalls returns the error of walls or gravity in the plane.
func checkWalls(walls neighbor.Rect, gravity r2.Point) error {
	if !(walls.Min.X < walls.Max.X && walls.Min.Y < walls.Max.Y) {
		return fmt.Errorf("dem: %w: walls from %v to %v enclose nothing", ErrOptions, walls.Min, walls.Max)
	}
	if !finitePoint(gravity) {
		return fmt.Errorf("dem: %w: gravity %v is not finite", ErrOptions, gravity)
	}
	return nil
}

// wallForce returns the force along one axis on a ball at x that moves with v between
// walls at lo and hi: that of a ball of the same law whose surface is the wall.
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

// wallEnergy returns the squares of the overlaps of [x−r, x+r] with what is outside [lo, hi].
func wallEnergy(x, r, lo, hi float64) float64 {
	below, above := max(0, lo+r-x), max(0, x+r-hi)
	return float64(below*below) + float64(above*above)
}

// wall is a straight wall across an axis of the plane: all points with
// sign·(coordinate − level) > 0, the depth, are behind it.
type wall struct {
	vertical    bool // across y
	sign, level float64
}

// sides returns the four walls around r.
func sides(r neighbor.Rect) [4]wall {
	return [4]wall{{false, -1, r.Min.X}, {false, 1, r.Max.X}, {true, -1, r.Min.Y}, {true, 1, r.Max.Y}}
}

// reached reports whether a part of the box is behind the wall.
func (w wall) reached(box neighbor.Rect) bool { return w.depth(box.Min) > 0 || w.depth(box.Max) > 0 }

func (w wall) depth(p r2.Point) float64 { return w.sign * (w.across(p) - w.level) }

// across and along return the coordinates across the wall and along it.
func (w wall) across(p r2.Point) float64 {
	if w.vertical {
		return p.Y
	}
	return p.X
}

func (w wall) along(p r2.Point) float64 {
	if w.vertical {
		return p.X
	}
	return p.Y
}

// inward returns a vector of length f at a right angle to the wall, away from it.
func (w wall) inward(f float64) r2.Point {
	if w.vertical {
		return r2.Point{Y: -w.sign * f}
	}
	return r2.Point{X: -w.sign * f}
}

// buried is the part of a polygon behind a wall.
type buried struct {
	area  float64
	at    r2.Point // its centroid
	width float64  // of the polygon along the wall, at the wall
}

// bury returns the part of b behind the wall: b clipped to depths above 0, as a fan of
// triangles at the first corner of the part.
func (w wall) bury(b *polygon.Body) buried {
	var part buried
	var origin, previous r2.Point // of the fan, and the last corner, relative to it
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
	above := w.depth(from)
	for i := range n {
		to := b.Corner(i)
		below := w.depth(to)
		if (above > 0) != (below > 0) {
			on := from.Add(times(above/(above-below), to.Sub(from)))
			lo, hi = min(lo, w.along(on)), max(hi, w.along(on))
			add(on)
		}
		if below > 0 {
			add(to)
		}
		from, above = to, below
	}
	if !(part.area > 0) {
		return buried{}
	}
	// The centroid of a triangle with sides u, v from the origin is (u+v)/3, its double area u×v.
	part.at = origin.Add(times(1/(6*part.area), sum))
	part.width = max(0, hi-lo)
	return part
}

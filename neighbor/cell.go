package neighbor

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// ErrCell is the error for an invalid Cell, or for a method that cannot be made periodic.
var ErrCell = errors.New("bad periodic cell")

// Cell is a box. On the axes of Periodic, its opposite sides are connected, so space repeats with
// the period Max−Min (rounded). On the other axes, Min and Max have no effect. In the plane, Z has
// no effect and Periodic[2] must be false.
//
// On a periodic axis, Min and Max must be within ±2^498, and the period must be at least 2^-499.
type Cell struct {
	Min, Max r3.Vector
	Periodic [3]bool // which of the axes x, y and z are periodic
}

// maxWraps is the largest number of periods between a body and its cell. With this limit, the
// difference of two such numbers, plus 1, fits in an int32.
const maxWraps = 1 << 29

// Limits of a cell. A body in the cell is at most as large as the period. So the coordinates of the
// body and of its images are within ±2^500.
const (
	cellLimit = 0x1p498
	minPeriod = 0x1p-499 // the diameter of the smallest ball
)

// Check returns an error that wraps ErrCell and names the first invalid axis. The number of axes is
// 2 in the plane and 3 in space.
func (c Cell) Check(axes int) error {
	for k, name := range [...]string{"x", "y", "z"} {
		if !c.Periodic[k] {
			continue
		}
		if k >= axes {
			return fmt.Errorf("%w: axis %s cannot be periodic, because bodies in the plane have no %s", ErrCell, name, name)
		}
		lo, hi := component(c.Min, k), component(c.Max, k)
		// The negated condition also rejects NaN.
		if !(lo >= -cellLimit && hi <= cellLimit && hi-lo >= minPeriod) {
			return fmt.Errorf("%w: axis %s from %g to %g: Min and Max must be within ±2^498, and Max−Min must be at least 2^-499",
				ErrCell, name, lo, hi)
		}
	}
	return nil
}

// Period returns the period on each axis. It is 0 on axes that are not periodic.
func (c Cell) Period() r3.Vector {
	var p r3.Vector
	if c.Periodic[0] {
		p.X = c.Max.X - c.Min.X
	}
	if c.Periodic[1] {
		p.Y = c.Max.Y - c.Min.Y
	}
	if c.Periodic[2] {
		p.Z = c.Max.Z - c.Min.Z
	}
	return p
}

// Move returns p + image·Period. Each coordinate is rounded once.
func (c Cell) Move(p r3.Vector, image [3]int32) r3.Vector { return moveBy(p, image, c.Period()) }

func moveBy(p r3.Vector, image [3]int32, period r3.Vector) r3.Vector {
	return r3.Vector{
		X: math.FMA(float64(image[0]), period.X, p.X),
		Y: math.FMA(float64(image[1]), period.Y, p.Y),
		Z: math.FMA(float64(image[2]), period.Z, p.Z),
	}
}

// Wrap moves p into the cell by whole periods. The result in is Move(p, by). On each periodic axis,
// by is the smallest integer for which the rounded coordinate is at least Min. So the coordinate is
// less than Max, except for rounding. On other axes, by is 0. If a coordinate is not finite or more
// than 2^29 periods from the cell, ok is false. The cell must be valid.
func (c Cell) Wrap(p r3.Vector) (in r3.Vector, by [3]int32, ok bool) {
	in, ok = p, true
	if c.Periodic[0] {
		in.X, by[0], ok = wrap(p.X, c.Min.X, c.Max.X-c.Min.X)
	}
	if c.Periodic[1] && ok {
		in.Y, by[1], ok = wrap(p.Y, c.Min.Y, c.Max.Y-c.Min.Y)
	}
	if c.Periodic[2] && ok {
		in.Z, by[2], ok = wrap(p.Z, c.Min.Z, c.Max.Z-c.Min.Z)
	}
	return in, by, ok
}

// wrap does for one coordinate what Cell.Wrap does for a point.
func wrap(x, lo, period float64) (in float64, by int32, ok bool) {
	if x >= lo && x-period < lo {
		return x, 0, true
	}
	n := math.Floor((lo - x) / period)
	if !(math.Abs(n) <= maxWraps) {
		return x, 0, false
	}
	// The rounded coordinate does not decrease with n. The quotient has a relative error of 2^-51, so
	// n is wrong by at most a few periods if the coordinates resolve the period.
	in = math.FMA(n, period, x)
	for in < lo {
		n++
		in = math.FMA(n, period, x)
	}
	for {
		less := math.FMA(n-1, period, x)
		if less < lo {
			return in, int32(n), math.Abs(n) <= maxWraps
		}
		n, in = n-1, less
	}
}

func component(v r3.Vector, axis int) float64 { return [3]float64{v.X, v.Y, v.Z}[axis] }

func diskExtent(b *Disk) (center, size r3.Vector) {
	d := 2 * b.Radius
	return r3.Vector{X: b.Center.X, Y: b.Center.Y}, r3.Vector{X: d, Y: d}
}

func sphereExtent(b *Sphere) (center, size r3.Vector) {
	d := 2 * b.Radius
	return b.Center, r3.Vector{X: d, Y: d, Z: d}
}

func rectExtent(b *Rect) (center, size r3.Vector) {
	return r3.Vector{X: b.Min.X/2 + b.Max.X/2, Y: b.Min.Y/2 + b.Max.Y/2},
		r3.Vector{X: b.Max.X - b.Min.X, Y: b.Max.Y - b.Min.Y}
}

func boxExtent(b *bvh.Box) (center, size r3.Vector) {
	return r3.Vector{X: b.Min.X/2 + b.Max.X/2, Y: b.Min.Y/2 + b.Max.Y/2, Z: b.Min.Z/2 + b.Max.Z/2}, b.Max.Sub(b.Min)
}

func moveDisk(b *Disk, image [3]int32, period r3.Vector) {
	b.Center = movePoint(b.Center, image, period)
}

func moveSphere(b *Sphere, image [3]int32, period r3.Vector) {
	b.Center = moveBy(b.Center, image, period)
}

func moveRect(b *Rect, image [3]int32, period r3.Vector) {
	b.Min, b.Max = movePoint(b.Min, image, period), movePoint(b.Max, image, period)
}

func moveBox(b *bvh.Box, image [3]int32, period r3.Vector) {
	b.Min, b.Max = moveBy(b.Min, image, period), moveBy(b.Max, image, period)
}

func movePoint(p r2.Point, image [3]int32, period r3.Vector) r2.Point {
	v := moveBy(r3.Vector{X: p.X, Y: p.Y}, image, period)
	return r2.Point{X: v.X, Y: v.Y}
}

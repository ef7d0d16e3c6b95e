package neighbor

import (
	"fmt"
	"math"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Coordinates are at most limit, radii from 1/limit to limit: the square of a sum of
// radii is then a normal number, so that touchDisks and touchSpheres are right to a few
// units of the last place, and the square of a distance is finite.
const limit = 0x1p500

// check fails with ErrBody for the first body that is bad.
func check[T Body](bodies []T) error {
	if len(bodies) > math.MaxInt32 {
		return fmt.Errorf("%w: body %d: indices end at %d", ErrBody, len(bodies)-1, math.MaxInt32-1)
	}
	at, fault := -1, ""
	switch bodies := any(bodies).(type) {
	case []Disk:
		at, fault = checkDisks(bodies)
	case []Sphere:
		at, fault = checkSpheres(bodies)
	case []Rect:
		at, fault = checkRects(bodies)
	case []bvh.Box:
		at, fault = checkBoxes(bodies)
	}
	if at >= 0 {
		return fmt.Errorf("%w: body %d: %s", ErrBody, at, fault)
	}
	return nil
}

func checkDisks(bodies []Disk) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if goodRadius(b.Radius) && goodPoint(b.Center) || b.absent() {
			continue
		}
		if !goodPoint(b.Center) {
			return i, fmt.Sprintf("center (%g, %g)", b.Center.X, b.Center.Y)
		}
		return i, fmt.Sprintf("radius %g", b.Radius)
	}
	return -1, ""
}

func checkSpheres(bodies []Sphere) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if goodRadius(b.Radius) && goodVector(b.Center) || b.absent() {
			continue
		}
		if !goodVector(b.Center) {
			return i, fmt.Sprintf("center (%g, %g, %g)", b.Center.X, b.Center.Y, b.Center.Z)
		}
		return i, fmt.Sprintf("radius %g", b.Radius)
	}
	return -1, ""
}

func checkRects(bodies []Rect) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if goodPoint(b.Min) && goodPoint(b.Max) && b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y || b.absent() {
			continue
		}
		return i, fmt.Sprintf("from (%g, %g) to (%g, %g)", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
	}
	return -1, ""
}

func checkBoxes(bodies []bvh.Box) (int, string) {
	for i := range bodies {
		b := &bodies[i]
		if goodVector(b.Min) && goodVector(b.Max) && !b.Empty() || absentBox(b) {
			continue
		}
		return i, fmt.Sprintf("from (%g, %g, %g) to (%g, %g, %g)", b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z)
	}
	return -1, ""
}

// The comparisons are false for NaN.
func goodRadius(r float64) bool { return r >= 1/limit && r <= limit }
func goodNumber(x float64) bool { return x >= -limit && x <= limit }

func goodPoint(p r2.Point) bool { return goodNumber(p.X) && goodNumber(p.Y) }
func goodVector(v r3.Vector) bool {
	return goodNumber(v.X) && goodNumber(v.Y) && goodNumber(v.Z)
}

func (d *Disk) absent() bool   { return d.Radius == Absent() }
func (s *Sphere) absent() bool { return s.Radius == Absent() }
func (r *Rect) absent() bool   { return *r == EmptyRect() }

func absentBox(b *bvh.Box) bool { return *b == bvh.EmptyBox() }

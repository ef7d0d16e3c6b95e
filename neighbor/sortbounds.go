package neighbor

import (
	"math"

	"github.com/inpoly/inpoly/bvh"
)

// bounds are the closed intervals that a body takes on the axes of the plane or of space:
// minimum and maximum on the first axis, then on the next. There are two types, so that
// the compiler makes code for each dimension.
type bounds interface {
	[4]float64 | [6]float64
}

// axes returns the number of axes.
func axes[B bounds]() int {
	var b B
	return len(b) / 2
}

// nowhere returns bounds that meet nothing, not even themselves.
func nowhere[B bounds]() B {
	var b B
	for i := range len(b) {
		b[i] = math.Inf(1 - 2*(i&1))
	}
	return b
}

// meet reports whether closed bounds have a point in common.
func meet[B bounds](a, b *B) bool {
	if !((*a)[0] <= (*b)[1] && (*b)[0] <= (*a)[1] && (*a)[2] <= (*b)[3] && (*b)[2] <= (*a)[3]) {
		return false
	}
	n := len(*a)
	return n == 4 || (*a)[n-2] <= (*b)[n-1] && (*b)[n-2] <= (*a)[n-1]
}

// ball returns the bounds on one axis of a ball: see widen.
func ball(c, r float64) (lo, hi float64) {
	w := float64(r * widen)
	return c - w, c + w
}

// planeBounds sets dst to bounds of the bodies, which are of the plane.
func planeBounds[T Body](dst [][4]float64, bodies []T) {
	switch bodies := any(bodies).(type) {
	case []Disk:
		for i := range bodies {
			b, d := &bodies[i], &dst[i]
			if b.absent() {
				*d = nowhere[[4]float64]()
				continue
			}
			d[0], d[1] = ball(b.Center.X, b.Radius)
			d[2], d[3] = ball(b.Center.Y, b.Radius)
		}
	case []Rect:
		for i := range bodies {
			b := &bodies[i]
			dst[i] = [4]float64{b.Min.X, b.Max.X, b.Min.Y, b.Max.Y}
		}
	}
}

// spaceBounds sets dst to bounds of the bodies, which are of space.
func spaceBounds[T Body](dst [][6]float64, bodies []T) {
	switch bodies := any(bodies).(type) {
	case []Sphere:
		for i := range bodies {
			b, d := &bodies[i], &dst[i]
			if b.absent() {
				*d = nowhere[[6]float64]()
				continue
			}
			d[0], d[1] = ball(b.Center.X, b.Radius)
			d[2], d[3] = ball(b.Center.Y, b.Radius)
			d[4], d[5] = ball(b.Center.Z, b.Radius)
		}
	case []bvh.Box:
		for i := range bodies {
			b := &bodies[i]
			dst[i] = [6]float64{b.Min.X, b.Max.X, b.Min.Y, b.Max.Y, b.Min.Z, b.Max.Z}
		}
	}
}

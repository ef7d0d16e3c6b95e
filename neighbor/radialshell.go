package neighbor

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// chooseOrigin returns the lower corner of all bodies, or the one of the steps before
// if the corner is still near it, within a quarter of the extent on each axis.
func (m *RadialSort[T]) chooseOrigin(bodies []T) (origin r3.Vector, moved bool) {
	all := bvh.EmptyBox()
	for i := range bodies {
		if b := &bodies[i]; !m.kernel.absent(b) {
			var box bvh.Box
			m.kernel.bounds(&box, b)
			all = all.Union(box)
		}
	}
	if all.Empty() {
		return m.origin, false
	}
	near := func(x, lo, hi float64) bool { return math.Abs(x-lo) <= (hi-lo)/4 }
	if m.stats.Steps > 0 && near(m.origin.X, all.Min.X, all.Max.X) &&
		near(m.origin.Y, all.Min.Y, all.Max.Y) && near(m.origin.Z, all.Min.Z, all.Max.Z) {
		return m.origin, false
	}
	return all.Min, true
}

// The shell of a ball with its center at distance d is from d−h to d+h with h = r +
// shellSlack·(r+d) + shellUnderflow, so that balls for which touchDisks or touchSpheres
// rounds to true have shells that meet. With u = 2^-53: their centers, and so the
// distances of these from the origin, differ by at most (r_i+r_j)(1+5u) (see widen). The
// rounded d is wrong by at most 4u·d, and 2^-536 where its squares vanish or lose bits; h
// is rounded three times, and d ± h by at most u(d+r), a little more with the slack. Together less
// than 9u·r + 5u·d + 2^-536 a ball; the slack is 16u.
const (
	shellSlack     = 0x1p-49
	shellUnderflow = 0x1p-535
)

// of sets the shell of a ball about a point at distance d.
func (s *shell) of(d, r float64) {
	h := r + (float64(shellSlack*(r+d)) + shellUnderflow)
	s.near, s.far = d-h, d+h
}

// shellsTo sets the distances of shells from the bodies that they name.
func shellsTo[T Body](shells []shell, bodies []T, origin r3.Vector) {
	switch bodies := any(bodies).(type) {
	case []Disk:
		for i := range shells {
			b := &bodies[shells[i].id]
			shells[i].of(planeNorm(b.Center.X-origin.X, b.Center.Y-origin.Y), b.Radius)
		}
	case []Sphere:
		for i := range shells {
			b := &bodies[shells[i].id]
			shells[i].of(spaceNorm(b.Center.X-origin.X, b.Center.Y-origin.Y, b.Center.Z-origin.Z), b.Radius)
		}
	case []Rect:
		for i := range shells {
			b := &bodies[shells[i].id]
			nx, fx := reach(b.Min.X, b.Max.X, origin.X)
			ny, fy := reach(b.Min.Y, b.Max.Y, origin.Y)
			shells[i].near, shells[i].far = planeNorm(nx, ny), planeNorm(fx, fy)
		}
	case []bvh.Box:
		for i := range shells {
			b := &bodies[shells[i].id]
			nx, fx := reach(b.Min.X, b.Max.X, origin.X)
			ny, fy := reach(b.Min.Y, b.Max.Y, origin.Y)
			nz, fz := reach(b.Min.Z, b.Max.Z, origin.Z)
			shells[i].near, shells[i].far = spaceNorm(nx, ny, nz), spaceNorm(fx, fy, fz)
		}
	}
}

// reach returns the least and the largest distance from x to a number in [lo, hi]. Like the
// norms it is monotone as rounded: a point of two boxes has its rounded distance from
// the origin in both shells, and no slack is needed.
func reach(lo, hi, x float64) (near, far float64) {
	return max(lo-x, x-hi, 0), max(x-lo, hi-x)
}

func planeNorm(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

func spaceNorm(x, y, z float64) float64 {
	return math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
}

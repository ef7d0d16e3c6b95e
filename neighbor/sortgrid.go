package neighbor

import (
	"math"

	"github.com/inpoly/inpoly/bvh"
)

// perRegion is the intended number of bodies in a region. In larger regions, insertion sort takes
// more exchanges. In smaller regions, more bodies belong to several regions. tuning: measured for
// numbers from 128 to 4096, with balls and disks of one size that move by 1% of their size.
const perRegion = 256

// minRegions is the smallest number of regions for which dividing the world saves time. If the
// bodies would fill fewer regions, there is one region. tuning: measured.
const minRegions = 8

// spread is the smallest ratio of the side of a region to the mean length of a body. With this
// ratio, at most about 1/spread of the bodies are in two regions on each axis (tuning).
const spread = 4

// span is the range of the regions that a body intersects. On each axis it is from lo to hi. A span
// with lo > hi is empty.
type span struct {
	lo, hi [3]uint16
}

var noSpan = span{lo: [3]uint16{1, 1, 1}}

// gridLines divide the world into regions. The outer regions extend to infinity. On each axis, the
// index of a region is a monotone function of the coordinate, even with rounding. So two bodies
// that touch have a region in common.
type gridLines struct {
	n      [3]int     // number of regions on each axis
	origin [3]float64 // lower end of the first region
	scale  [3]float64 // number of regions per unit of length, or 0 if there is one region; always finite
}

// index returns the index of the region that contains the coordinate x on the given axis.
func (c *gridLines) index(axis int, x float64) uint16 {
	t := float64((x - c.origin[axis]) * c.scale[axis])
	return uint16(min(max(t, 0), float64(c.n[axis]-1)))
}

// spanOf returns the range of the regions that a body intersects.
func spanOf[B bounds](c *gridLines, b *B) span {
	if !((*b)[0] <= (*b)[1]) {
		return noSpan
	}
	var s span
	for axis := range len(*b) / 2 {
		if c.n[axis] > 1 {
			s.lo[axis] = c.index(axis, (*b)[2*axis])
			s.hi[axis] = c.index(axis, (*b)[2*axis+1])
		}
	}
	return s
}

// has reports whether the region x, y, z belongs to the span.
func (s *span) has(x, y, z uint16) bool {
	return s.lo[0] <= x && x <= s.hi[0] && s.lo[1] <= y && y <= s.hi[1] && s.lo[2] <= z && z <= s.hi[2]
}

// forEach calls f with the index of each region that is in s but not in other.
func (c *gridLines) forEach(s, other *span, f func(region int)) {
	for z := s.lo[2]; z <= s.hi[2]; z++ {
		for y := s.lo[1]; y <= s.hi[1]; y++ {
			for x := s.lo[0]; x <= s.hi[0]; x++ {
				if !other.has(x, y, z) {
					f((int(z)*c.n[1]+int(y))*c.n[0] + int(x))
				}
			}
		}
	}
}

// newGridLines chooses regions for the bodies. Again and again, it adds a region on the axis on
// which the regions are longest. It stops when a region has opt.PerRegion bodies on average, or
// when shorter regions would be too short for the bodies.
func newGridLines[B bounds](boxes []B, opt SortOptions) gridLines {
	c := gridLines{n: [3]int{1, 1, 1}}
	var lo, hi, length [3]float64
	live := 0
	for axis := range lo {
		lo[axis], hi[axis] = math.Inf(1), math.Inf(-1)
	}
	for i := range boxes {
		b := &boxes[i]
		if !((*b)[0] <= (*b)[1]) {
			continue
		}
		live++
		for axis := range len(*b) / 2 {
			lo[axis] = min(lo[axis], (*b)[2*axis])
			hi[axis] = max(hi[axis], (*b)[2*axis+1])
			length[axis] += (*b)[2*axis+1] - (*b)[2*axis]
		}
	}
	if live/minRegions < opt.PerRegion {
		return c
	}
	side := [3]float64{}
	for axis := range axes[B]() {
		side[axis] = hi[axis] - lo[axis]
		length[axis] /= float64(live)
	}
	extent := side
	for c.n[0]*c.n[1]*c.n[2]*opt.PerRegion < live {
		best, ratio := -1, 0.0
		for axis := range axes[B]() {
			cutSide := extent[axis] / float64(c.n[axis]+1)
			if cutSide > opt.spread*length[axis] && c.n[axis] < math.MaxUint16 && side[axis] > ratio &&
				!math.IsInf(float64(c.n[axis]+1)/extent[axis], 0) {
				best, ratio = axis, side[axis]
			}
		}
		if best < 0 {
			break
		}
		c.n[best]++
		side[best] = extent[best] / float64(c.n[best])
	}
	for axis, n := range c.n {
		if n > 1 {
			c.origin[axis], c.scale[axis] = lo[axis], float64(n)/extent[axis]
		}
	}
	return c
}

// bounds has the minimum and the maximum of a body on each axis. The array types for the plane and
// for space let the compiler make separate code.
type bounds interface {
	[4]float64 | [6]float64
}

// axes returns the number of axes.
func axes[B bounds]() int {
	var b B
	return len(b) / 2
}

// emptyBounds returns bounds that overlap nothing, not even themselves.
func emptyBounds[B bounds]() B {
	var b B
	for i := range len(b) {
		b[i] = math.Inf(1 - 2*(i&1))
	}
	return b
}

// meet reports whether the bounds of two bodies have a common point.
func meet[B bounds](a, b *B) bool {
	if !((*a)[0] <= (*b)[1] && (*b)[0] <= (*a)[1] && (*a)[2] <= (*b)[3] && (*b)[2] <= (*a)[3]) {
		return false
	}
	n := len(*a)
	return n == 4 || (*a)[n-2] <= (*b)[n-1] && (*b)[n-2] <= (*a)[n-1]
}

// ball returns the bounds of a ball on one axis. See widen for the proof.
func ball(c, r float64) (lo, hi float64) {
	w := float64(r * widen)
	return c - w, c + w
}

// planeBounds sets dst to the bounds of disks or rectangles.
func planeBounds[T Body](dst [][4]float64, bodies []T) {
	switch bodies := any(bodies).(type) {
	case []Disk:
		for i := range bodies {
			b, d := &bodies[i], &dst[i]
			if b.absent() {
				*d = emptyBounds[[4]float64]()
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

// spaceBounds sets dst to the bounds of balls or boxes.
func spaceBounds[T Body](dst [][6]float64, bodies []T) {
	switch bodies := any(bodies).(type) {
	case []Sphere:
		for i := range bodies {
			b, d := &bodies[i], &dst[i]
			if b.absent() {
				*d = emptyBounds[[6]float64]()
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

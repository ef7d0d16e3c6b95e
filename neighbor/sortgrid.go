package neighbor

import "math"

// perRegion is the number of bodies that a region is meant to hold. In space, with n bodies a
// region, an end passes others in a step in proportion to n^⅔, and a share of n^-⅓ of the
// bodies is in several regions: a flat minimum, measured from 128 to 4096 for balls and disks of
// one size that move by 1 % of it.
const perRegion = 256

// uncut is up to how many regions' worth of bodies stay in one: dividing few costs more than
// it saves, measured.
const uncut = 8

// spread is how often the mean length of the bodies fits at least into the side of a region
// that was cut: on each axis at most one body in spread is then in a second region.
const spread = 4

// span is the regions that a body is in: from lo to hi on each axis, none if lo > hi.
type span struct {
	lo, hi [3]uint16
}

var noSpan = span{lo: [3]uint16{1, 1, 1}}

// cuts divides the world into regions, of which the outer ones have no outer walls. The
// index on an axis is a monotone function of the coordinate, also as rounded: bodies that
// meet have a region in common.
type cuts struct {
	n      [3]int     // regions on each axis
	origin [3]float64 // where they begin
	scale  [3]float64 // regions a unit of length; finite, 0 if there is one
}

// index returns the region on an axis that has the coordinate x.
func (c *cuts) index(axis int, x float64) uint16 {
	t := float64((x - c.origin[axis]) * c.scale[axis])
	return uint16(min(max(t, 0), float64(c.n[axis]-1)))
}

// spanOf returns the regions of a body.
func spanOf[B bounds](c *cuts, b *B) span {
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

// each calls f for the regions of s that other does not have, by their number.
func (c *cuts) each(s, other *span, f func(region int)) {
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

// cut chooses regions for the bodies: it cuts the axis with the longest sides until each region
// would hold the bodies it should, while sides stay long compared with the bodies.
func cut[B bounds](boxes []B, opt SortOptions) cuts {
	c := cuts{n: [3]int{1, 1, 1}}
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
	if live/uncut < opt.PerRegion {
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

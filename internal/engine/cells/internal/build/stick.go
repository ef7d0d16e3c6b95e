package build

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// A long cap or edge that is diagonal to the axes has a large box, so the distance from this box is
// a poor bound of the distance from the cap or edge. A stick is the set of points within a given
// distance of a segment. Every cap is in the stick around its longest edge.
type stick struct {
	from, to int32   // vertices at the ends of the segment
	length   float64 // of the segment, times scale
	height   float64 // of the cap over the segment, times scale
}

// stickOf returns the stick of a cap with the given corners. area is an upper bound of its area.
func (h *holes) stickOf(t [3]int32, area float64) stick {
	s := stick{length: -1}
	for k := range t {
		from, to := t[k], t[(k+1)%3]
		if l := h.mesh.Vertices[to].Sub(h.mesh.Vertices[from]).Mul(h.scale).Norm(); l > s.length {
			s = stick{from: from, to: to, length: l}
		}
	}
	// The height is at most the length of the longest edge.
	s.height = min(2*area/s.length, s.length)*(1+0x1p-40) + 0x1p-500
	return s
}

// stickDistance returns a lower bound of the distance between s and a box, times scale. It projects
// both to the direction of the shortest path from the segment to the middle of the box, and returns
// the gap between the projections. Any direction gives a lower bound, so rounding of the direction
// does not matter.
func (h *holes) stickDistance(s *stick, box *bvh.Box) float64 {
	a, b := h.mesh.Vertices[s.from], h.mesh.Vertices[s.to]
	middle := r3.Vector{X: box.Min.X/2 + box.Max.X/2, Y: box.Min.Y/2 + box.Max.Y/2, Z: box.Min.Z/2 + box.Max.Z/2}
	u, v, n := b.Sub(a).Mul(h.scale), middle.Sub(a).Mul(h.scale), middle.Sub(a).Mul(h.scale)
	if t := u.Dot(v) / u.Norm2(); t > 0 { // false for NaN
		n = n.Sub(u.Mul(min(t, 1)))
	}
	half := box.Max.Sub(box.Min).Mul(h.scale / 2)
	along := min(n.Dot(v), n.Dot(v.Sub(u))) - (math.Abs(n.X)*half.X + math.Abs(n.Y)*half.Y + math.Abs(n.Z)*half.Z)
	length := n.Norm() * (1 + 0x1p-40)
	if !(along > 0 && length > 0x1p-400) {
		return 0
	}
	return max(0, along/length-s.height-h.rounding)
}

// edgeBound bounds the share of an edge in the Biot–Savart term of interpolationBounds. d and e are
// as there. The integral of 1/r³ along a line at distance d is 2/d².
func edgeBound(length, d, e float64) float64 {
	return 0.75 * min(length/d, 2) * e * e / (4 * math.Pi * d * d)
}

// bound bounds the error of interpolating the potential of a cap. d and e are those of
// interpolationBounds. The cap consists of segments that are parallel to its longest edge, and
// height is the sum of their widths. The integrals of 1/r² and 1/r⁴ along a line at distance d are
// π/d and π/(2d³). These integrals are upper bounds for a segment if d is a lower bound of the
// distance from the point to the segment.
func (c *capBounds) bound(d, e float64) float64 {
	if !(d > 0x1p-300) {
		return 1 // a triangle has |J| ≤ 1/2
	}
	f := 1 / (4 * math.Pi * d * d)
	return min(1, f*min(
		2*min(c.area, c.stick.height*math.Pi*d),
		2.25*min(c.area, c.stick.height*(math.Pi/2)*d)*e*e/(d*d),
		0.75*min(c.border/d, 6)*e*e,
	))
}

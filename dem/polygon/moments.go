package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// Area returns the area of the shape. It is positive, with a relative error of some units
// in the last place, however thin the shape.
func (s *Shape) Area() float64 { return s.area }

// Centroid returns the center of the area, to rounding relative to the largest
// coordinate.
func (s *Shape) Centroid() r2.Point { return s.centroid }

// SecondMoment returns the polar second moment of area about the centroid, the integral of
// the squared distance from it. Times density it is the moment of inertia; about another
// point, Area times the squared distance comes on top (Steiner). Relative error as that of
// Area.
func (s *Shape) SecondMoment() float64 { return s.second }

// thickness returns area over size: the mean width across its longer side, within a factor
// of some units.
func (s *Shape) thickness() float64 { return s.area / s.size }

// measure sums over the fan of triangles at corner 0, all of positive area, so nothing
// cancels. With u and v the sides of a triangle from there and w = u×v, its area is w/2, its
// centroid (u+v)/3, and ∫|x|² = w(u·u + u·v + v·v)/12.
func (s *Shape) measure() {
	o, f := s.corners[0], plainFrame(s)
	var twice, second float64
	var first r2.Point
	for i := 1; i+1 < len(s.corners); i++ {
		p, q := s.corners[i], s.corners[i+1]
		u, v := p.Sub(o), q.Sub(o)
		w := f.twiceArea(0, i, i+1)
		twice += w
		first = first.Add(u.Add(v).Mul(w / 3))
		second += w * (u.Dot(u) + u.Dot(v) + v.Dot(v))
	}
	s.area = twice / 2
	c := first.Mul(1 / twice)
	s.centroid = o.Add(c)
	// From corner 0 to the centroid: at most three quarters of the sum go, for a needle.
	s.second = second/12 - s.area*c.Dot(c)
}

// plainFrame returns a frame for a shape where it is: coordinates have no errors, and no
// sign is left to float64.
func plainFrame(s *Shape) *frame {
	b := &Body{shape: s, cos: 1}
	return &frame{body: [2]*Body{b, b}, limit: math.Inf(1)}
}

// twiceArea returns twice the area of corners i, j, k with a small relative error, positive
// for a left turn at j; the sign is exact.
func (f *frame) twiceArea(i, j, k int) float64 {
	p, q, r := f.corner(0, i), f.corner(0, j), f.corner(0, k)
	return f.cross(&p, &q, &p, &r)
}

package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// The boundary of the common area consists of the pieces of each boundary that lie in the
// other body, which clip.go finds. Area and centroid are sums over these pieces (Green's
// theorem), which need not be put in order.

// sums are integrals over pieces of boundary, relative to a point of the common area.
type sums struct {
	begun  bool
	origin point
	low    r2.Point // corners of a rectangle around the pieces
	high   r2.Point
	weight float64  // twice the area
	first  r2.Point // six times the first moment
	chord  [2]r2.Point
	pieces [2]int
	exact  *exactSums // takes the pieces if it is not nil
}

// resolved is the least thickness of a body, area over size, relative to the sum of sizes and
// distance of places, of which places in twice the precision know 2^-60. What is thinner is
// computed in rational numbers.
const resolved = 0x1p-40

// overlap returns what the bodies have in common.
func (f *frame) overlap() Overlap {
	var s sums
	if min(f.body[0].shape.thickness(), f.body[1].shape.thickness()) < resolved*f.span() {
		s.exact = newExactSums()
	}
	for k := range f.body {
		if !f.pieces(k, &s) {
			return Overlap{}
		}
	}
	if s.exact != nil {
		return s.exact.overlap(f)
	}
	if !s.begun {
		return Overlap{} // no piece of either boundary is in the other body
	}
	// At least something, however thin.
	o := Overlap{Area: max(s.weight/2, math.SmallestNonzeroFloat64)}
	o.Centroid = s.origin.value().Add(s.centroid()).Add(f.body[0].at)
	if s.pieces[0] > 0 && s.pieces[1] > 0 {
		// Around a closed boundary both sums cancel.
		o.Chord = s.chord[0].Sub(s.chord[1]).Mul(0.5)
	}
	return o
}

// centroid returns that of the area, within the rectangle around it also where it is so thin
// that the sums are rounding; where their terms underflow, below 2^-900, the middle of it.
func (s *sums) centroid() r2.Point {
	if s.weight < 0x1p-900 {
		return s.low.Add(s.high).Mul(0.5)
	}
	x, y := s.first.X/(3*s.weight), s.first.Y/(3*s.weight)
	return r2.Point{X: max(s.low.X, min(x, s.high.X)), Y: max(s.low.Y, min(y, s.high.Y))}
}

// add adds a piece of the boundary of body k, of which share counts. The common area is convex and the origin of the sums is a
// point of it, or beside it by rounding, so what cancels is as small as that.
func (s *sums) add(f *frame, k int, share float64, from, to tip) {
	if s.exact != nil {
		s.exact.add(f, k, share, from, to)
		return
	}
	u, v := f.tip(from), f.tip(to)
	if !s.begun {
		s.begun, s.origin = true, point{double{hi: u.x.hi}, double{hi: u.y.hi}}
	}
	u, v = u.sub(s.origin), v.sub(s.origin)
	w := share * u.cross(v).value()
	s.weight += w
	s.first = s.first.Add(r2.Point{X: w * (u.x.hi + v.x.hi), Y: w * (u.y.hi + v.y.hi)})
	s.low = r2.Point{X: min(s.low.X, u.x.hi, v.x.hi), Y: min(s.low.Y, u.y.hi, v.y.hi)}
	s.high = r2.Point{X: max(s.high.X, u.x.hi, v.x.hi), Y: max(s.high.Y, u.y.hi, v.y.hi)}
	s.chord[k] = s.chord[k].Add(v.sub(u).value().Mul(share))
	s.pieces[k]++
}

// tip returns where the end of a piece is.
func (f *frame) tip(e tip) point {
	from := f.place(e.at)
	if e.to == nil {
		return from
	}
	to, origin := f.place(e.to), f.place(e.c)
	line := f.place(e.d).sub(origin)
	begin, end := line.cross(from.sub(origin)), line.cross(to.sub(origin))
	t := begin.div(begin.sub(end))
	// What cannot be resolved stays on the edge; the negation catches 0/0.
	if !(t.hi >= 0) {
		t = double{}
	} else if t.hi > 1 {
		t = double{hi: 1}
	}
	way := to.sub(from)
	return point{from.x.add(t.mul(way.x)), from.y.add(t.mul(way.y))}
}

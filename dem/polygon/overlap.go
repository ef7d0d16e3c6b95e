package polygon

import (
	"math"
	"math/big"

	"github.com/golang/geo/r2"
)

// The boundary of the common area consists of the pieces of each boundary that lie in the other
// body; see pieces. Area and centroid are sums over these pieces (Green's theorem), in any order.

// pieceSums are integrals over pieces of boundary, relative to a point of the common area.
type pieceSums struct {
	begun  bool
	origin point
	low    r2.Point // corners of a rectangle around the pieces
	high   r2.Point
	weight float64  // twice the area
	first  r2.Point // six times the first moment
	chord  [2]r2.Point
	pieces [2]int
	exact  *rationalSums // takes the pieces instead if it is not nil
}

// minThickness is the smallest thickness of a body, the ratio of area to size, relative to the sum
// of the sizes and the distance of places, for twice the precision: places are known to 2^-60 of
// that sum. Thinner bodies are computed in rational numbers.
const minThickness = 0x1p-40

// overlap returns the intersection of the bodies.
func (f *frame) overlap() Overlap {
	var s pieceSums
	if min(f.body[0].shape.thickness(), f.body[1].shape.thickness()) < minThickness*f.span() {
		s.exact = newRationalSums()
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
	// Positive, however thin the area.
	o := Overlap{Area: max(s.weight/2, math.SmallestNonzeroFloat64)}
	o.Centroid = s.origin.value().Add(s.centroid()).Add(f.body[0].at)
	if s.pieces[0] > 0 && s.pieces[1] > 0 {
		// Around a closed boundary both sums cancel.
		o.Chord = s.chord[0].Sub(s.chord[1]).Mul(0.5)
	}
	return o
}

// centroid returns the centroid of the area. If the area is so thin that the sums are rounding, the
// result stays within the rectangle around it. If the terms underflow, below 2^-900, the result is
// the middle of the rectangle.
func (s *pieceSums) centroid() r2.Point {
	if s.weight < 0x1p-900 {
		return s.low.Add(s.high).Mul(0.5)
	}
	x, y := s.first.X/(3*s.weight), s.first.Y/(3*s.weight)
	return r2.Point{X: max(s.low.X, min(x, s.high.X)), Y: max(s.low.Y, min(y, s.high.Y))}
}

// add adds a piece of the boundary of body k with the weight share. The common area is convex and
// the origin of the sums is a point of it, except for rounding, so cancellation is equally small.
func (s *pieceSums) add(f *frame, k int, share float64, from, to pieceEnd) {
	if s.exact != nil {
		s.exact.add(f, k, share, from, to)
		return
	}
	u, v := f.end(from), f.end(to)
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

// end returns the place of the end of a piece.
func (f *frame) end(e pieceEnd) point {
	from := f.doubleCorner(e.at)
	if e.to == nil {
		return from
	}
	to, origin := f.doubleCorner(e.to), f.doubleCorner(e.c)
	line := f.doubleCorner(e.d).sub(origin)
	begin, end := line.cross(from.sub(origin)), line.cross(to.sub(origin))
	t := begin.div(begin.sub(end))
	// An unresolved crossing stays on the edge; the negation catches 0/0.
	if !(t.hi >= 0) {
		t = double{}
	} else if t.hi > 1 {
		t = double{hi: 1}
	}
	edge := to.sub(from)
	return point{from.x.add(t.mul(edge.x)), from.y.add(t.mul(edge.y))}
}

// ratVector is an exact point or vector in a frame.
type ratVector struct{ x, y *big.Rat }

func newRatVector() ratVector { return ratVector{new(big.Rat), new(big.Rat)} }

func (u ratVector) add(v ratVector) ratVector {
	return ratVector{new(big.Rat).Add(u.x, v.x), new(big.Rat).Add(u.y, v.y)}
}

func (u ratVector) sub(v ratVector) ratVector {
	return ratVector{new(big.Rat).Sub(u.x, v.x), new(big.Rat).Sub(u.y, v.y)}
}

func (u ratVector) mul(t *big.Rat) ratVector {
	return ratVector{new(big.Rat).Mul(u.x, t), new(big.Rat).Mul(u.y, t)}
}

func (u ratVector) cross(v ratVector) *big.Rat {
	l := new(big.Rat).Mul(u.x, v.y)
	return l.Sub(l, new(big.Rat).Mul(u.y, v.x))
}

func (u ratVector) value() r2.Point {
	x, _ := u.x.Float64()
	y, _ := u.y.Float64()
	return r2.Point{X: x, Y: y}
}

// rationalSums are the sums in rational numbers, for bodies thinner than minThickness.
type rationalSums struct {
	begun  bool
	origin ratVector
	weight *big.Rat
	first  ratVector
	chord  [2]ratVector
	pieces [2]int
}

func newRationalSums() *rationalSums {
	return &rationalSums{weight: new(big.Rat), first: newRatVector(), chord: [2]ratVector{newRatVector(), newRatVector()}}
}

// overlap returns the intersection of the bodies, each number rounded once.
func (s *rationalSums) overlap(f *frame) Overlap {
	if !s.begun {
		return Overlap{}
	}
	o := Overlap{Area: roundRat(new(big.Rat).Mul(s.weight, big.NewRat(1, 2)))}
	at := ratVector{rat(f.body[0].at.X), rat(f.body[0].at.Y)}
	third := new(big.Rat).Inv(new(big.Rat).Mul(s.weight, big.NewRat(3, 1)))
	o.Centroid = s.first.mul(third).add(s.origin).add(at).value()
	if s.pieces[0] > 0 && s.pieces[1] > 0 {
		o.Chord = s.chord[0].sub(s.chord[1]).mul(big.NewRat(1, 2)).value()
	}
	return o
}

func (s *rationalSums) add(f *frame, k int, share float64, from, to pieceEnd) {
	u, v := f.rationalEnd(from), f.rationalEnd(to)
	if !s.begun {
		s.begun, s.origin = true, u
	}
	u, v = u.sub(s.origin), v.sub(s.origin)
	w := u.cross(v)
	w.Mul(w, rat(share))
	s.weight.Add(s.weight, w)
	s.first = s.first.add(u.add(v).mul(w))
	s.chord[k] = s.chord[k].add(v.sub(u).mul(rat(share)))
	s.pieces[k]++
}

// rationalEnd returns the exact place of the end of a piece.
func (f *frame) rationalEnd(e pieceEnd) ratVector {
	f.rational++
	place := func(c *corner) ratVector {
		x, y := f.rationalCorner(c)
		return ratVector{x, y}
	}
	from := place(e.at)
	if e.to == nil {
		return from
	}
	to, origin := place(e.to), place(e.c)
	line := place(e.d).sub(origin)
	begin, end := line.cross(from.sub(origin)), line.cross(to.sub(origin))
	t := new(big.Rat).Quo(begin, end.Sub(begin, end))
	return to.sub(from).mul(t).add(from)
}

// edgeLine is the line of an edge of body k, and its intersection with the other body. The line
// turns around body k from edge to edge. During one turn a corner of the other body changes its
// side of the line at most twice, at its tangents. So the edges of the other body that the line
// crosses, followed from edge to edge, pass each corner a bounded number of times.
type edgeLine struct {
	f       *frame
	k       int // the body; the other one is 1−k
	m       int // corners of the other body
	p, q    corner
	found   bool // extreme has been found for the line from lastP to lastQ
	lastP   corner
	lastQ   corner
	extreme int // corner of the other body farthest to the right, the first of two
	enter   int // edge of the other body by which the line enters it: from left or on the line to right
	leave   int // edge by which the line leaves it: from right to left or on the line
}

// pieceEnd is an end of a piece of boundary: the corner at, or if to is not nil the crossing of the
// edge from at to to with the edge from c to d of the other body. The corners at and to are then on
// different sides of that edge.
type pieceEnd struct{ at, to, c, d *corner }

// pieces adds the pieces of the boundary of body k that lie in the other body. It returns false if
// an edge separates the bodies.
func (f *frame) pieces(k int, s *pieceSums) bool {
	low, high := f.box(1 - k)
	l := edgeLine{f: f, k: k, m: f.body[1-k].shape.Len()}
	l.q = f.corner(k, 0)
	for i := range f.body[k].shape.Len() {
		l.p, l.q = l.q, f.corner(k, f.next(k, i))
		f.visits++
		if max(l.p.x, l.q.x) < low.X || min(l.p.x, l.q.x) > high.X || max(l.p.y, l.q.y) < low.Y || min(l.p.y, l.q.y) > high.Y {
			continue
		}
		l.findExtreme()
		switch side := l.side(l.extreme); {
		case side > 0:
			l.enter, l.leave = l.extreme, l.extreme
		case side == 0:
			l.enter, l.leave = l.extreme, l.extreme
			l.addFlush(s)
		default:
			if !l.follow() {
				return false
			}
			l.addPiece(s)
		}
	}
	return true
}

// box returns the corners of a rectangle that contains body k, extended by the errors of the
// coordinates of both bodies: rounded edges of the other body outside it have no piece in body k.
func (f *frame) box(k int) (low, high r2.Point) {
	inf := math.Inf(1)
	low, high = r2.Point{X: inf, Y: inf}, r2.Point{X: -inf, Y: -inf}
	for i := range f.body[k].shape.Len() {
		c := f.corner(k, i)
		low.X, low.Y = min(low.X, c.x), min(low.Y, c.y)
		high.X, high.Y = max(high.X, c.x), max(high.Y, c.y)
	}
	// The factor two covers the rounding of the following steps.
	pad := 2 * (f.err[0] + f.err[1])
	return r2.Point{X: low.X - pad, Y: low.Y - pad}, r2.Point{X: high.X + pad, Y: high.Y + pad}
}

func (l *edgeLine) corner(j int) corner { return l.f.corner(1-l.k, j) }
func (l *edgeLine) next(j int) int      { return l.f.next(1-l.k, j) }
func (l *edgeLine) previous(j int) int  { return l.f.previous(1-l.k, j) }

// side returns +1 if corner j of the other body is on the left, the inner side, −1 on the right,
// 0 on the line.
func (l *edgeLine) side(j int) int {
	l.f.visits++
	c := l.corner(j)
	return l.f.crossSign(&l.p, &l.q, &l.p, &c)
}

// slope returns the sign of the change of the distance from the line along edge j of the other
// body.
func (l *edgeLine) slope(j int) int {
	l.f.visits++
	c, d := l.corner(j), l.corner(l.next(j))
	return l.f.crossSign(&l.p, &l.q, &c, &d)
}

// findExtreme finds the extreme corner. It starts from the extreme of the last edge if the line has
// turned by less than half a turn since. Otherwise, at most three times a turn, it searches all.
func (l *edgeLine) findExtreme() {
	near := l.found && l.f.crossSign(&l.lastP, &l.lastQ, &l.p, &l.q) > 0
	l.found, l.lastP, l.lastQ = true, l.p, l.q
	if near {
		for l.slope(l.extreme) < 0 {
			l.extreme = l.next(l.extreme)
		}
		return
	}
	before := l.slope(l.m - 1)
	for j := range l.m {
		after := l.slope(j)
		if before < 0 && after >= 0 {
			l.extreme = j
			return
		}
		before = after
	}
}

// follow finds the edges by which the line enters and leaves the other body, whose extreme corner is
// on the right. It returns false if no corner is on the left.
func (l *edgeLine) follow() bool {
	if l.side(l.leave) < 0 {
		for turn := l.m; ; turn-- {
			if turn == 0 {
				return false
			}
			if l.side(l.next(l.leave)) >= 0 {
				break
			}
			l.leave = l.next(l.leave)
		}
	} else {
		for l.leave = l.previous(l.leave); l.side(l.leave) >= 0; {
			l.leave = l.previous(l.leave)
		}
	}
	// One or two corners are on the line and none on the left.
	if end := l.next(l.leave); l.side(end) == 0 && l.side(l.next(end)) <= 0 {
		return false
	}
	if l.side(l.enter) >= 0 {
		for l.side(l.next(l.enter)) >= 0 {
			l.enter = l.next(l.enter)
		}
	} else {
		for l.enter = l.previous(l.enter); l.side(l.enter) < 0; {
			l.enter = l.previous(l.enter)
		}
	}
	return true
}

// addPiece adds the part of the edge of body k between the edges of the other body by which its line
// enters and leaves.
func (l *edgeLine) addPiece(s *pieceSums) {
	f := l.f
	in, inEnd := l.corner(l.enter), l.corner(l.next(l.enter))
	out, outEnd := l.corner(l.leave), l.corner(l.next(l.leave))
	if f.crossSign(&in, &inEnd, &in, &l.q) <= 0 || f.crossSign(&out, &outEnd, &out, &l.p) <= 0 {
		return // the edge ends before or begins after
	}
	u, v := pieceEnd{at: &l.p}, pieceEnd{at: &l.q}
	if f.crossSign(&in, &inEnd, &in, &l.p) < 0 {
		u = pieceEnd{&l.p, &l.q, &in, &inEnd}
	}
	if f.crossSign(&out, &outEnd, &out, &l.q) < 0 {
		v = pieceEnd{&l.p, &l.q, &out, &outEnd}
	}
	s.add(f, l.k, 1, u, v)
}

// addFlush adds, with half weight, the common part of the edge and an edge of the other body that
// lies on it with the same direction.
func (l *edgeLine) addFlush(s *pieceSums) {
	f := l.f
	if l.slope(l.extreme) != 0 {
		return
	}
	c, d := l.corner(l.extreme), l.corner(l.next(l.extreme))
	if f.dotSign(&l.p, &l.q, &l.p, &d) <= 0 || f.dotSign(&l.p, &l.q, &l.q, &c) >= 0 {
		return
	}
	begin, end := &l.p, &l.q
	if f.dotSign(&l.p, &l.q, &l.p, &c) > 0 {
		begin = &c
	}
	if f.dotSign(&l.p, &l.q, &l.q, &d) < 0 {
		end = &d
	}
	s.add(f, l.k, 0.5, pieceEnd{at: begin}, pieceEnd{at: end})
}

package polygon

import (
	"math"
	"math/big"

	"github.com/golang/geo/r2"
)

// The boundary of the common area consists of pieces. Each piece is the part of an edge of one body
// that lies in the other body. By Green's theorem, the area and the centroid are sums over the
// pieces in any order.

// pieceSums holds sums over pieces. Coordinates are relative to the field origin.
type pieceSums struct {
	pieces [2]int // number of pieces from the boundary of each body
	// enters counts the pieces of body 0 that begin at a crossing, and leaves those that end at
	// one. The last of these crossings are stored. flush reports whether edges of both bodies lie
	// on one line.
	enters, leaves int
	flush          bool
	crossings      crossings
	origin         point
	low            r2.Point // lower corner of a rectangle around the pieces
	high           r2.Point // upper corner of the rectangle
	weight         float64  // twice the area of the common area
	first          r2.Point // six times the first moment of the common area
	chord          [2]r2.Point
	exact          *rationalSums // if not nil, it is used instead of all other fields except pieces
}

// minThickness is the smallest relative thickness of a body for which values of type double (two
// float64 numbers) are precise enough. The relative thickness is Shape.thickness divided by
// frame.span. Computed coordinates have an error of at most 2^-60 times frame.span. For thinner
// bodies, rationalSums computes the overlap.
const minThickness = 0x1p-40

// thin reports whether rationalSums must compute the overlap.
func (f *frame) thin() bool {
	return min(f.body[0].shape.thickness, f.body[1].shape.thickness) < minThickness*f.span()
}

// overlap examines all edges and sets o, which must be zero. If the boundaries cross exactly twice,
// overlap stores the crossings in c and returns true. In this case, it computes the overlap as the
// method follow does, so the result has the same bits. In thin bodies, it does not look for
// crossings.
func (f *frame) overlap(thin bool, c *crossings, o *Overlap) (crossed bool) {
	var s pieceSums
	if thin {
		s.exact = newRationalSums()
	}
	if !f.pieces(0, &s) {
		return false
	}
	if !thin && f.onlyCrossings(&s) && f.lensAt(&s.crossings, o) {
		*c = s.crossings
		return true
	}
	// If no piece of a boundary is in the other body, there is no overlap.
	if f.pieces(1, &s) && s.pieces != [2]int{} {
		*o = f.summed(&s)
	}
	return false
}

// onlyCrossings reports whether s.crossings are the only places where the boundaries cross. s must
// have all pieces of body 0 and no others. The result is true if these pieces are consecutive and
// their ends are inside two edges.
func (f *frame) onlyCrossings(s *pieceSums) bool {
	if s.enters != 1 || s.leaves != 1 || s.flush {
		return false
	}
	begin, end := s.crossings.inner(0)
	return s.pieces[0] == 1+f.body[0].shape.from(begin, end) &&
		f.isCrossing(0, &s.crossings[0]) && f.isCrossing(1, &s.crossings[1])
}

// summed returns the overlap with the given sums over all pieces.
func (f *frame) summed(s *pieceSums) Overlap {
	var o Overlap
	if s.exact != nil {
		o = s.exact.overlap(f)
	} else {
		// A positive area that rounds to 0 becomes the smallest positive number.
		o.Area = max(s.weight/2, math.SmallestNonzeroFloat64)
		o.Centroid = s.origin.value().Add(s.centroid()).Add(f.body[0].at)
		o.Chord = s.chord[0].Sub(s.chord[1]).Mul(0.5)
	}
	if s.pieces[0] == 0 || s.pieces[1] == 0 {
		o.Chord = r2.Point{} // without rounding, the sums over a closed boundary are zero
	}
	return o
}

// centroid returns the centroid relative to the origin of the sums. Rounding can dominate the sums
// of a thin area. Therefore, the result is limited to the rectangle around the pieces. If the
// weight is below 2^-900, terms of the sums can underflow. Then the result is the center of the
// rectangle.
func (s *pieceSums) centroid() r2.Point {
	if s.weight < 0x1p-900 {
		return s.low.Add(s.high).Mul(0.5)
	}
	x, y := s.first.X/(3*s.weight), s.first.Y/(3*s.weight)
	return r2.Point{X: max(s.low.X, min(x, s.high.X)), Y: max(s.low.Y, min(y, s.high.Y))}
}

// add adds a piece of the boundary of body k to the sums, multiplied by the given share. The start
// of the first piece becomes the origin. Except for rounding, the common area is convex and
// contains the origin. Therefore, no large terms cancel.
func (s *pieceSums) add(f *frame, k int, share float64, from, to pieceEnd) {
	begin := s.pieces == [2]int{}
	s.pieces[k]++
	if s.exact != nil {
		s.exact.add(f, k, share, from, to, begin)
		return
	}
	u, v := f.end(from), f.end(to)
	if begin {
		s.origin = point{double{hi: u.x.hi}, double{hi: u.y.hi}}
	}
	u, v = u.sub(s.origin), v.sub(s.origin)
	w := share * u.cross(v).value()
	s.weight += w
	s.first = s.first.Add(r2.Point{X: w * (u.x.hi + v.x.hi), Y: w * (u.y.hi + v.y.hi)})
	s.low = r2.Point{X: min(s.low.X, u.x.hi, v.x.hi), Y: min(s.low.Y, u.y.hi, v.y.hi)}
	s.high = r2.Point{X: max(s.high.X, u.x.hi, v.x.hi), Y: max(s.high.Y, u.y.hi, v.y.hi)}
	s.chord[k] = s.chord[k].Add(v.sub(u).value().Mul(share))
}

func (f *frame) end(e pieceEnd) point {
	from := f.doubleCorner(e.a)
	if e.b == nil {
		return from
	}
	to, origin := f.doubleCorner(e.b), f.doubleCorner(e.c)
	line := f.doubleCorner(e.d).sub(origin)
	begin, end := line.cross(from.sub(origin)), line.cross(to.sub(origin))
	t := begin.div(begin.sub(end))
	// Rounding can move a crossing off the edge, so t is limited to [0, 1]. The negated condition
	// also covers NaN, the result of 0/0.
	if !(t.hi >= 0) {
		t = double{}
	} else if t.hi > 1 {
		t = double{hi: 1}
	}
	edge := to.sub(from)
	return point{from.x.add(t.mul(edge.x)), from.y.add(t.mul(edge.y))}
}

// rationalSums stores the sums of pieceSums as rational numbers. It is used for very thin bodies.
type rationalSums struct {
	origin ratVector
	weight *big.Rat
	first  ratVector
	chord  [2]ratVector
}

func newRationalSums() *rationalSums {
	return &rationalSums{weight: new(big.Rat), first: newRatVector(), chord: [2]ratVector{newRatVector(), newRatVector()}}
}

// overlap returns the common area of the two bodies. Each number of the result is rounded once.
func (s *rationalSums) overlap(f *frame) Overlap {
	at := ratVector{rat(f.body[0].at.X), rat(f.body[0].at.Y)}
	third := new(big.Rat).Inv(new(big.Rat).Mul(s.weight, big.NewRat(3, 1)))
	return Overlap{
		Area:     roundRat(new(big.Rat).Mul(s.weight, big.NewRat(1, 2))),
		Centroid: s.first.mul(third).add(s.origin).add(at).value(),
		Chord:    s.chord[0].sub(s.chord[1]).mul(big.NewRat(1, 2)).value(),
	}
}

// add does the work of pieceSums.add in rational numbers.
func (s *rationalSums) add(f *frame, k int, share float64, from, to pieceEnd, firstPiece bool) {
	u, v := f.rationalEnd(from), f.rationalEnd(to)
	if firstPiece {
		s.origin = u
	}
	u, v = u.sub(s.origin), v.sub(s.origin)
	w := u.cross(v)
	w.Mul(w, rat(share))
	s.weight.Add(s.weight, w)
	s.first = s.first.add(u.add(v).mul(w))
	s.chord[k] = s.chord[k].add(v.sub(u).mul(rat(share)))
}

func (f *frame) rationalEnd(e pieceEnd) ratVector {
	f.rational++
	from := f.rationalCorner(e.a)
	if e.b == nil {
		return from
	}
	to, origin := f.rationalCorner(e.b), f.rationalCorner(e.c)
	line := f.rationalCorner(e.d).sub(origin)
	begin, end := line.cross(from.sub(origin)), line.cross(to.sub(origin))
	t := new(big.Rat).Quo(begin, end.Sub(begin, end))
	return to.sub(from).mul(t).add(from)
}

// edgeLine is the line through the current edge of body k. It also stores the edges where the line
// crosses the other body. The current edge moves once around body k, so the line makes one turn.
// During this turn, each corner of the other body changes its side of the line at most twice.
// Therefore, the search for the crossed edges passes each corner a bounded number of times.
type edgeLine struct {
	f     *frame
	k     int // index of the body with the edge; the other body is 1−k
	i     int // index of the edge
	m     int // number of corners of the other body
	p, q  corner
	found bool // true if extreme is valid for the line from lastP to lastQ
	lastP corner
	lastQ corner
	// extreme is the corner of the other body farthest to the right of the line. If two corners are
	// farthest, extreme is the first of them counterclockwise.
	extreme int
	// enter is the edge through which the line enters the other body. The edge begins on the line or
	// to the left of the line, and ends to the right.
	enter int
	// leave is the edge through which the line leaves the other body. The edge begins to the right
	// of the line, and ends on the line or to the left.
	leave int
}

// pieceEnd is one end of a piece. If b is nil, the end is the corner a. Otherwise, the end is the
// point where the edge from a to b crosses an edge of the other body. That edge has the ends c and
// d. The corners a and b are on different sides of it.
type pieceEnd struct{ a, b, c, d *corner }

// pieces adds the pieces of the boundary of body k to s. If an edge of body k separates the bodies,
// pieces returns false.
func (f *frame) pieces(k int, s *pieceSums) bool {
	low, high := f.box(1 - k)
	l := edgeLine{f: f, k: k, m: f.body[1-k].shape.Len()}
	l.q = f.corner(k, 0)
	for i := range f.body[k].shape.Len() {
		l.i, l.p, l.q = i, l.q, f.corner(k, f.next(k, i))
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

// box returns the lower and the upper corner of a rectangle that contains body k. The rectangle
// includes a margin for the coordinate errors of both bodies. If both rounded ends of an edge are
// beyond the same side of the rectangle, no piece of the edge is in body k.
func (f *frame) box(k int) (low, high r2.Point) {
	inf := math.Inf(1)
	low, high = r2.Point{X: inf, Y: inf}, r2.Point{X: -inf, Y: -inf}
	for i := range f.body[k].shape.Len() {
		c := f.corner(k, i)
		low.X, low.Y = min(low.X, c.x), min(low.Y, c.y)
		high.X, high.Y = max(high.X, c.x), max(high.Y, c.y)
	}
	// The factor 2 covers the rounding errors of the sums and differences.
	pad := 2 * (f.err[0] + f.err[1])
	return r2.Point{X: low.X - pad, Y: low.Y - pad}, r2.Point{X: high.X + pad, Y: high.Y + pad}
}

func (l *edgeLine) corner(j int) corner { return l.f.corner(1-l.k, j) }
func (l *edgeLine) next(j int) int      { return l.f.next(1-l.k, j) }
func (l *edgeLine) previous(j int) int  { return l.f.previous(1-l.k, j) }

// side returns the side of the line on which corner j of the other body lies: +1 on the left, −1 on
// the right, and 0 on the line. The left side is the inner side.
func (l *edgeLine) side(j int) int {
	l.f.visits++
	c := l.corner(j)
	return l.f.crossSign(&l.p, &l.q, &l.p, &c)
}

// slope returns the direction of edge j of the other body: +1 to the left of the line, −1 to the
// right, and 0 parallel to the line.
func (l *edgeLine) slope(j int) int {
	l.f.visits++
	c, d := l.corner(j), l.corner(l.next(j))
	return l.f.crossSign(&l.p, &l.q, &c, &d)
}

// findExtreme updates l.extreme. If the line has made less than half a turn since the last call,
// the search starts at the previous extreme corner. Otherwise, findExtreme examines all corners. It
// examines all corners at most three times for each body k.
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

// follow finds the edges through which the line enters and leaves the other body. The extreme
// corner must be on the right of the line. If no corner is on the left, follow returns false.
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
	// No corner is on the left if the edge ends on the line and the next corner is not on the left.
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

// addPiece adds the part of the edge of body k that is in the other body.
func (l *edgeLine) addPiece(s *pieceSums) {
	f := l.f
	in, inEnd := l.corner(l.enter), l.corner(l.next(l.enter))
	out, outEnd := l.corner(l.leave), l.corner(l.next(l.leave))
	if f.crossSign(&in, &inEnd, &in, &l.q) <= 0 || f.crossSign(&out, &outEnd, &out, &l.p) <= 0 {
		return
	}
	u, v := pieceEnd{a: &l.p}, pieceEnd{a: &l.q}
	if f.crossSign(&in, &inEnd, &in, &l.p) < 0 {
		u = pieceEnd{&l.p, &l.q, &in, &inEnd}
		if l.k == 0 {
			s.enters++
			s.crossings[0] = crossing{own: int32(l.i), other: int32(l.enter)}
		}
	}
	if f.crossSign(&out, &outEnd, &out, &l.q) < 0 {
		v = pieceEnd{&l.p, &l.q, &out, &outEnd}
		if l.k == 0 {
			s.leaves++
			s.crossings[1] = crossing{own: int32(l.leave), other: int32(l.i)}
		}
	}
	s.add(f, l.k, 1, u, v)
}

// addFlush handles an extreme corner on the line. If an edge of the other body lies on the line in
// the same direction, addFlush adds the common part of both edges. This part lies on both
// boundaries, so it counts half.
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
	s.flush = true
	s.add(f, l.k, 0.5, pieceEnd{a: begin}, pieceEnd{a: end})
}

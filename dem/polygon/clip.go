package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// line is the line of an edge of body k, which turns around it, and where it meets the
// other body. Corners of the other body are on the right of it, on the left, or on it. During
// a turn of the line around body k a corner of the other body changes sides at most twice,
// at its tangents; so the edges where sides change, followed from edge to edge, pass each
// corner a bounded number of times.
type line struct {
	f       *frame
	k       int // the body; the other one is 1−k
	m       int // corners of the other body
	p, q    corner
	found   bool // extreme has been found for the line from lastP to lastQ
	lastP   corner
	lastQ   corner
	extreme int // corner of the other body farthest to the right, the first of two
	enter   int // edge of the other body by which the line enters it: from left or on to right
	leave   int // and that by which it leaves: from right to left or on
}

// tip is an end of a piece of boundary: the corner at or, if there is a corner to, where the
// edge between them crosses the edge from c to d of the other body. Its ends are then on
// different sides of that.
type tip struct{ at, to, c, d *corner }

// pieces adds the pieces of the boundary of body k that lie in the other body. It returns
// false if an edge shows that the bodies have no area in common.
func (f *frame) pieces(k int, s *sums) bool {
	low, high := f.box(1 - k)
	l := line{f: f, k: k, m: f.body[1-k].shape.Len()}
	l.q = f.corner(k, 0)
	for i := range f.body[k].shape.Len() {
		l.p, l.q = l.q, f.corner(k, f.next(k, i))
		f.looks++
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

// box returns the corners of a rectangle that contains body k, wider by the errors of
// coordinates of both bodies: edges of the other one that are rounded beside it have no
// piece in it.
func (f *frame) box(k int) (low, high r2.Point) {
	inf := math.Inf(1)
	low, high = r2.Point{X: inf, Y: inf}, r2.Point{X: -inf, Y: -inf}
	for i := range f.body[k].shape.Len() {
		c := f.corner(k, i)
		low.X, low.Y = min(low.X, c.x), min(low.Y, c.y)
		high.X, high.Y = max(high.X, c.x), max(high.Y, c.y)
	}
	// Twice, to cover the rounding of what follows.
	pad := 2 * (f.err[0] + f.err[1])
	return r2.Point{X: low.X - pad, Y: low.Y - pad}, r2.Point{X: high.X + pad, Y: high.Y + pad}
}

func (l *line) corner(j int) corner { return l.f.corner(1-l.k, j) }
func (l *line) next(j int) int      { return l.f.next(1-l.k, j) }
func (l *line) previous(j int) int  { return l.f.previous(1-l.k, j) }

// side returns +1 for corners of the other body on the left, the inner side, −1 on the
// right, 0 on the line.
func (l *line) side(j int) int {
	l.f.looks++
	c := l.corner(j)
	return l.f.crossSign(&l.p, &l.q, &l.p, &c)
}

// slope returns the sign of the change of sides along edge j of the other body.
func (l *line) slope(j int) int {
	l.f.looks++
	c, d := l.corner(j), l.corner(l.next(j))
	return l.f.crossSign(&l.p, &l.q, &c, &d)
}

// findExtreme finds the extreme corner: from that of the last edge if the line has turned by
// less than half a turn since, otherwise, at most three times a turn, among all.
func (l *line) findExtreme() {
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

// follow finds the edges by which the line enters and leaves the other body, of which the
// extreme corner is on the right. It returns false if no corner is on the left.
func (l *line) follow() bool {
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
	// One corner on the line, or two, and none to the left?
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

// addPiece adds what the edge of body k has between the edges of the other body by which its
// line enters and leaves.
func (l *line) addPiece(s *sums) {
	f := l.f
	in, inEnd := l.corner(l.enter), l.corner(l.next(l.enter))
	out, outEnd := l.corner(l.leave), l.corner(l.next(l.leave))
	if f.crossSign(&in, &inEnd, &in, &l.q) <= 0 || f.crossSign(&out, &outEnd, &out, &l.p) <= 0 {
		return // it ends before, or begins after
	}
	u, v := tip{at: &l.p}, tip{at: &l.q}
	if f.crossSign(&in, &inEnd, &in, &l.p) < 0 {
		u = tip{&l.p, &l.q, &in, &inEnd}
	}
	if f.crossSign(&out, &outEnd, &out, &l.q) < 0 {
		v = tip{&l.p, &l.q, &out, &outEnd}
	}
	s.add(f, l.k, 1, u, v)
}

// addFlush adds half of what the edge has in common with an edge of the other body that
// lies on it, in the same direction.
func (l *line) addFlush(s *sums) {
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
	s.add(f, l.k, 0.5, tip{at: begin}, tip{at: end})
}

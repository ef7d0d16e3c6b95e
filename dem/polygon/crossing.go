package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// If the boundaries of two bodies cross exactly twice, the common area is a lens. One side of the
// lens is a part of the boundary of the first body, and the other side is a part of the boundary of
// the second body. A Pair stores the edges that cross, and track finds them again after the bodies
// have moved. track must then prove that the boundaries cross nowhere else.
//
// Let the first body enter the second body at the point p, and let the second body enter the first
// body at q. Let L be the line through p and q. L divides the boundary of each body into an inner
// arc, which is the side of the lens, and an outer arc. The inner arc of the first body and the
// outer arc of the second body are on the right of the direction from p to q. The two other arcs
// are on the left. Therefore, the boundaries can cross elsewhere only if an inner arc crosses the
// outer arc on the same side. An inner arc does not cross this outer arc if it is a part of one
// edge, because a line crosses the boundary of a convex body at most twice. It also does not cross
// the outer arc if it lies in a polygon whose corners other than p and q are inside the other body.
// Tangents of the inner arc bound such a polygon. The corners of this polygon, called apexes, are
// the points where successive tangents cross.

// crossing is a place where body k enters body 1−k, counterclockwise. The start of the edge own of
// body k is on the outer side of the edge other of body 1−k, and the end is on the inner side. The
// edge other starts on the inner side of the edge own and ends on the outer side.
type crossing struct{ own, other int32 }

// crossings are the places where body 0 enters body 1 and where body 1 enters body 0.
type crossings [2]crossing

// inner returns the edges of body k on which its inner arc begins and ends.
func (c *crossings) inner(k int) (begin, end int) { return int(c[k].own), int(c[1-k].other) }

// track updates c: from the crossings of an earlier call to the current ones. It sets m to the
// points of the crossings. If it returns true, the boundaries have no other points in common. track
// can return false even if there are no other points, mainly if more than half of the boundary of
// one body is inside the other body.
func (f *frame) track(c *crossings, m *[2]crossingPoint) bool {
	return f.trackCrossing(0, &c[0], &m[0]) && f.trackCrossing(1, &c[1], &m[1]) && f.arcInside(0, c) && f.arcInside(1, c)
}

// trackCrossing moves c along both boundaries until body k enters the other body at c. Then it sets
// m to the point of c. trackCrossing returns false after too many steps, or if an end of one edge
// is on the line of the other edge.
func (f *frame) trackCrossing(k int, c *crossing, m *crossingPoint) bool {
	n, h := f.body[k].shape.Len(), f.body[1-k].shape.Len()
	if int(c.own) >= n || int(c.other) >= h {
		return false
	}
	for limit := 4 + (n+h)/8; limit > 0; limit-- {
		f.steps++
		if f.locate(m, k, c) {
			return true
		}
		begin, end, from, to := m.sides(f.gapErr())
		if begin == 0 || end == 0 || from == 0 || to == 0 {
			begin, end, from, to = f.crossingSides(k, c)
		}
		if begin < 0 && end > 0 && from > 0 && to < 0 {
			return true
		}
		if begin == 0 || end == 0 || from == 0 || to == 0 {
			return false
		}
		switch {
		case begin > 0:
			c.own = int32(f.previous(k, int(c.own)))
		case end < 0:
			c.own = int32(f.next(k, int(c.own)))
		case from < 0:
			c.other = int32(f.previous(1-k, int(c.other)))
		default:
			c.other = int32(f.next(1-k, int(c.other)))
		}
	}
	return false
}

// crossingSides returns four sides. begin and end are the sides of the edge other on which the edge
// own begins and ends. from and to are the sides of the edge own on which the edge other begins and
// ends. Inner sides are positive.
func (f *frame) crossingSides(k int, c *crossing) (begin, end, from, to int) {
	p, q := f.corner(k, int(c.own)), f.corner(k, f.next(k, int(c.own)))
	r, s := f.corner(1-k, int(c.other)), f.corner(1-k, f.next(1-k, int(c.other)))
	return f.crossSign(&r, &s, &r, &p), f.crossSign(&r, &s, &r, &q), f.crossSign(&p, &q, &p, &r), f.crossSign(&p, &q, &p, &s)
}

// isCrossing reports whether body k enters the other body at c and no corner is on the line of the
// other edge.
func (f *frame) isCrossing(k int, c *crossing) bool {
	begin, end, from, to := f.crossingSides(k, c)
	return begin < 0 && end > 0 && from > 0 && to < 0
}

// maxApexes is the largest number of apexes that arcInside examines.
const maxApexes = 16

// arcInside reports whether the inner arc of body k is in the other body. It returns false if it
// cannot prove this.
func (f *frame) arcInside(k int, c *crossings) bool {
	begin, end := c.inner(k)
	if begin == end {
		return true
	}
	// Usually, one apex is enough.
	if f.apexInside(k, c, begin, end) {
		return true
	}
	h := tangentHull{f: f, k: k, c: c, budget: maxApexes - 1}
	return h.divide(begin, end)
}

// tangentHull is the polygon around the inner arc of body k.
type tangentHull struct {
	f      *frame
	k      int
	c      *crossings
	budget int
}

// divide divides the part of the inner arc between the edges e and x at an edge. It reports whether
// both parts are in the other body.
func (h *tangentHull) divide(e, x int) bool {
	s := h.f.body[h.k].shape
	turns := s.from(e, x)
	if turns == 1 {
		return false
	}
	middle := s.advance(e, turns/2)
	return h.inside(e, middle) && h.inside(middle, x)
}

// inside reports whether the part of the inner arc from edge e to edge x is in the other body. If
// the apex of these edges is not inside, it divides the part.
func (h *tangentHull) inside(e, x int) bool {
	if h.budget--; h.budget < 0 {
		return false
	}
	return h.f.apexInside(h.k, h.c, e, x) || h.divide(e, x)
}

// apex returns the point where the lines of the edges e and x of body k cross, and a bound of the
// error of its coordinates. It returns true only if the boundary turns left from e to x by less
// than half a turn and the lines are not almost parallel.
//
// Proof of the bound: Let u and v be the edges, and d the vector between their facing ends. All are
// rounded in the frame of the shape. With the norm |x|+|y|, the error of d×v is at most
// 4·unit·|d|·|v|, and the error of u×v is at most 4·unit·|u|·|v|. Since u×v is at least
// minTurn·|u|·|v|, the quotient t·u has an error of at most 4·unit·(|d| + |t·u|)/minTurn, to first
// order. The factor 8 covers terms of higher order.
func (f *frame) apex(k, e, x int) (t r2.Point, err float64, ok bool) {
	f.visits++
	if f.next(k, e) == x {
		return f.position(k, x), f.err[k], true
	}
	const minTurn = 0x1p-10
	b := f.body[k]
	at, end := b.shape.corners[f.next(k, e)], b.shape.corners[x]
	u, v := at.Sub(b.shape.corners[e]), b.shape.corners[f.next(k, x)].Sub(end)
	det := u.Cross(v)
	if !(det > minTurn*norm1(u)*norm1(v)) {
		return t, 0, false
	}
	d := end.Sub(at)
	along := u.Mul(d.Cross(v) / det)
	t.X, t.Y = b.turn(at.Add(along))
	if k == 1 {
		t = t.Add(f.offset)
	}
	return t, 2*f.err[k] + 8*unit/minTurn*(norm1(d)+norm1(along)), true
}

func norm1(p r2.Point) float64 { return math.Abs(p.X) + math.Abs(p.Y) }

// apexInside reports whether the apex t of the edges e and x of the inner arc of body k is inside
// the other body. lo and hi are the first and the last corner of the outer arc of the other body.
// The crossings are in this body. So it suffices that t is on the inner side of the edge before lo,
// of the edge after hi, and of a chain of chords from lo to hi. If x and e are the edges at the
// crossings, t is on the inner side of the crossing edges of the other body.
func (f *frame) apexInside(k int, c *crossings, e, x int) bool {
	t, err, ok := f.apex(k, e, x)
	if !ok {
		return false
	}
	err += 8 * (f.err[0] + f.err[1])
	o := 1 - k
	s := f.body[o].shape
	last, hi := int(c[k].other), int(c[o].own)
	lo := s.next(last)
	low, high := f.position(o, lo), f.position(o, hi)
	begin, end := c.inner(k)
	if e != begin && !f.innerSide(f.position(o, last), low, t, err) || x != end && !f.innerSide(high, f.position(o, s.next(hi)), t, err) {
		return false
	}
	length := s.from(lo, hi)
	if length <= 1 {
		return length == 0 || f.innerSide(low, high, t, err)
	}
	// Each iteration adds a corner between lo and hi to the chain. It divides a chord if t is not
	// certainly on its inner side.
	for ; length > 1; length = s.from(lo, hi) {
		at := s.advance(lo, length/2)
		middle := f.position(o, at)
		inLow, inHigh := f.innerSide(low, middle, t, err), f.innerSide(middle, high, t, err)
		switch {
		case inLow && inHigh:
			return true
		case inLow:
			lo, low = at, middle
		case inHigh:
			hi, high = at, middle
		default:
			return false
		}
	}
	return false
}

// innerSide reports whether the point t is certainly on the left of the line from c to d. The points c
// and d are the rounded positions of two corners of a body k. The number err is the error of the
// coordinates of t plus 8·(f.err[0]+f.err[1]).
//
// Proof: Each corner has an error of at most f.err[k], and unit times the norm of a difference of
// corners is at most f.err[k]. So the error of each coordinate of d−c is at most 3·f.err[k], and the
// error of t−c is at most the error of t plus 2·f.err[k]. Rounding of the products and of their
// difference adds at most 3·f.err[k] times the norm of t−c.
func (f *frame) innerSide(c, d, t r2.Point, err float64) bool {
	f.visits++
	u, v := d.Sub(c), t.Sub(c)
	return float64(u.X*v.Y)-float64(u.Y*v.X) > err*(norm1(u)+norm1(v))
}

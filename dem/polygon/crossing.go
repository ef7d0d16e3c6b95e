package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// If the boundaries of two bodies cross exactly twice, the common area is a lens. One side of the
// lens is a part of the boundary of the first body, and the other side is a part of the boundary of
// the second body. A Pair stores the edges that cross, and track finds them again after the bodies
// moved. The test that the boundaries do not cross at other places is the following.
//
// Let the first body enter the second body at the point p, and let the second body enter the first
// body at q. Let L be the line through p and q. L divides the boundary of each body into an inner
// arc, which is the side of the lens, and an outer arc. The inner arc of the first body and the
// outer arc of the second body are on the right of the direction from p to q. The two other arcs
// are on the left. Therefore, the boundaries can cross elsewhere only if an inner arc crosses the
// outer arc on the same side. This does not happen if the inner arc is a part of one edge, because
// a line crosses the boundary of a convex body at most twice. It also does not happen if the inner
// arc lies in a polygon whose corners other than p and q are inside the other body. Tangents of the
// inner arc bound such a polygon. Its corners, the apexes, are the points where successive tangents
// cross.

// crossing is a place where body k enters body 1−k, counterclockwise. The start of the edge own of
// body k is on the outer side of the edge other of body 1−k, and the end is on the inner side. The
// edge other starts on the inner side of the edge own and ends on the outer side.
type crossing struct{ own, other int32 }

// crossings are the places where body 0 enters body 1 and where body 1 enters body 0.
type crossings [2]crossing

// inner returns the edges of body k on which its inner arc begins and ends.
func (c *crossings) inner(k int) (begin, end int) { return int(c[k].own), int(c[1-k].other) }

// track moves c from the crossings of an earlier call to those of the current call. It returns true
// if c are the only common points of the boundaries. It can return false for two crossings too,
// mainly if more than half of the boundary of one body is inside the other body.
func (f *frame) track(c *crossings) bool {
	for k := range c {
		if !f.trackCrossing(k, &c[k]) {
			return false
		}
	}
	return f.arcInside(0, c) && f.arcInside(1, c)
}

// trackCrossing moves c along both boundaries until body k enters the other body at c. It returns
// false after too many steps, or if a corner is on the line of the other edge.
func (f *frame) trackCrossing(k int, c *crossing) bool {
	n, m := f.body[k].shape.Len(), f.body[1-k].shape.Len()
	if int(c.own) >= n || int(c.other) >= m {
		return false
	}
	for limit := 4 + (n+m)/8; limit > 0; limit-- {
		f.steps++
		begin, end, from, to := f.crossingSides(k, c)
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

// crossingSides returns the sides of the other edge on which the edge own begins and ends, and the
// sides of the edge own on which the other edge begins and ends. The inner sides are positive.
func (f *frame) crossingSides(k int, c *crossing) (begin, end, from, to int) {
	p, q := f.corner(k, int(c.own)), f.corner(k, f.next(k, int(c.own)))
	r, s := f.corner(1-k, int(c.other)), f.corner(1-k, f.next(1-k, int(c.other)))
	if f.certainlyCross(&p, &q, &r, &s) {
		return -1, 1, 1, -1
	}
	return f.crossSign(&r, &s, &r, &p), f.crossSign(&r, &s, &r, &q), f.crossSign(&p, &q, &p, &r), f.crossSign(&p, &q, &p, &s)
}

// certainlyCross reports whether float64 decides that crossSign would return −1, 1, 1, −1 for the
// edges pq and rs in crossingSides. It saves time only.
func (f *frame) certainlyCross(p, q, r, s *corner) bool {
	ux, uy, vx, vy := q.x-p.x, q.y-p.y, s.x-r.x, s.y-r.y
	return float64(vx*(p.y-r.y))-float64(vy*(p.x-r.x)) < -f.limit && float64(vx*(q.y-r.y))-float64(vy*(q.x-r.x)) > f.limit &&
		float64(ux*(r.y-p.y))-float64(uy*(r.x-p.x)) > f.limit && float64(ux*(s.y-p.y))-float64(uy*(s.x-p.x)) < -f.limit
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
	h := tangentHull{f: f, k: k, c: c, budget: maxApexes}
	return h.inside(begin, end)
}

// tangentHull is the polygon around the inner arc of body k.
type tangentHull struct {
	f      *frame
	k      int
	c      *crossings
	budget int
}

// inside reports whether the part of the inner arc from edge e to edge x is in the other body. If
// the apex of both edges is not inside, it examines the parts before and after an edge in between.
func (h *tangentHull) inside(e, x int) bool {
	if h.budget--; h.budget < 0 {
		return false
	}
	if t, err, ok := h.f.apex(h.k, e, x); ok && h.apexInside(e, x, t, err) {
		return true
	}
	s := h.f.body[h.k].shape
	turns := s.from(e, x)
	if turns == 1 {
		return false
	}
	middle := s.advance(e, turns/2)
	return h.inside(e, middle) && h.inside(middle, x)
}

// apex returns the point where the lines of the edges e and x of body k cross, and a bound of the
// error of its coordinates. It returns false if the boundary does not turn left from e to x by less
// than half a turn, or if the lines are almost parallel.
//
// Proof of the bound: Let u and v be the edges, and d the vector between their facing ends. All are
// rounded in the frame of the shape. With the norm |x|+|y|, the error of d×v is at most
// 4·unit·|d|·|v|, and the error of u×v is at most 4·unit·|u|·|v|. Since u×v is at least
// minTurn·|u|·|v|, the quotient t·u has an error of at most 4·unit·(|d| + |t·u|)/minTurn, to first
// order. The factor 8 covers terms of higher order.
func (f *frame) apex(k, e, x int) (t r2.Point, err float64, ok bool) {
	f.visits++
	if f.next(k, e) == x {
		c := f.corner(k, x)
		return r2.Point{X: c.x, Y: c.y}, f.err[k], true
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

// apexInside reports whether the apex t of the edges e and x is inside the other body. The error of
// its coordinates is at most err. Let lo and hi be the first and the last corner of the outer arc
// of the other body. The crossings are in the body, so it suffices that t is on the inner side of
// the edges before lo and after hi, and of a chain of chords from lo to hi. If x and e are the
// edges at the crossings, t is on the inner side of the crossing edges of the other body.
func (h *tangentHull) apexInside(e, x int, t r2.Point, err float64) bool {
	f, o := h.f, 1-h.k
	last, lo := int(h.c[h.k].other), f.next(o, int(h.c[h.k].other))
	hi, first := int(h.c[o].own), f.next(o, int(h.c[o].own))
	err += 8 * (f.err[0] + f.err[1])
	begin, end := h.c.inner(h.k)
	if e != begin && !f.innerSide(o, last, lo, t, err) || x != end && !f.innerSide(o, hi, first, t, err) {
		return false
	}
	s := f.body[o].shape
	length := s.from(lo, hi)
	if length <= 1 {
		return length == 0 || f.innerSide(o, lo, hi, t, err)
	}
	// Each iteration adds a corner between lo and hi to the chain. It divides a chord of which t is
	// not certainly on the inner side.
	for ; length > 1; length = s.from(lo, hi) {
		middle := s.advance(lo, length/2)
		inLow, inHigh := f.innerSide(o, lo, middle, t, err), f.innerSide(o, middle, hi, t, err)
		switch {
		case inLow && inHigh:
			return true
		case inLow:
			lo = middle
		case inHigh:
			hi = middle
		default:
			return false
		}
	}
	return false
}

// innerSide reports whether the point t is certainly on the left of the line from corner i to corner
// j of body k. The number err is the error of the coordinates of t plus 8·(f.err[0]+f.err[1]).
//
// Proof: Each corner has an error of at most f.err[k], and unit times the norm of a difference of
// corners is at most f.err[k]. So the error of each coordinate of the difference of the corners is
// at most 3·f.err[k], and the error of t−i is at most the error of t plus 2·f.err[k]. Rounding of
// the products and of their difference adds at most 3·f.err[k] times the norm of t−i.
func (f *frame) innerSide(k, i, j int, t r2.Point, err float64) bool {
	f.visits++
	c, d := f.corner(k, i), f.corner(k, j)
	u, v := r2.Point{X: d.x - c.x, Y: d.y - c.y}, r2.Point{X: t.X - c.x, Y: t.Y - c.y}
	return float64(u.X*v.Y)-float64(u.Y*v.X) > err*(norm1(u)+norm1(v))
}

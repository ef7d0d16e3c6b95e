package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// lens sets o to the common area of two bodies whose boundaries cross at c and nowhere else. m are
// the points of the crossings c. The chord from one crossing to the other divides the lens into two
// parts. Each part is bounded by the chord and by the inner arc of one body. All terms of the sums
// are positive, so no digits are lost even if the lens is thin. lens returns false if terms can
// underflow.
func (f *frame) lens(c *crossings, m *[2]crossingPoint, o *Overlap) bool {
	// If an inner arc is a part of one edge, its part of the lens is empty.
	bent := [2]bool{c[0].own != c[1].other, c[1].own != c[0].other}
	var parts [2]region
	for k := range m {
		if !m[k].wide() {
			f.refine(&m[k], k, &c[k], bent[k], bent[1-k])
		}
	}
	for k := range parts {
		if begin, end := c.inner(k); bent[k] {
			f.part(&parts[k], k, begin, end, &m[k], &m[1-k])
		}
	}
	// Coordinates are relative to the first corner of one of the arcs. Relative to it, in the frame
	// of the first body, the other arc starts at shift.
	a, b := &parts[0], &parts[1]
	weight := a.weight + b.weight
	if !(weight >= 0x1p-900) {
		return false
	}
	start, first, chord := 0, a.first, a.chord
	if a.weight == 0 {
		start, first, chord = 1, b.first, b.chord.Mul(-1)
	} else if b.weight > 0 {
		shift := a.span.Sub(m[1].gap.high())
		first = a.first.Add(b.first).Add(shift.Mul(3 * b.weight))
		chord = a.chord.Sub(b.chord).Mul(0.5)
	}
	// The centroid is a corner in twice the precision, plus a short vector, plus the position of the body.
	origin, _ := c.inner(start)
	body := f.body[start]
	x, y := body.twice(body.shape.corners[body.shape.next(origin)])
	third := 3 * weight
	o.Area, o.Chord = weight/2, chord
	o.Centroid.X = x.hi + (x.lo + first.X/third) + body.at.X
	o.Centroid.Y = y.hi + (y.lo + first.Y/third) + body.at.Y
	return true
}

// lensAt does the work of lens if the points of the crossings c are not known yet.
func (f *frame) lensAt(c *crossings, o *Overlap) bool {
	var m [2]crossingPoint
	f.locate(&m[0], 0, &c[0])
	f.locate(&m[1], 1, &c[1])
	return f.lens(c, &m, o)
}

// crossingPoint is the point of a crossing. The point is on the edge own, at the fraction back/det
// of this edge before its end. It is also on the edge other, at the fraction along/det of that edge
// after its start.
type crossingPoint struct {
	own, other       r2.Point // the edges as vectors, in the frames of their shapes
	gap              point    // vector from the end of the edge own to the start of the edge other
	det, back, along float64  // other×own, gap×other and own×gap, for rotated edges
	// These are the norms |x|+|y| of the rotated edges and of the gap.
	ownNorm, otherNorm, gapNorm float64
}

// locate sets m to the point of the crossing c, in float64 except for the gap. It returns true if body
// k certainly enters the other body at c. Otherwise, c can be any two edges.
//
// Proof: The signs of back−det and back are the sides of the edge other on which the edge own begins and
// ends. The signs of along and along−det are the sides of the edge own on which the edge other begins
// and ends. With the norm |x|+|y|, the error of a coordinate of the rotated edge own is at most
// 4·unit·|own|, by the difference of the corners and the rotation. The same is true for the edge other.
// The error of a coordinate of the gap is at most unit·|gap| + gapErr. So, to first order, the error of
// det is at most 10·unit·|own|·|other|, and the error of back is at most (7·unit·|gap| + gapErr)·|other|.
// The error of along is at most (7·unit·|gap| + gapErr)·|own|. The factor 32 covers the sums of two errors,
// the rounding of the differences, and the terms of higher order.
func (f *frame) locate(m *crossingPoint, k int, c *crossing) bool {
	a, b := f.body[k], f.body[1-k]
	i, j := a.shape.next(int(c.own)), b.shape.next(int(c.other))
	p, q := &a.shape.corners[c.own], &a.shape.corners[i]
	r, s := &b.shape.corners[c.other], &b.shape.corners[j]
	m.own = r2.Point{X: q.X - p.X, Y: q.Y - p.Y}
	m.other = r2.Point{X: s.X - r.X, Y: s.Y - r.Y}
	ox, oy := f.offsetFrom(k)
	m.gap.x = differenceOf(b.cos, r.X, -b.sin, r.Y, a.cos, q.X, -a.sin, q.Y, ox.hi, ox.lo)
	m.gap.y = differenceOf(b.sin, r.X, b.cos, r.Y, a.sin, q.X, a.cos, q.Y, oy.hi, oy.lo)
	ux, uy := a.turn(m.own)
	vx, vy := b.turn(m.other)
	gx, gy := m.gap.x.hi, m.gap.y.hi
	m.det = float64(vx*uy) - float64(vy*ux)
	m.back = float64(gx*vy) - float64(gy*vx)
	m.along = float64(ux*gy) - float64(uy*gx)
	m.ownNorm, m.otherNorm, m.gapNorm = math.Abs(ux)+math.Abs(uy), math.Abs(vx)+math.Abs(vy), math.Abs(gx)+math.Abs(gy)
	err := 32*unit*(m.ownNorm+m.otherNorm+m.gapNorm) + f.gapErr()
	back, along := err*m.otherNorm, err*m.ownNorm
	return m.back > back && m.det-m.back > back && m.along > along && m.det-m.along > along
}

// sides returns the results of crossingSides, but 0 if float64 does not decide a side.
func (m *crossingPoint) sides(gapErr float64) (begin, end, from, to int) {
	err := 32*unit*(m.ownNorm+m.otherNorm+m.gapNorm) + gapErr
	back, along := err*m.otherNorm, err*m.ownNorm
	return certainSign(m.back-m.det, back), certainSign(m.back, back), certainSign(m.along, along), certainSign(m.along-m.det, along)
}

// certainSign returns the sign of a number with the given error bound, or 0 if the sign is not certain.
func certainSign(x, err float64) int {
	switch {
	case x > err:
		return 1
	case x < -err:
		return -1
	}
	return 0
}

// offsetFrom returns the place of the other body relative to body k.
func (f *frame) offsetFrom(k int) (x, y double) {
	if k == 1 {
		return double{-f.offset.X, -f.offsetRest.X}, double{-f.offset.Y, -f.offsetRest.Y}
	}
	return double{f.offset.X, f.offsetRest.X}, double{f.offset.Y, f.offsetRest.Y}
}

// gapErr bounds the error of a coordinate of a gap (see crossingPoint), except for its rounding. It
// is at least 2^-100·f.span(), because f.err[0]+f.err[1] is at least 4·unit·f.span(). See
// differenceOf.
func (f *frame) gapErr() float64 { return 0x1p-49 * (f.err[0] + f.err[1]) }

// differenceOf returns (a·p + b·q) − (c·r + d·s) + t + rest, the difference of the coordinates of two
// corners, in twice the precision. The error is at most 2^-100·span (see frame.span).
//
// Proof: The rounding errors of the products and of the four sums of values are computed exactly. Only
// sums of these errors are rounded. The errors of the products add up to at most unit·span, and so do
// the errors of the first two sums. The errors of the last two sums and the number rest are at most
// unit·span each. So each of the eight rounded sums is at most 5·unit·span, and adds an error of at most
// 5·unit²·span = 5·2^-106·span. The last sum, in normal, can add 6·2^-106·span.
func differenceOf(a, p, b, q, c, r, d, s, t, rest float64) double {
	ap, e := twoProduct(a, p)
	bq, g := twoProduct(b, q)
	u, h := twoSum(ap, bq)
	low := h + (e + g)
	cr, e := twoProduct(c, r)
	ds, g := twoProduct(d, s)
	v, h := twoSum(cr, ds)
	low -= h + (e + g)
	w, e := twoDiff(u, v)
	sum, g := twoSum(w, t)
	return normal(sum, low+(e+g+rest))
}

// wide reports whether float64 suffices for all cross products of m.
func (m *crossingPoint) wide() bool {
	return m.det > wellSpread*m.ownNorm*m.otherNorm && m.back > wellSpread*m.gapNorm*m.otherNorm && m.along > wellSpread*m.ownNorm*m.gapNorm
}

// refine computes cross products again with twice the precision, if float64 does not suffice for
// them. If back or along is not wanted, it can stay inaccurate.
func (f *frame) refine(m *crossingPoint, k int, c *crossing, wantBack, wantAlong bool) {
	det := !(m.det > wellSpread*m.ownNorm*m.otherNorm)
	back := wantBack && !(m.back > wellSpread*m.gapNorm*m.otherNorm)
	along := wantAlong && !(m.along > wellSpread*m.ownNorm*m.gapNorm)
	var own, other point
	if det || along {
		own = f.edge(k, int(c.own))
	}
	if det || back {
		other = f.edge(1-k, int(c.other))
	}
	if det {
		m.det = other.cross(own).value()
	}
	if back {
		m.back = m.gap.cross(other).value()
	}
	if along {
		m.along = own.cross(m.gap).value()
	}
}

// edge returns the vector from the start of an edge to its end in twice the precision.
func (f *frame) edge(k, i int) point {
	b := f.body[k]
	d := difference(b.shape.corners[i], b.shape.corners[b.shape.next(i)])
	x, y := b.twice(d.high())
	x.lo += float64(b.cos*d.x.lo) - float64(b.sin*d.y.lo)
	y.lo += float64(b.sin*d.x.lo) + float64(b.cos*d.y.lo)
	return point{x, y}
}

// wellSpread is the smallest ratio of a cross product and the product of the norms |x|+|y| of its
// factors for which float64 is used (tuning, but see below). The error of a cross product is at
// most 10·unit times the product of the norms (see locate). So its relative error is at most
// 10·unit/wellSpread, and the relative error of back/det or along/det is at most
// 17·unit/wellSpread. The cross products of edges in the frame of a shape have less than half of
// this error. An area has at most two of these factors and one such cross product, so its relative
// error is below 40·unit/wellSpread < 6e-13.
const wellSpread = 0x1p-7

// fraction limits x to [0, 1]. It maps NaN, which is 0/0, to 0.
func fraction(x float64) float64 {
	switch {
	case x >= 1:
		return 1
	case x > 0:
		return x
	}
	return 0
}

// region is the area between a line and a part of a boundary. Its vectors are relative to the first
// corner of the part.
type region struct {
	weight float64  // twice the area
	first  r2.Point // six times the first moment of the area
	span   r2.Point // from the first corner of the boundary to its last corner
	chord  r2.Point // from the begin of the boundary to its end
}

// part sets r to the part of the lens between the chord and the inner arc of body k, rotated like the
// body. Before the call, r must be zero. The arc begins on the edge e, at the crossing begin. It ends on
// another edge x, at the crossing end. Let p and q be the ends of the arc, and let i and j be its first
// and last corner. The region is the union of the triangles (p, i, j) and (p, j, q), and of the region
// between the boundary and the line from i to j.
func (f *frame) part(r *region, k, e, x int, begin, end *crossingPoint) {
	b := f.body[k]
	s := b.shape
	back, along := fraction(begin.back/begin.det), fraction(end.along/end.det)
	i, last := s.next(e), s.next(x)
	own, other := begin.own, end.other
	p, q := own.Mul(-back), other.Mul(along)
	pj, pjq := p, 0.0
	if i != x {
		run := f.run(k, i, x)
		j := s.corners[x].Sub(s.corners[i])
		n := wellSpread * norm1(j)
		pij := cross(own, j)
		if !(pij > n*begin.ownNorm) {
			pij = f.localCross(k, e, i, i, x, 0)
		}
		pjq = cross(j, other)
		if !(pjq > n*end.otherNorm) {
			pjq = f.localCross(k, i, x, x, last, 0)
		}
		q, pj = q.Add(j), p.Add(j)
		r.weight, r.first = run.weight, run.first
		r.add(float64(back*pij), pj)
		r.span.X, r.span.Y = b.turn(j)
	}
	turn := cross(own, other)
	if !(max(turn, pjq) > wellSpread*begin.ownNorm*end.otherNorm) {
		turn = f.localCross(k, e, i, x, last, pjq)
	}
	if w := along * (pjq + float64(back*turn)); w > 0 {
		r.add(w, pj.Add(q))
	}
	r.chord = q.Sub(p)
	// The squared norm of the rounded cosine and sine differs from 1 by a few units.
	r.first.X, r.first.Y = b.turn(r.first)
	r.chord.X, r.chord.Y = b.turn(r.chord)
}

func cross(u, v r2.Point) float64 { return float64(u.X*v.Y) - float64(u.Y*v.X) }

// add adds a triangle with the given weight and the given sum of its corners.
func (r *region) add(weight float64, corners r2.Point) {
	r.weight += weight
	r.first = r.first.Add(corners.Mul(weight))
}

// localCross returns (q−p)×(s−r) for four corners of body k in the frame of its shape. The error is
// small relative to the larger of the value and the given scale. If twice the precision is not
// enough, localCross computes the value for the rotated corners.
//
// Proof of the bound: the differences are exact except for terms of unit² times their size. Products
// of type double and their difference add at most ten terms of the size unit²·|q−p|·|s−r|.
func (f *frame) localCross(k, p, q, r, s int, scale float64) float64 {
	c := f.body[k].shape.corners
	pq, rs := c[q].Sub(c[p]), c[s].Sub(c[r])
	value := pq.Cross(rs)
	if max(scale, math.Abs(value)) > wellSpread*norm1(pq)*norm1(rs) {
		return value
	}
	u, v := difference(c[p], c[q]), difference(c[r], c[s])
	value = u.cross(v).value()
	if 16*unit*unit*u.norm()*v.norm()+0x1p-1060 <= relativeError*max(scale, math.Abs(value)) {
		return value
	}
	cp, cq, cr, cs := f.corner(k, p), f.corner(k, q), f.corner(k, r), f.corner(k, s)
	return f.cross(&cp, &cq, &cr, &cs)
}

// difference returns q−p in twice the precision.
func difference(p, q r2.Point) point {
	var d point
	d.x.hi, d.x.lo = twoDiff(q.X, p.X)
	d.y.hi, d.y.lo = twoDiff(q.Y, p.Y)
	return d
}

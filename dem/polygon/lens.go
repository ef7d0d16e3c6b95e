package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// lens computes the common area of two bodies whose boundaries cross at c and nowhere else. The
// chord from one crossing to the other divides the lens into two parts. Each part is bounded by the
// chord and by the inner arc of one body. All terms of the sums are positive, so no digits are lost
// even if the lens is thin. lens returns false if terms can underflow.
func (f *frame) lens(c *crossings) (Overlap, bool) {
	// If an inner arc is a part of one edge, its part of the lens is empty.
	bent := [2]bool{c[0].own != c[1].other, c[1].own != c[0].other}
	var m [2]crossingPoint
	var parts [2]region
	f.locate(&m[0], 0, &c[0], bent[0], bent[1])
	f.locate(&m[1], 1, &c[1], bent[1], bent[0])
	for k := range parts {
		if begin, end := c.inner(k); bent[k] {
			f.part(&parts[k], k, begin, end, m[k].back, m[1-k].along)
		}
	}
	// Coordinates are relative to the first corner of one of the arcs. In the frame of the first
	// body, the other arc begins at shift.
	a, b := &parts[0], &parts[1]
	weight := a.weight + b.weight
	if !(weight >= 0x1p-900) {
		return Overlap{}, false
	}
	origin, first, chord := m[0].end, a.first, a.chord
	if a.weight == 0 {
		origin, first, chord = m[1].end, b.first, b.chord.Mul(-1)
	} else if b.weight > 0 {
		shift := a.span.Sub(m[1].gap)
		first = a.first.Add(b.first).Add(shift.Mul(3 * b.weight))
		chord = a.chord.Sub(b.chord).Mul(0.5)
	}
	at := f.body[0].at
	third := 3 * weight
	return Overlap{
		Area: weight / 2,
		Centroid: r2.Point{
			X: origin.x.hi + (origin.x.lo + first.X/third) + at.X,
			Y: origin.y.hi + (origin.y.lo + first.Y/third) + at.Y,
		},
		Chord: chord,
	}, true
}

// crossingPoint is the point of a crossing. It is on the edge own, at the part back of its length before
// its end. It is also on the edge other, at the part along of its length after its start.
type crossingPoint struct {
	back, along float64
	end         point    // end of the edge own
	gap         r2.Point // vector from the end of the edge own to the start of the edge other
}

// locate sets m to the point of a crossing. Rounding can move it off the edges, so its parts are
// limited to [0, 1]. Parts that are not wanted can be inaccurate.
func (f *frame) locate(m *crossingPoint, k int, c *crossing, wantBack, wantAlong bool) {
	q, r := f.corner(k, f.next(k, int(c.own))), f.corner(1-k, int(c.other))
	end, start := f.doubleCorner(&q), f.doubleCorner(&r)
	between := start.sub(end)
	gap := between.value()
	m.end, m.gap = end, gap
	own, other := f.edge(k, int(c.own)), f.edge(1-k, int(c.other))
	det, back, along := other.Cross(own), gap.Cross(other), own.Cross(gap)
	// If float64 does not suffice, use twice the precision.
	l, o, g := norm1(own), norm1(other), norm1(gap)
	thinDet := !(det > wellSpread*l*o)
	thinBack := wantBack && !(back > wellSpread*g*o)
	thinAlong := wantAlong && !(along > wellSpread*l*g)
	var ownTwice, otherTwice point
	if thinDet || thinAlong {
		p := f.corner(k, int(c.own))
		ownTwice = end.sub(f.doubleCorner(&p))
	}
	if thinDet || thinBack {
		s := f.corner(1-k, f.next(1-k, int(c.other)))
		otherTwice = f.doubleCorner(&s).sub(start)
	}
	if thinDet {
		det = otherTwice.cross(ownTwice).value()
	}
	if thinBack {
		back = between.cross(otherTwice).value()
	}
	if thinAlong {
		along = ownTwice.cross(between).value()
	}
	m.back, m.along = fraction(back/det), fraction(along/det)
}

// edge returns the vector from the start of an edge to its end. Its error is at most 4·unit times its
// length.
func (f *frame) edge(k, i int) (e r2.Point) {
	s := f.body[k].shape
	e.X, e.Y = f.body[k].turn(s.corners[s.next(i)].Sub(s.corners[i]))
	return e
}

// wellSpread is the smallest ratio of a cross product and the product of the norms |x|+|y| of its
// factors for which float64 is used. If the relative errors of the factors are below 4·unit, the
// relative error of the cross product is below 10·unit/wellSpread, which is less than 2^-43.
const wellSpread = 0x1p-6

// fraction limits x to [0, 1]. NaN, the result of 0/0, becomes 0.
func fraction(x float64) float64 {
	if !(x >= 0) {
		return 0
	}
	return min(x, 1)
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
// body. Before the call, r must be zero. The arc begins on the edge e, at the part back of its length before its end. It ends on
// another edge x, at the part along of its length after its start. Let p and q be the ends of the
// arc, and let i and j be its first and last corner. The region is the union of the triangles (p, i,
// j) and (p, j, q), and of the region between the boundary and the line from i to j.
func (f *frame) part(r *region, k, e, x int, back, along float64) {
	b := f.body[k]
	s := b.shape
	i, end := s.next(e), s.next(x)
	p := s.corners[i].Sub(s.corners[e]).Mul(-back)
	j := s.corners[x].Sub(s.corners[i])
	q := j.Add(s.corners[end].Sub(s.corners[x]).Mul(along))
	pjq := 0.0
	if i != x {
		f.run(r, k, i, x)
		r.add(float64(back*f.localCross(k, e, i, i, x, 0)), p.Add(j))
		pjq = f.localCross(k, i, x, x, end, 0)
	}
	pjq += float64(back * f.localCross(k, e, i, x, end, pjq))
	r.add(max(0, float64(along*pjq)), p.Add(j).Add(q))
	r.chord = q.Sub(p)
	// The squared norm of the rounded cosine and sine differs from 1 by a few units.
	r.first.X, r.first.Y = b.turn(r.first)
	r.chord.X, r.chord.Y = b.turn(r.chord)
	r.span.X, r.span.Y = b.turn(j)
}

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

package polygon

import "math"

// The other branch looks at all axes. The differences a−b of points of the two bodies are a
// convex polygon D, whose edges are those of the first body and those of the second one
// reversed, in the order of their directions. A corner of D is a pair of corners; an edge of D
// is an edge of one body with the corner of the other one that is extreme at a right angle
// to it, or two parallel edges. So a turn around D meets each separating axis, with the extreme
// corners, in time proportional to the number of corners. The bodies overlap if the origin
// is inside D, and touch if it is on the boundary; the feature of D that is closest to the
// origin is the closest pair of features.

// ring is a turn around D.
type ring struct {
	f        *frame
	i, j     int // corner of D where the edge begins: corner i of the first body minus j of the second
	iEnd     int // corner of D where it ends
	jEnd     int
	n, m     int    // edges that remain, of each body
	edgeA    bool   // an edge of the first body
	edgeB    bool   // an edge of the second one; both if parallel
	p, q     corner // current edge of D: that of the first body if edgeA, else of the second
	c, d     corner // the extreme corners of the other body at its beginning and end
	features [2]Feature
}

// start puts the ring where edge 0 of the first body begins.
func (f *frame) start() ring {
	r := ring{f: f, n: f.body[0].shape.Len(), m: f.body[1].shape.Len()}
	p, q := f.corner(0, 0), f.corner(0, 1)
	// The corner of the second body farthest to the left of that edge: where its edges cease
	// to go to the left, and begin to go to the right. Of two, the first.
	last := f.corner(1, r.m-1)
	first := f.corner(1, 0)
	before := f.crossSign(&p, &q, &last, &first)
	at := first
	for j := range r.m {
		next := f.corner(1, f.next(1, j))
		f.looks++
		after := f.crossSign(&p, &q, &at, &next)
		if before >= 0 && after < 0 {
			r.j = j
			if before == 0 {
				r.j = f.previous(1, j)
			}
			break
		}
		at, before = next, after
	}
	return r
}

// next goes to the next edge of D; false after the last one.
func (r *ring) next() bool {
	f := r.f
	if r.edgeA || r.edgeB {
		r.i, r.j = r.iEnd, r.jEnd
	}
	if r.n == 0 && r.m == 0 {
		return false
	}
	f.looks++
	r.iEnd, r.jEnd = f.next(0, r.i), f.next(1, r.j)
	a, b := f.corner(0, r.i), f.corner(1, r.j)
	aEnd, bEnd := f.corner(0, r.iEnd), f.corner(1, r.jEnd)
	// The edge of the second body counts reversed. Both directions are less than half a turn
	// from that of the edge before.
	order := f.crossSign(&a, &aEnd, &b, &bEnd)
	r.edgeA, r.edgeB = order <= 0, order >= 0
	r.features = [2]Feature{cornerFeature(r.i), cornerFeature(r.j)}
	if r.edgeA {
		r.features[0] = edgeFeature(r.i)
		r.p, r.q, r.c, r.d = a, aEnd, b, b
		r.n--
	} else {
		r.iEnd = r.i
		r.p, r.q, r.c, r.d = b, bEnd, a, a
	}
	if r.edgeA && r.edgeB {
		r.d = bEnd
	}
	if r.edgeB {
		r.features[1] = edgeFeature(r.j)
		r.m--
	} else {
		r.jEnd = r.j
	}
	return true
}

// side returns the sign of where the origin is: negative outside this edge of D. It is that
// of the extreme corner beside the edge of the body.
func (r *ring) side() int { return r.f.crossSign(&r.p, &r.q, &r.p, &r.c) }

// beyond tells whether the origin is at or before the beginning of this edge of D, seen
// along it, and whether it is at or beyond its end.
func (r *ring) beyond() (begin, end bool) {
	return r.f.dotSign(&r.p, &r.q, &r.p, &r.c) <= 0, r.f.dotSign(&r.p, &r.q, &r.q, &r.d) >= 0
}

// above tells whether the origin is between the normals through the ends of this edge of D.
// For the nearest edge of all it is. It is not for another edge that float64 takes for as
// near, being almost in one line with that.
func (r *ring) above() bool {
	begin, end := r.beyond()
	return !begin && !end
}

// depth returns how far inside this edge of D the origin is, by float64. Where the ends of the
// edge are rounded to the same place, it takes the edge of the shape.
func (r *ring) depth() float64 {
	x, y := r.q.x-r.p.x, r.q.y-r.p.y
	if x == 0 && y == 0 {
		_, distance := r.f.beside(int(r.p.of), int(r.p.i), &r.c)
		return -distance
	}
	return (float64(x*(r.c.y-r.p.y)) - float64(y*(r.c.x-r.p.x))) / math.Sqrt(float64(x*x)+float64(y*y))
}

// sweep returns the relation, and the closest features or, if the bodies overlap, those
// of the least depth. It is always right.
func (f *frame) sweep() (Relation, [2]Feature) {
	relation, least := Overlapping, math.Inf(1)
	var features [2]Feature
	for r := f.start(); r.next(); {
		switch s := r.side(); {
		case s < 0:
			return Separated, f.nearest()
		case s == 0:
			relation = Touching
		case relation == Overlapping:
			if d := r.depth(); d < least && r.above() {
				least, features = d, r.features
			}
		}
	}
	if relation == Touching {
		return Touching, f.nearest()
	}
	return Overlapping, features
}

// nearest returns the feature of D that is closest to the origin, which is not inside: the
// one whose Voronoi region it is in. Parallel edges are one edge of D, so the features are
// those of the convention of walk.
func (f *frame) nearest() [2]Feature {
	r := f.start()
	// The turn begins and ends at the same corner, which is looked at last.
	for r.next() {
		begin, end := r.beyond()
		if !begin && !end && r.side() <= 0 {
			return r.features
		}
		if !end {
			continue
		}
		// The origin is beyond the end; it is in the region of the corner of D there if it is
		// before the beginning of the next edge.
		next := r
		if !next.next() {
			next = f.start()
			next.next()
		}
		if begin, _ := next.beyond(); begin {
			return [2]Feature{cornerFeature(r.iEnd), cornerFeature(r.jEnd)}
		}
	}
	panic("polygon: a point outside a convex polygon is in some Voronoi region")
}

package polygon

import "math"

// walk moves from the stored pair of features to the closest pair (Schinner 1999, §4.2). Let x be
// the closest point of one feature. If x is outside the Voronoi region of the other feature, a
// boundary of the region separates x from the region. Then walk replaces the other feature with its
// neighbor across this boundary. Exact signs decide all conditions.
//
// walk returns false if a corner is on an edge or on the inner side of an edge, because a walk from
// such a corner can fail to end. walk also returns false after more steps than there are features.
// Features are closest only if they are apart and each closest point is in the region of the other
// feature. Therefore, if walk returns true, the bodies are separated.
//
// A convention makes the closest features unique. If a closest point is an end of an edge, its
// feature is the corner. If two parallel edges face each other along some length, the features are
// both edges.
func (p *Pair) walk(f *frame) bool {
	n := [2]int{f.body[0].shape.Len(), f.body[1].shape.Len()}
	v := &p.feature
	for k := range v {
		if int(v[k].Index) >= n[k] {
			v[k] = Feature{}
		}
	}
	for limit := 2 * (n[0] + n[1]); limit > 0; limit-- {
		p.stats.Steps++
		if verdict := f.step(v); verdict != farther {
			return verdict == closest
		}
	}
	return false
}

type verdict int8

const (
	farther verdict = iota // the examined features are not the closest features
	closest                // the examined features are closest and apart
	inside                 // a corner is on an edge or on the inner side of an edge
)

// step examines the pair v of features. If the verdict is farther, it sets v to a closer pair. If two
// closest features are parallel edges, it sets v to these edges.
func (f *frame) step(v *[2]Feature) verdict {
	switch {
	case v[0].Edge && v[1].Edge:
		return f.stepEdges(v)
	case v[0].Edge:
		return f.stepEdgeCorner(v, 0)
	case v[1].Edge:
		return f.stepEdgeCorner(v, 1)
	}
	return f.stepCorners(v)
}

// stepCorners does the work of step for two corners. The corners are closest if each one is in the
// Voronoi region of the other. The normals of the two edges at a corner bound its region.
func (f *frame) stepCorners(v *[2]Feature) verdict {
	a, b := f.corner(0, int(v[0].Index)), f.corner(1, int(v[1].Index))
	// after[k] reports whether the edge after the corner of body k is at a right angle to the line
	// between the corners. before[k] reports whether the edge before the corner is at a right angle.
	var after, before [2]bool
	for k := range v {
		from, to := &a, &b
		if k == 1 {
			from, to = to, from
		}
		i := int(v[k].Index)
		next := f.corner(k, f.next(k, i))
		switch f.dotSign(from, to, from, &next) {
		case +1:
			v[k] = edgeFeature(i)
			return farther
		case 0:
			after[k] = true
		}
		i = f.previous(k, i)
		previous := f.corner(k, i)
		switch f.dotSign(from, to, from, &previous) {
		case +1:
			v[k] = edgeFeature(i)
			return farther
		case 0:
			before[k] = true
		}
	}
	if f.dotSign(&a, &b, &a, &b) == 0 {
		return inside // both corners are the same point
	}
	// If two parallel edges face each other, the features are these edges.
	for k := range v {
		if after[k] && before[1-k] {
			v[k], v[1-k] = edgeFeature(int(v[k].Index)), edgeFeature(f.previous(1-k, int(v[1-k].Index)))
			break
		}
	}
	return closest
}

// stepEdgeCorner does the work of step for an edge e of body k and a corner c. The features are
// closest if three conditions are true. The corner c is between the normals through the ends of e.
// The corner c is on the outer side of e. No edge at c leads closer to the line of e. If an edge at
// c is parallel to e, both edges are the features.
func (f *frame) stepEdgeCorner(v *[2]Feature, k int) verdict {
	i, j := int(v[k].Index), int(v[1-k].Index)
	p, q := f.corner(k, i), f.corner(k, f.next(k, i))
	c := f.corner(1-k, j)
	if f.dotSign(&p, &q, &p, &c) <= 0 {
		v[k] = cornerFeature(i)
		return farther
	}
	if f.dotSign(&p, &q, &q, &c) >= 0 {
		v[k] = cornerFeature(f.next(k, i))
		return farther
	}
	if f.crossSign(&p, &q, &p, &c) >= 0 {
		return inside
	}
	next := f.corner(1-k, f.next(1-k, j))
	after := f.crossSign(&p, &q, &c, &next)
	if after > 0 {
		v[1-k] = edgeFeature(j)
		return farther
	}
	last := f.previous(1-k, j)
	previous := f.corner(1-k, last)
	before := f.crossSign(&p, &q, &c, &previous)
	if before > 0 {
		v[1-k] = edgeFeature(last)
		return farther
	}
	switch {
	case after == 0:
		v[1-k] = edgeFeature(j)
	case before == 0:
		v[1-k] = edgeFeature(last)
	}
	return closest
}

// stepEdges does the work of step for two edges. One of their closest points is an end of an edge.
// Let r be the end of the second edge that is nearer to the line of the first edge. If r is between
// the normals through the ends of the first edge, r is closest. Otherwise, the second edge crosses
// one of these normals, and an end of the first edge is closest.
func (f *frame) stepEdges(v *[2]Feature) verdict {
	i, j := int(v[0].Index), int(v[1].Index)
	p, q := f.corner(0, i), f.corner(0, f.next(0, i))
	r, s := f.corner(1, j), f.corner(1, f.next(1, j))
	if f.crossSign(&p, &q, &r, &s) > 0 {
		r, j = s, f.next(1, j)
	}
	switch {
	case f.dotSign(&p, &q, &p, &r) <= 0:
		v[0] = cornerFeature(i)
	case f.dotSign(&p, &q, &q, &r) >= 0:
		v[0] = cornerFeature(f.next(0, i))
	default:
		v[1] = cornerFeature(j)
	}
	return farther
}

// If walk does not prove that the bodies are separated, sweep examines all axes. The differences
// a−b of points a and b of the two bodies form a convex polygon D, the Minkowski difference. The
// edges of D are the edges of the first body and the reversed edges of the second body, ordered by
// direction. A corner of D is a pair of corners. An edge of D is an edge of one body, together with
// the extreme corner of the other body in the direction of the normal. Two parallel edges form one
// edge of D. So the edges of D give all separating axes and extreme corners, in time proportional
// to the number of corners. If the origin is inside D, the bodies overlap. If the origin is on the
// boundary of D, the bodies touch. The feature of D closest to the origin gives the closest
// features of the bodies.

// edgeIterator iterates over the edges of the Minkowski difference D of two bodies.
type edgeIterator struct {
	f        *frame
	i, j     int // start of the edge of D: corner i of the first body minus corner j of the second
	iEnd     int // end of the edge of D: corner iEnd minus corner jEnd
	jEnd     int
	n, m     int    // numbers of remaining edges of the first and of the second body
	edgeA    bool   // true if the edge of D is an edge of the first body
	edgeB    bool   // true if the edge of D is an edge of the second body, possibly of both
	p, q     corner // ends of the edge of the first body if edgeA is true, else of the second body
	c, d     corner // corners of the other body; p and c give one end of the edge of D, q and d the other
	features [2]Feature
}

// edges returns an iterator. The first call of next moves to edge 0 of the first body.
func (f *frame) edges() edgeIterator {
	r := edgeIterator{f: f, n: f.body[0].shape.Len(), m: f.body[1].shape.Len()}
	p, q := f.corner(0, 0), f.corner(0, 1)
	// Find the corner of the second body that is farthest to the left of edge 0. If two corners are
	// farthest, use the first one counterclockwise. The edges before this corner lead to the left.
	last := f.corner(1, r.m-1)
	first := f.corner(1, 0)
	before := f.crossSign(&p, &q, &last, &first)
	at := first
	for j := range r.m {
		next := f.corner(1, f.next(1, j))
		f.visits++
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

func (r *edgeIterator) next() bool {
	f := r.f
	if r.edgeA || r.edgeB {
		r.i, r.j = r.iEnd, r.jEnd
	}
	if r.n == 0 && r.m == 0 {
		return false
	}
	f.visits++
	r.iEnd, r.jEnd = f.next(0, r.i), f.next(1, r.j)
	a, b := f.corner(0, r.i), f.corner(1, r.j)
	aEnd, bEnd := f.corner(0, r.iEnd), f.corner(1, r.jEnd)
	// In D, the edge of the second body is reversed. Both candidates for the next edge of D turn by
	// less than half a turn from the previous edge. Therefore, their cross product orders them.
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

// side returns the side of the current edge of D on which the origin lies: +1 inside, −1 outside, 0
// on the line. It computes the side of the corner c relative to the edge from p to q.
func (r *edgeIterator) side() int { return r.f.crossSign(&r.p, &r.q, &r.p, &r.c) }

// beyond projects the origin onto the line of the current edge of D. It reports whether the
// projection is at or before the beginning of the edge, and whether it is at or after the end.
func (r *edgeIterator) beyond() (begin, end bool) {
	return r.f.dotSign(&r.p, &r.q, &r.p, &r.c) <= 0, r.f.dotSign(&r.p, &r.q, &r.q, &r.d) >= 0
}

// above reports whether the origin is between the normals through the ends of the current edge of
// D. The result is true for the edge nearest to the origin. It is false for an edge that is almost
// in line with the nearest one, even if both have the same distance in float64.
func (r *edgeIterator) above() bool {
	begin, end := r.beyond()
	return !begin && !end
}

// depth returns the distance of the origin from the current edge of D in float64. The distance is
// positive inside D. If the ends of the edge round to the same point, depth uses the direction of
// the edge in the frame of the shape.
func (r *edgeIterator) depth() float64 {
	x, y := r.q.x-r.p.x, r.q.y-r.p.y
	if x == 0 && y == 0 {
		_, distance := r.f.edgeDistance(int(r.p.body), int(r.p.i), &r.c)
		return -distance
	}
	return (float64(x*(r.c.y-r.p.y)) - float64(y*(r.c.x-r.p.x))) / math.Sqrt(float64(x*x)+float64(y*y))
}

// sweep returns the relation and the closest features of any two bodies. If the bodies overlap, it
// returns the features with the smallest depth.
func (f *frame) sweep() (Relation, [2]Feature) {
	relation, least := Overlapping, math.Inf(1)
	var features [2]Feature
	for r := f.edges(); r.next(); {
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

// nearest returns the feature of D closest to the origin. The Voronoi region of this feature
// contains the origin. The origin must not be inside D. A pair of parallel edges is one edge of D.
func (f *frame) nearest() [2]Feature {
	r := f.edges()
	// The iteration begins and ends at the same corner of D, and examines this corner last.
	for r.next() {
		begin, end := r.beyond()
		if !begin && !end && r.side() <= 0 {
			return r.features
		}
		if !end {
			continue
		}
		// The origin is beyond the end of the current edge. If the origin is also before the
		// beginning of the next edge, it is in the region of the corner between the two edges.
		next := r
		if !next.next() {
			next = f.edges()
			next.next()
		}
		if begin, _ := next.beyond(); begin {
			return [2]Feature{cornerFeature(r.iEnd), cornerFeature(r.jEnd)}
		}
	}
	panic("polygon: no Voronoi region contains the origin")
}

package polygon

import "math"

// The depth of an overlap is the distance of the origin from the boundary of the Minkowski
// difference D (see edgeIterator). sweep examines all edges of D. depthSearch examines few edges.
// It divides the boundary of D into arcs. If the origin is on the inner side of the chord of an
// arc, each point of the arc is at least as far from the origin as the chord. So depthSearch skips
// an arc if its chord is farther from the origin than an edge already examined. The chords of these
// arcs and the examined edges form a convex polygon in D. If the origin is on the inner side of all
// its sides, the origin is inside D, and the bodies overlap.

// maxLooks is the largest number of arcs that depthSearch examines.
const maxLooks = 64

// depthSearch finds the edge of D with the smallest depth. It returns the same result as sweep, bit
// for bit.
type depthSearch struct {
	f      *frame
	p, q   corner // ends of the edge of the body base at which the search begins
	base   int
	first  edgeIterator // the edge of D that contains the edge pq
	bound  float64      // smallest depth of an edge that was examined
	margin float64      // four times an error bound of depths and of distances from chords
	short  float64      // smallest length of edges and chords for which this bound holds
	looks  int
	least  float64 // smallest depth of an edge nearest to a point between its ends
	tie    bool    // true if two edges have the depth least
	found  [2]Feature
}

// leastDepth returns the features with the smallest depth. The search starts at the features v.
// leastDepth returns false if it cannot prove that the bodies overlap, or if the search takes too
// long.
func (f *frame) leastDepth(v [2]Feature) ([2]Feature, bool) {
	// The numerators of depths and of distances from chords have an error of at most f.limit. The other
	// errors are small multiples of f.err.
	short := min(f.body[0].shape.shortest, f.body[1].shape.shortest) * (1 - 0x1p-40)
	err := f.limit/short + 16*(f.err[0]+f.err[1])
	s := depthSearch{f: f, first: edgeIterator{f: f}, bound: math.Inf(1), least: math.Inf(1), margin: 4 * err, short: short}
	if !v[0].Edge && v[1].Edge {
		s.base = 1
	}
	if !s.begin(int(v[s.base].Index), int(v[1-s.base].Index)) || !s.descend() {
		return v, false
	}
	r := &s.first
	if !s.surrounded() && !s.arc(r.iEnd, r.jEnd, r.n, r.m) || s.tie || math.IsInf(s.least, 1) {
		return v, false
	}
	return s.found, true
}

// descend moves s.first to an edge of D whose nearest point to the origin is between its ends. It
// returns false if the origin is not inside D, or if the search takes too long.
func (s *depthSearch) descend() bool {
	f, r := s.f, &s.first
	for {
		if !s.edge(r) {
			return false
		}
		// Find an edge of a body that belongs to the next or to the previous edge of D.
		var i, j, order int
		switch begin, end := r.beyond(); {
		case end:
			i, j = r.iEnd, r.jEnd
			order = -f.edgeOrder(i, j)
		case begin:
			i, j = f.previous(0, r.i), f.previous(1, r.j)
			order = f.edgeOrder(i, j)
		default:
			return true
		}
		// The walk in begin starts at the corner where the two edges of D meet.
		if s.base = 0; order < 0 {
			s.base = 1
			i, j = j, i
		}
		if begin, _ := r.beyond(); begin {
			j = f.next(1-s.base, j)
		}
		if !s.begin(i, j) {
			return false
		}
	}
}

// edgeOrder compares edge i of the first body and edge j of the second body in the order of the
// edges of D. It returns −1 if edge i comes first, 1 if edge j comes first, and 0 if both are parts
// of one edge. The edges must be successive.
func (f *frame) edgeOrder(i, j int) int {
	a, b := f.corner(0, i), f.corner(1, j)
	aEnd, bEnd := f.corner(0, f.next(0, i)), f.corner(1, f.next(1, j))
	return f.crossSign(&a, &aEnd, &b, &bEnd)
}

// surrounded reports whether s.first is the only edge of D that is as near to the origin as
// s.bound. Differences of corners of the two bodies are points of D. Together with the ends of
// s.first, some of these points form a polygon around the origin. If the sides of this polygon are
// far enough away, so is the boundary of D.
func (s *depthSearch) surrounded() bool {
	const third = 1. / 3
	return s.covered(0, third) && s.farPart(third, 2*third) && s.covered(2*third, 1)
}

// covered reports whether chords that lead from low to high are far from the origin; see farPart.
// low must be 0, or high must be 1. Near the ends of s.first, it needs shorter chords.
func (s *depthSearch) covered(low, high float64) bool {
	if s.farPart(low, high) {
		return true
	}
	const shrink = 16
	if (high-low)*float64(s.first.n+s.first.m) < shrink {
		return false
	}
	if low == 0 {
		middle := high / shrink
		return s.covered(low, middle) && s.farPart(middle, high)
	}
	middle := 1 - (high-low)/shrink
	return s.farPart(low, middle) && s.covered(middle, high)
}

// farPart reports whether the chord between two points of D is far from the origin. Each point is
// the difference of two corners. The first corners come after the fraction low of the edges of each
// body, counted from the end of s.first, and the second ones after the fraction high. If the
// corners of both bodies have similar directions, the points are near the boundary of D.
func (s *depthSearch) farPart(low, high float64) bool {
	a, b := s.f.body[0].shape, s.f.body[1].shape
	n, m, r := float64(s.first.n), float64(s.first.m), &s.first
	return s.far(a.advance(r.iEnd, int(low*n)), b.advance(r.jEnd, int(low*m)), a.advance(r.iEnd, int(high*n)), b.advance(r.jEnd, int(high*m)))
}

// begin sets s.first to the edge of D that contains edge i of the base body. It searches for the
// start of this edge from corner j of the other body.
func (s *depthSearch) begin(i, j int) bool {
	f, k := s.f, s.base
	s.p, s.q = f.corner(k, i), f.corner(k, f.next(k, i))
	slope := func(j int) int {
		s.looks++
		f.visits++
		c, d := f.corner(1-k, j), f.corner(1-k, f.next(1-k, j))
		return f.crossSign(&s.p, &s.q, &c, &d)
	}
	for slope(j) > 0 && s.looks < maxLooks {
		j = f.next(1-k, j)
	}
	for slope(f.previous(1-k, j)) <= 0 && s.looks < maxLooks {
		j = f.previous(1-k, j)
	}
	if k == 1 {
		i, j = j, i
	}
	r := &s.first
	r.i, r.j, r.n, r.m, r.edgeA, r.edgeB = i, j, f.body[0].shape.Len(), f.body[1].shape.Len(), false, false
	return r.next() && s.looks < maxLooks
}

// edge examines the current edge of D. It returns false if the origin is not on its inner side.
func (s *depthSearch) edge(r *edgeIterator) bool {
	if r.side() <= 0 {
		return false
	}
	d := r.depth()
	s.bound = min(s.bound, d)
	switch {
	case d > s.least || !r.above():
	case d == s.least:
		s.tie = true
	default:
		s.least, s.tie, s.found = d, false, r.features
	}
	return true
}

// arc examines the arc of D that begins with the corners i and j, and has n edges of the first body
// and m edges of the second body.
func (s *depthSearch) arc(i, j, n, m int) bool {
	f := s.f
	a, b := f.body[0].shape, f.body[1].shape
	if n+m <= 4 {
		for r := (edgeIterator{f: f, i: i, j: j, n: n, m: m}); r.next(); {
			if !s.edge(&r) {
				return false
			}
		}
		return true
	}
	if s.far(i, j, a.advance(i, n), b.advance(j, m)) {
		return true
	}
	if s.looks++; s.looks > maxLooks {
		return false
	}
	// Divide the arc in the middle, at the start of an edge. count edges of the other body come
	// strictly before this edge.
	half, count := [2]int{n / 2, 0}, 0
	if n >= m {
		count = s.before(0, a.advance(i, n/2), j, m)
		half = [2]int{n / 2, count}
	} else {
		count = s.before(1, b.advance(j, m/2), i, n)
		half = [2]int{count, m / 2}
	}
	return s.arc(i, j, half[0], half[1]) && s.arc(a.advance(i, half[0]), b.advance(j, half[1]), n-half[0], m-half[1])
}

// far reports whether the origin is certainly on the inner side of the chord of an arc, and the
// chord is certainly farther from the origin than s.bound. The arc leads from the corners i and j
// to the corners iEnd and jEnd.
func (s *depthSearch) far(i, j, iEnd, jEnd int) bool {
	f := s.f
	f.visits++
	a, b, c, d := f.corner(0, i), f.corner(1, j), f.corner(0, iEnd), f.corner(1, jEnd)
	ux, uy, vx, vy := a.x-b.x, a.y-b.y, c.x-d.x, c.y-d.y
	ex, ey := vx-ux, vy-uy
	length := math.Hypot(ex, ey)
	if length < s.short || !(ux*vy-uy*vx > s.margin*length) {
		return false
	}
	// The nearest point of the chord is its begin, its end, or the foot of the perpendicular.
	distance := (ux*vy - uy*vx) / length
	if ux*ex+uy*ey > 0 {
		distance = math.Hypot(ux, uy)
	} else if vx*ex+vy*ey < 0 {
		distance = math.Hypot(vx, vy)
	}
	return distance > s.bound+s.margin
}

// before returns the number of edges of the other body that come strictly before edge i of body k
// among the edges of D. The candidates are the count edges of the other body that follow its corner
// j. All edges come after the edge of s.first, counterclockwise. In D, the edges of the second body
// are reversed.
func (s *depthSearch) before(k, i, j, count int) int {
	f := s.f
	p, q := f.corner(k, i), f.corner(k, f.next(k, i))
	half := s.turn(k, &p, &q)
	low := 0
	for low < count {
		middle := (low + count) / 2
		at := f.body[1-k].shape.advance(j, middle)
		c, d := f.corner(1-k, at), f.corner(1-k, f.next(1-k, at))
		f.visits++
		h := s.turn(1-k, &c, &d)
		if h > half || h == half && f.crossSign(&p, &q, &c, &d) > 0 {
			low = middle + 1
		} else {
			count = middle
		}
	}
	return low
}

// turn compares the angle between two edges of D with half a turn. The angle leads from the edge of
// s.first to the edge pq of body k. turn returns 1 if the angle is smaller, 0 if it is equal, and
// −1 if it is larger.
func (s *depthSearch) turn(k int, p, q *corner) int {
	t := s.f.crossSign(&s.p, &s.q, p, q)
	if k != s.base {
		return -t
	}
	return t
}

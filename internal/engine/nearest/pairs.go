package nearest

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// maxPairs is the largest number of pairs of a point and a near triangle in a group. If a group has
// more, each point is searched alone. maxMemory is the number of vectors of working memory that the
// assembly code needs.
const (
	maxPairs  = 25 * groupSize // tuning
	maxMemory = 160
)

// pairList holds pairs of a point and a triangle, one lane for each pair, and their distances.
type pairList struct {
	point       [3][maxPairs]float64
	corner      [3][3][maxPairs]float64
	hi, lo, err [maxPairs]float64 // the fields of a measured
	part        [maxPairs]float64 // the number of the part
	memory      [maxMemory][8]float64

	owner [maxPairs]int32 // the number of the point in its group
	at    [maxPairs]int32 // the number of the triangle, in the order of the tree's leaves
	block [maxPairs]int32 // the number of the block of the triangle
	size  int
}

// add appends a pair. It returns false if there is no room.
func (l *pairList) add(owner, block int32, p *r3.Vector, at int32, t *mesh.Triangle) bool {
	i := l.size
	if i >= maxPairs {
		return false
	}
	l.size++
	l.owner[i], l.at[i], l.block[i] = owner, at, block
	l.setCoordinates(i, p, t)
	return true
}

// setCoordinates sets the point and the triangle of pair i.
func (l *pairList) setCoordinates(i int, p *r3.Vector, t *mesh.Triangle) {
	l.point[0][i], l.point[1][i], l.point[2][i] = p.X, p.Y, p.Z
	for k := range t {
		v, c := &t[k], &l.corner[k]
		c[0][i], c[1][i], c[2][i] = v.X, v.Y, v.Z
	}
}

// measure computes the distances of all pairs. The distance and the part of a pair can be unknown, as
// in the function measure.
func (l *pairList) measure() {
	// The assembly code computes four or eight pairs at a time. If size is not a multiple of that,
	// it also computes some pairs of an earlier group, whose results are not used.
	switch {
	case l.size == 1: // the assembly computes all parts of a triangle
		measurePairsGeneric(l, 1)
	case hasAVX512 && l.size > 4:
		measurePairsAVX512(l, l.size)
	case hasFMA:
		measurePairsAVX2(l, l.size)
	default:
		measurePairsGeneric(l, l.size)
	}
}

// measurePairsGeneric measures the first n pairs without assembly code.
func measurePairsGeneric(l *pairList, n int) {
	for i := range n {
		p := r3.Vector{X: l.point[0][i], Y: l.point[1][i], Z: l.point[2][i]}
		var t mesh.Triangle
		for k := range t {
			c := &l.corner[k]
			t[k] = r3.Vector{X: c[0][i], Y: c[1][i], Z: c[2][i]}
		}
		a := partAt(&p, &t)
		m := measurePart(&p, &t, a, false)
		l.hi[i], l.lo[i], l.err[i], l.part[i] = m.hi, m.lo, m.err, float64(a)
	}
}

// nearer reports whether the face of pair i is nearer to p than the face of pair j. p is the point
// of both pairs. If the distances are equal, nearer reports whether face i has the smaller number.
func (l *pairList) nearer(s *Searcher, i, j int, p *r3.Vector, st *Scratch) bool {
	diff, err := (l.hi[i]-l.hi[j])+(l.lo[i]-l.lo[j]), 2*(l.err[i]+l.err[j])
	switch {
	case diff > err:
		return false
	case -diff > err:
		return true
	}
	a, b := part(l.part[i]), part(l.part[j])
	if a.size() != b.size() || !a.inside(&s.tris[l.at[i]], b, &s.tris[l.at[j]]) {
		x, y := l.remeasured(s, i, p), l.remeasured(s, j, p)
		if sign := x.compare(&y, p, st); sign != 0 {
			return sign < 0
		}
	}
	index := s.tree.Index()
	return index[l.at[i]] < index[l.at[j]]
}

// remeasured measures pair i again, as precisely as the function measure does, and returns it. p is
// the point of the pair.
func (l *pairList) remeasured(s *Searcher, i int, p *r3.Vector) selected {
	t := &s.tris[l.at[i]]
	return selected{measured: measurePart(p, t, part(l.part[i]), true), tri: t}
}

// obbWalk.best of a point has these values if the point has no pair, or a pair with an unknown
// distance.
const (
	noPair  = -1
	unknown = -2
)

// chooseBest sets w.best to the nearest pair of each of the first n points of w.
func (w *obbWalk) chooseBest(s *Searcher, pts []r3.Vector, n int, st *Scratch) {
	for k := range n {
		w.best[k] = noPair
	}
	l := &w.pairs
	for i := range l.size {
		best, p := &w.best[l.owner[i]], &pts[w.order[l.owner[i]]]
		if l.err[i] == math.Inf(1) {
			m := l.remeasured(s, i, p)
			l.hi[i], l.lo[i], l.err[i] = m.hi, m.lo, m.err
		}
		switch {
		case *best == unknown:
		case l.err[i] == math.Inf(1):
			*best = unknown
		case *best == noPair || l.nearer(s, i, *best, p, st):
			*best = i
		}
	}
}

// result sets r to the result of a search. Pair i is the nearest pair.
func (l *pairList) result(s *Searcher, p r3.Vector, i int, withPoint bool, st *Scratch, r *Result) {
	at := l.at[i]
	r.Face, r.at, r.part = s.tree.Index()[at], at, part(l.part[i])
	switch hi, lo, err := l.hi[i], l.lo[i], l.err[i]; {
	case lo > err:
		r.Distance = math.Float64frombits(math.Float64bits(hi) + 1) // hi is positive
	case lo < -err:
		r.Distance = hi
	default:
		a := l.remeasured(s, i, &p)
		r.Distance = a.roundUp(&p, st)
	}
	if !withPoint {
		return
	}
	r.Point = p
	if r.Distance > 0 {
		g, _, _ := closest(p, &s.tris[at], &st.Signs)
		r.Point = p.Add(g)
	}
}

// resultByKernel returns the result of a search for p from all pairs of the given owner. The
// distances of the pairs can be unknown.
func (l *pairList) resultByKernel(s *Searcher, p r3.Vector, owner int32, st *Scratch) Result {
	near := &st.near
	near.reset()
	for i := range l.size {
		if l.owner[i] == owner {
			g, d, margin := closest(p, &s.tris[l.at[i]], &st.Signs)
			near.add(s, &p, l.at[i], g, d, margin, st)
		}
	}
	return s.result(p, st)
}

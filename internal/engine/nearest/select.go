package nearest

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// candidates holds the triangles that can be nearest to a point, as far as float64 can tell. A
// search starts with reset.
type candidates struct {
	most  float64 // upper bound of the distance of the nearest triangle
	least float64 // smallest lower bound in list
	size  int
	list  [16]candidate // the length is tuning
	pair  [2]selected   // working memory of best
}

type candidate struct {
	foot  r3.Vector // closest point of the triangle, relative to the query point; rounded
	least float64   // lower bound of the distance
	at    int32     // index of the triangle, in the order of the tree's leaves
}

func (c *candidates) reset() { c.most, c.least, c.size = math.Inf(1), math.Inf(1), 0 }

// add adds triangle k of s. d is the computed distance, and bound is the error bound of d.
func (c *candidates) add(s *Searcher, p *r3.Vector, k int32, foot r3.Vector, d, bound float64, st *Scratch) {
	low, high := d-bound, d+bound
	if d > 0 && !(low > 0) {
		low = math.SmallestNonzeroFloat64 // p is not on the triangle; or d and bound are +Inf
	}
	switch {
	case low > c.most:
		return
	case high < c.least:
		c.least, c.size = low, 0 // all others are farther away
	case c.size == len(c.list):
		c.list[0], c.size = c.list[c.best(s, p, st).index], 1
	}
	c.list[c.size] = candidate{foot, low, k}
	c.size++
	if high < c.most {
		c.most = high
	}
	if low < c.least {
		c.least = low
	}
}

// selected is a triangle with its distance from the point.
type selected struct {
	measured
	tri    *mesh.Triangle
	index  int // index of the triangle in candidates.list
	face   int32
	square *square // the exact squared distance, if it was needed
}

// best returns the nearest candidate. If several candidates have exactly the same distance, it
// returns the one with the smallest number of the face. The result is valid until the next call.
func (c *candidates) best(s *Searcher, p *r3.Vector, st *Scratch) (best *selected) {
	next, other := &c.pair[0], &c.pair[1]
	for i := range c.list[:c.size] {
		x := &c.list[i]
		if x.least > c.most {
			continue
		}
		next.tri, next.face, next.index, next.square = &s.tris[x.at], s.tree.Index()[x.at], i, nil
		if next.measured = (measured{}); c.most > 0 { // otherwise p is on all remaining triangles
			next.measured = measure(p, next.tri)
		}
		sign := -1
		if best != nil {
			sign = next.compare(best, p, st)
		}
		if sign < 0 || sign == 0 && next.face < best.face {
			best, next, other = next, other, next
		}
	}
	return best
}

// compare compares the distances of a and b from p. It returns −1 if a is nearer, 0 if the
// distances are equal, and 1 if b is nearer.
func (a *selected) compare(b *selected, p *r3.Vector, st *Scratch) int {
	diff, err := (a.hi-b.hi)+(a.lo-b.lo), 2*(a.err+b.err)
	switch {
	case diff > err:
		return 1
	case -diff > err:
		return -1
	case err == 0 && a.hi == b.hi && a.lo == b.lo, a.part != 0 && a.part.size() == b.part.size() && a.part.inside(a.tri, b.part, b.tri):
		return 0
	}
	a.measureExactly(p, b.square, st)
	b.measureExactly(p, a.square, st)
	return st.exact.compare(a.square, b.square)
}

// inside reports whether each corner of t in the part a is also a corner of u in the part b.
func (a part) inside(t *mesh.Triangle, b part, u *mesh.Triangle) bool {
	for k := range t {
		if v := &t[k]; a>>k&1 != 0 && (b&1 == 0 || u[0] != *v) && (b&2 == 0 || u[1] != *v) && (b&4 == 0 || u[2] != *v) {
			return false
		}
	}
	return true
}

// measureExactly sets a.square. It does not overwrite other.
func (a *selected) measureExactly(p *r3.Vector, other *square, st *Scratch) {
	if a.square == nil {
		if st.exact == nil {
			st.exact = new(exact)
		}
		st.Signs.Exact++
		a.square = st.exact.measure(p, a.tri, a.part, other)
	}
}

// roundUp returns the least float64 that is at least the distance.
func (a *selected) roundUp(p *r3.Vector, st *Scratch) float64 {
	switch {
	case a.lo > a.err:
		return math.Float64frombits(math.Float64bits(a.hi) + 1) // hi is positive
	case a.lo < -a.err || a.err == 0:
		return a.hi
	}
	a.measureExactly(p, nil, st)
	return st.exact.roundUp(a.square)
}

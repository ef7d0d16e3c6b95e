package nearest

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"
)

// several is the working memory of searches for several faces.
type several struct {
	list  []candidate
	highs []float64 // a heap of the k smallest upper bounds, the largest one first
	a, b  selected
}

// AppendNearest appends the k faces nearest to p to dst and returns the extended slice. The faces
// are in the exact order of their distances. Faces at exactly the same distance are in ascending
// order of their numbers. If not all of them fit into k results, those with the smallest numbers
// are returned. Each Result is the same as for a mesh of this face alone. There are fewer results
// if the mesh has fewer faces, and none if k ≤ 0, if p is not finite, or if the search is
// interrupted.
//
// AppendNearest usually takes O(log n + k log k) time for n faces. AppendNearest allocates only to
// extend its slices, and for arbitrary-precision arithmetic. It panics if st is nil.
func (s *Searcher) AppendNearest(dst []Result, p r3.Vector, k int, st *Scratch) []Result {
	if k <= 0 {
		return dst
	}
	m := &st.several
	m.list, m.highs = m.list[:0], m.highs[:0]
	limit := math.Inf(1) // upper bound of the distance of the k-th face
	w := &st.walk
	w.Start(s.tree, p)
	for first, count, ok := w.Next(limit); ok; first, count, ok = w.Next(s.limit(limit, w.Scale())) {
		if st.stopped(count) {
			return dst
		}
		for i := first; i < first+count; i++ {
			g, d, bound := closest(p, &s.tris[i], &st.Signs)
			if !(d-bound > limit) {
				m.list = append(m.list, candidate{g, d - bound, i})
				limit = m.lower(d+bound, k)
			}
		}
	}
	list := slices.DeleteFunc(m.list, func(c candidate) bool { return c.least > limit })
	return s.appendSorted(dst, p, list, k, st)
}

// lower adds an upper bound of a distance to the heap. It returns the k-th smallest of all upper
// bounds added so far.
func (m *several) lower(high float64, k int) float64 {
	h := m.highs
	if len(h) < k {
		h = append(h, high)
		m.highs = h
		for i := len(h) - 1; i > 0 && h[(i-1)/2] < h[i]; i = (i - 1) / 2 {
			h[(i-1)/2], h[i] = h[i], h[(i-1)/2]
		}
		if len(h) < k {
			return math.Inf(1)
		}
		return h[0]
	}
	if !(high < h[0]) {
		return h[0]
	}
	h[0] = high
	for i := 0; ; {
		c := 2*i + 1
		if c+1 < len(h) && h[c+1] > h[c] {
			c++
		}
		if c >= len(h) || !(h[c] > h[i]) {
			return h[0]
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// AppendWithin appends the faces whose exact distance from p is at most radius to dst, and returns the
// extended slice. The results have the order of AppendNearest. There are none if radius is negative or
// NaN, if p is not finite, or if the search is interrupted. With radius 0, the results are the faces that
// contain p. AppendWithin allocates and panics under the same conditions as AppendNearest.
func (s *Searcher) AppendWithin(dst []Result, p r3.Vector, radius float64, st *Scratch) []Result {
	if !(radius >= 0) {
		return dst
	}
	m := &st.several
	m.list = m.list[:0]
	w := &st.walk
	w.Start(s.tree, p)
	limit := s.limit(radius, w.Scale())
	for first, count, ok := w.Next(limit); ok; first, count, ok = w.Next(limit) {
		if st.stopped(count) {
			return dst
		}
		for i := first; i < first+count; i++ {
			g, d, bound := closest(p, &s.tris[i], &st.Signs)
			if d+bound <= radius || !(d-bound > radius) && s.distance(p, i, st) <= radius {
				m.list = append(m.list, candidate{g, d - bound, i})
			}
		}
	}
	return s.appendSorted(dst, p, m.list, len(m.list), st)
}

// appendSorted sorts the candidates by distance and appends the results of the first k.
func (s *Searcher) appendSorted(dst []Result, p r3.Vector, list []candidate, k int, st *Scratch) []Result {
	index := s.tree.Index()
	slices.SortFunc(list, func(x, y candidate) int {
		m := &st.several
		s.selectInto(&m.a, &p, &x)
		s.selectInto(&m.b, &p, &y)
		if sign := m.a.compare(&m.b, &p, st); sign != 0 {
			return sign
		}
		return int(index[x.at] - index[y.at])
	})
	for _, c := range list[:min(k, len(list))] {
		a := &st.several.a
		s.selectInto(a, &p, &c)
		r := Result{Face: index[c.at], Distance: a.roundUp(&p, st), Point: p, at: c.at, part: a.part}
		if r.Distance > 0 {
			r.Point = p.Add(c.foot)
		}
		dst = append(dst, r)
	}
	return dst
}

// selectInto sets a to a candidate and measures its distance from p.
func (s *Searcher) selectInto(a *selected, p *r3.Vector, c *candidate) {
	a.tri, a.square, a.measured = &s.tris[c.at], nil, measure(p, &s.tris[c.at])
}

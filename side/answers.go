package side

import "math"

// Answers holds the slices that a batch of queries writes to, with one element for each
// point. An answer whose slice is nil is not computed. Winding and Bound are both nil, or
// neither is.
type Answers struct {
	Sides   []Side
	Winding []float64 // W of the point
	Bound   []float64 // certified bound of |error of Winding|
}

// Check panics if a slice that is wanted does not have n elements.
func (a Answers) Check(n int) {
	if a.Sides != nil && len(a.Sides) != n ||
		(a.Winding != nil || a.Bound != nil) && (len(a.Winding) != n || len(a.Bound) != n) {
		panic("side: answers and points differ in length")
	}
}

// Clear marks every element as not answered: Unknown, NaN and +Inf.
func (a Answers) Clear() {
	clear(a.Sides)
	for i := range a.Winding {
		a.Winding[i], a.Bound[i] = math.NaN(), math.Inf(1)
	}
}

// Slice returns the answers for points lo to hi-1.
func (a Answers) Slice(lo, hi int) Answers {
	if a.Sides != nil {
		a.Sides = a.Sides[lo:hi]
	}
	if a.Winding != nil {
		a.Winding, a.Bound = a.Winding[lo:hi], a.Bound[lo:hi]
	}
	return a
}

// Stats counts the work of queries. Add merges the counts of workers; the sum
// does not depend on their number.
type Stats struct {
	Points    uint64 // points answered
	Rays      uint64 // rays cast, re-rays included
	Rerays    uint64 // rays thrown away because they met an edge or a vertex
	Nodes     uint64 // tree nodes visited
	Triangles uint64 // triangles tested
	Filter    uint64 // orientation signs decided by the floating-point filter
	Expansion uint64 // orientation signs decided by expansions
	Exact     uint64 // orientation signs decided by arbitrary precision
	Boundary  uint64 // boundary sums in float64
	Reference uint64 // points handed to the arbitrary-precision reference
	Fallback  uint64 // points that approximate winding numbers left to rays
	Undecided uint64 // points that stayed Unknown
}

// Add adds the counts of o to s.
func (s *Stats) Add(o Stats) {
	s.Points += o.Points
	s.Rays += o.Rays
	s.Rerays += o.Rerays
	s.Nodes += o.Nodes
	s.Triangles += o.Triangles
	s.Filter += o.Filter
	s.Expansion += o.Expansion
	s.Exact += o.Exact
	s.Boundary += o.Boundary
	s.Reference += o.Reference
	s.Fallback += o.Fallback
	s.Undecided += o.Undecided
}

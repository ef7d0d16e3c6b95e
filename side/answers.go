package side

import "math"

// Answers holds the slices that a batch of queries writes to, with one element for each point. A
// batch does not compute answers whose slice is nil. Bound is nil if and only if Winding is nil.
type Answers struct {
	Sides   []Side
	Winding []float64 // winding numbers
	Bound   []float64 // certified bounds of the errors of Winding
}

// Check panics if a slice is not nil and does not have n elements.
func (a Answers) Check(n int) {
	if a.Sides != nil && len(a.Sides) != n ||
		(a.Winding != nil || a.Bound != nil) && (len(a.Winding) != n || len(a.Bound) != n) {
		panic("side: answers and points differ in length")
	}
}

// Clear sets sides to Unknown, winding numbers to NaN, and bounds to +Inf. These values mean that
// there is no answer.
func (a Answers) Clear() {
	clear(a.Sides)
	for i := range a.Winding {
		a.Winding[i], a.Bound[i] = math.NaN(), math.Inf(1)
	}
}

// Slice returns the part of a for points lo to hi−1.
func (a Answers) Slice(lo, hi int) Answers {
	if a.Sides != nil {
		a.Sides = a.Sides[lo:hi]
	}
	if a.Winding != nil {
		a.Winding, a.Bound = a.Winding[lo:hi], a.Bound[lo:hi]
	}
	return a
}

// Stats counts the work of queries. The sum of the counts of all workers does not depend on the
// number of workers.
type Stats struct {
	Points    uint64 // points queried
	Rays      uint64 // rays cast, including rays that were discarded
	Rerays    uint64 // rays discarded because they met an edge or a vertex
	Nodes     uint64 // tree nodes visited
	Triangles uint64 // triangles tested
	Filter    uint64 // orientation signs decided by the floating-point filter
	Expansion uint64 // orientation signs decided by expansions
	Exact     uint64 // orientation signs decided by arbitrary precision
	Boundary  uint64 // boundary sums in float64
	Reference uint64 // points decided by 256-bit arithmetic
	Fallback  uint64 // points for which an approximate winding number was replaced by a ray
	Undecided uint64 // points whose side is Unknown
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

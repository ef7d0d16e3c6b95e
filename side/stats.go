package side

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

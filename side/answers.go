package side

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

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

// Slice returns the answers for points lo to hi−1.
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
	Rerays    uint64 // rays discarded because they intersected an edge or a vertex
	Nodes     uint64 // tree nodes visited
	Triangles uint64 // triangles tested
	Filter    uint64 // orientation signs decided by the floating-point filter
	Expansion uint64 // orientation signs decided by expansions
	Exact     uint64 // orientation signs decided by arbitrary precision
	Boundary  uint64 // boundary sums computed in float64
	Reference uint64 // points decided by 256-bit arithmetic
	Fallback  uint64 // points whose approximate winding number was replaced by the result of a ray
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

// Grid is a regular grid of Counts[0]·Counts[1]·Counts[2] points. Point (i, j, k) lies at
//
//	Origin + (i·Spacing.X, j·Spacing.Y, k·Spacing.Z)
//
// where the product and the sum of each coordinate are rounded to float64. The number of the point
// is i + Counts[0]·(j + Counts[1]·k).
//
// A Grid can be a block of a larger grid. Then First is the point of the larger grid that is point
// (0, 0, 0) of the block. Each point of the block has the same coordinates as in the larger grid,
// bit for bit: First + (i, j, k) takes the place of (i, j, k).
type Grid struct {
	Origin, Spacing r3.Vector
	Counts          [3]int
	First           [3]int
}

// Len returns the number of points. It returns an error if a count is negative, or if the number of
// points overflows int.
func (g Grid) Len() (int, error) {
	if min(g.Counts[0], g.Counts[1], g.Counts[2]) < 0 {
		return 0, fmt.Errorf("grid of %d×%d×%d points: counts must be ≥ 0", g.Counts[0], g.Counts[1], g.Counts[2])
	}
	n := 1
	if min(g.Counts[0], g.Counts[1], g.Counts[2]) == 0 {
		return 0, nil
	}
	for _, c := range g.Counts {
		if n > math.MaxInt/c {
			return 0, fmt.Errorf("grid of %d×%d×%d points: the number of points overflows", g.Counts[0], g.Counts[1], g.Counts[2])
		}
		n *= c
	}
	return n, nil
}

// Point returns point (i, j, k).
func (g Grid) Point(i, j, k int) r3.Vector {
	return r3.Vector{
		X: g.Origin.X + float64(float64(g.First[0]+i)*g.Spacing.X),
		Y: g.Origin.Y + float64(float64(g.First[1]+j)*g.Spacing.Y),
		Z: g.Origin.Z + float64(float64(g.First[2]+k)*g.Spacing.Z),
	}
}

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

// AllAnswers holds the slices that LocateTo of an inpoly.Solid, an inpoly.Posed or an
// assembly.Assembly writes to, with one element for each point. LocateTo does not compute answers
// whose slice is nil. The number of a Solid or Posed, as of the only solid of an assembly, is 0.
type AllAnswers struct {
	// Answers holds the sides and winding numbers of the solid, or of the union of the solids; see
	// Assembly.Side and Assembly.Winding.
	Answers
	// Distance holds the signed distances to the surface, and Face holds the indexes of the nearest
	// faces in the mesh of NearestBody; see Solid.Distance and Assembly.Distance. Face is nil if and
	// only if Distance is nil.
	Distance []float64
	Face     []int32
	// DistanceBound holds the bounds of the errors of the distances; see inpoly.DistanceBound and
	// Posed.DistanceBound. It can be nil. It must be nil if Distance is nil.
	DistanceBound []float64
	// Nearest holds the closest points of all surfaces; see Solid.NearestTo and Posed.NearestTo. The
	// faces are those of NearestBody.
	Nearest []Projection
	// NearestBody holds the solids with the nearest faces, or NoBody. It can be nil. It must be nil if
	// Distance and Nearest are nil.
	NearestBody []int32
	// Body holds the solids that contain the points, or NoBody or UncertainBody. If several solids
	// contain a point, Query.Body selects the answer; see Assembly.Body.
	Body []int32
	// Sets holds all solids that contain each point; see Assembly.Bodies.
	Sets *Sets
}

// These values of AllAnswers.Body are neither the index of a solid nor a number of solids.
const (
	// NoBody means that no solid contains the point.
	NoBody int32 = -1
	// UncertainBody means that the answer depends on a side that is Unknown, or that the point is not
	// finite.
	UncertainBody int32 = -2
)

// Sets holds the set of solids that contain each point of a batch. The zero value is empty and
// ready for LocateTo. Later calls of LocateTo reuse the memory.
type Sets struct {
	Bodies  []int32 // the sets one after another, each ascending
	Ends    []int   // Ends[i] is the end of set i in Bodies
	Unknown []bool  // whether the side of point i relative to a solid is Unknown
}

// Len returns the number of points, which is also the number of sets.
func (s *Sets) Len() int { return len(s.Ends) }

// At returns the indexes of the solids that contain point i, ascending. The slice refers to the
// memory of s. If the side of point i relative to a solid is Unknown, At omits this solid and
// returns false. At panics if i is out of range.
func (s *Sets) At(i int) (bodies []int32, certain bool) {
	from := 0
	if i > 0 {
		from = s.Ends[i-1]
	}
	return s.Bodies[from:s.Ends[i]:s.Ends[i]], !s.Unknown[i]
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

package nearest

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// Searcher finds closest points on one mesh. It is immutable and safe for
// concurrent use, with one Scratch for each goroutine.
type Searcher struct {
	tree  *bvh.Tree
	tris  []mesh.Triangle // in the order of the tree's leaves
	reach float64         // at least the length of the longest edge

	wide     atomic.Pointer[wide] // for batches, once it is worth while
	asked    atomic.Int64         // points of batches, as long as it is not
	building chan struct{}        // holds one token while wide is made
	unfit    bool                 // there is no wide for this mesh
	batches  chan *batch          // working memory of earlier calls
}

// Scratch is the memory of a search. The zero Scratch is ready; it can be used
// for one search after another, on any Searcher, by one goroutine at a time. Its
// counts only grow.
type Scratch struct {
	// Done, if not nil, interrupts a search when it is closed: Closest then has
	// no answer, and Within says false.
	Done <-chan struct{}

	Triangles uint64             // triangles whose distance was computed
	Signs     predicates.Counter // signs computed to tell what is exactly on the mesh

	walk bvh.NearWalk
}

// checkTriangles is how often a search looks at Done: a power of two, some tenths of a
// millisecond.
const checkTriangles = 1 << 13

// stopped counts triangles about to be tested, and reports now and then whether
// Done is closed.
func (st *Scratch) stopped(count int32) bool {
	before := st.Triangles
	st.Triangles += uint64(count)
	if before/checkTriangles == st.Triangles/checkTriangles {
		return false
	}
	select {
	case <-st.Done:
		return true
	default:
		return false
	}
}

// Nodes returns the number of tree nodes visited.
func (st *Scratch) Nodes() uint64 { return st.walk.Nodes }

// Result is the answer to a search.
type Result struct {
	// Point is the closest point, rounded; p itself if that is on the mesh.
	Point r3.Vector
	// Distance is 0 if and only if p is exactly on the mesh. It is +Inf where it
	// exceeds the largest float64, and NaN where there is no answer: p is not
	// finite, or the mesh has no faces.
	Distance float64
	// Bound is a certified bound of the error of Distance: 0 if Distance is 0,
	// else about 80·2⁻⁵³ times the sum of Distance and at most twice the longest
	// edge of the mesh. NaN if Distance is.
	Bound float64
	// Face is the face that Point is on: of several at the same Distance the
	// one with the smallest number. −1 if there is no answer.
	Face int32
}

// none is the answer where there is none.
func none() Result {
	nan := math.NaN()
	return Result{Point: r3.Vector{X: nan, Y: nan, Z: nan}, Distance: nan, Bound: nan, Face: -1}
}

// New returns a Searcher that shares x. It takes O(n) time for n faces.
func New(x *mesh.Indexed) *Searcher {
	t, tris := x.Tree(), x.Triangles()
	var mu sync.Mutex
	longest := 0.0
	// The background context never ends, so there is no error.
	_ = par.Blocks(context.Background(), len(tris), 1<<15, 0, func(_, lo, hi int) {
		part := 0.0
		for i := lo; i < hi; i++ {
			t := &tris[i]
			for k := range t {
				e := t[(k+1)%3].Sub(t[k])
				part = max(part, math.Abs(e.X), math.Abs(e.Y), math.Abs(e.Z))
			}
		}
		mu.Lock()
		longest = max(longest, part)
		mu.Unlock()
	})
	// An edge is at most √3 < 2 times as long as its longest coordinate.
	_, _, fit := fits(t.Bounds())
	return &Searcher{
		tree: t, tris: tris, reach: 2 * longest, unfit: !fit,
		building: make(chan struct{}, 1), batches: make(chan *batch, 1),
	}
}

// Closest returns the closest point of the mesh to p. It allocates nothing,
// unless p is so close to a face that only arbitrary precision can tell whether
// it is on it (counted in st.Signs.Exact). It panics if st is nil.
func (s *Searcher) Closest(p r3.Vector, st *Scratch) Result {
	best := none()
	distance := math.Inf(1)
	index := s.tree.Index()
	w := &st.walk
	w.Start(s.tree, p)
	for first, count, ok := w.Next(math.Inf(1)); ok; first, count, ok = w.Next(s.limit(distance, w.Scale())) {
		if st.stopped(count) {
			return none()
		}
		for k := first; k < first+count; k++ {
			g, d := closest(p, &s.tris[k], &st.Signs)
			if f := index[k]; d < distance || d == distance && (f < best.Face || best.Face < 0) {
				distance = d
				best.Face, best.Point = f, g
			}
		}
	}
	if best.Face < 0 {
		return best
	}
	best.Point = p.Add(best.Point)
	best.Distance, best.Bound = distance, s.bound(distance)
	return best
}

// Within reports whether the mesh has a point whose Distance from p, as Closest
// returns it, is at most tolerance: for a tolerance of 0, whether p is exactly on
// the mesh. It is false if p is not finite, and if tolerance is negative or NaN.
// It is faster than Closest, and allocates as little.
func (s *Searcher) Within(p r3.Vector, tolerance float64, st *Scratch) bool {
	if !(tolerance >= 0) {
		return false
	}
	w := &st.walk
	w.Start(s.tree, p)
	limit := s.limit(tolerance, w.Scale())
	for first, count, ok := w.Next(limit); ok; first, count, ok = w.Next(limit) {
		if st.stopped(count) {
			return false
		}
		for k := first; k < first+count; k++ {
			if _, d := closest(p, &s.tris[k], &st.Signs); d <= tolerance {
				return true
			}
		}
	}
	return false
}

// bound returns the bound of the error of a distance that was computed, of some
// face or of the nearest: kernelError times what is at least the distance of that
// face's farthest corner.
func (s *Searcher) bound(distance float64) float64 {
	if distance == 0 {
		return 0
	}
	// Half a unit of the smallest number is lost where the distance is scaled
	// back; the bound itself is rounded three times.
	return kernelError*(1+0x1p-50)*(distance+s.reach) + math.SmallestNonzeroFloat64
}

// limit returns an upper bound of the squared, scaled exact distance of every
// face whose computed distance is at most distance.
func (s *Searcher) limit(distance, scale float64) float64 {
	// A computed distance of 0 is exact, but faces farther away cannot be told
	// from it before they are computed; so take the bound of the smallest one.
	r := (distance + s.bound(max(distance, math.SmallestNonzeroFloat64))) * scale
	return float64(r*r) * (1 + 0x1p-50)
}

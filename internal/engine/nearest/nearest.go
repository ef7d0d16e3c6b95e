package nearest

import (
	"context"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// Searcher finds closest points on one mesh. It is safe for concurrent use. Each goroutine needs
// its own Scratch.
type Searcher struct {
	mesh    *mesh.Mesh
	tree    *bvh.Tree
	tris    []mesh.Triangle         // triangles of the mesh, in the order of the tree's leaves
	maxEdge float64                 // upper bound of the length of the longest edge
	obb     *lazy.Upgrade[*obbTree] // OBB tree; nil until obbPays returns true
	idle    chan *batch             // working memory of earlier batches
	singles sync.Pool               // holds values of type *distanceMemory
	normals *lazy.Value[normals]
}

// Scratch is the memory of a search. The zero Scratch is ready to use. Successive searches can
// share a Scratch, even on different Searchers, but concurrent searches cannot. Each search adds to
// the counts of its Scratch.
type Scratch struct {
	// If Done is not nil, closing Done interrupts a search. Closest then returns no result, and
	// Within returns false.
	Done <-chan struct{}

	Triangles uint64             // number of triangles whose distance was computed
	Signs     predicates.Counter // counts of signs computed to decide whether points are on the mesh

	walk    bvh.NearWalk
	near    candidates
	several several
	exact   *exact // nil until a search needs exact arithmetic
}

// doneInterval is the number of triangles that a search tests between two checks of Done. These
// tests take a few tenths of a millisecond. doneInterval is a power of two.
const doneInterval = 1 << 13

// stopped adds count to the number of tested triangles. Once every doneInterval triangles, it
// checks Done and reports whether Done is closed. Between these checks, it returns false.
func (st *Scratch) stopped(count int32) bool {
	before := st.Triangles
	st.Triangles += uint64(count)
	if before/doneInterval == st.Triangles/doneInterval {
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

// Result is the result of a search for the point of a mesh that is closest to p.
type Result struct {
	// Point is the closest point of Face, rounded, or p itself if p is on the mesh. Let q be Point
	// before its coordinates are rounded. The distance from q to Face is at most
	// Searcher.PointBound. The distance from q to p differs from Distance by at most PointBound.
	Point r3.Vector
	// Distance is the exact distance, rounded up to a float64. So Distance is 0 if and only if p is
	// exactly on the mesh, and Distance ≤ x if and only if the exact distance is at most x. ErrorBound
	// bounds the error. Distance is +Inf if the exact distance exceeds the largest float64. Distance
	// is NaN if p is not finite, the mesh has no faces, or the search is interrupted.
	Distance float64
	// Face is the index of the face with the smallest exact distance. If several faces have exactly
	// this distance, Face is the smallest index. If Distance is NaN, Face is −1.
	Face int32

	at   int32 // index of the face, in the order of the tree's leaves
	part part  // part of the face that contains the closest point, or 0 if it is not known
}

func noResult() Result {
	nan := math.NaN()
	return Result{Point: r3.Vector{X: nan, Y: nan, Z: nan}, Distance: nan, Face: -1}
}

// ErrorBound returns the error bound of a distance d, which can be negative. If d is not 0, the
// exact distance is in (|d| − ErrorBound(d), |d|]. ErrorBound(0) is 0.
func ErrorBound(d float64) float64 { return math.Abs(d) - math.Nextafter(math.Abs(d), 0) }

// New returns a Searcher that shares the tree and the triangles of x. It takes O(n) time for n
// faces.
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
	// The length of an edge is at most √3 times its largest component, so the factor 2 suffices.
	s := &Searcher{mesh: x.Mesh(), tree: t, tris: tris, maxEdge: 2 * longest, idle: make(chan *batch, 1)}
	s.singles.New = func() any { return new(distanceMemory) }
	s.normals = lazy.New(func(ctx context.Context) (*normals, error) { return newNormals(ctx, s.mesh) })
	s.obb = lazy.NewUpgrade(nil, s.obbPays, func(ctx context.Context, _ *obbTree, _ int64, workers int) (*obbTree, bool, error) {
		t, err := newOBBTree(ctx, s.tris, s.tree.Bounds(), workers)
		return t, true, err
	})
	return s
}

// The OBB tree pays off if facesPerPoint times the number of points is at least the number of faces.
// Building the tree takes about 0.5 µs for each face and saves at least 1 µs for each point.
const facesPerPoint = 16 // tuning

// obbPays reports whether the OBB tree pays off for the given number of points.
func (s *Searcher) obbPays(_ *obbTree, points int64) bool {
	return points >= int64(len(s.tris))/facesPerPoint
}

// Closest returns the closest point of the mesh to p. For n faces, it takes O(log n) time for
// ordinary meshes and points, and O(n) in the worst case. See Result for empty meshes and for
// points that are not finite. If pairs of float64 do not decide which face is nearest or how to
// round the distance, Closest computes exact squared distances with integers. st.Signs.Exact counts
// these distances. Closest allocates memory only for these integers, and st keeps this memory.
// Closest panics if st is nil.
func (s *Searcher) Closest(p r3.Vector, st *Scratch) Result {
	near := &st.near
	near.reset()
	distance := math.Inf(1)
	w := &st.walk
	w.Start(s.tree, p)
	for first, count, ok := w.Next(math.Inf(1)); ok; first, count, ok = w.Next(s.limit(distance, w.Scale())) {
		if st.stopped(count) {
			return noResult()
		}
		for k := first; k < first+count; k++ {
			g, d, bound := closest(p, &s.tris[k], &st.Signs)
			distance = min(distance, d)
			near.add(s, &p, k, g, d, bound, st)
		}
	}
	return s.result(p, st)
}

// result returns the result of a search whose candidates are in st.
func (s *Searcher) result(p r3.Vector, st *Scratch) Result {
	if st.near.size == 0 {
		return noResult()
	}
	best := st.near.best(s, &p, st)
	r := Result{Face: best.face, Distance: best.roundUp(&p, st), Point: p, at: st.near.list[best.index].at, part: best.part}
	if r.Distance > 0 {
		r.Point = p.Add(st.near.list[best.index].foot)
	}
	return r
}

// Within reports whether the exact distance from p to the mesh is at most the tolerance. The
// Distance of Closest(p, st) gives the same answer. With tolerance 0, Within reports whether p is
// exactly on the mesh. Within returns false if p is not finite, or if the tolerance is negative or
// NaN. Within is faster than Closest. It allocates and panics under the same conditions as Closest.
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
			_, d, bound := closest(p, &s.tris[k], &st.Signs)
			if d+bound <= tolerance || !(d-bound > tolerance) && s.distance(p, k, st) <= tolerance {
				return true
			}
		}
	}
	return false
}

// distance returns the distance from p to triangle k, rounded up.
func (s *Searcher) distance(p r3.Vector, k int32, st *Scratch) float64 {
	t := selected{measured: measure(&p, &s.tris[k]), tri: &s.tris[k]}
	return t.roundUp(&p, st)
}

// PointBound returns a bound of the error of Result.Point, for a Result with the given distance. It
// is about 80·2⁻⁵³·(distance + 2·E), where E is the length of the longest edge of the mesh.
//
// The same bound holds for the error of a computed distance to a face or to the mesh. All corners
// of the face are at most distance + maxEdge away. The bound is kernelError times this sum.
func (s *Searcher) PointBound(distance float64) float64 {
	if distance == 0 {
		return 0
	}
	// Scaling the distance back adds an error of at most half the smallest positive float64. The
	// factor 1+2⁻⁵⁰ covers three roundings in the bound.
	return kernelError*(1+0x1p-50)*(distance+s.maxEdge) + math.SmallestNonzeroFloat64
}

// limit returns an upper bound of squared exact distances, in scaled coordinates. It holds for
// every face whose computed distance is at most distance.
func (s *Searcher) limit(distance, scale float64) float64 {
	// s.PointBound(0) is 0, but the limit needs a margin even for a distance of 0.
	r := (distance + s.PointBound(max(distance, math.SmallestNonzeroFloat64))) * scale
	return float64(r*r) * (1 + 0x1p-50)
}

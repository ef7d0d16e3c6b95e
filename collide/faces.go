package collide

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// FacePair is a face of body A and a face of body B that touch, with A < B. TrianglesTouch tests
// the faces in the frame of B. Each corner of A is transformed and rounded once, and all faces at
// the corner use the rounded corner. So a closed mesh stays closed; see the package comment.
type FacePair struct {
	A, B         int32
	FaceA, FaceB int32
}

// FacePairs returns the pairs of faces that touch, in ascending order of A, B, FaceA and FaceB.
// Options.Triangles selects the pairs of bodies. The slice is valid until the next Step.
func (w *World) FacePairs() []FacePair { return w.step.touching }

type faceWorker struct {
	walk  bvh.BoxWalk
	tris  []mesh.Triangle // triangles of a leaf of body A, in the frame of B
	box   bvh.Box
	found []FacePair
	signs predicates.Counter
}

// checkFaces is the number of faces that are processed between two checks of the context. Testing
// this many faces takes some hundred microseconds. // tuning
const checkFaces = 1 << 10

// blockPairs is the number of pairs of bodies in a block. // tuning
const blockPairs = 4

// findTouching finds the touching faces for the pairs of queries, from pair number first on. It
// stops soon after the number of pairs of faces exceeds most, but searches at least one pair of
// queries. It returns the number of the next pair of queries.
func (w *World) findTouching(ctx context.Context, first, most int) (next int, err error) {
	s := &w.step
	s.touching = s.touching[:0]
	pairs := len(s.queries) / 2
	if w.opt.Triangles == NoTriangles {
		return pairs, nil
	}
	for i := range s.workers {
		s.workers[i].faces.found = s.workers[i].faces.found[:0]
	}
	for i := first; i < pairs; i++ {
		s.queries[2*i].done = false
	}
	var found atomic.Int64
	var tooMany atomic.Bool
	err = par.Blocks(ctx, pairs-first, blockPairs, len(s.workers), func(k, lo, hi int) {
		for i := first + lo; i < first+hi && ctx.Err() == nil && !tooMany.Load(); i++ {
			if i > first && found.Load() > int64(most) {
				return
			}
			q, back := &s.queries[2*i], &s.queries[2*i+1]
			q.faces, q.tests, q.done = span{worker: k, first: len(s.workers[k].faces.found)}, 0, true
			if w.opt.Triangles == MissedTriangles && q.hitCount+back.hitCount > 0 {
				continue
			}
			if !w.touchingFaces(ctx, q, &s.workers[k]) {
				tooMany.Store(true)
			}
			found.Add(int64(q.faces.count))
		}
	})
	if err != nil {
		return first, err
	}
	if tooMany.Load() {
		return first, fmt.Errorf("%w of faces of two bodies touch: more than %d", ErrPairs, w.opt.MaxPairs)
	}
	for next = first; next < pairs && s.queries[2*next].done; next++ {
		q := &s.queries[2*next]
		s.touching = append(s.touching, s.workers[q.faces.worker].faces.found[q.faces.first:q.faces.first+q.faces.count]...)
		s.stats.Tests += q.tests
	}
	return next, nil
}

// touchingFaces appends the touching pairs of faces of the two bodies to the results of worker k. It
// returns false if there are more pairs than Options.MaxPairs.
func (w *World) touchingFaces(ctx context.Context, q *query, k *worker) bool {
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	f := &k.faces
	index, others := a.faces.Index(), b.faces.Index()
	seen := 0
	canceled := func(count int32) bool {
		if seen += int(count); seen < checkFaces {
			return false
		}
		seen = 0
		return ctx.Err() != nil
	}
	k.walk.Start(a.faces, q.region)
	for first, count, ok := k.walk.Next(); ok; first, count, ok = k.walk.Next() {
		if canceled(count) {
			return true
		}
		f.place(a, q, first, count)
		f.walk.Start(b.faces, f.box)
		for other, n, ok := f.walk.Next(); ok; other, n, ok = f.walk.Next() {
			if canceled(n) {
				return true
			}
			if w.opt.MaxPairs > 0 && len(f.found)-q.faces.first > w.opt.MaxPairs {
				return false
			}
			for i := range f.tris {
				for j := other; j < other+n; j++ {
					if f.signs.TrianglesTouch((*[3]r3.Vector)(&f.tris[i]), (*[3]r3.Vector)(&b.tris[j])) {
						f.found = append(f.found, FacePair{A: q.a, B: q.b, FaceA: index[int(first)+i], FaceB: others[j]})
					}
				}
			}
			q.tests += uint64(len(f.tris)) * uint64(n)
		}
	}
	if q.faces.count = len(f.found) - q.faces.first; w.opt.MaxPairs > 0 && q.faces.count > w.opt.MaxPairs {
		return false
	}
	slices.SortFunc(f.found[q.faces.first:], func(x, y FacePair) int {
		return cmp.Or(cmp.Compare(x.FaceA, y.FaceA), cmp.Compare(x.FaceB, y.FaceB))
	})
	return true
}

// place sets f.tris to the faces of a leaf of shape a, transformed into the frame of body q.b.
func (f *faceWorker) place(a *shape, q *query, first, count int32) {
	f.tris, f.box = f.tris[:0], bvh.EmptyBox()
	for _, t := range a.tris[first : first+count] {
		for k := range t {
			t[k] = q.toB.Apply(t[k])
			f.box = f.box.Add(t[k])
		}
		f.tris = append(f.tris, t)
	}
}

// TrianglesTouch reports whether two closed triangles share a point. The result is exact for finite
// coordinates. The triangles can be coplanar and can share corners and edges. A triangle without
// area is the segment or the point that its corners span. The result does not depend on the order
// of the triangles or of their corners. TrianglesTouch allocates only if package predicates needs
// arbitrary precision.
func TrianglesTouch(t, u mesh.Triangle) bool {
	var k predicates.Counter
	return k.TrianglesTouch((*[3]r3.Vector)(&t), (*[3]r3.Vector)(&u))
}

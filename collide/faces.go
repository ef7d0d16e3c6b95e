package collide

import (
	"cmp"
	"context"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// FacePair is a face of body A and one of body B > A that touch, as TrianglesTouch
// decides with the corners of A's faces in the frame of B. These are rounded, by as much as
// package doc says of nodes, but the same for all faces of a corner: A stays as closed as it is.
type FacePair struct {
	A, B         int32
	FaceA, FaceB int32
}

// FacePairs returns the faces that touch, of the bodies that Options.Triangles asks for,
// in ascending order of A, B, FaceA and FaceB. The slice is valid until the next Step.
func (w *World) FacePairs() []FacePair { return w.step.touching }

// faceWorker is the memory of a goroutine for triangles.
type faceWorker struct {
	walk  bvh.BoxWalk     // over the other body
	tris  []mesh.Triangle // of a leaf, in the frame of the other body
	box   bvh.Box         // around them
	found []FacePair
	signs predicates.Counter
	tests uint64
}

// checkFaces is how many faces of either body are passed before the context is looked at:
// some hundred microseconds. A choice.
const checkFaces = 1 << 10

// blockPairs is how many pairs of bodies a worker takes at a time. A choice.
const blockPairs = 4

// findTouching finds the triangles that touch.
func (w *World) findTouching(ctx context.Context) error {
	s := &w.step
	for i := range s.workers {
		f := &s.workers[i].faces
		f.found, f.tests = f.found[:0], 0
	}
	pairs := len(s.queries) / 2
	err := par.Blocks(ctx, pairs, blockPairs, len(s.workers), func(k, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			q, back := &s.queries[2*i], &s.queries[2*i+1]
			q.faces = span{worker: k, first: len(s.workers[k].faces.found)}
			if q.apart || w.opt.Triangles == MissedTriangles && q.hitCount+back.hitCount > 0 {
				continue
			}
			w.touchingFaces(ctx, q, &s.workers[k])
		}
	})
	if err != nil {
		return err
	}
	for i := range s.workers {
		s.stats.Tests += s.workers[i].faces.tests
	}
	for i := 0; i < len(s.queries); i += 2 {
		p := s.queries[i].faces
		s.touching = append(s.touching, s.workers[p.worker].faces.found[p.first:p.first+p.count]...)
	}
	return nil
}

// touchingFaces appends the faces of the bodies of q that touch to the memory of k.
func (w *World) touchingFaces(ctx context.Context, q *query, k *worker) {
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	f := &k.faces
	index, others := a.faces.Index(), b.faces.Index()
	seen := 0
	ended := func(count int32) bool {
		if seen += int(count); seen < checkFaces {
			return false
		}
		seen = 0
		return ctx.Err() != nil
	}
	k.walk.Start(a.faces, q.region)
	for first, count, ok := k.walk.Next(); ok; first, count, ok = k.walk.Next() {
		if ended(count) {
			return
		}
		f.place(a, q, first, count)
		f.walk.Start(b.faces, f.box)
		for other, n, ok := f.walk.Next(); ok; other, n, ok = f.walk.Next() {
			if ended(n) {
				return
			}
			for i := range f.tris {
				for j := other; j < other+n; j++ {
					if touch(&f.signs, &f.tris[i], &b.tris[j]) {
						f.found = append(f.found, FacePair{A: q.a, B: q.b, FaceA: index[int(first)+i], FaceB: others[j]})
					}
				}
			}
			f.tests += uint64(len(f.tris)) * uint64(n)
		}
	}
	q.faces.count = len(f.found) - q.faces.first
	slices.SortFunc(f.found[q.faces.first:], func(x, y FacePair) int {
		return cmp.Or(cmp.Compare(x.FaceA, y.FaceA), cmp.Compare(x.FaceB, y.FaceB))
	})
}

// place takes the faces of a leaf of a into the frame of b.
func (f *faceWorker) place(a *shape, q *query, first, count int32) {
	f.tris, f.box = f.tris[:0], bvh.EmptyBox()
	for _, t := range a.tris[first : first+count] {
		for k := range t {
			t[k] = q.toB.apply(t[k])
			f.box = f.box.Add(t[k])
		}
		f.tris = append(f.tris, t)
	}
}

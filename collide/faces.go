package collide

import (
	"cmp"
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
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
	tests uint64
}

// checkFaces is the number of faces that are processed between two checks of the context. Testing
// this many faces takes some hundred microseconds. // tuning
const checkFaces = 1 << 10

// blockPairs is the number of pairs of bodies in a block. // tuning
const blockPairs = 4

func (w *World) findTouching(ctx context.Context) error {
	if w.opt.Triangles == NoTriangles {
		return nil
	}
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

// touchingFaces appends the touching pairs of faces of the two bodies to the results of worker k.
func (w *World) touchingFaces(ctx context.Context, q *query, k *worker) {
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
			return
		}
		f.place(a, q, first, count)
		f.walk.Start(b.faces, f.box)
		for other, n, ok := f.walk.Next(); ok; other, n, ok = f.walk.Next() {
			if canceled(n) {
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

// place sets f.tris to the faces of a leaf of shape a, transformed into the frame of body q.b.
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

// TrianglesTouch reports whether two closed triangles share a point. The result is exact for finite
// coordinates. The triangles can be coplanar and can share corners and edges. A triangle without
// area is the segment or the point that its corners span. The result does not depend on the order
// of the triangles or of their corners. TrianglesTouch allocates only if package predicates needs
// arbitrary precision.
func TrianglesTouch(t, u mesh.Triangle) bool {
	var k predicates.Counter
	return touch(&k, &t, &u)
}

// touch does the work of TrianglesTouch and counts the computed signs in k. Two triangles share a
// point if and only if an edge of one triangle shares a point with the other triangle. Proof: if
// the planes cross, the ends of the common segment are on edges. If the triangles are coplanar and
// their edges do not meet, one triangle contains the other triangle with its edges. A triangle
// without area is the union of its edges.
func touch(k *predicates.Counter, t, u *mesh.Triangle) bool {
	if !overlap(t, u) {
		return false
	}
	onT, ok := planeSigns(k, t, u)
	if !ok {
		return false
	}
	onU, ok := planeSigns(k, u, t)
	if !ok {
		return false
	}
	for i := range 3 {
		j := (i + 1) % 3
		if edgeTouches(k, u[i], u[j], onT[i], onT[j], t) || edgeTouches(k, t[i], t[j], onU[i], onU[j], u) {
			return true
		}
	}
	return false
}

func overlap(t, u *mesh.Triangle) bool {
	return min(t[0].X, t[1].X, t[2].X) <= max(u[0].X, u[1].X, u[2].X) && min(u[0].X, u[1].X, u[2].X) <= max(t[0].X, t[1].X, t[2].X) &&
		min(t[0].Y, t[1].Y, t[2].Y) <= max(u[0].Y, u[1].Y, u[2].Y) && min(u[0].Y, u[1].Y, u[2].Y) <= max(t[0].Y, t[1].Y, t[2].Y) &&
		min(t[0].Z, t[1].Z, t[2].Z) <= max(u[0].Z, u[1].Z, u[2].Z) && min(u[0].Z, u[1].Z, u[2].Z) <= max(t[0].Z, t[1].Z, t[2].Z)
}

// planeSigns returns the sign of each corner of u relative to the plane of t. All signs are 0 if t
// has no area. ok is false if all corners are strictly on one side of the plane.
func planeSigns(k *predicates.Counter, t, u *mesh.Triangle) (s [3]int, ok bool) {
	for i := range u {
		s[i] = k.Orient3D(t[0], t[1], t[2], u[i])
	}
	return s, s[0] == 0 || s[0] != s[1] || s[0] != s[2]
}

// edgeTouches reports whether the closed segment from p to q shares a point with t. sp and sq are
// the signs of p and q relative to the plane of t ("Volume-Signs" of Muth et al. 2006, §2.2).
func edgeTouches(k *predicates.Counter, p, q r3.Vector, sp, sq int, t *mesh.Triangle) bool {
	switch {
	case sp*sq > 0:
		return false
	case sp == 0 && sq == 0:
		return coplanarTouches(k, p, q, t)
	case sp == 0:
		return k.OnCoplanar(p, t[0], t[1], t[2])
	case sq == 0:
		return k.OnCoplanar(q, t[0], t[1], t[2])
	}
	// The line through p and q crosses the plane of t in one point. The point is outside t if and
	// only if it is strictly on different sides of two edges.
	a, b := k.Orient3D(p, q, t[0], t[1]), k.Orient3D(p, q, t[1], t[2])
	if a*b < 0 {
		return false
	}
	c := k.Orient3D(p, q, t[2], t[0])
	return a*c >= 0 && b*c >= 0
}

// coplanarTouches does the work of edgeTouches for a segment in the plane of t, or if t has no
// area.
func coplanarTouches(k *predicates.Counter, p, q r3.Vector, t *mesh.Triangle) bool {
	if k.OnCoplanar(p, t[0], t[1], t[2]) || k.OnCoplanar(q, t[0], t[1], t[2]) {
		return true
	}
	for i, a := range t {
		if k.OnSegment(a, p, q) || cross(k, p, q, a, t[(i+1)%3]) {
			return true
		}
	}
	return false
}

// cross reports whether two segments cross in a point that is not an end of either segment.
// It tests projections along an axis that is not parallel to the common plane of the segments.
func cross(k *predicates.Counter, p, q, a, b r3.Vector) bool {
	if k.Orient3D(p, q, a, b) != 0 {
		return false
	}
	for axis := range 3 {
		pa, qa, aa, ba := drop(p, axis), drop(q, axis), drop(a, axis), drop(b, axis)
		// If p, q and a are collinear, the segments do not cross.
		area := func(a, b, c r3.Vector) int { return k.Orient2D(a.X, a.Y, b.X, b.Y, c.X, c.Y) }
		if s := area(pa, qa, aa); s != 0 {
			return s*area(pa, qa, ba) < 0 && area(aa, ba, pa)*area(aa, ba, qa) < 0
		}
	}
	return false
}

// drop removes one coordinate of v and returns the others as X and Y.
func drop(v r3.Vector, axis int) r3.Vector {
	switch axis {
	case 0:
		return r3.Vector{X: v.Y, Y: v.Z}
	case 1:
		return r3.Vector{X: v.Z, Y: v.X}
	}
	return r3.Vector{X: v.X, Y: v.Y}
}

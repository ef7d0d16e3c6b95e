package assembly

import (
	"context"
	"math"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/locate"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/side"
)

// surfaces finds the nearest face of all solids. One search over all of them is bounded
// by the nearest face so far; separate searches would not be.
type surfaces struct {
	searcher *nearest.Searcher
	first    []int32 // number of the first face of each solid
}

// newSurfaces puts the faces of all solids together. A single solid shares its tree. It
// fails only with the error of ctx: build has counted the faces, and each solid has
// checked the coordinates.
func (a *Assembly) newSurfaces(ctx context.Context) (*surfaces, error) {
	all := &surfaces{first: make([]int32, len(a.members))}
	if len(a.members) == 1 {
		index, err := a.members[0].set.Surface.Index(ctx)
		if err != nil {
			return nil, err
		}
		all.searcher = index.Nearest
		return all, nil
	}
	var m mesh.Mesh // not welded, which nearest faces do not need
	for i := range a.members {
		part := a.members[i].solid.Mesh()
		base := int32(len(m.Vertices))
		all.first[i] = int32(len(m.Faces))
		m.Vertices = append(m.Vertices, part.Vertices...)
		for _, f := range part.Faces {
			m.Faces = append(m.Faces, [3]int32{base + f[0], base + f[1], base + f[2]})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	x, err := m.Index(ctx, bvh.Options{Workers: a.opt.Workers})
	if err != nil {
		return nil, err
	}
	all.searcher = nearest.New(x)
	return all, nil
}

// owner returns the solid of a face of all, and the face's number in its mesh.
func (all *surfaces) owner(face int32) (body, own int32) {
	if face < 0 {
		return None, -1
	}
	// A solid without faces begins at the same face as the next solid, so the last solid
	// that begins at or before the face owns it.
	body = int32(sort.Search(len(all.first), func(i int) bool { return all.first[i] > face })) - 1
	return body, face - all.first[body]
}

// Distance returns the signed distance from p to the nearest surface of any solid,
// negative if p is Inside any solid, not necessarily that solid. It also returns that
// solid and the number of the nearest face in its mesh. If several are at the same
// distance, it returns the first solid and its smallest face. So within a union it is the
// distance to the nearest face, which may lie in another solid, and at most the distance
// to the boundary of the union.
//
// The distance is 0 if p is exactly on a face; Options.Tolerance has no effect. If p is
// Inside of none and Unknown for some solid, the sign is unknown and d is NaN. If p is
// not finite or there are no faces, body and face are −1 too.
//
// The first call for distances of several solids puts all faces into a tree, which is
// kept.
func (a *Assembly) Distance(p r3.Vector) (d float64, body, face int32) {
	all := a.surfaces.Must()
	var sc nearest.Scratch
	r := all.searcher.Closest(p, &sc)
	if r.Face < 0 {
		return math.NaN(), None, -1
	}
	out := side.Outside
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok && out != side.Inside; i, ok = w.next() {
		out = union(out, a.members[i].set.Exact.Side(p))
	}
	body, face = all.owner(r.Face)
	return locate.Signed(r.Distance, out), body, face
}

// distancesTo fills the distances, faces and nearest bodies of dst. The caller has cleared them.
func (a *Assembly) distancesTo(ctx context.Context, dst Answers, pts []r3.Vector) error {
	d, face, body := dst.Distance, dst.Face, dst.NearestBody
	all, err := a.surfaces.Get(ctx)
	if err == nil {
		err = all.searcher.DistancesTo(ctx, d, face, pts, a.opt.Workers)
	}
	if err == nil {
		_, err = a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
			b := bodyBlock{sides: make([]side.Side, hi-lo), exact: true}
			if b.locate(ctx, a, w, &a.given, pts[lo:hi]) != nil {
				return
			}
			for i := lo; i < hi; i++ {
				d[i] = locate.Signed(d[i], b.sides[i-lo])
				body[i], face[i] = all.owner(face[i])
			}
		})
	}
	if err != nil {
		for i := range d {
			if body[i] < 0 { // nothing is known of the sign
				d[i], face[i] = math.NaN(), -1
			}
		}
	}
	return err
}

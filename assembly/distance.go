package assembly

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/joined"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// surfaces finds the nearest face of all solids. One search over all faces is faster than a search
// for each solid, because each candidate face limits the rest of the search.
type surfaces struct {
	searcher *nearest.Searcher
	owners   *joined.Faces // nil if there is one solid
}

// newSurfaces collects the faces of all solids. If there is one solid, newSurfaces uses its tree.
// It fails only if ctx ends, because New has checked the meshes.
func (a *Assembly) newSurfaces(ctx context.Context) (*surfaces, error) {
	all := &surfaces{}
	if len(a.members) == 1 {
		index, err := a.members[0].set.Surface.Index(ctx)
		if err != nil {
			return nil, err
		}
		all.searcher = index.Nearest
		return all, nil
	}
	meshes := make([]*mesh.Mesh, len(a.members))
	for i := range a.members {
		meshes[i] = a.members[i].solid.Mesh()
	}
	owners, soup, err := joined.Meshes(ctx, meshes)
	if err != nil {
		return nil, err
	}
	all.owners = owners
	// Not welded, because a search for nearest faces needs no welding.
	m := mesh.Mesh{Vertices: soup.Vertices, Faces: soup.Faces}
	x, err := m.Index(ctx, bvh.Options{Workers: a.opt.Workers})
	if err != nil {
		return nil, err
	}
	all.searcher = nearest.New(x)
	return all, nil
}

// owner returns the solid with the given face, and the index of the face in the mesh of that solid.
// It returns inpoly.NoBody and −1 if face is negative.
func (all *surfaces) owner(face int32) (body, own int32) {
	switch {
	case face < 0:
		return inpoly.NoBody, -1
	case all.owners == nil:
		return 0, face
	}
	return all.owners.Owner(face)
}

// Distance returns the signed distance d from p to the nearest face of all solids. It also returns
// the index of the solid with this face, and the index of the face in the mesh of this solid. If
// several faces are at exactly the same distance, Distance returns the first solid, and its face with
// the smallest index. |d| is the exact distance, rounded up; see inpoly.DistanceBound.
//
// The distance d is negative if p is Inside any solid, even if the nearest face belongs to another
// solid. Inside the union, −d is at most the distance to the boundary of the union, because a face
// can lie inside another solid. d is 0 if p is exactly on a face. Options.Tolerance has no effect.
//
// If p is Inside no solid and its side relative to some solid is Unknown, d is NaN. If p is not
// finite or there are no faces, d is NaN, and body and face are −1.
//
// The first call builds a tree over the faces of all solids, which stays in memory.
func (a *Assembly) Distance(p r3.Vector) (d float64, body, face int32) {
	if a.negative > 0 {
		return math.NaN(), inpoly.NoBody, -1
	}
	if a.poses != nil {
		return a.posedDistance(p)
	}
	all := a.surfaces.Must()
	d, face = all.searcher.Distance(p)
	if face < 0 {
		return math.NaN(), inpoly.NoBody, -1
	}
	body, face = all.owner(face)
	return locate.Signed(d, a.side(p, true)), body, face
}

// distancesTo writes the distances, faces and nearest bodies to dst. The caller has cleared dst.
func (a *Assembly) distancesTo(ctx context.Context, dst inpoly.Answers, pts []r3.Vector) error {
	d, face := dst.Distance, dst.Face
	if a.poses != nil {
		return a.posedDistancesTo(ctx, dst, pts)
	}
	defer setBounds(dst)
	all, err := a.surfaces.Get(ctx)
	if err == nil {
		err = all.searcher.DistancesTo(ctx, d, face, pts, a.opt.Workers)
	}
	done := make([]bool, len(pts))
	if err == nil {
		_, err = a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
			b := bodyBlock{sides: make([]side.Side, hi-lo), ignoreTolerance: true}
			if b.locate(ctx, a, w, pts[lo:hi]) != nil {
				return
			}
			for i := lo; i < hi; i++ {
				body, own := all.owner(face[i])
				d[i], face[i], done[i] = locate.Signed(d[i], b.sides[i-lo]), own, true
				if dst.NearestBody != nil {
					dst.NearestBody[i] = body
				}
			}
		})
	}
	for i, ok := range done {
		if !ok { // the sign is not known
			d[i], face[i] = math.NaN(), -1
		}
	}
	return err
}

// setBounds writes the bounds of the distances of solids without poses.
func setBounds(a inpoly.Answers) {
	for i := range a.DistanceBound {
		a.DistanceBound[i] = inpoly.DistanceBound(a.Distance[i])
	}
}

// nearestTo writes the closest points, and distances if dst has them. The caller has cleared dst.
func (a *Assembly) nearestTo(ctx context.Context, dst inpoly.Answers, pts []r3.Vector) error {
	if a.poses != nil {
		return a.posedDistancesTo(ctx, dst, pts)
	}
	defer setBounds(dst)
	all, err := a.surfaces.Get(ctx)
	if err == nil {
		err = all.searcher.ProjectTo(ctx, dst.Nearest, pts, a.opt.Workers, nil)
	}
	done := make([]bool, len(pts))
	if err == nil {
		_, err = a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
			b := bodyBlock{sides: make([]side.Side, hi-lo), ignoreTolerance: true}
			if b.locate(ctx, a, w, pts[lo:hi]) != nil {
				return
			}
			for i := lo; i < hi; i++ {
				n := &dst.Nearest[i]
				body, face := all.owner(n.Face)
				n.Distance, n.Face, done[i] = locate.Signed(n.Distance, b.sides[i-lo]), face, true
				if dst.NearestBody != nil {
					dst.NearestBody[i] = body
				}
				if dst.Distance != nil {
					dst.Distance[i], dst.Face[i] = n.Distance, n.Face
				}
			}
		})
	}
	for i, ok := range done {
		if !ok { // the sign is not known
			answers.Projections.Clear(dst.Nearest[i : i+1])
		}
	}
	return err
}

package inpoly

import (
	"context"
	"math"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
)

// surfaces finds the nearest face of all solids: one search over all of them is
// bounded by the nearest yet, which a search of each is not.
type surfaces struct {
	near  *nearest.Searcher
	first []int32 // number of the first face of each solid
}

// newSurfaces puts the faces of all solids together. It fails only with the error of
// ctx: newAssembly has counted the faces, and each solid has checked the coordinates.
func (a *Assembly) newSurfaces(ctx context.Context) (*surfaces, error) {
	all := &surfaces{first: make([]int32, len(a.members))}
	if len(a.members) == 1 {
		t, err := a.members[0].solid.tree.get(ctx)
		if err != nil {
			return nil, err
		}
		all.near = t.near
		return all, nil
	}
	var m mesh.Mesh // not welded, which nearest faces do not need
	for i := range a.members {
		part := a.members[i].solid.mesh
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
	all.near = nearest.New(x)
	return all, nil
}

// whose returns the solid and the number in its mesh of a face of all.
func (all *surfaces) whose(face int32) (body, own int32) {
	if face < 0 {
		return -1, -1
	}
	// Solids without faces begin where the next one does: the last that begins at or
	// before the face has it.
	body = int32(sort.Search(len(all.first), func(i int) bool { return all.first[i] > face })) - 1
	return body, face - all.first[body]
}

// Distance returns the signed distance from p to the nearest surface of any solid,
// negative where p is Inside of any solid, not necessarily of that one; the solid,
// and the number of the face in its mesh: of several at the same distance the first
// solid, and its smallest face. So within a union it is the distance to the nearest
// face, which may lie in another solid, and at most that to the boundary of the
// union.
//
// The distance is 0 where p is exactly on a face; Options.Tolerance plays no part.
// Where p is Inside of none and Unknown for some solid, the distance is NaN, for its
// sign is; where p is not finite or there are no faces body and face are −1 too.
//
// The first call of Distance or DistancesTo puts all faces into a tree, which is
// kept.
func (a *Assembly) Distance(p r3.Vector) (d float64, body, face int32) {
	all, err := a.surfaces.get(context.Background())
	if err != nil {
		panic("inpoly: " + err.Error()) // cannot happen: this context does not end
	}
	var sc scratch
	r := all.near.Closest(p, &sc.near)
	if r.Face < 0 {
		return math.NaN(), -1, -1
	}
	out := Outside
	var w boxWalk
	w.start(&a.reach, p)
	for i, ok := w.next(); ok && out != Inside; i, ok = w.next() {
		s := a.members[i].solid
		out = union(out, s.exactSide(p, &sc, s.useDirect(1)))
	}
	body, face = all.whose(r.Face)
	return signed(r.Distance, out), body, face
}

// signed gives an unsigned distance the sign of a side.
func signed(d float64, s Side) float64 {
	switch {
	case s == Unknown:
		return math.NaN()
	case s == Inside && d > 0:
		return -d
	}
	return d
}

// DistancesTo writes Distance(pts[i]) to d[i], body[i] and face[i], using
// Options.Workers goroutines. It panics if the lengths differ. When ctx ends first
// its error is returned, and d holds NaN, body and face −1 where no answer was found.
// Answers do not depend on the order of points or the number of workers.
func (a *Assembly) DistancesTo(ctx context.Context, d []float64, body, face []int32, pts []r3.Vector) error {
	if len(d) != len(pts) || len(body) != len(pts) || len(face) != len(pts) {
		panic("inpoly: d, body, face and pts differ in length")
	}
	for i := range d {
		d[i], body[i], face[i] = math.NaN(), -1, -1
	}
	all, err := a.surfaces.get(ctx)
	if err == nil {
		err = all.near.DistancesTo(ctx, d, face, pts, a.opt.Workers)
	}
	if err == nil {
		_, err = a.blocks(ctx, len(pts), func(w *asker, lo, hi int) {
			sides, err := a.exactSides(ctx, w, pts[lo:hi])
			if err != nil {
				return
			}
			for i := lo; i < hi; i++ {
				d[i] = signed(d[i], sides[i-lo])
				body[i], face[i] = all.whose(face[i])
			}
		})
	}
	if err != nil {
		for i := range d {
			if body[i] < 0 { // nothing is known of its sign
				d[i], face[i] = math.NaN(), -1
			}
		}
	}
	return err
}

// exactSides returns the sides of the union without the tolerance.
func (a *Assembly) exactSides(ctx context.Context, w *asker, pts []r3.Vector) ([]Side, error) {
	b := pickBlock{sides: make([]Side, len(pts)), exact: true}
	b.start(pts)
	err := a.ask(ctx, w, &a.reach, &a.given, pts, func(ctx context.Context, w *asker, solid int32, points []int32) error {
		return b.group(ctx, a, w, solid, points, pts)
	})
	return b.sides, err
}

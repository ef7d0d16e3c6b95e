package assembly

import (
	"context"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// Refit returns an Assembly of the same solids with other vertices: vertex v of the mesh of solid i has the
// coordinates vertices[i][v]; see inpoly.Solid.Refit. Solids with the same coordinates are shared with a. If the solids have
// poses, the solids of the result have these poses; the vertices are those of the meshes without poses. a does not change and
// stays valid.
//
// Errors: those of inpoly.Solid.Refit, with the name of the first solid that has one; an error that wraps mesh.ErrCount if
// there is not one list for each solid; the error of inpoly.New for Options.Epsilon.
func (a *Assembly) Refit(ctx context.Context, vertices [][]r3.Vector) (*Assembly, []inpoly.Refitting, error) {
	if len(vertices) != len(a.members) {
		return nil, nil, fmt.Errorf("refit: %w: %d lists of vertices for %d solids", mesh.ErrCount, len(vertices), len(a.members))
	}
	if a.poses != nil {
		poses := make([]pose.Pose, len(a.members))
		for i := range poses {
			poses[i] = a.members[i].posed.Pose()
		}
		b, done, err := a.poses.unposed.Refit(ctx, vertices)
		if err != nil {
			return nil, nil, err
		}
		b, err = b.At(poses)
		return b, done, err
	}
	b := *a
	b.members = make([]member, len(a.members))
	done := make([]inpoly.Refitting, len(a.members))
	meshes := make([]*mesh.Mesh, len(a.members))
	for i, m := range a.members {
		if !slices.Equal(vertices[i], m.solid.Mesh().Vertices) {
			var err error
			if m.solid, done[i], err = m.solid.Refit(ctx, vertices[i]); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", m.name, err)
			}
		}
		m.set, m.batched, meshes[i] = locate.Of(m.solid), false, m.solid.Mesh()
		b.members[i] = m
	}
	b.open = 0
	if a.opt.Epsilon > 0 {
		for i, m := range meshes {
			if !m.Closed() {
				b.open++
			}
			if err := locate.CheckEpsilon(a.opt.Epsilon, m); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", b.members[i].name, err)
			}
		}
		if err := locate.CheckEpsilon(a.opt.Epsilon, meshes...); err != nil {
			return nil, nil, err
		}
	}
	b.surfaces = lazy.New(b.newSurfaces)
	if err := b.bound(ctx); err != nil {
		return nil, nil, err
	}
	b.rank()
	b.chooseBatched()
	return &b, done, nil
}

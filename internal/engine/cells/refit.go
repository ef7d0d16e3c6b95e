package cells

import (
	"context"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/build"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// RebuildReason tells why Refit could not refit the index, so that it must be built again. It is
// empty after a successful refit.
type RebuildReason = build.Reason

// These are the reasons of Refit.
const (
	RebuildOpen  = build.Open  // the mesh is open
	RebuildFrame = build.Frame // a vertex leaves the box of the grid
	RebuildMost  = build.Most  // more than half of the bricks change
	RebuildWorn  = build.Worn  // lists have become long, or earlier refits have left many records that are not used
)

// Change counts the bricks of a refitted index.
type Change = build.Change

// Refit returns an index of m. m has the same faces as the mesh of x, but some of its vertices have
// moved. moved lists the faces of these vertices in ascending order. Both indexes share the bricks
// in which nothing has changed. x does not change. opt.Rays returns a Caster for m; Refit ignores
// the fields Rule and ExpectedPoints of opt.
//
// If Refit returns a reason, the index is nil, and the caller must call New. For n faces, Refit
// takes O(n) time with a small constant. For the bricks that change, it takes their share of the
// time of New.
//
// Errors: the error of opt.Rays; the error of ctx if ctx ends first.
func (x *Index) Refit(ctx context.Context, m *mesh.Mesh, moved []int32, opt Options) (*Index, Change, RebuildReason, error) {
	switch {
	case x.noGrid:
		return nil, Change{}, RebuildOpen, nil
	case len(x.grid.Top) == 0: // a mesh without faces
		return x, Change{}, "", nil
	}
	g, change, reason, err := build.Refit(ctx, &x.grid, m, moved, opt.Workers, opt.Rays)
	if err != nil || reason != "" {
		return nil, Change{}, reason, err
	}
	y := &Index{grid: *g, rays: opt.Rays, batches: make(chan *batch, par.Workers(0))}
	y.sums.New = func() any { return new(fmm.Scratch) }
	return y, change, "", nil
}

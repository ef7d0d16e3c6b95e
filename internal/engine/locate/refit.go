package locate

import (
	"context"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/mesh"
)

// RebuildMethod is the reason if Refit builds the index again because old has no cells to refit.
const RebuildMethod cells.RebuildReason = "method"

// Moved describes a surface whose vertices have moved.
type Moved struct {
	Mesh  *mesh.Mesh // the mesh after the move, with the faces of the mesh before
	Faces []int32    // faces with a vertex that has moved, in ascending order
}

// Refit returns the Set for the mesh after a move. name is the argument of Build that has made old.
// If old uses cells, Refit refits them. If that is not possible, the RebuildReason is not empty,
// and Refit builds the index again. If old still counts points toward an upgrade from columns to
// cells, the new Set continues this count. So a caller that moves vertices again and again gets
// cells when all its queries together pay for them.
func Refit(ctx context.Context, old *Set, to Moved, w Workload, name string) (*Set, cells.Change, cells.RebuildReason, error) {
	s := NewSurface(to.Mesh, old.Surface.opt)
	x := cellsIn(old.Exact.current())
	if !refitsCells || x == nil || !to.Mesh.Closed() && !w.Parity {
		reason := RebuildMethod
		if refitsCells && x != nil {
			reason = cells.RebuildOpen
		}
		set, err := Build(ctx, s, w, name)
		if err == nil {
			continueCount(set, old)
		}
		return set, cells.Change{}, reason, err
	}
	if err := CheckEpsilon(w.Epsilon, to.Mesh); err != nil {
		return nil, cells.Change{}, "", err
	}
	set := &Set{Surface: s, Workers: s.opt.Workers, reason: "asked for", work: w}
	if name == Auto {
		set.reason = "vertices have moved, and cells can be refitted"
	}
	c := &measured
	m, _ := named(c.sideMethods(), Cells)
	opt := cells.Options{Rule: s.opt.Rule, Workers: s.opt.Workers, ExpectedPoints: w.Points, Rays: s.Rays}
	index, change, reason, err := x.Refit(ctx, to.Mesh, to.Faces, opt)
	if err != nil {
		return nil, change, reason, err
	}
	var built Built
	if reason == "" {
		shape := index.Shape()
		built = Built{Locator: grid{index}, Shape: &shape}
	} else if built, err = m.Build(ctx, s, w); err != nil {
		return nil, change, reason, err
	}
	c.fill(set, w, m, built, name == Auto)
	return set, change, reason, nil
}

// continueCount adds the points that old has located to the count of set, if set and old both can
// upgrade to cells.
func continueCount(set, old *Set) {
	if u, v := set.Exact.upgrade, old.Exact.upgrade; u != nil && v != nil && set.Method == Columns && old.Method == Columns {
		u.Add(v.Work())
	}
}

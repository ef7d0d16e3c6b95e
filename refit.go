package inpoly

import (
	"context"
	"fmt"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/lazy"
)

// Refitting describes the work of Solid.Refit.
type Refitting struct {
	Vertices int // number of vertices that moved
	Faces    int // number of faces with such a vertex
	// Reason tells why the whole index was built again. It is empty if both solids share the parts of
	// the index that did not change.
	Reason RebuildReason
	// Bricks is the number of bricks of 8×8×8 cells that the surface crosses. The old solid has Shared
	// of them, too. Both are 0 if Reason is not empty.
	Bricks, Shared int
}

// RebuildReason tells why Solid.Refit has built the whole index again.
type RebuildReason string

// These are the reasons of Refit.
const (
	RebuildWeld        RebuildReason = "weld"                              // vertices became equal, so the mesh was welded again
	RebuildOrientation RebuildReason = "orientation"                       // Options.Orient examined the mesh, and can decide otherwise
	RebuildMethod                    = RebuildReason(locate.RebuildMethod) // the method has no index that can be refitted
	RebuildOpen                      = RebuildReason(cells.RebuildOpen)    // the mesh is open
	RebuildFrame                     = RebuildReason(cells.RebuildFrame)   // a vertex left the box of the grid of cells
	RebuildMost                      = RebuildReason(cells.RebuildMost)    // more than half of the bricks changed
	RebuildWorn                      = RebuildReason(cells.RebuildWorn)    // earlier refits left too many unused records or long lists
)

// Refit returns a Solid with the same faces, in which vertex v of s.Mesh() has the coordinates
// vertices[v]. The answers of the new Solid equal those of New for a mesh with these coordinates and the
// Options of s: sides, faces and distances bit by bit, winding numbers within their bounds. s does not
// change and stays valid. Both can be used at the same time. Refit keeps no reference to the slice.
//
// The method Cells has an index that Refit can refit, if the mesh is closed. Then both solids share all
// bricks that the moved faces do not change. Refit takes O(n) time with a small constant for n faces, and
// the time of New for the share of the bricks that change. In all other cases, Refit builds the index
// again, and Refitting.Reason tells why. If Auto has chosen columns, it changes to cells when the points
// of all solids of a chain of calls have paid for them.
//
// If vertices become equal, the mesh is welded again, and has other vertex numbers than s.Mesh(). To
// separate these vertices again, call Refit of s. If Options.Orient has examined the mesh of s, Refit
// examines the orientation again. Pass OrientNever to New with a repaired mesh to avoid this.
//
// Options.Weld does not join vertices again: the vertices of s.Mesh() stay as they are joined.
//
// Errors: an error that wraps mesh.ErrCount if there is not one element for each vertex;
// mesh.ErrNotFinite; mesh.ErrTooLarge; the error of ctx if ctx ends first.
func (s *Solid) Refit(ctx context.Context, vertices []r3.Vector) (*Solid, Refitting, error) {
	var done Refitting
	moved, err := lazy.Detach(ctx, s.opt.Progress, func(gated lazy.Progress) (*Solid, error) {
		moved, r, err := s.refit(ctx, vertices, gated)
		done = r
		return moved, err
	})
	if err != nil {
		return nil, Refitting{}, err
	}
	return moved, done, nil
}

func (s *Solid) refit(ctx context.Context, vertices []r3.Vector, progress lazy.Progress) (*Solid, Refitting, error) {
	start := time.Now()
	m, move, err := s.Mesh().Moved(ctx, vertices, s.opt.Workers)
	if err != nil {
		return nil, Refitting{}, fmt.Errorf("refit: %w", err)
	}
	done := Refitting{Vertices: move.Vertices, Faces: len(move.Faces)}
	opt := s.opt
	opt.Weld = 0 // the vertices of s.Mesh() are joined
	if s.report.Orientation != nil || move.Welded {
		done.Reason = RebuildWeld
		if s.report.Orientation != nil {
			done.Reason, opt.Rule = RebuildOrientation, s.givenRule
			if m, err = m.Flipped(ctx, s.flipped); err != nil { // back to the faces that Options.Orient has examined
				return nil, Refitting{}, fmt.Errorf("refit: %w", err)
			}
		}
		if move.Welded {
			done.Reason = RebuildWeld
		}
		done.Faces = m.NumFaces()
		moved, err := build(ctx, m, opt, progress)
		if err == nil {
			moved.opt.Weld, moved.report.Welding = s.opt.Weld, s.report.Welding
		}
		return moved, done, err
	}
	progress.Report("build", 0, 1)
	moved := &Solid{opt: s.opt, givenRule: s.givenRule, report: s.report}
	moved.progress, _ = lazy.Gate(opt.Progress)
	set, change, reason, err := locate.Refit(ctx, s.set, locate.Moved{Mesh: m, Faces: move.Faces}, workload(m, &opt), opt.Method.String())
	if err != nil {
		return nil, Refitting{}, fmt.Errorf("refit: %w", err)
	}
	progress.Report("build", 1, 1)
	moved.use(set, Timings{Build: time.Since(start)})
	done.Reason, done.Bricks, done.Shared = RebuildReason(reason), change.Bricks, change.Shared
	return moved, done, nil
}

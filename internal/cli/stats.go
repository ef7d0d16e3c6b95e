package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// statistics returns the JSON object of --stats. The fields up to boundary_edges never change.
// Later versions can add other fields.
func (r *run) statistics(sum points.Summary) term.Object {
	method, reason := r.solids.Method()
	work, bound := r.query.Work()
	t := r.solids.Report().Timings
	turnedFaces, turnedComponents, _ := answer.Turned(r.solids.Report().Solids...)
	workers := r.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	columns := r.in.Axes()
	for axis := range columns {
		columns[axis]++ // columns are numbered from 1
	}
	headerLine := int64(0)
	if l := r.in.Layout(); l != nil {
		headerLine = l.HeaderLine
	}
	var windingBound, verified, cells any
	if r.Winding || r.Certify {
		windingBound = bound
	}
	if r.sample != nil {
		verified = r.verified
	}
	if c := r.solids.Report().Solids[0].Cells; c != nil && !r.solids.Several {
		cells = term.Object{
			"cell_size", term.Number(c.Cell), "bricks", c.Bricks, "crossed", c.Crossed, "entries", c.Entries, "depth", c.Depth,
			"handed", c.RayOnly, "fans", c.Caps, "bytes", c.Bytes, "open", c.Open,
		}
	}
	return term.Object{
		"mesh", r.solids.Name, "triangles", r.solids.Triangles(), "points", sum.Rows, "method", method,
		"rule", r.solids.Rule(), "workers", workers, "load_s", t.Load.Seconds(), "build_s", t.Build.Seconds(),
		"query_s", sum.Answered.Seconds(), "read_s", sum.Read.Seconds(), "write_s", sum.Write.Seconds(),
		"inside", sum.Sides[inpoly.Inside], "outside", sum.Sides[inpoly.Outside], "on", sum.Sides[inpoly.OnSurface],
		"uncertain", sum.Sides[inpoly.Unknown], "boundary_edges", r.solids.BoundaryEdges(),

		"solids", r.solids.Len(), "written", sum.Kept, "resumed", sum.Resumed, "method_reason", reason,
		"turned_faces", turnedFaces, "turned_components", turnedComponents,
		"weld_s", t.Weld.Seconds(), "orient_s", t.Orient.Seconds(), "diagnose_s", t.Diagnose.Seconds(),
		"stream_s", sum.Elapsed.Seconds(), "columns", columns, "header_line", headerLine, "comment_lines", sum.Comments,
		"row_like_comments", sum.RowLike.Count, "ragged_rows", sum.Ragged.Count, "nonfinite_rows", sum.NonFinite.Count,
		"winding_bound", windingBound,
		"stages", map[string]uint64{
			"rays": work.Rays, "rerays": work.Rerays, "nodes": work.Nodes, "triangles": work.Triangles,
			"filter": work.Filter, "expansion": work.Expansion, "exact": work.Exact,
			"boundary": work.Boundary, "reference": work.Reference, "fallback": work.Fallback,
		},
		"points_per_s", rate(sum), "verified", verified, "cells", cells,
	}
}

// rate returns the points per second of this run. It does not count the points of an interrupted
// run that this run resumes.
func rate(sum points.Summary) float64 { return term.Rate(sum.Rows-sum.Resumed, sum.Elapsed) }

func (r *run) summary(sum points.Summary) string {
	header := ""
	switch l := r.in.Layout(); {
	case l == nil:
	case l.HeaderLine > 0:
		var names []string
		for _, c := range l.Columns {
			if c < len(l.Header) {
				names = append(names, l.Header[c])
			}
		}
		header = fmt.Sprintf(" (%s), header in line %d", strings.Join(names, " "), l.HeaderLine)
	default:
		header = ", no header"
	}
	if sum.Comments > 0 {
		header += ", " + plural.Count(sum.Comments, "comment line")
	}
	suffix := ""
	if sum.Kept != sum.Rows {
		suffix = fmt.Sprintf("; %s written", plural.Count(sum.Kept, "row"))
	}
	if sum.Resumed > 0 {
		suffix += fmt.Sprintf("; %s by the interrupted run", plural.Count(sum.Resumed, "row"))
	}
	if r.sample != nil {
		suffix += fmt.Sprintf("; %s verified", plural.Count(int64(r.verified.Points), "point"))
		if n := int64(r.verified.Undecided); n > 0 {
			suffix += fmt.Sprintf(" except for %s that the direct sum does not decide", plural.Count(n, "side"))
		}
	}
	mesh := r.solids.Name
	if n := r.solids.Len(); n > 1 {
		mesh += fmt.Sprintf(": %d solids", n)
	}
	method, reason := r.solids.Method()
	columns := r.in.Axes()
	_, _, turned := answer.Turned(r.solids.Report().Solids...)
	return fmt.Sprintf("%s: %d triangles%s, %s (%s), rule %v; %s: columns %d %d %d%s; %d points: %s%s; %s points/s",
		mesh, r.solids.Triangles(), turned, method, reason, r.solids.Rule(),
		r.in.Name(), columns[0]+1, columns[1]+1, columns[2]+1, header,
		sum.Rows, answer.SideCounts(sum.Sides), suffix, term.Short(rate(sum)))
}

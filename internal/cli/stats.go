package cli

import (
	"fmt"
	"runtime"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// statistics returns the JSON object of --stats. The fields up to boundary_edges never change.
// Later versions can add other fields.
func (r *run) statistics(sum points.Summary) term.Object {
	method, reason := r.Solids.Method()
	work, bound := r.query.Work()
	t := r.Solids.Report().Timings
	turnedFaces, turnedComponents, _ := answer.Turned(r.Solids.Report().Solids...)
	workers := r.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	headerLine := int64(0)
	if l := r.in.Layout(); l != nil {
		headerLine = l.HeaderLine
	}
	var windingBound, verified, cells, unexpected, proved, skippedNodes, skippedPoints any
	if r.trust {
		skippedNodes, skippedPoints = r.skipped.Nodes, r.skipped.Points
	}
	if r.proofs != nil {
		proved = term.Object{"points", r.proved.Points, "distances", r.proved.Distances, "unproved", r.proved.Unproved}
	}
	if r.expected != nil {
		_, unexpected = r.expected.Without(sum.Sides)
	}
	if r.Winding || r.Certify {
		windingBound = bound
	}
	if r.sample != nil {
		verified = r.verified
	}
	doubt, doubtful, sampledDoubtful, sampled := r.doubt.Stats()
	if c := r.Solids.Report().Solids[0].Cells; c != nil && !r.Solids.Several {
		cells = term.Object{
			"cell_size", term.Number(c.Cell), "bricks", c.Bricks, "crossed", c.Crossed, "entries", c.Entries, "depth", c.Depth,
			"handed", c.RayOnly, "fans", c.Caps, "bytes", c.Bytes, "open", c.Open,
		}
	}
	return term.Object{
		"mesh", r.Solids.Name, "triangles", r.Solids.Triangles(), "points", sum.Rows, "method", method,
		"rule", r.Solids.Rule(), "workers", workers, "load_s", t.Load.Seconds(), "build_s", t.Build.Seconds(),
		"query_s", sum.Answered.Seconds(), "read_s", sum.Read.Seconds(), "write_s", sum.Write.Seconds(),
		"inside", sum.Sides[inpoly.Inside], "outside", sum.Sides[inpoly.Outside], "on", sum.Sides[inpoly.OnSurface],
		"uncertain", sum.Sides[inpoly.Unknown], "boundary_edges", r.Solids.BoundaryEdges(),

		"solids", r.Solids.Len(), "written", sum.Kept, "resumed", sum.Resumed, "method_reason", reason,
		"turned_faces", turnedFaces, "turned_components", turnedComponents,
		"weld_s", t.Weld.Seconds(), "orient_s", t.Orient.Seconds(), "diagnose_s", t.Diagnose.Seconds(),
		"stream_s", sum.Elapsed.Seconds(), "columns", answer.ColumnNumbers(r.in), "header_line", headerLine, "comment_lines", sum.Comments,
		"row_like_comments", sum.RowLike.Count, "ragged_rows", sum.Ragged.Count, "nonfinite_rows", sum.NonFinite.Count,
		"winding_bound", windingBound,
		"stages", map[string]uint64{
			"rays": work.Rays, "rerays": work.Rerays, "nodes": work.Nodes, "triangles": work.Triangles,
			"filter": work.Filter, "expansion": work.Expansion, "exact": work.Exact,
			"boundary": work.Boundary, "reference": work.Reference, "fallback": work.Fallback,
		},
		"points_per_s", rate(sum), "unexpected", unexpected, "verified", verified, "proof", proved, "cells", cells,
		"skipped_nodes", skippedNodes, "skipped_points", skippedPoints, "doubt", doubt, "doubtful", doubtful,
		"doubtful_sampled", sampledDoubtful, "doubt_sample", sampled, "warnings", r.AllWarnings(r.in),
	}
}

// rate returns the points per second of this run. It does not count the points of an interrupted
// run that this run resumes.
func rate(sum points.Summary) float64 { return term.Rate(sum.Rows-sum.Resumed, sum.Elapsed) }

// summary returns the counts, what is special about the run, and the details of --verbose.
func (r *run) summary(sum points.Summary) term.Summary {
	line, rounded := term.CountsLine(sum.Rows, "point", answer.SideParts(sum.Sides))
	lines := []string{line}
	if sum.Kept != sum.Rows {
		written := plural.Grouped(sum.Kept, "row") + " written"
		if with := line + "; " + written; term.Width(with) <= term.LineWidth {
			lines[0] = with
		} else {
			lines = append(lines, written)
		}
	}
	if r.skipped.Nodes > 0 {
		lines = append(lines, r.skipped.String())
	}
	if sum.Resumed > 0 {
		lines = append(lines, fmt.Sprintf("%s by the interrupted run", plural.Grouped(sum.Resumed, "row")))
	}
	if r.doubt != nil {
		part := ""
		if sum.Resumed > 0 {
			part = " of this run"
		}
		lines = append(lines, r.doubt.Line(part))
	}
	if r.sample != nil {
		text := plural.Grouped(int64(r.verified.Points), "point") + " verified"
		if n := int64(r.verified.Undecided); n > 0 {
			text += fmt.Sprintf(" except for %s that the direct sum does not decide", plural.Count(n, "side"))
		}
		lines = append(lines, text)
	}
	if r.proofs != nil {
		text := fmt.Sprintf("%s in %s", plural.Grouped(r.proved.Points, "point"), r.proof)
		if n := r.proved.Unproved; n > 0 {
			text += fmt.Sprintf(", %d without a proof", n)
		}
		lines = append(lines, text)
	}
	if !answer.ColumnsAreObvious(r.in, r.Columns) {
		lines = append(lines, answer.ColumnsLine(r.in))
	}
	return term.Summary{Lines: lines, Details: r.details(sum, rounded)}
}

// details returns the lines of --verbose.
func (r *run) details(sum points.Summary, rounded bool) []string {
	var list []string
	if rounded {
		list = append(list, term.Detail("counts", "%s of %s", answer.SideCounts(sum.Sides), plural.Grouped(sum.Rows, "point")))
	}
	header := "no header"
	if l := r.in.Layout(); l == nil {
		header = r.in.Format()
	} else if l.HeaderLine > 0 {
		header = fmt.Sprintf("header in line %d", l.HeaderLine)
	}
	if sum.Comments > 0 {
		header += ", " + plural.Count(sum.Comments, "comment line")
	}
	method, reason := r.Solids.Method()
	_, _, turned := answer.Turned(r.Solids.Report().Solids...)
	solids := ""
	if n := r.Solids.Len(); n > 1 {
		solids = plural.Count(int64(n), "solid") + ", "
	}
	t := r.Solids.Report().Timings
	return append(list,
		term.Detail("mesh", "%s: %s%s%s", r.Solids.Name, solids, plural.Count(int64(r.Solids.Triangles()), "triangle"), turned),
		term.Detail("method", "%s (%s)", method, reason),
		term.Detail("rule", "%v", r.Solids.Rule()),
		term.Detail("points", "%s: %s, %s", r.in.Name(), answer.ColumnsLine(r.in), header),
		term.Detail("time", "%.3g s for the mesh, %.3g s for the points, %s points/s",
			(t.Load+t.Weld+t.Orient+t.Diagnose+t.Build).Seconds(), sum.Elapsed.Seconds(), term.Short(rate(sum))),
	)
}

package view

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/view"
)

// result describes a picture that was written.
type result struct {
	meshes   []string
	out      string
	size     int64 // in bytes
	solids   *answer.Solids
	cloud    *view.Cloud    // nil without points
	points   *points.Reader // nil without points
	columns  string         // the value of --columns
	warnings []string
}

// summary returns the counts, the output, and the details of --verbose.
func (r *result) summary() term.Summary {
	_, _, turned := answer.Turned(r.solids.Report().Solids...)
	method, reason := r.solids.Method()
	triangles := int64(r.solids.Triangles())
	var s term.Summary
	if r.cloud != nil {
		n := r.cloud.Counts()
		line, rounded := term.CountsLine(n[0]+n[1]+n[2]+n[3], "point", answer.SideParts(n))
		s.Lines = append(s.Lines, line)
		if rounded {
			s.Details = append(s.Details, term.Detail("counts", "%s", answer.SideCounts(n)))
		}
		if !answer.ColumnsAreObvious(r.points, r.columns) {
			s.Lines = append(s.Lines, answer.ColumnsLine(r.points))
		}
	}
	rest := fmt.Sprintf(": %s, %s", plural.Grouped(triangles, "triangle"), plural.Grouped(r.size, "byte"))
	s.Lines = append(s.Lines, term.CutMiddle(quote.Line(r.out), term.LineWidth-term.Width(rest))+rest)
	s.Details = append(s.Details,
		term.Detail("mesh", "%s: %s%s", r.solids.Name, plural.Count(triangles, "triangle"), turned),
		term.Detail("method", "%s (%s)", method, reason),
		term.Detail("rule", "%s", r.solids.Rule()))
	if r.points != nil {
		s.Details = append(s.Details, term.Detail("points", "%s: %s", r.points.Name(), answer.ColumnsLine(r.points)))
	}
	return s
}

// statistics returns the JSON object of --json.
func (r *result) statistics() term.Object {
	method, reason := r.solids.Method()
	turnedFaces, turnedComponents, _ := answer.Turned(r.solids.Report().Solids...)
	object := term.Object{
		"mesh", strings.Join(r.meshes, ", "), "triangles", r.solids.Triangles(), "method", method, "method_reason", reason, "rule", r.solids.Rule(),
		"turned_faces", turnedFaces, "turned_components", turnedComponents, "out", r.out, "bytes", r.size, "warnings", r.warnings,
	}
	if r.cloud != nil {
		n := r.cloud.Counts()
		object = append(object, "columns", answer.ColumnNumbers(r.points), "points", n[0]+n[1]+n[2]+n[3],
			"inside", n[inpoly.Inside], "outside", n[inpoly.Outside], "on", n[inpoly.OnSurface], "uncertain", n[inpoly.Unknown])
	}
	return object
}

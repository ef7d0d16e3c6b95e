package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/orient"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/mesh"
)

// examineBodies diagnoses each body of a mesh with several bodies, as the flag --body of the main
// command does. The defects of a body can differ from the defects of the mesh, because the edges of
// two open bodies can cancel.
func (d *diagnosis) examineBodies(ctx context.Context, m *mesh.Mesh, opt inpoly.Options) error {
	if len(m.Bodies) < 2 {
		return nil
	}
	parts, err := assembly.Split(ctx, "", m)
	if err != nil {
		return err
	}
	for _, p := range parts {
		r := inpoly.Report{Rule: opt.Rule, Orient: opt.Orient}
		body := p.Mesh
		if opt.Orient.Examines(body) {
			oriented, _, changes, err := orient.Repair(ctx, body, opt.Orient, opt.Workers)
			if err != nil {
				return err
			}
			body, r.Orientation = oriented, &changes
			if changes.Parity && r.Rule == inpoly.NonZero {
				r.Rule = inpoly.EvenOdd
			}
		}
		if r.Diagnosis, err = body.Diagnose(ctx); err != nil {
			return err
		}
		d.bodies = append(d.bodies, answer.Mesh{Name: p.Name, Report: r})
	}
	return nil
}

// bodyLines describes the bodies with warnings, one line for each kind of warning. Unless all is set,
// a line names at most ten bodies.
func (d *diagnosis) bodyLines(all bool) (lines []string) {
	const most = 10 // fits into two lines of a terminal for usual names
	for _, g := range answer.GroupWarnings(d.bodies) {
		names := make([]string, len(g.Names))
		for i, name := range g.Names {
			names[i] = quote.Word(name)
		}
		if len(names) == 1 {
			lines = append(lines, fmt.Sprintf("%s: %s", names[0], g.Text))
			continue
		}
		rest := ""
		if n := len(names) - most; n > 0 && !all {
			names, rest = names[:most], fmt.Sprintf(" and %d more, which --faces lists", n)
		}
		lines = append(lines, fmt.Sprintf("%d of %s %s: %s%s", len(g.Names), plural.Count(int64(len(d.bodies)), "body"), g.Predicate(), strings.Join(names, ", "), rest))
	}
	return lines
}

// bodiesObject returns the warnings of all bodies as JSON.
func (d *diagnosis) bodiesObject() any {
	list := []term.Object{}
	for _, b := range d.bodies {
		for _, w := range b.Report.WarningList() {
			list = append(list, term.Object{"body", b.Name, "kind", string(w.Kind), "text", w.Text})
		}
	}
	return list
}

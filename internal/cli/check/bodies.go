package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/engine/orient"
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
	return assembly.SplitTo(ctx, "", m, opt.Workers, func(p assembly.Part) ([]inpoly.Warning, error) {
		r := inpoly.Report{Rule: opt.Rule, Orient: opt.Orient}
		body := p.Mesh
		if opt.Weld > 0 {
			var err error
			if body, r.Welding, err = welded(ctx, body, opt); err != nil {
				return nil, err
			}
		}
		if opt.Orient.Examines(body) {
			oriented, _, changes, err := orient.Repair(ctx, body, opt.Orient, opt.Workers)
			if err != nil {
				return nil, err
			}
			body, r.Orientation = oriented, &changes
			if changes.Parity && r.Rule == inpoly.NonZero {
				r.Rule = inpoly.EvenOdd
			}
		}
		var err error
		r.Diagnosis, err = body.Diagnose(ctx)
		return r.WarningList(), err
	}, d.bodies.add)
}

// bodyWarnings has the warnings of the bodies. A body takes a few bytes, because few texts differ.
type bodyWarnings struct {
	names    []string
	warnings []bodyWarning // in the order of the bodies
	texts    []inpoly.Warning
	index    map[inpoly.Warning]int32 // index of each element of texts
}

// bodyWarning is a warning of a body.
type bodyWarning struct{ body, text int32 }

// add adds the warnings of the next body.
func (b *bodyWarnings) add(i int, name string, list []inpoly.Warning) {
	b.names = append(b.names, name)
	for _, w := range list {
		k, ok := b.index[w]
		if !ok {
			if b.index == nil {
				b.index = map[inpoly.Warning]int32{}
			}
			k = int32(len(b.texts))
			b.texts, b.index[w] = append(b.texts, w), k
		}
		b.warnings = append(b.warnings, bodyWarning{int32(i), k})
	}
}

// all calls yield with the name of the body of each warning, and with the warning.
func (b *bodyWarnings) all(yield func(string, inpoly.Warning) bool) {
	for _, w := range b.warnings {
		if !yield(b.names[w.body], b.texts[w.text]) {
			return
		}
	}
}

// bodyLines describes the bodies with warnings, one line for each kind of warning. Unless all is set,
// a line names at most ten bodies.
func (d *diagnosis) bodyLines(all bool) (lines []string) {
	const most = 10 // fits into two lines of a terminal for usual names
	for _, g := range answer.GroupWarnings(d.bodies.all) {
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
		lines = append(lines, fmt.Sprintf("%d of %s %s: %s%s", len(g.Names), plural.Count(int64(len(d.bodies.names)), "body"), g.Predicate(), strings.Join(names, ", "), rest))
	}
	return lines
}

// bodiesList returns the warnings of all bodies as JSON.
func (d *diagnosis) bodiesList() any {
	return term.List(func(yield func(any) bool) {
		d.bodies.all(func(name string, w inpoly.Warning) bool {
			return yield(term.Object{"body", name, "kind", string(w.Kind), "text", w.Text})
		})
	})
}

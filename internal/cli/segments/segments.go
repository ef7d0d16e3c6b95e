// Package segments implements the command inpoly segments, which divides segments and drill holes into
// parts inside and outside solids.
package segments

import (
	"context"
	_ "embed"
	"slices"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/drillhole"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/rays"
)

//go:embed help.txt
var help string

type flags struct {
	lines.Flags
	holeFlags
	summary bool
	step    float64
}

// holes are the flags without which the flags of drill holes have no effect.
const holes = "collar survey"

var rules = []term.Rule{
	answer.FormatRule(points.OutputFormats()),
	{Flags: "keep", Proposed: answer.SideNames},
	{Flags: "body", Proposed: answer.BodyNames},
	{Flags: "step", Finite: "length"},
	{Flags: "collar", Requires: "survey", Text: together, Hint: holesExample},
	{Flags: "survey", Requires: "collar", Text: together, Hint: holesExample},
	{Flags: "dip", OneOf: drillhole.DipNames, When: holes},
	{Flags: "desurvey", OneOf: drillhole.MethodNames, When: holes},
	{Flags: "chord", Positive: "length", When: holes},
	{Flags: "dip desurvey chord collar-columns survey-columns", Requires: "collar"},
	{Flags: "columns text", Excludes: holes, Text: "--columns and --text are for segments: use --collar-columns and --survey-columns"},
}

const (
	together     = "--collar and --survey belong together: one of them is missing"
	holesExample = "inpoly segments ore.obj --collar collars.csv --survey surveys.csv"
)

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "segments mesh segments", Long: help,
		RunE: func(c *cobra.Command, args []string) error {
			r := &run{Run: lines.Run{Terminal: t, Flags: &f.Flags}, holeFlags: f.holeFlags, summed: f.summary, step: f.step}
			if err := r.setFiles(args); err != nil {
				return err
			}
			return r.do(c.Context())
		},
	}
	f.Define(t, c, "rule", "body", "keep", "scale", "units", "matrix", "pose")
	set := c.Flags()
	set.StringVar(&f.collar, "collar", "", "")
	set.StringVar(&f.survey, "survey", "", "")
	set.StringVar(&f.collarColumns, "collar-columns", "", "")
	set.StringVar(&f.surveyColumns, "survey-columns", "", "")
	set.StringVar(&f.dip, "dip", "", "")
	set.StringVar(&f.desurvey, "desurvey", drillhole.MinimumCurvature.String(), "")
	set.Float64Var(&f.chord, "chord", defaultChord, "")
	set.BoolVar(&f.summary, "summary", false, "")
	set.Float64Var(&f.step, "step", 0, "")
	term.SetRules(c, answer.Rules, rules)
	return c
}

type run struct {
	lines.Run
	holeFlags
	summed bool // --summary
	step   float64

	keep    *answer.SideSet
	in      *lines.Reader
	holes   []*drillhole.Hole // nil for segments
	casters []*rays.Caster    // one for each solid
	totals  totals
	bad     lines.Uncertain // segments that are not valid
}

// setFiles sets the paths of the inputs.
func (r *run) setFiles(args []string) error {
	const example = "inpoly segments part.stl segments.csv > parts.csv"
	switch holes := r.collar != ""; { // --survey comes with --collar
	case holes && len(args) == 0:
		return term.WithHint(term.Usagef("segments: expected a mesh"), holesExample)
	case holes:
		r.Meshes, r.Input = args, r.collar
	case len(args) < 2:
		return term.WithHint(term.Usagef("segments: expected a mesh and a file of segments, found %s", plural.Count(int64(len(args)), "argument")), example)
	default:
		r.Meshes, r.Input = args[:len(args)-1], args[len(args)-1]
	}
	stdin := 0
	for _, path := range append(slices.Clone(r.Meshes), r.Input, r.survey) {
		if path == "-" {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return term.Usagef("only one input can be standard input")
	case len(r.Meshes) > 1 && slices.Contains(r.Meshes, "-"):
		return term.Usagef("-: standard input cannot be one of several meshes: give each mesh as a file")
	}
	return nil
}

func (r *run) do(ctx context.Context) (err error) {
	if err := r.CheckFlags(""); err != nil {
		return err
	}
	if r.keep, err = answer.ParseSides("--keep", r.Keep); err != nil {
		return err
	}
	rows, notes, err := r.open()
	if err != nil {
		return err
	}
	defer rows.Close()
	bodies := r.Body != ""
	if err := r.OpenTrees(ctx, bodies); err != nil {
		return err
	}
	for k := range r.Solids.Len() {
		c, err := rays.New(ctx, r.Solids.Target(k))
		if err != nil {
			return err
		}
		r.casters = append(r.casters, c)
	}
	derived, copyAnswers := lines.Derive(ctx, rows, lines.Limit(r.compute))
	job := points.Job{Columns: r.answerColumns(append(r.Solids.Names(), answer.UncertainName)), Answer: copyAnswers}
	sum, err := r.Stream(ctx, derived, job, "segments", r.totals.done.Load, rows)
	if err != nil {
		return err
	}
	t := r.totals.sum()
	outside, all := t.count[inpoly.Outside], t.count[inpoly.Outside]+t.count[inpoly.Inside]+t.count[inpoly.OnSurface]+t.count[inpoly.Unknown]
	r.WarnInput(answer.Input{Reader: derived, Summary: sum, Noun: r.noun(), Part: r.keep != nil, Box: r.Extent.Box(), Missed: all > 0 && outside == all,
		Bad: r.bad.Warnings(rows, "a number that is missing, not finite or too large")})
	return r.Finish(r.summary(sum, t, notes), r.statistics(rows, sum, t), t.count[inpoly.Unknown], "part")
}

// open opens the segments, or reads the drill holes. notes are lines of the summary about the holes.
func (r *run) open() (rows *points.Reader, notes []string, err error) {
	if r.collar == "" {
		if r.in, err = r.OpenLines(lines.Segments); err != nil {
			return nil, nil, err
		}
		if err = r.SetFormat(r.in.Reader, true); err != nil {
			r.in.Close()
		}
		return r.in.Reader, nil, err
	}
	opt, err := r.options()
	if err != nil {
		return nil, nil, err
	}
	if r.holes, err = r.readHoles(opt); err != nil {
		return nil, nil, err
	}
	notes = holesLines(r.holes, opt)
	if r.Frame != nil {
		for _, h := range r.holes {
			for i, p := range h.Path.Points {
				h.Path.Points[i] = r.Frame.Apply(p)
			}
		}
	}
	rows = newHoleReader(r.collar, r.holes)
	if err := r.SetFormat(rows, true); err != nil {
		return nil, nil, err
	}
	if !slices.Contains([]string{"csv", "jsonl", "parquet"}, r.Format) {
		return nil, nil, term.Usagef("--format %s: names of holes need csv, jsonl or parquet", r.Format)
	}
	return rows, notes, nil
}

// answerColumns returns the result columns. names has the names of the solids.
func (r *run) answerColumns(names []string) []table.Column {
	var cols []table.Column
	if !r.summed {
		cols = append(cols, table.Column{Name: "from", Kind: table.Number}, table.Column{Name: "to", Kind: table.Number})
	}
	cols = append(cols, table.Column{Name: "side", Kind: table.State})
	if r.Body != "" {
		cols = append(cols, r.BodyColumn(names))
	}
	if r.summed {
		cols = append(cols, table.Column{Name: "parts", Kind: table.Integer})
	}
	return append(cols, table.Column{Name: "length", Kind: table.Number}, table.Column{Name: "bound", Kind: table.Bound})
}

// ends returns the segments of a block in the frame of the meshes. It counts those that are not valid.
func (r *run) ends(b *table.Block) ([]rays.Segment, error) {
	ends, err := r.in.Ends(nil, b)
	if err != nil {
		return nil, err
	}
	list, both := make([]rays.Segment, len(ends)), make([]r3.Vector, 0, 2*len(ends))
	bad := table.Tally{}
	for k, p := range ends {
		a := b.Points[k]
		if r.Frame != nil {
			a, p = r.Frame.Apply(a), r.Frame.Apply(p)
		}
		if list[k] = (rays.Segment{A: a, B: p}); list[k].Check() != nil {
			bad.AddAt(int64(k))
		}
		both = append(both, a, p)
	}
	r.Extent.Add(both...)
	r.bad.Add(r.in.Reader, b, bad)
	return list, nil
}

// paths returns the paths of the holes of a block.
func (r *run) paths(b *table.Block) (holes []*drillhole.Hole, polylines [][]r3.Vector) {
	holes = r.holes[b.First : b.First+int64(len(b.Points))]
	for _, h := range holes {
		polylines = append(polylines, h.Path.Points)
		r.Extent.Add(h.Path.Points...)
	}
	return holes, polylines
}

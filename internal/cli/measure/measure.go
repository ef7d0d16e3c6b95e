// Package measure implements the command inpoly measure, which prints volumes, centroids and moments
// of inertia of meshes.
package measure

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/measure"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	output  string // format of the report
	by      string
	density float64
	skip    bool // do not compare with the filled set
}

var rules = []term.Rule{
	{Flags: "format", OneOf: []string{"text", "json", "csv"}},
	{Flags: "by", OneOf: []string{"mesh", "body", "component"}},
	{Flags: "density", Positive: "number", Text: "must be finite and positive"},
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "measure mesh ...", Long: help,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args) },
	}
	set := c.Flags()
	set.StringVar(&f.output, "format", "text", "")
	set.StringVar(&f.by, "by", "mesh", "")
	set.Float64Var(&f.density, "density", 1, "")
	set.BoolVar(&f.skip, "skip-intersections", false, "")
	f.Define(set, "rule", "weld", "orient", "workers", "max-memory", "parts", "strict", "pose")
	term.JSONFlag(set, &f.output)
	csvFlag(set, &f.output)
	t.QuietFlag(set)
	term.SetRules(c, answer.Rules, rules)
	return c
}

// csvFlag adds the flag --csv, which sets *format to "csv".
func csvFlag(set *pflag.FlagSet, format *string) {
	set.BoolFunc("csv", "", func(value string) error {
		if value != "true" {
			return term.Usagef("--csv %q: expected true", value)
		}
		*format = "csv"
		return nil
	})
}

// result is the properties of one mesh and its parts.
type result struct {
	path    string
	report  inpoly.Report
	parts   []measure.Properties
	compare string // the verdict of measure.Compare, or ""
	reason  string
}

func run(ctx context.Context, t *term.Terminal, f *flags, paths []string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	if err := checkFiles(paths); err != nil {
		return err
	}
	locate.Need(&opt, locate.SurfaceOnly)
	var results []result
	for _, path := range paths {
		r, err := f.measure(ctx, t, path, opt)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	switch f.output {
	case "json":
		list := make([]term.Object, len(results))
		for i := range results {
			list[i] = results[i].object(f)
		}
		return term.PrintJSON(t.Out, term.Object{"meshes", list}, "  ")
	case "csv":
		return printCSV(t.Out, results)
	}
	var s strings.Builder
	for i := range results {
		if i > 0 {
			s.WriteByte('\n')
		}
		results[i].print(&s, f)
	}
	_, err = io.WriteString(t.Out, s.String())
	return err
}

// checkFiles returns an error if paths are not the paths of meshes.
func checkFiles(paths []string) error {
	if len(paths) == 0 {
		return term.WithHint(term.Usagef("measure: expected a mesh, found no file"), "inpoly measure part.stl")
	}
	for i, path := range paths {
		if path == "-" && (i > 0 || len(paths) > 1) {
			return term.Usagef("measure: standard input can only be the only mesh")
		}
	}
	return nil
}

func (f *flags) measure(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options) (r result, err error) {
	solid, err := f.OpenTarget(ctx, t, path, opt, "nothing was measured")
	if err != nil {
		return r, err
	}
	r.path, r.report = path, solid.Report()
	mo := measure.Options{Density: f.density}
	switch f.by {
	case "body":
		r.parts, err = measure.Bodies(ctx, solid, mo)
	case "component":
		r.parts, err = measure.Components(ctx, solid, mo)
	default:
		r.parts = make([]measure.Properties, 1)
		r.parts[0], err = measure.Whole(ctx, solid, mo)
	}
	if err != nil || f.skip || f.by != "mesh" {
		return r, err
	}
	bar := t.NewProgress()
	defer bar.Done()
	bar.Stage("intersect", 0, 1)
	verdict, reason, err := measure.Compare(ctx, solid)
	r.compare, r.reason = verdict.String(), reason
	return r, err
}

// name returns the name of part i in a report.
func (r *result) name(i int, by string) string {
	p := &r.parts[i]
	switch {
	case by == "component":
		return fmt.Sprintf("component %d, first face %d", i, p.First)
	case by == "body":
		return p.Name
	}
	return ""
}

func (r *result) print(s *strings.Builder, f *flags) {
	line := term.ReportLines(s, 12)
	_, _, turned := answer.Turned(r.report)
	line("mesh", "%s: %s%s", term.InputName(r.path), plural.Count(int64(r.report.Diagnosis.Triangles), "triangle"), turned)
	for i := range r.parts {
		p := &r.parts[i]
		if f.by != "mesh" {
			line(f.by, "%s", r.name(i, f.by))
		}
		line("area", "%s", withBound(p.Area, p.AreaBound))
		if p.Reason != "" {
			line("", "%s, so other numbers are not determined", p.Reason)
		}
		if !p.Closed {
			continue
		}
		line("volume", "%s", withBound(p.Volume, p.VolumeBound))
		if f.density != 1 {
			line("mass", "%s", withBound(p.Mass, p.MassBound))
		}
		if p.Reason == measure.ReasonNoVolume {
			continue
		}
		for k, label := range []string{"centroid", "", ""} {
			x, b := coordinate(p.Centroid, k), coordinate(p.CentroidBound, k)
			line(label, "%c %s", "xyz"[k], withBound(x, b))
		}
		for k, label := range []string{"inertia", "", ""} {
			line(label, "%c%c %s", "xyz"[k], "xyz"[k], withBound(p.Inertia[k][k], p.InertiaBound))
		}
		for _, ij := range [3][2]int{{0, 1}, {1, 2}, {2, 0}} {
			line("", "%c%c %s", "xyz"[ij[0]], "xyz"[ij[1]], withBound(p.Inertia[ij[0]][ij[1]], p.InertiaBound))
		}
		for k, label := range []string{"moments", "", ""} {
			line(label, "%s, %s", withBound(p.Moments[k], p.MomentsBound), axisText(p, k))
		}
	}
	switch {
	case r.compare == measure.Equal.String():
		line("rule", "%v: the winding number is 0 or 1 everywhere, so the numbers are those of the solid", r.report.Rule)
	case r.compare == measure.Different.String():
		line("rule", "%v: %s, so the numbers differ from those of the filled set", r.report.Rule, r.reason)
	case r.compare != "" && r.parts[0].Closed:
		line("rule", "%v: %s, so the numbers can differ from those of the filled set", r.report.Rule, r.reason)
	}
}

// axisText formats a principal axis.
func axisText(p *measure.Properties, k int) string {
	if math.IsInf(p.AxesBound[k], 1) {
		return "axis not determined: equal moments"
	}
	a := p.Axes[k]
	return fmt.Sprintf("axis %s,%s,%s ± %s rad", plural.Decimal(a.X, 9), plural.Decimal(a.Y, 9), plural.Decimal(a.Z, 9), interval.Up(p.AxesBound[k]))
}

// withBound formats x and the bound of its error. The printed interval contains [x−bound, x+bound].
func withBound(x, bound float64) string {
	if !(x-x == 0 && bound-bound == 0) {
		return "not determined"
	}
	return interval.New(x, bound).String()
}

func coordinate(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }

// numbers returns the names and the values of the columns of a part.
func numbers(p *measure.Properties) (names []string, values []float64) {
	add := func(name string, x float64) { names, values = append(names, name), append(values, x) }
	add("area", p.Area)
	add("area_bound", p.AreaBound)
	add("volume", p.Volume)
	add("volume_bound", p.VolumeBound)
	add("mass", p.Mass)
	add("mass_bound", p.MassBound)
	for k := range 3 {
		add("centroid_"+"xyz"[k:k+1], coordinate(p.Centroid, k))
	}
	for k := range 3 {
		add("centroid_"+"xyz"[k:k+1]+"_bound", coordinate(p.CentroidBound, k))
	}
	for _, ij := range [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}} {
		add("i"+"xyz"[ij[0]:ij[0]+1]+"xyz"[ij[1]:ij[1]+1], p.Inertia[ij[0]][ij[1]])
	}
	add("inertia_bound", p.InertiaBound)
	for k := range 3 {
		add(fmt.Sprintf("moment_%d", k+1), p.Moments[k])
	}
	add("moments_bound", p.MomentsBound)
	for k := range 3 {
		for i := range 3 {
			add(fmt.Sprintf("axis_%d_%c", k+1, "xyz"[i]), coordinate(p.Axes[k], i))
		}
		add(fmt.Sprintf("axis_%d_bound", k+1), p.AxesBound[k])
	}
	return names, values
}

// printCSV prints a row for each part. Numbers that are not determined are empty.
func printCSV(w io.Writer, results []result) error {
	var b bytes.Buffer
	names, _ := numbers(&measure.Properties{})
	fmt.Fprintf(&b, "mesh,part,first_face,faces,closed,%s,compare,reason\n", strings.Join(names, ","))
	for _, r := range results {
		for i := range r.parts {
			p := &r.parts[i]
			fmt.Fprintf(&b, "%s,%s,%d,%d,%v", cell(r.path), cell(p.Name), p.First, p.Faces, p.Closed)
			_, values := numbers(p)
			for _, x := range values {
				b.WriteByte(',')
				if x-x == 0 {
					fmt.Fprint(&b, x)
				}
			}
			fmt.Fprintf(&b, ",%s,%s\n", r.compare, cell(reasons(p.Reason, r.reason)))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// reasons joins two reasons, unless one of them is empty or they are equal.
func reasons(a, b string) string {
	if a == "" || b == "" || a == b {
		return cmp.Or(a, b)
	}
	return a + "; " + b
}

// cell quotes a cell of CSV if necessary. It escapes control characters.
func cell(text string) string {
	text = quote.Line(text)
	if strings.ContainsAny(text, ",\"\n\r") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

func (r *result) object(f *flags) term.Object {
	turnedFaces, turnedComponents, _ := answer.Turned(r.report)
	parts := make([]term.Object, len(r.parts))
	for i := range r.parts {
		p := &r.parts[i]
		var inertia, axes [3][3]term.Number
		for k := range 3 {
			for j := range 3 {
				inertia[k][j] = term.Number(p.Inertia[k][j])
			}
			axes[k] = term.Numbers(p.Axes[k])
		}
		list := func(x [3]float64) [3]term.Number { return term.Numbers(r3.Vector{X: x[0], Y: x[1], Z: x[2]}) }
		parts[i] = term.Object{
			"name", term.OmitZero(p.Name), "first_face", p.First, "faces", p.Faces, "closed", p.Closed, "reason", term.OmitZero(p.Reason),
			"area", term.Number(p.Area), "area_bound", term.Number(p.AreaBound),
			"volume", term.Number(p.Volume), "volume_bound", term.Number(p.VolumeBound),
			"mass", term.Number(p.Mass), "mass_bound", term.Number(p.MassBound),
			"centroid", term.Numbers(p.Centroid), "centroid_bound", term.Numbers(p.CentroidBound),
			"inertia", inertia, "inertia_bound", term.Number(p.InertiaBound),
			"moments", list(p.Moments), "moments_bound", term.Number(p.MomentsBound),
			"axes", axes, "axes_bound", list(p.AxesBound),
		}
	}
	return term.Object{
		"mesh", r.path, "triangles", r.report.Diagnosis.Triangles, "rule", r.report.Rule.String(), "density", f.density, "by", f.by,
		"turned_faces", turnedFaces, "turned_components", turnedComponents,
		"compare", term.OmitZero(r.compare), "compare_reason", term.OmitZero(r.reason),
		"parts", parts, "warnings", append([]string{}, r.report.Warnings()...),
	}
}

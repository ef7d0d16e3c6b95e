// Package rays implements the command inpoly rays, which finds the faces that rays meet.
package rays

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"sync/atomic"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/affine"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/rays"
)

//go:embed help.txt
var help string

type flags struct {
	lines.Flags
	all, any, bodies bool
}

var rules = []term.Rule{
	{Flags: "all", Excludes: "any"},
	answer.FormatRule(points.OutputFormats()),
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "rays mesh rays", Long: help,
		Args: checkArgs,
		RunE: func(c *cobra.Command, args []string) error {
			last := len(args) - 1
			r := &run{Run: lines.Run{Terminal: t, Flags: &f.Flags, Meshes: args[:last], Input: args[last]}, all: f.all, any: f.any, bodies: f.bodies}
			return r.do(c.Context())
		},
	}
	f.Define(t, c, "units", "scale", "matrix", "pose")
	c.Flags().BoolVar(&f.all, "all", false, "")
	c.Flags().BoolVar(&f.any, "any", false, "")
	c.Flags().BoolVar(&f.bodies, "bodies", false, "")
	term.SetRules(c, answer.Rules, rules)
	return c
}

func checkArgs(_ *cobra.Command, args []string) error {
	const example = "inpoly rays part.stl rays.csv > hits.csv"
	if len(args) < 2 {
		return term.WithHint(term.Usagef("rays: expected a mesh and a file of rays, found %s", plural.Count(int64(len(args)), "argument")), example)
	}
	return term.CheckStdin(args, "rays")
}

type run struct {
	lines.Run
	all, any, bodies bool

	linear    *affine.Map // r.Frame without the translation, for directions
	in        *lines.Reader
	group     *rays.Group
	rays, hit atomic.Int64 // number of completed rays, and of those that meet a face
	bad       lines.Uncertain
	near      atomic.Bool // a ray meets the box of the meshes
}

func (r *run) do(ctx context.Context) error {
	err := r.CheckFlags("")
	if err != nil {
		return err
	}
	if r.Frame != nil {
		r.linear = r.Frame.Linear()
	}
	if r.in, err = r.OpenLines(lines.Rays); err != nil {
		return err
	}
	defer r.in.Close()
	if err := r.SetFormat(r.in.Reader, r.all); err != nil {
		return err
	}
	if !r.all {
		if _, err := r.in.Sink(r.Format, r.answerColumns(nil)); err != nil { // before the meshes are read
			return err
		}
	}
	if err := r.OpenTrees(ctx, r.bodies); err != nil {
		return err
	}
	if r.group, err = rays.NewGroup(ctx, r.Solids.Targets(), r.Workers); err != nil {
		return err
	}
	job := points.Job{Columns: r.answerColumns(r.Solids.Names())}
	rows := r.in.Reader
	switch {
	case r.all:
		rows, job.Answer = lines.Derive(ctx, rows, lines.Limit(r.allHits))
	case r.any:
		job.Answer = lines.Same(lines.Limit(r.anyHit))
	default:
		job.Answer = lines.Same(lines.Limit(r.firstHit))
	}
	sum, err := r.Stream(ctx, rows, job, "rays", r.rays.Load, r.in)
	if err != nil {
		return err
	}
	n, hit, bad := r.rays.Load(), r.hit.Load(), r.bad.Count()
	if r.near.Load() {
		r.Extent.Add(r.Solids.Box().Min) // a ray meets the box, so the rays are not misplaced
	}
	r.WarnInput(answer.Input{Reader: r.in.Reader, Summary: sum, Noun: "ray", Box: r.Extent.Box(), Missed: hit == 0 && bad == 0 && n > 0,
		Bad: r.bad.Warnings(r.in.Reader, "a number that is missing, not finite or too large, or with the direction 0")})
	return r.Finish(r.summary(sum), r.statistics(sum), bad, "ray")
}

// answerColumns returns the result columns. names has the names of the solids.
func (r *run) answerColumns(names []string) []table.Column {
	if r.any {
		return []table.Column{{Name: "hit", Kind: table.Inside}}
	}
	cols := []table.Column{
		{Name: "t", Kind: table.Number}, {Name: "bound", Kind: table.Bound},
		{Name: "hit_x", Kind: table.Number}, {Name: "hit_y", Kind: table.Number}, {Name: "hit_z", Kind: table.Number},
		{Name: "face", Kind: table.Integer}, {Name: "sign", Kind: table.Integer},
	}
	if len(r.Meshes) > 1 || r.bodies {
		cols = append(cols, table.Column{Name: "body", Kind: table.Label, Labels: append(slices.Clone(names), answer.UncertainName)})
	}
	return cols
}

// read returns the rays of a block in the frame of the meshes. It counts those that are not valid.
func (r *run) read(b *table.Block) ([]rays.Ray, error) {
	directions, err := r.in.Ends(nil, b)
	if err != nil {
		return nil, err
	}
	list, origins := make([]rays.Ray, len(directions)), make([]r3.Vector, len(directions))
	bad := table.Tally{}
	for k, d := range directions {
		o := b.Points[k]
		if r.Frame != nil {
			o, d = r.Frame.Apply(o), r.linear.Apply(d)
		}
		if list[k] = (rays.Ray{Origin: o, Direction: d}); list[k].Check() != nil {
			bad.AddAt(int64(k))
		}
		if origins[k] = o; !r.near.Load() && meets(o, d, r.Solids.Box()) {
			r.near.Store(true)
		}
	}
	r.Extent.Add(origins...)
	r.bad.Add(r.in.Reader, b, bad)
	return list, nil
}

// meets reports whether a ray meets a box. Rounding errors can change the answer for rays that touch the box.
func meets(o, d r3.Vector, b bvh.Box) bool {
	from, to := 0., math.Inf(1)
	for _, s := range [3][4]float64{{o.X, d.X, b.Min.X, b.Max.X}, {o.Y, d.Y, b.Min.Y, b.Max.Y}, {o.Z, d.Z, b.Min.Z, b.Max.Z}} {
		o, d, low, high := s[0], s[1], s[2], s[3]
		if d == 0 {
			if o < low || o > high {
				return false
			}
			continue
		}
		t, u := (low-o)/d, (high-o)/d
		from, to = max(from, min(t, u)), min(to, max(t, u))
	}
	return from <= to
}

func (r *run) anyHit(ctx context.Context, b *table.Block) (*lines.Rows, error) {
	list, err := r.read(b)
	if err != nil {
		return nil, err
	}
	met := make([]bool, len(list))
	if err := rays.GroupAnyTo(ctx, r.group, met, list); err != nil {
		return nil, err
	}
	a := &lines.Rows{Sides: make([]inpoly.Side, len(list))}
	hit := int64(0)
	for k, m := range met {
		switch a.Sides[k] = inpoly.Outside; {
		case m:
			a.Sides[k] = inpoly.Inside
			hit++
		case list[k].Check() != nil:
			a.Sides[k] = inpoly.Unknown
		}
	}
	r.count(len(list), hit)
	return a, nil
}

func (r *run) firstHit(ctx context.Context, b *table.Block) (*lines.Rows, error) {
	list, err := r.read(b)
	if err != nil {
		return nil, err
	}
	hits := make([]rays.GroupHit, len(list))
	if err := rays.GroupFirstTo(ctx, r.group, hits, list); err != nil {
		return nil, err
	}
	a := r.newRows(len(list))
	hit := int64(0)
	for k := range hits {
		if r.add(a, list[k], hits[k]); hits[k].Face >= 0 {
			hit++
		}
	}
	r.count(len(list), hit)
	return a, nil
}

func (r *run) allHits(ctx context.Context, b *table.Block) (*lines.Rows, error) {
	list, err := r.read(b)
	if err != nil {
		return nil, err
	}
	var hits rays.GroupHits
	if err := rays.GroupAllTo(ctx, r.group, &hits, list); err != nil {
		return nil, err
	}
	a := r.newRows(len(hits.Hits) + len(list))
	hit := int64(0)
	for k := range list {
		of := hits.Of(k)
		if len(of) == 0 { // a row says that the ray meets no face
			of = []rays.GroupHit{{Hit: rays.Hit{Face: -1}, Target: -1}}
		} else if of[0].Face >= 0 {
			hit++
		}
		for _, h := range of {
			r.add(a, list[k], h)
			a.Origin = append(a.Origin, int32(k))
		}
	}
	r.count(len(list), hit)
	return a, nil
}

func (r *run) count(n int, hit int64) {
	r.rays.Add(int64(n))
	r.hit.Add(hit)
}

// newRows returns empty columns with room for n rows.
func (r *run) newRows(n int) *lines.Rows {
	a := &lines.Rows{Numbers: make([][]float64, 5), Integers: make([][]int64, 3)}
	if !r.Solids.Several {
		a.Integers = a.Integers[:2]
	}
	for i := range a.Numbers {
		a.Numbers[i] = make([]float64, 0, n)
	}
	for i := range a.Integers {
		a.Integers[i] = make([]int64, 0, n)
	}
	return a
}

// uncertainFace is the face of a ray that is not valid. In all formats, it differs from the face −1 of a ray
// that meets no face.
const uncertainFace = -2

// add appends a hit to the columns. Without a hit, numbers are NaN, and the face and the solid are −1.
func (r *run) add(a *lines.Rows, ray rays.Ray, h rays.GroupHit) {
	t, bound, p := math.NaN(), math.NaN(), r3.Vector{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
	if h.Face >= 0 {
		t, bound = h.T, h.Bound
		p = ray.Point(t)
	}
	for i, x := range [...]float64{t, bound, p.X, p.Y, p.Z} {
		a.Numbers[i] = append(a.Numbers[i], x)
	}
	face, solid := int32(-1), h.Target
	switch {
	case h.Face >= 0:
		face = r.Solids.FileFace(int(solid), h.Face)
	case math.IsNaN(h.T):
		face, solid = uncertainFace, int32(r.Solids.Len())
	}
	for i, n := range []int64{int64(face), int64(h.Sign), int64(solid)}[:len(a.Integers)] {
		a.Integers[i] = append(a.Integers[i], n)
	}
}

// statistics returns the JSON object of --json.
func (r *run) statistics(sum points.Summary) term.Object {
	n, hit, bad := r.rays.Load(), r.hit.Load(), r.bad.Count()
	return append(append(term.Object{
		"mesh", r.Solids.Name, "triangles", r.Solids.Triangles(), "solids", r.Solids.Len(),
		"rays", n, "hit", hit, "missed", n - hit - bad, "uncertain", bad, "written", sum.Kept,
	}, r.Seconds(sum.Elapsed)...), "rays_per_s", term.Rate(n, sum.Elapsed), "warnings", r.AllWarnings(r.in.Reader))
}

// summary returns the counts, and the details of --verbose.
func (r *run) summary(sum points.Summary) term.Summary {
	n, hit, bad := r.rays.Load(), r.hit.Load(), r.bad.Count()
	counts := []term.Counted{{N: hit, Word: "hit"}, {N: n - hit - bad, Word: "missed"}}
	if bad > 0 {
		counts = append(counts, term.Counted{N: bad, Word: "uncertain"})
	}
	line, _ := term.CountsLine(n, "ray", counts)
	if r.all {
		line += "; " + plural.Grouped(sum.Kept, "row") + " written"
	}
	return term.Summary{Lines: []string{line}, Details: []string{
		term.Detail("mesh", "%s: %s", r.Solids.Name, plural.Count(int64(r.Solids.Triangles()), "triangle")),
		term.Detail("time", "%.3g s, %s rays/s", sum.Elapsed.Seconds(), term.Short(term.Rate(n, sum.Elapsed))),
	}}
}

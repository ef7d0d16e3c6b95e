// Package blocks implements the command inpoly blocks, which computes block models.
package blocks

import (
	"cmp"
	"context"
	_ "embed"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

//go:embed help.txt
var help string

type flags struct {
	lines.Flags
	origin, size, counts, rotation string
	levels, subLevels              int
	overlap, bodies                bool
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "blocks mesh…", Long: help,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 1 && slices.Contains(args, "-") {
				return term.WithHint(term.Usagef("blocks: expected mesh files, or one mesh from standard input"), example)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return (&run{Run: lines.Run{Terminal: t, Flags: &f.Flags, Meshes: args}, flags: &f}).do(c.Context())
		},
	}
	f.DefineOutput(t, c, "method", "rule")
	set := c.Flags()
	set.StringVar(&f.origin, "origin", "", "")
	set.StringVar(&f.size, "size", "", "")
	set.StringVar(&f.counts, "counts", "", "")
	set.StringVar(&f.rotation, "rotation", "", "")
	set.IntVar(&f.levels, "levels", blocks.DefaultLevels, "")
	set.IntVar(&f.subLevels, "sub-levels", 0, "")
	set.BoolVar(&f.overlap, "overlap", false, "")
	set.BoolVar(&f.bodies, "bodies", false, "")
	return c
}

const example = "inpoly blocks ore.obj waste.obj --origin 1000,1980,-120 --size 20,20,10 --counts 14,8,10 --out model.csv"

type run struct {
	lines.Run
	flags *flags

	mu      sync.Mutex
	mixed   int64     // number of rows that a face can meet
	volumes []float64 // by solid, in units of a block
	bounds  []float64
	largest float64 // the largest bound of a share
}

func (r *run) do(ctx context.Context) error {
	f, err := r.flags.frame()
	if err != nil {
		return err
	}
	if err := r.CheckFlags(); err != nil {
		return err
	}
	if _, err := r.Options(); err != nil {
		return err
	}
	if r.flags.levels < 0 || r.flags.levels > blocks.MaxLevels {
		return term.Usagef("--levels %d: must be from 0 to %d", r.flags.levels, blocks.MaxLevels)
	}
	if r.flags.subLevels < 0 || r.flags.subLevels > blocks.MaxSubLevels {
		return term.Usagef("--sub-levels %d: must be from 0 to %d", r.flags.subLevels, blocks.MaxSubLevels)
	}
	expected := f.Grid().Len()
	if err := r.OpenSolids(ctx, r.flags.bodies, int64(expected)); err != nil {
		return err
	}
	var solids []*inpoly.Solid
	for i := range r.Solids.Len() {
		solids = append(solids, r.Solids.Solid(i))
	}
	opt := blocks.Options{Levels: r.flags.levels, SubLevels: r.flags.subLevels, Overlap: r.flags.overlap, Expected: expected}
	model, err := blocks.New(ctx, solids, f.Pose(), opt)
	if err != nil {
		return err
	}
	in := points.FromSource("blocks", newGrid(ctx, model, f, opt.SubLevels > 0), int64(expected))
	if r.Format, err = answer.OutputFormat(r.OutPath, r.Format, "", in); err != nil {
		return err
	}
	r.Format = cmp.Or(r.Format, "csv")
	if format := answer.BinaryFormat(r.Format, in); format != "" {
		if err := r.RefuseBinary(r.OutPath, format); err != nil {
			return err
		}
	}
	r.volumes, r.bounds = make([]float64, len(solids)), make([]float64, len(solids))
	job := points.Job{Columns: columns(r.Solids.Names()), Answer: func(_ context.Context, b *table.Block) error {
		r.answer(model, b)
		return nil
	}}
	sum, err := r.Stream(ctx, in, job, "blocks", func() int64 { return 0 })
	if err != nil {
		return err
	}
	r.Warnings = answer.RowWarnings(in, sum, "block", true)
	r.WarnList(r.Warnings, 0, "--json lists them")
	return r.Summarize(r.summary(f, sum), r.Stats, r.statistics(f, sum, in))
}

// columns returns the result columns.
func columns(names []string) (list []table.Column) {
	for _, n := range names {
		list = append(list, table.Column{Name: n, Kind: table.Number}, table.Column{Name: n + "_bound", Kind: table.Bound})
	}
	return append(list, table.Column{Name: "body", Kind: table.Label, Labels: append(slices.Clone(names), answer.UncertainName)})
}

// answer fills the result columns of b.
func (r *run) answer(m *blocks.Model, b *table.Block) {
	rows := &b.Source.(*piece).rows
	volumes, bounds := make([]float64, len(rows.Shares)), make([]float64, len(rows.Shares))
	mixed, largest := int64(0), 0.0
	for k := range rows.Rows {
		row := &rows.Rows[k]
		body := row.Single
		if row.Mixed {
			mixed++
			if body = m.Body(b.Points[k]); body == blocks.Unknown {
				body = int32(len(rows.Shares))
			}
		}
		b.Integers[0][k] = int64(body)
		part := math.Ldexp(1, -3*int(row.Level))
		for s := range rows.Shares {
			x, e := rows.Shares[s][k], rows.Bounds[s][k]
			b.Numbers[2*s][k], b.Numbers[2*s+1][k] = x, e
			volumes[s] += part * x
			bounds[s] += part * e
			largest = max(largest, e)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mixed += mixed
	r.largest = max(r.largest, largest)
	for s := range volumes {
		r.volumes[s] += volumes[s]
		r.bounds[s] += bounds[s]
	}
}

// frame returns the frame that the flags describe.
func (f *flags) frame() (out blocks.Frame, err error) {
	if f.size == "" || f.counts == "" || f.origin == "" {
		return out, term.WithHint(term.Usagef("blocks: expected --origin, --size and --counts"), example)
	}
	read := func(flag, value string, counts ...int) (v r3.Vector) {
		list, failed := answer.ParseNumbers(value, counts...)
		switch {
		case failed != nil:
			err = cmp.Or(err, term.Usagef("%s %w", flag, failed))
		case len(list) == 1:
			v = r3.Vector{X: list[0], Y: list[0], Z: list[0]}
		default:
			v = r3.Vector{X: list[0], Y: list[1], Z: list[2]}
		}
		return v
	}
	out.Origin, out.Size = read("--origin", f.origin, 3), read("--size", f.size, 1, 3)
	n := read("--counts", f.counts, 3)
	for k, x := range [3]float64{n.X, n.Y, n.Z} {
		if err == nil && (x != math.Trunc(x) || x < 1 || x > math.MaxInt32) {
			err = term.Usagef("--counts %s: expected integers from 1 to %d", f.counts, math.MaxInt32)
		}
		out.Counts[k] = int(x)
	}
	if f.rotation != "" && err == nil {
		a := read("--rotation", f.rotation, 1, 3)
		if !slices.Contains([]byte(f.rotation), ',') {
			a.Y, a.Z = 0, 0 // the azimuth alone
		}
		if err == nil {
			if out.Rotation, err = blocks.Rotation(a.X, a.Y, a.Z); err != nil {
				err = term.Usagef("--rotation %w", err)
			}
		}
	}
	if err == nil {
		if err = out.Check(); err != nil {
			err = term.Usagef("blocks: %w", err)
		}
	}
	return out, err
}

func (r *run) summary(f blocks.Frame, sum points.Summary) term.Summary {
	unit := f.Grid().Volume()
	line, _ := term.CountsLine(sum.Rows, "block", []term.Counted{{N: r.mixed, Word: "at a surface"}, {N: sum.Rows - r.mixed, Word: "not"}})
	s := term.Summary{Lines: []string{line}}
	for i, name := range r.Solids.Names() {
		s.Lines = append(s.Lines, name+": volume "+plural.GroupedDecimal(r.volumes[i]*unit, 6)+" ± "+plural.GroupedDecimal(r.bounds[i]*unit, 2))
	}
	s.Details = []string{
		term.Detail("frame", "%d×%d×%d blocks of %g×%g×%g", f.Counts[0], f.Counts[1], f.Counts[2], f.Size.X, f.Size.Y, f.Size.Z),
		term.Detail("bound", "%.2g at most", r.largest),
		term.Detail("time", "%.3g s, %s blocks/s", sum.Elapsed.Seconds(), term.Short(term.Rate(sum.Rows, sum.Elapsed))),
	}
	return s
}

func (r *run) statistics(f blocks.Frame, sum points.Summary, in *points.Reader) term.Object {
	unit := f.Grid().Volume()
	volumes, bounds := make([]any, len(r.volumes)), make([]any, len(r.volumes))
	for i := range r.volumes {
		volumes[i], bounds[i] = term.Number(r.volumes[i]*unit), term.Number(r.bounds[i]*unit)
	}
	return append(append(term.Object{
		"mesh", r.Solids.Name, "solids", r.Solids.Names(), "counts", f.Counts, "origin", term.Numbers(f.Origin), "size", term.Numbers(f.Size),
		"rotation", [4]float64{f.Rotation.Real, f.Rotation.Imag, f.Rotation.Jmag, f.Rotation.Kmag},
		"blocks", sum.Rows, "mixed", r.mixed, "volumes", volumes, "volume_bounds", bounds, "max_bound", term.Number(r.largest),
	}, r.Seconds(sum.Elapsed)...), "blocks_per_s", term.Rate(sum.Rows, sum.Elapsed), "warnings", r.AllWarnings(in))
}

// Package blocks implements the command inpoly blocks, which computes block models.
package blocks

import (
	"context"
	_ "embed"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

//go:embed help.txt
var help string

type flags struct {
	lines.Flags
	origin, size, counts, rotation string
	table                          string
	levels, subLevels              int
	minSize, priority              string
	overlap, bodies, dryRun        bool

	vtk string // format of a VTK file, or ""
}

var rules = []term.Rule{
	answer.FormatRule(append(points.OutputFormats(), vtkFormats...)),
	{Flags: "table", Excludes: "origin counts", Text: "--table: --origin and --counts cannot be used, because the table has the blocks"},
	{Flags: "levels", Range: [2]int64{0, blocks.MaxLevels}},
	{Flags: "sub-levels", Range: [2]int64{0, blocks.MaxSubLevels}},
	{Flags: "min-size", Excludes: "sub-levels", Because: "both set the number of levels"},
	{Flags: "table", Excludes: "sub-levels min-size", Text: "--table: --sub-levels and --min-size cannot be used, because each row stays one row"},
	{Flags: "columns text", Requires: "table", Text: "--columns and --text: require --table, because nothing else has columns"},
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
			r := &run{Run: lines.Run{Terminal: t, Flags: &f.Flags, Meshes: args, Input: f.table}, flags: &f}
			return r.do(c.Context())
		},
	}
	f.DefineOutput(t, c, "method", "rule", "distance", "columns", "text")
	set := c.Flags()
	set.StringVar(&f.origin, "origin", "", "")
	set.StringVar(&f.size, "size", "", "")
	set.StringVar(&f.counts, "counts", "", "")
	set.StringVar(&f.rotation, "rotation", "", "")
	set.StringVar(&f.table, "table", "", "")
	set.IntVar(&f.levels, "levels", blocks.DefaultLevels, "")
	set.IntVar(&f.subLevels, "sub-levels", 0, "")
	set.StringVar(&f.minSize, "min-size", "", "")
	set.StringVar(&f.priority, "priority", "", "")
	set.BoolVar(&f.overlap, "overlap", false, "")
	set.BoolVar(&f.bodies, "bodies", false, "")
	set.BoolVar(&f.dryRun, "dry-run", false, "")
	term.SetRules(c, answer.Rules, rules)
	return c
}

const example = "inpoly blocks ore.obj waste.obj --origin 1000,1980,-120 --size 20,20,10 --counts 14,8,10 --out model.csv"

type run struct {
	lines.Run
	flags *flags
	frame blocks.Frame
	order []int // indices of the solids by priority
	model *blocks.Model
	input *tableInput // nil without --table

	slots chan struct{} // limits the number of blocks whose distances are computed at the same time
	sum   *tally

	covered []covered // by priority; nil if nobody reads the summary
}

func (r *run) do(ctx context.Context) (err error) {
	r.SetOutputs(r.OutPath)
	if r.frame, err = r.flags.check(r.OutPath); err != nil {
		return err
	}
	if err := r.CheckFlags(".vti .vtu"); err != nil {
		return err
	}
	const atOnce = 2 // tuning: the second block uses workers that the first block no longer needs
	r.slots = make(chan struct{}, atOnce)
	expected := int64(r.frame.Grid().Len())
	if r.Input != "" {
		if err := r.openTable(); err != nil {
			return err
		}
		defer func() { r.input.Close() }()
		expected = answer.ExpectedPoints(r.input.Reader, 1)
	}
	if err := r.OpenSolids(ctx, r.flags.bodies, expected, (*answer.Solids).RefuseNegative); err != nil {
		return err
	}
	if err := r.newModel(ctx, expected); err != nil {
		return err
	}
	if r.input != nil {
		return r.fillTable(ctx)
	}
	return r.fillGrid(ctx)
}

// newModel prepares the solids in the order of their priority.
func (r *run) newModel(ctx context.Context, expected int64) (err error) {
	if r.order, err = parsePriority(r.flags.priority, r.Solids.Names()); err != nil {
		return err
	}
	var solids []*inpoly.Solid
	for _, k := range r.order {
		solids = append(solids, r.Solids.Solid(k))
	}
	if box := r.Solids.Box(); r.input != nil && r.frame.Rotated() && !box.Empty() {
		r.frame.Origin = box.Min.Mul(0.5).Add(box.Max.Mul(0.5)) // the frame has no place; a near origin rounds less
	}
	opt := blocks.Options{Levels: r.flags.levels, SubLevels: r.flags.subLevels, Overlap: r.flags.overlap, Expected: int(min(expected, 1<<30))}
	r.model, err = blocks.New(ctx, solids, r.frame.Pose(), opt)
	return err
}

// fillGrid computes the blocks of the frame.
func (r *run) fillGrid(ctx context.Context) error {
	source := newGrid(ctx, r.model, r.frame, r.flags.subLevels)
	defer source.close()
	if r.flags.vtk != "" {
		folder := "" // that of temporary files
		if !term.IsStdout(r.OutPath) && atomicfile.Replaces(r.OutPath) {
			folder = filepath.Dir(r.OutPath)
		}
		source.vtk = func(g *grid, cols []table.Column) *vtkSink { return newVTK(g, folder, r.flags.vtk == "vti", cols) }
	}
	in := points.FromSource("blocks", source, int64(r.frame.Grid().Len()))
	if err := r.setFormat(in); err != nil {
		return err
	}
	e, err := r.estimateGrid(ctx)
	if err != nil {
		return err
	}
	if r.flags.dryRun {
		return r.finishEstimate(e)
	}
	r.noteEstimate(e)
	if err := r.cover(ctx); err != nil {
		return err
	}
	r.sum = newTally(len(r.order))
	job := points.Job{Columns: r.columns(), Answer: func(ctx context.Context, b *table.Block) error { return r.answer(ctx, b, r.sum) }}
	sum, err := r.Stream(ctx, in, job, "blocks", func() int64 { return 0 })
	if err != nil {
		return err
	}
	r.WarnInput(answer.Input{Reader: in, Summary: sum, Noun: "block", Box: bvh.Box{Min: sum.Min, Max: sum.Max}, Missed: !r.sum.touched()})
	volume := r.frame.Grid().Volume()
	return r.Finish(r.summary(sum, volume), r.statistics(sum, volume, in), 0, "block")
}

// setFormat sets the format of the output, and refuses a binary format on a terminal.
func (r *run) setFormat(in *points.Reader) error {
	if r.flags.vtk != "" {
		return r.RefuseBinary(r.OutPath, r.flags.vtk)
	}
	return r.SetFormat(in, true)
}

// columns returns the result columns.
func (r *run) columns() (list []table.Column) {
	names := r.Solids.Names()
	for _, n := range names {
		list = append(list, table.Column{Name: n, Kind: table.Number}, table.Column{Name: n + "_bound", Kind: table.Bound})
	}
	if r.Distance {
		list = append(list, table.Column{Name: "distance", Kind: table.Number}, table.Column{Name: "distance_bound", Kind: table.Bound})
	}
	return append(list, table.Column{Name: "body", Kind: table.Label, Labels: append(slices.Clone(names), answer.UncertainName)})
}

// answer fills the result columns of blocks of the frame.
func (r *run) answer(ctx context.Context, b *table.Block, sum *tally) error {
	rows := &b.Source.(*piece).rows
	part, size := newTally(len(r.order)), r.frame.Size
	for k := range rows.Rows {
		r.put(b, k, rows, k)
		h := rows.Rows[k].Box.Size() // the positions of planes are rounded, so it can differ from the nominal size
		part.add(rows, k, h.X/size.X*(h.Y/size.Y)*(h.Z/size.Z))
	}
	sum.merge(part)
	return r.distances(ctx, b)
}

// put writes the results of row i of rows to row k of b.
func (r *run) put(b *table.Block, k int, rows *blocks.Rows, i int) {
	row := &rows.Rows[i]
	body := row.Single
	if row.Mixed {
		body = r.model.Body(b.Points[k])
	}
	switch body {
	case blocks.None:
		b.Integers[0][k] = -1
	case blocks.Unknown:
		b.Integers[0][k] = int64(len(r.order))
	default:
		b.Integers[0][k] = int64(r.order[body])
	}
	for s, column := range r.order {
		b.Numbers[2*column][k], b.Numbers[2*column+1][k] = rows.Shares[s][i], rows.Bounds[s][i]
	}
}

// distances fills the columns of --distance: the signed distance of each center.
func (r *run) distances(ctx context.Context, b *table.Block) error {
	if !r.Distance {
		return nil
	}
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	n, at := len(b.Points), 2*len(r.order)
	var dst inpoly.Answers
	dst.Distance, dst.Face = b.Numbers[at], make([]int32, n)
	if _, err := r.Solids.LocateTo(ctx, assembly.Query{}, dst, b.Points); err != nil {
		return err
	}
	for k, d := range dst.Distance {
		dst.Distance[k] = d + 0 // −0 becomes 0
		b.Numbers[at+1][k] = inpoly.DistanceBound(d)
	}
	return nil
}

// tally adds up the results of rows. The sums do not depend on the order in which parts are merged.
type tally struct {
	mu      sync.Mutex
	rows    int64
	mixed   int64   // number of rows that a face can meet
	largest float64 // the largest bound of a share
	// Sums of the rows of a part, and exact sums of the merged parts: by priority, the volume and its bound.
	part  [][2]compensated
	exact [][2]big.Float
}

// compensated is a sum and the sum of its rounding errors (A. Neumaier, ZAMM 54, 1974).
type compensated struct{ sum, rest float64 }

func (c *compensated) add(x float64) {
	s := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.rest += (c.sum - s) + x
	} else {
		c.rest += (x - s) + c.sum
	}
	c.sum = s
}

func newTally(solids int) *tally {
	t := &tally{part: make([][2]compensated, solids), exact: make([][2]big.Float, solids)}
	const enough = 2400 // bits of any sum of float64 numbers of at most 2¹²⁸ rows
	for s := range t.exact {
		t.exact[s][0].SetPrec(enough)
		t.exact[s][1].SetPrec(enough)
	}
	return t
}

// add adds row k, whose volume is given. The volume is infinite if float64 cannot hold it.
func (t *tally) add(rows *blocks.Rows, k int, volume float64) {
	t.rows++
	if rows.Rows[k].Mixed {
		t.mixed++
	}
	for s := range t.part {
		x, e := rows.Shares[s][k], rows.Bounds[s][k]
		if x > 0 { // otherwise the product with an infinite volume is NaN
			t.part[s][0].add(volume * x)
		}
		if e > 0 {
			t.part[s][1].add(volume * e)
		}
		t.largest = max(t.largest, e)
	}
}

// touched reports whether a block can meet a face or is inside a solid, or there are no blocks.
func (t *tally) touched() bool {
	touched := t.mixed > 0 || t.rows == 0
	for s := range t.exact {
		touched = touched || t.exact[s][0].Sign() != 0
	}
	return touched
}

// merge adds a part. It is safe for concurrent use.
func (t *tally) merge(part *tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows += part.rows
	t.mixed += part.mixed
	t.largest = max(t.largest, part.largest)
	for s := range t.part {
		for i, c := range part.part[s] {
			sum := &t.exact[s][i]
			sum.Add(sum, big.NewFloat(c.sum))
			if c.rest-c.rest == 0 { // otherwise the sum is infinite
				sum.Add(sum, big.NewFloat(c.rest))
			}
		}
	}
}

// volume returns the volume of solid s, by priority, and its bound.
func (t *tally) volume(s int) (v, e float64) {
	v, _ = t.exact[s][0].Float64()
	e, _ = t.exact[s][1].Float64()
	const u = 0x1p-53
	// The lengths, their products with a share, the volume and the bound are rounded. The rest of a compensated sum
	// has an error of at most u² for each row.
	return v, e + (16*u+float64(t.rows)*u*u)*(v+e)
}

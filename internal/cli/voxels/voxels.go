// Package voxels implements the command inpoly voxels, which samples a mesh on a grid.
package voxels

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/golang/geo/r3"
	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/voxels"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	out, output, stats string // output is the value of --format
	spacing, dims, box string
	margin             float64
	fraction           int
	error, float64     bool
}

const quantities = "winding fraction distance"

var rules = []term.Rule{
	{Flags: "margin", Excludes: "box", Because: "--margin extends the box of the mesh"},
	{Flags: "winding", Excludes: "fraction"},
	{Flags: "distance", Excludes: "winding fraction"},
	{Flags: "error", Requires: quantities, Because: "occupancy has no error"},
	{Flags: "float64", Requires: quantities, Because: "occupancy is a byte"},
	{Flags: "fraction", Range: [2]int64{1, voxels.MaxSamples}},
	{Flags: "tolerance", Excludes: "fraction", Because: "fractions ignore the tolerance"},
	{Flags: "margin", Finite: "length"},
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "voxels mesh", Long: help,
		Args: term.OneFile("mesh"),
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), t, &f, c.Flags().Changed, args[0])
		},
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.output, "format", "", "")
	set.StringVar(&f.spacing, "spacing", "", "")
	set.StringVar(&f.dims, "dims", "", "")
	set.StringVar(&f.box, "box", "", "")
	set.Float64Var(&f.margin, "margin", 0, "")
	set.IntVar(&f.fraction, "fraction", 0, "")
	set.BoolVar(&f.error, "error", false, "")
	set.BoolVar(&f.float64, "float64", false, "")
	f.DefineSolid(set, "winding", "distance", "pose")
	set.StringVar(&f.stats, "stats", "", "")
	t.OutputFlags(set, &f.stats)
	term.SetRules(c, answer.Rules, rules)
	return c
}

// run samples the mesh at path. isSet reports whether the command line sets a flag.
func run(ctx context.Context, t *term.Terminal, f *flags, isSet func(flag string) bool, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	t.SetOutputs(f.out)
	p, err := f.plan(isSet)
	if err != nil {
		return term.Usage(err)
	}
	opt.ExpectedPoints = p.expected()
	solid, err := f.OpenTarget(ctx, t, path, opt, "nothing was written")
	if err != nil {
		return err
	}
	g, err := p.grid(solid.Box())
	if errors.Is(err, voxels.ErrNoBox) {
		err = term.WithHint(fmt.Errorf("%s: the mesh has no faces and therefore no box", term.InputName(path)), "set the box of the grid with --box")
	}
	if err != nil {
		return err
	}
	bar := t.NewProgress()
	p.opt.Progress = func(done, total int64) { bar.Show("voxels", done, total, "", 0) }
	start := time.Now()
	var sum voxels.Summary
	size, err := t.WriteOutput(f.out, func(w io.Writer) error {
		sum, err = p.write(ctx, w, solid, g)
		return err
	})
	bar.Done()
	if err != nil {
		return err
	}
	took := time.Since(start)
	warnings := answer.ApartWarnings("grid", gridBox(g), solid.Box())
	if sum.Uncertain > 0 {
		warnings = append(warnings, term.InputName(path)+": "+plural.Count(sum.Uncertain, "voxel")+" uncertain")
	}
	t.WarnList(warnings, 0, "--json lists them")
	warnings = append(solid.Report().Warnings(), warnings...)
	err = t.Summarize(summary(path, solid, g, &p, sum, size, took), f.stats, statistics(path, f.out, solid, g, &p, sum, size, took, warnings))
	if err != nil {
		return err
	}
	return term.CheckUncertain(f.Strict, sum.Uncertain, "voxel")
}

func (p *plan) write(ctx context.Context, w io.Writer, solid inpoly.Target, g voxels.Grid) (sum voxels.Summary, err error) {
	buffer := bufio.NewWriterSize(w, 1<<18)
	if !p.compressed {
		sum, err = voxels.Write(ctx, buffer, solid, g, p.opt)
	} else {
		// Higher levels hardly improve the compression of long runs of equal values.
		z, zipErr := gzip.NewWriterLevel(buffer, gzip.BestSpeed)
		if zipErr != nil {
			return sum, zipErr
		}
		if sum, err = voxels.Write(ctx, z, solid, g, p.opt); err == nil {
			err = z.Close()
		}
	}
	if err != nil {
		return sum, err
	}
	return sum, buffer.Flush()
}

// gridBox returns the box of all voxels.
func gridBox(g voxels.Grid) bvh.Box {
	far := r3.Vector{X: float64(g.Counts[0]) * g.Spacing.X, Y: float64(g.Counts[1]) * g.Spacing.Y, Z: float64(g.Counts[2]) * g.Spacing.Z}
	return bvh.Box{Min: g.Origin, Max: g.Origin.Add(far)}
}

// contains reports whether the grid contains the box of a mesh, but for the rounding of its far corner.
func contains(grid, mesh bvh.Box) bool {
	round := grid.Size().Mul(0x1p-40).Add(grid.Max.Abs().Mul(0x1p-40))
	grid.Min, grid.Max = grid.Min.Sub(round), grid.Max.Add(round)
	return mesh.Empty() || grid.Contains(mesh.Min) && grid.Contains(mesh.Max)
}

// statistics returns the JSON object of --stats. It contains all parameters that a reader of a raw
// array needs.
func statistics(mesh, out string, solid inpoly.Target, g voxels.Grid, p *plan, sum voxels.Summary, size int64, took time.Duration, warnings []string) term.Object {
	r, quantity := solid.Report(), p.opt.Quantity.String()
	compression, kind := "", "<f4"
	if p.compressed {
		compression = "gzip"
	}
	if p.opt.Float64 {
		kind = "<f8"
	}
	components := []string{quantity}
	var volumeError, maxError, mixed, windingMin, windingMax, windingBound any
	second := ""
	switch p.opt.Quantity {
	case voxels.Occupancy:
		kind = "|u1"
	case voxels.Fraction:
		volumeError, maxError, mixed, second = term.Number(sum.VolumeError), term.Number(sum.MaxError), sum.Mixed, "error"
	case voxels.Winding:
		windingMin, windingMax, windingBound = term.Number(sum.MinWinding), term.Number(sum.MaxWinding), term.Number(sum.MaxBound)
		second = "bound"
	case voxels.Distance:
		second = "bound"
	}
	if p.opt.Error {
		components = append(components, second)
	}
	turnedFaces, turnedComponents, _ := answer.Turned(r)
	return term.Object{
		"mesh", mesh, "triangles", r.Diagnosis.Triangles, "method", r.Method.String(), "method_reason", r.MethodReason,
		"rule", r.Rule.String(), "out", out, "format", p.opt.Format.String(), "compression", term.OmitZero(compression), "bytes", size,
		"quantity", quantity, "samples", term.OmitZero(p.opt.Samples), "type", kind, // kind is a NumPy type
		"components", components, "dims", g.Counts, // the x index varies fastest
		"origin", term.Numbers(g.Origin), "spacing", term.Numbers(g.Spacing),
		"inside", sum.Inside, "outside", sum.Outside, "on", sum.On, "uncertain", sum.Uncertain, "volume", term.Number(sum.Volume),
		"volume_error", volumeError, "max_error", maxError, "mixed", mixed,
		"winding_min", windingMin, "winding_max", windingMax, "winding_bound", windingBound,
		"mesh_volume", term.Number(r.Diagnosis.Volume), "mesh_closed", solid.Mesh().Closed(), "grid_contains_mesh", contains(gridBox(g), solid.Box()),
		"turned_faces", turnedFaces, "turned_components", turnedComponents,
		"load_s", r.Timings.Load.Seconds(), "build_s", r.Timings.Build.Seconds(), "voxels_s", took.Seconds(),
		"voxels_per_s", term.Rate(int64(g.Len()), took), "warnings", append([]string{}, warnings...),
	}
}

// summary returns the counts, the volumes, and the details of --verbose.
func summary(mesh string, solid inpoly.Target, g voxels.Grid, p *plan, sum voxels.Summary, size int64, took time.Duration) term.Summary {
	sides := [4]int64{inpoly.Inside: sum.Inside, inpoly.Outside: sum.Outside, inpoly.OnSurface: sum.On, inpoly.Unknown: sum.Uncertain}
	line, rounded := term.CountsLine(int64(g.Len()), "voxel", answer.SideParts(sides))
	volume := "volume " + plural.GroupedDecimal(sum.Volume, 6)
	switch p.opt.Quantity {
	case voxels.Fraction:
		volume += fmt.Sprintf(" ± %s (%s partly inside)", plural.GroupedDecimal(sum.VolumeError, 2), plural.Grouped(sum.Mixed, "voxel"))
	case voxels.Winding:
		volume += fmt.Sprintf(", winding numbers %.4g to %.4g ± %.1g", sum.MinWinding, sum.MaxWinding, sum.MaxBound)
	}
	r := solid.Report()
	_, _, turned := answer.Turned(r)
	ofMesh := "volume of the mesh " + plural.GroupedDecimal(r.Diagnosis.Volume, 6)
	if !solid.Mesh().Closed() {
		ofMesh = "the mesh is open"
	}
	lines := []string{line, volume + ", " + ofMesh}
	if term.Width(lines[1]) > term.LineWidth {
		lines = []string{line, volume, ofMesh}
	}
	if !contains(gridBox(g), solid.Box()) {
		lines = append(lines, "the mesh is partly or wholly outside the grid: the first volume is that in the grid")
	}
	details := []string{
		term.Detail("grid", "%d×%d×%d voxels of %.4g×%.4g×%.4g", g.Counts[0], g.Counts[1], g.Counts[2], g.Spacing.X, g.Spacing.Y, g.Spacing.Z),
		term.Detail("mesh", "%s: %s%s", term.InputName(mesh), plural.Count(int64(r.Diagnosis.Triangles), "triangle"), turned),
		term.Detail("method", "%v (%s)", r.Method, r.MethodReason),
		term.Detail("rule", "%v", r.Rule),
		term.Detail("output", "%v of %v, %s", p.opt.Format, p.opt.Quantity, plural.Count(size, "byte")),
		term.Detail("time", "%.3g s, %s voxels/s", took.Seconds(), term.Short(term.Rate(int64(g.Len()), took))),
	}
	if rounded {
		details = append(details, term.Detail("counts", "%s", answer.SideCounts(sides)))
	}
	return term.Summary{Lines: lines, Details: details}
}

// Package view implements the command inpoly view, which draws meshes and their defects, and
// optionally points.
package view

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/view"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	pictureFlags
	out, slice, up    string
	colorBy           string
	maxPoints, pixels int
	stats             string // the value "json" comes from --json
	open              bool
}

// maxDrawn is the largest value of --most. The page contains each coordinate of the drawn points as
// one string with at most 11 bytes per point, and Chromium limits strings to 512 MB.
const maxDrawn = 20_000_000

// details is the largest number of points in the file for which winding numbers and distances are
// computed without the flags --winding and --distance. It takes about a second.
const details = 200_000 // tuning

var bodies = []string{"first", "innermost"} // values of --body

var rules = []term.Rule{
	{Flags: "body", Proposed: bodies},
	{Flags: "most", Range: [2]int64{0, maxDrawn}},
	{Flags: "pixels", Range: [2]int64{0, view.MaxPixels}},
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "view mesh [mesh ...] [points]", Long: help,
		Args: checkArgs,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args, c.Flags().Changed) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.slice, "slice", "", "")
	set.IntVar(&f.maxPoints, "most", view.MaxPoints, "")
	set.IntVar(&f.pixels, "pixels", 0, "")
	set.StringVar(&f.colorBy, "color-by", "", "")
	set.StringVar(&f.up, "up", "", "")
	set.BoolVar(&f.open, "open", false, "")
	f.define(set)
	f.Define(set, "winding", "distance", "body", "method", "rule", "tolerance", "epsilon", "weld", "orient", "columns", "scale", "units", "matrix", "workers", "max-memory", "parts")
	t.OutputFlags(set, &f.stats)
	term.SetRules(c, answer.Rules, rules)
	return c
}

const example = "inpoly view part.stl points.csv --out view.html; see inpoly help view"

func checkArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return term.WithHint(term.Usagef("view: expected a mesh and optionally a point file, found 0 files"), example)
	}
	return term.CheckStdin(args, "points")
}

// run draws the meshes and the points that args names. The function changed reports whether a flag
// was given.
func run(ctx context.Context, t *term.Terminal, f *flags, args []string, changed func(name string) bool) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	t.SetOutputs(f.out)
	picture, err := f.picture(ctx, changed)
	if err != nil {
		return err
	}
	meshes, pointFile := splitArgs(args)
	drawn, err := f.drawing(meshes, pointFile)
	if err != nil {
		return err
	}
	if !drawn.NoSlice {
		opt.ExpectedPoints = int64(drawn.Pixels) * int64(drawn.Pixels)
	}
	var in *points.Reader
	if pointFile != "" {
		pointOptions, err := f.PointOptions()
		if err != nil {
			return err
		}
		if in, err = f.OpenPoints(t, meshes[0], pointFile, pointOptions); err != nil {
			return err
		}
		defer func() {
			if ctx.Err() == nil { // otherwise a goroutine of collect can still be reading points
				in.Close()
			}
		}()
		if n := answer.ExpectedPoints(in, 1); n > 0 {
			opt.ExpectedPoints += n
		} else {
			opt.ExpectedPoints = 0
		}
	}
	solids, err := f.OpenSolids(ctx, t, meshes, f.Body != "", opt, (*answer.Solids).RefuseNegative)
	if err != nil {
		return err
	}
	warnings := solids.Warnings()
	if w := planeWarning(drawn.Plane, solids.Box()); w != "" {
		t.Warn("%s", w)
		warnings = append(warnings, w)
	}
	var cloud *view.Cloud
	if in != nil {
		var more []string
		if cloud, more, err = f.locate(ctx, t, solids, in, &drawn); err != nil {
			return err
		}
		warnings = append(warnings, more...)
		if err := in.Close(); err != nil { // the output can replace the points; Windows replaces no open file
			return err
		}
	}
	bar := t.NewProgress()
	bar.Stage("picture", 0, 0)
	scene, err := view.NewAssembly(ctx, solids.Assembly, cloud, drawn)
	bar.Done()
	if err != nil {
		return err
	}
	size, err := t.WriteOutput(f.out, func(w io.Writer) error {
		buffer := bufio.NewWriterSize(w, 1<<16)
		if err := picture(scene, buffer); err != nil {
			return err
		}
		return buffer.Flush()
	})
	if errors.Is(err, view.ErrNoSlice) || errors.Is(err, view.ErrEmpty) || errors.Is(err, view.ErrRange) {
		return fmt.Errorf("%s: %w", names(meshes), err)
	}
	if err != nil {
		return err
	}
	r := result{meshes: meshes, out: f.out, size: size, solids: solids, cloud: cloud, points: in, columns: f.Columns, warnings: warnings}
	if err := t.Summarize(r.summary(), f.stats, r.statistics()); err != nil || !f.open {
		return err
	}
	return openPage(ctx, f.out)
}

// locate returns the cloud of the points and the warnings about them. It also decides which answers
// the picture has.
func (f *flags) locate(ctx context.Context, t *term.Terminal, solids *answer.Solids, in *points.Reader, drawn *view.Options) (*view.Cloud, []string, error) {
	cloud := view.NewCloud(f.maxPoints)
	columns := &carried{}
	if f.page() { // only the page shows columns
		var err error
		if columns, err = f.carried(t, in); err != nil {
			return nil, nil, err
		}
		cloud.SetColumns(columns.list)
	}
	bar := t.NewProgress()
	defer bar.Done()
	bar.Start(term.PointsStage)
	sum, err := collect(ctx, solids, in, cloud, columns, bar)
	bar.Done()
	if err != nil {
		return nil, nil, err
	}
	more, _ := f.WarnInput(t, solids.Box(), answer.Input{Reader: in, Summary: sum, Noun: "point", Points: true, Box: bvh.Box{Min: sum.Min, Max: sum.Max}})
	warnings := append(answer.InputWarnings(in), more...)
	warn := func(format string, args ...any) {
		w := in.Name() + ": " + fmt.Sprintf(format, args...)
		t.Warn("%s", w)
		warnings = append(warnings, w)
	}
	if columns.failed != "" {
		warn("the page has no columns of some rows: %s", columns.failed)
	}
	if columns.rounded != "" {
		warn("the page rounds numbers beyond 2^53 in the column %q", columns.rounded)
	}
	few := f.page() && sum.Rows <= details
	drawn.Windings = few || f.Winding || f.colorBy == "winding"
	drawn.Distances = few || f.Distance || f.colorBy == "distance"
	return cloud, warnings, nil
}

// names returns the names of the inputs for messages.
func names(meshes []string) string {
	var list []string
	for _, m := range meshes {
		list = append(list, term.InputName(m))
	}
	return strings.Join(list, ", ")
}

// picture returns the function that writes the picture. The suffix of --out selects the function.
func (f *flags) picture(ctx context.Context, changed func(name string) bool) (func(*view.Scene, io.Writer) error, error) {
	const want = "expected a file name that ends with .html, .glb or .png"
	if f.out == "" {
		return nil, term.WithHint(term.Usagef("--out is missing: "+want), example)
	}
	opt, err := f.pictureOptions(changed)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(f.out)) {
	case ".html", ".htm":
		return (*view.Scene).WriteHTML, nil
	case ".glb":
		return (*view.Scene).WriteGLB, nil
	case ".png":
		if f.is3D() {
			return func(s *view.Scene, w io.Writer) error { return s.WritePicture(ctx, w, opt) }, nil
		}
		return (*view.Scene).WritePNG, nil
	}
	return nil, term.WithHint(term.Usagef("--out %s: "+want, f.out), example)
}

// page reports whether the output is a page.
func (f *flags) page() bool {
	return strings.EqualFold(filepath.Ext(f.out), ".html") || strings.EqualFold(filepath.Ext(f.out), ".htm")
}

// drawing returns the options of the scene.
func (f *flags) drawing(meshes []string, pointFile string) (opt view.Options, err error) {
	opt = view.Options{Name: title(meshes), Up: strings.ToLower(f.up), ColorBy: f.colorBy, NoStacks: !f.page()}
	for _, m := range meshes {
		name := filepath.Base(m)
		if m == "-" {
			name = "" // the page has a command for a file
		}
		opt.Files = append(opt.Files, name)
	}
	if pointFile != "" {
		opt.PointsName = baseName(pointFile)
	}
	for _, p := range []struct{ name, value string }{{"slice", f.slice}, {"cut", f.cut}} {
		if p.value != "" {
			plane, err := view.ParsePlane(p.value)
			if err != nil {
				return opt, term.WithComma(term.Usagef("--%s: %w", p.name, err), "--"+p.name, p.value)
			}
			opt.Plane = &plane
		}
	}
	switch {
	case opt.Up != "" && opt.Up != "x" && opt.Up != "y" && opt.Up != "z":
		return opt, term.Usagef("--up %q: expected x, y or z", f.up)
	case f.open && !f.page():
		return opt, term.Usagef("--open requires an --out that ends with .html")
	case f.colorBy != "" && !f.page():
		return opt, term.Usagef("--color-by requires an --out that ends with .html")
	case f.colorBy != "" && pointFile == "":
		return opt, term.Usagef("--color-by requires points")
	case f.colorBy == "body" && len(meshes) == 1 && f.Body == "":
		return opt, term.WithHint(term.Usagef("--color-by body requires several meshes, or --body"), "--body first makes a solid from each body of the mesh file")
	}
	switch {
	case f.Body == "":
	case strings.EqualFold(f.Body, "first"):
		opt.Body = assembly.First
	case strings.EqualFold(f.Body, "innermost"):
		opt.Body = assembly.Innermost
	default:
		return opt, term.CheckValue("--body", f.Body, bodies)
	}
	opt.NoSlice = f.is3D() && f.cut == ""
	switch {
	case f.is3D():
		opt.Pixels = 1024 // of the plane of a cut
	case f.pixels != 0:
		opt.Pixels = f.pixels
	case f.isPNG():
		opt.Pixels = 1024
	default:
		opt.Pixels = 512
	}
	return opt, nil
}

// title returns the name of the meshes in the picture.
func title(meshes []string) string {
	var list []string
	for _, m := range meshes {
		list = append(list, baseName(m))
	}
	if n := len(list); n > 4 {
		list = append(list[:3], fmt.Sprintf("and %d more meshes", n-3))
	}
	return strings.Join(list, ", ")
}

// planeWarning returns a warning if the plane, which can be nil, does not meet the box of the mesh, or
// "". The picture then shows no section, and a cut removes all of the mesh or nothing.
func planeWarning(p *view.Plane, box bvh.Box) string {
	if p == nil || box.Empty() {
		return ""
	}
	lo, hi := box.Min.X, box.Max.X
	switch p.Axis {
	case 1:
		lo, hi = box.Min.Y, box.Max.Y
	case 2:
		lo, hi = box.Min.Z, box.Max.Z
	}
	if lo <= p.Value && p.Value <= hi {
		return ""
	}
	return fmt.Sprintf("the plane %v does not meet the mesh, which extends from %g to %g", p, lo, hi)
}

// collect computes the sides of all points and adds the points to the cloud. At the same time, a
// goroutine reads and parses the next blocks. If ctx has ended, this goroutine can still be blocked
// in a read after collect returns. In this case, the caller must not close the point reader.
func collect(ctx context.Context, solids *answer.Solids, in *points.Reader, cloud *view.Cloud, columns *carried, bar *term.Progress) (points.Summary, error) {
	const waiting = 4 // tuning: number of blocks in memory, large enough to hide short delays of reads
	filled, free := make(chan *table.Block, waiting), make(chan *table.Block, waiting)
	var readErr error // set by the goroutine before close(filled)
	for range waiting {
		free <- new(table.Block)
	}
	go func() {
		defer close(filled)
		for b := range free {
			if readErr = in.Next(b); readErr != nil {
				return
			}
			filled <- b // never blocks: the channel has space for all blocks
		}
	}()
	defer func() {
		close(free)
		for more := true; more; {
			select {
			case _, more = <-filled:
			case <-ctx.Done():
				more = false
			}
		}
	}()
	sum := points.Summary{}
	sum.Min.X, sum.Min.Y, sum.Min.Z = math.Inf(1), math.Inf(1), math.Inf(1)
	sum.Max.X, sum.Max.Y, sum.Max.Z = math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for {
		select {
		case b, ok := <-filled:
			switch {
			case !ok && errors.Is(readErr, io.EOF):
				return sum, nil
			case !ok:
				return sum, readErr
			}
			if err := solids.SidesTo(ctx, b.Sides, b.Points); err != nil {
				return sum, err
			}
			cloud.AddRows(sum.Rows, b.Points, b.Sides, columns.read(in, b))
			sum.Rows += int64(len(b.Points))
			sum.Counts.Add(b.Counts)
			bar.Points(b.Read, in.Size(), sum.Rows)
			free <- b
		case <-ctx.Done():
			return sum, ctx.Err()
		}
	}
}

// baseName returns the name of a file in the picture, without the folder.
func baseName(path string) string {
	if path == "-" {
		return term.StdinName
	}
	return filepath.Base(path)
}

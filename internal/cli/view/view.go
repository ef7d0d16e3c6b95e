// Package view implements the command inpoly view, which draws a mesh and its defects, and
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

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
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
	maxPoints, pixels int
	stats             string // the value "json" comes from --json
}

// maxDrawn is the largest value of --most. The page contains the positions of the drawn points as
// one string with 16 bytes per point, and Chromium limits strings to 512 MB.
const maxDrawn = 20_000_000

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "view mesh [points]", Long: help,
		Args: checkArgs,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args, c.Flags().Changed) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.slice, "slice", "", "")
	set.IntVar(&f.maxPoints, "most", view.MaxPoints, "")
	set.IntVar(&f.pixels, "pixels", 0, "")
	set.StringVar(&f.up, "up", "", "")
	f.define(set)
	f.Define(set, "method", "rule", "tolerance", "epsilon", "orient", "columns", "scale", "units", "matrix", "workers", "max-memory")
	term.JSONFlag(set, &f.stats)
	t.QuietFlag(set)
	t.VerboseFlag(set)
	t.ForceFlag(set)
	return c
}

const example = "inpoly view part.stl points.csv --out view.html; see inpoly help view"

func checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) < 1 || len(args) > 2:
		return term.WithHint(term.Usagef("view: expected a mesh and optionally a point file, found %s", plural.Count(int64(len(args)), "file")), example)
	case len(args) == 2 && args[0] == "-" && args[1] == "-":
		return term.Usagef("mesh and points cannot both be standard input: give at least one of them as a file")
	}
	return nil
}

// run draws the mesh args[0] and, if there are two arguments, the points args[1]. The function
// changed reports whether a flag was given.
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
	drawn := view.Options{Name: baseName(args[0]), Up: strings.ToLower(f.up)}
	if err := f.drawing(&drawn); err != nil {
		return err
	}
	if !drawn.NoSlice {
		opt.ExpectedPoints = int64(drawn.Pixels) * int64(drawn.Pixels)
	}
	var in *points.Reader
	if len(args) == 2 {
		pointOptions, err := f.PointOptions()
		if err != nil {
			return err
		}
		if f.Matrix != "" {
			if err := t.CheckInputs(f.Matrix); err != nil {
				return err
			}
		}
		if in, err = answer.OpenPoints(t, args[0], args[1], pointOptions); err != nil {
			return err
		}
		defer func() {
			if ctx.Err() == nil { // otherwise a goroutine of collect can still be reading points
				in.Close()
			}
		}()
		drawn.PointsName = baseName(args[1])
		if n := answer.ExpectedPoints(in, 1); n > 0 {
			opt.ExpectedPoints += n
		} else {
			opt.ExpectedPoints = 0
		}
	}
	solid, err := answer.OpenSolid(ctx, t, args[0], opt, false, "")
	if err != nil {
		return err
	}
	bar := t.NewProgress()
	defer bar.Done()
	var cloud *view.Cloud
	warnings := []string{}
	for _, w := range solid.Report().Warnings() {
		warnings = append(warnings, term.InputName(args[0])+": "+w)
	}
	if in != nil {
		cloud = view.NewCloud(f.maxPoints)
		bar.Start(term.PointsStage)
		sum, err := collect(ctx, solid, in, cloud, bar)
		bar.Done()
		if err != nil {
			return err
		}
		warnings = append(warnings, answer.InputWarnings(in)...)
		warnings = append(warnings, answer.WarnPoints(t, solid.Report().Diagnosis.Box, in, sum, true)...)
		if err := in.Close(); err != nil { // the output can replace the points; Windows replaces no open file
			return err
		}
	}
	bar.Stage("picture", 0, 0)
	scene, err := view.New(ctx, solid, cloud, drawn)
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
	if errors.Is(err, view.ErrNoSlice) || errors.Is(err, view.ErrNoCut) || errors.Is(err, view.ErrEmpty) || errors.Is(err, view.ErrRange) {
		return fmt.Errorf("%s: %w", term.InputName(args[0]), err)
	}
	if err != nil {
		return err
	}
	return t.Summarize(summary(args[0], f.out, size, solid, cloud), f.stats, statistics(args[0], f.out, size, solid, cloud, warnings))
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

func (f *flags) drawing(opt *view.Options) error {
	for _, p := range []struct{ name, value string }{{"slice", f.slice}, {"cut", f.cut}} {
		if p.value != "" {
			plane, err := view.ParsePlane(p.value)
			if err != nil {
				return term.WithComma(term.Usagef("--%s: %w", p.name, err), "--"+p.name, p.value)
			}
			opt.Plane = &plane
		}
	}
	switch opt.Up {
	case "", "x", "y", "z":
	default:
		return term.Usagef("--up %q: expected x, y or z", f.up)
	}
	if f.maxPoints < 0 || f.maxPoints > maxDrawn {
		return term.Usagef("--most %d: must be from 0 to %d", f.maxPoints, maxDrawn)
	}
	if f.pixels < 0 || f.pixels > view.MaxPixels {
		return term.Usagef("--pixels %d: must be from 0 to %d", f.pixels, view.MaxPixels)
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
	return nil
}

// collect computes the sides of all points and adds the points to the cloud. At the same time, a
// goroutine reads and parses the next blocks. If ctx has ended, this goroutine can still be blocked
// in a read after collect returns. In this case, the caller must not close the point reader.
func collect(ctx context.Context, solid *inpoly.Solid, in *points.Reader, cloud *view.Cloud, bar *term.Progress) (points.Summary, error) {
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
			if err := solid.SidesTo(ctx, b.Sides, b.Points); err != nil {
				return sum, err
			}
			cloud.Add(sum.Rows, b.Points, b.Sides)
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

// summary returns the counts, the output, and the details of --verbose.
func summary(mesh, out string, size int64, solid *inpoly.Solid, cloud *view.Cloud) term.Summary {
	r := solid.Report()
	_, _, turned := answer.Turned(r)
	var s term.Summary
	if cloud != nil {
		n := cloud.Counts()
		line, rounded := term.CountsLine(n[0]+n[1]+n[2]+n[3], "point", answer.SideParts(n))
		s.Lines = append(s.Lines, line)
		if rounded {
			s.Details = append(s.Details, term.Detail("counts", "%s", answer.SideCounts(n)))
		}
	}
	rest := fmt.Sprintf(": %s, %s", plural.Grouped(int64(r.Diagnosis.Triangles), "triangle"), plural.Grouped(size, "byte"))
	s.Lines = append(s.Lines, term.CutMiddle(quote.Line(out), term.LineWidth-term.Width(rest))+rest)
	s.Details = append(s.Details,
		term.Detail("mesh", "%s: %s%s", term.InputName(mesh), plural.Count(int64(r.Diagnosis.Triangles), "triangle"), turned),
		term.Detail("method", "%v (%s)", r.Method, r.MethodReason),
		term.Detail("rule", "%v", r.Rule))
	return s
}

// statistics returns the JSON object of --json.
func statistics(mesh, out string, size int64, solid *inpoly.Solid, cloud *view.Cloud, warnings []string) term.Object {
	r := solid.Report()
	turnedFaces, turnedComponents, _ := answer.Turned(r)
	object := term.Object{
		"mesh", mesh, "triangles", r.Diagnosis.Triangles, "method", r.Method.String(), "method_reason", r.MethodReason, "rule", r.Rule.String(),
		"turned_faces", turnedFaces, "turned_components", turnedComponents, "out", out, "bytes", size, "warnings", warnings,
	}
	if cloud != nil {
		n := cloud.Counts()
		object = append(object, "points", n[0]+n[1]+n[2]+n[3],
			"inside", n[inpoly.Inside], "outside", n[inpoly.Outside], "on", n[inpoly.OnSurface], "uncertain", n[inpoly.Unknown])
	}
	return object
}

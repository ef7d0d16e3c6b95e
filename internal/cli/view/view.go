// Package view is the command inpoly view: a picture of a mesh, its defects and points.
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
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/view"
)

//go:embed help.txt
var help string

// flags are the flags of view.
type flags struct {
	answer.Flags
	out       string
	slice     string
	maxPoints int
	pixels    int
}

// maxDrawn is the largest value of --most. The positions of the drawn points, 16 bytes each as
// base64, are one text in the page, and Chromium takes texts of at most 512 MB.
const maxDrawn = 20_000_000

// Command returns the command view.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "view mesh [points]", Long: help,
		Args: checkArgs,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.slice, "slice", "", "")
	set.IntVar(&f.maxPoints, "most", view.MaxPoints, "")
	set.IntVar(&f.pixels, "pixels", 0, "")
	f.Define(set, "method", "rule", "tolerance", "epsilon", "orient", "columns", "workers", "max-memory")
	t.QuietFlag(set)
	return c
}

// example is the hint for a command line that is not understood.
const example = "inpoly view part.stl points.csv --out view.html; see inpoly help view"

// checkArgs checks the number of files.
func checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) < 1 || len(args) > 2:
		return term.WithHint(term.Usagef("%d files given: view wants a mesh and perhaps a point file", len(args)), example)
	case len(args) == 2 && args[0] == "-" && args[1] == "-":
		return term.Usagef("mesh and points cannot both be standard input")
	}
	return nil
}

// run draws the picture of the mesh args[0], with the points of args[1] if there are any.
func run(ctx context.Context, t *term.Terminal, f *flags, args []string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	picture, err := f.picture(args)
	if err != nil {
		return err
	}
	drawn := view.Options{Name: baseName(args[0]), Pixels: f.pixels}
	if err := f.drawing(&drawn); err != nil {
		return err
	}
	opt.ExpectedPoints = int64(drawn.Pixels) * int64(drawn.Pixels)
	var in *points.Reader
	if len(args) == 2 {
		pointOptions, err := f.PointOptions()
		if err != nil {
			return err
		}
		if in, err = answer.OpenPoints(t, args[0], args[1], pointOptions); err != nil {
			return err
		}
		defer func() {
			if ctx.Err() == nil { // else a read of collect may still be blocked
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
	if in != nil {
		cloud = view.NewCloud(f.maxPoints)
		bar.Start(term.PointsStage)
		sum, err := collect(ctx, solid, in, cloud, bar)
		bar.Done()
		if err != nil {
			return err
		}
		answer.WarnPoints(t, solid.Report().Diagnosis.Box, in, sum, true)
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
	if errors.Is(err, view.ErrNoSlice) || errors.Is(err, view.ErrEmpty) || errors.Is(err, view.ErrRange) {
		return fmt.Errorf("%s: %w", term.InputName(args[0]), err)
	}
	if err != nil {
		return err
	}
	t.Note("%s", summary(args[0], f.out, size, solid, cloud))
	return nil
}

// picture returns the function that writes the format that the suffix of --out selects.
func (f *flags) picture(args []string) (func(*view.Scene, io.Writer) error, error) {
	const want = "want a file that ends in .html, .glb or .png"
	if f.out == "" {
		return nil, term.WithHint(term.Usagef("--out is missing: "+want), example)
	}
	for _, path := range args {
		if term.SameFile(f.out, path) {
			return nil, term.Usagef("--out %s: this is an input", f.out)
		}
	}
	switch strings.ToLower(filepath.Ext(f.out)) {
	case ".html", ".htm":
		return (*view.Scene).WriteHTML, nil
	case ".glb":
		return (*view.Scene).WriteGLB, nil
	case ".png":
		return (*view.Scene).WritePNG, nil
	}
	return nil, term.WithHint(term.Usagef("--out %s: "+want, f.out), example)
}

// drawing checks the flags of the picture and writes their values to opt.
func (f *flags) drawing(opt *view.Options) error {
	if f.slice != "" {
		plane, err := view.ParsePlane(f.slice)
		if err != nil {
			return term.Usagef("--slice: %w", err)
		}
		opt.Plane = &plane
	}
	if f.maxPoints < 0 || f.maxPoints > maxDrawn {
		return term.Usagef("--most %d: want a number from 0 to %d", f.maxPoints, maxDrawn)
	}
	if f.pixels < 0 || f.pixels > view.MaxPixels {
		return term.Usagef("--pixels %d: want a number from 0 to %d", f.pixels, view.MaxPixels)
	}
	if opt.Pixels == 0 {
		opt.Pixels = 512
		if strings.EqualFold(filepath.Ext(f.out), ".png") {
			opt.Pixels = 1024
		}
	}
	return nil
}

// collect answers all points and adds them to the cloud. A goroutine reads and parses while
// a batch is answered on all processors. The goroutine has ended when collect returns, unless
// ctx has ended: then it may be blocked in a read and still uses in.
func collect(ctx context.Context, solid *inpoly.Solid, in *points.Reader, cloud *view.Cloud, bar *term.Progress) (points.Summary, error) {
	type item struct {
		b   *table.Block
		err error
	}
	const waiting = 4 // blocks, enough to bridge slow reads; tuning
	items, free, stop, ended := make(chan item, waiting), make(chan *table.Block, waiting), make(chan struct{}), make(chan struct{})
	defer func() {
		close(stop)
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}()
	for range waiting {
		free <- new(table.Block)
	}
	go func() {
		defer close(ended)
		for {
			select {
			case b := <-free:
				err := in.Next(b)
				items <- item{b, err} // there is room for all blocks
				if err != nil {
					return
				}
			case <-stop:
				return
			}
		}
	}()
	sum := points.Summary{}
	sum.Min.X, sum.Min.Y, sum.Min.Z = math.Inf(1), math.Inf(1), math.Inf(1)
	sum.Max.X, sum.Max.Y, sum.Max.Z = math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for {
		var it item
		select {
		case it = <-items:
		case <-ctx.Done():
			return sum, ctx.Err()
		}
		if errors.Is(it.err, io.EOF) {
			return sum, nil
		}
		if it.err != nil {
			return sum, it.err
		}
		if err := solid.SidesTo(ctx, it.b.Sides, it.b.Points); err != nil {
			return sum, err
		}
		cloud.Add(sum.Rows, it.b.Points, it.b.Sides)
		sum.Rows += int64(len(it.b.Points))
		sum.Counts.Add(it.b.Counts)
		bar.Points(it.b.Read, in.Size(), sum.Rows)
		free <- it.b
	}
}

// baseName returns the name of a file in the picture: without its folder.
func baseName(path string) string {
	if path == "-" {
		return term.StdinName
	}
	return filepath.Base(path)
}

// summary returns the last line for people.
func summary(mesh, out string, size int64, solid *inpoly.Solid, cloud *view.Cloud) string {
	r := solid.Report()
	text := fmt.Sprintf("%s: %d triangles, %v (%s), rule %v", term.InputName(mesh), r.Diagnosis.Triangles, r.Method, r.MethodReason, r.Rule)
	if cloud != nil {
		n := cloud.Counts()
		text += fmt.Sprintf("; %d points: %d inside, %d outside, %d on, %d uncertain", n[0]+n[1]+n[2]+n[3],
			n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown])
	}
	return fmt.Sprintf("%s; %s: %d bytes", text, out, size)
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/view"
)

// viewFlags are the flags of view beside those that it shares with the main command.
type viewFlags struct {
	flags
	slice  string
	most   int
	pixels int
}

// maxDrawn is the largest value of --most. Their positions, 16 bytes each as base64, are
// one text in the page, and the longest text that Chromium takes has 512 MB.
const maxDrawn = 20_000_000

// viewCommand makes the command that draws pictures.
func (a *app) viewCommand() *cobra.Command {
	var f viewFlags
	c := &cobra.Command{
		Use:  "view mesh [points]",
		Args: viewArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.view(c.Context(), &f, args) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.slice, "slice", "", "")
	set.IntVar(&f.most, "most", view.MaxPoints, "")
	set.IntVar(&f.pixels, "pixels", 0, "")
	set.StringVar(&f.Method, "method", "auto", "")
	set.StringVar(&f.Rule, "rule", "nonzero", "")
	set.Float64Var(&f.Tolerance, "tolerance", 0, "")
	set.Float64Var(&f.Epsilon, "epsilon", 0, "")
	set.BoolVar(&f.Orient, "orient", false, "")
	set.StringVar(&f.Columns, "columns", "", "")
	set.IntVar(&f.Workers, "workers", 0, "")
	set.StringVar(&f.MaxMemory, "max-memory", "", "")
	set.BoolVarP(&a.quiet, "quiet", "q", false, "")
	return c
}

// viewArgs checks the arguments of view.
func viewArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) < 1 || len(args) > 2:
		return usageError{hinted{fmt.Errorf("%d files given: view wants a mesh and perhaps a point file", len(args)), viewExample}}
	case len(args) == 2 && args[0] == "-" && args[1] == "-":
		return usageError{errors.New("mesh and points cannot both be standard input")}
	}
	return nil
}

// viewExample is the hint where view is misused.
const viewExample = "inpoly view part.stl points.csv --out view.html; see inpoly help view"

// view draws the picture of args[0], with the points of args[1] if there are any.
func (a *app) view(ctx context.Context, f *viewFlags, args []string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	picture, err := f.picture(args)
	if err != nil {
		return err
	}
	drawn := view.Options{Name: viewName(args[0]), Pixels: f.pixels}
	if err := f.drawing(&drawn); err != nil {
		return err
	}
	var in *points.Reader
	if len(args) == 2 {
		if in, err = a.openPoints(&f.flags, args); err != nil {
			return err
		}
		defer func() {
			if ctx.Err() == nil { // else collect may have left a read behind
				in.Close()
			}
		}()
		for _, w := range in.Warnings() {
			a.warn("%s: %s", in.Name(), w)
		}
		drawn.PointsName = viewName(args[1])
		if opt.ExpectedPoints = expected(in, 1); opt.ExpectedPoints > 0 {
			opt.ExpectedPoints += int64(drawn.Pixels) * int64(drawn.Pixels)
		}
	} else {
		opt.ExpectedPoints = int64(drawn.Pixels) * int64(drawn.Pixels)
	}
	bar := a.newProgress()
	defer bar.done()
	opt.Progress = bar.stage
	solid, err := a.openSolid(ctx, args[0], opt)
	bar.done()
	if err != nil {
		return err
	}
	a.warnReport(args[0], solid.Report())
	var cloud *view.Cloud
	if in != nil {
		cloud = view.NewCloud(f.most)
		sum, err := a.collect(ctx, solid, in, cloud, bar)
		bar.done()
		if err != nil {
			return err
		}
		a.warnPoints(solid.Report().Diagnosis.Box, in, sum, true)
	}
	bar.stage("picture", 0, 0)
	scene, err := view.New(ctx, solid, cloud, drawn)
	bar.done()
	if err != nil {
		return err
	}
	size, err := a.writePicture(f.out, func(w io.Writer) error { return picture(scene, w) })
	if errors.Is(err, view.ErrNoSlice) || errors.Is(err, view.ErrEmpty) || errors.Is(err, view.ErrRange) {
		return fmt.Errorf("%s: %w", inputName(args[0]), err)
	}
	if err != nil {
		return err
	}
	a.note("%s", viewSummary(args[0], f.out, size, solid, cloud))
	return nil
}

// picture returns what writes the format that --out names by its suffix.
func (f *viewFlags) picture(args []string) (func(*view.Scene, io.Writer) error, error) {
	if f.out == "" {
		return nil, usageError{hinted{errors.New("--out is missing: want a file that ends in .html, .glb or .png"), viewExample}}
	}
	for _, path := range args {
		out, errOut := os.Stat(f.out)
		in, errIn := os.Stat(path)
		if errOut == nil && errIn == nil && out.Mode().IsRegular() && os.SameFile(out, in) {
			return nil, usageError{fmt.Errorf("--out %s: this is an input", f.out)}
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
	return nil, usageError{hinted{fmt.Errorf("--out %s: want a file that ends in .html, .glb or .png", f.out), viewExample}}
}

// drawing turns the flags into the options of the picture.
func (f *viewFlags) drawing(opt *view.Options) error {
	if f.slice != "" {
		plane, err := view.ParsePlane(f.slice)
		if err != nil {
			return usageError{fmt.Errorf("--slice: %w", err)}
		}
		opt.Plane = &plane
	}
	if f.most < 0 || f.most > maxDrawn {
		return usageError{fmt.Errorf("--most %d: want a number from 0 to %d", f.most, maxDrawn)}
	}
	if f.pixels < 0 || f.pixels > view.MaxPixels {
		return usageError{fmt.Errorf("--pixels %d: want a number from 0 to %d", f.pixels, view.MaxPixels)}
	}
	if opt.Pixels == 0 {
		opt.Pixels = 512
		if strings.EqualFold(filepath.Ext(f.out), ".png") {
			opt.Pixels = 1024
		}
	}
	return nil
}

// collect answers all points and gives them to the cloud. One goroutine reads and
// parses while a batch is answered on all processors. It has ended when collect returns,
// unless ctx has: then it may still wait for input that never comes, and in is its own.
func (a *app) collect(ctx context.Context, solid *inpoly.Solid, in *points.Reader, cloud *view.Cloud, bar *progress) (points.Summary, error) {
	type item struct {
		b   *table.Block
		err error
	}
	const waiting = 4 // blocks; enough to bridge slow reads
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
		bar.points(it.b.Read, in.Size(), sum.Rows)
		free <- it.b
	}
}

// writePicture writes a file whole or not at all and returns its size.
func (a *app) writePicture(path string, write func(io.Writer) error) (int64, error) {
	file, err := a.createOutput(path)
	if err != nil {
		return 0, err
	}
	defer a.dropOutput()
	size := &sizeWriter{w: file}
	buf := bufio.NewWriterSize(size, 1<<16)
	if err := write(buf); err != nil {
		return 0, err
	}
	if err := buf.Flush(); err != nil {
		return 0, err
	}
	return size.n, a.commitOutput()
}

// sizeWriter counts bytes.
type sizeWriter struct {
	w io.Writer
	n int64
}

// Write passes p on.
func (s *sizeWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.n += int64(n)
	return n, err
}

// viewName is what a picture calls a file: without its folder.
func viewName(path string) string {
	if path == "-" {
		return stdinName
	}
	return filepath.Base(path)
}

// viewSummary is the last line for people.
func viewSummary(mesh, out string, size int64, solid *inpoly.Solid, cloud *view.Cloud) string {
	method, reason := solid.Report().Method, solid.Report().MethodReason
	d := solid.Report().Diagnosis
	text := fmt.Sprintf("%s: %d triangles, %v (%s), rule %v", inputName(mesh), d.Triangles, method, reason, solid.Report().Rule)
	if cloud != nil {
		n := cloud.Counts()
		text += fmt.Sprintf("; %d points: %d inside, %d outside, %d on, %d uncertain", n[0]+n[1]+n[2]+n[3],
			n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown])
	}
	return fmt.Sprintf("%s; %s: %d bytes", text, out, size)
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/golang/geo/r3"
	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/voxels"
)

// voxelFlags holds the values of the flags of voxels beside the shared ones.
type voxelFlags struct {
	flags
	spacing, dims, box string
	margin             float64
	fraction           int
	error, float64     bool
}

// voxelsCommand is the command voxels.
func (a *app) voxelsCommand() *cobra.Command {
	var f voxelFlags
	c := &cobra.Command{
		Use: "voxels mesh",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{hinted{fmt.Errorf("%d files given: voxels wants one mesh", len(args)), "see inpoly help voxels"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.voxels(c, &f, args[0]) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.format, "format", "", "")
	set.StringVar(&f.spacing, "spacing", "", "")
	set.StringVar(&f.dims, "dims", "", "")
	set.StringVar(&f.box, "box", "", "")
	set.Float64Var(&f.margin, "margin", 0, "")
	set.BoolVar(&f.Winding, "winding", false, "")
	set.IntVar(&f.fraction, "fraction", 0, "")
	set.BoolVar(&f.error, "error", false, "")
	set.BoolVar(&f.float64, "float64", false, "")
	set.StringVar(&f.stats, "stats", "", "")
	a.solidFlags(c, &f.flags)
	return c
}

// solidFlags defines the flags of the commands that build a solid, but for the main one.
func (a *app) solidFlags(c *cobra.Command, f *flags) {
	set := c.Flags()
	set.StringVar(&f.Method, "method", "auto", "")
	set.Float64Var(&f.Tolerance, "tolerance", 0, "")
	set.Float64Var(&f.Epsilon, "epsilon", 0, "")
	set.BoolVar(&f.Orient, "orient", false, "")
	set.Uint64Var(&f.Seed, "seed", 0, "")
	a.sharedFlags(c, f)
}

// voxels writes the grid of a mesh.
func (a *app) voxels(c *cobra.Command, f *voxelFlags, path string) error {
	ctx := c.Context()
	opt, err := f.options()
	if err != nil {
		return err
	}
	p, err := f.plan(c, path)
	if err != nil {
		return usageError{err}
	}
	bar := a.newProgress()
	defer bar.done()
	opt.Progress, opt.ExpectedPoints = bar.stage, p.expected()
	solid, err := a.openSolid(ctx, path, opt)
	bar.done()
	if err != nil {
		return err
	}
	report := solid.Report()
	a.warnReport(path, report)
	if f.Strict && report.Defects() {
		return strictError{fmt.Sprintf("%s has defects: nothing was written", inputName(path))}
	}
	g, err := p.grid(solid.Mesh().Box())
	if errors.Is(err, voxels.ErrNoBox) {
		err = hinted{fmt.Errorf("%s: the mesh has no faces, and so no box", inputName(path)), "--box gives one"}
	}
	if err != nil {
		return err
	}
	p.opt.Progress = func(done, total int64) { bar.show("voxels", done, total) }
	start := time.Now()
	sum, size, err := a.writeVoxels(ctx, f.out, solid, g, p)
	bar.done()
	if err != nil {
		return err
	}
	v := newVoxelStatistics(path, f.out, solid, g, &p, sum, size, time.Since(start))
	a.warnApart(g, solid.Mesh().Box())
	return a.conclude(&f.flags, v, v.Mesh, v.Uncertain, "voxel")
}

// counting counts bytes.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// writeVoxels writes the array, to a file whole or not at all, and returns its size.
func (a *app) writeVoxels(ctx context.Context, path string, solid *inpoly.Solid, g voxels.Grid, p voxelPlan) (sum voxels.Summary, size int64, err error) {
	out := &counting{w: a.out}
	if !onlyStdout(path) {
		file, err := a.createOutput(path)
		if err != nil {
			return sum, 0, err
		}
		defer a.dropOutput()
		out.w = file
	}
	buffer := bufio.NewWriterSize(out, 1<<18)
	if p.packed {
		// Voxels are long runs of few values: more effort gains little.
		z, err := gzip.NewWriterLevel(buffer, gzip.BestSpeed)
		if err != nil {
			return sum, 0, err
		}
		if sum, err = voxels.Write(ctx, z, solid, g, p.opt); err != nil {
			return sum, 0, err
		}
		if err = z.Close(); err != nil {
			return sum, 0, err
		}
	} else if sum, err = voxels.Write(ctx, buffer, solid, g, p.opt); err != nil {
		return sum, 0, err
	}
	if err = buffer.Flush(); err == nil && !onlyStdout(path) {
		err = a.commitOutput()
	}
	return sum, out.n, err
}

// warnApart tells of a grid whose box does not meet that of the mesh.
func (a *app) warnApart(g voxels.Grid, mesh bvh.Box) {
	far := r3.Vector{X: float64(g.Counts[0]) * g.Spacing.X, Y: float64(g.Counts[1]) * g.Spacing.Y, Z: float64(g.Counts[2]) * g.Spacing.Z}
	if box := (bvh.Box{Min: g.Origin, Max: g.Origin.Add(far)}); !mesh.Empty() && !mesh.Overlaps(box) {
		a.warn("the box of the grid (%s) does not meet that of the mesh (%s)", boxText(box), boxText(mesh))
	}
}

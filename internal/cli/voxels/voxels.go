// Package voxels is the command inpoly voxels: a mesh sampled on a grid.
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
	"github.com/inpoly/inpoly/voxels"
)

//go:embed help.txt
var help string

// flags are the flags of voxels.
type flags struct {
	answer.Flags
	out, output, stats string // output is the format
	spacing, dims, box string
	margin             float64
	fraction           int
	error, float64     bool
}

// Command returns the command voxels.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "voxels mesh", Long: help,
		Args: func(_ *cobra.Command, args []string) error { return term.OneFile("voxels", "mesh", args) },
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
	set.StringVar(&f.stats, "stats", "", "")
	f.DefineSolid(set, "winding")
	t.QuietFlag(set)
	return c
}

// run writes the grid of the mesh at path. given reports whether a flag was given.
func run(ctx context.Context, t *term.Terminal, f *flags, given func(flag string) bool, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	p, err := f.plan(given, path)
	if err != nil {
		return term.Usage(err)
	}
	opt.ExpectedPoints = p.expected()
	solid, err := answer.OpenSolid(ctx, t, path, opt, f.Strict, "nothing was written")
	if err != nil {
		return err
	}
	g, err := p.grid(solid.Mesh().Box())
	if errors.Is(err, voxels.ErrNoBox) {
		err = term.WithHint(fmt.Errorf("%s: the mesh has no faces, and so no box", term.InputName(path)), "--box gives one")
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
	s := newStatistics(path, f.out, solid, g, &p, sum, size, time.Since(start))
	warnApart(t, g, solid.Mesh().Box())
	return t.Conclude(s, s.summary(), f.stats, f.Strict, s.Mesh, s.Uncertain, "voxel")
}

// write writes the array.
func (p *plan) write(ctx context.Context, w io.Writer, solid *inpoly.Solid, g voxels.Grid) (sum voxels.Summary, err error) {
	buffer := bufio.NewWriterSize(w, 1<<18)
	if !p.compressed {
		if sum, err = voxels.Write(ctx, buffer, solid, g, p.opt); err != nil {
			return sum, err
		}
		return sum, buffer.Flush()
	}
	// Voxels are long runs of few values: more effort gains little.
	z, err := gzip.NewWriterLevel(buffer, gzip.BestSpeed)
	if err != nil {
		return sum, err
	}
	if sum, err = voxels.Write(ctx, z, solid, g, p.opt); err != nil {
		return sum, err
	}
	if err := z.Close(); err != nil {
		return sum, err
	}
	return sum, buffer.Flush()
}

// warnApart warns if the box of the grid does not meet the box of the mesh.
func warnApart(t *term.Terminal, g voxels.Grid, mesh bvh.Box) {
	far := r3.Vector{X: float64(g.Counts[0]) * g.Spacing.X, Y: float64(g.Counts[1]) * g.Spacing.Y, Z: float64(g.Counts[2]) * g.Spacing.Z}
	if box := (bvh.Box{Min: g.Origin, Max: g.Origin.Add(far)}); !mesh.Empty() && !mesh.Overlaps(box) {
		t.Warn("the box of the grid (%s) does not meet the box of the mesh (%s)", answer.BoxText(box), answer.BoxText(mesh))
	}
}

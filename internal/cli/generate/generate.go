// Package generate implements the command inpoly make, which generates spheres and foams.
package generate

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	out, output, stats string // output is the value of --format
	sphere             mesh.SphereOptions
	foam               mesh.FoamOptions
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "make shape", Long: help,
		Args: checkArgs, ValidArgs: shapes,
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), t, &f, c.Flags().Changed, args[0])
		},
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.output, "format", "", "")
	set.IntVar(&f.sphere.Refine, "refine", 5, "")
	set.Float64Var(&f.sphere.Radius, "radius", 1, "")
	set.IntVar(&f.foam.Cells, "cells", 27, "")
	set.IntVar(&f.foam.Resolution, "resolution", 0, "")
	set.Float64Var(&f.foam.Strut, "strut", 0.18, "")
	set.Float64Var(&f.foam.Size, "size", 1, "")
	f.Define(set, "seed", "max-memory")
	set.StringVar(&f.stats, "stats", "", "")
	t.SummaryFlags(set, &f.stats)
	term.SetRules(c, answer.Rules, []term.Rule{{Flags: "format", OneOf: formats}})
	return c
}

// checkArgs returns an error if the arguments are not one shape.
func checkArgs(_ *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	err := term.Usagef("make: expected a shape, sphere or foam, found %s", plural.Count(int64(len(args)), "argument"))
	if len(args) > 1 {
		return term.WithHint(err, "--out FILE sets the output")
	}
	return term.WithHint(err, "inpoly make sphere --refine 5 --out sphere.stl")
}

// faceBytes is the largest memory that a triangle takes while a mesh is generated and written. Measured
// with meshes of half a million to eight million triangles: up to 109 bytes for spheres and up to 136
// for foams (tuning).
const faceBytes = 140

// defaultMemory is the default of --max-memory: enough for 30 million triangles.
const defaultMemory = 4 << 30

// run generates a shape and writes it. isSet reports whether the command line sets a flag.
func run(ctx context.Context, t *term.Terminal, f *flags, isSet func(flag string) bool, shape string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	t.SetOutputs(f.out)
	p, err := f.plan(shape, isSet)
	if err != nil {
		return term.Usage(err)
	}
	if p.format != "obj" {
		if err := t.RefuseBinary(f.out, p.format); err != nil {
			return err
		}
	}
	limit := cmp.Or(opt.MaxMemory, defaultMemory)
	defer term.LimitGarbage(limit)()
	bar := t.NewProgress()
	defer bar.Done()
	start := time.Now()
	m, err := p.generate(ctx, limit/faceBytes, func(done, total int64) { bar.Show("make", done, total, "", 0) })
	if err != nil {
		return err
	}
	made := time.Since(start)
	size, err := t.WriteOutput(f.out, func(w io.Writer) error {
		return p.write(w, m, func(done int64) error {
			bar.Show("write", done, p.bytes(m), "B", 0)
			return ctx.Err()
		})
	})
	bar.Done()
	if err != nil {
		return err
	}
	r := result{plan: p, mesh: m, out: f.out, size: size, made: made, written: time.Since(start) - made}
	return t.Summarize(r.summary(), f.stats, r.object())
}

// generate generates the shape with at most the given number of triangles, for which there is memory.
func (p *plan) generate(ctx context.Context, most int64, progress func(done, total int64)) (*mesh.Mesh, error) {
	const hint = "--max-memory SIZE sets the limit; a triangle takes up to %d bytes"
	if p.shape == sphere {
		if n := p.sphere.Faces(); n > most {
			return nil, term.WithHint(fmt.Errorf("--refine %d: the sphere has %s, but there is memory for %s", p.sphere.Refine, plural.Grouped(n, "triangle"), plural.Group(most, ",")),
				fmt.Sprintf(hint, faceBytes))
		}
		p.sphere.Progress = progress
		return mesh.Sphere(ctx, p.sphere)
	}
	p.foam.MaxFaces, p.foam.Progress = int(max(1, min(most, mesh.MaxFaces))), progress
	m, err := mesh.Foam(ctx, p.foam)
	switch {
	case errors.Is(err, mesh.ErrTooLarge) && p.foam.MaxFaces < mesh.MaxFaces:
		err = term.WithHint(fmt.Errorf("--resolution %d: the foam has more than %s, for which there is memory", p.foam.Resolution, plural.Grouped(most, "triangle")),
			"use a smaller --resolution or fewer --cells; "+fmt.Sprintf(hint, faceBytes))
	case errors.Is(err, mesh.ErrTooLarge):
		err = term.WithHint(err, "use a smaller --resolution or fewer --cells")
	case errors.Is(err, mesh.ErrNoStrut):
		err = term.WithHint(err, "use a larger --strut or --resolution")
	}
	return m, err
}

// write writes m. It calls step with the number of bytes before compression, and stops at an error of
// step.
func (p *plan) write(w io.Writer, m *mesh.Mesh, step func(done int64) error) error {
	var z *gzip.Writer
	if p.compressed {
		z = gzip.NewWriter(w)
		w = z
	}
	err := writers[p.format](&stepWriter{w: w, step: step}, m)
	if err == nil && z != nil {
		err = z.Close()
	}
	return err
}

// stepWriter calls step before each write.
type stepWriter struct {
	w    io.Writer
	n    int64
	step func(done int64) error
}

func (s *stepWriter) Write(p []byte) (int, error) {
	if err := s.step(s.n); err != nil {
		return 0, err
	}
	n, err := s.w.Write(p)
	s.n += int64(n)
	return n, err
}

// writers has the writer of each format. A writer writes large pieces.
var writers = map[string]func(w io.Writer, m *mesh.Mesh) error{
	"stl": writeSTL,
	"obj": loaders.WriteOBJ,
	"ply": loaders.WritePLY,
}

// bytes returns the number of bytes of the output before compression, or 0 if it is unknown.
func (p *plan) bytes(m *mesh.Mesh) int64 {
	switch p.format {
	case "stl":
		return stlHeader + stlTriangle*int64(m.NumFaces())
	case "ply":
		return 24*int64(len(m.Vertices)) + 13*int64(m.NumFaces()) // without the header, for doubles
	}
	return 0
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
)

// collideFlags holds the values of the flags of collide beside the shared ones.
type collideFlags struct {
	flags
	faces    string
	allFaces bool
}

// collideCommand is the command collide.
func (a *app) collideCommand() *cobra.Command {
	var f collideFlags
	c := &cobra.Command{
		Use: "collide scene.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{hinted{fmt.Errorf("%d files given: collide wants one scene", len(args)), "see inpoly help collide"}}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.collide(c.Context(), &f, args[0]) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.faces, "faces", "", "")
	set.BoolVar(&f.allFaces, "all-faces", false, "")
	set.StringVar(&f.stats, "stats", "", "")
	a.solidFlags(c, &f.flags)
	return c
}

// triangles checks the flags on faces and tells which are asked for.
func (f *collideFlags) triangles() (collide.Triangles, error) {
	switch {
	case f.faces == "" && f.allFaces:
		return 0, usageError{errors.New("--all-faces wants --faces FILE")}
	case f.faces == "-":
		return 0, usageError{errors.New("--faces wants a file: contacts go to standard output")}
	case f.faces != "" && !onlyStdout(f.out) && resolved(f.faces) == resolved(f.out):
		return 0, usageError{errors.New("--faces and --out are the same file")}
	case f.faces == "":
		return collide.NoTriangles, nil
	case f.allFaces:
		return collide.AllTriangles, nil
	}
	return collide.MissedTriangles, nil
}

// resolved returns where a path leads, by one name whichever was given, also where no file
// is there yet.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path
}

// checkOutputs refuses outputs that would replace a file that the scene is read from, and
// those named as if they were compressed.
func (f *collideFlags) checkOutputs(path string, s *scene) error {
	inputs := slices.Clone(s.tables)
	for _, b := range s.bodies {
		inputs = append(inputs, b.mesh)
	}
	if path != "-" {
		inputs = append(inputs, path)
	}
	slices.Sort(inputs)
	inputs = slices.Compact(inputs)
	for _, t := range []struct{ flag, path string }{{"--out", f.out}, {"--faces", f.faces}} {
		if onlyStdout(t.path) {
			continue
		}
		if isPacked(t.path) {
			return usageError{hinted{fmt.Errorf("%s %s: output is not compressed", t.flag, t.path), "pipe standard output through gzip or zstd"}}
		}
		out, err := os.Stat(t.path)
		if err != nil || !out.Mode().IsRegular() {
			continue
		}
		for _, input := range inputs {
			if in, err := os.Stat(input); err == nil && os.SameFile(out, in) {
				return usageError{fmt.Errorf("%s %s: this is an input", t.flag, t.path)}
			}
		}
	}
	return nil
}

// collide writes the contacts of a scene.
func (a *app) collide(ctx context.Context, f *collideFlags, path string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	if f.stats != "" && f.stats != "json" {
		return usageError{fmt.Errorf("--stats %q: want json", f.stats)}
	}
	ask, err := f.triangles()
	if err != nil {
		return err
	}
	s, err := readScene(path, a.in)
	if err != nil {
		return err
	}
	if err := f.checkOutputs(path, s); err != nil {
		return err
	}
	for _, note := range s.notes {
		a.warn("%s", note)
	}
	bar := a.newProgress()
	defer bar.done()
	opt.Progress = bar.stage
	solids, err := a.openScene(ctx, s, opt, f.Strict)
	bar.done()
	if err != nil {
		return err
	}
	out, err := a.createContacts(f.out, f.faces)
	if err != nil {
		return err
	}
	defer a.dropOutput()
	start := time.Now()
	world, err := s.run(ctx, solids, collide.Options{Triangles: ask, Workers: opt.Workers}, out, func(done int) {
		bar.show("steps", int64(done), int64(len(s.times)))
	})
	bar.done()
	if err == nil {
		err = out.flush()
	}
	if err == nil {
		err = a.commitOutput()
	}
	if err != nil {
		return err
	}
	v := newCollideStatistics(path, s, solids, world, out, ask, time.Since(start))
	return a.conclude(&f.flags, v, v.Scene, v.Uncertain, "contact")
}

// openScene opens the meshes of a scene, each once, for the bodies that have it.
func (a *app) openScene(ctx context.Context, s *scene, opt inpoly.Options, strict bool) ([]*inpoly.Solid, error) {
	opened := map[string]*inpoly.Solid{}
	solids := make([]*inpoly.Solid, len(s.bodies))
	for i, b := range s.bodies {
		if solids[i] = opened[b.mesh]; solids[i] != nil {
			continue
		}
		solid, err := a.openSolid(ctx, b.mesh, opt)
		if err != nil {
			return nil, err
		}
		a.warnReport(b.mesh, solid.Report())
		if strict && solid.Report().Defects() {
			return nil, strictError{fmt.Sprintf("%s has defects: nothing was written", b.mesh)}
		}
		opened[b.mesh], solids[i] = solid, solid
	}
	return solids, nil
}

// run steps through the times of a scene and writes what is found.
func (s *scene) run(ctx context.Context, solids []*inpoly.Solid, opt collide.Options, out *contactWriter, progress func(done int)) (*collide.World, error) {
	bodies := make([]collide.Body, len(solids))
	next := make([]int, len(solids)) // row of the table of each body
	for i, b := range s.bodies {
		bodies[i] = collide.Body{Solid: solids[i], Pose: collide.At(zeroVector)}
		if len(b.poses) > 0 {
			bodies[i].Pose = b.poses[0].pose
		}
	}
	w, err := collide.New(ctx, bodies, opt)
	if err != nil {
		return nil, s.named(err, nil)
	}
	for n, now := range s.times {
		for i, b := range s.bodies {
			switch {
			case next[i] < len(b.poses) && b.poses[next[i]].time == now:
				if err := w.SetPose(i, b.poses[next[i]].pose); err != nil {
					return nil, s.named(err, &now)
				}
				next[i]++
			case len(b.poses) > 0 && next[i] == 0:
				w.Remove(i) // its table begins later
			}
		}
		if err := w.Step(ctx); err != nil {
			return nil, err
		}
		if err := out.write(now, s, w); err != nil {
			return nil, err
		}
		progress(n + 1)
	}
	return w, nil
}

// named tells the names of bodies with errors of package collide, which have numbers, and
// the time of a pose: now, or nil for the first one.
func (s *scene) named(err error, now *float64) error {
	var at *collide.BodyError
	if !errors.As(err, &at) {
		return err
	}
	b := s.bodies[at.Body]
	if !errors.Is(err, collide.ErrPose) {
		return fmt.Errorf("%s: bodies[%d] %q: %s: %w", s.path, at.Body, b.name, b.mesh, at.Err)
	}
	if now == nil && len(b.poses) > 0 {
		now = &b.poses[0].time
	}
	if now == nil {
		return fmt.Errorf("%s: bodies[%d] %q: %w", s.path, at.Body, b.name, at.Err)
	}
	return fmt.Errorf("%s: bodies[%d] %q: time %v: %w", s.path, at.Body, b.name, *now, at.Err)
}

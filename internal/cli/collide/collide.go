// Package collide implements the command inpoly collide, which finds the contacts of moving bodies.
package collide

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/pose"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	out, stats string
	faces      string
	allFaces   bool
	allowPaths bool
	maxRows    int64 // largest number of contacts and pairs of faces; 0 means the default
}

var rules = []term.Rule{
	{Flags: "max-contacts", Range: [2]int64{0, math.MaxInt64}, Text: "must not be negative"},
	{Flags: "all-faces", Requires: "faces", Text: "--all-faces: requires --faces FILE"},
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "collide scene.json", Long: help,
		Args: term.OneFile("scene"),
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args[0]) },
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.faces, "faces", "", "")
	set.BoolVar(&f.allFaces, "all-faces", false, "")
	set.BoolVar(&f.allowPaths, "allow-paths", false, "")
	set.Int64Var(&f.maxRows, "max-contacts", 0, "")
	f.DefineSolid(set)
	set.StringVar(&f.stats, "stats", "", "")
	t.OutputFlags(set, &f.stats)
	term.SetRules(c, answer.Rules, rules)
	return c
}

func (f *flags) triangles(t *term.Terminal) (collide.Triangles, error) {
	switch {
	case f.faces == "-":
		return 0, term.Usagef("--faces -: must be a file, because standard output is for contacts")
	case f.faces != "" && !term.IsStdout(f.out) && t.SameOutput(f.faces, f.out):
		return 0, term.Usagef("--faces %s: must not be the file of --out", f.faces)
	case f.faces != "" && term.IsStdout(f.out) && t.SameOutput(f.faces, f.out):
		return 0, term.Usagef("--faces %s: must not be the file of standard output", f.faces)
	case f.faces == "":
		return collide.NoTriangles, nil
	case f.allFaces:
		return collide.AllTriangles, nil
	}
	return collide.MissedTriangles, nil
}

// checkOutputs returns an error if the name of an output has the suffix of a compressed file.
func (f *flags) checkOutputs() error {
	for _, output := range []struct{ flag, path string }{{"--out", f.out}, {"--faces", f.faces}} {
		if err := term.RefuseCompressed(output.flag, output.path); err != nil {
			return err
		}
	}
	return nil
}

// checkSuffixes returns an error if the name of an output has the suffix of another kind of file
// than a table.
func (f *flags) checkSuffixes() error {
	const suffixes, expected = term.CSVSuffixes, "a name such as contacts.csv, because the table is CSV"
	if err := term.CheckSuffix("--out", f.out, suffixes, expected); err != nil || f.faces == "" {
		return err
	}
	return term.CheckSuffix("--faces", f.faces, suffixes, expected)
}

// inputs returns the paths of all files of the scene.
func (s *scene) inputs() []string {
	seen := map[string]bool{}
	for path := range s.tables {
		seen[path] = true
	}
	for _, b := range s.bodies {
		seen[b.mesh] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// run writes the contacts of the scene at path.
func run(ctx context.Context, t *term.Terminal, f *flags, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	triangles, err := f.triangles(t)
	if err != nil {
		return err
	}
	if err := f.checkOutputs(); err != nil {
		return err
	}
	if t.SetOutputs(f.out); f.faces != "" {
		t.SetOutputs(f.out, f.faces)
	}
	if err := t.CheckInputs(path); err != nil {
		return err
	}
	s, err := readScene(path, t.In, opt.MaxMemory, f.allowPaths)
	if err != nil {
		return err
	}
	if err := t.CheckInputs(s.inputs()...); err != nil {
		return err
	}
	if err := f.checkSuffixes(); err != nil {
		return err
	}
	switch n := len(s.notes); {
	case n == 1:
		t.Warn("%s", s.notes[0])
	case n > 1:
		t.Warn("%d tables have columns that are not used; --json lists them; the first is %s", n, s.notes[0])
	}
	solids, err := s.open(ctx, t, opt, f.Strict)
	if err != nil {
		return err
	}
	out, err := createContacts(t, f.out, f.faces)
	if err != nil {
		return err
	}
	defer t.DropOutput()
	s.countMeshes(solids)
	if out.most = f.maxRows; out.most == 0 {
		out.most = s.defaultRows()
	}
	bar := t.NewProgress()
	start := time.Now()
	world, err := s.run(ctx, solids, collide.Options{Triangles: triangles, MaxPairs: s.memory.maxPairs(), Workers: opt.Workers}, out, func(done int) {
		bar.Show("steps", int64(done), int64(len(s.times)), "", 0)
	})
	bar.Done()
	if err == nil {
		err = out.flush()
	}
	if err == nil {
		err = t.CommitOutput()
	}
	if err != nil {
		return err
	}
	took := time.Since(start)
	if out.uncertain > 0 {
		t.Warn("%s: %s uncertain", s.path, plural.Count(out.uncertain, "contact"))
	}
	last := summary(path, s, world, out.uncertain, triangles != collide.NoTriangles, took)
	if err := t.Summarize(last, f.stats, statistics(path, s, solids, world, out.uncertain, took)); err != nil {
		return err
	}
	return term.CheckUncertain(f.Strict, out.uncertain, "contact")
}

// open returns the solid of each body. It opens each mesh once.
func (s *scene) open(ctx context.Context, t *term.Terminal, opt inpoly.Options, strict bool) ([]*inpoly.Solid, error) {
	opened := map[string]*inpoly.Solid{}
	solids := make([]*inpoly.Solid, len(s.bodies))
	var meshes []answer.Mesh
	for i, b := range s.bodies {
		if solids[i] = opened[b.mesh]; solids[i] != nil {
			continue
		}
		solid, err := answer.OpenQuietly(ctx, t, b.mesh, opt)
		if err != nil {
			return nil, err
		}
		opened[b.mesh], solids[i] = solid, solid
		meshes = append(meshes, answer.Mesh{Name: b.mesh, Report: solid.Report()})
	}
	if s.meshes = len(opened); s.meshes == 1 {
		answer.WarnReport(t, meshes[0].Name, meshes[0].Report)
	} else {
		answer.WarnMeshes(t, meshes, s.inputs())
	}
	for _, m := range meshes {
		if strict && m.Report.Defects() {
			return nil, term.Strictf("%s has defects: nothing was written", m.Name)
		}
	}
	return solids, nil
}

// run steps through the times of the scene and writes the contacts of each step.
func (s *scene) run(ctx context.Context, solids []*inpoly.Solid, opt collide.Options, out *contactWriter, progress func(done int)) (*collide.World, error) {
	bodies := make([]collide.Body, len(solids))
	next := make([]int, len(solids)) // next[i] is the next row of the table of body i
	for i, b := range s.bodies {
		bodies[i] = collide.Body{Solid: solids[i], Pose: pose.At(r3.Vector{})}
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
				w.Remove(i) // the table of the body begins at a later time
			}
		}
		err := w.StepTo(ctx, func(contacts []collide.Contact, faces []collide.FacePair) error {
			return out.write(now, s, contacts, faces)
		})
		if err != nil {
			return nil, s.limited(err, now)
		}
		progress(n + 1)
	}
	return w, nil
}

// limited adds the time and a hint to an error about too many pairs.
func (s *scene) limited(err error, now float64) error {
	if !errors.Is(err, collide.ErrPairs) {
		return err
	}
	return term.WithHint(fmt.Errorf("%s: time %v: %w", s.path, now, err), "--max-memory changes the limit")
}

// The default limit of --max-contacts bounds the output and the time of scenes of few bytes in which
// many bodies touch in many steps. Bodies that rest have rows in each step. rowsPerByte corresponds to about
// ten seconds of processor time for each MB of input.
const (
	rowsBase    = 1 << 24
	rowsPerByte = 12
)

// defaultRows returns the default of --max-contacts.
func (s *scene) defaultRows() int64 { return rowsBase + rowsPerByte*s.memory.read }

// countMeshes adds the sizes of the different meshes to the bytes that the default limits refer to. Each
// counts twice, because it can touch a copy of itself.
func (s *scene) countMeshes(solids []*inpoly.Solid) {
	seen := map[*inpoly.Solid]bool{}
	for _, solid := range solids {
		if !seen[solid] {
			seen[solid] = true
			s.memory.read += 2 * solid.Report().Source.Bytes
		}
	}
}

// named adds the name of the body to an error of package collide. If the error reports an invalid
// pose, named also adds the current time. If currentTime is nil, it adds the time of the first row.
func (s *scene) named(err error, currentTime *float64) error {
	var at *collide.BodyError
	if !errors.As(err, &at) {
		return err
	}
	b := s.bodies[at.Body]
	if !errors.Is(err, pose.ErrInvalid) {
		return fmt.Errorf("%s: bodies[%d] %s: %s: %w", s.path, at.Body, quote.Word(b.name), b.mesh, at.Err)
	}
	if currentTime == nil && len(b.poses) > 0 {
		currentTime = &b.poses[0].time
	}
	if currentTime == nil {
		return fmt.Errorf("%s: bodies[%d] %s: %w", s.path, at.Body, quote.Word(b.name), at.Err)
	}
	return fmt.Errorf("%s: bodies[%d] %s: time %v: %w", s.path, at.Body, quote.Word(b.name), *currentTime, at.Err)
}

func statistics(path string, s *scene, solids []*inpoly.Solid, w *collide.World, uncertain int64, took time.Duration) term.Object {
	n, t := w.Stats(), w.Timings()
	var triangles int
	var methods []string
	var meshes []inpoly.Report
	warnings := append([]string{}, s.notes...)
	var load, build time.Duration
	seen := map[*inpoly.Solid]bool{}
	for i, solid := range solids {
		r := solid.Report()
		triangles += r.Diagnosis.Triangles
		if seen[solid] {
			continue
		}
		seen[solid] = true
		methods = append(methods, r.Method.String())
		load += r.Timings.Load + r.Timings.Weld
		build += r.Timings.Build
		meshes = append(meshes, r)
		for _, w := range r.Warnings() {
			warnings = append(warnings, s.bodies[i].mesh+": "+w)
		}
	}
	turnedFaces, turnedComponents, _ := answer.Turned(meshes...)
	return term.Object{
		"scene", path, "bodies", len(s.bodies), "meshes", s.meshes,
		"triangles", triangles,
		"methods", methods,
		"steps", n.Steps, "indexes", n.Indexes, "pairs", n.Pairs, "nodes", n.Nodes, "asked", n.Queried,
		"contacts", n.Contacts, "uncertain", uncertain, "face_tests", n.Tests, "face_pairs", n.FacePairs,
		"turned_faces", turnedFaces, "turned_components", turnedComponents,
		"load_s", load.Seconds(), "build_s", build.Seconds(), "broad_s", t.Broad.Seconds(), "filter_s", t.Filter.Seconds(),
		"sides_s", t.Sides.Seconds(), "depths_s", t.Depths.Seconds(), "contacts_s", t.Contacts.Seconds(),
		"faces_s", t.Triangles.Seconds(), "run_s", took.Seconds(), "steps_per_s", float64(n.Steps) / took.Seconds(),
		"warnings", warnings,
	}
}

// summary returns the counts and the details of --verbose.
func summary(path string, s *scene, w *collide.World, uncertain int64, faces bool, took time.Duration) term.Summary {
	n := w.Stats()
	grouped := func(n int64, noun string) string { return plural.Grouped(n, noun) }
	short := func(n int64, noun string) string { return term.Short(float64(n)) + " " + plural.Noun(n, noun) }
	line := func(number func(n int64, noun string) string) string {
		text := number(int64(n.Contacts), "contact")
		if uncertain > 0 {
			text += " (" + strings.TrimSpace(number(uncertain, "")) + " uncertain)"
		}
		if faces {
			text += ", " + number(int64(n.FacePairs), "pair") + " of faces"
		}
		return fmt.Sprintf("%s in %s of %s", text, number(int64(n.Steps), "step"), number(int64(len(s.bodies)), "body"))
	}
	return term.Summary{Lines: []string{term.FirstFitting(line(grouped), line(short))}, Details: []string{
		term.Detail("scene", "%s: %s", term.InputName(path), plural.Count(int64(s.meshes), "mesh")),
		term.Detail("counts", "%s, %d uncertain", plural.Count(int64(n.Contacts), "contact"), uncertain),
		term.Detail("time", "%.3g s, %s steps/s", took.Seconds(), term.Short(term.Rate(int64(n.Steps), took))),
	}}
}

// Package check implements the command inpoly check, which prints the diagnosis of a mesh.
package check

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/meshfile"
	"github.com/inpoly/inpoly/internal/orient"
	"github.com/inpoly/inpoly/internal/plural"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	output string // format of the diagnosis
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "check mesh", Long: help,
		Args: term.OneFile("mesh"),
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args[0]) },
	}
	c.Flags().StringVar(&f.output, "format", "text", "")
	f.Define(c.Flags(), "rule", "workers", "max-memory", "strict")
	t.QuietFlag(c.Flags())
	return c
}

func run(ctx context.Context, t *term.Terminal, f *flags, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	if f.output != "text" && f.output != "json" {
		return term.Usagef("--format %q: expected text or json", f.output)
	}
	bar := t.NewProgress()
	defer bar.Done()
	r, warnings, err := diagnose(ctx, t, path, opt, bar)
	bar.Done()
	if err != nil {
		return err
	}
	if f.output == "json" {
		err = term.PrintJSON(t.Report(), object(path, r, warnings), "  ")
	} else {
		err = printText(t.Report(), path, r, warnings)
	}
	if err == nil && f.Strict && r.Defects() {
		err = term.Strictf("%s has defects", term.InputName(path))
	}
	return err
}

// diagnose loads and diagnoses a mesh. It builds no index. The report describes the mesh as it is,
// and the faces that other commands turn over. The warnings are those of the other commands.
func diagnose(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options, bar *term.Progress) (r inpoly.Report, warnings []string, err error) {
	if err := t.CheckInputs(path); err != nil {
		return r, nil, err
	}
	mo := meshfile.Options{Workers: opt.Workers, MaxMemory: opt.MaxMemory, Progress: bar.Stage}
	open := meshfile.Open
	if path == "-" {
		open = meshfile.From(t.In)
	}
	file, err := open(ctx, term.InputName(path), mo)
	if err == nil {
		err = answer.CheckExternals(t, path, file.Info)
	}
	if err != nil {
		return r, nil, err
	}
	bar.Stage("diagnose", 0, 1)
	r.Source, r.Rule = file.Info, opt.Rule
	if r.Diagnosis, err = file.Mesh.Diagnose(ctx); err != nil || !opt.Orient.Examines(file.Mesh) {
		return r, r.Warnings(), err
	}
	bar.Stage("orient", 0, 1)
	oriented, _, changes, err := orient.Repair(ctx, file.Mesh, opt.Orient, opt.Workers)
	if err != nil {
		return r, nil, err
	}
	r.Orientation = &changes
	located := r // the report of other commands
	if changes.Parity && r.Rule == inpoly.NonZero {
		located.Rule = inpoly.EvenOdd
	}
	located.Diagnosis, err = oriented.Diagnose(ctx)
	return r, located.Warnings(), err
}

func object(path string, r inpoly.Report, warnings []string) term.Object {
	turnedFaces, turnedComponents, _ := answer.Turned(r)
	d := &r.Diagnosis
	var box [2][3]term.Number
	if !d.Box.Empty() {
		box = [2][3]term.Number{term.Numbers(d.Box.Min), term.Numbers(d.Box.Max)}
	}
	parts := []term.Object{}
	for _, c := range d.Components {
		parts = append(parts, term.Object{
			"first_face", c.First, "faces", c.Faces, "closed", c.Closed, "watertight", c.Watertight,
			"inward", c.Inward(), "volume", term.Number(c.Volume),
		})
	}
	return term.Object{
		"mesh", path, "format", r.Source.Format.String(), "compression", term.OmitZero(r.Source.Compression), "bytes", r.Source.Bytes,
		"faces", d.Faces, "triangles", d.Triangles, "vertices", d.Vertices, "edges", d.Edges, "bodies", d.Bodies,
		"watertight", d.Watertight, "zero_boundary", d.ZeroBoundary, "consistent_orientation", d.ConsistentOrientation,
		"even_edges", d.EvenEdges, "defects", r.Defects(),
		"boundary_edges", d.BoundaryEdges, "non_manifold_edges", d.NonManifoldEdges, "unbalanced_edges", d.UnbalancedEdges,
		"misoriented_edges", d.MisorientedEdges, "turned_faces", turnedFaces, "turned_components", turnedComponents, "boundary_chain_edges", d.ChainEdges,
		"boundary_chain_multiplicity", d.ChainMultiplicity, "boundary_chain_pieces", d.ChainLoops,
		"duplicate_faces", d.DuplicateFaces, "opposite_faces", d.OppositeFaces, "zero_area_faces", d.ZeroArea,
		"collapsed_faces", d.Collapsed,
		"components", len(d.Components), "open_components", d.OpenComponents, "inward_components", d.InwardComponents,
		"box_min", box[0], "box_max", box[1], "size", term.Number(d.Size), "area", term.Number(d.Area),
		"volume", term.Number(d.Volume), "volume_error", term.Number(d.VolumeError),
		"float32", d.Float32, "float32_spacing", term.Number(d.Float32Spacing), "shortest_edge", term.Number(d.ShortestEdge),
		"parts", parts,
		"examples", term.Object{ // edges are pairs of vertices; all numbers begin at 0
			"open_edges", nilIfEmpty(d.Open), "non_manifold_edges", nilIfEmpty(d.NonManifold), "misoriented_edges", nilIfEmpty(d.Misoriented),
			"duplicate_faces", nilIfEmpty(d.Duplicates), "zero_area_faces", nilIfEmpty(d.ZeroAreaFaces),
		},
		"warnings", append([]string{}, warnings...),
	}
}

// nilIfEmpty returns nil for an empty slice. An Object omits a field with the value nil.
func nilIfEmpty[T any](items []T) any {
	if len(items) == 0 {
		return nil
	}
	return items
}

func printText(w io.Writer, path string, r inpoly.Report, warnings []string) error {
	var s strings.Builder
	line := term.ReportLines(&s, 16)
	yes := func(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }
	d, packed := &r.Diagnosis, ""
	if r.Source.Compression != "" {
		packed = ", " + r.Source.Compression
	}
	line("mesh", "%s (%v%s, %d bytes)", term.InputName(path), r.Source.Format, packed, r.Source.Bytes)
	line("triangles", "%d of %d faces, %d vertices, %d edges, %s", d.Triangles, d.Faces, d.Vertices, d.Edges, plural.Count(int64(d.Bodies), "body"))
	line("closed", "%s (watertight: %s)", yes(d.ZeroBoundary), yes(d.Watertight))
	line("orientation", "%s", map[bool]string{true: "consistent", false: "not consistent"}[d.ConsistentOrientation])
	line("edges", "%d open, %d non-manifold (%d unbalanced), %d misoriented", d.BoundaryEdges, d.NonManifoldEdges, d.UnbalancedEdges, d.MisorientedEdges)
	if o := r.Orientation; o != nil {
		line("turned", "%s, before points are located", o.Changes())
	}
	line("boundary chain", "%d edges in %d pieces", d.ChainEdges, d.ChainLoops)
	line("faces", "%d duplicate (%d opposite pairs), %d of zero area, %d collapsed", d.DuplicateFaces, d.OppositeFaces, d.ZeroArea, d.Collapsed)
	line("components", "%d: %d open, %d facing inward", len(d.Components), d.OpenComponents, d.InwardComponents)
	var lo, hi r3.Vector
	if !d.Box.Empty() {
		lo, hi = d.Box.Min, d.Box.Max
	}
	line("box", "%g %g %g to %g %g %g", lo.X, lo.Y, lo.Z, hi.X, hi.Y, hi.Z)
	volume := ""
	if !d.ZeroBoundary {
		volume = " (of an open surface: depends on how it is closed)"
	}
	line("volume", "%.9g%s", d.Volume, volume)
	line("area", "%.9g", d.Area)
	for _, e := range []struct {
		label string
		edges [][2]int32
	}{{"open edges", d.Open}, {"non-manifold", d.NonManifold}, {"misoriented", d.Misoriented}} {
		if len(e.edges) > 0 {
			line(e.label, "vertices %s", edgeList(e.edges))
		}
	}
	for _, f := range []struct {
		label string
		faces []int32
	}{{"duplicates", d.Duplicates}, {"no area", d.ZeroAreaFaces}} {
		if len(f.faces) > 0 {
			line(f.label, "faces %s", strings.Trim(fmt.Sprint(f.faces), "[]"))
		}
	}
	for _, text := range warnings {
		line("warning", "%s", text)
	}
	if len(warnings) == 0 {
		line("result", "no defects found")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func edgeList(edges [][2]int32) string {
	list := make([]string, len(edges))
	for i, e := range edges {
		list[i] = fmt.Sprintf("%d-%d", e[0], e[1])
	}
	return strings.Join(list, " ")
}

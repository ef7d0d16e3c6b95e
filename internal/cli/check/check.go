// Package check is the command inpoly check: the diagnosis of a mesh.
package check

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

//go:embed help.txt
var help string

// flags are the flags of check.
type flags struct {
	answer.Flags
	output string // format of the diagnosis
}

// Command returns the command check.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "check mesh", Long: help,
		Args: func(_ *cobra.Command, args []string) error { return term.OneFile("check", "mesh", args) },
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args[0]) },
	}
	c.Flags().StringVar(&f.output, "format", "text", "")
	f.Define(c.Flags(), "rule", "workers", "max-memory", "strict")
	t.QuietFlag(c.Flags())
	return c
}

// run prints the diagnosis of the mesh at path.
func run(ctx context.Context, t *term.Terminal, f *flags, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	if f.output != "text" && f.output != "json" {
		return term.Usagef("--format %q: want text or json", f.output)
	}
	bar := t.NewProgress()
	defer bar.Done()
	r, err := diagnose(ctx, t, path, opt, bar)
	bar.Done()
	if err != nil {
		return err
	}
	d := newDiagnosis(path, r)
	if f.output == "json" {
		err = term.PrintJSON(t.Out, d, "  ")
	} else {
		err = d.printText(t.Out)
	}
	if err == nil && f.Strict && d.Defects {
		err = term.Strictf("%s has defects", term.InputName(path))
	}
	return err
}

// diagnose loads and examines a mesh without building an index.
func diagnose(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options, bar *term.Progress) (r inpoly.Report, err error) {
	lo := loaders.Options{MaxMemory: opt.MaxMemory, Progress: func(done, total int64) { bar.Stage("load", done, total) }}
	var soup *mesh.Soup
	if path == "-" {
		soup, r.Source, err = loaders.Read(ctx, term.StdinName, t.In, lo)
	} else {
		soup, r.Source, err = loaders.Load(ctx, path, lo)
	}
	if err != nil {
		return r, err
	}
	bar.Stage("weld", 0, 1)
	m, err := mesh.NewOwned(ctx, *soup, mesh.Options{Workers: opt.Workers})
	if err != nil {
		return r, fmt.Errorf("%s: %w", term.InputName(path), err)
	}
	bar.Stage("diagnose", 0, 1)
	r.Rule = opt.Rule
	r.Diagnosis, err = m.Diagnose(ctx)
	return r, err
}

// diagnosis is the diagnosis of a mesh as check prints it.
type diagnosis struct {
	Mesh        string `json:"mesh"`
	Format      string `json:"format"`
	Compression string `json:"compression,omitempty"`
	Bytes       int64  `json:"bytes"`

	Faces     int `json:"faces"`
	Triangles int `json:"triangles"`
	Vertices  int `json:"vertices"`
	Edges     int `json:"edges"`
	Bodies    int `json:"bodies"`

	Watertight   bool `json:"watertight"`
	ZeroBoundary bool `json:"zero_boundary"`
	Consistent   bool `json:"consistent_orientation"`
	EvenEdges    bool `json:"even_edges"`
	Defects      bool `json:"defects"`

	BoundaryEdges     int   `json:"boundary_edges"`
	NonManifoldEdges  int   `json:"non_manifold_edges"`
	UnbalancedEdges   int   `json:"unbalanced_edges"`
	MisorientedEdges  int   `json:"misoriented_edges"`
	ChainEdges        int   `json:"boundary_chain_edges"`
	ChainMultiplicity int64 `json:"boundary_chain_multiplicity"`
	ChainLoops        int   `json:"boundary_chain_pieces"`
	DuplicateFaces    int   `json:"duplicate_faces"`
	OppositeFaces     int   `json:"opposite_faces"`
	ZeroAreaFaces     int   `json:"zero_area_faces"`
	CollapsedFaces    int   `json:"collapsed_faces"`

	Components       int `json:"components"`
	OpenComponents   int `json:"open_components"`
	InwardComponents int `json:"inward_components"`

	BoxMin         [3]float64  `json:"box_min"`
	BoxMax         [3]float64  `json:"box_max"`
	Size           term.Number `json:"size"`
	Area           term.Number `json:"area"`
	Volume         term.Number `json:"volume"`
	VolumeError    term.Number `json:"volume_error"`
	Float32        bool        `json:"float32"`
	Float32Spacing term.Number `json:"float32_spacing"`
	ShortestEdge   term.Number `json:"shortest_edge"`

	Parts    []part   `json:"parts"`
	Examples examples `json:"examples"`
	Warnings []string `json:"warnings"`
}

// part is a component of the mesh.
type part struct {
	FirstFace  int32       `json:"first_face"`
	Faces      int32       `json:"faces"`
	Closed     bool        `json:"closed"`
	Watertight bool        `json:"watertight"`
	Inward     bool        `json:"inward"`
	Volume     term.Number `json:"volume"`
}

// examples are places of defects. Edges are pairs of vertices; all numbers begin at 0.
type examples struct {
	Open        [][2]int32 `json:"open_edges,omitempty"`
	NonManifold [][2]int32 `json:"non_manifold_edges,omitempty"`
	Misoriented [][2]int32 `json:"misoriented_edges,omitempty"`
	Duplicates  []int32    `json:"duplicate_faces,omitempty"`
	ZeroArea    []int32    `json:"zero_area_faces,omitempty"`
}

// newDiagnosis copies the diagnosis of a report.
func newDiagnosis(path string, r inpoly.Report) *diagnosis {
	d := &r.Diagnosis
	v := &diagnosis{
		Mesh: path, Format: r.Source.Format.String(), Compression: r.Source.Compression, Bytes: r.Source.Bytes,
		Faces: d.Faces, Triangles: d.Triangles, Vertices: d.Vertices, Edges: d.Edges, Bodies: d.Bodies,
		Watertight: d.Watertight, ZeroBoundary: d.ZeroBoundary, Consistent: d.ConsistentOrientation,
		EvenEdges: d.EvenEdges, Defects: r.Defects(),
		BoundaryEdges: d.BoundaryEdges, NonManifoldEdges: d.NonManifoldEdges, UnbalancedEdges: d.UnbalancedEdges,
		MisorientedEdges: d.MisorientedEdges, ChainEdges: d.ChainEdges, ChainMultiplicity: d.ChainMultiplicity,
		ChainLoops: d.ChainLoops, DuplicateFaces: d.DuplicateFaces, OppositeFaces: d.OppositeFaces,
		ZeroAreaFaces: d.ZeroArea, CollapsedFaces: d.Collapsed,
		Components: len(d.Components), OpenComponents: d.OpenComponents, InwardComponents: d.InwardComponents,
		Size: term.Number(d.Size), Area: term.Number(d.Area), Volume: term.Number(d.Volume), VolumeError: term.Number(d.VolumeError),
		Float32: d.Float32, Float32Spacing: term.Number(d.Float32Spacing), ShortestEdge: term.Number(d.ShortestEdge),
		Parts: []part{},
		Examples: examples{Open: d.Open, NonManifold: d.NonManifold, Misoriented: d.Misoriented,
			Duplicates: d.Duplicates, ZeroArea: d.ZeroAreaFaces},
		Warnings: append([]string{}, r.Warnings()...),
	}
	if !d.Box.Empty() {
		v.BoxMin, v.BoxMax = term.Triple(d.Box.Min), term.Triple(d.Box.Max)
	}
	for _, c := range d.Components {
		v.Parts = append(v.Parts, part{c.First, c.Faces, c.Closed, c.Watertight, c.Inward(), term.Number(c.Volume)})
	}
	return v
}

// printText writes the diagnosis for people.
func (d *diagnosis) printText(w io.Writer) error {
	var s strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&s, "%-16s%s\n", label, fmt.Sprintf(format, args...))
	}
	packed := ""
	if d.Compression != "" {
		packed = ", " + d.Compression
	}
	line("mesh", "%s (%s%s, %d bytes)", term.InputName(d.Mesh), d.Format, packed, d.Bytes)
	line("triangles", "%d of %d faces, %d vertices, %d edges, %s", d.Triangles, d.Faces, d.Vertices, d.Edges, plural.Count(int64(d.Bodies), "body"))
	line("closed", "%s (watertight: %s)", yes(d.ZeroBoundary), yes(d.Watertight))
	line("orientation", "%s", map[bool]string{true: "consistent", false: "not consistent"}[d.Consistent])
	line("edges", "%d open, %d non-manifold (%d unbalanced), %d misoriented", d.BoundaryEdges, d.NonManifoldEdges, d.UnbalancedEdges, d.MisorientedEdges)
	line("boundary chain", "%d edges in %d pieces", d.ChainEdges, d.ChainLoops)
	line("faces", "%d duplicate (%d opposite pairs), %d of zero area, %d collapsed", d.DuplicateFaces, d.OppositeFaces, d.ZeroAreaFaces, d.CollapsedFaces)
	line("components", "%d: %d open, %d facing inward", d.Components, d.OpenComponents, d.InwardComponents)
	line("box", "%g %g %g to %g %g %g", d.BoxMin[0], d.BoxMin[1], d.BoxMin[2], d.BoxMax[0], d.BoxMax[1], d.BoxMax[2])
	volume := ""
	if !d.ZeroBoundary {
		volume = " (of an open surface: depends on how it is closed)"
	}
	line("volume", "%.9g%s", float64(d.Volume), volume)
	line("area", "%.9g", float64(d.Area))
	for _, e := range []struct {
		label string
		edges [][2]int32
	}{{"open edges", d.Examples.Open}, {"non-manifold", d.Examples.NonManifold}, {"misoriented", d.Examples.Misoriented}} {
		if len(e.edges) > 0 {
			line(e.label, "vertices %s", edgeList(e.edges))
		}
	}
	for _, f := range []struct {
		label string
		faces []int32
	}{{"duplicates", d.Examples.Duplicates}, {"no area", d.Examples.ZeroArea}} {
		if len(f.faces) > 0 {
			line(f.label, "faces %s", strings.Trim(fmt.Sprint(f.faces), "[]"))
		}
	}
	for _, text := range d.Warnings {
		line("warning", "%s", text)
	}
	if len(d.Warnings) == 0 {
		line("result", "no defects found")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// yes returns "yes" or "no".
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// edgeList writes edges as a-b.
func edgeList(edges [][2]int32) string {
	list := make([]string, len(edges))
	for i, e := range edges {
		list[i] = fmt.Sprintf("%d-%d", e[0], e[1])
	}
	return strings.Join(list, " ")
}

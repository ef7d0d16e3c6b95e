package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// check prints the diagnosis of a mesh.
func (a *app) check(ctx context.Context, f *flags, path string) error {
	f.Method = inpoly.Auto.String()
	opt, err := f.options()
	if err != nil {
		return err
	}
	if f.format != "text" && f.format != "json" {
		return usageError{fmt.Errorf("--format %q: want text or json", f.format)}
	}
	bar := a.newProgress()
	defer bar.done()
	r, err := a.diagnose(ctx, path, opt, bar)
	bar.done()
	if err != nil {
		return err
	}
	v := newVerdict(path, r)
	if f.format == "json" {
		err = printJSON(a.out, v)
	} else {
		err = v.printText(a.out)
	}
	if err != nil {
		return err
	}
	if f.Strict && v.Defects {
		return strictError{fmt.Sprintf("%s has defects", inputName(path))}
	}
	return nil
}

// diagnose loads and examines a mesh without building an index.
func (a *app) diagnose(ctx context.Context, path string, opt inpoly.Options, bar *progress) (r inpoly.Report, err error) {
	lo := loaders.Options{MaxMemory: opt.MaxMemory, Progress: func(done, total int64) { bar.stage("load", done, total) }}
	var soup *mesh.Soup
	if path == "-" {
		soup, r.Source, err = loaders.Read(ctx, stdinName, a.in, lo)
	} else {
		soup, r.Source, err = loaders.Load(ctx, path, lo)
	}
	if err != nil {
		return r, err
	}
	bar.stage("weld", 0, 1)
	m, err := mesh.NewOwned(ctx, *soup, mesh.Options{Workers: opt.Workers})
	if err != nil {
		return r, fmt.Errorf("%s: %w", inputName(path), err)
	}
	bar.stage("diagnose", 0, 1)
	r.Rule = opt.Rule
	r.Diagnosis, err = m.Diagnose(ctx)
	return r, err
}

// verdict is the diagnosis as check prints it.
type verdict struct {
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

	BoxMin         [3]float64 `json:"box_min"`
	BoxMax         [3]float64 `json:"box_max"`
	Size           number     `json:"size"`
	Area           number     `json:"area"`
	Volume         number     `json:"volume"`
	VolumeError    number     `json:"volume_error"`
	Float32        bool       `json:"float32"`
	Float32Spacing number     `json:"float32_spacing"`
	ShortestEdge   number     `json:"shortest_edge"`

	Parts    []part   `json:"parts"`
	Examples examples `json:"examples"`
	Warnings []string `json:"warnings"`
}

// part is a component.
type part struct {
	FirstFace  int32  `json:"first_face"`
	Faces      int32  `json:"faces"`
	Closed     bool   `json:"closed"`
	Watertight bool   `json:"watertight"`
	Inward     bool   `json:"inward"`
	Volume     number `json:"volume"`
}

// examples are places of defects: edges as vertices, faces by number from 0.
type examples struct {
	Open        [][2]int32 `json:"open_edges,omitempty"`
	NonManifold [][2]int32 `json:"non_manifold_edges,omitempty"`
	Misoriented [][2]int32 `json:"misoriented_edges,omitempty"`
	Duplicates  []int32    `json:"duplicate_faces,omitempty"`
	ZeroArea    []int32    `json:"zero_area_faces,omitempty"`
}

// number is a float64 that JSON can also hold when it overflowed: as null.
type number float64

// MarshalJSON writes null for what is not finite.
func (n number) MarshalJSON() ([]byte, error) {
	if d := float64(n) - float64(n); d != d {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// newVerdict copies a report.
func newVerdict(path string, r inpoly.Report) *verdict {
	d := &r.Diagnosis
	v := &verdict{
		Mesh: path, Format: r.Source.Format.String(), Compression: r.Source.Compression, Bytes: r.Source.Bytes,
		Faces: d.Faces, Triangles: d.Triangles, Vertices: d.Vertices, Edges: d.Edges, Bodies: d.Bodies,
		Watertight: d.Watertight, ZeroBoundary: d.ZeroBoundary, Consistent: d.ConsistentOrientation,
		EvenEdges: d.EvenEdges, Defects: r.Defects(),
		BoundaryEdges: d.BoundaryEdges, NonManifoldEdges: d.NonManifoldEdges, UnbalancedEdges: d.UnbalancedEdges,
		MisorientedEdges: d.MisorientedEdges, ChainEdges: d.ChainEdges, ChainMultiplicity: d.ChainMultiplicity,
		ChainLoops: d.ChainLoops, DuplicateFaces: d.DuplicateFaces, OppositeFaces: d.OppositeFaces,
		ZeroAreaFaces: d.ZeroArea, CollapsedFaces: d.Collapsed,
		Components: len(d.Components), OpenComponents: d.OpenComponents, InwardComponents: d.InwardComponents,
		Size: number(d.Size), Area: number(d.Area), Volume: number(d.Volume), VolumeError: number(d.VolumeError),
		Float32: d.Float32, Float32Spacing: number(d.Float32Spacing), ShortestEdge: number(d.ShortestEdge),
		Parts: []part{},
		Examples: examples{Open: d.Open, NonManifold: d.NonManifold, Misoriented: d.Misoriented,
			Duplicates: d.Duplicates, ZeroArea: d.ZeroAreaFaces},
		Warnings: append([]string{}, r.Warnings()...),
	}
	if !d.Box.Empty() {
		v.BoxMin, v.BoxMax = triple(d.Box.Min), triple(d.Box.Max)
	}
	for _, c := range d.Components {
		v.Parts = append(v.Parts, part{c.First, c.Faces, c.Closed, c.Watertight, c.Inward(), number(c.Volume)})
	}
	return v
}

func triple(p r3.Vector) [3]float64 { return [3]float64{p.X, p.Y, p.Z} }

// printText writes v for people.
func (v *verdict) printText(w io.Writer) error {
	var s strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&s, "%-16s%s\n", label, fmt.Sprintf(format, args...))
	}
	packed := ""
	if v.Compression != "" {
		packed = ", " + v.Compression
	}
	line("mesh", "%s (%s%s, %d bytes)", inputName(v.Mesh), v.Format, packed, v.Bytes)
	line("triangles", "%d of %d faces, %d vertices, %d edges, %s", v.Triangles, v.Faces, v.Vertices, v.Edges, plural.Count(int64(v.Bodies), "body"))
	line("closed", "%s (watertight: %s)", yes(v.ZeroBoundary), yes(v.Watertight))
	line("orientation", "%s", map[bool]string{true: "consistent", false: "not consistent"}[v.Consistent])
	line("edges", "%d open, %d non-manifold (%d unbalanced), %d misoriented", v.BoundaryEdges, v.NonManifoldEdges, v.UnbalancedEdges, v.MisorientedEdges)
	line("boundary chain", "%d edges in %d pieces", v.ChainEdges, v.ChainLoops)
	line("faces", "%d duplicate (%d opposite pairs), %d of zero area, %d collapsed", v.DuplicateFaces, v.OppositeFaces, v.ZeroAreaFaces, v.CollapsedFaces)
	line("components", "%d: %d open, %d facing inwards", v.Components, v.OpenComponents, v.InwardComponents)
	line("box", "%g %g %g to %g %g %g", v.BoxMin[0], v.BoxMin[1], v.BoxMin[2], v.BoxMax[0], v.BoxMax[1], v.BoxMax[2])
	volume := ""
	if !v.ZeroBoundary {
		volume = " (of an open surface: depends on how it is closed)"
	}
	line("volume", "%.9g%s", float64(v.Volume), volume)
	line("area", "%.9g", float64(v.Area))
	for _, e := range []struct {
		label string
		edges [][2]int32
	}{{"open edges", v.Examples.Open}, {"non-manifold", v.Examples.NonManifold}, {"misoriented", v.Examples.Misoriented}} {
		if len(e.edges) > 0 {
			line(e.label, "vertices %s", edgeList(e.edges))
		}
	}
	for _, f := range []struct {
		label string
		faces []int32
	}{{"duplicates", v.Examples.Duplicates}, {"no area", v.Examples.ZeroArea}} {
		if len(f.faces) > 0 {
			line(f.label, "faces %s", strings.Trim(fmt.Sprint(f.faces), "[]"))
		}
	}
	for _, text := range v.Warnings {
		line("warning", "%s", text)
	}
	if len(v.Warnings) == 0 {
		line("result", "no defects found")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

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

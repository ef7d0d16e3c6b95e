// Package check implements the command inpoly check, which prints the diagnosis of a mesh.
package check

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/engine/orient"
	"github.com/inpoly/inpoly/internal/meshfile"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/mesh"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	output string // format of the diagnosis
	strict string // see parseStrict
	all    bool   // list all defects instead of the first ones
	skip   bool   // do not search for intersections
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "check mesh", Long: help,
		Args: func(c *cobra.Command, args []string) error {
			err := term.OneFile("mesh")(c, args)
			if len(args) > 1 && !slices.Contains(args, "-") {
				return term.WithHint(err, "run it once for each mesh: for m in "+strings.Join(args, " ")+"; do inpoly check \"$m\"; done")
			}
			return err
		},
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args[0]) },
	}
	c.Flags().StringVar(&f.output, "format", "text", "")
	c.Flags().BoolVar(&f.all, "faces", false, "")
	c.Flags().BoolVar(&f.skip, "skip-intersections", false, "")
	term.JSONFlag(c.Flags(), &f.output)
	f.Define(c.Flags(), "rule", "weld", "workers", "max-memory", "parts")
	c.Flags().StringVar(&f.strict, "strict", "false", "")
	c.Flags().Lookup("strict").NoOptDefVal = "defects" // the value of --strict without =
	t.QuietFlag(c.Flags())
	term.SetRules(c, answer.Rules, []term.Rule{{Flags: "format", OneOf: []string{"text", "json"}}})
	return c
}

func run(ctx context.Context, t *term.Terminal, f *flags, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	strict, err := parseStrict(f.strict)
	if err != nil {
		return err
	}
	if f.skip && strict == strictIntersections {
		return term.Usagef("--strict=intersections needs the search that --skip-intersections leaves out")
	}
	bar := t.NewProgress()
	defer bar.Done()
	r, err := diagnose(ctx, t, path, opt, f, bar)
	bar.Done()
	if err != nil {
		return err
	}
	defer term.LimitGarbage(cmp.Or(opt.MaxMemory, term.MemoryOf(r.Source.Bytes)))() // printing also makes garbage
	if f.output == "json" {
		err = term.PrintJSON(t.Out, object(path, r), "  ")
	} else {
		err = printText(t.Out, path, r)
	}
	if err == nil {
		err = strict.refuse(term.InputName(path), r)
	}
	return err
}

// diagnosis is the result of the command.
type diagnosis struct {
	inpoly.Report
	warnings      []string
	defects       mesh.Defects          // the listed defects of edges and faces
	intersections *inpoly.Intersections // nil if they were not searched
	listed        int                   // number of listed pairs of each kind in a text
	bodies        bodyWarnings          // the warnings of the bodies, if there are several
	all           bool                  // list all bodies instead of the first ones
	turned        *mesh.Diagnosis       // the diagnosis after faces were turned over, or nil
}

// diagnose loads and diagnoses a mesh. It builds no index of cells or columns. The report describes
// the mesh as it is, and the faces that other commands turn over. The warnings are the warnings of
// the other commands, and warnings of intersections.
func diagnose(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options, f *flags, bar *term.Progress) (d diagnosis, err error) {
	if err := t.CheckInputs(path); err != nil {
		return d, err
	}
	mo := meshfile.Options{Workers: opt.Workers, MaxMemory: opt.MaxMemory, AllParts: opt.AllParts, Progress: bar.Stage}
	open := meshfile.Open
	if path == "-" {
		open = meshfile.From(t.In)
	}
	file, err := open(ctx, term.InputName(path), mo)
	if err == nil {
		err = answer.CheckExternals(t, path, file.Info)
	}
	if err != nil {
		return d, err
	}
	if n := file.Mesh.NegativeBodies(); n > 0 {
		return d, plural.Errorf("%s: %w: a slicer cuts %d parts out of the mesh, so it is not one solid", term.InputName(path), inpoly.ErrNegative, n)
	}
	defer term.LimitGarbage(cmp.Or(opt.MaxMemory, term.MemoryOf(file.Info.Bytes)))()
	d.Source, d.Rule = file.Info, opt.Rule
	m := file.Mesh
	if opt.Weld > 0 {
		bar.Stage("weld", 0, 1)
		if m, d.Welding, err = welded(ctx, m, opt); err != nil {
			return d, err
		}
	}
	if !f.skip { // first, because the search takes the most memory
		if err := d.intersect(ctx, m, opt.Workers, f.all, bar.Stage); err != nil {
			return d, err
		}
	}
	bar.Stage("diagnose", 0, 1)
	if d.Diagnosis, err = m.Diagnose(ctx); err != nil {
		return d, err
	}
	located := d.Report // the report of other commands
	if opt.Orient.Examines(m) {
		bar.Stage("orient", 0, 1)
		oriented, _, changes, err := orient.Repair(ctx, m, opt.Orient, opt.Workers)
		if err != nil {
			return d, err
		}
		d.Orientation, located.Orientation = &changes, &changes
		if changes.Parity && d.Rule == inpoly.NonZero {
			located.Rule = inpoly.EvenOdd
		}
		if located.Diagnosis, err = oriented.Diagnose(ctx); err != nil {
			return d, err
		}
		if changes.Faces > 0 {
			d.turned = &located.Diagnosis
		}
	}
	d.warnings, d.all = located.Warnings(), f.all
	if err := d.examineBodies(ctx, file.Mesh, opt); err != nil {
		return d, err
	}
	if d.intersections != nil {
		d.warnings = append(d.warnings, d.intersections.Warnings(located.Rule)...)
	}
	err = d.list(ctx, m, f.all)
	return d, err
}

// welded returns m after the changes of Options.Weld.
func welded(ctx context.Context, m *mesh.Mesh, opt inpoly.Options) (*mesh.Mesh, *mesh.Welding, error) {
	out, changes, err := m.Welded(ctx, opt.Weld, opt.Workers)
	return out, &changes, err
}

func object(path string, r diagnosis) term.Object {
	turnedFaces, turnedComponents, _ := answer.Turned(r.Report)
	d := &r.Diagnosis
	var box [2][3]term.Number
	if !d.Box.Empty() {
		box = [2][3]term.Number{term.Numbers(d.Box.Min), term.Numbers(d.Box.Max)}
	}
	var turnedVolume any // omitted if no faces were turned over
	if r.turned != nil {
		turnedVolume = term.Number(r.turned.Volume)
	}
	var joined, farthest, collapsed any // omitted without --weld
	if w := r.Welding; w != nil {
		joined, farthest, collapsed = w.Joined, term.Number(w.Farthest), w.Collapsed
	}
	return term.Object{
		"mesh", path, "format", r.Source.Format.String(), "compression", term.OmitZero(r.Source.Compression), "bytes", r.Source.Bytes,
		"faces", d.Faces, "triangles", d.Triangles, "vertices", d.Vertices, "edges", d.Edges, "bodies", d.Bodies,
		"watertight", d.Watertight, "zero_boundary", d.ZeroBoundary, "consistent_orientation", d.ConsistentOrientation,
		"even_edges", d.EvenEdges, "defects", r.Defects(),
		"boundary_edges", d.BoundaryEdges, "non_manifold_edges", d.NonManifoldEdges, "unbalanced_edges", d.UnbalancedEdges,
		"misoriented_edges", d.MisorientedEdges, "turned_faces", turnedFaces, "turned_components", turnedComponents, "boundary_chain_edges", d.ChainEdges,
		"boundary_chain_multiplicity", d.ChainMultiplicity, "boundary_chain_pieces", d.ChainLoops,
		"weld_tolerance", term.OmitZero(d.WeldTolerance), "welded_vertices", joined, "weld_distance", farthest, "weld_collapsed_faces", collapsed,
		"duplicate_faces", d.DuplicateFaces, "opposite_faces", d.OppositeFaces, "zero_area_faces", d.ZeroArea,
		"collapsed_faces", d.Collapsed,
		"components", len(d.Components), "open_components", d.OpenComponents, "inward_components", d.InwardComponents,
		"box_min", box[0], "box_max", box[1], "size", term.Number(d.Size), "area", term.Number(d.Area),
		"volume", term.Number(d.Volume), "volume_error", term.Number(d.VolumeError), "turned_volume", turnedVolume,
		"float32", d.Float32, "float32_spacing", term.Number(d.Float32Spacing), "shortest_edge", term.Number(d.ShortestEdge),
		"parts", r.components(),
		"examples", term.Object{ // edges are pairs of vertices; all numbers begin at 0
			"open_edges", term.ListOf(r.defects.Open), "non_manifold_edges", term.ListOf(r.defects.NonManifold), "misoriented_edges", term.ListOf(r.defects.Misoriented),
			"duplicate_faces", term.ListOf(r.defects.Duplicates), "zero_area_faces", term.ListOf(r.defects.ZeroArea),
		},
		"intersections", r.intersectionsObject(),
		"body_warnings", r.bodiesList(),
		"warnings", append([]string{}, r.warnings...),
	}
}

// components returns the components as JSON.
func (r *diagnosis) components() any {
	return term.List(func(yield func(any) bool) {
		for i, c := range r.Diagnosis.Components {
			var volume any       // omitted if no faces were turned over
			if r.turned != nil { // turning faces over changes no components
				volume = term.Number(r.turned.Components[i].Volume)
			}
			ok := yield(term.Object{
				"first_face", c.First, "faces", c.Faces, "closed", c.Closed, "watertight", c.Watertight,
				"inward", c.Inward(), "volume", term.Number(c.Volume), "turned_volume", volume,
			})
			if !ok {
				return
			}
		}
	})
}

func printText(w io.Writer, path string, r diagnosis) error {
	var s strings.Builder
	line := term.ReportLines(&s, 16)
	d, packed := &r.Diagnosis, ""
	if r.Source.Compression != "" {
		packed = ", " + r.Source.Compression
	}
	line("mesh", "%s (%v%s, %s)", term.InputName(path), r.Source.Format, packed, plural.Count(r.Source.Bytes, "byte"))
	line("triangles", "%d of %s, %s, %s, %s", d.Triangles, count(d.Faces, "face"), count(d.Vertices, "vertex"), count(d.Edges, "edge"), count(d.Bodies, "body"))
	line("closed", "%s", closed(d))
	line("orientation", "%s", map[bool]string{true: "consistent", false: "not consistent"}[d.ConsistentOrientation])
	line("edges", "%d open, %d non-manifold (%d unbalanced), %d misoriented", d.BoundaryEdges, d.NonManifoldEdges, d.UnbalancedEdges, d.MisorientedEdges)
	if o := r.Orientation; o != nil {
		line("turned", "%s, before points are located", o.Changes())
	}
	chain := func(d *mesh.Diagnosis) string {
		return count(d.ChainEdges, "edge") + " in " + count(d.ChainLoops, "piece")
	}
	components := func(d *mesh.Diagnosis) string {
		return fmt.Sprintf("%d open, %d facing inward", d.OpenComponents, d.InwardComponents)
	}
	line("boundary chain", "%s%s", chain(d), r.whenOriented(chain))
	line("faces", "%d duplicate (%s), %d of zero area, %d collapsed", d.DuplicateFaces, count(d.OppositeFaces, "opposite pair"), d.ZeroArea, d.Collapsed)
	if r.intersections != nil {
		line("intersections", "%s", r.intersections.Counts())
	} else {
		line("intersections", "not searched")
	}
	line("components", "%d: %s%s", len(d.Components), components(d), r.whenOriented(components))
	var lo, hi r3.Vector
	if !d.Box.Empty() {
		lo, hi = d.Box.Min, d.Box.Max
	}
	line("box", "%s to %s", exact(lo), exact(hi))
	line("volume", "%s", r.volume())
	line("area", "%s", plural.GroupedDecimal(d.Area, 9))
	for _, e := range []struct {
		label string
		edges [][2]int32
	}{{"open edges", r.defects.Open}, {"non-manifold", r.defects.NonManifold}, {"misoriented", r.defects.Misoriented}} {
		if len(e.edges) > 0 {
			line(e.label, "vertices %s", edgeList(e.edges))
		}
	}
	for _, f := range []struct {
		label string
		faces []int32
	}{{"duplicates", r.defects.Duplicates}, {"no area", r.defects.ZeroArea}} {
		if len(f.faces) > 0 {
			line(f.label, "%s %s", plural.Noun(int64(len(f.faces)), "face"), strings.Trim(fmt.Sprint(f.faces), "[]"))
		}
	}
	r.printPairs(line)
	for _, text := range r.bodyLines(r.all) {
		line("bodies", "%s", text)
	}
	for _, text := range r.warnings {
		line("warning", "%s", text)
	}
	if len(r.warnings) == 0 {
		line("result", "no defects found")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func count(n int, noun string) string { return plural.Count(int64(n), noun) }

// closed says in words whether the mesh is closed, and whether it is watertight.
func closed(d *mesh.Diagnosis) string {
	switch {
	case d.Triangles == 0:
		return "yes, but there are no triangles"
	case d.Watertight:
		return "yes, no gaps: each edge joins two faces"
	case d.ZeroBoundary && d.NonManifoldEdges == 1:
		return "yes, no gaps, but not watertight: 1 edge joins more than two faces"
	case d.ZeroBoundary:
		return fmt.Sprintf("yes, no gaps, but not watertight: %d edges join more than two faces", d.NonManifoldEdges)
	}
	flipped := count(d.MisorientedEdges, "edge") + " of flipped faces"
	switch {
	case d.MisorientedEdges > 0 && d.BoundaryEdges+d.UnbalancedEdges == 0:
		return "no gaps, but " + flipped
	case d.MisorientedEdges > 0:
		return fmt.Sprintf("no: %s without a matching neighbor, so there are gaps, and %s", count(d.ChainEdges-d.MisorientedEdges, "edge"), flipped)
	}
	return fmt.Sprintf("no: %s without a matching neighbor, so there are gaps", count(d.ChainEdges, "edge"))
}

func edgeList(edges [][2]int32) string {
	list := make([]string, len(edges))
	for i, e := range edges {
		list[i] = fmt.Sprintf("%d-%d", e[0], e[1])
	}
	return strings.Join(list, " ")
}

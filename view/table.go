package view

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
)

// pageData is the data of the templates.
type pageData struct {
	Name, PointsName string
	Style            template.CSS
	Script           template.JS

	Mesh     []row
	Warnings []string
	Notes    []string
	Sides    []sideRow // nil without points
	Total    string
	Layers   []layerRow
	Defects  bool // the mesh has defects, including defects without a layer
	Slice    *sliceData
	Opacity  int // initial opacity of the mesh in percent
	Mark     rgb
}

// row is a row of the table of the mesh. Bad rows are highlighted.
type row struct {
	Label, Value string
	Bad          bool
}

// sideRow is a row of the table of points.
type sideRow struct {
	Side         inpoly.Side
	Name, Words  string
	Color        rgb
	Count, Shown string
}

// layerRow is a row of the table of defects.
type layerRow struct {
	*layer
	Count, Drawn string // Drawn is empty if all edges or faces are drawn
}

// sliceData is the figure of the slice.
type sliceData struct {
	Plane, Right, Up, Note string
	Image                  template.URL
	Gradient               template.CSS
	Ticks                  []tick
}

// tick is a tick of the legend. At is the distance from the left in percent.
type tick struct {
	At   float64
	Text string
}

func (s *Scene) newPage() (*pageData, error) {
	p := &pageData{
		Name: s.opt.Name, PointsName: s.opt.PointsName,
		Style: template.CSS(asset("page.css")), Script: template.JS(script),
		Mesh: s.meshRows(), Warnings: s.report.Warnings(), Defects: s.report.Defects(), Opacity: 55, Mark: meshColor,
	}
	if s.cloud != nil {
		p.Opacity = 30 // points inside the mesh must be visible
		shown := s.shown()
		counts := s.cloud.Counts()
		words := [4]string{inpoly.Inside: "inside", inpoly.Outside: "outside", inpoly.OnSurface: "on the surface", inpoly.Unknown: "uncertain"}
		total := int64(0)
		for _, k := range sideOrder {
			total += counts[k]
			p.Sides = append(p.Sides, sideRow{k, sideNames[k], words[k], sideColors[k], grouped(counts[k]), grouped(int64(shown[k]))})
		}
		p.Total = grouped(total)
	}
	for i := len(s.layers) - 1; i >= 0; i-- { // the worst first
		l := s.layers[i]
		r := layerRow{layer: l, Count: grouped(int64(l.Total))}
		if l.Shown() < l.Total {
			r.Drawn = grouped(int64(l.Shown()))
		}
		p.Layers = append(p.Layers, r)
	}
	p.Notes = s.notes()
	if x := s.slice; x != nil {
		uri, err := x.dataURI()
		if err != nil {
			return nil, err
		}
		p.Slice = x.figure(uri)
	}
	return p, nil
}

// meshRows returns the diagnosis of the mesh, which equals the output of inpoly check.
func (s *Scene) meshRows() []row {
	d := &s.report.Diagnosis
	method, reason := s.report.Method, s.report.MethodReason
	yes := func(b bool) string { return map[bool]string{true: "yes", false: "no"}[b] }
	n := func(v int) string { return grouped(int64(v)) }
	rows := []row{
		{"triangles", fmt.Sprintf("%s of %s faces", n(d.Triangles), n(d.Faces)), d.Triangles == 0},
		{"vertices, edges", n(d.Vertices) + ", " + n(d.Edges), false},
		{"closed", yes(d.ZeroBoundary) + " (watertight: " + yes(d.Watertight) + ")", !d.ZeroBoundary},
		{"orientation", map[bool]string{true: "consistent", false: "not consistent"}[d.ConsistentOrientation], !d.ConsistentOrientation},
		{"open edges", n(d.BoundaryEdges), d.BoundaryEdges > 0},
		{"misoriented edges", n(d.MisorientedEdges), d.MisorientedEdges > 0},
		{"non-manifold edges", fmt.Sprintf("%s (%s unbalanced)", n(d.NonManifoldEdges), n(d.UnbalancedEdges)), d.UnbalancedEdges > 0},
		{"boundary chain", fmt.Sprintf("%s edges in %s pieces", n(d.ChainEdges), n(d.ChainLoops)), d.ChainEdges > 0},
		{"flipped faces", n(s.flipped), s.flipped > 0},
		{"duplicate faces", fmt.Sprintf("%s (%s opposite pairs)", n(d.DuplicateFaces), n(d.OppositeFaces)), d.DuplicateFaces > 0},
		{"zero-area faces", fmt.Sprintf("%s, and %s collapsed", n(d.ZeroArea), n(d.Collapsed)), d.ZeroArea+d.Collapsed > 0},
		{"components", fmt.Sprintf("%s: %s open, %s facing inward", n(len(d.Components)), n(d.OpenComponents), n(d.InwardComponents)), false},
	}
	if !d.Box.Empty() {
		for k := range 3 {
			rows = append(rows, row{"box " + axisNames[k:k+1], fmt.Sprintf("%.6g to %.6g", axis(d.Box.Min, k), axis(d.Box.Max, k)), false})
		}
	}
	volume := fmt.Sprintf("%.9g", d.Volume)
	if !d.ZeroBoundary {
		volume += " (of an open surface: depends on how it is closed)"
	}
	return append(rows,
		row{"volume", volume, false},
		row{"area", fmt.Sprintf("%.9g", d.Area), false},
		row{"inside rule", s.report.Rule.String(), false},
		row{"method", fmt.Sprintf("%v (%s)", method, reason), false},
	)
}

// notes returns sentences about rounded positions and about objects that are not drawn.
func (s *Scene) notes() []string {
	var out []string
	note := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	note("Positions in the picture are rounded to float32, relative to the middle of the box. Sides, winding numbers and counts were computed from the full coordinates.")
	d := &s.report.Diagnosis
	if s.surface.reduced {
		note("The mesh has %s triangles. The picture shows a coarser mesh of %s triangles. Defects and all numbers refer to the full mesh.",
			grouped(int64(d.Triangles)), grouped(int64(len(s.surface.faces))))
	}
	if s.cloud == nil {
		return out
	}
	sample, total, thinned := s.sampled()
	far := grouped(int64(s.far)) + " " + plural.Noun(int64(s.far), "point")
	if thinned {
		note("The picture shows %s of %s points, a uniform random sample. The counts include all points.", grouped(int64(len(s.points))), grouped(total))
		far += " of the sample of " + grouped(sample)
	}
	if n := s.cloud.nonFinite; n > 0 {
		note("The picture omits %s with a coordinate that is missing or not finite.", grouped(n)+" "+plural.Noun(n, "point"))
	}
	if s.far > 0 {
		note("The picture omits %s at a distance of more than %s box sizes.", far, grouped(maxDistance/2))
	}
	return out
}

func (x *slice) figure(uri template.URL) *sliceData {
	f := &sliceData{
		Plane: x.plane.Label(), Right: axisNames[x.right : x.right+1], Up: axisNames[x.up : x.up+1], Image: uri,
		Note: "exact integers, except on the surface",
	}
	if x.bound > 0 {
		f.Note = "computed within " + interval.Up(x.bound)
	}
	span := x.scaleRange()
	at := func(w float64) float64 { return 100 * (w - span.lo) / (span.hi - span.lo) }
	var stops []string
	const steps = 48 // looks smooth
	for i := range steps + 1 {
		w := span.lo + (span.hi-span.lo)*float64(i)/steps
		c := windingColor(w)
		stops = append(stops, fmt.Sprintf("rgba(%d,%d,%d,%.3f) %.2f%%", c.R, c.G, c.B, float64(c.A)/255, at(w)))
	}
	f.Gradient = template.CSS("linear-gradient(to right," + strings.Join(stops, ",") + ")")
	values, texts := span.ticks()
	for i, w := range values {
		f.Ticks = append(f.Ticks, tick{at(w), texts[i]})
	}
	return f
}

// grouped returns n with narrow no-break spaces between thousands.
func grouped(n int64) string { return plural.Group(n, "\u202f") }

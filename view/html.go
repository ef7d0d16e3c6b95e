package view

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// packed holds the files of the folder assets in a small form: gzip of a JSON object with the text of
// each file. INPOLY_UPDATE=1 go test -run TestAssets writes it.
//
//go:embed assets.gz
var packed []byte

// assets returns the text of each file of the folder assets.
var assets = sync.OnceValue(func() map[string]string {
	list := map[string]string{}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		err = json.NewDecoder(r).Decode(&list)
	}
	if err != nil {
		panic("view: assets: " + err.Error()) // cannot happen, because the file is embedded
	}
	return list
})

// page returns the templates "head" and "tail". The data is written between head and tail.
var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(assets()["page.html"])) })

// scripts lists the parts of the script in their order. The last part starts the page.
var scripts = []string{
	"camera", "data", "colors", "edges", "section", "pick", "fragment", "shaders", "draw", "pace", "legend", "panel", "marks", "info", "slices", "save", "page",
}

var script = sync.OnceValue(func() string {
	var parts []string
	for _, name := range scripts {
		parts = append(parts, assets()[name+".js"])
	}
	return strings.Join(parts, "\n")
})

// WriteHTML writes the scene as a self-contained page with its program and data. The
// Content-Security-Policy of the page permits no network, no other script and no other style sheet.
// The page has the exact coordinates of the drawn points and, unless the mesh is simplified, of the
// vertices. The page draws float32 positions relative to the middle of the box.
//
// Errors: the error of w.
func (s *Scene) WriteHTML(w io.Writer) error {
	buf := bufio.NewWriterSize(w, 1<<16) // Flush returns the first error
	p, err := s.newPage()
	if err != nil {
		return err
	}
	if err := page().ExecuteTemplate(buf, "head", p); err != nil {
		return err
	}
	arrays := arrayWriter{w: buf, types: map[string]string{}}
	s.writeArrays(&arrays)
	set, err := s.settings(arrays.types)
	if err != nil {
		return err
	}
	text, err := json.Marshal(set) // Marshal escapes <, > and &
	if err != nil {
		return err
	}
	fmt.Fprintf(buf, "<script type=\"application/json\" id=\"settings\">%s</script>\n", text)
	if err := page().ExecuteTemplate(buf, "tail", p); err != nil {
		return err
	}
	return buf.Flush()
}

// extents returns half the side lengths of two boxes in coordinates of the frame. The first is the
// box of the mesh. The second is initially in view and contains the first box and all points that are
// initially visible. Point coordinates beyond 1.5 are reduced to 1.5 (tuning).
func (s *Scene) extents() (size, fit [3]float64) {
	if !s.box.Empty() {
		for k, x := range s.frame.local(s.box.Max) {
			size[k] = float64(x)
		}
	}
	fit = size
	const most = 1.5
	hidden := hidesOutside(s.shown())
	for _, p := range s.points {
		if hidden && p.side == inpoly.Outside {
			continue
		}
		for k, x := range s.frame.local(p.p) {
			fit[k] = max(fit[k], min(most, math.Abs(float64(x))))
		}
	}
	return size, fit
}

type pageData struct {
	Name, PointsName string
	Policy           string // Content-Security-Policy
	Style            template.CSS
	Script           template.JS

	Mesh     []row
	Warnings []string
	More     []string // further warnings, which are folded
	Notes    []string
	Sides    []sideRow // nil without points
	Total    string
	Layers   []layerRow
	Defects  bool // the mesh has defects, including defects without a layer
	Slice    *sliceData
	Opacity  int  // initial opacity of the mesh in percent
	Hidden   bool // the outside points are hidden at first
	Edges    string
}

// row is a row of the mesh table. Bad rows are highlighted.
type row struct {
	Label, Value string
	Bad          bool
}

type sideRow struct {
	Side         inpoly.Side
	Name, Words  string
	Count, Shown string
	On           bool // visible when the page opens
}

type layerRow struct {
	*layer
	Count, Drawn string // Drawn is empty if the picture shows all edges or faces
}

type sliceData struct {
	Plane, Right, Up, Note string
	Image                  template.URL
	Ticks                  []string // texts of the ticks of the legend

	rules string // style sheet of the legend
}

func (s *Scene) newPage() (*pageData, error) {
	p := &pageData{
		Name: quote.Line(s.opt.Name), PointsName: quote.Line(s.opt.PointsName),
		Mesh: s.meshRows(), Warnings: s.warnings, Defects: s.report.Defects(), Opacity: 55, Edges: "none",
	}
	const open = 4 // number of warnings that are not folded
	if len(p.Warnings) > open {
		p.Warnings, p.More = p.Warnings[:open-1], p.Warnings[open-1:]
	}
	if len(s.surface.faces) <= sharpTriangles {
		p.Edges = "sharp"
	}
	style := assets()["page.css"]
	paint := func(input string, c rgb) { style += fmt.Sprintf("%s + i { background: %s; }\n", input, c.Hex()) }
	paint("#show-mesh", meshColor)
	if s.cloud != nil {
		p.Opacity = 30 // a translucent mesh shows the points inside
		shown := s.shown()
		counts := s.cloud.Counts()
		words := s.sideWords()
		total := int64(0)
		p.Hidden = hidesOutside(shown)
		for _, k := range sideOrder {
			total += counts[k]
			p.Sides = append(p.Sides, sideRow{k, sideNames[k], words[k], grouped(counts[k]), grouped(int64(shown[k])), k != inpoly.Outside || !p.Hidden})
			paint(fmt.Sprintf(`[data-side="%d"]`, k), sideColors[k])
		}
		p.Total = grouped(total)
	}
	for i := len(s.layers) - 1; i >= 0; i-- { // the worst kind comes first
		l := s.layers[i]
		r := layerRow{layer: l, Count: grouped(int64(l.Total))}
		if l.Shown() < l.Total {
			r.Drawn = grouped(int64(l.Shown()))
		}
		p.Layers = append(p.Layers, r)
		paint(fmt.Sprintf(`[data-layer="%s"]`, l.Key), l.Color)
	}
	p.Notes = s.notes()
	if x := s.slice; x != nil {
		var err error
		if p.Slice, err = x.figure(); err != nil {
			return nil, err
		}
		style += p.Slice.rules
	}
	p.Style, p.Script = template.CSS(style), template.JS(script())
	p.Policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		hashSource(script()), hashSource(style))
	return p, nil
}

// sharpTriangles is the largest number of triangles for which the page finds and draws the sharp
// edges when it opens. The search takes about 0.2 µs for each triangle.
const sharpTriangles = 300_000 // tuning

// hidesOutside reports whether pictures hide the outside points, and the page at first. This is so
// if most points are outside and at least one other point is inside or on the surface. n has the
// number of points for each side.
func hidesOutside[N int | int64](n [4]N) bool {
	seen := n[inpoly.Inside] + n[inpoly.OnSurface]
	return seen > 0 && n[inpoly.Outside] > seen+n[inpoly.Unknown]
}

// hashSource returns the source expression of a Content-Security-Policy that permits a script or
// style element with the given text.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (s *Scene) meshRows() []row {
	d := &s.report.Diagnosis
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
		row{"inside rule", s.rule, false},
		row{"method", s.method, false},
	)
}

// notes returns sentences about rounded positions and about objects that are not drawn.
func (s *Scene) notes() []string {
	var out []string
	note := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	note("Positions in the picture are rounded to float32, relative to the middle of the box. Sides, winding numbers, counts and the numbers shown for a picked place come from the full coordinates.")
	if len(s.parts) > 1 {
		note("States and distances refer to the union of the %d meshes. The winding number is the sum of their winding numbers.", len(s.parts))
	}
	if !s.exactSlices() && s.slice != nil {
		reason := "The mesh is not closed"
		if s.report.Diagnosis.ZeroBoundary {
			reason = "The mesh is simplified"
		}
		note("%s, so a moved slice shows one of %d precomputed slices across each axis, in lower resolution.", reason, stackSlices)
	}
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
		note("The picture omits %s at a distance of more than %s box sizes from the middle of the box.", far, grouped(maxDistance/2))
	}
	return out
}

func (x *slice) figure() (*sliceData, error) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, x.image()); err != nil {
		return nil, err
	}
	f := &sliceData{
		Plane: x.plane.Label(), Right: axisNames[x.right : x.right+1], Up: axisNames[x.up : x.up+1],
		Image: template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(picture.Bytes())),
		Note:  "exact integers, except on the surface",
	}
	if x.bound > 0 {
		f.Note = "computed within " + interval.Up(x.bound)
	}
	if x.crowded {
		f.Note += "; " + crowdedNote
	}
	span := x.scaleRange()
	at := func(w float64) float64 { return 100 * (w - span.lo) / (span.hi - span.lo) }
	var stops []string
	const steps = 48 // number of color stops, enough to look smooth
	for i := range steps + 1 {
		w := span.lo + (span.hi-span.lo)*float64(i)/steps
		c := windingColor(w)
		stops = append(stops, fmt.Sprintf("rgba(%d,%d,%d,%.3f) %.2f%%", c.R, c.G, c.B, float64(c.A)/255, at(w)))
	}
	f.rules = ".bar { background: linear-gradient(to right," + strings.Join(stops, ",") + "); }\n"
	values, texts := span.ticks()
	f.Ticks = texts
	for i, w := range values {
		f.rules += fmt.Sprintf(".ticks span:nth-child(%d) { left: %v%%; }\n", i+1, at(w))
	}
	return f, nil
}

// grouped returns n with commas between groups of three digits.
func grouped(n int64) string { return plural.Group(n, ",") }

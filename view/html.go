package view

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"math"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// assets holds the parts of the page.
//
//go:embed assets/page.html assets/page.css assets/camera.js assets/data.js assets/shaders.js assets/draw.js assets/page.js
var assets embed.FS

// page has the templates "head" and "tail". The data is written between head and tail.
var page = template.Must(template.ParseFS(assets, "assets/page.html"))

func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("view: " + err.Error()) // cannot happen, because the files are embedded
	}
	return string(text)
}

var script = strings.Join([]string{asset("camera.js"), asset("data.js"), asset("shaders.js"), asset("draw.js"), asset("page.js")}, "\n")

// settings holds the parameters for the script of the page. Other script elements hold the arrays.
type settings struct {
	MeshColor string         `json:"mesh"`
	Sides     [4]string      `json:"sides"`  // colors, indexed by side
	Up        int            `json:"up"`     // axis that initially points up
	Size      [3]float64     `json:"size"`   // half the side lengths of the box of the mesh, in coordinates of the frame
	Fit       [3]float64     `json:"fit"`    // half the side lengths of the region that is initially in view
	Center    [3]float64     `json:"center"` // center of the frame
	Scale     float64        `json:"scale"`  // scale of the frame
	Layers    []layerSetting `json:"layers"`

	// Slice holds the corners of the slice in this order: bottom left, bottom right, top left, top
	// right.
	Slice map[string][4][3]float32 `json:"slice"`
}

type layerSetting struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Color string `json:"color"`
	Edges bool   `json:"edges"`
}

// WriteHTML writes the scene as a self-contained page with its program and data. The
// Content-Security-Policy of the page permits no network, no other script and no other style sheet.
// Arrays are little-endian numbers in base64. Positions are float32, relative to the middle of the
// box, in the unit of the frame.
//
// Errors: the error of w.
func (s *Scene) WriteHTML(w io.Writer) error {
	buf := bufio.NewWriterSize(w, 1<<16) // Flush returns the first error
	p, err := s.newPage()
	if err != nil {
		return err
	}
	if err := page.ExecuteTemplate(buf, "head", p); err != nil {
		return err
	}
	o := s.frame.center
	set := settings{MeshColor: meshColor.Hex(), Up: s.up(), Center: [3]float64{o.X, o.Y, o.Z}, Scale: s.frame.scale, Layers: []layerSetting{}}
	for i, c := range sideColors {
		set.Sides[i] = c.Hex()
	}
	set.Size, set.Fit = s.extents()
	for _, l := range s.layers {
		set.Layers = append(set.Layers, layerSetting{l.Key, l.Name, l.Color.Hex(), l.IsEdges()})
	}
	if x := s.sliceInSpace(); x != nil {
		set.Slice = map[string][4][3]float32{"corners": {
			s.frame.local(x.corner(0, 0)), s.frame.local(x.corner(1, 0)), s.frame.local(x.corner(0, 1)), s.frame.local(x.corner(1, 1)),
		}}
	}
	text, err := json.Marshal(set) // Marshal escapes <, > and &
	if err != nil {
		return err
	}
	fmt.Fprintf(buf, "<script type=\"application/json\" id=\"settings\">%s</script>\n", text)
	s.writeArrays(buf)
	if err := page.ExecuteTemplate(buf, "tail", p); err != nil {
		return err
	}
	return buf.Flush()
}

// extents returns half the side lengths of two boxes in coordinates of the frame. The first is the
// box of the mesh. The second is initially in view and contains the first box and all points. Point
// coordinates beyond 1.5 are reduced to 1.5 (tuning).
func (s *Scene) extents() (size, fit [3]float64) {
	if box := s.solid.Mesh().Box(); !box.Empty() {
		for k, x := range s.frame.local(box.Max) {
			size[k] = float64(x)
		}
	}
	fit = size
	const most = 1.5
	for _, p := range s.points {
		for k, x := range s.frame.local(p.p) {
			fit[k] = max(fit[k], min(most, math.Abs(float64(x))))
		}
	}
	return size, fit
}

func (s *Scene) writeArrays(w io.Writer) {
	s.writeArray(w, "vertices", func(b *packer) {
		for _, v := range s.surface.vertices {
			b.floats(v)
		}
	})
	s.writeArray(w, "faces", func(b *packer) {
		for _, f := range s.surface.faces {
			for _, i := range f {
				b.uint32(i)
			}
		}
	})
	s.writeArray(w, "points", func(b *packer) {
		for _, p := range s.points {
			b.floats(s.frame.local(p.p))
		}
	})
	s.writeArray(w, "sides", func(b *packer) {
		for _, p := range s.points {
			b.w.WriteByte(byte(p.side & 3))
		}
	})
	for _, l := range s.layers {
		s.writeArray(w, "layer-"+l.Key, func(b *packer) {
			for _, v := range s.corners(l) {
				b.floats(s.frame.local(v))
			}
		})
	}
}

// writeArray writes an array as a script element.
func (s *Scene) writeArray(w io.Writer, id string, fill func(*packer)) {
	fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=\"%s\">", id)
	e := base64.NewEncoder(base64.StdEncoding, w)
	b := &packer{w: bufio.NewWriterSize(e, 3<<12)}
	fill(b)
	b.w.Flush() // w stores its first error
	e.Close()
	io.WriteString(w, "</script>\n")
}

type packer struct {
	w *bufio.Writer
	b [4]byte
}

func (p *packer) uint32(v uint32) {
	binary.LittleEndian.PutUint32(p.b[:], v)
	p.w.Write(p.b[:])
}

func (p *packer) floats(v [3]float32) {
	for _, x := range v {
		p.uint32(math.Float32bits(x))
	}
}

type pageData struct {
	Name, PointsName string
	Policy           string // Content-Security-Policy
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
		Mesh: s.meshRows(), Warnings: s.report.Warnings(), Defects: s.report.Defects(), Opacity: 55,
	}
	style := asset("page.css")
	paint := func(input string, c rgb) { style += fmt.Sprintf("%s + i { background: %s; }\n", input, c.Hex()) }
	paint("#show-mesh", meshColor)
	if s.cloud != nil {
		p.Opacity = 30 // a translucent mesh shows the points inside
		shown := s.shown()
		counts := s.cloud.Counts()
		words := [4]string{inpoly.Inside: "inside", inpoly.Outside: "outside", inpoly.OnSurface: "on the surface", inpoly.Unknown: "uncertain"}
		total := int64(0)
		for _, k := range sideOrder {
			total += counts[k]
			p.Sides = append(p.Sides, sideRow{k, sideNames[k], words[k], grouped(counts[k]), grouped(int64(shown[k]))})
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
	p.Style, p.Script = template.CSS(style), template.JS(script)
	p.Policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		hashSource(script), hashSource(style))
	return p, nil
}

// hashSource returns the source expression of a Content-Security-Policy that permits a script or
// style element with the given text.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

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

// grouped returns n with narrow no-break spaces between thousands.
func grouped(n int64) string { return plural.Group(n, "\u202f") }

package view

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

func htmlPage(t testing.TB, s *Scene) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func element(t testing.TB, page, id string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script type="[^"]*" id="` + id + `">(.*?)</script>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no element %s", id)
	}
	return m[1]
}

func pageBytes(t testing.TB, page, id string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(element(t, page, id))
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return b
}

func pageSettings(t testing.TB, page string) (set settings) {
	t.Helper()
	if err := json.Unmarshal([]byte(element(t, page, "settings")), &set); err != nil {
		t.Fatal(err)
	}
	return set
}

// pageNumbers decodes an array of the page.
func pageNumbers(t testing.TB, page, id string) []float64 {
	t.Helper()
	set, b := pageSettings(t, page), pageBytes(t, page, id)
	var out []float64
	for size := map[string]int{"uint8": 1, "uint16": 2, "uint32": 4, "float32": 4, "float64": 8}[set.Arrays[id]]; len(b) > 0; b = b[size:] {
		switch set.Arrays[id] {
		case "uint8":
			out = append(out, float64(b[0]))
		case "uint16":
			out = append(out, float64(binary.LittleEndian.Uint16(b)))
		case "uint32":
			out = append(out, float64(binary.LittleEndian.Uint32(b)))
		case "float32":
			out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		case "float64":
			out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		default:
			t.Fatalf("array %s has the type %q", id, set.Arrays[id])
		}
	}
	return out
}

// pageVectors decodes three arrays of coordinates.
func pageVectors(t testing.TB, page, id string) (out []r3.Vector) {
	t.Helper()
	x, y, z := pageNumbers(t, page, id+"-0"), pageNumbers(t, page, id+"-1"), pageNumbers(t, page, id+"-2")
	for i := range x {
		out = append(out, vector(x[i], y[i], z[i]))
	}
	return out
}

// visible returns the text of a page without its markup.
func visible(page string) string {
	text := regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>`).ReplaceAllString(page, "")
	text = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))
	return strings.Join(strings.Fields(ungrouped(text)), " ")
}

// ungrouped removes the commas between groups of three digits of whole numbers.
func ungrouped(text string) string {
	return regexp.MustCompile(`(^|[^.,\d])\d{1,3}(,\d{3})+\b`).ReplaceAllStringFunc(text, func(number string) string {
		return strings.ReplaceAll(number, ",", "")
	})
}

// TestPageData compares the arrays of the page with the scene.
func TestPageData(t *testing.T) {
	soup := testmesh.Move(brokenSoup(), func(p r3.Vector) r3.Vector { return p.Mul(10).Add(vector(1000, 0, -500)) })
	solid := newSolid(t, soup, inpoly.Options{})
	cloud := newCloud(t, solid, vector(985, -15, -515), vector(1015, 15, -485), 3000, 1200)
	s := newScene(t, solid, cloud, Options{Name: "broken.stl", PointsName: "cloud.csv"})
	page := htmlPage(t, s)
	set := pageSettings(t, page)
	vertices, faces, m := pageVectors(t, page, "vertex"), pageNumbers(t, page, "faces"), solid.Mesh()
	if len(faces) != 3*solid.Report().Diagnosis.Triangles {
		t.Fatalf("%d corners of %d triangles", len(faces), solid.Report().Diagnosis.Triangles)
	}
	for i, v := range faces {
		if want := m.Vertices[m.Faces[i/3][i%3]]; vertices[int(v)] != want {
			t.Fatalf("corner %d is %v, want exactly %v", i, vertices[int(v)], want)
		}
	}
	points, sides, rows := pageVectors(t, page, "point"), pageNumbers(t, page, "sides"), pageNumbers(t, page, "rows")
	sample := cloud.sample()
	if len(points) != 1200 || len(sides) != 1200 || len(rows) != 1200 || len(sample) != 1200 {
		t.Fatalf("%d points, %d sides and %d rows in the page, want 1200", len(points), len(sides), len(rows))
	}
	for i, p := range sample {
		if points[i] != p.p || inpoly.Side(sides[i]) != p.side || solid.Side(p.p) != p.side || int64(rows[i]) != p.row {
			t.Fatalf("point %d is %v, %v in row %v; want exactly %v, %v in row %d", i, points[i], sides[i], rows[i], p.p, p.side, p.row)
		}
	}
	// Defects have float32 positions, relative to the middle of the box.
	same := func(got []float64, want r3.Vector) bool {
		p := vector(got[0], got[1], got[2]).Mul(s.frame.scale).Add(s.frame.center)
		return p.Sub(want).Norm() <= 2*0x1p-24*s.frame.scale*2
	}
	if len(set.Layers) != len(s.layers) {
		t.Fatalf("%d layers, want %d", len(set.Layers), len(s.layers))
	}
	for i, l := range s.layers {
		got, want := pageNumbers(t, page, "layer-"+l.Key), s.corners(l)
		if len(got) != 3*len(want) || set.Layers[i].Edges != l.IsEdges() {
			t.Fatalf("layer %s: %d coordinates, want %d", l.Key, len(got), 3*len(want))
		}
		for k := range want {
			if !same(got[3*k:3*k+3], want[k]) {
				t.Fatalf("layer %s: corner %d is %v, want %v", l.Key, k, got[3*k:3*k+3], want[k])
			}
		}
		marks := pageNumbers(t, page, "marks-"+l.Key)
		for k, e := range l.edges {
			if int32(marks[2*k]) != e[0] || int32(marks[2*k+1]) != e[1] {
				t.Fatalf("layer %s: edge %d is %v, want %v", l.Key, k, marks[2*k:2*k+2], e)
			}
		}
		for k, f := range l.faces {
			if int32(marks[k]) != f {
				t.Fatalf("layer %s: face %d is %v, want %d", l.Key, k, marks[k], f)
			}
		}
	}

	text := visible(page)
	counts, d := cloud.Counts(), solid.Report().Diagnosis
	for _, want := range []string{
		"broken.stl", "points: cloud.csv",
		fmt.Sprintf("inside %d ", counts[inpoly.Inside]), fmt.Sprintf("outside %d ", counts[inpoly.Outside]), "all 3000",
		fmt.Sprintf("open edges edges of only one face %d", d.BoundaryEdges),
		fmt.Sprintf("open edges %d misoriented edges %d non-manifold edges %d (", d.BoundaryEdges, d.MisorientedEdges, d.NonManifoldEdges),
		fmt.Sprintf("triangles %d of %d faces", d.Triangles, d.Faces),
		"flipped faces 3", "The picture shows 1200 of 3000 points, a uniform random sample", "rounded to float32",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, w := range solid.Report().Warnings() {
		if !strings.Contains(text, w) {
			t.Errorf("the page does not warn %q", w)
		}
	}
}

func TestPageNotes(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	c := NewCloud(10)
	c.Add(0, []r3.Vector{vector(math.NaN(), 0, 0), vector(1e12, 0, 0), vector(0.5, 0.5, 0.5)}, []inpoly.Side{inpoly.Unknown, inpoly.Outside, inpoly.Inside})
	text := visible(htmlPage(t, newScene(t, solid, c, Options{Triangles: 8})))
	for _, want := range []string{"The picture omits 1 point with a coordinate that is missing or not finite.", "The picture omits 1 point at a distance of more than 524288 box sizes from the middle of the box.",
		"The mesh has 12 triangles. The picture shows a coarser mesh of", "inside 1 1", "outside 1 0", "uncertain 1 0", "none found"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "random sample") {
		t.Error("the page speaks of a sample where there is none")
	}
}

// TestPageSampleFar draws a sample with points that are too far away to be drawn. The page states
// the number of drawn points.
func TestPageSampleFar(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	pts := make([]r3.Vector, 200)
	for i := range pts {
		if pts[i] = vector(0.5, 0.5, 0.5); i%2 == 1 {
			pts[i].X = 1e9
		}
	}
	sides := make([]inpoly.Side, len(pts))
	if err := solid.SidesTo(t.Context(), sides, pts); err != nil {
		t.Fatal(err)
	}
	c := NewCloud(20)
	c.Add(0, pts, sides)
	s := newScene(t, solid, c, Options{})
	page := htmlPage(t, s)
	text, drawn := visible(page), len(pageVectors(t, page, "point"))
	if drawn == 0 || drawn == 20 {
		t.Fatalf("%d points of the sample are near, want some", drawn)
	}
	for _, want := range []string{fmt.Sprintf("The picture shows %d of 200 points, a uniform random sample", drawn), fmt.Sprintf("inside 100 %d outside 100 0 ", drawn),
		fmt.Sprintf("The picture omits %d points of the sample of 20 at a distance of more than 524288 box sizes from the middle of the box.", 20-drawn)} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
}

// The page never prints a bound that is smaller than the bound of the slice.
func TestPageBound(t *testing.T) {
	solid := newSolid(t, testmesh.Without(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), 3), inpoly.Options{})
	s := newScene(t, solid, nil, Options{})
	for _, bound := range []float64{s.slice.bound, 1.2e-15, 0x1p-50, 3.4e-7} {
		s.slice.bound = bound
		text := regexp.MustCompile(`computed within ([^ ,;)]+)`).FindStringSubmatch(visible(htmlPage(t, s)))
		note := regexp.MustCompile(`W within ([^ ,;]+)`).FindStringSubmatch(s.sliceNote())
		for _, found := range [][]string{text, note} {
			if found == nil {
				t.Fatal("no bound in print")
			}
			if x, err := strconv.ParseFloat(found[1], 64); err != nil || x < bound {
				t.Errorf("a bound of %g is printed as %s", bound, found[1])
			}
		}
	}
}

// TestPageAlone checks that the page refers to no other file, and that names cannot inject markup.
func TestPageAlone(t *testing.T) {
	solid := newSolid(t, brokenSoup(), inpoly.Options{})
	evil := `"><script>alert(1)</script><img src=x onerror=alert(2)>&lt;`
	s := newScene(t, solid, newCloud(t, solid, vector(-1, -1, -1), vector(1, 1, 1), 10, 10), Options{Name: evil, PointsName: evil})
	page := htmlPage(t, s)
	for _, bad := range []string{"http:", "https:", "//", "@import", "url(", "<link", "<iframe", "import(", "fetch(", "XMLHttpRequest", "WebSocket"} {
		for _, line := range strings.Split(page, "\n") {
			if i := strings.Index(line, bad); i >= 0 && !(bad == "//" && harmless(line)) {
				t.Errorf("the page has %q: %.120q", bad, line[max(0, i-40):])
			}
		}
	}
	sources := regexp.MustCompile(`<[^>]*\ssrc="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(sources) != 1 || !strings.HasPrefix(sources[0][1], "data:image/png;base64,") {
		t.Errorf("%d sources, want the slice only", len(sources))
	}
	for _, bad := range []string{"<script>alert", "<img src=x"} {
		if strings.Contains(page, bad) {
			t.Errorf("the name was not escaped: %q", bad)
		}
	}
	if !strings.Contains(html.UnescapeString(page), "default-src 'none'") {
		t.Error("the page does not forbid the network")
	}
}

// htmlElement is a start tag with its attributes and, for scripts and style sheets, its text.
type htmlElement struct {
	name, text string
	attributes map[string]string
}

var (
	startTag  = regexp.MustCompile(`^<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*>`)
	otherTag  = regexp.MustCompile(`^(?:</[a-z][a-z0-9]*>|<!doctype html>)`)
	attribute = regexp.MustCompile(`\s([a-zA-Z-]+)(?:="([^"]*)")?`)
)

// parsePage returns the elements of a page. The test fails if a tag has a form that the template
// does not use.
func parsePage(t testing.TB, page string) (list []htmlElement) {
	t.Helper()
	for {
		i := strings.IndexByte(page, '<')
		if i < 0 {
			return list
		}
		page = page[i:]
		if end := otherTag.FindString(page); end != "" {
			page = page[len(end):]
			continue
		}
		m := startTag.FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("unexpected tag: %.80q", page)
		}
		page = page[len(m[0]):]
		e := htmlElement{name: m[1], attributes: map[string]string{}}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			e.attributes[a[1]] = html.UnescapeString(a[2])
		}
		if e.name == "script" || e.name == "style" {
			e.text, page, _ = strings.Cut(page, "</"+e.name+">")
		}
		list = append(list, e)
	}
}

// TestPagePolicy checks that the Content-Security-Policy lists exactly the hashes of the script and
// of the style sheet, and that nothing in the page needs 'unsafe-inline'.
func TestPagePolicy(t *testing.T) {
	solid := newSolid(t, brokenSoup(), inpoly.Options{})
	cloud := newCloud(t, solid, vector(-1, -1, -1), vector(1, 1, 1), 10, 10)
	full, bare := newScene(t, solid, cloud, Options{Name: "a.stl"}), newScene(t, solid, nil, Options{Name: "a.stl"})
	bare.slice = nil
	for _, s := range []*Scene{full, bare} {
		policy, styles := "", ""
		hashes := map[string]string{}
		for _, e := range parsePage(t, htmlPage(t, s)) {
			if e.attributes["http-equiv"] == "Content-Security-Policy" {
				policy = e.attributes["content"]
			}
			if kind := e.attributes["type"]; e.name == "style" || e.name == "script" && kind != "application/json" && kind != "application/octet-stream" {
				if policy == "" {
					t.Error("a script or style sheet comes before the policy")
				}
				sum := sha256.Sum256([]byte(e.text))
				hashes[e.name] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			}
			if e.name == "style" {
				styles += e.text
			}
			for name, value := range e.attributes {
				if name = strings.ToLower(name); name == "style" || strings.HasPrefix(name, "on") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(value)), "javascript:") {
					t.Errorf("<%s %s=%q> needs 'unsafe-inline'", e.name, name, value)
				}
			}
		}
		want := "default-src 'none'; script-src" + hashes["script"] + "; style-src" + hashes["style"] + "; img-src data:; base-uri 'none'; form-action 'none'"
		if policy != want || strings.Count(policy, "sha256-") != 2 {
			t.Errorf("the policy is %s, want %s", policy, want)
		}
		for _, c := range []string{`#show-mesh + i { background: ` + meshColor.Hex(), `[data-layer="open"] + i { background: ` + openColor.Hex()} {
			if !strings.Contains(styles, c) {
				t.Errorf("the style sheet has no rule %s", c)
			}
		}
		if has := strings.Contains(styles, ".ticks span:nth-child(2) { left: "); has != (s.slice != nil) {
			t.Errorf("the style sheet places the ticks: %v", has)
		}
	}
	// No script sets a style attribute in text, which the policy forbids.
	if m := regexp.MustCompile(`style=|setAttribute\("style|\son[a-z]+="|\beval\(|new Function`).FindString(script()); m != "" {
		t.Errorf("the script has %q", m)
	}
}

// harmless reports whether "//" in a line begins a comment or is part of base64.
func harmless(line string) bool {
	return regexp.MustCompile(`(^|\s)// `).MatchString(line) || strings.Contains(line, "base64,") || strings.Contains(line, "octet-stream") || strings.Contains(line, "'sha256-")
}

// TestPageSize checks that the page without its data has at most 1 MB.
func TestPageSize(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	s := newScene(t, solid, newCloud(t, solid, vector(-1, -1, -1), vector(2, 2, 2), 20000, 20000), Options{Pixels: 512})
	page := htmlPage(t, s)
	data := 0
	for id := range pageSettings(t, page).Arrays {
		data += len(element(t, page, id))
	}
	// 24 bytes for the coordinates of a point and 1 for its side; the cube needs a byte for each number.
	if want := (20000*25 + 8*3 + 12*3) * 4 / 3; data < want || data > want+32 {
		t.Errorf("%d bytes of data, want %d", data, want)
	}
	if rest := len(page) - data; rest > 1_000_000 {
		t.Errorf("the page has %d bytes besides its data", rest)
	}
}

// TestAssets compares assets.gz with the folder assets. INPOLY_UPDATE=1 writes assets.gz.
func TestAssets(t *testing.T) {
	want := map[string]string{}
	for _, pattern := range []string{"*.js", "*.css", "*.html"} {
		paths, err := filepath.Glob("assets/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want[filepath.Base(path)] = string(text)
		}
	}
	if len(want) != len(scripts)+2 {
		t.Errorf("%d files, want %d scripts, a style sheet and a template", len(want), len(scripts))
	}
	if os.Getenv("INPOLY_UPDATE") == "1" {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err == nil {
			err = errors.Join(json.NewEncoder(w).Encode(want), w.Close())
		}
		if err == nil {
			err = os.WriteFile("assets.gz", b.Bytes(), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if !maps.Equal(assets(), want) {
		t.Error("assets.gz differs from the folder assets: run INPOLY_UPDATE=1 go test -run TestAssets")
	}
}

// failing is a writer that fails after n bytes.
type failing struct{ n int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	solid := newSolid(t, brokenSoup(), inpoly.Options{})
	s := newScene(t, solid, nil, Options{})
	for name, write := range map[string]func(w io.Writer) error{"html": s.WriteHTML, "glb": s.WriteGLB, "png": s.WritePNG} {
		for _, n := range []int{0, 10, 2000} {
			if err := write(&failing{n}); !errors.Is(err, errFull) {
				t.Errorf("%s: a full disk after %d bytes gave %v", name, n, err)
			}
		}
	}
}

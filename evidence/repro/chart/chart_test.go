package chart

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

func TestTicks(t *testing.T) {
	labels := func(hi float64) (list []string) {
		for _, tick := range (linearTicks{}).Ticks(0, hi) {
			list = append(list, tick.Label)
		}
		return list
	}
	for _, c := range []struct {
		hi   float64
		want []string
	}{{1.04, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}}, {5.2, []string{"0", "1", "2", "3", "4", "5"}}, {12, []string{"0", "2", "4", "6", "8", "10", "12"}}, {0.5, []string{"0", "0.1", "0.2", "0.3", "0.4", "0.5"}}} {
		if got := labels(c.hi); !slices.Equal(got, c.want) {
			t.Errorf("0 … %v: got %v, want %v", c.hi, got, c.want)
		}
	}
	if got := linearLabel(-1234567.5); got != "−1,234,567.5" {
		t.Errorf("got %q", got)
	}
	var powers []string
	for _, c := range []struct {
		k, e int
		want string
	}{{1, -3, "10⁻³"}, {1, 0, "1"}, {5, 1, "50"}, {2, 3, "2·10³"}, {5, -2, "5·10⁻²"}, {1, 12, "10¹²"}} {
		if got := tickLabel(c.k, c.e); got != c.want {
			t.Errorf("%d·10^%d: got %q, want %q", c.k, c.e, got, c.want)
		}
	}
	for _, tick := range (logTicks{}).Ticks(0.5, 2000) {
		if tick.Label != "" {
			powers = append(powers, tick.Label)
		}
	}
	if want := []string{"1", "10", "10²", "10³"}; !slices.Equal(powers, want) {
		t.Errorf("got %v, want %v", powers, want)
	}
}

// example returns a chart with all styles, and with points that cannot be drawn.
func example() *Chart {
	c := &Chart{Name: "c", Title: "One method against another <&>", X: "number of points", Y: "time [s]", LogX: true, LogY: true}
	for style, name := range styleNames {
		s := Series{Name: name + ", ν = 10⁻²", Style: Style(style), Hue: style * 2}
		for i := range 4 {
			s.Add(math.Pow10(i), float64(i+style)/7)
		}
		c.Series = append(c.Series, s)
	}
	bars := Series{Name: "with bars", Hue: 3}
	for i := range 3 {
		bars.AddRange(math.Pow10(i), 2, 1, 4+float64(i))
	}
	bars.AddRange(2000, 1, 0, 3) // a logarithmic axis has no 0
	c.Series = append(c.Series, bars)
	c.Series[0].Add(math.NaN(), 1)
	c.Series[1].Add(1, math.Inf(1))
	return c
}

func TestWriteAndRead(t *testing.T) {
	want, base := example(), filepath.Join(t.TempDir(), "c")
	head := []string{"machine: M", "size -- small"}
	if err := want.Write(base, head, true); err != nil {
		t.Fatal(err)
	}
	got, lines, err := Read(base + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(lines, head) {
		t.Errorf("head %q, want %q", lines, head)
	}
	if n := len(want.Series[0].X) - 1; !math.IsNaN(got.Series[0].X[n]) {
		t.Errorf("got %v for NaN", got.Series[0].X[n])
	} else {
		got.Series[0].X[n], want.Series[0].X[n] = 0, 0 // NaN ≠ NaN
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	svg, err := os.ReadFile(base + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	again, err := got.SVG(lines)
	if err != nil || !bytes.Equal(again, svg) {
		t.Errorf("%v: the SVG file of the data that was read differs", err)
	}
	img, err := os.ReadFile(base + ".png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(img)); err != nil {
		t.Error(err)
	}
}

// The SVG file is well-formed XML without fonts, and all its coordinates are inside the picture.
func TestSVG(t *testing.T) {
	svg, err := example().SVG([]string{"machine: <M>"})
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			switch e.Name.Local {
			case "path", "use":
				paths++
			case "text", "style", "image":
				t.Errorf("element %s", e.Name.Local)
			}
		}
	}
	if paths < 50 {
		t.Errorf("%d paths", paths)
	}
	if strings.Contains(string(svg), "font") {
		t.Error("the file names a font")
	}
	if !strings.Contains(string(svg), "<title>One method against another &lt;&amp;&gt;</title>") {
		t.Error("no title for screen readers")
	}
}

func TestTooWide(t *testing.T) {
	c := example()
	c.Title = strings.Repeat("wide ", 40)
	if _, err := c.SVG(nil); err == nil || !strings.Contains(err.Error(), "title") {
		t.Errorf("title: %v", err)
	}
	c = example()
	c.Series[0].Name = strings.Repeat("wide ", 12)
	if _, err := c.SVG(nil); err == nil || !strings.Contains(err.Error(), "is") || !strings.Contains(err.Error(), "too wide") {
		t.Errorf("names: %v", err)
	}
	for _, axis := range []string{"x", "y"} {
		c = example()
		*map[string]*string{"x": &c.X, "y": &c.Y}[axis] = strings.Repeat("wide ", 30)
		if _, err := c.SVG(nil); err == nil || !strings.Contains(err.Error(), "label of the "+axis+"-axis") {
			t.Errorf("label of the %s-axis: %v", axis, err)
		}
	}
	c.Series = nil
	if _, err := c.SVG(nil); err == nil {
		t.Error("nothing to draw: no error")
	}
}

// A label stays between its limits. If it is long, it leaves the middle of the data, and then gets
// smaller letters.
func TestLabel(t *testing.T) {
	base := text.Style{XAlign: text.XCenter, Rotation: math.Pi / 2}
	const low, high, middle = 10, 290, 170
	for _, c := range []struct {
		words int
		size  vg.Length
		moved bool
	}{{1, 10.5, false}, {11, 10.5, true}, {13, 10, true}} {
		s := strings.TrimSpace(strings.Repeat("time ", c.words))
		p, err := label(s, base, middle, low, high)
		if err != nil {
			t.Fatalf("%d words: %v", c.words, err)
		}
		flat := p.style
		flat.Rotation = 0
		half := flat.Width(s) / 2
		if p.at-half < low-1e-9 || p.at+half > high+1e-9 || (p.at != middle) != c.moved || p.style.Font.Size > c.size {
			t.Errorf("%d words: from %v to %v, size %v", c.words, p.at-half, p.at+half, p.style.Font.Size)
		}
		if p.style.Rotation != base.Rotation {
			t.Error("the label is not rotated")
		}
	}
}

func TestRuns(t *testing.T) {
	if got, want := runs("5·10⁻³²x¹"), []run{{"5·10", false}, {"−32", true}, {"x", false}, {"1", true}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// An error bar contains its point.
func TestAddRange(t *testing.T) {
	var s Series
	s.AddRange(1, 2, 1, 3)
	s.AddRange(2, 5, 1, 3)
	s.AddRange(3, 0.5, 1, 3)
	if want := (Series{X: []float64{1, 2, 3}, Y: []float64{2, 5, 0.5}, Low: []float64{1, 1, 0.5}, High: []float64{3, 5, 3}}); !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, text := range []string{
		"", "series,x,y\na,1,2\n", mark + "{\n", mark + "{}\n", mark + "{}\nseries,x\n", mark + "{}\nseries,x,y\na,1,2\n",
		mark + `{"series":[{"name":"a","style":"s"}]}` + "\nseries,x,y\n", mark + `{"series":[{"name":"a","style":"dashed"}]}` + "\nseries,x,y\na,1,b\n",
		mark + `{"series":[{"name":"a","style":"dashed"}]}` + "\nseries,x,y\na,1\n",
	} {
		if c, _, err := decode([]byte(text)); err == nil {
			t.Errorf("%q: %+v, want an error", text, c)
		}
	}
}

func TestCompact(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"M1,2L1.5,-2.25Q3,4,0.004,10.1Z", "m1 2l.5-4.25q1.5 6.25-1.5 12.35z"},
		{"M10,20L110,20ZL10,21", "m10 20l100 0zl0 1"},
		{"M1,1A2,2 0 1 1 3,3Z", "M1,1A2,2 0 1 1 3,3Z"},
	} {
		if got := compact(`<path d="` + c.path + `" />`); got != `<path d="`+c.want+`" />` {
			t.Errorf("%s: got %s, want %s", c.path, got, c.want)
		}
	}
}

// Equal outlines are defined once, and every reference has a definition.
func TestShare(t *testing.T) {
	svg, err := example().SVG(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(svg)
	uses := strings.Count(text, "<use ")
	if uses < 50 {
		t.Errorf("%d references to outlines", uses)
	}
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, `xlink:href="#`)
		if !ok {
			break
		}
		id, _, _ := strings.Cut(after, `"`)
		if strings.Count(text, `id="`+id+`"`) != 1 {
			t.Fatalf("%s has no definition", id)
		}
		rest = after
	}
}

// The charts of the documents are the drawings of the CSV files beside them.
func TestDocuments(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may fuse multiplications with additions")
	}
	seen := 0
	for _, pattern := range []string{"../../../docs/results/*.svg", "../../bench/results/*.svg"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			seen++
			path = strings.TrimSuffix(path, ".svg") + ".csv"
			c, head, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.SVG(head)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			got, err := os.ReadFile(strings.TrimSuffix(path, ".csv") + ".svg")
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v: the SVG file differs from the drawing: make pictures", path, err)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d charts: the test looks in the wrong place", seen)
	}
}

// Names are at least the given distance apart, in the order of the curves, between the limits, and move as
// little as possible.
func TestSpread(t *testing.T) {
	for _, c := range []struct{ heights, want []vg.Length }{
		{[]vg.Length{50, 20, 80}, []vg.Length{50, 20, 80}},
		{[]vg.Length{50, 50}, []vg.Length{55, 45}},
		{[]vg.Length{50, 48, 52}, []vg.Length{50, 40, 60}},
		{[]vg.Length{100, 100}, []vg.Length{100, 90}},
		{[]vg.Length{0, 0, 90}, []vg.Length{10, 0, 90}},
		{[]vg.Length{50, 45, 60, 20}, []vg.Length{51.0 + 2.0/3, 41.0 + 2.0/3, 61.0 + 2.0/3, 20}},
		{[]vg.Length{-30, 130}, []vg.Length{0, 100}},
		{nil, nil},
	} {
		got := spread(c.heights, 10, 0, 100)
		if len(got) != len(c.want) {
			t.Fatalf("%v: got %v", c.heights, got)
		}
		for i := range got {
			if math.Abs(float64(got[i]-c.want[i])) > 1e-9 {
				t.Errorf("%v: got %v, want %v", c.heights, got, c.want)
				break
			}
		}
	}
}

package geojson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var files = testcloud.Format[*Source, Options]{File: "in.geojson", New: New}

// collection returns features with all kinds of properties, and their points.
func collection(r *rand.Rand, n int, pretty, lines bool) (text string, pts []r3.Vector) {
	var list []any
	for k := range n {
		p := r3.Vector{X: float64(k) - 3, Y: r.NormFloat64(), Z: 1e9 * r.NormFloat64()}
		pts = append(pts, p)
		f := map[string]any{"type": "Feature", "geometry": map[string]any{"type": "Point", "coordinates": []any{p.X, p.Y, p.Z}}}
		switch k % 4 {
		case 0:
			f["properties"] = nil
		case 1:
			f["properties"] = map[string]any{}
		default:
			f["properties"] = map[string]any{"name": "a\"]}{[,\\ \n é", "n": k, "deep": map[string]any{"list": []any{1, "]"}, "b": true}}
			f["id"] = k
		}
		list = append(list, f)
	}
	encode := func(v any) string {
		data, err := json.Marshal(v)
		if err == nil && pretty {
			var out bytes.Buffer
			err = json.Indent(&out, data, "\r\n", " \t")
			data = out.Bytes()
		}
		if err != nil {
			panic(err)
		}
		return string(data)
	}
	if lines {
		for _, f := range list {
			if text += encode(f) + "\n"; pretty {
				text = "\x1e" + text
			}
		}
		return text, pts
	}
	if list == nil {
		list = []any{}
	}
	return encode(map[string]any{"type": "FeatureCollection", "crs": map[string]any{"name": "]["}, "features": list, "name": "x", "zz": []int{1}}), pts
}

// TestRoundTrip reads collections and features in lines, as files and streams. The output must be
// valid JSON with the same values and the answers.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 300} {
		for _, pretty := range []bool{false, true} {
			for _, inLines := range []bool{false, true} {
				if n == 0 && inLines {
					continue
				}
				text, want := collection(r, n, pretty, inLines)
				for _, stream := range []bool{false, true} {
					for _, opt := range []Options{{}, {Block: 300}} {
						src, err := files.Open(text, stream, opt)
						if err != nil {
							t.Fatal(err)
						}
						if got, err := testcloud.Points(src); err != nil || !testcloud.SamePoints(got, want) {
							t.Fatalf("%d points of %d: %v", len(got), n, err)
						}
						plain := files.MustPassthrough(t, text, stream, opt, nil, true, nil)
						if a, b := decode(t, text), decode(t, plain); !reflect.DeepEqual(a, b) {
							t.Fatalf("%v became\n%v", a, b)
						}
						out := files.MustPassthrough(t, text, stream, opt, testcloud.AllColumns, true, nil)
						checkAnswers(t, decode(t, text), decode(t, out))
						odd := func(k int64) bool { return k%2 == 0 } // rows are counted from 1
						dropped := files.MustPassthrough(t, text, stream, opt, testcloud.AllColumns, false, odd)
						if got, err := files.Points([]byte(dropped), Options{}); n > 1 && (err != nil || len(got) != n/2+n%2) {
							t.Fatalf("%d points are kept: %v\n%.500s", len(got), err, dropped)
						}
						if again := files.MustPassthrough(t, plain, stream, opt, nil, true, nil); again != plain {
							t.Fatalf("the second output differs: %.300q, want %.300q", again, plain)
						}
					}
				}
			}
		}
	}
}

// decode returns the features, and the collection without its features.
func decode(t *testing.T, text string) (list []any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(strings.ReplaceAll(text, "\x1e", "")))
	for {
		var v map[string]any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v: %.500q", err, text)
		}
		if features, ok := v["features"].([]any); ok {
			list = append(list, features...)
			delete(v, "features")
		}
		list = append(list, v)
	}
}

// checkAnswers compares features with answers to those without.
func checkAnswers(t *testing.T, in, out []any) {
	t.Helper()
	if len(in) != len(out) {
		t.Fatalf("%d features became %d", len(in), len(out))
	}
	for k := range in {
		a, b := in[k].(map[string]any), out[k].(map[string]any)
		if a["type"] == Feature {
			props := b["properties"].(map[string]any)
			w, _ := testcloud.Numbers(int64(k + 1))
			if props["winding"] != w && w == w || props["nearest"] != float64(k+1-3) {
				t.Fatalf("feature %d: %v", k, props)
			}
			for _, c := range testcloud.AllColumns {
				if _, ok := props[c.Name]; !ok {
					t.Fatalf("feature %d has no %s", k, c.Name)
				}
				delete(props, c.Name)
			}
			if a["properties"] == nil {
				a["properties"] = map[string]any{}
			}
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%v became\n%v", a, b)
		}
	}
}

// TestResumedAndShards interrupts an output, and reads shards.
func TestResumedAndShards(t *testing.T) {
	text, want := collection(rand.New(rand.NewPCG(2, 1)), 300, true, false)
	opt := Options{Block: 2000}
	cols := testcloud.AllColumns
	whole := files.MustPassthrough(t, text, true, opt, cols, false, nil)
	for _, stream := range []bool{false, true} {
		for _, blocks := range []int{0, 1, 4} {
			src, sink := files.Start(t, text, stream, opt, cols)()
			var out strings.Builder
			if err := sink.Begin(&out, -1); err != nil {
				t.Fatal(err)
			}
			next := pump(t, &out, src, sink, blocks)
			state, err := sink.(table.Resumer).State()
			if err != nil {
				t.Fatal(err)
			}
			src, sink = files.Start(t, text, stream, opt, cols)()
			if err := errors.Join(src.SeekTo(next), sink.(table.Resumer).Resume(-1, state)); err != nil {
				t.Fatal(err)
			}
			pump(t, &out, src, sink, -1)
			if err := sink.End(&out); err != nil || out.String() != whole {
				t.Fatalf("after %d blocks: %d bytes, want %d, or others, %v", blocks, out.Len(), len(whole), err)
			}
		}
	}
	for _, shards := range []int{2, 7, 1000} {
		var got []r3.Vector
		for i := range shards {
			src, err := files.Open(text, false, Options{Shard: i + 1, Shards: shards})
			if err != nil {
				t.Fatal(err)
			}
			pts, err := testcloud.Points(src)
			if err != nil {
				t.Fatal(err)
			}
			if len(src.Fields()) != 8 {
				t.Fatalf("fields %v", src.Fields())
			}
			got = append(got, pts...)
		}
		if !testcloud.SamePoints(got, want) {
			t.Fatalf("%d shards: %d points, want %d, or others", shards, len(got), len(want))
		}
	}
	if _, err := files.Open(text, false, Options{Bytes: [2]int64{0, 9}}); err == nil || !strings.Contains(err.Error(), "use shards") {
		t.Errorf("range of bytes: %v", err)
	}
}

// pump writes some blocks, or all blocks if the number is negative. It returns the position after
// them.
func pump(t *testing.T, w io.Writer, src table.Source, sink table.Sink, blocks int) (next table.Position) {
	t.Helper()
	var b table.Block
	for ; blocks != 0; blocks-- {
		err := src.Fill(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = src.Parse(&b)
		}
		if err == nil {
			testcloud.Answer(&b, testcloud.AllColumns, nil)
			err = sink.Format(&b)
		}
		if err == nil {
			err = sink.Write(w, &b)
		}
		if err != nil {
			t.Fatal(err)
		}
		next = b.Next
	}
	return next
}

const point = `{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2,3]},"properties":{"h":4}}`

// TestColumns checks the columns, points without coordinates, and z from a property.
func TestColumns(t *testing.T) {
	text := `{"type":"FeatureCollection","features":[` + point + `,{"geometry":null,"properties":{"h":1},"type":"Feature"},
		{"type":"Feature","geometry":{"coordinates":[],"type":"Point"}}]}`
	src, err := files.Open(text, true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	pts, err := testcloud.Points(src)
	if err != nil || len(pts) != 3 || pts[0] != (r3.Vector{X: 1, Y: 2, Z: 3}) || pts[1].X == pts[1].X || pts[2].Z == pts[2].Z || fmt.Sprint(src.Fields()) != "[{x float64 } {y float64 } {z float64 } {h float64 }]" {
		t.Errorf("%v, %v, %v", pts, src.Fields(), err)
	}
	flat := strings.ReplaceAll(point, "[1,2,3]", "[1,2]")
	if _, err := files.Points([]byte(flat), Options{}); err == nil || !strings.Contains(err.Error(), "feature 1: the coordinates have two numbers and no z") {
		t.Errorf("%v", err)
	}
	pts, err = files.Points([]byte(flat), Options{Columns: [3]string{"x", "y", "h"}})
	if err != nil || pts[0] != (r3.Vector{X: 1, Y: 2, Z: 4}) {
		t.Errorf("%v, %v", pts, err)
	}
	out := files.MustPassthrough(t, `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}`, true, Options{}, testcloud.AllColumns[:1], true, nil)
	if !strings.Contains(out, `"geometry":null,"properties":{"inside":false}}`) {
		t.Error(out)
	}
}

// TestRefused checks the messages for other geometries and damaged files.
func TestRefused(t *testing.T) {
	c := func(features string) string { return `{"type":"FeatureCollection","features":[` + features + `]}` }
	change := func(old, new string) string { return strings.Replace(point, old, new, 1) }
	for in, want := range map[string]string{
		c(point + "," + change(`"Point"`, `"MultiPoint"`)):                `feature 2: the geometry has the type "MultiPoint"`,
		c(change(`[1,2,3]`, `[[1,2,3]]`)):                                 "expected numbers",
		c(change(`[1,2,3]`, `[1,"2",3]`)):                                 "expected numbers",
		c(change(`[1,2,3]`, `[1]`)):                                       "one number",
		c(change(`[1,2,3]`, `7`)):                                         "needs a list of coordinates",
		c(change(`{"type":"Point","coordinates":[1,2,3]}`, `5`)):          "expected an object or null",
		c(change(`{"h":4}`, `[]`)):                                        "expected an object or null",
		c(change(`"Feature"`, `"feature"`)):                               `expected "Feature"`,
		c(change(`"type":"Feature",`, ``)):                                `no "type"`,
		c(change(`{"h":4}`, `{"h":4},"properties":{}`)):                   "occurs twice",
		c(change(`{"h":4}`, `{"h":4,"h":5}`)):                             "occurs twice",
		c(point + "," + change(`"h"`, `h`)):                               "feature 2",
		c(point + ","):                                                    "expected a feature after the comma",
		c(point + " " + point):                                            "expected a comma or a bracket",
		c("7"):                                                            "expected a feature, found",
		c(point)[:60]:                                                     "cut off",
		c(point)[:len(c(point))-1]:                                        "cut off",
		c(point) + "x":                                                    "expected the end of the file",
		strings.Replace(c(point), "]}", `],"type":3}`, 1):                 "",
		`{"type":"FeatureCollection","features":{}}`:                      "not a list",
		`{"type":"FeatureCollection","a":1}`:                              "expected a comma and the member",
		`{"type":"FeatureCollection" "a":1}`:                              "expected a comma",
		`{"type":"MultiPoint","coordinates":[[1,2,3]]}`:                   `of the type "MultiPoint"`,
		`{"features":[` + point + `],"type":"Feature"}`:                   "expected a FeatureCollection",
		`{"features":[` + point + `],"a":nul,"type":"FeatureCollection"}`: "not valid",
	} {
		for _, stream := range []bool{false, true} {
			src, err := files.Open(in, stream, Options{})
			if err == nil {
				err = testcloud.ReadAll(src)
			}
			if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "in.geojson: ") {
				t.Errorf("%s:\n%v, want %s", in, err, want)
			}
		}
	}
}

// TestDetect checks which objects are GeoJSON.
func TestDetect(t *testing.T) {
	for in, want := range map[string]string{
		point: Feature, point[:60]: Feature, `{"type":"FeatureCollection","x`: Collection, ` {"features": [` + point: Collection,
		`{"geometry":null,"type":"Feature","properties":null}`: Feature, `{"type":"GeometryCollection","geometries":[]}`: "GeometryCollection",
		`{"x":1,"y":2,"z":3}`: Other, `{"type":"Feature","x":1}`: Other, `{"x":1,"features":[{"a":1}]}`: Other, `{"x":1,"features":[1,2]}`: Other,
		`{"type":"Point","x":1}`: Other, `{"type":7,"x":1}`: Other, `[`: Other, ``: Other, `{`: Other, `{"type":"FeatureCollection"}`: Collection,
	} {
		if got := Detect([]byte(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// endless is a collection without an end.
type endless struct{ front, rest string }

func (e *endless) Read(p []byte) (int, error) {
	if e.front == "" {
		e.front = e.rest
	}
	n := copy(p, e.front)
	e.front = e.front[n:]
	return n, nil
}

// TestMemory reads a value without an end. The reader must give up before it uses much memory.
func TestMemory(t *testing.T) {
	for _, in := range []endless{
		{`{"type":"FeatureCollection","a":"`, "aaaaaaaa"}, {`{"type":"FeatureCollection","a":`, "[[[["}, {`{"type":"FeatureCollection",`, `"a":1,`},
		{`{"type":"FeatureCollection","features":[{"a":`, "[[["}, {`{"type":"FeatureCollection","features":[],`, `"a":[1],`}, {`{"type":"FeatureCollection",`, "    "},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		src, err := New("in", &in, nil, -1, Options{})
		if err == nil {
			err = testcloud.ReadAll(src)
		}
		if err == nil || !strings.Contains(err.Error(), "more than 16777216 bytes") {
			t.Errorf("%s: %v", in.rest, err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 { // slices grow several times, and keys are decoded
			t.Errorf("%s: %d bytes are allocated", in.rest, n)
		}
	}
}

// FuzzGeoJSON copies every valid file.
func FuzzGeoJSON(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 1))
	for k := range 8 {
		text, _ := collection(r, k, k%2 == 0, k%4 > 1)
		f.Add(text, k%3 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, stream bool) {
		out, err := files.Passthrough(text, stream, Options{}, testcloud.AllColumns, true, nil)
		if err != nil {
			return
		}
		want, err := files.Points([]byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := files.Points([]byte(out), Options{}); err != nil || !testcloud.SamePoints(got, want) {
			t.Fatalf("%q\nbecame %q: %v", text, out, err)
		}
	})
}

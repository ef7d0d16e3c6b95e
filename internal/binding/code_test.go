package binding

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

const knot = "../../testdata/knot.stl"

func TestCodes(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	open := func(o Options, paths ...string) func() error {
		return func() error { _, err := Open(t.Context(), paths, o); return err }
	}
	read := func(name, data string) func() error {
		return func() error { _, err := Read(t.Context(), name, []byte(data), Options{}); return err }
	}
	build := func(vertices []r3.Vector, faces ...[3]int32) func() error {
		return func() error {
			_, err := New(t.Context(), []Mesh{{Name: "part", Soup: mesh.Soup{Vertices: vertices, Faces: faces}}}, Options{})
			return err
		}
	}
	corners := []r3.Vector{{}, {X: 1}, {Y: 1}}
	negative := filepath.Join(t.TempDir(), "negative.3mf")
	if err := os.WriteFile(negative, negativePart(t), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		call func() error
		want Code
		text string // part of the message
	}{
		{"file", open(Options{}, knot), OK, ""},
		{"no path", open(Options{}), Argument, "no path"},
		{"missing file", open(Options{}, filepath.Join(t.TempDir(), "no.stl")), File, "no.stl"},
		{"missing second file", open(Options{}, knot, "no.stl"), File, "no.stl"},
		{"folder", open(Options{}, t.TempDir()), File, ""},
		{"bad STL", read("bad.stl", "solid\nfacet\nvertex 1 2\n"), Format, "bad.stl"},
		{"empty file", read("empty.stl", ""), Format, "empty.stl"},
		{"not a mesh", open(Options{}, "code_test.go"), Format, "code_test.go"},
		{"point cloud", read("cloud.obj", "v 1 2 3\n"), Format, "cloud.obj"},
		{"small memory", open(Options{MaxMemory: 1000}, knot), TooLarge, "knot.stl"},
		{"no mesh", func() error { _, err := New(t.Context(), nil, Options{}); return err }, Argument, "no mesh"},
		{"index", build(corners, [3]int32{0, 1, 3}), MeshInvalid, "part: "},
		{"negative index", build(corners, [3]int32{0, 1, -1}), MeshInvalid, "part: "},
		{"NaN", build([]r3.Vector{{}, {X: 1}, {Y: math.NaN()}}, [3]int32{0, 1, 2}), MeshInvalid, "part: "},
		{"infinity", build([]r3.Vector{{}, {X: 1}, {Y: math.Inf(1)}}, [3]int32{0, 1, 2}), MeshInvalid, "part: "},
		{"huge coordinate", build([]r3.Vector{{}, {X: 1}, {Y: 1e305}}, [3]int32{0, 1, 2}), TooLarge, "part: "},
		{"method", open(Options{Method: "magic"}, knot), Option, "magic"},
		{"rule", open(Options{Rule: "odd"}, knot), Option, "odd"},
		{"orient", open(Options{Orient: "sometimes"}, knot), Option, "sometimes"},
		{"parts", open(Options{Parts: "some"}, knot), Option, "some"},
		{"all parts", open(Options{Parts: "All"}, negative), OK, ""},
		{"negative part", open(Options{}, negative), Format, `such as negative/hole: only sides can be found; the option parts with the value "all" reads all parts as solid`},
		{"negative part, bodies", open(Options{Parts: "typed", SplitBodies: true}, negative), Format, "negative parts"},
		{"tolerance", open(Options{Tolerance: -1}, knot), Option, "tolerance"},
		{"NaN tolerance", open(Options{Tolerance: math.NaN()}, knot), Option, "tolerance"},
		{"epsilon", open(Options{Epsilon: -1}, knot), Option, "epsilon"},
		{"workers", open(Options{Workers: -1}, knot), Option, "workers"},
		{"expected points", open(Options{ExpectedPoints: -1}, knot), Option, "expected"},
		{"memory", open(Options{MaxMemory: -1}, knot), Option, "memory"},
		{"canceled open", func() error { _, err := Open(ended, []string{knot}, Options{}); return err }, Canceled, ""},
		{"canceled new", func() error { _, err := New(ended, []Mesh{{Soup: testmesh.UnitCube()}}, Options{}); return err }, Canceled, ""},
		{"panic", func() error { return Panicked{"value"} }, Internal, "value"},
		{"another error", func() error { return json.Unmarshal([]byte("{"), new(int)) }, Internal, ""},
	} {
		err := c.call()
		if got := CodeOf(err); got != c.want {
			t.Errorf("%s: code %v, want %v: %v", c.name, got, c.want, err)
		} else if err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: the message %q does not contain %q", c.name, err, c.text)
		}
	}
	for c := OK; c <= Internal; c++ {
		if s := c.String(); s == "" || strings.Contains(s, " ") {
			t.Errorf("name of code %d: %q", c, s)
		}
	}
	if got := (Internal + 1).String(); !strings.Contains(got, "10") {
		t.Errorf("name of an unknown code: %q", got)
	}
}

// Progress reports the stages of opening, and nothing after the solid is built.
// negativePart returns a 3MF file of PrusaSlicer with a solid and a negative tetrahedron.
func negativePart(t *testing.T) []byte {
	const vertices = `<vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/>`
	const triangles = `<triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/>`
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"_rels/.rels": `<Relationships><Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/m.model"/></Relationships>`,
		"3D/m.model": `<model><resources><object id="1"><mesh><vertices>` + vertices + `</vertices><triangles>` + triangles + triangles +
			`</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`,
		"Metadata/Slic3r_PE_model.config": `<config><object id="1"><volume firstid="0" lastid="3"/><volume firstid="4" lastid="7">` +
			`<metadata key="name" value="hole"/><metadata key="volume_type" value="NegativeVolume"/></volume></object></config>`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestProgress(t *testing.T) {
	stages := map[string]bool{}
	s, err := Open(t.Context(), []string{knot}, Options{Progress: func(stage string, _, _ int64) { stages[stage] = true }})
	if err != nil || !stages["load"] || !stages["weld"] {
		t.Fatalf("stages %v, error %v", stages, err)
	}
	clear(stages)
	pts := make([]r3.Vector, 1<<19)
	var done []int64
	sides := newAnswers(len(pts)).Sides
	if err := s.LocateTo(t.Context(), Answers{Sides: sides}, pts, func(n, _ int64) { done = append(done, n) }); err != nil {
		t.Fatal(err)
	}
	if len(stages) > 0 || len(done) != 1 || done[0] != 1<<19 {
		t.Errorf("a batch reports %v to the function for opening, and %v", stages, done)
	}
}

// The report marshals as JSON with names in lower camel case and without numbers that are not
// finite.
func TestReportJSON(t *testing.T) {
	for _, c := range []struct {
		name   string
		meshes []Mesh
	}{
		{"open", []Mesh{{Name: "half", Soup: testmesh.Hemisphere(1)}, {Name: "flat", Soup: testmesh.Flip(testmesh.UnitCube(), 0)}}},
		{"empty", []Mesh{{}}},
		{"huge", []Mesh{{Soup: testmesh.Scale(testmesh.UnitCube(), 0x1p999)}}}, // its volume overflows
	} {
		s, err := New(t.Context(), clone(c.meshes), Options{Tolerance: .5})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text, err := json.Marshal(s.Report())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got struct {
			Names, Warnings *[]string
			Defects         *bool
			Solids          []struct {
				Diagnosis map[string]any
				Rule      string
				Method    string
				Tolerance float64
				Timings   map[string]float64
				Source    struct{ Format string }
			}
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, text)
		}
		if got.Warnings == nil || len(*got.Names) != len(c.meshes) || *got.Defects != s.Report().Defects {
			t.Errorf("%s: %s", c.name, text)
		}
		for i, r := range got.Solids {
			want := s.Solid(i).Report()
			d := r.Diagnosis
			if d["triangles"] != float64(want.Diagnosis.Triangles) || d["zeroBoundary"] != want.Diagnosis.ZeroBoundary ||
				r.Rule != want.Rule.String() || r.Method != want.Method.String() || r.Tolerance != .5 {
				t.Errorf("%s: solid %d: %s", c.name, i, text)
			}
			volume, ok := d["volume"].(float64)
			if finite := !math.IsInf(want.Diagnosis.Volume, 0); ok != finite || ok && volume != want.Diagnosis.Volume {
				t.Errorf("%s: volume %v, want %v", c.name, d["volume"], want.Diagnosis.Volume)
			}
			if _, ok := d["box"].(map[string]any); ok != (want.Diagnosis.Triangles > 0) {
				t.Errorf("%s: box %v", c.name, d["box"])
			}
		}
		if strings.Contains(string(text), `"Names"`) || strings.Contains(string(text), `"X"`) {
			t.Errorf("%s: a name begins with an upper-case letter: %s", c.name, text)
		}
	}
}

// Opening and reports tell their first stage at once.
func TestStages(t *testing.T) {
	first := map[string]string{}
	watch := func(name string) func(string, int64, int64) {
		return func(stage string, _, _ int64) {
			if first[name] == "" {
				first[name] = stage
			}
		}
	}
	s, err := New(t.Context(), clone(cases[len(cases)-1].meshes), Options{Progress: watch("weld")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), "a.obj", []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), Options{Progress: watch("load")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReportWith(t.Context(), watch("diagnose")); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"weld", "load", "diagnose"} {
		if first[stage] != stage {
			t.Errorf("first stage %q, want %q", first[stage], stage)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.ReportWith(ctx, nil); CodeOf(err) != Canceled {
		t.Errorf("canceled report: %v", err)
	}
}

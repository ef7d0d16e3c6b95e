package assembly_test

import (
	"archive/zip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func names(parts []assembly.Part) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Name)
	}
	return out
}

func body(name string, first, count int32) mesh.Body {
	return mesh.Body{Name: name, First: first, Count: count}
}

func TestSplitNames(t *testing.T) {
	cube := testmesh.UnitCube()
	cubes := testmesh.Union(cube, cube, cube)
	for _, c := range []struct {
		what, name string
		bodies     []mesh.Body
		want       []string
	}{
		{"no body", "part", nil, []string{"part"}},
		{"nothing has a name", "", nil, []string{"body_1"}},
		{"one body", "part", []mesh.Body{body("lid", 0, 36)}, []string{"part"}},
		{"one body, no file", "", []mesh.Body{body("lid", 0, 36)}, []string{"lid"}},
		{"three bodies", "part", []mesh.Body{body("lid", 0, 12), body("", 12, 12), body("pin", 24, 12)}, []string{"part/lid", "part/body_2", "part/pin"}},
		{"three bodies, no file", "", []mesh.Body{body("lid", 0, 12), body("", 12, 12), body("pin", 24, 12)}, []string{"lid", "body_2", "pin"}},
		{"the same names", "a", []mesh.Body{body("x", 0, 12), body("x", 12, 12), body("x_2", 24, 12)}, []string{"a/x", "a/x_3", "a/x_2"}},
		{"rest", "a", []mesh.Body{body("x", 12, 12)}, []string{"a/x", "a/rest"}},
		{"rest is taken", "a", []mesh.Body{body("rest", 12, 12)}, []string{"a/rest", "a/rest_2"}},
		{"empty body", "a", []mesh.Body{body("x", 0, 36), body("y", 36, 0)}, []string{"a/x", "a/y"}},
		{"one empty body", "a", []mesh.Body{body("x", 5, 0)}, []string{"a/x", "a/rest"}},
		{"bodies that overlap", "a", []mesh.Body{body("x", 0, 24), body("y", 12, 24)}, []string{"a/x", "a/y"}},
	} {
		s := testmesh.Union(cubes)
		s.Bodies = c.bodies
		m := testmesh.Mesh(s)
		parts, err := assembly.Split(t.Context(), c.name, m)
		if err != nil || !slices.Equal(names(parts), c.want) {
			t.Errorf("%s: %q, want %q, error %v", c.what, names(parts), c.want, err)
			continue
		}
		if len(parts) == 1 {
			if parts[0].Mesh != m || parts[0].Faces != nil {
				t.Errorf("%s: another mesh", c.what)
			}
			continue
		}
		for i, p := range parts {
			if p.Mesh.NumFaces() != len(p.Faces) || i < len(c.bodies) && len(p.Faces) != int(c.bodies[i].Count) {
				t.Errorf("%s: part %d has %d faces, %d numbers", c.what, i, p.Mesh.NumFaces(), len(p.Faces))
			}
		}
		newAssembly(t, inpoly.Options{}, parts)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := assembly.Split(ended, "a", testmesh.Mesh(cubes)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestNames(t *testing.T) {
	m := testmesh.Mesh(testmesh.UnitCube())
	var parts []assembly.Part
	for _, name := range []string{"a", "", "a", "a_2", "body_2", "", "a"} {
		parts = append(parts, assembly.Part{Name: name, Mesh: m})
	}
	a := newAssembly(t, inpoly.Options{}, parts)
	want := []string{"a", "body_2_2", "a_3", "a_2", "body_2", "body_6", "a_4"}
	for i, w := range want {
		if a.Name(i) != w {
			t.Errorf("part %d (%q) is %q, want %q", i, parts[i].Name, a.Name(i), w)
		}
	}
	r := a.Report()
	if !slices.Equal(r.Names, want) || len(r.Solids) != len(want) || r.Defects() || len(r.Warnings()) > 0 {
		t.Errorf("report %q, defects: %v, warnings %q", r.Names, r.Defects(), r.Warnings())
	}
}

// Errors and warnings contain the name of the solid.
func TestMessages(t *testing.T) {
	cube, open := testmesh.Mesh(testmesh.UnitCube()), testmesh.Mesh(testmesh.Hemisphere(2))
	tooFine := inpoly.Options{Epsilon: 8e-16, Workers: 8} // Epsilon is too small for the open mesh
	for _, c := range []struct {
		opt   inpoly.Options
		parts []assembly.Part
		want  string
	}{
		{tooFine, []assembly.Part{{Name: "ok", Mesh: cube}, {Name: "bowl", Mesh: open}, {Name: "plate", Mesh: open}}, "bowl: epsilon is too small: "},
		{inpoly.Options{}, []assembly.Part{{Name: "ok", Mesh: cube}, {Name: "none"}}, "none: mesh is nil"},
		{tooFine, []assembly.Part{{Name: "ok", Mesh: cube}, {Mesh: open}}, "body_2: epsilon is too small: "},
		{inpoly.Options{Epsilon: 8e-16}, slices.Repeat([]assembly.Part{{Mesh: cube}}, 9), "epsilon is too small: "},
		{inpoly.Options{}, []assembly.Part{{Name: "lid", Mesh: cube, Faces: []int32{1, 2}}}, "lid: Part.Faces has 2 elements, but the mesh has 12 faces"},
		{inpoly.Options{Tolerance: -1}, nil, "option out of range: tolerance -1: must"},
	} {
		if _, err := assembly.New(t.Context(), c.parts, assembly.Options{Options: c.opt}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error %v, want %q …", err, c.want)
		}
	}
	// The error names the first part that fails. The order in which parts are built has no effect.
	many := slices.Repeat([]assembly.Part{{Name: "bowl", Mesh: open}}, 40)
	many[0] = assembly.Part{Name: "ok", Mesh: cube}
	for range 20 {
		if _, err := assembly.New(t.Context(), many, assembly.Options{Options: tooFine}); err == nil || !strings.HasPrefix(err.Error(), "bowl: ") {
			t.Errorf("error %v, want the error of the second part", err)
		}
	}
	r := newAssembly(t, inpoly.Options{}, []assembly.Part{{Name: "lid", Mesh: cube}, {Name: "bowl", Mesh: open}}).Report()
	if w := r.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "bowl: the mesh is not closed: 16 open edges") || !r.Defects() {
		t.Errorf("warnings %q, defects: %v", w, r.Defects())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := assembly.New(ended, partsOf(box(0, 0, 0, 1), box(0, 0, 0, 1), box(0, 0, 0, 1)), assembly.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestPanics(t *testing.T) {
	a := newAssembly(t, inpoly.Options{}, partsOf(box(0, 0, 0, 1), box(1, 0, 0, 1)))
	pts, two := make([]r3.Vector, 3), make([]int32, 2)
	three := make([]int32, 3)
	for name, f := range map[string]func(){
		"SidesTo":   func() { _ = a.SidesTo(t.Context(), make([]inpoly.Side, 2), pts) },
		"BodiesTo":  func() { _ = bodiesTo(a, t.Context(), two, assembly.First, pts) },
		"no choice": func() { _ = bodiesTo(a, t.Context(), three, 99, pts) },
		"Body":      func() { a.Body(r3.Vector{}, 99) },
		"FileFace":  func() { a.FileFace(0, 12) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func TestParseChoice(t *testing.T) {
	for _, c := range []assembly.Choice{assembly.First, assembly.Innermost, assembly.Count} {
		if got, err := assembly.ParseChoice(strings.ToUpper(c.String())); got != c || err != nil {
			t.Errorf("%v: %v, error %v", c, got, err)
		}
	}
	if _, err := assembly.ParseChoice("last"); err == nil || !strings.Contains(err.Error(), "first, innermost, count") {
		t.Errorf("error %v", err)
	}
	if s := assembly.Choice(9).String(); s != "Choice(9)" {
		t.Errorf("%q", s)
	}
}

// objText returns an OBJ text with a unit cube for each name, in a group of that name. A cube with
// an empty name has no group line.
func objText(names ...string) string {
	var out strings.Builder
	for k, name := range names {
		if name != "" {
			fmt.Fprintf(&out, "g %s\n", name)
		}
		s := box(float64(2*k), 0, 0, 1)
		for _, p := range s.Vertices {
			fmt.Fprintf(&out, "v %g %g %g\n", p.X, p.Y, p.Z)
		}
		for _, f := range s.Faces {
			fmt.Fprintf(&out, "f %d %d %d\n", f[0]+int32(8*k)+1, f[1]+int32(8*k)+1, f[2]+int32(8*k)+1)
		}
	}
	return out.String()
}

// stlText returns the cubes of objText as solids of an ASCII STL.
func stlText(names ...string) string {
	var out strings.Builder
	for k, name := range names {
		fmt.Fprintf(&out, "solid %s\n", name)
		m := testmesh.Mesh(box(float64(2*k), 0, 0, 1))
		for f := range m.Faces {
			out.WriteString("facet normal 0 0 0\nouter loop\n")
			for _, p := range m.Triangle(int32(f)) {
				fmt.Fprintf(&out, "vertex %g %g %g\n", p.X, p.Y, p.Z)
			}
			out.WriteString("endloop\nendfacet\n")
		}
		fmt.Fprintf(&out, "endsolid %s\n", name)
	}
	return out.String()
}

// gltfText returns the cubes of objText as glTF nodes that share one mesh.
func gltfText(names ...string) string {
	s := testmesh.UnitCube()
	var data []byte
	for _, p := range s.Vertices {
		data, _ = binary.Append(data, binary.LittleEndian, [3]float32{float32(p.X), float32(p.Y), float32(p.Z)})
	}
	for _, f := range s.Faces {
		data, _ = binary.Append(data, binary.LittleEndian, [3]uint16{uint16(f[0]), uint16(f[1]), uint16(f[2])})
	}
	var nodes, scene []string
	for k, name := range names {
		nodes = append(nodes, fmt.Sprintf(`{"mesh":0,"name":%q,"translation":[%d,0,0]}`, name, 2*k))
		scene = append(scene, fmt.Sprint(k))
	}
	return fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":168,"uri":"data:application/octet-stream;base64,%s"}],`+
		`"bufferViews":[{"buffer":0,"byteLength":96},{"buffer":0,"byteOffset":96,"byteLength":72}],`+
		`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":8},{"bufferView":1,"componentType":5123,"type":"SCALAR","count":36}],`+
		`"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"scenes":[{"nodes":[%s]}],"nodes":[%s]}`,
		base64.StdEncoding.EncodeToString(data), strings.Join(scene, ","), strings.Join(nodes, ","))
}

// threeMF returns the cubes of objText as build items of a 3MF file, in millimeters.
func threeMF(t *testing.T, names ...string) string {
	var model, build strings.Builder
	model.WriteString(`<?xml version="1.0"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>`)
	s := testmesh.UnitCube()
	for k, name := range names {
		fmt.Fprintf(&model, `<object id="%d" name="%s"><mesh><vertices>`, k+1, name)
		for _, p := range s.Vertices {
			fmt.Fprintf(&model, `<vertex x="%g" y="%g" z="%g"/>`, p.X, p.Y, p.Z)
		}
		model.WriteString(`</vertices><triangles>`)
		for _, f := range s.Faces {
			fmt.Fprintf(&model, `<triangle v1="%d" v2="%d" v3="%d"/>`, f[0], f[1], f[2])
		}
		model.WriteString(`</triangles></mesh></object>`)
		fmt.Fprintf(&build, `<item objectid="%d" transform="1 0 0 0 1 0 0 0 1 %d 0 0"/>`, k+1, 2*k)
	}
	fmt.Fprintf(&model, `</resources><build>%s</build></model>`, build.String())
	var out strings.Builder
	z := zip.NewWriter(&out)
	for _, part := range [][2]string{
		{"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model"/></Relationships>`},
		{"3D/3dmodel.model", model.String()},
	} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = w.Write([]byte(part[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func writeFile(t *testing.T, path, data string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// With SplitBodies, bodies of all formats become solids.
func TestOpenBodies(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		file, data string
		want       []string
	}{
		{"a.obj", objText("lid", "pin", "lid"), []string{"a/lid", "a/pin", "a/lid_2"}},
		{"free.obj", objText("", "pin"), []string{"free/body_1", "free/pin"}},
		{"one.obj", objText("pin"), []string{"one"}},
		{"b.stl", stlText("lid", "", "pin"), []string{"b/lid", "b/body_2", "b/pin"}},
		{"c.gltf", gltfText("lid", "pin", "pin"), []string{"c/lid", "c/pin", "c/pin_2"}},
		{"d.3mf", threeMF(t, "lid", "pin"), []string{"d/lid", "d/pin"}},
	} {
		path := writeFile(t, filepath.Join(dir, c.file), c.data)
		a, err := assembly.Open(t.Context(), []string{path}, assembly.Options{SplitBodies: true})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		r := a.Report()
		if !slices.Equal(r.Names, c.want) || r.Defects() {
			t.Errorf("%s: solids %q, want %q, warnings %q", c.file, r.Names, c.want, r.Warnings())
			continue
		}
		for k := range c.want {
			if got := a.Body(r3.Vector{X: float64(2*k) + 0.5, Y: 0.5, Z: 0.5}, assembly.First); got != int32(k) {
				t.Errorf("%s: body %d in the middle of %q", c.file, got, c.want[k])
			}
			if f := a.FileFace(k, 5); f != int32(12*k+5) {
				t.Errorf("%s: face 5 of %q is face %d of the file", c.file, c.want[k], f)
			}
			if r.Solids[k].Source.Bytes == 0 {
				t.Errorf("%s: the report on %q does not describe the file", c.file, c.want[k])
			}
		}
		whole, err := assembly.Open(t.Context(), []string{path}, assembly.Options{})
		if err != nil || whole.Len() != 1 || whole.Solid(0).Mesh().NumFaces() != 12*len(c.want) {
			t.Errorf("%s: %d solids, error %v", c.file, whole.Len(), err)
		}
	}
}

// Open reads several files, and some have equal names. Errors name the bad file.
func TestOpenAssembly(t *testing.T) {
	dir, sub := t.TempDir(), t.TempDir()
	paths := []string{
		writeFile(t, filepath.Join(dir, "part.obj"), objText("lid", "pin")),
		writeFile(t, filepath.Join(sub, "part.v2.stl"), stlText("x")),
		writeFile(t, filepath.Join(sub, "part.stl"), stlText("x")),
	}
	var calls, last atomic.Int64
	opt := inpoly.Options{Progress: func(stage string, done, total int64) {
		if stage == "build" {
			calls.Add(1)
			if done < last.Load() || total != 3 {
				t.Errorf("stage %s: %d of %d, after %d before", stage, done, total, last.Load())
			}
			last.Store(done)
		}
	}}
	a, err := assembly.Open(t.Context(), paths, assembly.Options{Options: opt})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"part", "part.v2", "part_2"}; !slices.Equal(a.Report().Names, want) {
		t.Errorf("solids %q, want %q", a.Report().Names, want)
	}
	if calls.Load() != 4 || last.Load() != 3 {
		t.Errorf("%d calls of Progress, the last for %d solids", calls.Load(), last.Load())
	}
	if tm := a.Report().Timings; tm.Load <= 0 || tm.Weld <= 0 || tm.Diagnose <= 0 || tm.Build <= 0 {
		t.Errorf("timings %+v", tm)
	}
	b, err := assembly.Open(t.Context(), paths, assembly.Options{SplitBodies: true})
	if want := []string{"part/lid", "part/pin", "part.v2", "part"}; err != nil || !slices.Equal(b.Report().Names, want) {
		t.Errorf("solids %q, want %q, error %v", b.Report().Names, want, err)
	}
	bad := writeFile(t, filepath.Join(dir, "bad.obj"), "v 0 0 0\nf 1 2 3\n")
	if _, err := assembly.Open(t.Context(), append(paths, bad), assembly.Options{SplitBodies: true}); err == nil || !strings.Contains(err.Error(), "bad.obj: line 2") {
		t.Errorf("error %v does not name the file and line", err)
	}
	huge := writeFile(t, filepath.Join(dir, "huge.obj"), objText("ok")+"g far\nv 1e305 0 0\nf 1 2 9\n")
	if _, err := assembly.Open(t.Context(), []string{paths[0], huge}, assembly.Options{SplitBodies: true}); err == nil || !errors.Is(err, mesh.ErrTooLarge) || !strings.Contains(err.Error(), "huge") {
		t.Errorf("error %v does not name the solid", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := assembly.Open(ended, paths, assembly.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// New reports no progress without parts, because there is no solid to build.
func TestNoPartsReportNoProgress(t *testing.T) {
	opt := inpoly.Options{Progress: func(stage string, done, total int64) {
		t.Errorf("stage %s: %d of %d, want no call", stage, done, total)
	}}
	if _, err := assembly.New(t.Context(), nil, assembly.Options{Options: opt}); err != nil {
		t.Error(err)
	}
}

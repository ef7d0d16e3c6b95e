package doors

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// source is a mesh file.
type source struct {
	path     string
	external bool       // the file refers to other files, so it cannot be read from memory
	refused  bool       // the file is no mesh
	mesh     *mesh.Mesh // nil if the file is refused
}

// corpusMeshes is the number of meshes from the corpus that are not refused.
func corpusMeshes() int {
	if testcorpus.Full() {
		return 40
	}
	return 20
}

// fromCorpus chooses meshes of all formats: closed and open, with and without misoriented edges, of
// one and of several components, small and large, and some that must be refused.
func fromCorpus(t *testing.T, r *rand.Rand) []source {
	dir, rows := testcorpus.Rows(t)
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	isMisoriented := func(row map[string]string) int { return count(row["consistent_orientation"] == "no") }
	slices.SortStableFunc(rows, func(a, b map[string]string) int { return isMisoriented(b) - isMisoriented(a) })
	kindOf := func(row map[string]string) string {
		if row["load_error"] != "" || row["triangles"] == "" {
			return "refused"
		}
		triangles, err := strconv.Atoi(row["triangles"])
		if err != nil {
			t.Fatalf("%s: %v", row["path"], err)
		}
		size := "small"
		if triangles >= 1000 {
			size = "medium"
		}
		if triangles >= 50_000 {
			size = "large"
		}
		return fmt.Sprint(row["watertight"], row["consistent_orientation"], row["components"] != "1", size)
	}
	formats := []string{"stl", "obj", "ply", "off", "gltf", "glb", "3mf"}
	taken := map[string]bool{} // formats and kinds, then paths
	var all []source
	found := map[string]int{}
	accepted, most := 0, corpusMeshes()
	for round := 0; accepted < most && round < most; round++ {
		for _, format := range formats {
			i := slices.IndexFunc(rows, func(row map[string]string) bool {
				return row["format"] == format && !taken[row["path"]] && !taken[format+kindOf(row)]
			})
			if i < 0 { // all kinds of this format are taken once: begin again
				i = slices.IndexFunc(rows, func(row map[string]string) bool {
					return row["format"] == format && !taken[row["path"]] && kindOf(row) != "refused"
				})
			}
			if i < 0 || accepted == most {
				continue
			}
			row := rows[i]
			taken[row["path"]], taken[format+kindOf(row)] = true, true
			s := load(t, filepath.Join(dir, filepath.FromSlash(row["path"])))
			all = append(all, s)
			accepted += count(!s.refused)
			found[row["format"]]++
			found["closed"] += count(row["watertight"] == "yes")
			found["open"] += count(row["watertight"] == "no")
			found["misoriented"] += count(row["consistent_orientation"] == "no")
			found["of several components"] += count(row["components"] != "1" && row["components"] != "")
			found["refused"] += count(s.refused)
		}
	}
	t.Logf("corpus: %d meshes: %v", len(all), found)
	for _, kind := range append(formats, "closed", "open", "misoriented", "of several components", "refused") {
		if found[kind] < 2 {
			t.Errorf("corpus: only %d meshes are %s", found[kind], kind)
		}
	}
	if accepted < most {
		t.Errorf("corpus: only %d meshes", accepted)
	}
	return all
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// load reads a mesh, and notes whether it needs other files.
func load(t *testing.T, path string) source {
	t.Helper()
	s := source{path: path}
	content, _, err := loaders.LoadContent(t.Context(), path, loaders.Options{})
	if err == nil {
		s.mesh, err = content.Mesh(t.Context(), mesh.Options{})
	}
	s.refused = err != nil
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = loaders.ReadContent(t.Context(), path, bytes.NewReader(data), loaders.Options{})
	s.external = err != nil && !s.refused
	return s
}

// generated writes meshes of most formats to dir.
func generated(t *testing.T, dir string) []source {
	sphere := testmesh.Soup(testmesh.Sphere(4))
	soups := map[string]mesh.Soup{
		"cube.obj":       testmesh.UnitCube(),
		"cavity.off":     testmesh.Nested(true),
		"overlap.obj":    testmesh.Overlapping(),
		"flipped.ply":    testmesh.Flip(sphere, 0, 10, 20, 30),
		"hole.stl":       testmesh.Without(sphere, 0, 1, 2, 3, 4, 5, 6, 7),
		"gaps.glb":       testmesh.Without(sphere, 0, 100, 200, 300),
		"Klein.off":      testmesh.Klein(12, 9),
		"Moebius.ply":    testmesh.Moebius(12),
		"star.glb":       testmesh.Star(4, 0.75, 1),
		"bodies.3mf":     testmesh.Copies(testmesh.Torus(2, 0.5, 24, 12), 5),
		"degenerate.obj": testmesh.WithDegenerate(testmesh.UnitCube(), 20, 1),
	}
	files := map[string][]byte{"refused.stl": []byte("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n")}
	for name, s := range soups {
		files[name] = encode(t, filepath.Ext(name), s)
	}
	for _, name := range []string{"knot.stl", "tasks/hall.obj", "tasks/open.stl"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	var all []source
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		s := load(t, path)
		if s.refused != (name == "refused.stl") {
			t.Fatalf("%s is refused, or is not refused", name)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b source) int { return bytes.Compare([]byte(a.path), []byte(b.path)) })
	return all
}

// encode returns the content of a mesh file with the given suffix. In OBJ files, each body, or each
// half of the faces, is a group.
func encode(t *testing.T, suffix string, s mesh.Soup) []byte {
	var out bytes.Buffer
	write := map[string]func(io.Writer, *mesh.Mesh) error{".stl": loaders.WriteSTL, ".ply": loaders.WritePLY, ".glb": loaders.WriteGLB}[suffix]
	switch {
	case write != nil:
		if err := write(&out, testmesh.Mesh(s)); err != nil {
			t.Fatal(err)
		}
	case suffix == ".obj":
		for _, v := range s.Vertices {
			fmt.Fprintf(&out, "v %v %v %v\n", v.X, v.Y, v.Z)
		}
		for i, f := range s.Faces {
			if i == 0 || i == len(s.Faces)/2 {
				fmt.Fprintf(&out, "g part%d\n", i)
			}
			fmt.Fprintf(&out, "f %d %d %d\n", f[0]+1, f[1]+1, f[2]+1)
		}
	case suffix == ".off":
		fmt.Fprintf(&out, "OFF\n%d %d 0\n", len(s.Vertices), len(s.Faces))
		for _, v := range s.Vertices {
			fmt.Fprintf(&out, "%v %v %v\n", v.X, v.Y, v.Z)
		}
		for _, f := range s.Faces {
			fmt.Fprintf(&out, "3 %d %d %d\n", f[0], f[1], f[2])
		}
	case suffix == ".3mf":
		encode3MF(t, &out, s)
	}
	return out.Bytes()
}

// encode3MF writes a package with s and with a copy of s that is moved.
func encode3MF(t *testing.T, w io.Writer, s mesh.Soup) {
	var model bytes.Buffer
	model.WriteString(`<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>` +
		`<object id="1" type="model"><mesh><vertices>`)
	for _, v := range s.Vertices {
		fmt.Fprintf(&model, `<vertex x="%v" y="%v" z="%v"/>`, v.X, v.Y, v.Z)
	}
	model.WriteString("</vertices><triangles>")
	for _, f := range s.Faces {
		fmt.Fprintf(&model, `<triangle v1="%d" v2="%d" v3="%d"/>`, f[0], f[1], f[2])
	}
	model.WriteString(`</triangles></mesh></object></resources><build><item objectid="1"/>` +
		`<item objectid="1" transform="1 0 0 0 1 0 0 0 1 0.5 0.25 0.125"/></build></model>`)
	z := zip.NewWriter(w)
	for name, text := range map[string]string{
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="r" Target="/3D/3dmodel.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>`,
		"3D/3dmodel.model": model.String(),
	} {
		f, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

package cli

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
)

// hostileWord has control sequences of terminals, controls of the writing direction, and bytes that
// are not UTF-8, but no white space. hostileName also has line ends.
const (
	hostileWord = "\x1b[2J\a\u009b31m\u202e\u2066\u200f\x7f\xff"
	hostileName = "a\ninpoly: all is well\r\x1b]0;t\a\u0085\u2028\u202eb\xff"
)

const (
	hostileCube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n" +
		"f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
	hostileCloud = "x,y,z\n0.5,0.5,0.5\n2,2,2\n"
)

// checkStream fails if a stream has a character that can change the display of a terminal, apart
// from the line ends of the program, or a line of the given name.
func checkStream(t *testing.T, args []string, stream, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q: %s is not UTF-8: %q", args, stream, text)
	}
	for _, r := range text {
		if r != '\n' && !strconv.IsPrint(r) {
			t.Errorf("%q: %s has %U: %q", args, stream, r, text)
			break
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "inpoly: all is well") {
			t.Errorf("%q: %s has a line of a file name: %q", args, stream, text)
		}
	}
	const most = 4 * 2100 // bytes of a line: 2000 of the text, each as up to four characters
	for line := range strings.Lines(text) {
		if len(line) > most {
			t.Errorf("%q: %s has a line of %d bytes", args, stream, len(line))
		}
	}
}

// hostileRuns counts the runs of a test, and the runs that print hostile text.
type hostileRuns struct{ all, printed int }

// run runs a command line and checks both streams.
func (r *hostileRuns) run(t *testing.T, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	Run(t.Context(), &term.Terminal{In: strings.NewReader(""), Out: &out, Err: &errs}, args)
	for i, a := range args { // a long value would fill the message of the test
		args[i] = a[:min(len(a), 100)]
	}
	checkStream(t, args, "standard output", out.String())
	checkStream(t, args, "standard error", errs.String())
	r.all++
	if text := out.String() + errs.String(); strings.Contains(text, `\x1b`) || strings.Contains(text, `\u001b`) || strings.Contains(text, `\u202e`) {
		r.printed++
	}
}

// check fails if fewer runs than expected print hostile text, because then the test checks nothing.
func (r *hostileRuns) check(t *testing.T, percent int) {
	t.Helper()
	t.Logf("%d of %d runs print hostile text", r.printed, r.all)
	if 100*r.printed < percent*r.all {
		t.Errorf("%d of %d runs print hostile text, expected %d %%", r.printed, r.all, percent)
	}
}

func hostileFile(t *testing.T, name, data string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("file names with these bytes need Linux")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func hostileZip(t *testing.T, parts ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// quoted returns s as a JSON string, with the bytes that are not UTF-8.
func quoted(s string) string {
	return `"` + strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}

// Text from meshes cannot control the terminal, whichever command reads the mesh.
func TestHostileMeshes(t *testing.T) {
	var seen hostileRuns
	w, long := hostileWord, hostileWord+strings.Repeat("7", 200_000)
	gltf := func(rest string) string { return `{"asset":{"version":"2.0"},` + rest + `}` }
	buffer := func(uri string) string {
		return gltf(`"buffers":[{"byteLength":36,"uri":` + quoted(uri) + `}],"bufferViews":[{"buffer":0,"byteLength":36}],` +
			`"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],` +
			`"nodes":[{"mesh":0,"name":` + quoted(w) + `}],"scenes":[{"nodes":[0]}]`)
	}
	xmlName := strings.Map(func(r rune) rune { // characters that XML permits
		if r < 0x20 || r == utf8.RuneError {
			return -1
		}
		return r
	}, hostileName)
	const core = `xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"`
	threeMF := func(target, model string) string {
		return hostileZip(t, "_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="`+target+
			`" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>`, "3D/m.model", model)
	}
	commands := [][]string{
		{"check", "MESH"}, {"check", "--format", "json", "MESH"}, {"explain", "MESH", "0.5,0.5,0.5"}, {"explain", "--json", "MESH", "0,0.5,0.5", "3,0,0"},
		{"MESH", "CLOUD", "--out", "OUT.csv", "--stats", "json"}, {"MESH", "CLOUD", "--out", "OUT.csv", "--body", "all"}, {"MESH", "CUBE", "CLOUD", "--out", "OUT.jsonl"},
		{"section", "MESH", "--z", "0.5"}, {"section", "MESH", "--every", "0.25", "--out", "OUT.svg", "--stats", "json"},
		{"measure", "MESH"}, {"measure", "--csv", "MESH"}, {"measure", "--json", "MESH"},
		{"view", "MESH", "CLOUD", "--pixels", "16", "--out", "OUT.html"}, {"voxels", "MESH", "--dims", "2,2,2", "--out", "OUT.npy", "--stats", "json"},
		{"blocks", "MESH", "CUBE", "--origin", "0,0,0", "--size", "0.7", "--counts", "2,2,2", "--out", "OUT.vti", "--json"}, {"blocks", "MESH", "--bodies", "--table", "CLOUD", "--size", "1", "--out", "OUT.csv", "-v"}, {"collide", "SCENE", "--out", "OUT.csv", "--stats", "json"},
	}
	for _, c := range []struct {
		name, file, data string
	}{
		{"file name", hostileName + ".obj", hostileCube},
		{"file name of an open mesh", hostileName + ".obj", strings.Replace(hostileCube, "f 1 3 4 2", "f 1 3 4", 1)},
		{"file name of an unknown format", hostileName, "?"},
		{"glTF URI", "a.gltf", buffer(w + ".bin")},
		{"glTF URI outside", "a.gltf", buffer("../" + hostileName)},
		{"glTF URI long", "a.gltf", buffer(long)},
		{"glTF URI scheme", "a.gltf", buffer(strings.Repeat("x", 200_000) + ":")},
		{"glTF data URI", "a.gltf", buffer("data:" + w + ";base64,AAAA" + w)},
		{"glTF version", "a.gltf", `{"asset":{"version":` + quoted(long) + `}}`},
		{"glTF version number", "a.gltf", `{"asset":{"version":[[` + quoted(long) + `]]}}`},
		{"glTF extension", "a.gltf", gltf(`"extensionsRequired":[` + quoted(w) + `],"extensionsUsed":[` + quoted(w) + `],"scenes":[{"nodes":[0]}],"nodes":[{"extensions":{` + quoted(w) + `:{}}}]`)},
		{"glTF number", "a.gltf", gltf(`"scene":` + strings.Repeat("7", 200_000))},
		{"glTF type", "a.gltf", gltf(`"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":` + quoted(w) + `}]`)},
		{"glTF syntax", "a.gltf", gltf(`"scene":` + w)},
		{"3MF target", "a.3mf", threeMF(xmlName+".model", "")},
		{"3MF namespace", "a.3mf", threeMF("3D/m.model", `<model `+core+` xmlns:p="`+xmlName+`" requiredextensions="p"/>`)},
		{"3MF prefix", "a.3mf", threeMF("3D/m.model", `<model `+core+` requiredextensions="`+xmlName+`"/>`)},
		{"3MF unit", "a.3mf", threeMF("3D/m.model", `<model `+core+` unit="`+xmlName+`"/>`)},
		{"3MF id", "a.3mf", threeMF("3D/m.model", `<model `+core+`><resources><object id="`+xmlName+`"/></resources></model>`)},
		{"3MF number", "a.3mf", threeMF("3D/m.model", `<model `+core+`><resources><object id="1"><mesh><vertices><vertex x="`+xmlName+`" y="0" z="0"/></vertices></mesh></object></resources></model>`)},
		{"3MF path", "a.3mf", threeMF("3D/m.model", `<model `+core+` xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"><resources/><build><item objectid="1" p:path="/`+xmlName+`"/></build></model>`)},
		{"3MF syntax", "a.3mf", threeMF("3D/m.model", "<model "+hostileName+"=")},
		{"3MF encoding", "a.3mf", threeMF("3D/m.model", `<?xml version="1.0" encoding="`+xmlName+`"?><model `+core+`/>`)},
		{"PLY header word", "a.ply", "ply\nformat ascii 1.0\n" + long + " x\nend_header\n"},
		{"PLY format", "a.ply", "ply\nformat " + w + " 1.0\nend_header\n"},
		{"PLY property type", "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty " + w + " x\nend_header\n"},
		{"PLY element", "a.ply", "ply\nformat ascii 1.0\nelement " + w + " 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 2\n"},
		{"PLY value", "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 " + w + " 0\n"},
		{"OBJ object and group", "a.obj", "o " + w + "\ng " + w + "\nusemtl " + w + "\n" + hostileCube},
		{"OBJ statement", "a.obj", w + " 1\n"},
		{"OBJ unknown statement", "a.obj", hostileCube + w + " 1\n"},
		{"OBJ number", "a.obj", "v 0 0 " + long + "\n"},
		{"OBJ index", "a.obj", "v 0 0 0\nf 1 1 " + w + "\n"},
		{"OBJ call", "a.obj", "v 0 0 0\ncall " + w + "\n"},
		{"STL name", "a.stl", "solid " + w + "\nendsolid " + w + "\n"},
		{"STL word", "a.stl", "solid a\nfacet " + w + "\n"},
		{"STL number", "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 " + long + "\n"},
		{"STL header", "a.stl", fmt.Sprintf("%-80s\x01\x00\x00\x00", w)},
		{"OFF count", "a.off", "OFF\n" + w + " 1 1\n"},
		{"OFF end", "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n" + w + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := hostileFile(t, c.file, c.data)
			dir := filepath.Dir(path)
			cloud, cube := hostileFile(t, "p.csv", hostileCloud), hostileFile(t, "cube.obj", hostileCube)
			scene := filepath.Join(dir, "scene.json")
			if err := os.WriteFile(scene, []byte(`{"bodies":[{"mesh":`+quoted(c.file)+`},{"mesh":`+quoted(c.file)+`,"name":`+quoted(w)+`}]}`), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, args := range commands {
				args = append([]string{}, args...)
				for i := range args {
					args[i] = strings.NewReplacer("MESH", path, "CLOUD", cloud, "CUBE", cube, "SCENE", scene, "OUT", filepath.Join(dir, "out")).Replace(args[i])
				}
				seen.run(t, args...)
			}
		})
	}
	seen.check(t, 50)
}

// Text from point files cannot control the terminal.
func TestHostilePoints(t *testing.T) {
	var seen hostileRuns
	w, long := hostileWord, hostileWord+strings.Repeat("7", 200_000)
	plyHead := "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\nproperty double " + w + "\n"
	for _, c := range []struct {
		name, file, data string
		args             []string
	}{
		{"file name", hostileName + ".csv", hostileCloud, nil},
		{"file name without points", hostileName + ".csv", "x,y,z\n", nil},
		{"suffix of the output", "a.csv", hostileCloud, []string{"--out", "OUT" + w + ".las"}},
		{"missing folder", "a.csv", hostileCloud, []string{"--out", "OUT" + hostileName + "/a.csv"}},
		{"CSV header", "a.csv", w + ",x," + w + ",y\n1,2,3,4\n", nil},
		{"CSV header long", "a.csv", long + ",x,b,y\n1,2,3,4\n", nil},
		{"CSV columns", "a.csv", "x,y,z," + w + "\n1,2,3,4\n", []string{"--columns", "x,y," + w + "?"}},
		{"CSV text", "a.csv", "x,y,z," + w + "\n1,2,3,4\n", []string{"--text", w + "?"}},
		{"CSV coordinates", "a.csv", w + "," + w + "2," + w + "3\n1,2,3\n4,5,q\n", []string{"--columns", w + "," + w + "2," + w + "3"}},
		{"CSV cell", "a.csv", "x,y,z\n1,2," + w + "\n3,4," + w + "\n", nil},
		{"CSV quoted header", "a.csv", "x,y,z,\"" + hostileName + "\"\n1,2,3," + w + "\n", []string{"--format", "npy"}},
		{"CSV long cell", "a.csv", "x,y,z\n1,2,3\n1,2," + long + "\n", nil},
		{"CSV number for LAS", "a.csv", "x,y,z," + w + "\n1,2,3," + strings.Repeat("7", 200_000) + "\n", []string{"--format", "las"}},
		{"CSV names for LAS", "a.csv", "x,y,z," + w + "\n1,2,3,4\n2,3,4," + w + "\n", []string{"--format", "las"}},
		{"CSV names for PLY", "a.csv", "x,y,z," + w + "\n1,2,3,4\n2,3,4," + w + "\n", []string{"--format", "ply"}},
		{"CSV short row", "a.csv", "x,y,z\n1,2,3\n" + w + ",2\n", nil},
		{"CSV comment", "a.csv", "#" + w + "\nx,y,z\n1,2,3\n#1,2," + w + "\n#1,2,4\n", nil},
		{"text", "a.csv", w + "\n" + w, nil},
		{"PLY property", "a.ply", plyHead + "end_header\n1 2 3 " + w + "\n", []string{"--format", "csv"}},
		{"PLY columns", "a.ply", plyHead + "end_header\n1 2 3 4\n", []string{"--columns", "x,y," + w + "?"}},
		{"PLY list", "a.ply", plyHead + "property list uchar int " + w + "2\nend_header\n1 2 3 4 1 1\n", []string{"--format", "npy"}},
		{"PLY word", "a.ply", plyHead + w + "\nend_header\n1 2 3 4\n", nil},
		{"NPY header", "a.npy", "\x93NUMPY\x01\x00\x60\x00" + fmt.Sprintf("%-96s", "{'descr': '"+w+"', 'fortran_order': False, 'shape': (1, 3), }"), nil},
		{"NPY dict", "a.npy", "\x93NUMPY\x01\x00\x60\x00" + fmt.Sprintf("%-96s", "{'"+w+"'}"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, cube := hostileFile(t, c.file, c.data), hostileFile(t, "cube.obj", hostileCube)
			extra := append([]string{}, c.args...)
			for i := range extra {
				extra[i] = strings.ReplaceAll(extra[i], "OUT", filepath.Join(t.TempDir(), "o"))
			}
			if len(extra) == 0 || extra[0] != "--out" {
				extra = append(extra, "--out", filepath.Join(t.TempDir(), "out"))
			}
			seen.run(t, append([]string{cube, path, "--stats", "json"}, extra...)...)
			seen.run(t, "view", cube, path, "--pixels", "16", "--out", filepath.Join(t.TempDir(), "v.html"))
			seen.run(t, append([]string{"blocks", cube, "--table", path, "--json"}, extra...)...)
			seen.run(t, append([]string{"blocks", cube, "--table", path, "--size", "1", "-v"}, extra...)...)
			seen.run(t, "blocks", cube, "--table", path, "--size", "1", "--dry-run", "--json")
		})
	}
	seen.check(t, 60)
}

// Names of columns cannot control the terminal after a conversion to another format.
func TestHostileColumns(t *testing.T) {
	var seen hostileRuns
	word := strings.ToValidUTF8(hostileWord, "")
	source, cube := hostileFile(t, "p.csv", "x,y,z,"+word+"\n1,2,3,4\n2,3,4,5\n"), hostileFile(t, "cube.obj", hostileCube)
	for _, f := range formats.Outputs() {
		if f.Nameless {
			continue
		}
		path := filepath.Join(t.TempDir(), "a."+f.Written[0])
		seen.run(t, cube, source, "--out", path)
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		seen.run(t, cube, path, "--out", out, "--columns", "x,y,"+word)
		seen.run(t, cube, path, "--out", out, "--columns", "x,y,none")
		seen.run(t, cube, path, "--out", out, "--columns", word+","+word+",x")
		seen.run(t, cube, path, "--out", out, "--text", word)
		seen.run(t, "view", cube, path, "--columns", "none,y,z", "--out", out+".html")
	}
	seen.check(t, 50)
}

// Text from scenes, tables of poses and manifests cannot control the terminal.
func TestHostileScenesAndManifests(t *testing.T) {
	var seen hostileRuns
	q, name, number := quoted(hostileWord), quoted(hostileName), strings.Repeat("7", 200_000)
	for _, scene := range []string{
		`{"bodies":[{` + q + `:1}]}`, `{` + name + `:1}`, `{"bodies":[{"mesh":` + name + `}]}`, `{"bodies":[{"mesh":"c.obj","name":` + q + `},{"mesh":"c.obj","name":` + q + `}]}`,
		`{"bodies":[{"mesh":"c.obj","poses":` + name + `}]}`, `{"bodies":[{"mesh":"c.obj","poses":"p.csv"},{"mesh":"c.obj","name":` + name + `}]}`, `{"bodies":[{"mesh":"c.obj","poses":"q.csv"}]}`,
		`{"bodies":[{"mesh":"c.obj","poses":"r.csv"}]}`, `{"bodies":[{"mesh":"c.obj","name":` + q + `,"poses":[[0,0,0,0,9,9,9,9]]}]}`, `{"bodies":[{"mesh":[` + q + `]}]}`, `{"bodies":` + number + `}`,
		`{"bodies":[{"mesh":"c.obj","poses":[[` + number + `,0,0,0]]}]}`, hostileName, `{"bodies":[{"mesh":"c.obj"}]}` + hostileName,
	} {
		path := hostileFile(t, hostileName+".json", scene)
		for file, data := range map[string]string{"c.obj": hostileCube, "p.csv": "time,x,y,z," + hostileWord + "\n0,0,0,0,1\n", "q.csv": "time,x,y," + hostileWord + "\n0,0,0,0\n", "r.csv": "time,x,y,z\n0,0,0," + hostileWord + number + "\n"} {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), file), []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		seen.run(t, "collide", path, "--out", filepath.Join(t.TempDir(), "o.csv"), "--stats", "json")
	}
	shard := func(head string) []merge.Shard {
		return []merge.Shard{{File: hostileWord, Bytes: int64(len(head))}}
	}
	for _, m := range []merge.Manifest{
		{Kind: hostileWord}, {Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName}}}, {Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName, Ext: hostileWord, Shards: shard("")}}},
		{Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName, Format: "text", Shards: shard("ab")}}},
		{Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName, Format: hostileWord, Shards: append(shard(""), shard("")...)}}},
		{Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName, Format: hostileWord, Shards: shard("")}, {Path: hostileName, Format: "csv", Shards: shard("")}}},
		{Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName, Format: "csv", Head: []byte(hostileWord + number + "\n"), Shards: shard("")}, {Path: hostileWord, Format: "csv", Head: []byte(hostileName + number), Shards: shard("")}}},
		{Kind: merge.Kind, Inputs: []merge.Input{{Path: hostileName, Shards: []merge.Shard{{File: hostileName + "/" + hostileName}}}}},
	} {
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		path := hostileFile(t, hostileName+".json", string(data))
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), strings.ToValidUTF8(hostileWord, "\ufffd")), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, extra := range [][]string{{"--out", filepath.Join(t.TempDir(), "o"+hostileName)}, {"--out-dir", filepath.Join(t.TempDir(), hostileName)}} {
			seen.run(t, append([]string{"merge", path}, extra...)...)
		}
	}
	seen.check(t, 80)
}

// Values of flags and arguments cannot control the terminal.
func TestHostileArguments(t *testing.T) {
	var seen hostileRuns
	cube, cloud := hostileFile(t, "cube.obj", hostileCube), hostileFile(t, "p.csv", hostileCloud)
	for _, c := range newCommandLine(&term.Terminal{}).commands {
		name, files := []string{c.Name()}, []string{cube}
		switch c.Name() {
		case "inpoly":
			name, files = nil, []string{cube, cloud}
		case "explain":
			files = []string{cube, "0,0,0"}
		case "blocks":
			files = []string{cube, "--origin", "0,0,0", "--size", "1", "--counts", "2,2,2"}
		}
		for _, value := range []string{hostileName, hostileWord + strings.Repeat("7", 200_000), "1," + hostileName + ",2"} {
			lists := [][]string{{value}, {value, value}, {value, cloud}, {"--" + value}, {"-" + value}, append(files, value)}
			c.Flags().VisitAll(func(f *pflag.Flag) { lists = append(lists, append(files, "--"+f.Name+"="+value)) })
			for _, list := range lists {
				t.Chdir(t.TempDir())
				seen.run(t, append(append([]string{}, name...), list...)...)
			}
		}
	}
	seen.run(t, "help", hostileName)
	seen.check(t, 70)
}

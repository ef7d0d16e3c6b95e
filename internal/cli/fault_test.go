package cli

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/formats"
)

// faultCase is a command that the test runs with a failing file system. The arguments are the words
// of the command line. Each name of a file in files is an input. Outputs are in the folder out.
type faultCase struct {
	command string
	resume  bool
}

// faultCases contains every command that writes a file, with every output format, and commands that
// read each kind of input.
func faultCases() (list []faultCase) {
	outputs := formats.Outputs()
	inputs := []string{"p.csv.gz"}
	for _, f := range outputs {
		inputs = append(inputs, "p."+f.Written[0])
	}
	for _, in := range inputs {
		for _, f := range outputs {
			ext := f.Written[0]
			list = append(list, faultCase{command: "cube.stl " + in + " --out out/a." + ext})
			if in != "p.csv" && in != "p.npy" && in != "p.laz" {
				continue
			}
			list = append(list, faultCase{command: "cube.stl " + in + " --keep inside --out out/a." + ext})
			if !f.Footer {
				list = append(list, faultCase{command: "cube.stl " + in + " --resume --out out/a." + ext, resume: true},
					faultCase{command: "cube.stl " + in + " --keep inside --resume --out out/a." + ext, resume: true})
			}
		}
	}
	for _, command := range []string{
		"cube.stl p.csv",
		"cube.stl p.csv --verify 1 --out out/a.csv",
		"cube.stl p.csv --format npy --keep inside", // needs a temporary file
		"cube.stl p.ply --keep inside",
		"cube.stl p.laz --keep inside",      // needs a temporary file
		"cube.stl p.laz.gz --out out/a.las", // needs another one for the input
		"cube.stl p.laz --keep inside --trust-copc --out out/a.laz",
		"cube.stl p.laz --keep inside --trust-copc",
		"cube.stl p.laz --shard 1/1 --out out/a.laz",
		"cube.obj cube.gltf p.csv --body all --out out/a.csv",
		"cube.stl.gz p.csv --winding --out out/a.csv",
		"cube.3mf p.csv --distance --nearest --out out/a.csv",
		"cube.stl p.csv --shard 2/3 --out out/a.csv",
		"check cube.gltf",
		"check cube.3mf --format json",
		"explain cube.stl 0.5,0.5,0.5",
		"view cube.stl p.csv --out out/a.html",
		"view cube.stl p.csv --slice z=0.5 --pixels 16 --out out/a.png",
		"view cube.stl p.csv --slice z=0.5 --pixels 16 --out out/a.html",
		"voxels cube.stl --dims 3,4,5 --out out/a.npy",
		"voxels cube.stl --dims 3,4,5 --out out/a.vti",
		"voxels cube.stl --dims 3,4,5 --out out/a.raw",
		"voxels cube.stl --dims 3,4,5 --winding --out out/a.raw.gz",
		"blocks cube.stl --origin -0.3,0,0 --size 0.5,1,0.4 --counts 4,2,3 --out out/a.csv",
		"blocks cube.stl --origin -0.3,0,0 --size 0.5,1,0.4 --counts 4,2,3 --out out/a.vti",
		"blocks cube.stl cube.obj --origin -0.3,0,0 --size 0.5,1,0.4 --counts 4,2,3 --sub-levels 1 --out out/a.vtu",
		"blocks cube.stl --origin -0.3,0,0 --size 0.5,1,0.4 --counts 4,2,3 --rotation 30 --format vtu",
		"blocks cube.stl --table p.csv --size 0.1 --out out/a.csv",
		"blocks cube.stl --table p.parquet --size 0.1 --out out/a.parquet",
		"blocks cube.stl --table model.csv --dry-run",
		"section cube.stl --z 0.5 --out out/a.svg",
		"section cube.stl --every 0.5 --out out/a.geojson",
		"section cube.stl --every 0.5 --split --out out/a.svg",
		"section cube.stl --x 0.5",
		"measure cube.stl",
		"measure cube.3mf --json",
		"rays cube.stl lines.csv --out out/a.csv",
		"rays cube.stl lines.csv --all --out out/a.parquet",
		"segments cube.stl lines.csv --out out/a.npy",
		"segments cube.stl --collar collars.csv --survey surveys.csv --out out/a.jsonl",
		"collide scene.json --out out/a.csv",
		"collide scene.json --out out/a.csv --faces out/b.csv",
		"make sphere --refine 1 --out out/a.stl",
		"make sphere --refine 1 --out out/a.obj.gz",
		"make foam --resolution 8 --out out/a.ply",
		"make sphere --refine 1",
		"merge m.json",
		"merge m.json --out out/a.csv",
		"merge m.json --out-dir out",
	} {
		list = append(list, faultCase{command: command})
	}
	return list
}

// faultKind is a way in which a call fails.
type faultKind struct {
	name  string
	fault disk.Fault
}

var faultKinds = []faultKind{
	{"full disk", disk.Fault{Err: syscall.ENOSPC}},
	{"device error", disk.Fault{Err: syscall.EIO}},
	{"interrupted call", disk.Fault{Err: syscall.EINTR}},
	{"full disk after half of the bytes", disk.Fault{Err: syscall.ENOSPC, Short: true}},
	{"half of the bytes", disk.Fault{Short: true}},
}

// TestFaults runs commands while one call to the file system fails. In each run, another call fails.
// Then the outputs are complete or as before, the exit code says which, the inputs have not changed,
// and there are no other files. The unfinished output of --resume can be resumed.
//
// INPOLY_FULL=1 lets every call fail in every way. Otherwise the test makes a random selection.
func TestFaults(t *testing.T) {
	share := 0.002
	if os.Getenv("INPOLY_FULL") == "1" {
		share = 1
	}
	rng := rand.New(rand.NewPCG(1, 2))
	runs, stopped := 0, 0
	f := newFaultFolder(t)
	open, err := os.Open("p.csv")
	if n := len(openFiles(t)); err != nil || n != 1 && runtime.GOOS == "linux" {
		t.Fatalf("%d open files are counted, want 1; error %v", n, err)
	}
	open.Close()
	for _, c := range faultCases() {
		t.Run(c.command, func(t *testing.T) {
			f.restore(t, faultState{})
			expected := f.run(c, nil)
			if expected.code != 0 {
				t.Fatalf("exit code %d: %s", expected.code, expected.stderr)
			}
			complete := f.outputs()
			for _, state := range f.states(t, c, complete) {
				f.restore(t, state)
				calls := f.run(c, nil).calls
				for k, op := range calls {
					for _, kind := range faultKinds {
						if rng.Float64() >= share || kind.fault.Short && op != "read" && op != "pread" && op != "write" {
							continue
						}
						f.restore(t, state)
						r := f.run(c, func(_, _ string, n int) disk.Fault {
							if n != k {
								return disk.Fault{}
							}
							return kind.fault
						})
						runs++
						if r.code != 0 {
							stopped++
						}
						for _, problem := range f.problems(c, r, state, expected.stdout, complete) {
							t.Errorf("%s: %s, call %d (%s): %s\nstandard error: %s", state.name, kind.name, k, r.failed, problem, r.stderr)
						}
						if t.Failed() {
							return
						}
					}
				}
			}
			if files := openFiles(t); len(files) > 0 {
				t.Errorf("files are open at the end: %q", files)
			}
		})
	}
	t.Logf("%d faults, %d stopped the command", runs, stopped)
}

// openFiles returns the open files of this process in the current folder. The list is empty if the system has no
// /proc.
func openFiles(t *testing.T) (names []string) {
	if runtime.GOOS == "windows" { // Wine shows its own files here
		return nil
	}
	folder, err := filepath.EvalSymlinks(".")
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, _ := os.ReadDir("/proc/self/fd")
	for _, e := range list {
		name, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && strings.HasPrefix(name, folder+string(filepath.Separator)) {
			names = append(names, name)
		}
	}
	return names
}

// states returns the possible contents of the folder out before a run: nothing, outputs of an
// earlier run, or unfinished outputs.
func (f *faultFolder) states(t *testing.T, c faultCase, complete map[string]string) []faultState {
	previous := map[string]string{}
	for name := range complete {
		previous[name] = "previous output of " + name
	}
	states := []faultState{{name: "no output"}}
	if len(complete) > 0 {
		states = append(states, faultState{name: "previous output", files: previous})
		if f.links {
			states = append(states, faultState{name: "link", files: previous, links: true})
		}
	}
	if !c.resume {
		return states
	}
	for _, stop := range []struct{ state, op, suffix string }{
		{"interrupted at the first row", "write", ".part"},
		{"interrupted before the renaming", "rename", ".part"},
		{"interrupted after the renaming", "remove", ".journal"},
	} {
		f.restore(t, faultState{files: previous})
		r := f.run(c, func(op, path string, _ int) disk.Fault {
			if op == stop.op && strings.HasSuffix(path, stop.suffix) {
				return disk.Fault{Err: syscall.EIO}
			}
			return disk.Fault{}
		})
		files := f.outputs()
		if r.code != term.ExitError || len(files) < 2 {
			t.Fatalf("%s: exit code %d, files %v", stop.state, r.code, names(files))
		}
		states = append(states, faultState{name: stop.state, files: files})
	}
	return states
}

// faultState is the content of the folder out before a run.
type faultState struct {
	name  string
	files map[string]string
	links bool // the files are in the folder target, and the folder out has links to them
}

// oldMode returns the mode of an output before a run. It must not change. Windows has only one bit:
// whether the file is writable.
func oldMode() fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0o666
	}
	return 0o640
}

// faultFolder is the current folder of a test. It has the inputs of all commands, a folder out for
// outputs and a folder tmp for temporary files.
type faultFolder struct {
	inputs map[string]string
	links  bool // the system has symbolic links
}

type faultRun struct {
	code           int
	stdout, stderr string
	calls          []string // names of the calls
	failed         string   // name and path of the call that failed
}

func newFaultFolder(t *testing.T) *faultFolder {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", "tmp")
	f := &faultFolder{inputs: map[string]string{}}
	put := func(name string, data []byte) {
		f.inputs[name] = string(data)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	faces := [][3]int{{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}}
	vertices := [][3]float64{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}
	var stl, obj, bin, model strings.Builder
	stl.WriteString("solid cube\n")
	for _, v := range vertices {
		fmt.Fprintln(&obj, "v", v[0], v[1], v[2])
		fmt.Fprintf(&model, `<vertex x="%g" y="%g" z="%g"/>`, v[0], v[1], v[2])
		for _, x := range v {
			binary.Write(&bin, binary.LittleEndian, float32(x))
		}
	}
	model.WriteString("</vertices><triangles>")
	for _, face := range faces {
		stl.WriteString("facet normal 0 0 0\nouter loop\n")
		for _, i := range face {
			fmt.Fprintln(&stl, "vertex", vertices[i][0], vertices[i][1], vertices[i][2])
			binary.Write(&bin, binary.LittleEndian, uint16(i))
		}
		stl.WriteString("endloop\nendfacet\n")
		fmt.Fprintln(&obj, "f", face[0]+1, face[1]+1, face[2]+1)
		fmt.Fprintf(&model, `<triangle v1="%d" v2="%d" v3="%d"/>`, face[0], face[1], face[2])
	}
	stl.WriteString("endsolid cube\n")
	put("cube.stl", []byte(stl.String()))
	put("cube.stl.gz", zipped(stl.String()))
	put("cube.obj", []byte(obj.String()))
	put("cube.bin", []byte(bin.String()))
	put("cube.gltf", []byte(`{"asset": {"version": "2.0"}, "buffers": [{"uri": "cube.bin", "byteLength": 168}],
		"bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
		"accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
			{"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
		"meshes": [{"name": "gltf", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
		"nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}`))
	var package3MF bytes.Buffer
	z := zip.NewWriter(&package3MF)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>`},
		{"3D/3dmodel.model", `<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1" type="model"><mesh><vertices>` + model.String() + `</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`},
	} {
		w, err := z.Create(part[0])
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(part[1]))
	}
	z.Close()
	put("cube.3mf", package3MF.Bytes())
	var csv strings.Builder
	csv.WriteString("x,y,z,weight\n")
	for i := range 40 {
		fmt.Fprintf(&csv, "%g,%g,%g,%d\n", math.Mod(float64(i)*0.17, 1.5), math.Mod(float64(i)*0.31, 1.5), math.Mod(float64(i)*0.23, 1.5), i)
	}
	put("lines.csv", []byte("0.5,0.5,-1,0.25,0.25,1\n3,3,3,4,4,4\n"))
	put("model.csv", []byte("x,y,z,dx,dy,dz\n0.5,0.5,1,0.5,0.5,1\n3,3,3,1,1,1\n"))
	put("collars.csv", []byte("hole,x,y,z\nA,0.5,0.5,2\n"))
	put("surveys.csv", []byte("hole,depth,azimuth,dip\nA,0,0,-90\nA,3,0,-90\n"))
	put("p.csv", []byte(csv.String()))
	put("p.csv.gz", zipped(csv.String()))
	put("scene.json", []byte(`{"bodies": [{"mesh": "cube.stl"}, {"name": "b", "mesh": "cube.obj", "poses": "poses.csv"}]}`))
	put("poses.csv", []byte("time,x,y,z\n0,0.5,0.25,0.75\n1,0.25,0.5,0.5\n"))
	put("p.csv", []byte(csv.String()))
	f.manifest(t, put)
	for _, dir := range []string{"out", "tmp", "target"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range formats.Outputs() { // the command itself converts the points
		name := "p." + o.Written[0]
		if f.inputs[name] != "" {
			continue
		}
		r := f.run(faultCase{command: "cube.stl p.csv --out out/" + name}, nil)
		data, err := os.ReadFile("out/" + name)
		if r.code != 0 || err != nil {
			t.Fatalf("%d %s %v", r.code, r.stderr, err)
		}
		put(name, data)
	}
	put("p.laz.gz", zipped(f.inputs["p.laz"]))
	f.restore(t, faultState{})
	// Windows can forbid links. Wine 8 has none, but reports no error.
	err := os.Symlink("target", "trial")
	fi, err2 := os.Lstat("trial")
	f.links = err == nil && err2 == nil && fi.Mode()&fs.ModeSymlink != 0
	if runtime.GOOS != "windows" && !f.links {
		t.Fatalf("no symbolic links: %v, %v", err, err2)
	}
	os.Remove("trial")
	return f
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

// manifest writes two shards and their manifest.
func (f *faultFolder) manifest(t *testing.T, put func(string, []byte)) {
	in := merge.Input{Path: "a.csv", Format: "csv", Ext: ".csv", HeaderLine: 1, Delimiter: ","}
	for i, text := range []string{"x,y,z,inside\n1,2,3,0\n", "4,5,6,1\n7,8,9,1\n"} {
		name := merge.ShardName("m", i, 2, ".csv")
		sum := sha256.Sum256([]byte(text))
		rows := int64(i + 1)
		in.Shards = append(in.Shards, merge.Shard{File: name, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:]), Counts: merge.Counts{Rows: rows, Written: rows}})
		put(name, []byte(text))
	}
	data, err := json.Marshal(merge.Manifest{Kind: merge.Kind, Inputs: []merge.Input{in}})
	if err != nil {
		t.Fatal(err)
	}
	put("m.json", data)
}

// run runs a command. The function fault decides whether call number n fails.
func (f *faultFolder) run(c faultCase, fault func(op, path string, n int) disk.Fault) (r faultRun) {
	var mu sync.Mutex
	restore := disk.Inject(func(op, path string) disk.Fault {
		mu.Lock()
		defer mu.Unlock()
		r.calls = append(r.calls, op)
		if fault == nil {
			return disk.Fault{}
		}
		x := fault(op, path, len(r.calls)-1)
		if x != (disk.Fault{}) {
			r.failed = op + " " + path
		}
		return x
	})
	var stdout, stderr bytes.Buffer
	terminal := &term.Terminal{In: strings.NewReader(""), Out: &stdout, Err: &stderr}
	r.code = Run(context.Background(), terminal, strings.Fields(c.command))
	restore()
	r.stdout, r.stderr = stdout.String(), stderr.String()
	return r
}

// outputs returns the content of the folder out.
func (f *faultFolder) outputs() map[string]string { return readFolder("out") }

func readFolder(dir string) map[string]string {
	files := map[string]string{}
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			data = []byte(err.Error())
		}
		files[e.Name()] = string(data)
	}
	return files
}

// restore removes all outputs and temporary files and creates the given outputs.
func (f *faultFolder) restore(t *testing.T, state faultState) {
	t.Helper()
	for _, dir := range []string{"out", "tmp", "target"} {
		for name := range readFolder(dir) {
			os.Remove(filepath.Join(dir, name))
		}
	}
	for name, text := range state.files {
		path := filepath.Join("out", name)
		var err error
		if state.links {
			err = os.Symlink(filepath.Join("..", "target", name), path)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), oldMode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// problems compares the files after a run with the files before and with the complete outputs.
func (f *faultFolder) problems(c faultCase, r faultRun, before faultState, stdout string, complete map[string]string) (list []string) {
	report := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if got := readFolder("."); !maps.Equal(got, f.inputs) {
		report("the inputs have changed: %v", names(got))
	}
	if left := readFolder("tmp"); len(left) > 0 {
		report("temporary files are left: %v", names(left))
	}
	got, targets := f.outputs(), readFolder("target")
	missing, finished := 0, true // finished: all outputs were complete before the run
	for name, text := range complete {
		old, existed := before.files[name]
		finished = finished && old == text
		now, exists := got[name]
		switch {
		case exists && now == text:
		case existed == exists && now == old:
			missing++
		default:
			report("%s is neither complete nor as before: %q", name, now)
		}
		if existed {
			path := filepath.Join("out", name)
			if fi, err := os.Stat(path); err != nil || fi.Mode() != oldMode() {
				report("%s: %v, error %v", name, fi, err)
			}
			if link, err := os.Lstat(path); err != nil || before.links != (link.Mode()&fs.ModeSymlink != 0) {
				report("%s: %v, error %v", name, link, err)
			}
		}
		for _, files := range []map[string]string{got, targets} {
			delete(files, name)
			if c.resume && r.code != 0 {
				delete(files, name+".part")
				delete(files, name+".journal")
			}
		}
	}
	if len(got)+len(targets) > 0 {
		report("other files are left: %v %v", names(got), names(targets))
	}
	switch {
	case r.code == 0 && missing > 0:
		report("the exit code is 0, but %d outputs are missing", missing)
	case r.code == 0 && r.stdout != stdout:
		report("the exit code is 0, but standard output is %q", r.stdout)
	case r.code != 0 && len(complete) > 0 && missing == 0 && !finished:
		report("the exit code is %d, but all outputs are complete", r.code)
	case r.code != 0 && (r.code != term.ExitError || r.stderr == ""):
		report("exit code %d", r.code)
	}
	if c.resume && r.code != 0 {
		again := f.run(c, nil)
		if got := f.outputs(); again.code != 0 || !maps.Equal(got, complete) {
			report("repeated: exit code %d, files %v: %s", again.code, names(got), again.stderr)
		}
	}
	return list
}

func names(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }

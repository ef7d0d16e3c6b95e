package hostile

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/cli"
	"github.com/inpoly/inpoly/internal/cli/term"
)

// commandVariable has the arguments of a command for a child process, as a JSON list.
const commandVariable = "INPOLY_HOSTILE_COMMAND"

// commandCase is a command and its input files.
type commandCase struct {
	label string
	args  string // arguments, separated by blanks
	files map[string][]byte
	plain int64 // number of bytes of the files after decompression; 0 means the sum of the files
	free  bool  // the command has no flag --max-memory
}

// commandMemory is the value of --max-memory in the second run of each case.
const commandMemory = 16 << 20

// one is a mesh of one triangle, and cube is a closed mesh.
var (
	one  = []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
	cube = []byte("v 0 0 0\nv 9 0 0\nv 0 9 0\nv 9 9 0\nv 0 0 9\nv 9 0 9\nv 0 9 9\nv 9 9 9\n" +
		"f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
)

// repeat returns head, n units with their numbers, separated by commas, and tail.
func repeat(head string, n int, unit func(i int) string, tail string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(unit(i))
	}
	b.WriteString(tail)
	return b.Bytes()
}

// scene returns a scene of n bodies.
func scene(n int, body func(i int) string) []byte { return repeat(`{"bodies":[`, n, body, "]}") }

func same(text string) func(int) string { return func(int) string { return text } }

// lines returns head and n lines.
func lines(head string, n int, format string) []byte {
	b := []byte(head)
	for i := range n {
		b = fmt.Appendf(b, format, i)
	}
	return b
}

// stacked is a scene of n bodies in one place.
func stacked(n int) commandCase {
	return commandCase{label: fmt.Sprintf("%d bodies in one place", n), args: "collide s.json",
		files: map[string][]byte{"s.json": scene(n, same(`{"mesh": "a.obj"}`)), "a.obj": one}}
}

// facePairs is a scene of two meshes of n equal faces, so n² pairs of faces touch.
func facePairs(n int) commandCase {
	return commandCase{label: fmt.Sprintf("two bodies of %d equal faces, --all-faces", n), args: "collide s.json --faces f.csv --all-faces",
		files: map[string][]byte{"s.json": scene(2, same(`{"mesh":"a.obj"}`)), "a.obj": append(bytes.Clone(one), bytes.Repeat([]byte("f 1 2 3\n"), n)...)}}
}

// manyBodies is a mesh of n bodies that have the same triangle.
func manyBodies(n int, flags string) commandCase {
	return commandCase{label: fmt.Sprintf("%d bodies, check %s", n, flags), args: "check a.obj " + flags,
		files: map[string][]byte{"a.obj": lines("v 0 0 0\nv 1 0 0\nv 0 1 0\n", n, "o %d\nf 1 2 3\n")}}
}

// apart is a mesh of n bodies that are apart, each with its own vertices.
func apart(n int, flags string) commandCase {
	b := []byte{}
	for i := range n {
		b = fmt.Appendf(b, "o %d\nv %d 0 0\nv %d 1 0\nv %d 0 1\nf -1 -2 -3\n", i, 3*i, 3*i, 3*i+1)
	}
	return commandCase{label: fmt.Sprintf("%d bodies apart, check %s", n, flags), args: "check a.obj " + flags, files: map[string][]byte{"a.obj": b}}
}

// manifest returns the files of a manifest. Each input is a list of names of shards with the same data.
func manifest(line int64, data []byte, inputs ...[]string) map[string][]byte {
	type shard struct {
		File   string `json:"file"`
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"`
	}
	type input struct {
		Path      string  `json:"path"`
		Format    string  `json:"format"`
		Ext       string  `json:"ext"`
		Line      int64   `json:"header_line"`
		Delimiter string  `json:"delimiter"`
		Shards    []shard `json:"shards"`
	}
	files := map[string][]byte{}
	sum := sha256.Sum256(data)
	var list []input
	for i, names := range inputs {
		in := input{Path: fmt.Sprintf("p%d", i), Format: "csv", Ext: ".csv", Line: line, Delimiter: ","}
		for _, name := range names {
			in.Shards = append(in.Shards, shard{name, len(data), hex.EncodeToString(sum[:])})
			files[name] = data
		}
		list = append(list, in)
	}
	text, err := json.Marshal(map[string]any{"kind": "inpoly shards 1", "inputs": list})
	if err != nil {
		panic(err)
	}
	files["m.json"] = text
	return files
}

// numbered returns n names.
func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("s%05d.csv", i))
	}
	return names
}

// sharedArray is VTK XML with many pieces whose points are one compressed array of n points.
func sharedArray(n, pieces int) commandCase {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(make([]byte, 3*n))
	z.Close()
	word := func(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
	array := append(word(word(word(word(nil, 1), 3*n), 0), packed.Len()), packed.Bytes()...)
	b := []byte(`<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" compressor="vtkZLibDataCompressor"><PolyData>`)
	for range pieces {
		b = fmt.Appendf(b, `<Piece NumberOfPoints="%d"><Points><DataArray type="Int8" NumberOfComponents="3" format="appended" offset="0"/></Points></Piece>`, n)
	}
	b = append(b, `</PolyData><AppendedData encoding="raw">_`...)
	b = append(append(b, array...), "</AppendedData></VTKFile>"...)
	return commandCase{label: fmt.Sprintf("%d pieces that share one compressed array", pieces), args: "measure a.vtp",
		files: map[string][]byte{"a.vtp": b}, plain: int64(len(b) + 3*n)}
}

// members returns n members of a JSON object.
func manyMembers(n int) string {
	return string(repeat("", n, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i%7) }, ""))
}

// located is a command that locates the points of a file in a cube.
func located(label, file string, data []byte) commandCase {
	return commandCase{label: label, args: "cube.obj " + file + " --out out.csv", files: map[string][]byte{"cube.obj": cube, file: data}}
}

const pointFeature = `{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2,3]}`

// commandCases are commands that once took too much memory or time. k is 1, or 5 for the full size.
func commandCases(k int) []commandCase {
	rows := 20 // of a table of poses that 200 bodies share; each makes 119,400 rows of contacts
	if k > 1 {
		rows = 20_000
	}
	return []commandCase{
		stacked(250), stacked(500), stacked(950), stacked(2000), stacked(8192), stacked(40_000 * k),
		{label: "bodies of a few bytes", args: "collide s.json", files: map[string][]byte{"s.json": scene(30_000*k, same(`{"mesh":"a"}`)), "a": one}},
		{label: "bodies that are apart", args: "collide s.json", files: map[string][]byte{"a.obj": one,
			"s.json": scene(40_000*k, func(i int) string { return fmt.Sprintf(`{"mesh":"a.obj","poses":[[0,%d,%d,0]]}`, i%450*3, i/450*3) })}},
		{label: "200 bodies with one table of poses", args: "collide s.json", files: map[string][]byte{"t.csv": lines("time,x,y,z\n", rows, "%d,0,0,0\n"),
			"a.obj": one, "s.json": scene(200, same(`{"mesh":"a.obj","poses":"t.csv"}`))}},
		{label: "many rows of poses in a scene", args: "collide s.json", files: map[string][]byte{"a.obj": one,
			"s.json": repeat(`{"bodies":[{"mesh":"a.obj","poses":[`, 100_000*k, func(i int) string { return fmt.Sprintf("[%d,0,0,0]", i) }, "]}]}")}},
		{label: "a packed table of poses", args: "collide s.json", plain: int64(len(lines("time,x,y,z\n", 100_000*k, "%d,0,0,0\n"))), files: map[string][]byte{"a.obj": one,
			"t.csv": packGzip(text{head: string(lines("time,x,y,z\n", 100_000*k, "%d,0,0,0\n"))}), "s.json": scene(1, same(`{"mesh":"a.obj","poses":"t.csv"}`))}},
		facePairs(400), facePairs(3000),
		manyBodies(60_000*k, ""), manyBodies(60_000*k, "--json"), manyBodies(60_000*k, "--faces --skip-intersections"), manyBodies(60_000*k, "--json --faces --skip-intersections"),
		apart(20_000*k, ""), apart(20_000*k, "--json"),
		{label: "a manifest that repeats a shard", args: "merge m.json", free: true, files: manifest(0, bytes.Repeat([]byte("1,2,3\n"), 80_000), slices.Repeat([]string{"s.csv"}, 1000*k))},
		{label: "a header in line 10^18", args: "merge m.json", free: true, files: manifest(1e18, bytes.Repeat([]byte("1,2,3\n"), 400_000*k), []string{"a.csv"}, []string{"b.csv"})},
		{label: "a header of one long line", args: "merge m.json", free: true, files: manifest(1, bytes.Repeat([]byte("1,2,3,"), 400_000*k), []string{"a.csv"}, []string{"b.csv"})},
		{label: "a manifest of empty inputs", args: "merge m.json", free: true, files: map[string][]byte{"m.json": repeat(`{"kind":"inpoly shards 1","inputs":[`, 200_000*k, same("{}"), "]}")}},
		{label: "a manifest of empty shards", args: "merge m.json", free: true, files: map[string][]byte{"m.json": repeat(`{"kind":"inpoly shards 1","inputs":[{"path":"p","shards":[`, 200_000*k, same("{}"), "]}]}")}},
		{label: "a manifest of many shards", args: "merge m.json", free: true, files: manifest(0, []byte("1,2,3\n"), numbered(1000*k))},
		sharedArray(1_000_000, 7), sharedArray(1_000_000, 200),
		located("one object of many members", "a.jsonl", []byte(`{"x":1,"y":2,"z":3,`+manyMembers(200_000*k)+"}\n")),
		located("one object of 32,000 members", "a.jsonl", []byte(`{"x":1,"y":2,"z":3,`+manyMembers(32_000)+"}\n")),
		located("members below a long key", "a.jsonl", []byte(`{"x":1,"y":2,"z":3,"`+strings.Repeat("k", 1<<20)+`":{`+manyMembers(5000*k)+"}}\n")),
		located("later members that the first rows lack", "a.jsonl", []byte(strings.Repeat(`{"x":1,"y":2,"z":3}`+"\n", 300)+`{"x":1,"y":2,"z":3,`+manyMembers(200_000*k)+"}\n")),
		located("one feature of many properties", "a.geojson", []byte(`{"type":"FeatureCollection","features":[`+pointFeature+`,"properties":{`+manyMembers(200_000*k)+`}}]}`)),
		located("one feature of many foreign members", "a.geojson", []byte(`{"type":"FeatureCollection","features":[`+pointFeature+`,"properties":{},`+manyMembers(200_000*k)+`}]}`)),
		located("a collection of many foreign members", "a.geojson", []byte(`{"type":"FeatureCollection",`+manyMembers(200_000*k)+`,"features":[`+pointFeature+`,"properties":{}}]}`)),
		located("a text of many columns", "a.csv", []byte("1,2,3"+strings.Repeat(",7", 100_000*k)+"\n")),
		located("a header of many columns", "a.csv", append([]byte("x,y,z"+strings.Repeat(",k", 100_000*k)+"\n1,2,3"), strings.Repeat(",7", 100_000*k)+"\n"...)),
	}
}

// programSize is the largest resident memory of the command inpoly version. It replaces the memory of the
// test program, which is larger.
const programSize = 13 << 20

// commandUsage is the result of a command in a child process.
type commandUsage struct {
	Peak   int64 // largest resident memory of the command
	Output int64 // bytes of standard output
	CPU    time.Duration
	Code   int
}

// byteCounter counts the bytes of standard output.
type byteCounter int64

func (c *byteCounter) Write(b []byte) (int, error) {
	*c += byteCounter(len(b))
	return len(b), nil
}

// TestCommands measures whole commands in child processes, with and without --max-memory: the largest
// resident memory of the process may exceed the limit, or 16 times the size of the input, by 64 MB. With
// INPOLY_FULL=1 the inputs are larger. Otherwise every other case is run with --max-memory and the rest
// without. With -v, the test logs a table.
func TestCommands(t *testing.T) {
	if text := os.Getenv(commandVariable); text != "" {
		runCommandHere(t, text)
		return
	}
	k := 1
	if full() {
		k = 5
	}
	var table strings.Builder
	table.WriteString("| command and input | input MB | output MB | peak MB | allowed | CPU s | with 16M: peak MB | allowed | CPU s | result |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n")
	for i, c := range commandCases(k) {
		if !full() && i%2 == 1 {
			continue
		}
		dir := t.TempDir()
		for name, data := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sum := int64(0)
		for _, data := range c.files {
			sum += int64(len(data))
		}
		c.plain = max(c.plain, sum)
		row := ""
		message, output := "", int64(0)
		for j, limit := range []int64{0, commandMemory} {
			if limit > 0 && c.free || !full() && !c.free && i/2%2 != j {
				row += " | | | "
				continue
			}
			args := strings.Fields(c.args)
			allowed := 16*c.plain + 64<<20
			if limit > 0 {
				args, allowed = append(args, fmt.Sprintf("--max-memory=%d", limit)), limit+64<<20
			}
			u, text := runCommand(t, dir, args)
			if u.Peak > allowed {
				// The system can read parts of the program again, which then count. A second run shows that.
				v, _ := runCommand(t, dir, args)
				u.Peak = min(u.Peak, v.Peak)
			}
			if u.Peak > allowed {
				t.Errorf("%s, --max-memory %d: the peak is %.1f MB, must be at most %.1f MB; exit code %d: %s", c.label, limit, mb(u.Peak), mb(allowed), u.Code, text)
			}
			if u.Code != 0 && u.Code != 1 {
				t.Errorf("%s, --max-memory %d: exit code %d: %s", c.label, limit, u.Code, text)
			}
			row += fmt.Sprintf(" | %.0f | %.0f | %.2f", mb(u.Peak), mb(allowed), u.CPU.Seconds())
			if message == "" {
				message = text
			}
			output = max(output, u.Output)
		}
		fmt.Fprintf(&table, "| %s: %s | %.2f | %.2f%s | %s |\n", strings.Fields(c.args)[0], c.label, mb(c.plain), mb(output), row, message)
	}
	t.Logf("\n%s", &table)
}

// runCommand runs a command in a child process in the given folder. It returns the beginning of its
// messages.
func runCommand(t *testing.T, dir string, args []string) (u commandUsage, message string) {
	t.Helper()
	list, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestCommands$", "-test.v", "-test.timeout=10m")
	c.Dir = dir
	c.Env = append(os.Environ(), commandVariable+"="+string(list))
	out, err := c.CombinedOutput()
	_, after, ok := strings.Cut(string(out), "usage: ")
	if err != nil || !ok {
		t.Fatalf("%v: %v\n%s", args, err, tail(out))
	}
	line, message, _ := strings.Cut(after, "\n")
	if err := json.Unmarshal([]byte(line), &u); err != nil {
		t.Fatal(err)
	}
	message, _, _ = strings.Cut(message, "\n")
	if len(message) > 160 {
		message = message[:160] + "…"
	}
	return u, message
}

// runCommandHere runs a command in this process, whose standard output is dropped, and prints the usage
// and the messages.
func runCommandHere(t *testing.T, list string) {
	var args []string
	if err := json.Unmarshal([]byte(list), &args); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: childSpace, Max: childSpace}); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	debug.FreeOSMemory()
	before := resetPeak(t)
	var output byteCounter
	terminal := &term.Terminal{In: strings.NewReader(""), Out: &output, Err: &messages}
	code := cli.Run(context.Background(), terminal, args)
	u := commandUsage{Peak: statusBytes(t, "VmHWM:") - before + programSize, Output: int64(output), CPU: cpuTime(t), Code: code}
	if lines := strings.Split(messages.String(), "\n"); code != 0 { // the error, without warnings before it
		messages.Reset()
		messages.WriteString(lines[slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "inpoly: ") })])
	}
	line, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("usage: %s\n%s\n", line, messages.String())
}

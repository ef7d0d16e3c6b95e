package points_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/points/internal/testlaz"
)

// The tests of --trust-copc are in this folder, because they write COPC files with the codec.

// trustFolder has the inputs of the command.
type trustFolder struct {
	t   testing.TB
	dir string
}

func newTrustFolder(t *testing.T) *trustFolder { return &trustFolder{t, t.TempDir()} }

// path returns the path of a file of the folder.
func (f *trustFolder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *trustFolder) write(name string, data []byte) string {
	f.t.Helper()
	if err := os.WriteFile(f.path(name), data, 0o666); err != nil {
		f.t.Fatal(err)
	}
	return f.path(name)
}

// box writes a box as an OBJ file.
func (f *trustFolder) box(name string, lo, hi [3]float64) string {
	corner := [2][3]float64{lo, hi}
	var text strings.Builder
	for k := range 8 {
		fmt.Fprintln(&text, "v", corner[k&1][0], corner[k>>1&1][1], corner[k>>2][2])
	}
	text.WriteString("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
	return f.write(name, []byte(text.String()))
}

// run runs the command and returns its outputs.
func (f *trustFolder) run(args ...string) (out []byte, messages string) {
	f.t.Helper()
	var o, e bytes.Buffer
	if code := cli.Run(f.t.Context(), &term.Terminal{Out: &o, Err: &e}, args); code != term.ExitDone {
		f.t.Fatalf("%v: exit status %d: %s", args, code, &e)
	}
	return o.Bytes(), e.String()
}

// compare runs the command with and without --trust-copc. The rows must be equal. It returns the number of
// skipped nodes, and the messages.
func (f *trustFolder) compare(args ...string) (skipped int, messages string) {
	f.t.Helper()
	args = append(args, "--format", "csv")
	want, _ := f.run(args...)
	got, messages := f.run(append(args, "--trust-copc")...)
	if !bytes.Equal(got, want) {
		f.t.Errorf("%v: %d rows, want %d: %s", args, bytes.Count(got, []byte("\n")), bytes.Count(want, []byte("\n")), messages)
	}
	_, after, ok := strings.Cut(messages, " in ")
	if ok && strings.Contains(messages, "skipped") {
		word, _, _ := strings.Cut(after, " ")
		var err error
		if skipped, err = strconv.Atoi(word); err != nil {
			f.t.Errorf("the number of skipped nodes is missing: %s", messages)
		}
	}
	return skipped, messages
}

// cornered puts a point of each node at the lowest and at the highest corner of its box, and moves all
// coordinates of the highest point of one node by a number of steps.
func cornered(depth, node int, steps int32) func(k, row int, p *[3]int32) {
	n := 1 << depth
	side := int32(1000 / testlaz.Scale / float64(n))
	return func(k, row int, p *[3]int32) {
		key := [3]int32{int32(k % n), int32(k / n % n), int32(k / n / n)}
		for i := range p {
			switch {
			case row == 0:
				p[i] = key[i] * side
			case row == 1 && k == node:
				p[i] = (key[i]+1)*side + steps
			case row == 1:
				p[i] = (key[i] + 1) * side
			}
		}
	}
}

// cloud returns a COPC file of 2560 points in nodes of one depth, and the place of its hierarchy. The arguments
// node and steps are those of cornered.
func cloud(t *testing.T, depth, node int, steps int32) ([]byte, int64) {
	t.Helper()
	var b bytes.Buffer
	at, err := testlaz.WriteCOPC(&b, depth, 2560>>(3*depth), cornered(depth, node, steps))
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), at
}

// TestTrust runs the command with and without --trust-copc for each side, with several solids, with maps of the
// points, and with a tolerance.
func TestTrust(t *testing.T) {
	f := newTrustFolder(t)
	data, _ := cloud(t, 3, 0, 0)
	in := f.write("in.copc.laz", data)
	a := f.box("a.obj", [3]float64{-1, -1, -1}, [3]float64{510, 1001, 1001})
	b := f.box("b.obj", [3]float64{240, 240, 240}, [3]float64{760, 760, 760})
	far := f.box("far.obj", [3]float64{2000, 0, 0}, [3]float64{3000, 1000, 1000})
	// The faces of exact lie on boxes of nodes, so points at the corners of nodes are on the surface.
	exact := f.box("exact.obj", [3]float64{250, 250, 250}, [3]float64{750, 750, 750})
	tiny := f.box("tiny.obj", [3]float64{6.3, 6.3, 6.3}, [3]float64{19, 19, 19})
	turn := f.write("turn.txt", []byte("0.6 -0.8 0 400\n0.8 0.6 0 -200\n0 0 1 17\n0 0 0 1\n"))
	mirror := f.write("mirror.txt", []byte("-1 0 0 1000\n0 0.5 0.25 0\n0 0 2 -300\n0 0 0 1\n"))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"one solid", []string{b, in}},
		{"two solids", []string{a, b, in}},
		{"three solids, one far away", []string{far, b, a, in}},
		{"nested solids, first", []string{a, b, in, "--body", "first"}},
		{"all solids", []string{a, b, in, "--body", "all"}},
		{"a far solid", []string{far, in}},
		{"faces on boxes", []string{exact, in}},
		{"faces on boxes, two solids", []string{exact, a, in}},
		{"rotation", []string{b, in, "--matrix", turn}},
		{"mirror and shear", []string{b, in, "--matrix", mirror}},
		{"units", []string{tiny, in, "--units", "mm:in"}},
		{"units and rotation", []string{b, in, "--units", "m:cm", "--matrix", turn}},
		{"scale, two solids", []string{a, b, in, "--scale", "1.5"}},
		{"tolerance", []string{b, in, "--tolerance", "15"}},
		{"tolerance of a node", []string{b, in, "--tolerance", "125"}},
		{"small tolerance at faces on boxes", []string{exact, in, "--tolerance", "0.001"}},
		{"tolerance and units", []string{tiny, in, "--units", "mm:in", "--tolerance", "0.5"}},
		{"tolerance, two solids, rotation", []string{a, b, in, "--matrix", turn, "--tolerance", "15"}},
		{"evenodd", []string{a, b, in, "--rule", "evenodd"}},
		{"direct", []string{b, in, "--method", "direct"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &trustFolder{t, f.dir}
			skipped := 0
			for _, keep := range []string{"inside", "outside", "on", "off", "inside,uncertain", "uncertain", "on,outside"} {
				n, _ := f.compare(append(c.args, "--keep", keep)...)
				skipped += n
			}
			if skipped == 0 {
				t.Error("no node was skipped, so the test compares nothing")
			}
		})
	}
}

// entry is an entry of the hierarchy.
func entry(b []byte, page int64, i int) []byte {
	return b[page+int64(i)*testlaz.EntrySize:][:testlaz.EntrySize]
}

// TestTrustHostile runs the command with COPC files whose boxes are false, or whose hierarchy is damaged. If a
// point of a decoded node is outside of its box, all points are read again.
func TestTrustHostile(t *testing.T) {
	le := binary.LittleEndian
	// shift moves the cube, and enlarges it by as much, so that it contains the box of the header.
	shift := func(by float64) func([]byte, int64) {
		return func(b []byte, _ int64) {
			for i := range 4 {
				at := testlaz.InfoAt + 8*i
				le.PutUint64(b[at:], math.Float64bits(math.Float64frombits(le.Uint64(b[at:]))+math.Abs(by)))
				if i < 3 && by < 0 {
					le.PutUint64(b[at:], math.Float64bits(500+by))
				}
			}
		}
	}
	const (
		trusted = "skipped"                              // the boxes are true within a step of the coordinates
		again   = "the run was repeated with all points" // a box is false
		useless = "--trust-copc has no effect"           // the hierarchy cannot be used
	)
	for _, c := range []struct {
		name  string
		node  int // moved node
		steps int32
		spoil func(b []byte, page int64)
		want  string
	}{
		{"no damage", 0, 0, func([]byte, int64) {}, trusted},
		{"cube shifted by 1e-13", 0, 0, shift(1.2e-13), trusted},
		{"cube shifted by -1e-13", 0, 0, shift(-1.2e-13), trusted},
		{"cube shifted by two steps", 0, 0, shift(2e-3), again},
		{"cube shifted by -1", 0, 0, shift(-1), again},
		{"cube shifted by 100", 0, 0, shift(100), again},
		{"a point outside by one step", 21, 1, func([]byte, int64) {}, trusted},
		{"a point outside by two steps", 21, 2, func([]byte, int64) {}, again},
		{"a point outside by half a node", 21, 125_000, func([]byte, int64) {}, again},
		{"boxes of two nodes exchanged", 0, 0, func(b []byte, page int64) { // a skipped and a decoded one
			first, inner := entry(b, page, 0), entry(b, page, 21)
			for i := range 16 {
				first[i], inner[i] = inner[i], first[i]
			}
		}, again},
		{"all boxes in reverse order", 0, 0, func(b []byte, page int64) {
			for i := range 32 {
				one, other := entry(b, page, i), entry(b, page, 63-i)
				for k := range 16 {
					one[k], other[k] = other[k], one[k]
				}
			}
		}, again},
		{"a box in a deeper level", 0, 0, func(b []byte, page int64) { le.PutUint32(entry(b, page, 21), 3) }, again},
		{"two nodes with one box", 0, 0, func(b []byte, page int64) { copy(entry(b, page, 21)[:16], entry(b, page, 42)[:16]) }, again},
		{"fewer points", 0, 0, func(b []byte, page int64) { entry(b, page, 21)[28]-- }, useless},
		{"more points", 0, 0, func(b []byte, page int64) { entry(b, page, 0)[28]++ }, useless},
		{"more bytes", 0, 0, func(b []byte, page int64) { entry(b, page, 5)[24]++ }, useless},
		{"no node", 0, 0, func(b []byte, page int64) { le.PutUint32(entry(b, page, 5)[28:], 0) }, useless},
		{"a chunk of another node", 0, 0, func(b []byte, page int64) { copy(entry(b, page, 5)[16:24], entry(b, page, 6)[16:24]) }, useless},
		{"a page that is its own child", 0, 0, func(b []byte, page int64) {
			e := entry(b, page, 63)
			le.PutUint64(e[16:], uint64(page))
			le.PutUint32(e[24:], 64*testlaz.EntrySize)
			le.PutUint32(e[28:], 1<<32-1)
		}, useless},
		{"pages that overlap", 0, 0, func(b []byte, page int64) {
			for i := range 64 { // each entry is a page with all later entries
				e := entry(b, page, i)
				le.PutUint64(e[16:], uint64(page)+uint64(i+1)*testlaz.EntrySize)
				le.PutUint32(e[24:], uint32(63-i)*testlaz.EntrySize)
				le.PutUint32(e[28:], 1<<32-1)
			}
		}, useless},
		{"a page beyond the file", 0, 0, func(b []byte, _ int64) { le.PutUint64(b[testlaz.InfoAt+48:], 1<<40) }, useless},
		{"an infinite cube", 0, 0, func(b []byte, _ int64) { le.PutUint64(b[testlaz.InfoAt+24:], math.Float64bits(math.Inf(1))) }, useless},
		{"a cube that is too small", 0, 0, func(b []byte, _ int64) { le.PutUint64(b[testlaz.InfoAt+24:], math.Float64bits(499)) }, useless},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newTrustFolder(t)
			b, page := cloud(t, 2, c.node, c.steps)
			c.spoil(b, page)
			in := f.write("in.copc.laz", b)
			// The mesh contains node 21 and parts of its neighbors.
			mesh := f.box("mesh.obj", [3]float64{240, 240, 240}, [3]float64{520, 520, 520})
			for _, keep := range []string{"inside", "on,inside", "inside,on"} {
				_, messages := f.compare(mesh, in, "--keep", keep)
				if !strings.Contains(messages, c.want) {
					t.Errorf("--keep %s: %s", keep, messages)
				}
			}
			if c.want != again { // --keep outside skips node 21
				f.compare(mesh, in, "--keep", "outside")
			}
		})
	}
}

// TestTrustPipe reads a COPC file with a false box from standard input, which cannot be read again.
func TestTrustPipe(t *testing.T) {
	f := newTrustFolder(t)
	mesh := f.box("mesh.obj", [3]float64{300, 300, 300}, [3]float64{990, 990, 990})
	for steps, want := range map[int32]int{0: term.ExitDone, 5: term.ExitError} {
		b, _ := cloud(t, 2, 63, steps)
		out := f.path(fmt.Sprint(steps, ".csv"))
		var messages bytes.Buffer
		args := []string{mesh, "-", "--keep", "inside", "--trust-copc", "--out", out}
		code := cli.Run(t.Context(), &term.Terminal{In: bytes.NewReader(b), Out: &bytes.Buffer{}, Err: &messages}, args)
		_, err := os.Stat(out)
		if code != want || (err == nil) != (want == term.ExitDone) {
			t.Errorf("%d steps: exit status %d, %v: %s", steps, code, err, &messages)
		}
		if want == term.ExitError && !strings.Contains(messages.String(), "cannot be read twice: omit --trust-copc") {
			t.Errorf("messages %q", &messages)
		}
	}
}

// TestTrustOutputs writes all formats, to a file and to standard output. In both, a run that is repeated must
// leave the rows of the second run only.
func TestTrustOutputs(t *testing.T) {
	f := newTrustFolder(t)
	b, _ := cloud(t, 2, 63, 5)
	in := f.write("in.copc.laz", b)
	mesh := f.box("mesh.obj", [3]float64{300, 300, 300}, [3]float64{990, 990, 990})
	outputs := formats.Outputs()
	for _, o := range outputs {
		format := o.Output
		args := []string{mesh, in, "--keep", "inside", "--format", format}
		want, _ := f.run(args...)
		args = append(args, "--trust-copc")
		got, messages := f.run(args...)
		if !bytes.Equal(got, want) || !strings.Contains(messages, "repeated") {
			t.Errorf("%s: standard output differs: %s", format, messages)
		}
		out := f.path("out." + format)
		f.run(append(args, "--out", out)...)
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the file differs: %v", format, err)
		}
	}
	list, err := os.ReadDir(f.dir)
	if err != nil || len(list) != 2+len(outputs) {
		t.Errorf("%d files, want the inputs and the outputs: %v", len(list), err)
	}
}

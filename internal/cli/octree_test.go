package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// boxMesh writes a box as an OBJ file. The box has the part from lo to hi of the extent of a LAS file
// in x and y, and more than its extent in z.
func boxMesh(t *testing.T, las []byte, lo, hi float64) string {
	t.Helper()
	extent := func(at int) (low, high float64) {
		return math.Float64frombits(binary.LittleEndian.Uint64(las[at+8:])), math.Float64frombits(binary.LittleEndian.Uint64(las[at:]))
	}
	var corner [2][3]float64
	for i := range 3 {
		a, b := extent(179 + 16*i)
		corner[0][i], corner[1][i] = a+lo*(b-a), a+hi*(b-a)
		if i == 2 {
			corner[0][i], corner[1][i] = a-1, b+1
		}
	}
	var text strings.Builder
	for k := range 8 {
		fmt.Fprintln(&text, "v", corner[k&1][0], corner[k>>1&1][1], corner[k>>2][2])
	}
	text.WriteString("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
	path := filepath.Join(t.TempDir(), "box.obj")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTrustCOPC checks that --trust-copc does not change the rows, with the COPC files of the corpus in
// INPOLY_CORPUS_LAS. In copies of the files, false boxes are far from their points. The run must then
// read all points, if it decodes at least one node.
func TestTrustCOPC(t *testing.T) {
	dir := os.Getenv("INPOLY_CORPUS_LAS")
	if dir == "" {
		t.Skip("INPOLY_CORPUS_LAS is not set")
	}
	run := func(args ...string) (out []byte, stderr string) {
		var o, e bytes.Buffer
		if code := Run(t.Context(), &term.Terminal{Out: &o, Err: &e}, args); code != term.ExitDone {
			t.Fatalf("%v: exit status %d: %s", args, code, &e)
		}
		return o.Bytes(), e.String()
	}
	files, skipped := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".copc.laz") {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, keep := range []string{"inside", "outside", "on", "inside,uncertain"} {
			for _, part := range [][2]float64{{0.1, 0.4}, {-0.5, 1.5}, {2, 3}} {
				for i, more := range [][]string{nil, {"--scale", "2"}, {"--tolerance", "0.5"}, {"--shard", "1/2"}} {
					if i > 0 && (keep != "inside" || part[0] != 0.1) {
						continue
					}
					args := append([]string{boxMesh(t, b, part[0], part[1]), path, "--keep", keep, "--format", "csv"}, more...)
					want, _ := run(args...)
					got, stderr := run(append(args, "--trust-copc")...)
					if !bytes.Equal(got, want) {
						t.Errorf("%s: the rows differ: %s", args, stderr)
					}
					if strings.Contains(stderr, "skipped") {
						skipped++
					}
				}
			}
		}
		const info = 375 + 54
		moved := bytes.Clone(b)
		half := math.Float64frombits(binary.LittleEndian.Uint64(b[info+24:]))
		x := math.Float64frombits(binary.LittleEndian.Uint64(b[info:]))
		binary.LittleEndian.PutUint64(moved[info:], math.Float64bits(x+half/3))
		wrong := filepath.Join(t.TempDir(), "false.copc.laz")
		if err := os.WriteFile(wrong, moved, 0o666); err != nil {
			return err
		}
		mesh := boxMesh(t, b, 0.1, 0.9)
		want, _ := run(mesh, wrong, "--keep", "inside", "--format", "csv")
		got, stderr := run(mesh, wrong, "--keep", "inside", "--format", "csv", "--trust-copc")
		if !bytes.Equal(got, want) || !strings.Contains(stderr, "COPC") || strings.Contains(stderr, "skipped") {
			t.Errorf("%s: false boxes: %s", path, stderr)
		}
		return nil
	})
	if err != nil || files == 0 || skipped == 0 {
		t.Errorf("%d files, %d runs skipped nodes: %v", files, skipped, err)
	}
}

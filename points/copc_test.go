package points_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/internal/testlaz"
	"github.com/inpoly/inpoly/points/table"
)

// copcFile returns a small COPC file and the offset of its hierarchy.
func copcFile(t *testing.T) ([]byte, int64) {
	t.Helper()
	var b bytes.Buffer
	at, err := testlaz.WriteCOPC(&b, 2, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), at
}

func openCOPC(t *testing.T, b []byte) (*points.Reader, table.Octree) {
	t.Helper()
	r, err := points.NewReader("cloud", bytes.NewReader(b), points.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, r.Source().(table.Octree)
}

// TestCOPCSkips skips random nodes. The other rows must stay, in order.
func TestCOPCSkips(t *testing.T) {
	b, _ := copcFile(t)
	las, err := rewriteBytes(b, "las")
	if err != nil {
		t.Fatal(err)
	}
	all := records(las)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		r, tree := openCOPC(t, b)
		nodes, err := tree.Nodes()
		if err != nil {
			t.Fatal(err)
		}
		skip := make([]bool, len(nodes))
		var want []byte
		at := int64(0)
		for i, n := range nodes {
			size := n.Points * testlaz.RecordSize
			if skip[i] = random.IntN(20) < int(seed) || seed == 19; !skip[i] {
				want = append(want, all[at:at+size]...)
			}
			at += size
		}
		tree.SkipNodes(skip)
		var out bytes.Buffer
		job := points.Job{Format: "las", Drops: true, Answer: func(context.Context, *table.Block) error { return nil }}
		if _, err := job.Run(context.Background(), r, &out); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(records(out.Bytes()), want) {
			t.Errorf("seed %d: the rows differ", seed)
		}
	}
}

// TestCOPCFalseBoxes moves the cube, so the boxes do not contain their points. A larger cube contains
// the box of the header.
func TestCOPCFalseBoxes(t *testing.T) {
	b, _ := copcFile(t)
	for axis := range 3 {
		moved := bytes.Clone(b)
		binary.LittleEndian.PutUint64(moved[testlaz.InfoAt+8*axis:], math.Float64bits(500.5))
		_, smaller := openCOPC(t, moved)
		if _, err := smaller.Nodes(); !errors.Is(err, laz.ErrDamaged) {
			t.Errorf("the cube does not contain the points: error %v", err)
		}
		binary.LittleEndian.PutUint64(moved[testlaz.InfoAt+24:], math.Float64bits(501))
		r, tree := openCOPC(t, moved)
		if _, err := tree.Nodes(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := rewrite(r, "las", 2); !errors.Is(err, table.ErrNodeBox) {
			t.Errorf("axis %d: error %v", axis, err)
		}
		if _, err := rewriteBytes(moved, "las"); err != nil {
			t.Errorf("without Nodes: %v", err)
		}
	}
}

// TestCOPCDamaged damages the info record and the hierarchy.
func TestCOPCDamaged(t *testing.T) {
	b, page := copcFile(t)
	le := binary.LittleEndian
	for _, c := range []struct {
		name  string
		spoil func(b []byte)
		want  string
	}{
		{"half size", func(b []byte) { le.PutUint64(b[testlaz.InfoAt+24:], 0) }, "half size 0"},
		{"center", func(b []byte) { le.PutUint64(b[testlaz.InfoAt:], math.Float64bits(math.NaN())) }, "center"},
		{"cube", func(b []byte) { le.PutUint64(b[testlaz.InfoAt+24:], math.Float64bits(499)) }, "but the cube of COPC is"},
		{"root", func(b []byte) { le.PutUint64(b[testlaz.InfoAt+40:], 1<<40) }, "beyond the file"},
		{"root size", func(b []byte) { le.PutUint64(b[testlaz.InfoAt+48:], 33) }, "not whole entries"},
		{"huge root", func(b []byte) { le.PutUint64(b[testlaz.InfoAt+48:], 1<<62) }, "beyond the file"},
		{"depth", func(b []byte) { le.PutUint32(b[page:], 40) }, "no node has the key"},
		{"key", func(b []byte) { le.PutUint32(b[page+4:], 4) }, "no node has the key"},
		{"offset", func(b []byte) { b[page+16]++ }, "no node of the COPC hierarchy"},
		{"twice", func(b []byte) { copy(b[page+16:page+24], b[page+48:]) }, "more nodes than chunks"},
		{"bytes", func(b []byte) { b[page+24]++ }, "no node of the COPC hierarchy"},
		{"points", func(b []byte) { b[page+28]++ }, "no node of the COPC hierarchy"},
		{"negative", func(b []byte) { le.PutUint32(b[page+28:], 1<<31) }, "-2147483648 points"},
		{"missing", func(b []byte) { le.PutUint32(b[page+28:], 0) }, "no node of the COPC hierarchy"},
		{"loop", func(b []byte) {
			le.PutUint64(b[page+16:], uint64(page))
			le.PutUint32(b[page+24:], 32)
			le.PutUint32(b[page+28:], 1<<32-1)
		}, "a page occurs twice"},
	} {
		spoilt := bytes.Clone(b)
		c.spoil(spoilt)
		_, tree := openCOPC(t, spoilt)
		if _, err := tree.Nodes(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if _, err := rewriteBytes(spoilt, "las"); err != nil {
			t.Errorf("%s: the points do not need the hierarchy: %v", c.name, err)
		}
	}
}

// TestCOPCNodesOfCorpus checks that real hierarchies match their chunks.
func TestCOPCNodesOfCorpus(t *testing.T) {
	for _, path := range corpus(t, ".copc.laz") {
		r, err := points.Open(path, points.Options{})
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := r.Source().(table.Octree).Nodes()
		sum := int64(0)
		for _, n := range nodes {
			sum += n.Points
		}
		if err != nil || sum != r.Rows() {
			t.Errorf("%s: %d points in %d nodes: %v", filepath.Base(path), sum, len(nodes), err)
		}
		r.Close()
	}
}

// TestWriteCOPC writes a COPC file for measurements to the path in INPOLY_COPC, with about
// INPOLY_COPC_POINTS points.
func TestWriteCOPC(t *testing.T) {
	path := os.Getenv("INPOLY_COPC")
	if path == "" {
		t.Skip("INPOLY_COPC is not set")
	}
	n, err := strconv.Atoi(os.Getenv("INPOLY_COPC_POINTS"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	const depth = 3
	if _, err = testlaz.WriteCOPC(f, depth, max(1, n>>(3*depth)), nil); err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/side"
	"github.com/inpoly/inpoly/voxels"
)

func TestTruths(t *testing.T) {
	for _, c := range []struct {
		parity       byte
		winding      float64
		closed, open byte
	}{
		{0, 0, 0, 0},
		{1, 1, 1, 1},
		{1, -1, 1, 1},
		{0, 2, 1, 1}, // two shells overlap
		{2, 0.5, 2, 2},
		{3, 1, 3, 1},
		{1, 0, 3, 0}, // parity and winding number disagree
		{0, 1e-9, 0, 0},
		{1, 0.7, 3, 1},
		{0, 0.3, 3, 0},
		{0, 0.5 + 1e-9, 3, 3},
	} {
		if got := closedTruth(c.parity, c.winding); got != c.closed {
			t.Errorf("closed, parity %d, winding number %g: %d, want %d", c.parity, c.winding, got, c.closed)
		}
		if got := openTruth(c.parity, c.winding); got != c.open {
			t.Errorf("open, parity %d, winding number %g: %d, want %d", c.parity, c.winding, got, c.open)
		}
	}
}

func TestReadTruths(t *testing.T) {
	got, err := readTruths("0 1 1 1.000000000 1e-3\n1 0 1 -0.000000000 1e-3\n2 2 0 0.5 0.000e+00\n", 3, closedTruth)
	if want := []byte{1, 0, 2}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for name, bad := range map[string]string{
		"another point": "1 1 1 1 1\n", "too few": "0 1 1 1 1\n", "no number": "0 1 1 x\n", "too many": "0 1 1 1 1\n1 1 1 1 1\n2 1 1 1 1\n",
	} {
		if got, err := readTruths(bad, 2, closedTruth); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}

func TestVerdictAdd(t *testing.T) {
	var v verdict
	v.add(1, 1, 0)
	v.add(0, 1, 0)
	v.add(2, 2, 1)
	v.add(undecided, 0, 1)
	if want := (verdict{looked: 4, ours: 1, theirs: 2, open: 1}); v != want {
		t.Errorf("got %+v, want %+v", v, want)
	}
}

func TestRivalRatios(t *testing.T) {
	r := rivalRow{asked: 1000, few: 10, theirs: cost{1, 100}, ours: cost{3, 2}, oursForFew: cost{0.5, 0.5}}
	r.finish()
	if r.ratio != 50 || r.fewRatio != 2 || math.Abs(r.withBuild-101.0/5) > 1e-12 {
		t.Errorf("ratios %g, %g, %g, want 50, 2, 20.2", r.ratio, r.fewRatio, r.withBuild)
	}
}

// Without programs of peers, and without meshes, the table is empty.
func TestRivalsTableWithoutPeers(t *testing.T) {
	if _, err := cpuSeconds(); err != nil {
		t.Skip(err)
	}
	b := &bench{bin: t.TempDir(), data: t.TempDir(), tmp: t.TempDir(), threads: 2, calls: 1, most: 1000, limit: 1, quick: true, ctx: t.Context()}
	if err := b.rivalsTable(); err != nil {
		t.Error(err)
	}
}

// A peer can answer some of the points, and it can fail.
func TestRivalSet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	b := &bench{bin: "testdata", tmp: t.TempDir(), threads: 2, calls: 1, limit: 1, ctx: t.Context()}
	m := single(t, 2)
	pts := []r3.Vector{{X: 3}, {}, m.Vertices[0], {Y: 3}}
	rows, err := b.rivalSet(rivalMesh{}, "m", filepath.Join(b.tmp, "p"), "random", m, pts,
		[]rival{{name: "good", program: "good.sh"}, {name: "fails", program: "fails.sh"}, {name: "small", program: "good.sh", most: 1}})
	if err != nil || len(rows) != 2 {
		t.Fatalf("rows %+v, error %v", rows, err)
	}
	if r := rows[0]; r.answered != 3 || r.asked != 4 || r.differ != 0 || r.fails || r.theirs != (cost{1, 2}) {
		t.Errorf("good: %+v", r)
	}
	if !rows[1].fails {
		t.Errorf("fails: %+v", rows[1])
	}
}

// The bytes of the voxels are in the order of the centers that the referee judges.
func TestVoxelBytes(t *testing.T) {
	m := testmesh.Sphere(2)
	b := &bench{threads: 2, ctx: t.Context()}
	g, err := voxels.FitCounts(m.Box(), [3]int{3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	occupied, _, err := b.ourVoxels(m, g)
	if err != nil {
		t.Fatal(err)
	}
	pts := make([]r3.Vector, g.Len())
	for i := range pts {
		pts[i] = center(g, i)
	}
	_, sides, _, err := b.ourSides(m, pts)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sides {
		if inside := s != side.Outside; inside != (occupied[i] == 1) {
			t.Errorf("voxel %d: byte %d, center %v is %v", i, occupied[i], pts[i], s)
		}
	}
}

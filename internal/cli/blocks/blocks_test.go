package blocks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// TestStreamMemory writes models of 8 times as many blocks in each format. The memory must not grow.
func TestStreamMemory(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Sphere(3), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cols := []table.Column{{Name: "a", Kind: table.Number}, {Name: "a_bound", Kind: table.Bound}, {Name: "body", Kind: table.Label, Labels: []string{"a"}}}
	used := func(format string, subs, layers int) (most int64) {
		f := blocks.Frame{Origin: r3.Vector{X: -1, Y: -1, Z: -1}, Size: r3.Vector{X: 0.02, Y: 0.02, Z: 2 / float64(layers)}, Counts: [3]int{100, 100, layers}}
		m, err := blocks.New(t.Context(), []*inpoly.Solid{s}, f.Pose(), blocks.Options{SubLevels: subs})
		if err != nil {
			t.Fatal(err)
		}
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		source := newGrid(t.Context(), m, f, subs)
		defer source.close()
		source.vtk = func(g *grid, cols []table.Column) *vtkSink { return newVTK(g, t.TempDir(), format == "vti", cols) }
		n := 0
		job := points.Job{Columns: cols, Workers: 1, Answer: func(_ context.Context, b *table.Block) error {
			rows := &b.Source.(*piece).rows
			copy(b.Numbers[0], rows.Shares[0])
			copy(b.Numbers[1], rows.Bounds[0])
			return nil
		}, Progress: func(int64, int64) {
			if n++; n%16 == 0 || layers == 10 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, int64(now.HeapAlloc)-int64(before.HeapAlloc))
			}
		}}
		if format == "csv" || format == "parquet" {
			job.Format = format
		}
		if _, err := job.Run(t.Context(), points.FromSource("blocks", source, 0), io.Discard); err != nil {
			t.Fatal(err)
		}
		return most
	}
	for _, c := range []struct {
		format string
		subs   int
	}{{"csv", 0}, {"vti", 0}, {"vtu", 0}, {"vtu", 1}} {
		used(c.format, c.subs, 10) // the first model builds the tree of the solid
		few, many := used(c.format, c.subs, 10), used(c.format, c.subs, 80)
		if many > 2*max(few, 4<<20) {
			t.Errorf("%s, %d levels: 80 layers use %d bytes, but 10 layers use %d", c.format, c.subs, many, few)
		}
	}
}

// TestParts checks that a piece whose blocks become many sub-blocks is divided into parts of few rows, which have the
// rows of the whole frame in the same order.
func TestParts(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range [][3]int{{6, 5, 2}, {30, 1, 1}, {1, 1, 1}} {
		const subs = 5
		f := blocks.Frame{Origin: r3.Vector{X: 0.1, Y: 0.1, Z: 0.95}, Size: r3.Vector{X: 0.8 / float64(counts[0]), Y: 0.8 / float64(counts[1]), Z: 0.09}, Counts: counts}
		m, err := blocks.New(t.Context(), []*inpoly.Solid{s}, f.Pose(), blocks.Options{SubLevels: subs})
		if err != nil {
			t.Fatal(err)
		}
		var want blocks.Rows
		if err := m.Worker(t.Context()).Grid(&want, &f, [3]int{}, f.Counts); err != nil {
			t.Fatal(err)
		}
		source, at := newGrid(t.Context(), m, f, subs), 0
		for {
			var b table.Block
			if err := source.Fill(&b); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if err := source.Parse(&b); err != nil {
				t.Fatal(err)
			}
			rows := b.Source.(*piece).rows.Rows
			if len(rows) > 4*dividedMax {
				t.Errorf("counts %v: a part has %d rows", counts, len(rows))
			}
			if at+len(rows) > len(want.Rows) || !slices.Equal(rows, want.Rows[at:at+len(rows)]) {
				t.Fatalf("counts %v: %d rows from row %d are not those of the frame", counts, len(rows), at)
			}
			at += len(rows)
		}
		if at != len(want.Rows) || at < 1000 {
			t.Errorf("counts %v: %d rows, want %d", counts, at, len(want.Rows))
		}
	}
}

// TestInterrupted interrupts runs that write files of VTK, while blocks are computed and while the arrays are
// collected. No temporary file may remain.
func TestInterrupted(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Sphere(2), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := blocks.Frame{Origin: r3.Vector{X: -1, Y: -1, Z: -1}, Size: r3.Vector{X: 0.1, Y: 0.1, Z: 0.001}, Counts: [3]int{20, 20, 2000}}
	m, err := blocks.New(t.Context(), []*inpoly.Solid{s}, f.Pose(), blocks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, late := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		source, folder := newGrid(ctx, m, f, 0), t.TempDir()
		source.vtk = func(g *grid, cols []table.Column) *vtkSink { return newVTK(g, folder, false, cols) }
		job := points.Job{Columns: []table.Column{{Name: "a", Kind: table.Number}}, Answer: func(context.Context, *table.Block) error { return nil }}
		var w io.Writer = io.Discard
		if late {
			w = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
		} else {
			job.Progress = func(int64, int64) { cancel() }
		}
		if _, err := job.Run(ctx, points.FromSource("blocks", source, 0), w); !errors.Is(err, context.Canceled) {
			t.Errorf("late %v: error %v", late, err)
		}
		source.close()
		if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
			t.Errorf("late %v: files %v remain, error %v", late, list, err)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSpread checks that each beginning of the sequence leaves no gap above twice its mean distance.
func TestSpread(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 100} {
		list := spread(n)
		for k := 1; k <= len(list); k++ {
			front := slices.Sorted(slices.Values(append(slices.Clone(list[:k]), n)))
			for i := range k {
				width := 1
				for width < n {
					width *= 2
				}
				if gap := front[i+1] - front[i]; gap > 2*(width/k+1) {
					t.Errorf("%d of %d: gap %d in %v", k, n, gap, front)
				}
			}
		}
		if slices.Sort(list); len(list) != n || list[0] != 0 || list[n-1] != n-1 || len(slices.Compact(list)) != n {
			t.Errorf("%d: %v", n, list)
		}
	}
}

// TestTally checks that sums do not depend on the order of parts, and that they contain the exact sum.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	const n = 1000
	values := make([]float64, n)
	for i := range values {
		values[i] = r.ExpFloat64()
	}
	sum := func(order []int) (float64, float64) {
		total := newTally(1)
		for _, i := range order {
			part := newTally(1)
			rows := blocks.Rows{Rows: make([]blocks.Row, 2), Shares: [][]float64{{values[i], 0.1}}, Bounds: [][]float64{{0, 0}}}
			part.add(&rows, 0, 1)
			part.add(&rows, 1, 3)
			total.merge(part)
		}
		return total.volume(0)
	}
	first, bound := sum(r.Perm(n))
	for range 20 {
		if v, _ := sum(r.Perm(n)); v != first {
			t.Fatalf("sums %v and %v", first, v)
		}
	}
	if bound <= 0 || bound > 1e-11 {
		t.Errorf("bound %g", bound)
	}
}

// TestVolumeFar computes the volume of a cube far from the origin, where the planes between blocks are rounded.
// The sides of the cube are exact in float64.
func TestVolumeFar(t *testing.T) {
	lo := r3.Vector{X: 412345.125, Y: 7654321.25, Z: -1e6}
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Cube(lo, lo.Add(r3.Vector{X: 1, Y: 1, Z: 1}))), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, subs := range []int{0, 1} {
		f := blocks.Frame{Origin: lo.Sub(r3.Vector{X: 0.1, Y: 0.1, Z: 0.1}), Size: r3.Vector{X: 0.3, Y: 0.3, Z: 0.3}, Counts: [3]int{5, 5, 5}}
		m, err := blocks.New(t.Context(), []*inpoly.Solid{s}, f.Pose(), blocks.Options{SubLevels: subs})
		if err != nil {
			t.Fatal(err)
		}
		r := &run{Run: lines.Run{Flags: &lines.Flags{}}, frame: f, order: []int{0}, model: m}
		sum := newTally(1)
		job := points.Job{Columns: []table.Column{{Name: "a", Kind: table.Number}, {Name: "a_bound", Kind: table.Bound}, {Name: "body", Kind: table.Label, Labels: []string{"a"}}},
			Format: "csv", Answer: func(ctx context.Context, b *table.Block) error { return r.answer(ctx, b, sum) }}
		if _, err := job.Run(t.Context(), points.FromSource("blocks", newGrid(t.Context(), m, f, subs), 0), io.Discard); err != nil {
			t.Fatal(err)
		}
		v, e := sum.volume(0)
		if unit := f.Grid().Volume(); math.Abs(v*unit-1) > e*unit || e > 1e-6 {
			t.Errorf("%d levels: volume %.17g ± %g, want 1", subs, v*unit, e*unit)
		}
	}
}

// TestTallyInfinite adds volumes that float64 cannot hold.
func TestTallyInfinite(t *testing.T) {
	for _, c := range []struct{ x, e, v, bound float64 }{
		{0, 0, 3, 0}, {0, 1e-12, 3, math.Inf(1)}, {0.5, 0, math.Inf(1), math.Inf(1)},
	} {
		total := newTally(1)
		for range 2 {
			part := newTally(1)
			rows := blocks.Rows{Rows: make([]blocks.Row, 3), Shares: [][]float64{{c.x, 1, c.x}}, Bounds: [][]float64{{c.e, 0, c.e}}}
			part.add(&rows, 0, math.Inf(1))
			part.add(&rows, 1, 1.5)
			part.add(&rows, 2, math.Inf(1))
			total.merge(part)
		}
		if v, e := total.volume(0); v != c.v || !(e >= c.bound) || c.bound == 0 && e > 1e-14 {
			t.Errorf("shares %g ± %g: volume %g ± %g, want %g ± %g", c.x, c.e, v, e, c.v, c.bound)
		}
	}
}

// TestPriority checks orders and refusals.
func TestPriority(t *testing.T) {
	names := []string{"ore", "waste", "1"}
	for _, c := range []struct{ value, want string }{
		{"", "[0 1 2]"}, {"waste", "[1 0 2]"}, {"3", "[2 0 1]"}, {"1", "[2 0 1]"}, {" waste , ore", "[1 0 2]"}, {"2,1", "[1 2 0]"},
		{"wase", `--priority "wase": expected names of solids, or their numbers from 1`}, {"0", "--priority 0: there are 3 solids"}, {"4", "--priority 4: there are 3 solids"},
		{"ore,ore", "--priority: ore occurs twice"}, {"ore,,waste", `--priority "": expected names of solids, or their numbers from 1`},
	} {
		order, err := parsePriority(c.value, names)
		got := fmt.Sprint(order)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.value, got, c.want)
		}
	}
}

package blocks

import (
	"runtime"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// TestMemory computes models of 30 times as many blocks in pieces of one size. The memory of the worker and
// of the rows must not grow.
func TestMemory(t *testing.T) {
	s := solidOf(t, testmesh.Sphere(3), inpoly.Options{})
	used := func(layers int) int64 {
		f := Frame{Origin: r3.Vector{X: -1, Y: -1, Z: -1}, Size: r3.Vector{X: 0.03, Y: 0.03, Z: 2 / float64(layers)}, Counts: [3]int{70, 70, layers}}
		m, err := New(t.Context(), []*inpoly.Solid{s}, f.Pose(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		w, n := m.Worker(t.Context()), 0
		var rows Rows
		next := f.Grid().Pieces(5000, 1)
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			if err := w.Grid(&rows, &f, lo, hi); err != nil {
				t.Fatal(err)
			}
			n += len(rows.Rows)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if n != 70*70*layers {
			t.Fatalf("%d rows", n)
		}
		runtime.KeepAlive(w)
		runtime.KeepAlive(rows)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	used(10) // the first model builds the tree of the solid
	few, many := used(10), used(300)
	if many > 2*max(few, 1<<20) {
		t.Errorf("300 layers use %d bytes, but 10 layers use %d", many, few)
	}
}

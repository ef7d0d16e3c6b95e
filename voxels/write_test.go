package voxels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// The values equal the sides and winding numbers of the centers, for every method.
func TestCenters(t *testing.T) {
	for _, c := range solids(t) {
		for _, method := range []inpoly.Method{inpoly.Cells, inpoly.RayCrossing, inpoly.Direct} {
			if method == inpoly.Direct && c.mesh.NumFaces() > 1000 {
				continue // the direct sum would take too long for so many triangles
			}
			s := newSolid(t, c.mesh, inpoly.Options{Method: method})
			g := around(t, c.mesh, c.spacing)
			pts := centers(g)
			sides := make([]inpoly.Side, len(pts))
			w, bound := make([]float64, len(pts)), make([]float64, len(pts))
			if err := s.SidesTo(t.Context(), sides, pts); err != nil {
				t.Fatal(err)
			}
			if err := s.WindingsTo(t.Context(), w, bound, pts); err != nil {
				t.Fatal(err)
			}
			in, sum := raw(t, s, g, Options{})
			wide, sumW := raw(t, s, g, Options{Quantity: Winding, Float64: true, Error: true})
			narrow, _ := raw(t, s, g, Options{Quantity: Winding, Error: true})
			plain, _ := raw(t, s, g, Options{Quantity: Winding})
			var count [4]int64
			largest := 0.0
			for i, side := range sides {
				count[side]++
				largest = max(largest, bound[i])
				want := map[inpoly.Side]float64{inpoly.Inside: 1, inpoly.OnSurface: 1, inpoly.Unknown: 255}[side]
				if in[i] != want {
					t.Fatalf("%s, %v, voxel %d at %v: %v, want %v", c.name, method, i, pts[i], in[i], want)
				}
				if wide[2*i] != w[i] || wide[2*i+1] != bound[i] {
					t.Fatalf("%s, %v, voxel %d at %v: W = %v ± %v, want %v ± %v", c.name, method, i, pts[i], wide[2*i], wide[2*i+1], w[i], bound[i])
				}
				if v := float64(float32(w[i])); narrow[2*i] != v || plain[i] != v || narrow[2*i+1] < bound[i]+math.Abs(v-w[i]) {
					t.Fatalf("%s, %v, voxel %d at %v: W = %v ± %v and %v as float32, want %v ± %v", c.name, method, i, pts[i], narrow[2*i], narrow[2*i+1], plain[i], w[i], bound[i])
				}
			}
			for _, sum := range []Summary{sum, sumW} {
				if got := [4]int64{sum.Uncertain, sum.Outside, sum.On, sum.Inside}; got != count {
					t.Errorf("%s, %v: counts %v, want %v", c.name, method, got, count)
				}
				if want := float64(count[inpoly.Inside]+count[inpoly.OnSurface]) * g.Volume(); math.Abs(sum.Volume-want) > 1e-12*want {
					t.Errorf("%s, %v: volume %g, want %g", c.name, method, sum.Volume, want)
				}
			}
			if sumW.MaxBound != largest {
				t.Errorf("%s, %v: largest bound %g, want %g", c.name, method, sumW.MaxBound, largest)
			}
		}
	}
}

// Pieces of long rows and of large slices cover the grid in order.
func TestPieces(t *testing.T) {
	s := newSolid(t, testmesh.Sphere(2), inpoly.Options{Method: inpoly.Cells})
	for _, counts := range [][3]int{{5, 3, 2}, {1, 1, 1}, {maxSlice + 5, 1, 2}, {1 << 12, maxSlice>>12 + 3, 1}, {7, maxSlice/7 + 9, 1}} {
		g := Grid{Origin: r3.Vector{X: -1.1, Y: -1.1, Z: -0.3}, Counts: counts}
		g.Spacing = r3.Vector{X: 2.2 / float64(counts[0]), Y: 2.2 / float64(counts[1]), Z: 0.7 / float64(counts[2])}
		got, _ := raw(t, s, g, Options{})
		step := max(1, g.Len()/5000)
		for n := 0; n < g.Len(); n += step {
			p := g.Center(n%counts[0], n/counts[0]%counts[1], n/counts[0]/counts[1])
			if side := s.Side(p); (side != inpoly.Outside) != (got[n] == 1) {
				t.Fatalf("%v, voxel %d at %v: %v, want %v", counts, n, p, got[n], side)
			}
		}
		// Each voxel belongs to exactly one piece.
		a := sampler{grid: g}
		for _, a.opt.Quantity = range []Quantity{Occupancy, Winding} {
			next, at := a.pieces(), 0
			for b, ok := next(); ok; b, ok = next() {
				whole := block{hi: counts}
				if b.len() < 1 || b.len() > a.pieceLimit() || whole.index(b.lo[0], b.lo[1], b.lo[2]) != at {
					t.Fatalf("%v: piece %v after %d voxels", counts, b, at)
				}
				at += b.len()
				if whole.index(b.hi[0]-1, b.hi[1]-1, b.hi[2]-1) != at-1 {
					t.Fatalf("%v: piece %v is not contiguous in the array", counts, b)
				}
			}
			if at != g.Len() {
				t.Fatalf("%v: pieces cover %d of %d voxels", counts, at, g.Len())
			}
		}
	}
}

// The bytes and the summary do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for _, c := range solids(t) {
		for _, opt := range []Options{{}, {Quantity: Winding, Error: true}, {Quantity: Fraction, Samples: 3, Error: true, Float64: true}} {
			var want []byte
			var first Summary
			for _, workers := range []int{1, 2, 7} {
				if workers == 2 && testing.Short() {
					continue
				}
				s := newSolid(t, c.mesh, inpoly.Options{Method: inpoly.Cells, Workers: workers})
				opt.Workers = workers
				var b bytes.Buffer
				sum, err := Write(t.Context(), &b, s, around(t, c.mesh, c.spacing), opt)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want, first = b.Bytes(), sum
				}
				if !bytes.Equal(b.Bytes(), want) || sum != first {
					t.Errorf("%s, %v with %d workers: other bytes or summary %+v, want %+v", c.name, opt.Quantity, workers, sum, first)
				}
			}
		}
	}
}

// The winding numbers that multipoles compute for an open mesh are reproducible.
func TestRepeatable(t *testing.T) {
	m := testmesh.Mesh(testmesh.Hemisphere(4))
	for _, method := range []inpoly.Method{inpoly.Auto, inpoly.FMM} {
		for _, opt := range []Options{{Quantity: Winding, Float64: true, Error: true}, {Quantity: Fraction, Samples: 2, Error: true}} {
			var want []float64
			for range 2 {
				// The run has many more points than expected, so the index is replaced during the
				// run.
				s := newSolid(t, m, inpoly.Options{Method: method, Epsilon: 1e-6, ExpectedPoints: 10, Workers: 3})
				opt.Workers = 3
				got, _ := raw(t, s, around(t, m, r3.Vector{X: 0.08, Y: 0.08, Z: 0.08}), opt)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v by %v: other values than before", opt.Quantity, method)
				}
			}
		}
	}
}

// watcher is a writer that records the largest size of the heap.
type watcher struct {
	bytes int64
	calls int
	heap  uint64
}

func (w *watcher) Write(p []byte) (int, error) {
	w.bytes += int64(len(p))
	if w.calls++; w.calls%16 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.heap = max(w.heap, m.HeapAlloc)
	}
	return len(p), nil
}

// Memory for a large grid is limited to some slices. The grid has 8 GB with INPOLY_FULL, and 240 MB
// otherwise.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not races: the race detector takes ten times as long")
	}
	n, slices := 2000, 60
	if os.Getenv("INPOLY_FULL") == "1" {
		slices = 2000
	}
	m := testmesh.Sphere(5)
	s := newSolid(t, m, inpoly.Options{Method: inpoly.Cells})
	g, err := FitCounts(m.Box(), [3]int{n, n, slices})
	if err != nil {
		t.Fatal(err)
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var w watcher
	sum, err := Write(t.Context(), &w, s, g, Options{Format: Raw, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if w.bytes != int64(g.Len()) {
		t.Errorf("%d bytes, want %d", w.bytes, g.Len())
	}
	// The limit counts three pieces of 8 MB twice, because the garbage collector runs late. The
	// rest is for batches of queries.
	if used := int64(w.heap) - int64(before.HeapAlloc); used > 100<<20 {
		t.Errorf("heap of %d MB beyond the solid, want below 100", used>>20)
	}
	volume := s.Report().Diagnosis.Volume
	if d := math.Abs(sum.Volume - volume); d > 0.01*volume {
		t.Errorf("volume %g, the mesh has %g", sum.Volume, volume)
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

// The run ends with an error if the writer or the context fails at any piece.
func TestInterrupted(t *testing.T) {
	s := newSolid(t, testmesh.Sphere(2), inpoly.Options{})
	g := around(t, s.Mesh(), r3.Vector{X: 0.05, Y: 0.05, Z: 0.05})
	for _, q := range []Quantity{Occupancy, Winding, Fraction} {
		opt := Options{Quantity: q, Format: VTI}
		if q == Fraction {
			opt.Samples = 2
		}
		for _, left := range []int{0, 600, 20000} {
			if _, err := Write(t.Context(), &failing{left}, s, g, opt); !errors.Is(err, os.ErrClosed) {
				t.Errorf("%v, writer that fails after %d bytes: %v", q, left, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		opt.Progress = func(done, total int64) {
			if done > total/2 {
				cancel()
			}
		}
		if _, err := Write(ctx, &bytes.Buffer{}, s, g, opt); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, canceled halfway: %v", q, err)
		}
		var b bytes.Buffer
		if _, err := Write(ctx, &b, s, g, opt); !errors.Is(err, context.Canceled) || b.Len() > 0 {
			t.Errorf("%v, canceled before: %v and %d bytes", q, err, b.Len())
		}
	}
}

// The progress increases up to the number of voxels.
func TestProgress(t *testing.T) {
	s := newSolid(t, testmesh.Sphere(2), inpoly.Options{})
	g := around(t, s.Mesh(), r3.Vector{X: 0.1, Y: 0.1, Z: 0.1})
	last := int64(0)
	opt := Options{Progress: func(done, total int64) {
		if done <= last || total != int64(g.Len()) {
			t.Errorf("%d of %d after %d, want more of %d", done, total, last, g.Len())
		}
		last = done
	}}
	if _, err := Write(t.Context(), &bytes.Buffer{}, s, g, opt); err != nil || last != int64(g.Len()) {
		t.Errorf("%v, %d of %d voxels reported", err, last, g.Len())
	}
}

// For a mesh without faces, all voxels are outside.
func TestEmptyMesh(t *testing.T) {
	s := newSolid(t, testmesh.Mesh(mesh.Soup{}), inpoly.Options{})
	g := Grid{Spacing: r3.Vector{X: 1, Y: 1, Z: 1}, Counts: [3]int{3, 2, 4}}
	for _, opt := range []Options{{}, {Quantity: Winding}, {Quantity: Fraction, Samples: 2}} {
		values, sum := raw(t, s, g, opt)
		for _, v := range values {
			if v != 0 {
				t.Errorf("%v: %v", opt.Quantity, values)
			}
		}
		if sum.Outside != 24 || sum.Volume != 0 || sum.VolumeError != 0 {
			t.Errorf("%v: %+v", opt.Quantity, sum)
		}
	}
}

func ExampleWrite() {
	ctx := context.Background()
	solid, err := inpoly.New(ctx, testmesh.Sphere(4), inpoly.Options{})
	if err != nil {
		panic(err)
	}
	grid, err := FitSpacing(solid.Mesh().Box(), r3.Vector{X: 0.1, Y: 0.1, Z: 0.2})
	if err != nil {
		panic(err)
	}
	var array bytes.Buffer
	sum, err := Write(ctx, &array, solid, grid, Options{Quantity: Fraction, Samples: 4})
	if err != nil {
		panic(err)
	}
	fmt.Println(grid.Counts, array.Len(), "bytes")
	fmt.Printf("volume %.2f ± %.2f, of the mesh %.2f\n", sum.Volume, sum.VolumeError, solid.Report().Diagnosis.Volume)
	// Output:
	// [20 20 10] 16128 bytes
	// volume 4.17 ± 0.39, of the mesh 4.16
}

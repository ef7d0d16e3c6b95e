package cells_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

func ordered() map[string]*mesh.Mesh {
	return map[string]*mesh.Mesh{
		"star":        testmesh.Mesh(testmesh.Star(4, .75, 1)),
		"overlapping": testmesh.Mesh(testmesh.Overlapping()),
		"hemisphere":  testmesh.Mesh(testmesh.Hemisphere(2)),
		"degenerate":  testmesh.Mesh(testmesh.WithDegenerate(testmesh.Star(2, .5, 2), 30, 2)),
	}
}

// The number of workers and the order of the points change neither the sides nor the counts.
// SidesTo works for batches of any length.
func TestSidesDeterministic(t *testing.T) {
	for name, m := range ordered() {
		w := newTwin(t.Context(), t, name, m, cells.Options{}, side.NonZero)
		x := w.index[0]
		pts := vectors(w.spots(rounds(1500, 100_000), 5))
		want := make([]side.Side, len(pts))
		stats, err := x.SidesTo(t.Context(), want, pts, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{0, 1, 2, 7} {
			got := make([]side.Side, len(pts))
			st, err := x.SidesTo(t.Context(), got, pts, workers)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d workers give other sides than one", name, workers)
			}
			if st != stats {
				t.Errorf("%s: %d workers: counts %+v, want %+v as for one worker", name, workers, st, stats)
			}
		}
		back, got := slices.Clone(pts), make([]side.Side, len(pts))
		slices.Reverse(back)
		st, err := x.SidesTo(t.Context(), got, back, 2)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(got)
		if !slices.Equal(got, want) || st != stats {
			t.Errorf("%s: the reverse order gives other sides or counts: %+v, want %+v", name, st, stats)
		}
		// Query batches of a few points, and single points without a Scratch.
		for lo, n := 0, 1; lo < len(pts); lo, n = lo+n, n%16+1 {
			hi := min(lo+n, len(pts))
			st, err := x.SidesTo(t.Context(), got[lo:hi], pts[lo:hi], 1)
			if err != nil || !slices.Equal(got[lo:hi], want[lo:hi]) || st.Points != uint64(hi-lo) {
				t.Fatalf("%s: points %d to %d: sides %v, want %v, %d counted, error %v", name, lo, hi, got[lo:hi], want[lo:hi], st.Points, err)
			}
			if d := x.Side(pts[lo], nil); d != want[lo] {
				t.Errorf("%s: point %d without a Scratch: %v, want %v", name, lo, d, want[lo])
			}
		}
		// The lengths of the batches are 0 and numbers near powers of two.
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 257, 1023, 1025} {
			n = min(n, len(pts))
			got := make([]side.Side, n)
			if st, err := x.SidesTo(t.Context(), got, pts[:n], 2); err != nil || !slices.Equal(got, want[:n]) || st.Points != uint64(n) {
				t.Errorf("%s: a batch of %d points: error %v, %d counted, sides right: %v", name, n, err, st.Points, slices.Equal(got, want[:n]))
			}
		}
	}
}

// All points of a batch are equal, or in one cell, or outside of the box.
func TestSidesOneSided(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(3, .5, 3))
	w := newTwin(t.Context(), t, "star", m, cells.Options{}, side.NonZero)
	r := newRand(17)
	v := m.Triangle(3)[0]
	for name, point := range map[string]func() r3.Vector{
		"a vertex":        func() r3.Vector { return v },
		"the center":      func() r3.Vector { return r3.Vector{} },
		"near a vertex":   func() r3.Vector { return v.Add(at(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(1e-9)) },
		"far away":        func() r3.Vector { return at(1e9*r.NormFloat64(), 1e9, 0) },
		"beside the box":  func() r3.Vector { return at(1.0001, r.Float64(), r.Float64()) },
		"not finite":      func() r3.Vector { return oddSpots(1)[r.IntN(7)].Vector },
		"here and not":    func() r3.Vector { return []r3.Vector{v, oddSpots(1)[r.IntN(7)].Vector}[r.IntN(2)] },
		"here and beyond": func() r3.Vector { return []r3.Vector{v.Mul(.99), at(1e300, 0, 0)}[r.IntN(2)] },
	} {
		spots := make([]spot, 20_000)
		for i := range spots {
			spots[i] = spot{point(), name}
		}
		w.check(t.Context(), t, spots, 2)
	}
}

func TestSidesLengthMismatchPanics(t *testing.T) {
	w := newTwin(t.Context(), t, "cube", testmesh.Mesh(box(0, 1)), cells.Options{}, side.NonZero)
	defer func() {
		if recover() == nil {
			t.Error("no panic for slices of different lengths")
		}
	}()
	_, _ = w.index[0].SidesTo(t.Context(), make([]side.Side, 2), make([]r3.Vector, 3), 1)
}

// Many goroutines query one index concurrently. Several goroutines can call Rays.
func TestConcurrent(t *testing.T) {
	for name, m := range ordered() {
		w := newTwin(t.Context(), t, name, m, cells.Options{}, side.NonZero)
		spots := w.spots(rounds(200, 10_000), 6)
		want := make([]side.Side, len(spots))
		if _, err := w.rays[0].SidesTo(t.Context(), want, vectors(spots), 0); err != nil {
			t.Fatal(err)
		}
		x, err := cells.New(t.Context(), m, cells.Options{Rays: raysOf(m, side.NonZero)})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for g := range 8 {
			group.Go(func() {
				if g%2 == 0 {
					var s cells.Scratch
					for i, p := range spots {
						if got := x.Side(p.Vector, &s); got != want[i] {
							t.Errorf("%s: goroutine %d: %s (%s): side %v, want %v", name, g, hex(p.Vector), p.kind, got, want[i])
							return
						}
					}
					return
				}
				got := make([]side.Side, len(spots))
				if _, err := x.SidesTo(context.Background(), got, vectors(spots), g); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: goroutine %d: error %v, sides right: %v", name, g, err, slices.Equal(got, want))
				}
			})
		}
		group.Wait()
	}
}

// After the Caster and the working memory exist, queries allocate nothing. The exception is a sign
// that needs arbitrary precision.
func TestNoAllocation(t *testing.T) {
	for name, m := range ordered() {
		w := newTwin(t.Context(), t, name, m, cells.Options{}, side.NonZero)
		x := w.index[0]
		var pts []r3.Vector
		for _, p := range w.spots(5000, 7) {
			var s cells.Scratch
			x.Side(p.Vector, &s)
			// Skip points for which the Caster needs an exact stage.
			var ray raycross.Scratch
			w.rays[0].Side(p.Vector, &ray)
			if a, b := s.Stats(), ray.Stats(); a.Exact+a.Reference+b.Exact+b.Reference == 0 {
				pts = append(pts, p.Vector)
			}
		}
		if len(pts) < 2000 {
			t.Errorf("%s: only %d points need no exact last stage", name, len(pts))
		}
		dst := make([]side.Side, len(pts))
		var stats side.Stats
		if n := testing.AllocsPerRun(5, func() { stats, _ = x.SidesTo(context.Background(), dst, pts, 1) }); n != 0 {
			t.Errorf("%s: SidesTo allocates %v times, want 0", name, n)
		}
		if !slices.Contains(dst, side.OnSurface) || !slices.Contains(dst, side.Outside) {
			t.Errorf("%s: no point is on the surface, or none is outside: %+v", name, stats)
		}
		i := 0
		if n := testing.AllocsPerRun(len(pts), func() {
			var s cells.Scratch
			dst[i%len(pts)] = x.Side(pts[i%len(pts)], &s)
			i++
		}); n != 0 {
			t.Errorf("%s: Side allocates %v times, want 0", name, n)
		}
	}
}

// A Scratch counts all points and, separately, the undecided points.
func TestScratchStats(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(3, .5, 4))
	w := newTwin(t.Context(), t, "star", m, cells.Options{}, side.NonZero)
	var s cells.Scratch
	undecided := uint64(0)
	spots := w.spots(500, 8)
	for i, p := range spots {
		if w.index[0].Side(p.Vector, &s) == side.Unknown {
			undecided++
		}
		if st := s.Stats(); st.Points != uint64(i+1) || st.Undecided != undecided {
			t.Fatalf("%d points and %d undecided counted after %d and %d", st.Points, st.Undecided, i+1, undecided)
		}
	}
	if undecided == 0 {
		t.Error("all points are finite: the test should have some that are not")
	}
}

package voxels

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
)

func box(lo, hi r3.Vector) bvh.Box { return bvh.Box{Min: lo, Max: hi} }

func TestFitSpacing(t *testing.T) {
	for _, c := range []struct {
		name    string
		box     bvh.Box
		spacing r3.Vector
		want    [3]int
	}{
		{"exact", box(r3.Vector{}, r3.Vector{X: 1, Y: 2, Z: 3}), r3.Vector{X: 0.5, Y: 0.5, Z: 1}, [3]int{2, 4, 3}},
		{"sticks out", box(r3.Vector{}, r3.Vector{X: 1, Y: 2, Z: 3}), r3.Vector{X: 0.3, Y: 0.7, Z: 4}, [3]int{4, 3, 1}},
		{"decimals", box(r3.Vector{}, r3.Vector{X: 0.3, Y: 1.1, Z: 0.7}), r3.Vector{X: 0.1, Y: 0.1, Z: 0.1}, [3]int{3, 11, 7}},
		{"decimals far off", box(r3.Vector{X: 1000.1, Y: -0.1, Z: -7.3}, r3.Vector{X: 1000.4, Y: 0.2, Z: -7}), r3.Vector{X: 0.1, Y: 0.1, Z: 0.1}, [3]int{3, 3, 3}},
		{"flat", box(r3.Vector{X: 1, Y: 1, Z: 1}, r3.Vector{X: 2, Y: 1, Z: 2}), r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, [3]int{2, 1, 2}},
		{"a point", box(r3.Vector{}, r3.Vector{}), r3.Vector{X: 1, Y: 1, Z: 1}, [3]int{1, 1, 1}},
	} {
		g, err := FitSpacing(c.box, c.spacing)
		if err != nil || g.Counts != c.want || g.Origin != c.box.Min || g.Spacing != c.spacing {
			t.Errorf("%s: %+v, %v; want %v voxels", c.name, g, err, c.want)
		}
	}
}

// A fitted grid covers its box up to rounding. With one voxel fewer, the grid would not cover the
// box.
func TestFitSpacingProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-1e3, 1e3)
		lo := r3.Vector{X: at.Draw(t, "x"), Y: at.Draw(t, "y"), Z: at.Draw(t, "z")}
		length := rapid.Float64Range(0, 100)
		size := [3]float64{length.Draw(t, "dx"), length.Draw(t, "dy"), length.Draw(t, "dz")}
		step := rapid.Float64Range(0.01, 50)
		h := [3]float64{step.Draw(t, "hx"), step.Draw(t, "hy"), step.Draw(t, "hz")}
		g, err := FitSpacing(box(lo, lo.Add(vector(size))), vector(h))
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range g.Counts {
			long := components(lo.Add(vector(size)))[k] - components(lo)[k]
			const off = 1e-11 // about 1000 times the rounding error of a coordinate near 100
			if float64(n)*h[k] < long-off || n > 1 && float64(n-1)*h[k] > long+off {
				t.Fatalf("%d voxels of %g for %g", n, h[k], long)
			}
		}
	})
}

func TestFitCounts(t *testing.T) {
	g, err := FitCounts(box(r3.Vector{X: -1}, r3.Vector{X: 1, Y: 3, Z: 1}), [3]int{4, 3, 10})
	want := Grid{Origin: r3.Vector{X: -1}, Spacing: r3.Vector{X: 0.5, Y: 1, Z: 0.1}, Counts: [3]int{4, 3, 10}}
	if err != nil || g != want {
		t.Errorf("%+v, %v; want %+v", g, err, want)
	}
	if c, want := g.Center(1, 2, 0), (r3.Vector{X: -0.25, Y: 2.5, Z: 0.05}); c != want {
		t.Errorf("center %v, want %v", c, want)
	}
}

func TestMargin(t *testing.T) {
	b, err := Margin(box(r3.Vector{}, r3.Vector{X: 1}), 0.5)
	if want := box(r3.Vector{X: -0.5, Y: -0.5, Z: -0.5}, r3.Vector{X: 1.5, Y: 0.5, Z: 0.5}); err != nil || b != want {
		t.Errorf("%v, %v; want %v", b, err, want)
	}
}

func TestGridErrors(t *testing.T) {
	unit := box(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1})
	one := r3.Vector{X: 1, Y: 1, Z: 1}
	nan, inf := math.NaN(), math.Inf(1)
	fit := func(b bvh.Box, h r3.Vector) error { _, err := FitSpacing(b, h); return err }
	count := func(b bvh.Box, n ...int) error { _, err := FitCounts(b, [3]int(n)); return err }
	margin := func(b bvh.Box, m float64) error { _, err := Margin(b, m); return err }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"spacing 0", fit(unit, r3.Vector{X: 1, Z: 1}), "spacing 0 along y: must be finite and positive"},
		{"negative spacing", fit(unit, r3.Vector{X: -1, Y: 1, Z: 1}), "spacing -1 along x: must be finite and positive"},
		{"NaN spacing", fit(unit, r3.Vector{X: 1, Y: 1, Z: nan}), "spacing NaN along z: must be finite and positive"},
		{"infinite spacing", fit(unit, r3.Vector{X: 1, Y: 1, Z: inf}), "spacing +Inf along z: must be finite and positive"},
		{"tiny spacing", fit(unit, r3.Vector{X: 1, Y: 1, Z: 1e-300}), "spacing 1e-300 along z: 1e+300 voxels exceed the limit of"},
		{"too many in all", fit(unit, r3.Vector{X: 1e-13, Y: 1e-13, Z: 1}), "too many"},
		{"below resolution", fit(box(r3.Vector{X: 1e15}, r3.Vector{X: 1e15 + 10, Y: 1, Z: 1}), r3.Vector{X: 0.25, Y: 1, Z: 1}), "must exceed the resolution"},
		{"empty box", fit(bvh.EmptyBox(), one), ErrNoBox.Error()},
		{"infinite box", fit(box(r3.Vector{}, r3.Vector{X: inf}), one), "along x: must be finite"},
		{"box that overflows", fit(box(r3.Vector{X: -1.5e308}, r3.Vector{X: 1.5e308}), one), "along x: must be finite"},
		{"NaN box", fit(box(r3.Vector{X: nan}, r3.Vector{X: 1}), one), ErrNoBox.Error()},
		{"no voxels", count(unit, 1, 0, 1), "0 voxels along y: must be from 1 to"},
		{"negative voxels", count(unit, 1, 1, -5), "-5 voxels along z: must be from 1 to"},
		{"flat box", count(box(r3.Vector{}, r3.Vector{X: 1, Y: 1}), 2, 2, 2), "no extent along z"},
		{"overflow", count(unit, maxCount, maxCount, maxCount), "too many"},
		{"negative margin", margin(unit, -1), "margin -1: must be a finite length"},
		{"NaN margin", margin(unit, nan), "margin NaN: must be a finite length"},
		{"margin of nothing", margin(bvh.EmptyBox(), 1), ErrNoBox.Error()},
		{"below all resolution", Grid{Spacing: r3.Vector{X: 1, Y: 1e-323, Z: 1}, Counts: [3]int{1, 1, 1}}.Check(), "spacing 1e-323 along y: must exceed"},
		{"infinite origin", Grid{Origin: r3.Vector{X: -inf}, Spacing: one, Counts: [3]int{1, 1, 1}}.Check(), "corners must be finite"},
		{"infinite end", Grid{Spacing: r3.Vector{X: 1e308, Y: 1, Z: 1}, Counts: [3]int{5, 1, 1}}.Check(), "corners must be finite"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	if err := fit(bvh.EmptyBox(), one); !errors.Is(err, ErrNoBox) {
		t.Errorf("empty box: %v is not ErrNoBox", err)
	}
}

func TestOptionErrors(t *testing.T) {
	s := newSolid(t, testmesh.Sphere(1), inpoly.Options{})
	soft := newSolid(t, testmesh.Sphere(1), inpoly.Options{Tolerance: 0.1})
	g := Grid{Spacing: r3.Vector{X: 1, Y: 1, Z: 1}, Counts: [3]int{2, 2, 2}}
	fine := Grid{Origin: r3.Vector{X: 1e15}, Spacing: r3.Vector{X: 4, Y: 1, Z: 1}, Counts: [3]int{2, 2, 2}}
	for _, c := range []struct {
		name  string
		solid *inpoly.Solid
		grid  Grid
		opt   Options
		want  string
	}{
		{"quantity", s, g, Options{Quantity: 9}, "unknown quantity 9"},
		{"format", s, g, Options{Format: 9}, "unknown format 9"},
		{"error of occupancy", s, g, Options{Error: true}, "occupancy is a byte: Error and Float64 must be false"},
		{"precision of occupancy", s, g, Options{Float64: true}, "occupancy is a byte: Error and Float64 must be false"},
		{"samples of occupancy", s, g, Options{Samples: 2}, "2 samples: must be 0"},
		{"no samples", s, g, Options{Quantity: Fraction}, "0 samples along an axis: must be from 1 to 100"},
		{"many samples", s, g, Options{Quantity: Fraction, Samples: 101}, "101 samples along an axis: must be from 1 to 100"},
		{"tolerance", soft, g, Options{Quantity: Fraction, Samples: 2}, "tolerance 0.1"},
		{"samples below resolution", s, fine, Options{Quantity: Fraction, Samples: 10}, "10 samples along an axis: spacing 0.4 along x: must exceed"},
		{"grid", s, Grid{}, Options{}, "0 voxels along x"},
		{"file size", s, Grid{Spacing: r3.Vector{X: 1e-6, Y: 1e-6, Z: 1e-6}, Counts: [3]int{1 << 30, 1 << 30, 2}}, Options{Quantity: Winding, Float64: true}, "too large for a file"},
	} {
		n := &watcher{}
		if _, err := Write(t.Context(), n, c.solid, c.grid, c.opt); err == nil || !strings.Contains(err.Error(), c.want) || n.bytes > 0 {
			t.Errorf("%s: %v after %d bytes, want %q", c.name, err, n.bytes, c.want)
		}
	}
}

package main

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

func searcher(t *testing.T, m *mesh.Mesh) *nearest.Searcher {
	t.Helper()
	x, err := m.Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return nearest.New(x)
}

func TestMedian(t *testing.T) {
	x := []float64{5, 1, 4, 2, 3}
	if got := median(x); got != 3 {
		t.Errorf("median %g, want 3", got)
	}
	if !slices.Equal(x, []float64{5, 1, 4, 2, 3}) {
		t.Errorf("argument was reordered: %v", x)
	}
	if got := median([]float64{2, 1}); got != 2 {
		t.Errorf("median of two %g, want the upper", got)
	}
}

func TestDiffering(t *testing.T) {
	sides := []side.Side{side.Outside, side.Inside, side.OnSurface, side.Unknown, side.Inside}
	got := differing([]byte{0, 1, 2, 0, 0}, sides)
	if want := []int{3, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReadVerdict(t *testing.T) {
	sides := []side.Side{side.Outside, side.Inside, side.OnSurface, side.Inside}
	answers := []byte{1, 0, 1, 0}
	out := []byte("0 1 1 0.99 1e-3\n1 1 1 1.00 1e-3\n2 2 0 0.5 0.000e+00\n3 3 3 0.7 1e-3\n")
	got, err := readVerdict(out, []int{0, 1, 2, 3}, answers, sides)
	if err != nil {
		t.Fatal(err)
	}
	if want := (verdict{looked: 4, ours: 1, theirs: 2, open: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for name, bad := range map[string]string{
		"another point": "1 1 1\n", "too few": "0 1 1\n", "no number": "0 x\n", "too many": "0 1 1\n2 2 2\n3 3 3\n",
	} {
		if v, err := readVerdict([]byte(bad), []int{0, 2}, answers, sides); err == nil {
			t.Errorf("%s: got %v, want an error", name, v)
		}
	}
}

func TestBreakEven(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		a, b []float64
		want string
	}{
		{"always", []float64{2, 3, 4}, []float64{1, 1, 1}, "1"},
		{"equal counts", []float64{1, 1}, []float64{1, 1}, "1"},
		{"never", []float64{1, 1, 1}, []float64{2, 2, 2}, "> 100"},
		// The costs a = 1 + m/100 and b = 2 are equal for m = 100 points.
		{"at an element", []float64{1.01, 1.1, 2, 11}, []float64{2, 2, 2, 2}, "100"},
		// The costs a = 1 + m/100 and b = 6 are equal for m = 500 points.
		{"between", []float64{1.01, 1.1, 2, 11}, []float64{6, 6, 6, 6}, "500"},
		{"last crossing", []float64{3, 1, 3, 9}, []float64{2, 2, 5, 5}, "400"},
		{"a ends", []float64{1, 1, nan, nan}, []float64{2, 2, 2, 2}, "> 10"},
		{"a ends after crossing", []float64{1, 10, nan, nan}, []float64{4, 4, 4, 4}, "4"},
	} {
		if got := breakEven(c.a, c.b); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWorst(t *testing.T) {
	if got := worst([]float64{2, 3}, []float64{1, 3}, []float64{4, 2}); got != 2 {
		t.Errorf("got %g, want 2", got)
	}
	if got := worst([]float64{2, 3}, []float64{4, 2}, nil); got != 1.5 {
		t.Errorf("got %g, want 1.5", got)
	}
}

// All strategies of totalTable return the same sides for random points.
func TestTotalRow(t *testing.T) {
	b := &bench{threads: 2, ctx: t.Context(), quick: true}
	got, chosen, err := b.totalRow(testmesh.Sphere(3), cube(1000, 1.05, 1))
	if err != nil {
		t.Fatal(err)
	}
	if chosen[byRays] != "raycross" || chosen[byCells] != "cells" {
		t.Errorf("methods %q", chosen)
	}
	for strategy, s := range got {
		if !(s > 0 && s < 60) {
			t.Errorf("strategy %d took %g s", strategy, s)
		}
	}
}

// ask fails if the program of a peer fails, reports a wrong number of points, prints wrong counts,
// or writes no answers while a file of earlier answers exists.
func TestAskRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	b := &bench{bin: "testdata", tmp: t.TempDir(), threads: 2}
	for _, c := range []struct {
		name   string
		points int
		ok     bool
	}{
		{"good.sh", 3, true}, {"good.sh", 4, false}, {"silent.sh", 3, false}, {"miscounts.sh", 3, false}, {"fails.sh", 3, false},
	} {
		_, answers, err := b.ask(c.name, "m", "p", c.points)
		if (err == nil) != c.ok {
			t.Errorf("%s for %d points: answers %v, error %v", c.name, c.points, answers, err)
		}
	}
	// A peer with a limit of time may answer fewer points, but not more.
	if p, answers, err := b.askUpTo("good.sh", "m", "p", 4); err != nil || p.Points != 3 || len(answers) != 3 {
		t.Errorf("up to 4 points: %+v, answers %v, error %v", p, answers, err)
	}
	if _, answers, err := b.askUpTo("good.sh", "m", "p", 2); err == nil {
		t.Errorf("up to 2 points: answers %v, want an error", answers)
	}
}

package inpoly

import (
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// flat are costs that are easy to add up: one worker builds rays at 100 ns a
// triangle and cells at 300, and answers in 1,000 and in 10 ns; the direct sum
// copies at 20 and answers in 5 ns a triangle. Multipoles take 50 ns a triangle to make,
// twice that for a digit more, and 20·log2 of the triangles for a point, doubled for
// each digit.
var flat = costs{
	rays: methodCosts{triangle: 100, point: 1000}, cells: methodCosts{triangle: 300, point: 10}, direct: methodCosts{triangle: 20},
	multipoles: multipoleCosts{triangle: 50, level: 20, growth: math.Ln2, direct: 100, near: 10},
	cached:     99, crossed: 90, term: 5, edge: 1, handed: 1, search: 7, efficiency: 0.5,
}

func TestChoose(t *testing.T) {
	for _, tc := range []struct {
		name   string
		task   task
		want   Method
		reason string // or how it starts
	}{
		// 990 ns a point pay 200 ns a triangle: from 202.02 points for 1,000 triangles.
		{"too few for cells", task{triangles: 1000, points: 202, workers: 1}, RayCrossing,
			"202 points expected over 1,000 triangles: raycross about 300 µs, cells 300 µs, direct 1.0 ms"},
		{"just enough", task{triangles: 1000, points: 203, workers: 1}, Cells,
			"203 points expected over 1,000 triangles: cells about 300 µs, raycross 300 µs"},
		{"as much faster with more workers", task{triangles: 1000, points: 203, workers: 3}, Cells,
			"203 points expected over 1,000 triangles: cells about 150 µs, raycross 150 µs"},
		// 4,000 ns a point pay 80 ns a triangle: to 20 points for 1,000 triangles.
		{"few", task{triangles: 1000, points: 20, workers: 1}, Direct,
			"20 points expected over 1,000 triangles: direct about 120 µs, raycross 120 µs, cells 300 µs"},
		{"no longer few", task{triangles: 1000, points: 21, workers: 1}, RayCrossing,
			"21 points expected over 1,000 triangles: raycross about 120 µs, direct 130 µs, cells 300 µs"},
		// One worker copies: 30 ns a triangle are left to pay, with 2,000 a point.
		{"few, three workers", task{triangles: 1000, points: 15, workers: 3}, Direct, "15 points expected"},
		{"no longer few, three workers", task{triangles: 1000, points: 16, workers: 3}, RayCrossing, "16 points expected"},
		{"one point", task{triangles: 1_234_567, points: 1, workers: 1}, Direct,
			"1 point expected over 1,234,567 triangles: direct about 31 ms, raycross 120 ms, cells 370 ms"},
		{"one point, one worker sums", task{triangles: 1_000_000, points: 1, workers: 3}, Direct,
			"1 point expected over 1,000,000 triangles: direct about 25 ms, raycross 50 ms, cells 150 ms"},
		{"the longest sum", task{triangles: 10_000_000, points: 1, workers: 1}, Direct,
			"1 point expected over 10,000,000 triangles: direct about 250 ms, raycross 1.0 s, cells 3.0 s"},
		{"a sum too long", task{triangles: 10_000_001, points: 1, workers: 1}, RayCrossing,
			"1 point expected over 10,000,001 triangles: raycross about 1.0 s, cells 3.0 s"},
		{"parity", task{triangles: 1000, boundary: 3, points: 1, parity: true, workers: 1}, RayCrossing,
			"1 point expected over 1,000 triangles: raycross about 100 µs, cells 300 µs"},
		{"many", task{triangles: 131072, points: 1_000_000, workers: 1}, Cells,
			"1,000,000 points expected over 131,072 triangles: cells about 49 ms, raycross 1.0 s"},
		{"all cells crossed", task{triangles: 1000, points: 10_000, workers: 1, crossed: 1}, Cells,
			"10,000 points expected over 1,000 triangles: cells about 1.3 ms, raycross 10 ms"},
		{"not known", task{triangles: 131072, workers: 1, crossed: 0.5}, Cells,
			"many points assumed over 131,072 triangles: cells about 55 ns a point, raycross 1.0 µs"},
		{"nothing", task{points: 5, workers: 1}, RayCrossing, "there are no triangles"},
		{"nothing, not known", task{workers: 1}, RayCrossing, "there are no triangles"},
		// By caps 10 ns and 2·20·log2 126 = 279 with an error of .1; a fifth is cast for 1,126.
		{"soup", task{triangles: 1000, boundary: 126, sum: true, workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 510 ns a point, raycross 1.1 µs, direct 5.0 µs; not cells, which would have to close 126 boundary edges"},
		// By all triangles 4·20·log2 1000 = 797 with an error of .01; a fiftieth is cast for 5,001.
		{"soup of single triangles", task{triangles: 1000, boundary: 4001, sum: true, workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 900 ns a point, direct 5.0 µs, raycross 5.0 µs; not cells, which would have to close 4,001 boundary edges"},
		{"a wanted error", task{triangles: 1000, boundary: 4001, sum: true, epsilon: 1e-3, workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 1.6 µs a point, direct"},
		{"an error that is too dear", task{triangles: 1000, boundary: 4001, sum: true, epsilon: 1e-6, workers: 1}, Direct,
			"many points assumed over 1,000 triangles: direct about 5.0 µs a point, raycross 5.0 µs, fmm 5.0 µs; not cells"},
		{"few points of a soup", task{triangles: 1000, boundary: 4001, sum: true, points: 45, workers: 1}, Direct,
			"45 points expected over 1,000 triangles: direct about 250 µs, fmm 260 µs, raycross 330 µs"},
		{"parity, no multipoles", task{triangles: 1000, boundary: 4001, parity: true, workers: 1}, RayCrossing,
			"many points assumed over 1,000 triangles: raycross about 1.0 µs a point; not cells"},
		{"small boundary", task{triangles: 1000, boundary: 125, sum: true, workers: 1}, Cells,
			"many points assumed over 1,000 triangles: cells about 140 ns a point, fmm 510 ns, raycross 1.1 µs"},
		// The tree in addition: 300 ns a triangle for 990 a point.
		{"tolerance, too few", task{triangles: 1000, points: 303, tree: true, workers: 1}, RayCrossing, "303 points expected"},
		{"tolerance", task{triangles: 1000, points: 304, tree: true, workers: 1}, Cells, "304 points expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, reason := choose(tc.task, &flat)
			if got != tc.want || !strings.HasPrefix(reason, tc.reason) {
				t.Errorf("%v, %q, want %v, %q", got, reason, tc.want, tc.reason)
			}
		})
	}
}

// With the measured constants the choice is the cheapest of what may be chosen,
// and more points never lead back: from the direct sum to rays to cells or, for an
// open mesh, multipoles.
func TestChooseMeasured(t *testing.T) {
	rank := map[Method]int{Direct: 0, RayCrossing: 1, Cells: 2, FMM: 2}
	kinds := []task{
		{}, {tree: true}, {crossed: 1}, {parity: true}, {sum: true, boundary: 1}, {sum: true, boundary: 1, tree: true},
	}
	for n := 1; n < 1<<30; n *= 2 {
		for _, k := range kinds {
			k.triangles, k.boundary = n, k.boundary*(n/8)
			for _, k.workers = range []int{1, 2, 64} {
				checkChoices(t, k, rank)
			}
		}
	}
}

func checkChoices(t *testing.T, k task, rank map[Method]int) {
	t.Helper()
	last := Direct
	for k.points = 1; k.points < 1<<40; k.points += 1 + k.points/8 {
		got, reason := choose(k, &measured)
		allowed := map[Method]bool{RayCrossing: true, Cells: true, Direct: !k.parity && 10*k.triangles <= 49_000_000, FMM: k.sum}
		k := k
		k.epsilon = measured.sideEpsilon(k)
		if got == Direct && !allowed[Direct] {
			t.Fatalf("%+v: %v, %s", k, got, reason)
		}
		for m := range rank {
			if allowed[m] && measured.total(k, got) > measured.total(k, m) {
				t.Errorf("%+v: %v is estimated to take longer than %v", k, got, m)
			}
		}
		if rank[got] < rank[last] {
			t.Fatalf("%+v: %v, and %v for fewer points", k, got, last)
		}
		last = got
	}
	if last != Cells && (last != FMM || !k.sum) {
		t.Errorf("%+v: no number of points makes cells or multipoles worthwhile", k)
	}
}

// Auto leaves the direct sum when the points that came have cost as much as the
// tree, and not before those that were expected.
func TestSums(t *testing.T) {
	for _, tc := range []struct {
		task task
		want int64
	}{
		// 100 µs for the tree at 5 µs a point.
		{task{triangles: 1000, points: 1, workers: 3}, 20},
		{task{triangles: 1000, points: 1, workers: 1, tree: true}, 20},
		{task{triangles: 1000, points: 50, workers: 1}, 50},
		{task{triangles: 1000, points: 50, workers: 1, sum: true, boundary: 3000}, 50},
		{task{triangles: 1000, points: 50, workers: 1, sum: true, boundary: 4000}, -1}, // rays are as slow
	} {
		if got := flat.sums(tc.task); got != tc.want {
			t.Errorf("%+v: %d, want %d", tc.task, got, tc.want)
		}
	}
}

func TestNewTask(t *testing.T) {
	task := func(s *Solid) task { return newTask(s.mesh, &s.report.Diagnosis, &s.opt) }
	build := func(open bool, opt Options) *Solid {
		soup := testmesh.Star(4, 0.1, 1)
		if open {
			soup = testmesh.Without(soup, 7)
		}
		s, err := NewSolid(t.Context(), testmesh.Mesh(soup), opt)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	closed := task(build(false, Options{ExpectedPoints: 5, Workers: 1}))
	if closed.triangles != 2048 || closed.boundary != 0 || closed.sum || closed.parity || closed.points != 5 || closed.tree || closed.workers != 1 {
		t.Errorf("closed: %+v", closed)
	}
	// A ball of radius 1 fills a box of 8 with a surface of 4π; triangles as wide as
	// √(4π/2048) make a layer of 0.25. The star is a little off the ball.
	if closed.crossed < 0.15 || closed.crossed > 0.4 {
		t.Errorf("closed: share of crossed cells %v, want about 0.25", closed.crossed)
	}
	if open := task(build(true, Options{Tolerance: 1})); open.boundary != 3 || !open.sum || open.parity || !open.tree || open.points != 0 {
		t.Errorf("open: %+v", open)
	}
	if odd := task(build(true, Options{Rule: EvenOdd})); !odd.sum || odd.parity {
		t.Errorf("open, evenodd, an edge with one face: %+v, want a sum and no parity", odd)
	}
	flipped, err := NewSolid(t.Context(), testmesh.Mesh(testmesh.Flip(testmesh.UnitCube(), 0)), Options{Rule: EvenOdd})
	if err != nil {
		t.Fatal(err)
	}
	if odd := task(flipped); odd.sum || !odd.parity || odd.boundary == 0 {
		t.Errorf("flipped face, evenodd, two faces an edge: %+v, want a boundary, parity and no sum", odd)
	}
}

func TestCrossedShare(t *testing.T) {
	for name, points := range map[string][]r3.Vector{
		"flat":  {{}, {X: 1}, {Y: 1}},
		"tiny":  {{}, {X: 1e-300}, {Y: 1e-300}, {Z: 1e-300}},
		"huge":  {{}, {X: 1e300}, {Y: 1e300}, {Z: 1e300}},
		"empty": nil,
	} {
		soup := testmesh.Tetrahedron()
		soup.Vertices = points
		switch len(points) {
		case 0:
			soup.Faces = nil
		case 3:
			soup.Faces = [][3]int32{{0, 1, 2}}
		}
		d, err := testmesh.Mesh(soup).Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := crossedShare(&d); got != 1 {
			t.Errorf("%s: %v, want 1", name, got)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, tc := range []struct {
		seconds float64
		want    string
	}{
		{0, "0.00 ns"}, {1.234e-10, "0.12 ns"}, {1.55e-8, "16 ns"}, {1e-6, "1.0 µs"}, {0.9999e-6, "1.0 µs"}, {0.996e-6, "1.0 µs"}, {0.994e-6, "990 ns"}, {0.000123, "120 µs"},
		{0.0999, "100 ms"}, {0.5, "500 ms"}, {9.96, "10 s"}, {9.94, "9.9 s"}, {123456, "120000 s"},
	} {
		if got := duration(tc.seconds); got != tc.want {
			t.Errorf("duration(%v) = %q, want %q", tc.seconds, got, tc.want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int64]string{0: "0 points", 1: "1 point", 12: "12 points", 999: "999 points", 1000: "1,000 points", 123456: "123,456 points", 1234567: "1,234,567 points"} {
		if got := plural(n, "point"); got != want {
			t.Errorf("plural(%d) = %q, want %q", n, got, want)
		}
	}
}

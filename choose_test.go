package inpoly

import (
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// flat are costs that are easy to add up: one worker builds rays at 100 ns a
// triangle and cells at 300, and answers in 1,000 and in 10 ns.
var flat = costs{
	rays: methodCosts{triangle: 100, point: 1000}, cells: methodCosts{triangle: 300, point: 10},
	cached: 99, crossed: 90, edge: 1, search: 7, efficiency: 0.5,
}

func TestChoose(t *testing.T) {
	for _, tc := range []struct {
		name   string
		task   task
		want   Method
		reason string
	}{
		// 990 ns a point pay 200 ns a triangle: from 202.02 points for 1,000 triangles.
		{"too few", task{triangles: 1000, points: 202, workers: 1}, RayCrossing,
			"202 points expected over 1,000 triangles: raycross about 300 µs, cells 300 µs"},
		{"just enough", task{triangles: 1000, points: 203, workers: 1}, Cells,
			"203 points expected over 1,000 triangles: cells about 300 µs, raycross 300 µs"},
		{"as much faster with more workers", task{triangles: 1000, points: 203, workers: 3}, Cells,
			"203 points expected over 1,000 triangles: cells about 150 µs, raycross 150 µs"},
		{"one point", task{triangles: 1_234_567, points: 1, workers: 1}, RayCrossing,
			"1 point expected over 1,234,567 triangles: raycross about 120 ms, cells 370 ms"},
		{"many", task{triangles: 131072, points: 1_000_000, workers: 1}, Cells,
			"1,000,000 points expected over 131,072 triangles: cells about 49 ms, raycross 1.0 s"},
		{"all cells crossed", task{triangles: 1000, points: 10_000, workers: 1, crossed: 1}, Cells,
			"10,000 points expected over 1,000 triangles: cells about 1.3 ms, raycross 10 ms"},
		{"not known", task{triangles: 131072, workers: 1, crossed: 0.5}, Cells,
			"many points assumed over 131,072 triangles: cells about 55 ns a point, raycross 1.0 µs"},
		{"nothing", task{points: 5, workers: 1}, RayCrossing, "there are no triangles"},
		{"nothing, not known", task{workers: 1}, RayCrossing, "there are no triangles"},
		{"soup", task{triangles: 1000, boundary: 126, sum: true, workers: 1}, RayCrossing,
			"many points assumed over 1,000 triangles: raycross, as 126 boundary edges would have to be closed"},
		{"small boundary", task{triangles: 1000, boundary: 125, sum: true, workers: 1}, Cells,
			"many points assumed over 1,000 triangles: cells about 140 ns a point, raycross 1.1 µs"},
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

// With the measured constants more points never make cells worse than they were,
// and what is chosen is never estimated to take longer.
func TestChooseMeasured(t *testing.T) {
	for n := 1; n < 1<<30; n *= 2 {
		for _, workers := range []int{1, 2, 64} {
			cells := false
			for points := int64(1); points < 1<<40; points *= 2 {
				k := task{triangles: n, points: points, workers: workers, crossed: 0.1}
				got, _ := choose(k, &measured)
				other := RayCrossing
				if got == RayCrossing {
					other = Cells
				}
				if measured.total(k, got) > measured.total(k, other) {
					t.Errorf("%+v: %v is estimated to take longer than %v", k, got, other)
				}
				if cells && got != Cells {
					t.Errorf("%+v: %v, and cells for half the points", k, got)
				}
				cells = got == Cells
			}
			if !cells {
				t.Errorf("%d triangles, %d workers: no number of points makes cells worthwhile", n, workers)
			}
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
	if closed.triangles != 2048 || closed.boundary != 0 || closed.sum || closed.points != 5 || closed.tree || closed.workers != 1 {
		t.Errorf("closed: %+v", closed)
	}
	// A ball of radius 1 fills a box of 8 with a surface of 4π; triangles as wide as
	// √(4π/2048) make a layer of 0.25. The star is a little off the ball.
	if closed.crossed < 0.15 || closed.crossed > 0.4 {
		t.Errorf("closed: share of crossed cells %v, want about 0.25", closed.crossed)
	}
	if open := task(build(true, Options{Tolerance: 1})); open.boundary != 3 || !open.sum || !open.tree || open.points != 0 {
		t.Errorf("open: %+v", open)
	}
	if odd := task(build(true, Options{Rule: EvenOdd})); !odd.sum {
		t.Errorf("open, evenodd, an edge with one face: %+v, want a sum", odd)
	}
	flipped, err := NewSolid(t.Context(), testmesh.Mesh(testmesh.Flip(testmesh.UnitCube(), 0)), Options{Rule: EvenOdd})
	if err != nil {
		t.Fatal(err)
	}
	if odd := task(flipped); odd.sum || odd.boundary == 0 {
		t.Errorf("flipped face, evenodd, two faces an edge: %+v, want a boundary and no sum", odd)
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

package locate

import (
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// flat holds costs that are easy to add up, for one worker. Building takes 100 ns per triangle for
// rays, 300 ns for cells, and 20 ns for the direct sum. A point takes 1,000 ns with rays, 10 ns
// with cells, and 5 ns per triangle with the direct sum. A plan of multipoles for N triangles and
// an error of d digits takes 50·N·(1 + d) ns. A point then takes 20·log2 N·2^d ns.
var flat = costs{
	rays: indexCosts{triangle: 100, point: 1000}, cells: indexCosts{triangle: 300, point: 10}, direct: indexCosts{triangle: 20},
	multipoles: multipoleCosts{triangle: 50, level: 20, growth: math.Ln2, direct: 100, near: 10},
	cached:     99, crossed: 90, term: 5, edge: 1, search: 7, open: openCosts{share: 0.01, edge: 1000, most: 1e9, points: 1000, point: 1000}, efficiency: 0.5,
}

func TestChoose(t *testing.T) {
	for _, tc := range []struct {
		name   string
		work   Workload
		want   string
		reason string // expected beginning of the reason
	}{
		// Compared with rays, cells save 990 ns per point and cost 200 ns more per triangle. Cells
		// pay off above 202.02 points.
		{"too few for cells", Workload{Triangles: 1000, Points: 202, Workers: 1}, RayCrossing,
			"202 points expected over 1,000 triangles: raycross about 300 µs, cells 300 µs, direct 1.0 ms"},
		{"just enough", Workload{Triangles: 1000, Points: 203, Workers: 1}, Cells,
			"203 points expected over 1,000 triangles: cells about 300 µs, raycross 300 µs"},
		{"more workers, same choice", Workload{Triangles: 1000, Points: 203, Workers: 3}, Cells,
			"203 points expected over 1,000 triangles: cells about 150 µs, raycross 150 µs"},
		// Compared with direct sums, rays save 4,000 ns per point and cost 80 ns more per triangle.
		// Rays pay off above 20 points.
		{"few", Workload{Triangles: 1000, Points: 20, Workers: 1}, Direct,
			"20 points expected over 1,000 triangles: direct about 120 µs, raycross 120 µs, cells 300 µs"},
		{"no longer few", Workload{Triangles: 1000, Points: 21, Workers: 1}, RayCrossing,
			"21 points expected over 1,000 triangles: raycross about 120 µs, direct 130 µs, cells 300 µs"},
		// Three workers are twice as fast as one, but only one worker copies the triangles for
		// direct sums. Rays therefore cost 50 − 20 = 30 ns more per triangle. They save 2,000 ns
		// per point.
		{"few, three workers", Workload{Triangles: 1000, Points: 15, Workers: 3}, Direct, "15 points expected"},
		{"no longer few, three workers", Workload{Triangles: 1000, Points: 16, Workers: 3}, RayCrossing, "16 points expected"},
		{"one point", Workload{Triangles: 1_234_567, Points: 1, Workers: 1}, Direct,
			"1 point expected over 1,234,567 triangles: direct about 31 ms, raycross 120 ms, cells 370 ms"},
		{"one point, one worker sums", Workload{Triangles: 1_000_000, Points: 1, Workers: 3}, Direct,
			"1 point expected over 1,000,000 triangles: direct about 25 ms, raycross 50 ms, cells 150 ms"},
		{"the longest sum", Workload{Triangles: 10_000_000, Points: 1, Workers: 1}, Direct,
			"1 point expected over 10,000,000 triangles: direct about 250 ms, raycross 1.0 s, cells 3.0 s"},
		{"a sum too long", Workload{Triangles: 10_000_001, Points: 1, Workers: 1}, RayCrossing,
			"1 point expected over 10,000,001 triangles: raycross about 1.0 s, cells 3.0 s"},
		{"parity", Workload{Triangles: 1000, BoundaryEdges: 3, Points: 1, Parity: true, Workers: 1}, RayCrossing,
			"1 point expected over 1,000 triangles: raycross about 100 µs, cells 300 µs"},
		{"many", Workload{Triangles: 131072, Points: 1_000_000, Workers: 1}, Cells,
			"1,000,000 points expected over 131,072 triangles: cells about 49 ms, raycross 1.0 s"},
		{"all cells crossed", Workload{Triangles: 1000, Points: 10_000, Workers: 1, CrossedShare: 1}, Cells,
			"10,000 points expected over 1,000 triangles: cells about 1.3 ms, raycross 10 ms"},
		{"unknown number of points", Workload{Triangles: 131072, Workers: 1, CrossedShare: 0.5}, Cells,
			"many points assumed over 131,072 triangles: cells about 55 ns a point, raycross 1.0 µs"},
		{"no triangles", Workload{Points: 5, Workers: 1}, RayCrossing, "there are no triangles"},
		{"no triangles, unknown number of points", Workload{Workers: 1}, RayCrossing, "there are no triangles"},
		// FMM uses caps and an error of 0.1. A point takes 10 ns plus 2·20·log2 501 = 359 ns. A
		// fifth of the points also need a ray of 1,501 ns.
		{"soup", Workload{Triangles: 1000, BoundaryEdges: 501, BoundarySum: true, Workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 670 ns a point, raycross 1.5 µs, direct 5.0 µs; not cells, which would have to close 501 boundary edges"},
		// FMM uses all triangles and an error of 0.01. A point takes 4·20·log2 1000 = 797 ns. A
		// fiftieth of the points also need a ray of 5,001 ns.
		{"soup of single triangles", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 900 ns a point, direct 5.0 µs, raycross 5.0 µs; not cells, which would have to close 4,001 boundary edges"},
		{"requested error", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Epsilon: 1e-3, Workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 1.6 µs a point, direct"},
		{"requested error too small for multipoles", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Epsilon: 1e-6, Workers: 1}, Direct,
			"many points assumed over 1,000 triangles: direct about 5.0 µs a point, raycross 5.0 µs, fmm 5.0 µs; not cells"},
		{"few points of a soup", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Points: 45, Workers: 1}, Direct,
			"45 points expected over 1,000 triangles: direct about 250 µs, fmm 260 µs, raycross 330 µs"},
		{"parity, no multipoles", Workload{Triangles: 1000, BoundaryEdges: 4001, Parity: true, Workers: 1}, RayCrossing,
			"many points assumed over 1,000 triangles: raycross about 1.0 µs a point; not cells"},
		{"small boundary", Workload{Triangles: 1000, BoundaryEdges: 125, BoundarySum: true, Workers: 1}, Cells,
			"many points assumed over 1,000 triangles: cells about 180 ns a point, fmm 510 ns, raycross 1.1 µs"},
		// Both methods need the tree. Cells cost 300 ns more per triangle and save 990 ns per
		// point.
		{"tolerance, too few", Workload{Triangles: 1000, Points: 303, Tolerance: 1, Workers: 1}, RayCrossing, "303 points expected"},
		{"tolerance", Workload{Triangles: 1000, Points: 304, Tolerance: 1, Workers: 1}, Cells, "304 points expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, reason := flat.choose(tc.work)
			if got := m.Name; got != tc.want || !strings.HasPrefix(reason, tc.reason) {
				t.Errorf("%v, %q, want %v, %q", got, reason, tc.want, tc.reason)
			}
		})
	}
}

// With the measured constants, choose picks the cheapest eligible method. As the number of points
// grows, the choice goes from the direct sum to rays, then to cells or multipoles, and never back.
func TestChooseMeasured(t *testing.T) {
	kinds := []Workload{
		{}, {Tolerance: 1}, {CrossedShare: 1}, {Parity: true}, {BoundarySum: true, BoundaryEdges: 1},
		{BoundarySum: true, BoundaryEdges: 1, Tolerance: 1},
	}
	for n := 1; n < 1<<30; n *= 2 {
		for _, k := range kinds {
			k.Triangles, k.BoundaryEdges = n, k.BoundaryEdges*(n/8)
			for _, k.Workers = range []int{1, 2, 64} {
				checkChoices(t, k)
			}
		}
	}
}

func checkChoices(t *testing.T, k Workload) {
	t.Helper()
	rank := map[string]int{Direct: 0, RayCrossing: 1, Cells: 2, FMM: 2}
	last := Direct
	for k.Points = 1; k.Points < 1<<40; k.Points += 1 + k.Points/8 {
		m, reason := measured.choose(k)
		got := m.Name
		allowed := map[string]bool{RayCrossing: true, Cells: true, Direct: !k.Parity && 10*k.Triangles <= 49_000_000, FMM: k.BoundarySum}
		k := k
		k.Epsilon = measured.sideEpsilon(k)
		if got == Direct && !allowed[Direct] {
			t.Fatalf("%+v: %v, %s", k, got, reason)
		}
		for _, other := range Methods() {
			if allowed[other.Name] && m.Cost(k).total(k) > other.Cost(k).total(k) {
				t.Errorf("%+v: the estimate of %v is larger than the estimate of %v", k, got, other.Name)
			}
		}
		if rank[got] < rank[last] {
			t.Fatalf("%+v: %v, but %v for fewer points", k, got, last)
		}
		last = got
	}
	if last != Cells && (last != FMM || !k.BoundarySum) {
		t.Errorf("%+v: neither cells nor multipoles are chosen for any number of points", k)
	}
}

// The number of points for direct sums is at least the expected number of points. It is also at
// least the number of direct sums that take as long as building the tree.
func TestDirectBudget(t *testing.T) {
	for _, tc := range []struct {
		work Workload
		want int64
	}{
		// The tree takes 100 µs, and a direct sum takes 5 µs.
		{Workload{Triangles: 1000, Points: 1, Workers: 3}, 20},
		{Workload{Triangles: 1000, Points: 1, Workers: 1, Tolerance: 1}, 20},
		{Workload{Triangles: 1000, Points: 50, Workers: 1}, 50},
		{Workload{Triangles: 1000, Points: 50, Workers: 1, BoundarySum: true, BoundaryEdges: 3000}, 50},
		{Workload{Triangles: 1000, Points: 50, Workers: 1, BoundarySum: true, BoundaryEdges: 4000}, -1}, // rays take as long as direct sums
	} {
		if got := flat.directBudget(tc.work); got != tc.want {
			t.Errorf("%+v: %d, want %d", tc.work, got, tc.want)
		}
	}
}

func TestNewWorkload(t *testing.T) {
	work := func(soup mesh.Soup, l Workload) Workload {
		m := testmesh.Mesh(soup)
		d, err := m.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return NewWorkload(m, &d, l)
	}
	star := testmesh.Star(4, 0.1, 1)
	open := testmesh.Without(star, 7)
	closed := work(star, Workload{Points: 5, Workers: 1})
	if closed.Triangles != 2048 || closed.BoundaryEdges != 0 || closed.BoundarySum || closed.Parity || closed.Points != 5 ||
		closed.Tolerance != 0 || closed.Workers != 1 {
		t.Errorf("closed: %+v", closed)
	}
	// The star is nearly a ball of radius 1 with area 4π, in a box of volume 8. Its triangles are
	// √(4π/2048) wide, so two layers of cells fill about 0.25 of the box.
	if closed.CrossedShare < 0.15 || closed.CrossedShare > 0.4 {
		t.Errorf("closed: share of crossed cells %v, want about 0.25", closed.CrossedShare)
	}
	if got := work(open, Workload{Tolerance: 1}); got.BoundaryEdges != 3 || !got.BoundarySum || got.Parity || got.Tolerance != 1 || got.Points != 0 {
		t.Errorf("open: %+v", got)
	}
	if got := work(open, Workload{Rule: side.EvenOdd}); !got.BoundarySum || got.Parity {
		t.Errorf("open, evenodd, edge with one face: %+v, want BoundarySum without Parity", got)
	}
	flipped := testmesh.Flip(testmesh.UnitCube(), 0)
	if got := work(flipped, Workload{Rule: side.EvenOdd}); got.BoundarySum || !got.Parity || got.BoundaryEdges == 0 {
		t.Errorf("flipped face, evenodd, two faces per edge: %+v, want BoundaryEdges and Parity without BoundarySum", got)
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

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 points", 1: "1 point", 12: "12 points", 999: "999 points", 1000: "1,000 points", 123456: "123,456 points", 1234567: "1,234,567 points"} {
		if got := count(n, "point"); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

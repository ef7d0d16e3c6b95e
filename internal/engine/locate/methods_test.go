package locate

import (
	"math"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// flat holds costs that are easy to add up, for one worker. Building takes 100 ns per triangle for
// rays, 150 ns for columns, 300 ns for cells, and 20 ns for the direct sum. A point takes 1,000 ns
// with rays, 500 ns with columns, 10 ns with cells, and 5 ns per triangle with the direct sum. A plan of multipoles for N triangles and
// an error of d digits takes 50·N·(1 + d) ns. A point then takes 100 + 20·log2 N·2^d ns.
var flat = costs{
	rays: indexCosts{triangle: 100, point: 1000}, direct: indexCosts{triangle: 20},
	columns:    func(w Workload) (build, point float64) { return 150 * float64(w.Triangles), 500 },
	cells:      func(w Workload) (build, point float64) { return 300 * float64(w.Triangles), 10 },
	multipoles: multipoleCosts{triangle: 50, level: 20, growth: math.Ln2, direct: 100, near: 10},
	cached:     99, term: 5, edge: 1, search: 7, open: openCosts{tree: capCosts{point: 100, far: 70, near: 10}, multipoles: capCosts{point: 100, far: 70, near: 10}, share: 0.01, few: 1e9, edges: 22e3, points: 1000, point: 1000}, efficiency: 0.5,
}

func TestChoose(t *testing.T) {
	for _, tc := range []struct {
		name   string
		work   Workload
		want   string
		reason string // expected beginning of the reason
	}{
		// Compared with rays, columns save 500 ns per point and cost 50 ns more per triangle. Columns
		// pay off above 100 points.
		{"too few for columns", Workload{Triangles: 1000, Points: 99, Workers: 1}, RayCrossing,
			"99 points expected over 1,000 triangles: raycross about 200 µs, columns 200 µs, cells 300 µs, direct 520 µs"},
		{"enough for columns", Workload{Triangles: 1000, Points: 101, Workers: 1}, Columns,
			"101 points expected over 1,000 triangles: columns about 200 µs, raycross 200 µs, cells 300 µs"},
		// Compared with columns, cells save 490 ns per point and cost 150 ns more per triangle. Cells
		// pay off above 306.1 points.
		{"too few for cells", Workload{Triangles: 1000, Points: 306, Workers: 1}, Columns,
			"306 points expected over 1,000 triangles: columns about 300 µs, cells 300 µs, raycross 410 µs, direct 1.6 ms"},
		{"just enough", Workload{Triangles: 1000, Points: 307, Workers: 1}, Cells,
			"307 points expected over 1,000 triangles: cells about 300 µs, columns 300 µs, raycross 410 µs"},
		{"more workers, same choice", Workload{Triangles: 1000, Points: 307, Workers: 3}, Cells,
			"307 points expected over 1,000 triangles: cells about 150 µs, columns 150 µs, raycross 200 µs"},
		// Compared with direct sums, rays save 4,000 ns per point and cost 80 ns more per triangle.
		// Rays pay off above 20 points.
		{"few", Workload{Triangles: 1000, Points: 20, Workers: 1}, Direct,
			"20 points expected over 1,000 triangles: direct about 120 µs, raycross 120 µs, columns 160 µs, cells 300 µs"},
		{"no longer few", Workload{Triangles: 1000, Points: 21, Workers: 1}, RayCrossing,
			"21 points expected over 1,000 triangles: raycross about 120 µs, direct 130 µs, columns 160 µs, cells 300 µs"},
		// Three workers are twice as fast as one, but only one worker copies the triangles for
		// direct sums. Rays therefore cost 50 − 20 = 30 ns more per triangle. They save 2,000 ns
		// per point.
		{"few, three workers", Workload{Triangles: 1000, Points: 15, Workers: 3}, Direct, "15 points expected"},
		{"no longer few, three workers", Workload{Triangles: 1000, Points: 16, Workers: 3}, RayCrossing, "16 points expected"},
		{"one point", Workload{Triangles: 1_234_567, Points: 1, Workers: 1}, Direct,
			"1 point expected over 1,234,567 triangles: direct about 31 ms, raycross 120 ms, columns 190 ms, cells 370 ms"},
		{"one point, one worker sums", Workload{Triangles: 1_000_000, Points: 1, Workers: 3}, Direct,
			"1 point expected over 1,000,000 triangles: direct about 25 ms, raycross 50 ms, columns 75 ms, cells 150 ms"},
		{"the longest sum", Workload{Triangles: 10_000_000, Points: 1, Workers: 1}, Direct,
			"1 point expected over 10,000,000 triangles: direct about 250 ms, raycross 1.0 s, columns 1.5 s, cells 3.0 s"},
		{"a sum too long", Workload{Triangles: 10_000_001, Points: 1, Workers: 1}, RayCrossing,
			"1 point expected over 10,000,001 triangles: raycross about 1.0 s, columns 1.5 s, cells 3.0 s"},
		{"parity", Workload{Triangles: 1000, BoundaryEdges: 3, Points: 1, Parity: true, Workers: 1}, RayCrossing,
			"1 point expected over 1,000 triangles: raycross about 100 µs, cells 300 µs"},
		{"many", Workload{Triangles: 131072, Points: 1_000_000, Workers: 1}, Cells,
			"1,000,000 points expected over 131,072 triangles: cells about 49 ms, columns 520 ms, raycross 1.0 s"},
		{"a small mesh", Workload{Triangles: 1000, Points: 10_000, Workers: 1}, Cells,
			"10,000 points expected over 1,000 triangles: cells about 400 µs, columns 5.2 ms, raycross 10 ms"},
		{"unknown number of points", Workload{Triangles: 131072, Workers: 1}, Cells,
			"many points assumed over 131,072 triangles: cells about 10 ns a point, columns 500 ns, raycross 1.0 µs"},
		{"no triangles", Workload{Points: 5, Workers: 1}, RayCrossing, "there are no triangles"},
		{"no triangles, unknown number of points", Workload{Workers: 1}, RayCrossing, "there are no triangles"},
		// The share of points in open cells is 0.01·√501 = 0.22. A point there takes 1,000 ns plus
		// 100 + 70·log2 501 = 728 ns for the caps.
		{"soup", Workload{Triangles: 1000, BoundaryEdges: 501, BoundarySum: true, Workers: 1}, Cells,
			"many points assumed over 1,000 triangles: cells about 400 ns a point, fmm 770 ns, columns 1.2 µs, raycross 1.5 µs, direct 5.0 µs"},
		// FMM uses all triangles and an error of 0.01. A point takes 100 + 4·20·log2 1000 = 897 ns. A
		// fiftieth of the points also need a ray of 5,001 ns.
		{"soup of single triangles", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 1.0 µs a point, direct 5.0 µs, raycross 5.0 µs; not cells, which would have to close 4,001 boundary edges"},
		{"requested error", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Epsilon: 1e-3, Workers: 1}, FMM,
			"many points assumed over 1,000 triangles: fmm about 1.7 µs a point, direct"},
		{"requested error too small for multipoles", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Epsilon: 1e-6, Workers: 1}, Direct,
			"many points assumed over 1,000 triangles: direct about 5.0 µs a point, raycross 5.0 µs, fmm 5.0 µs; not cells"},
		{"few points of a soup", Workload{Triangles: 1000, BoundaryEdges: 4001, BoundarySum: true, Points: 45, Workers: 1}, Direct,
			"45 points expected over 1,000 triangles: direct about 250 µs, fmm 270 µs, raycross 330 µs"},
		{"parity, no multipoles", Workload{Triangles: 1000, BoundaryEdges: 4001, Parity: true, Workers: 1}, RayCrossing,
			"many points assumed over 1,000 triangles: raycross about 1.0 µs a point; not cells"},
		{"small boundary", Workload{Triangles: 1000, BoundaryEdges: 125, BoundarySum: true, Workers: 1}, Cells,
			"many points assumed over 1,000 triangles: cells about 190 ns a point, fmm 610 ns, columns 1.1 µs, raycross 1.1 µs"},
		// All methods need the tree, so the tree does not count.
		{"tolerance, too few", Workload{Triangles: 1000, Points: 299, Tolerance: 1, Workers: 1}, RayCrossing, "299 points expected"},
		{"tolerance, enough for columns", Workload{Triangles: 1000, Points: 302, Tolerance: 1, Workers: 1}, Columns, "302 points expected"},
		{"tolerance", Workload{Triangles: 1000, Points: 307, Tolerance: 1, Workers: 1}, Cells, "307 points expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, reason := flat.choose(tc.work, flat.sideMethods()), flat.reason(tc.work)
			if got := m.Name; got != tc.want || !strings.HasPrefix(reason, tc.reason) {
				t.Errorf("%v, %q, want %v, %q", got, reason, tc.want, tc.reason)
			}
		})
	}
}

// With the measured constants, choose picks the cheapest eligible method. As the number of points
// grows, the choice goes from the direct sum to rays, then to columns, then to cells or multipoles,
// and never back. The meshes are spheres.
func TestChooseMeasured(t *testing.T) {
	kinds := []Workload{
		{}, {Tolerance: 1}, {Parity: true}, {BoundarySum: true, BoundaryEdges: 1},
		{BoundarySum: true, BoundaryEdges: 1, Tolerance: 1},
	}
	for n := 1; n < 1<<30; n *= 16 {
		for _, k := range kinds {
			k.Triangles, k.BoundaryEdges = n, k.BoundaryEdges*(n/8)
			extent, area := min(1, 1/math.Sqrt(float64(n))), math.Pi/2/float64(n)
			k.Sizes = mesh.Sizes{Triangles: n, Box: [3]float64{2, 2, 2}, Extents: [3]float64{extent, extent, extent}, Areas: [3]float64{area, area, area}}
			box := min(1, 2*area)
			k.Sizes.Boxes = [3]float64{box, box, box}
			for _, k.Workers = range []int{1, 64} {
				checkChoices(t, k)
			}
		}
	}
}

func checkChoices(t *testing.T, k Workload) {
	t.Helper()
	rank := map[string]int{Direct: 0, RayCrossing: 1, Columns: 2, Cells: 3, FMM: 3}
	if k.BoundarySum {
		rank[Columns] = 3 // with very many boundary edges, cells and columns take the same time
	}
	last := Direct
	for k.Points = 1; k.Points < 1<<40; k.Points += 1 + k.Points/2 {
		m, reason := measured.choose(k, measured.sideMethods()), measured.reason(k)
		got := m.Name
		allowed := map[string]bool{RayCrossing: true, Columns: !k.Parity, Cells: true, Direct: !k.Parity && 10*k.Triangles <= 49_000_000, FMM: k.BoundarySum}
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
	if last != Cells && (rank[last] < 3 || !k.BoundarySum) {
		t.Errorf("%+v: %v is chosen for many points", k, last)
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
		return NewWorkload(m, l)
	}
	star := testmesh.Star(4, 0.1, 1)
	open := testmesh.Without(star, 7)
	closed := work(star, Workload{Points: 5, Workers: 1})
	if closed.Triangles != 2048 || closed.BoundaryEdges != 0 || closed.BoundarySum || closed.Parity || closed.Points != 5 ||
		closed.Tolerance != 0 || closed.Workers != 1 {
		t.Errorf("closed: %+v", closed)
	}
	if closed.Sizes.Triangles != 2048 || closed.Sizes.Box[0] < 1.5 {
		t.Errorf("closed: sizes %+v", closed.Sizes)
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

// Auto does not choose cells for meshes of long thin faces whose boxes overlap, and the estimates of the other methods grow
// with the boxes that a point meets. The boxes of ordinary triangles do not count.
func TestSliverCosts(t *testing.T) {
	for _, soup := range testmesh.Slivers(16_000) {
		w := NewWorkload(testmesh.Mesh(soup.Soup), Workload{Rule: side.NonZero, Points: 100_000, Workers: 1})
		if !strings.HasSuffix(soup.Name, "-diagonal") || soup.Name == "thread-diagonal" {
			continue
		}
		if m := measured.choose(w, Methods()); m.Name != RayCrossing {
			t.Errorf("%s: %s; %s", soup.Name, m.Name, measured.reason(w))
		}
		few, many := w, w
		few.Points, many.Points = 10, 10_000_000
		if a, b := measured.raySides(few).Point, measured.raySides(many).Point; a < 5*b {
			t.Errorf("%s: a ray takes %g s for 10 points and %g s for many, but oriented boxes pay only for many", soup.Name, a, b)
		}
	}
	for name, m := range map[string]*mesh.Mesh{"sphere": testmesh.Sphere(5), "torus": testmesh.Mesh(testmesh.Torus(3, 1, 80, 40)), "cube": testmesh.Mesh(testmesh.UnitCube())} {
		w := NewWorkload(m, Workload{Rule: side.NonZero, Points: 100_000, Workers: 1})
		if x := w.rayOverlap(); x > 1 {
			t.Errorf("%s: the boxes of %g faces overlap", name, x)
		}
	}
}

package cells_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

type namedGrid struct {
	name string
	side.Grid
}

// grids returns grids of points over the mesh of w. The grids test the ends, lengths and directions
// of runs of equal sides, and the rounding of points.
func grids(w *twin, seed uint64) []namedGrid {
	r := newRand(seed)
	b := w.mesh.Box()
	size := b.Size()
	long := max(vec.MaxAbs(size), math.SmallestNonzeroFloat64)
	all := func(c float64) r3.Vector { return at(c, c, c) }
	per := func(n float64) r3.Vector { return at(size.X/n, size.Y/n, size.Z/n) }
	inf, nan, most := math.Inf(1), math.NaN(), math.MaxFloat64
	face := w.mesh.Triangle(int32(r.IntN(w.mesh.NumFaces())))
	cell := cellSize(w.index[0], w.mesh)
	corner := cellCorners(w.index[0], w.mesh, 1, seed)[0]
	out := []namedGrid{
		{"over the box", side.Grid{Origin: b.Min, Spacing: per(16), Counts: [3]int{17, 17, 17}}},
		{"over the box, backwards", side.Grid{Origin: b.Max, Spacing: per(-16), Counts: [3]int{17, 17, 17}}},
		{"over the box, backwards in y", side.Grid{Origin: at(b.Min.X, b.Max.Y, b.Min.Z), Spacing: at(size.X/40, -size.Y/9, size.Z/7), Counts: [3]int{41, 10, 8}}},
		{"beyond the box", side.Grid{Origin: b.Min.Sub(size), Spacing: per(10), Counts: [3]int{31, 31, 5}}},
		{"fine rows", side.Grid{Origin: b.Min.Sub(per(10)), Spacing: at(size.X/2000, size.Y/3, size.Z/3), Counts: [3]int{2401, 4, 4}}},
		{"fine columns", side.Grid{Origin: b.Min.Sub(per(10)), Spacing: at(size.X/3, size.Y/2000, size.Z/3), Counts: [3]int{4, 2401, 4}}},
		{"fine stacks", side.Grid{Origin: b.Min.Sub(per(10)), Spacing: at(size.X/3, size.Y/3, size.Z/2000), Counts: [3]int{4, 4, 2401}}},
		{"one row through a face", side.Grid{Origin: face[0].Sub(at(long, 0, 0)), Spacing: all(long / 1024), Counts: [3]int{2049, 1, 1}}},
		{"in one cell", side.Grid{Origin: face[0].Sub(all(long * 2e-7)), Spacing: all(long * 1e-8), Counts: [3]int{41, 9, 9}}},
		{"a few ulps", side.Grid{Origin: face[1].Sub(all(vec.MaxAbs(face[1]) * 0x1p-50)), Spacing: all(vec.MaxAbs(face[1]) * 0x1p-53), Counts: [3]int{17, 17, 17}}},
		{"cells", side.Grid{Origin: corner.Sub(all(8 * cell)), Spacing: all(cell), Counts: [3]int{17, 17, 17}}},
		{"quarters of cells", side.Grid{Origin: corner.Sub(all(2 * cell)), Spacing: all(cell / 4), Counts: [3]int{17, 17, 17}}},
		{"thrice the cells, backwards", side.Grid{Origin: corner.Add(all(9 * cell)), Spacing: all(-3 * cell), Counts: [3]int{7, 7, 7}}},
		{"long rows in a cell", side.Grid{Origin: corner.Sub(all(cell / 2)), Spacing: at(cell/1500, cell/3, cell/3), Counts: [3]int{1600, 4, 4}}},
		{"half cells by ulps", side.Grid{Origin: corner, Spacing: at(cell/2, vec.MaxAbs(corner)*0x1p-53, 0), Counts: [3]int{40, 9, 2}}},
		{"still in x", side.Grid{Origin: face[0], Spacing: at(0, size.Y/10, size.Z/10), Counts: [3]int{7, 11, 11}}},
		{"still", side.Grid{Origin: face[2], Counts: [3]int{5, 5, 5}}},
		{"−0", side.Grid{Origin: all(math.Copysign(0, -1)), Spacing: all(math.Copysign(0, -1)), Counts: [3]int{3, 1, 2}}},
		{"one point", side.Grid{Origin: face[0], Spacing: all(nan), Counts: [3]int{1, 1, 1}}},
		{"none", side.Grid{Origin: face[0], Spacing: all(1), Counts: [3]int{5, 0, 5}}},
		{"none at all", side.Grid{}},
		{"powers of two", side.Grid{Origin: b.Min, Spacing: all(long * 0x1p40), Counts: [3]int{5, 5, 5}}},
		{"out of range", side.Grid{Origin: all(-most), Spacing: all(most / 4), Counts: [3]int{12, 3, 12}}},
		{"to infinity", side.Grid{Origin: b.Min, Spacing: at(1e308, -1e308, 0), Counts: [3]int{4, 4, 1}}},
		{"from infinity", side.Grid{Origin: at(inf, 0, 0), Spacing: all(1), Counts: [3]int{3, 3, 3}}},
		{"infinite steps", side.Grid{Origin: b.Min, Spacing: at(inf, -inf, 0), Counts: [3]int{3, 3, 3}}}, // some coordinates are NaN, because 0·Inf is NaN
		{"from NaN", side.Grid{Origin: at(0, nan, 0), Spacing: all(1), Counts: [3]int{3, 3, 3}}},
		{"steps of NaN", side.Grid{Origin: b.Min, Spacing: at(1, 1, nan), Counts: [3]int{3, 3, 3}}},
	}
	for range rounds(2, 200) {
		draw := func(lo, hi float64) (origin, spacing float64, count int) {
			count = 1 + r.IntN(24)
			a, z := lo+(hi-lo)*(1.4*r.Float64()-.2), lo+(hi-lo)*(1.4*r.Float64()-.2)
			return a, (z - a) / float64(count), count
		}
		var g side.Grid
		g.Origin.X, g.Spacing.X, g.Counts[0] = draw(b.Min.X, b.Max.X)
		g.Origin.Y, g.Spacing.Y, g.Counts[1] = draw(b.Min.Y, b.Max.Y)
		g.Origin.Z, g.Spacing.Z, g.Counts[2] = draw(b.Min.Z, b.Max.Z)
		out = append(out, namedGrid{"random", g})
	}
	return out
}

// SidesGridTo and rays give the same side for every point of the grid.
func TestGridEqualsPoints(t *testing.T) {
	for name, s := range map[string]mesh.Soup{
		"cube":        box(-1, 1),
		"star":        testmesh.Star(4, .7, 1),
		"overlapping": testmesh.Overlapping(),
		"nested":      aligned()["nested 4 times, alternating"],
		"plate":       roundedBox(at(500, 500, 5), .001, 4),
		"hemisphere":  testmesh.Hemisphere(1),
		"flipped":     testmesh.Flip(box(0, 1), 3),
		"whiskers":    testmesh.Union(box(0, 1), testmesh.Flip(testmesh.WithDegenerate(box(2, 3), 5, 1))),
		"point":       testmesh.Cube(at(1, 2, 3), at(1, 2, 3)),
		"flat":        testmesh.Cube(at(0, 0, 1), at(1, 1, 1)),
		"far":         testmesh.Translate(testmesh.Star(1, .5, 2), at(1e14, -1e14, 1e14)),
		"1e-300":      testmesh.Scale(testmesh.Tetrahedron(), 1e-300),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := testmesh.Mesh(s)
			w := newTwin(t.Context(), t, name, m, cells.Options{}, rules...)
			for k, g := range grids(w, 3) {
				if !m.Closed() || vec.MaxAbs(m.Box().Size()) < 1e-200 {
					// Queries on this mesh are slow, so test fewer than a tenth of the points.
					for a := range g.Counts {
						g.Counts[a] = (g.Counts[a] + 1) * 4 / 9
					}
				}
				for rule := range rules {
					if full() || rule == (k+k/4)%4 {
						checkGrid(t, w, g, rule, []int{0, 1, 2, 7}[k%4])
					}
				}
			}
		})
	}
}

// checkGrid compares the sides of the points of g with rays, under rule number k.
func checkGrid(t *testing.T, w *twin, g namedGrid, k, workers int) {
	t.Helper()
	n, err := g.Len()
	if err != nil {
		t.Fatalf("%s: %v", g.name, err)
	}
	var pts []r3.Vector
	for k := range g.Counts[2] {
		for j := range g.Counts[1] {
			for i := range g.Counts[0] {
				pts = append(pts, g.Point(i, j, k))
			}
		}
	}
	if n != len(pts) {
		t.Fatalf("%s: Len is %d, want %d", g.name, n, len(pts))
	}
	got, want := make([]side.Side, n), make([]side.Side, n)
	if _, err := w.rays[k].SidesTo(t.Context(), want, pts, 0); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i] = side.Side(77) // an invalid side, so the test notices an element that is not overwritten
	}
	stats, err := w.index[k].SidesGridTo(t.Context(), got, g.Grid, workers)
	if err != nil {
		t.Fatalf("%s: %v", g.name, err)
	}
	if stats.Points != uint64(n) {
		t.Errorf("%s: %s: %d points counted, want %d", w.name, g.name, stats.Points, n)
	}
	for i := range got {
		if got[i] != want[i] {
			w.report(t, w.rules[k], i, spot{pts[i], "grid " + g.name}, "side "+got[i].String()+" in a grid, rays say "+want[i].String())
		}
	}
	checkBlock(t, w.index[k], g, want, workers)
}

// checkBlock labels the points of a block of g. want holds the sides of all points of g.
func checkBlock(t *testing.T, x *cells.Index, g namedGrid, want []side.Side, workers int) {
	t.Helper()
	block, r := g.Grid, newRand(uint64(len(want)))
	for a, n := range g.Counts {
		if n > 0 {
			block.First[a] = r.IntN(n)
			block.Counts[a] = 1 + r.IntN(n-block.First[a])
		}
	}
	n, err := block.Len()
	if err != nil {
		t.Fatalf("%s: %v", g.name, err)
	}
	labels := cells.Labels{side.Unknown: 255, side.Outside: 40, side.OnSurface: 7, side.Inside: 7}
	got := make([]byte, n)
	counts, stats, err := x.LabelGridTo(t.Context(), got, &labels, block, workers)
	if err != nil {
		t.Fatalf("%s: %v", g.name, err)
	}
	var wantCounts cells.Counts
	for i, label := range got {
		at := [3]int{i % block.Counts[0], i / block.Counts[0] % block.Counts[1], i / block.Counts[0] / block.Counts[1]}
		if p, q := block.Point(at[0], at[1], at[2]), g.Point(block.First[0]+at[0], block.First[1]+at[1], block.First[2]+at[2]); p != q && p == p && q == q {
			t.Fatalf("%s: point %v of block %v is %v, want %v", g.name, at, block, p, q)
		}
		s := want[block.First[0]+at[0]+g.Counts[0]*(block.First[1]+at[1]+g.Counts[1]*(block.First[2]+at[2]))]
		wantCounts[s]++
		if label != labels[s] {
			t.Fatalf("%s: point %v of block %v has label %d, want %d for side %v", g.name, at, block, label, labels[s], s)
		}
	}
	if counts != wantCounts || stats.Points != uint64(n) {
		t.Errorf("%s: block %v: counts %v and %d points, want %v and %d points", g.name, block, counts, stats.Points, wantCounts, n)
	}
}

// The number of workers changes neither the sides nor the counts.
func TestGridWorkers(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(4, .7, 3))
	w := newTwin(t.Context(), t, "star", m, cells.Options{}, side.NonZero)
	g := side.Grid{Origin: at(-1.1, -1.1, -1.1), Spacing: at(2.2/60, 2.2/50, 2.2/40), Counts: [3]int{61, 51, 41}}
	var want []side.Side
	var first side.Stats
	for _, workers := range []int{1, 2, 7, 0} {
		got := make([]side.Side, 61*51*41)
		stats, err := w.index[0].SidesGridTo(t.Context(), got, g, workers)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, first = got, stats
		}
		if !slices.Equal(got, want) || stats != first {
			t.Errorf("%d workers give other sides or counts: %+v, want %+v", workers, stats, first)
		}
	}
	if !slices.Contains(want, side.Inside) || !slices.Contains(want, side.Outside) {
		t.Error("all points of the grid have the same side, so nothing was tested")
	}
}

func TestGridCanceled(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(4, .7, 3))
	w := newTwin(t.Context(), t, "star", m, cells.Options{}, side.NonZero)
	g := side.Grid{Origin: at(-1, -1, -1), Spacing: at(2.0/99, 2.0/99, 2.0/99), Counts: [3]int{100, 100, 100}}
	want := make([]side.Side, 1e6)
	if _, err := w.index[0].SidesGridTo(t.Context(), want, g, 0); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7} {
		for _, looks := range []int{1, 2, 4} {
			ctx := newCountdown(t.Context(), looks)
			got := make([]side.Side, len(want))
			for i := range got {
				got[i] = side.Side(77)
			}
			if _, err := w.index[0].SidesGridTo(ctx, got, g, workers); !errors.Is(err, context.Canceled) {
				t.Fatalf("%d workers, %d looks: error %v, want %v", workers, looks, err, context.Canceled)
			}
			checkAbandoned(t, got, want)
		}
	}
}

func TestGridRefused(t *testing.T) {
	w := newTwin(t.Context(), t, "cube", testmesh.Mesh(box(0, 1)), cells.Options{}, side.NonZero)
	for _, counts := range [][3]int{{-1, 3, 4}, {0, 0, -4}, {2, math.MaxInt, 1}} {
		if _, err := w.index[0].SidesGridTo(t.Context(), nil, side.Grid{Counts: counts}, 1); err == nil {
			t.Errorf("no error for a grid of %v", counts)
		}
	}
}

func TestGridLengthMismatchPanics(t *testing.T) {
	w := newTwin(t.Context(), t, "cube", testmesh.Mesh(box(0, 1)), cells.Options{}, side.NonZero)
	defer func() {
		if recover() == nil {
			t.Error("no panic for a grid of 8 points and 9 elements of dst")
		}
	}()
	_, _ = w.index[0].SidesGridTo(t.Context(), make([]side.Side, 9), side.Grid{Counts: [3]int{2, 2, 2}}, 1)
}

// Bricks without faces can have open cells, and cells with two winding numbers. The cells of this
// index are so small that such bricks lie between the caps and the points where W is ½.
func TestGridBeyondHole(t *testing.T) {
	m := testmesh.Mesh(testmesh.Without(box(-1, 1), 0, 1, 2, 3))
	x, err := cells.New(t.Context(), m, cells.Options{Rays: raysOf(m, side.NonZero)}.WithPlan(.035, 20, [3]float64{}))
	if err != nil {
		t.Fatal(err)
	}
	b := m.Box()
	const n = 24
	g := side.Grid{Origin: b.Min, Spacing: b.Size().Mul(1.0 / (n - 1)), Counts: [3]int{n, n, n}}
	got, want, pts := make([]side.Side, n*n*n), make([]side.Side, n*n*n), make([]r3.Vector, n*n*n)
	for i := range pts {
		pts[i] = g.Point(i%n, i/n%n, i/n/n)
	}
	if _, err := x.SidesTo(t.Context(), want, pts, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := x.SidesGridTo(t.Context(), got, g, 0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Error("the sides of the grid differ from the sides of its points")
	}
}

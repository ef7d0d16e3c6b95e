package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// Grids with any number of levels find the same pairs as brute force. The levels are arrays or hash
// tables. Some particles touch exactly.
func TestCellGridAgainstBruteForce(t *testing.T) {
	ctx, random := context.Background(), rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{0, 1, 2, 50, 700} {
		for _, spread := range []float64{1, 10, 1000} {
			var balls []neighbor.Sphere
			var disks []neighbor.Disk
			for range n {
				r := 0.05 / (1 + 49*random.Float64())
				if random.IntN(3) == 0 {
					r = 0.0625 // particles of this size lie on a lattice and touch exactly
				}
				at := func() float64 { return random.Float64() * spread }
				if r == 0.0625 {
					at = func() float64 { return 0.125 * float64(random.IntN(8)) }
				}
				balls = append(balls, neighbor.Sphere{Center: r3.Vector{X: at(), Y: at(), Z: at()}, Radius: r})
				disks = append(disks, neighbor.Disk{Center: r2.Point{X: at(), Y: at()}, Radius: r})
			}
			for _, sizes := range [][]float64{{0.125}, {0.2}, {0.01, 0.125}, {0.003, 0.02, 0.05, 0.2}} {
				name := fmt.Sprintf("%d particles in %g, sizes %v", n, spread, sizes)
				samePairs(ctx, t, name+", space", newCellGrid[neighbor.Sphere](sizes...), neighbor.NewBruteForce[neighbor.Sphere](), balls)
				samePairs[neighbor.Sphere](ctx, t, name+", hash tables", paperGrid(sizes), neighbor.NewBruteForce[neighbor.Sphere](), balls)
				samePairs[neighbor.Sphere](ctx, t, name+", larger range", iwaiGrid(sizes), neighbor.NewBruteForce[neighbor.Sphere](), balls)
				samePairs(ctx, t, name+", plane", newCellGrid[neighbor.Disk](sizes...), neighbor.NewBruteForce[neighbor.Disk](), disks)
			}
		}
	}
}

func samePairs[T neighbor.Body](ctx context.Context, t *testing.T, name string, got, want neighbor.Method[T], bodies []T) {
	t.Helper()
	for range 2 { // the second round reuses memory
		if err := got.Update(ctx, bodies); err != nil {
			t.Fatal(err)
		}
		if err := want.Update(ctx, bodies); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Pairs(), want.Pairs()) {
			t.Errorf("%s: %d pairs, want %d", name, len(got.Pairs()), len(want.Pairs()))
		}
	}
}

// On a square lattice with one particle per cell, each pair of neighboring cells needs one test.
// There are n·(n−1) pairs along each axis and (n−1)² pairs along each diagonal.
func TestCellGridTests(t *testing.T) {
	const n = 10
	var disks []neighbor.Disk
	for i := range n {
		for k := range n {
			disks = append(disks, neighbor.Disk{Center: r2.Point{X: float64(i) + 0.5, Y: float64(k) + 0.5}, Radius: 0.1})
		}
	}
	g := newCellGrid[neighbor.Disk](0.9999)
	if err := g.Update(context.Background(), disks); err != nil {
		t.Fatal(err)
	}
	want := uint64(2*n*(n-1) + 2*(n-1)*(n-1))
	if got := g.Stats().Tests; got != want {
		t.Errorf("%d tests, want %d", got, want)
	}
	if g.visits != want+n*n { // each cell also visits itself
		t.Errorf("%d visited cells, want %d", g.visits, want+n*n)
	}
	g.boxes, g.exact = true, 0
	if err := g.Update(context.Background(), disks); err != nil {
		t.Fatal(err)
	}
	if g.exact != 0 {
		t.Errorf("%d pairs of boxes overlap, want 0", g.exact)
	}
}

// The example of figure 1 of Ogarko and Luding 2012: eq. 4 gives the cells (1,2) to (5,6) for the
// printed y = 14.4, although the figure says (1,3) to (5,6). For y = 14.6, eq. 4 gives the cells of
// the figure, and the range r + s gives the cell (1,2) that the figure ascribes to Iwai et al.
func TestPrintedExample(t *testing.T) {
	for _, c := range []struct {
		y, reach float64
		want     [4]int32
	}{{14.4, 0.5, [4]int32{1, 2, 5, 6}}, {14.6, 0.5, [4]int32{1, 3, 5, 6}}, {14.6, 1, [4]int32{1, 2, 5, 7}}} {
		got, err := exampleCells(context.Background(), c.y, c.reach)
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("y = %g, reach %g: cells %v, want %v", c.y, c.reach, got, c.want)
		}
	}
	s, err := example(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Verdict != No || !strings.Contains(s.Why, "between 14.5 and 15.5") {
		t.Errorf("got %s: %s", s.Verdict, s.Why)
	}
}

// The counts by occupancy are those of a search with one level.
func TestCountOneLevel(t *testing.T) {
	for _, kind := range []string{"bi", "UV"} {
		balls := scattered(packingSpec{kind: kind, ratio: 6, n: 3000, fraction: 0.3})
		volume := 0.0
		for _, b := range balls {
			volume += 4 * math.Pi / 3 * b.Radius * b.Radius * b.Radius
		}
		if math.Abs(volume-0.3) > 1e-12 {
			t.Errorf("%s: the balls have the volume %g", kind, volume)
		}
		for _, size := range []float64{0.05, 0.4, 2} {
			g := paperGrid([]float64{size})
			if err := g.Update(context.Background(), balls); err != nil {
				t.Fatal(err)
			}
			tests, visits := countOneLevel(balls, size)
			if tests != float64(g.stats.Tests) || visits != float64(g.visits) {
				t.Errorf("%s, cells of %g: %g tests and %g cells, want %d and %d", kind, size, tests, visits, g.stats.Tests, g.visits)
			}
		}
	}
}

// A balance never needs more work than the sizes it begins with, and its sizes contain all balls.
func TestBalance(t *testing.T) {
	balls := scattered(packingSpec{kind: "UV", ratio: 10, n: 2000, fraction: 0.4})
	sizes := neighbor.LevelSizes(radiiOf(balls), 1, 3, 3)
	bad := []float64{sizes[0] * 1.6, sizes[1], sizes[2]}
	best, work, err := balanced(context.Background(), balls, bad)
	if err != nil {
		t.Fatal(err)
	}
	first, err := workWith(context.Background(), balls, bad)
	if err != nil {
		t.Fatal(err)
	}
	if !(work < first) || !slices.IsSorted(best) || best[2] != sizes[2] {
		t.Errorf("work %g with %v, from %g with %v", work, best, first, bad)
	}
}

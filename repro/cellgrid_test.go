package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// The example of figures 1 and 2 of Ogarko and Luding 2012: eq. 4 gives the cells (1,2) to (5,6) for
// the printed y = 14.4, although the figure says (1,3) to (5,6). For y from 14.5 to 15.4, eq. 4 gives
// the cells of the figure, and the range r + s gives the cell (1,2) that the figure ascribes to Iwai
// et al.
func TestPrintedExample(t *testing.T) {
	const x, r, s = 10.3, 4.0, 3.0
	cells := func(y, reach float64) [4]int {
		at := func(v float64) int { return int(math.Floor(v / s)) }
		a := r + reach*s
		return [4]int{at(x - a), at(y - a), at(x + a), at(y + a)}
	}
	for _, c := range []struct {
		y, reach float64
		want     [4]int
	}{{14.4, 0.5, [4]int{1, 2, 5, 6}}, {14.6, 0.5, [4]int{1, 3, 5, 6}}, {14.6, 1, [4]int{1, 2, 5, 7}}} {
		if got := cells(c.y, c.reach); got != c.want {
			t.Errorf("y = %g, reach %g: cells %v, want %v", c.y, c.reach, got, c.want)
		}
	}
}

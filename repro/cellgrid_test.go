package main

import (
	"context"
	"fmt"
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
	if got, want := g.Stats().Tests, uint64(2*n*(n-1)+2*(n-1)*(n-1)); got != want {
		t.Errorf("%d tests, want %d", got, want)
	}
}

package mesh

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
)

// foamSizes returns numbers of foam cells: small ones, cube numbers and their neighbors, and random ones.
func foamSizes() []int {
	sizes := []int{999, 1000, 1001, 3374, 3375, 3376, 50_653, 110_000}
	for n := 1; n <= 130; n++ {
		sizes = append(sizes, n)
	}
	rng := rand.New(rand.NewPCG(1, 6))
	for range 20 {
		sizes = append(sizes, 1+rng.IntN(20_000))
	}
	return sizes
}

// The boxes of the foam cells in the cube fill the cube, as many as there are cells, with the volume 1
// each. The edges of all boxes are within the bounds from which margin and rim follow. The boxes around
// the cube reach to the margin, so all boxes fill a larger cube.
func TestBoxes(t *testing.T) {
	shortest, longest := math.Inf(1), 0.0
	sizes := foamSizes()
	if os.Getenv("INPOLY_FULL") == "1" {
		for n := 131; n <= 10_000; n++ {
			sizes = append(sizes, n)
		}
		sizes = append(sizes, MaxFoamCells-1, MaxFoamCells)
	}
	for _, n := range sizes {
		edge := cubeRoot(n)
		if math.Abs(edge*edge*edge/float64(n)-1) > 1e-15 || math.Abs(edge-math.Cbrt(float64(n))) > 0x1p-52*edge {
			t.Fatalf("the cube root of %d is %v", n, edge)
		}
		inside, covered := 0, 0.0
		far := edge + margin
		eachBox(n, func(x, y, z int, low, size r3.Vector) {
			shortest, longest = min(shortest, size.X, size.Y, size.Z), max(longest, size.X, size.Y, size.Z)
			if volume := size.X * size.Y * size.Z; math.Abs(volume-1) > 1e-12 {
				t.Fatalf("%d cells: the box %d, %d, %d has the volume %v", n, x, y, z, volume)
			}
			high := low.Add(size)
			if tiny := 1e-9; low.X > -tiny && low.Y > -tiny && low.Z > -tiny && high.X < edge+tiny && high.Y < edge+tiny && high.Z < edge+tiny {
				inside++
			}
			cut := func(low, high float64) float64 { return max(0, min(high, far)-max(low, -margin)) }
			covered += cut(low.X, high.X) * cut(low.Y, high.Y) * cut(low.Z, high.Z)
		})
		if inside != n {
			t.Fatalf("%d cells: %d boxes are in the cube", n, inside)
		}
		if want := math.Pow(edge+2*margin, 3); math.Abs(covered/want-1) > 1e-9 {
			t.Fatalf("%d cells: the boxes fill %v of the cube with its margin, want %v", n, covered, want)
		}
	}
	if shortest < shortestEdge || longest > longestEdge {
		t.Errorf("the edges of the boxes are from %v to %v, want from %v to %v", shortest, longest, shortestEdge, longestEdge)
	}
	t.Logf("edges from %.4f to %.4f", shortest, longest)
}

// TestDistances compares the results of centers.distances with brute force over all centers. In every
// second case, each center is as far from the middle of its box as possible.
func TestDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	for i, n := range foamSizes() {
		if n > 2000 {
			continue
		}
		seed := uint64(i)
		c := newCenters(n, seed)
		if i%2 == 1 { // move each center by ±jitter along each axis
			var list []r3.Vector
			eachBox(n, func(_, _, _ int, low, size r3.Vector) {
				side := func(low, size float64) float64 { return low + size*(0.5+jitter*float64(2*rng.IntN(2)-1)) }
				if p := (r3.Vector{X: side(low.X, size.X), Y: side(low.Y, size.Y), Z: side(low.Z, size.Z)}); c.bucket(p) >= 0 {
					list = append(list, p)
				}
			})
			c.fill(list)
		}
		for range 12 {
			at := func() float64 {
				switch rng.IntN(4) {
				case 0: // at the side of a bucket
					return float64(rng.IntN(int(c.edge) + 1))
				case 1:
					return [2]float64{-outside, c.edge + outside}[rng.IntN(2)]
				}
				return (c.edge+2*outside)*rng.Float64() - outside
			}
			p := r3.Vector{X: at(), Y: at(), Z: at()}
			var all []float64
			for _, q := range c.points {
				all = append(all, math.Sqrt(q.Sub(p).Norm2()))
			}
			slices.Sort(all)
			// The centers beyond the margin, which c does not have, are farther than the third.
			if d1, d3 := c.distances(p); d1 != all[0] || d3 != all[2] || d3 > margin-outside {
				t.Fatalf("%d cells, seed %d: distances of %v are %v, %v; want %v, %v", n, seed, p, d1, d3, all[0], all[2])
			}
		}
	}
}

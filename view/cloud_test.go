package view

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// TestCloudSample compares the sample with the points of the highest priorities. Several goroutines
// add the blocks in random order.
func TestCloudSample(t *testing.T) {
	const n = 20000
	rng := rand.New(rand.NewPCG(5, 6))
	pts, sides := make([]r3.Vector, n), make([]inpoly.Side, n)
	order := make([]int, n)
	for i := range pts {
		pts[i], sides[i], order[i] = vector(float64(i), rng.Float64(), 0), inpoly.Side(rng.IntN(4)), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(priority(int64(b)), priority(int64(a))) })
	for _, most := range []int{0, 1, 10, 999, n - 1, n, n + 1, 3 * n} {
		want := slices.Clone(order[:min(most, n)])
		slices.Sort(want)
		c := NewCloud(most)
		var busy sync.WaitGroup
		for _, block := range rng.Perm(20) {
			busy.Add(1)
			go func() {
				defer busy.Done()
				lo, hi := block*n/20, (block+1)*n/20
				c.Add(int64(lo), pts[lo:hi], sides[lo:hi])
			}()
		}
		busy.Wait()
		got := c.sample()
		if len(got) != len(want) {
			t.Fatalf("most %d: %d points kept, want %d", most, len(got), len(want))
		}
		for i, p := range got {
			if int(p.row) != want[i] || p.p != pts[want[i]] || p.side != sides[want[i]] {
				t.Fatalf("most %d: point %d is row %d at %v, want row %d", most, i, p.row, p.p, want[i])
			}
		}
		if counts := c.Counts(); counts[0]+counts[1]+counts[2]+counts[3] != n {
			t.Errorf("most %d: counts %v do not add up to %d", most, counts, n)
		}
	}
}

// TestCloudFair checks that the sample contains equal shares of 50 consecutive blocks. χ² has the
// mean 49 and the standard deviation √98.
func TestCloudFair(t *testing.T) {
	const n, most, cells = 100000, 10000, 50
	c := NewCloud(most)
	for lo := 0; lo < n; lo += 1000 {
		c.Add(int64(lo), make([]r3.Vector, 1000), make([]inpoly.Side, 1000))
	}
	var hits [cells]float64
	for _, p := range c.sample() {
		hits[p.row*cells/n]++
	}
	chi := 0.0
	for _, h := range hits {
		chi += (h - most/cells) * (h - most/cells) / (most / cells)
	}
	if chi > 49+5*math.Sqrt(98) {
		t.Errorf("χ² = %.1f over %d cells: the sample is not fair", chi, cells)
	}
}

func TestCloudNotFinite(t *testing.T) {
	c := NewCloud(10)
	c.Add(0, []r3.Vector{vector(math.NaN(), 0, 0), vector(0, math.Inf(-1), 0), vector(1, 2, 3), vector(math.MaxFloat64, 0, 0)},
		[]inpoly.Side{inpoly.Unknown, inpoly.Unknown, inpoly.Inside, inpoly.Outside})
	if got := c.sample(); len(got) != 2 || got[0].row != 2 || got[1].row != 3 {
		t.Errorf("kept %v, want rows 2 and 3", got)
	}
	if c.Counts() != [4]int64{inpoly.Unknown: 2, inpoly.Inside: 1, inpoly.Outside: 1} || c.nonFinite != 2 {
		t.Errorf("counts %v, %d not finite", c.Counts(), c.nonFinite)
	}
}

func TestCloudLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("different lengths did not panic")
		}
	}()
	NewCloud(1).Add(0, make([]r3.Vector, 2), make([]inpoly.Side, 1))
}

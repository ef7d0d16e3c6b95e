package side_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

func TestGridLen(t *testing.T) {
	const (
		most = math.MaxInt
		half = bits.UintSize / 2
	)
	for _, row := range []struct {
		counts [3]int
		want   int
		ok     bool
	}{
		{[3]int{2, 3, 4}, 24, true},
		{[3]int{0, 3, 4}, 0, true},
		{[3]int{3, 4, 0}, 0, true},
		{[3]int{1, most, 1}, most, true},
		{[3]int{-1, 3, 4}, 0, false},
		{[3]int{0, 0, -4}, 0, false},
		{[3]int{-2, -3, 1}, 0, false},
		{[3]int{2, most, 1}, 0, false},
		{[3]int{1 << half, 1 << (half - 1), 1}, 0, false},               // the product of the counts overflows to the smallest int
		{[3]int{1 << (half / 2), 1 << (half / 2), 1 << half}, 0, false}, // the product of the counts overflows to 0
	} {
		g := side.Grid{Counts: row.counts}
		if got, err := g.Len(); got != row.want || (err == nil) != row.ok {
			t.Errorf("Len of %v is %d, %v; want %d, error %v", row.counts, got, err, row.want, !row.ok)
		}
	}
}

// Point rounds the product and the sum of a coordinate separately, without a fused multiply-add.
func TestGridPoint(t *testing.T) {
	const i, j, k = 3, 7, 12
	g := side.Grid{Origin: r3.Vector{X: 0.1, Y: -0.3, Z: 1e-3}, Spacing: r3.Vector{X: 0.1, Y: 1.0 / 3, Z: -0.7}, Counts: [3]int{20, 20, 20}}
	x, y, z := i*g.Spacing.X, j*g.Spacing.Y, k*g.Spacing.Z
	want := r3.Vector{X: float64(x) + g.Origin.X, Y: float64(y) + g.Origin.Y, Z: float64(z) + g.Origin.Z}
	if got := g.Point(i, j, k); got != want {
		t.Errorf("point (%d, %d, %d) is %v, want %v", i, j, k, got, want)
	}
	g.First = [3]int{1, 5, 12}
	if got := g.Point(i-1, j-5, k-12); got != want {
		t.Errorf("point (%d, %d, %d) of the block at %v is %v, want %v", i-1, j-5, k-12, g.First, got, want)
	}
}

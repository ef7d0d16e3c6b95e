package neighbor

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// towers returns n groups of k equal boxes that touch each other. They have n·k·(k−1)/2 pairs.
func towers(n, k int, shift float64) []bvh.Box {
	var boxes []bvh.Box
	for i := range n {
		for range k {
			low := r3.Vector{X: 3*float64(i) + shift}
			boxes = append(boxes, bvh.Box{Min: low, Max: low.Add(r3.Vector{X: 1, Y: 1, Z: 1})})
		}
	}
	return boxes
}

// An Auto finds the same pairs with and without a limit, or returns ErrPairs if there are more.
func TestMaxPairs(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ n, k int }{{1, 30}, {3, 100}, {500, 5}, {1, 1500}} {
		pairs := c.n * c.k * (c.k - 1) / 2
		for _, workers := range []int{1, 4} {
			free := NewAuto[bvh.Box](AutoOptions{Workers: workers})
			exact := NewAuto[bvh.Box](AutoOptions{Workers: workers, MaxPairs: pairs})
			less := NewAuto[bvh.Box](AutoOptions{Workers: workers, MaxPairs: pairs - 1})
			// The methods change from step to step, and the last ones come back to a list.
			for step := range 100 {
				boxes := towers(c.n, c.k, 1e-4*float64(step))
				if err := errors.Join(free.Update(ctx, boxes), exact.Update(ctx, boxes)); err != nil {
					t.Fatal(err)
				}
				if len(free.Pairs()) != pairs || !slices.Equal(free.Pairs(), exact.Pairs()) {
					t.Fatalf("%d towers of %d, step %d: %d pairs, %d with a limit of %d", c.n, c.k, step, len(free.Pairs()), len(exact.Pairs()), pairs)
				}
				if err := less.Update(ctx, boxes); !errors.Is(err, ErrPairs) {
					t.Fatalf("%d towers of %d, step %d: %v with a limit of %d", c.n, c.k, step, err, pairs-1)
				}
				if step > 10 && c.k > 1000 {
					break
				}
			}
			// A failed step changes nothing.
			boxes := towers(c.n, c.k, 0)
			half := boxes[:len(boxes)/2]
			if err := less.Update(ctx, half); err != nil {
				t.Fatal(err)
			}
			before := slices.Clone(less.Pairs())
			if err := less.Update(ctx, boxes); !errors.Is(err, ErrPairs) || !slices.Equal(before, less.Pairs()) {
				t.Errorf("%d towers of %d: %v, and %d pairs instead of %d", c.n, c.k, err, len(less.Pairs()), len(before))
			}
		}
	}
}

// If a list of pairs that nearly touch is too long, Auto finds the pairs that touch without it.
func TestMaxPairsNearlyTouching(t *testing.T) {
	m := NewAuto[bvh.Box](AutoOptions{MaxPairs: 150})
	for step := range 60 {
		var boxes []bvh.Box
		for i := range 100 { // a row of boxes, of which no two touch but all neighbors nearly touch
			low := r3.Vector{X: 1.0001 * float64(i), Y: 1e-6 * float64(step)}
			one := bvh.Box{Min: low, Max: low.Add(r3.Vector{X: 1, Y: 1, Z: 1})}
			boxes = append(boxes, one, bvh.Box{Min: one.Min.Add(r3.Vector{Y: 1.0001}), Max: one.Max.Add(r3.Vector{Y: 1.0001})})
		}
		if err := m.Update(context.Background(), boxes); err != nil || len(m.Pairs()) != 0 {
			t.Fatalf("step %d: %d pairs, %v", step, len(m.Pairs()), err)
		}
	}
}

package side_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/side"
)

// TestMargin compares Margin with Apply: an integer at a distance below |Margin| has the same side.
func TestMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]side.Rule{side.NonZero, side.Positive, side.Negative, side.EvenOdd}).Draw(t, "rule")
		w := float64(rapid.IntRange(-400, 400).Draw(t, "hundredths of w")) / 100
		margin := r.Margin(w)
		nearest := math.RoundToEven(w)
		if math.Abs(w-nearest) == .5 {
			nearest = w + .5
		}
		k := int64(nearest)
		inside := r.Apply(k, uint64(max(k, -k))) == side.Inside
		if margin != 0 && inside != (margin > 0) {
			t.Fatalf("%v: margin %g of %g, and %d is inside: %v", r, margin, w, k, inside)
		}
		for _, bound := range []float64{math.Abs(margin) * .999, math.Abs(margin) * 1.001} {
			got, ok := r.Decide(w, bound)
			if ok != (bound < math.Abs(margin)) || ok && (got == side.Inside) != inside {
				t.Fatalf("%v: Decide(%g, %g) is %v, %v, and the margin is %g", r, w, bound, got, ok, margin)
			}
		}
		// The nearest threshold is a half-odd number where the sides of the two next integers differ.
		least := math.Inf(1)
		for k := int64(-7); k < 7; k++ {
			if r.Apply(k, uint64(max(k, -k))) != r.Apply(k+1, uint64(max(k+1, -k-1))) {
				least = min(least, math.Abs(w-float64(k)-.5))
			}
		}
		if math.Abs(math.Abs(margin)-least) > 1e-12 {
			t.Fatalf("%v: |margin| of %g is %g, want %g", r, w, math.Abs(margin), least)
		}
	})
}

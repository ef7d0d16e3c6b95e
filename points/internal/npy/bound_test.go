package npy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What a float32 array holds of a number and of its bound still contains the number
// and all that the bound allowed.
func TestBoundsInFloat32(t *testing.T) {
	single, double := header{item: 4}, header{item: 8}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		w := (2*rng.Float64() - 1) * math.Pow(10, 60*rng.Float64()-50)
		bound := math.Pow(10, 40*rng.Float64()-45)
		got := single.roundUp(bound, single.rounding(w))
		if float64(float32(got)) != got || !(got >= bound+math.Abs(w-float64(float32(w)))) {
			t.Fatalf("%g ± %g is written with the bound %g", w, bound, got)
		}
		if double.roundUp(bound, double.rounding(w)) != bound {
			t.Fatalf("a float64 array changes the bound %g", bound)
		}
	}
	if got := single.roundUp(1, single.rounding(1e300)); !math.IsInf(got, 1) {
		t.Errorf("a number beyond float32 has the bound %g", got)
	}
}

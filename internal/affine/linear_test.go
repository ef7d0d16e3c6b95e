package affine

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// The image of a direction is the rounded difference of the exact images of two points.
func TestLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var c Coefficients
		for i := range c {
			for j := range c[i] {
				c[i][j] = big.NewRat(rng.Int64N(2001)-1000, 1+rng.Int64N(1000))
			}
		}
		m, err := New(c)
		if err != nil {
			continue // singular
		}
		d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		got := m.Linear().Apply(d)
		for i, x := range [3]float64{got.X, got.Y, got.Z} {
			want := new(big.Rat)
			for j, v := range [3]float64{d.X, d.Y, d.Z} {
				want.Add(want, new(big.Rat).Mul(c[i][j], new(big.Rat).SetFloat64(v)))
			}
			if w, _ := want.Float64(); x != w {
				t.Fatalf("coordinate %d of the image of %v is %v, not %v", i, d, x, w)
			}
		}
	}
}

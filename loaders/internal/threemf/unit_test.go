package threemf

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestThreeMFUnitRounding compares conversions of float32 numbers with rational arithmetic.
func TestThreeMFUnitRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for from, a := range units {
		for to, b := range units {
			u := newUnit(a, b)
			for range 200 {
				x := float64(float32(math.Ldexp(r.NormFloat64(), r.IntN(40)-20)))
				exact := new(big.Rat).SetFloat64(x)
				want, _ := exact.Mul(exact, big.NewRat(a, b)).Float64()
				if got := u.convert(x); got != want {
					t.Fatalf("%v %s is %v %s, want %v", x, from, got, to, want)
				}
			}
		}
	}
}

package testinterval

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The interval of a result contains the results for rational numbers in the intervals.
func TestContains(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 1))
	for range 2000 {
		some := func() Interval {
			x := r.NormFloat64()
			return Between(x, x+r.ExpFloat64()*float64(r.IntN(2)))
		}
		a, b := some(), some()
		in := func(v Interval) *big.Rat {
			lo, _ := v.lo.Rat(nil)
			hi, _ := v.hi.Rat(nil)
			part := big.NewRat(r.Int64N(9), 8)
			return lo.Add(lo, part.Mul(part, hi.Sub(hi, lo)))
		}
		x, y := in(a), in(b)
		z := new(big.Rat)
		for name, ok := range map[string]bool{
			"Plus": a.Plus(b).Contains(z.Add(x, y)), "Minus": a.Minus(b).Contains(z.Sub(x, y)),
			"Times": a.Times(b).Contains(z.Mul(x, y)), "Square": a.Square().Contains(z.Mul(x, x)),
			"Over": b.lo.Sign() <= 0 || a.Over(b).Contains(z.Quo(x, y)),
		} {
			if !ok {
				t.Errorf("%s of %v in %v and %v in %v", name, x, a, y, b)
			}
		}
		if x.Sign() >= 0 {
			if s := a.Sqrt(); !s.Times(s).Contains(x) {
				t.Errorf("√%v in %v is not in %v", x, a, s)
			}
		}
	}
}

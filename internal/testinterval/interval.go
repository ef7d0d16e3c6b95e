// Package testinterval has interval arithmetic for tests that enumerate all cases of a computation.
// The ends of intervals have 128 bits and are rounded outward, so an interval contains the exact
// result.
package testinterval

import "math/big"

const precision = 128

// Interval is the set of numbers from lo to hi.
type Interval struct{ lo, hi *big.Float }

func down() *big.Float { return new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf) }

func up() *big.Float { return new(big.Float).SetPrec(precision).SetMode(big.ToPositiveInf) }

// Of returns the interval that contains only x.
func Of(x float64) Interval { return Between(x, x) }

// Between returns the interval from lo to hi.
func Between(lo, hi float64) Interval { return Interval{down().SetFloat64(lo), up().SetFloat64(hi)} }

// High returns a float64 that is at least the largest number of a.
func (a Interval) High() float64 {
	x, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(a.hi).Float64()
	return x
}

// Contains reports whether a contains x.
func (a Interval) Contains(x *big.Rat) bool {
	lo, _ := a.lo.Rat(nil)
	hi, _ := a.hi.Rat(nil)
	return lo.Cmp(x) <= 0 && hi.Cmp(x) >= 0
}

// Plus returns a + b.
func (a Interval) Plus(b Interval) Interval {
	return Interval{down().Add(a.lo, b.lo), up().Add(a.hi, b.hi)}
}

// Minus returns a − b.
func (a Interval) Minus(b Interval) Interval {
	return Interval{down().Sub(a.lo, b.hi), up().Sub(a.hi, b.lo)}
}

// Times returns a·b.
func (a Interval) Times(b Interval) Interval {
	switch {
	case a.lo.Sign() >= 0 && b.lo.Sign() >= 0:
		return Interval{down().Mul(a.lo, b.lo), up().Mul(a.hi, b.hi)}
	case a.hi.Sign() <= 0:
		return a.negative().Times(b).negative()
	case b.hi.Sign() <= 0:
		return a.Times(b.negative()).negative()
	case b.lo.Sign() >= 0:
		return b.Times(a)
	case a.lo.Sign() >= 0: // b contains 0
		return Interval{down().Mul(a.hi, b.lo), up().Mul(a.hi, b.hi)}
	}
	lo, hi := down().Mul(a.lo, b.hi), up().Mul(a.lo, b.lo)
	if x := down().Mul(a.hi, b.lo); x.Cmp(lo) < 0 {
		lo = x
	}
	if x := up().Mul(a.hi, b.hi); x.Cmp(hi) > 0 {
		hi = x
	}
	return Interval{lo, hi}
}

func (a Interval) negative() Interval { return Interval{down().Neg(a.hi), up().Neg(a.lo)} }

// Over returns a/b. It panics if b contains a number ≤ 0.
func (a Interval) Over(b Interval) Interval {
	if b.lo.Sign() <= 0 {
		panic("testinterval: the divisor must be positive")
	}
	one := big.NewFloat(1)
	return a.Times(Interval{down().Quo(one, b.hi), up().Quo(one, b.lo)})
}

// Square returns a².
func (a Interval) Square() Interval {
	s := a.Times(a)
	if s.lo.Sign() < 0 {
		s.lo = down()
	}
	return s
}

// Sqrt returns √a. Negative numbers of a count as 0.
func (a Interval) Sqrt() Interval {
	// The error of big.Float.Sqrt is at most a few units in the last place.
	one, few := big.NewFloat(1), big.NewFloat(0x1p-120)
	wide := Interval{down().Sub(one, few), up().Add(one, few)}
	s := Interval{down(), up()}
	if a.lo.Sign() > 0 {
		s.lo.Sqrt(a.lo)
	}
	if a.hi.Sign() > 0 {
		s.hi.Sqrt(a.hi)
	}
	return s.Times(wide)
}

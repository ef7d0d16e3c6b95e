package bem

import (
	"math"
	"math/big"
	"testing"
)

// piDigits is π to 100 decimals (OEIS A000796).
func piDigits() *big.Float {
	const digits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"
	f, _, err := big.ParseFloat(digits, 10, twinBits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return f
}

func TestArgumentPi(t *testing.T) {
	minus := big.NewFloat(-1)
	for _, prec := range []uint{64, 128, 256, 320} {
		got := argument(new(big.Float), minus, prec)
		d := bigf().Sub(got, piDigits())
		limit := bigf().SetMantExp(big.NewFloat(4), -int(prec))
		if d.Abs(d).Cmp(limit) > 0 {
			t.Errorf("π with %d bits is off by %g", prec, d)
		}
	}
	below := argument(new(big.Float).Neg(new(big.Float)), minus, 64)
	if below.Sign() >= 0 {
		t.Errorf("argument of −1 − 0i: %g, want −π", below)
	}
}

// Machin 1706: π/4 = 4 atan 1/5 − atan 1/239, and the argument of a product is
// the sum of the arguments.
func TestArgumentIdentities(t *testing.T) {
	const prec = 256
	atan := func(y, x int64) *big.Float {
		return argument(new(big.Float).SetInt64(y), new(big.Float).SetInt64(x), prec)
	}
	limit := bigf().SetMantExp(big.NewFloat(16), -prec)
	d := bigf().Mul(big.NewFloat(16), atan(1, 5))
	d.Sub(d, bigf().Mul(big.NewFloat(4), atan(1, 239)))
	d.Sub(d, piDigits())
	if d.Abs(d).Cmp(limit) > 0 {
		t.Errorf("Machin's formula is off by %g", d)
	}
	rng := newRand(3)
	for range 200 {
		a, b := rng.Int64N(2000)-1000, rng.Int64N(1000)+1
		c, e := rng.Int64N(2000)-1000, rng.Int64N(1000)+1
		// (b+ai)(e+ci), both in the right half-plane.
		d := bigf().Add(atan(a, b), atan(c, e))
		d.Sub(d, atan(a*e+b*c, b*e-a*c))
		if d.Abs(d).Cmp(limit) > 0 {
			t.Errorf("arguments of (%d,%d) and (%d,%d) add up to %g too much", b, a, e, c, d)
		}
	}
}

func TestArgumentAgainstAtan2(t *testing.T) {
	rng := newRand(4)
	for range 2000 {
		y := (2*rng.Float64() - 1) * math.Pow(10, 20*rng.Float64()-10)
		x := (2*rng.Float64() - 1) * math.Pow(10, 20*rng.Float64()-10)
		got, _ := argument(big.NewFloat(y), big.NewFloat(x), 128).Float64()
		// errorTotal allows math.Atan2 8u of π.
		if want := math.Atan2(y, x); math.Abs(got-want) > 8*math.Pi*roundoff {
			t.Errorf("argument of (%g, %g): %v, math.Atan2 %v", x, y, got, want)
		}
	}
}

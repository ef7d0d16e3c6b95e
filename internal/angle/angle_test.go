package angle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const digitBits = 320

func wide() *big.Float { return new(big.Float).SetPrec(digitBits) }

// piDigits returns π to 100 decimals (OEIS A000796).
func piDigits() *big.Float {
	const digits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"
	f, _, err := big.ParseFloat(digits, 10, digitBits, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return f
}

func TestPi(t *testing.T) {
	minus := big.NewFloat(-1)
	for _, prec := range []uint{64, 128, 256, 320} {
		got := Of(new(big.Float), minus, prec)
		d := wide().Sub(got, piDigits())
		limit := wide().SetMantExp(big.NewFloat(4), -int(prec))
		if d.Abs(d).Cmp(limit) > 0 {
			t.Errorf("π with %d bits is off by %g", prec, d)
		}
	}
	below := Of(new(big.Float).Neg(new(big.Float)), minus, 64)
	if below.Sign() >= 0 {
		t.Errorf("angle of −1 − 0i: %g, want −π", below)
	}
}

// The function Of satisfies Machin's formula of 1706, π/4 = 4 atan 1/5 − atan 1/239. The
// angle of a product equals the sum of the angles of its factors.
func TestIdentities(t *testing.T) {
	const prec = 256
	atan := func(y, x int64) *big.Float {
		return Of(new(big.Float).SetInt64(y), new(big.Float).SetInt64(x), prec)
	}
	limit := wide().SetMantExp(big.NewFloat(16), -prec)
	d := wide().Mul(big.NewFloat(16), atan(1, 5))
	d.Sub(d, wide().Mul(big.NewFloat(4), atan(1, 239)))
	d.Sub(d, piDigits())
	if d.Abs(d).Cmp(limit) > 0 {
		t.Errorf("Machin's formula is off by %g", d)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		a, b := rng.Int64N(2000)-1000, rng.Int64N(1000)+1
		c, e := rng.Int64N(2000)-1000, rng.Int64N(1000)+1
		// The product is (b+ai)(e+ci). Both factors are in the right half-plane.
		d := wide().Add(atan(a, b), atan(c, e))
		d.Sub(d, atan(a*e+b*c, b*e-a*c))
		if d.Abs(d).Cmp(limit) > 0 {
			t.Errorf("the sum of the angles of (%d,%d) and (%d,%d) is off by %g", b, a, e, c, d)
		}
	}
}

func TestAgainstAtan2(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		y := (2*rng.Float64() - 1) * math.Pow(10, 20*rng.Float64()-10)
		x := (2*rng.Float64() - 1) * math.Pow(10, 20*rng.Float64()-10)
		got, _ := Of(big.NewFloat(y), big.NewFloat(x), 128).Float64()
		// Package bem assumes that math.Atan2 has an error of at most 8π·2⁻⁵³.
		if want := math.Atan2(y, x); math.Abs(got-want) > 8*math.Pi*0x1p-53 {
			t.Errorf("angle of (%g, %g): %v, math.Atan2 %v", x, y, got, want)
		}
	}
}

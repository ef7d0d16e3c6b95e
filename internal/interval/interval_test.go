package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		x, bound float64
		digits   int
		want     string
	}{
		{0.5, 4e-15, 1, "0.5 ± 5e-15"}, // the float64 nearest to 4e-15 is larger than 4e-15
		{0.5, 0x1p-50, 1, "0.5 ± 9e-16"},
		{0.5 + 9e-15, 4e-15, 1, "0.500000000000009 ± 5e-15"},
		{0.58856871414, 4.2e-10, 1, "0.5885687141 ± 5e-10"},
		{0.58856871414, 4.2e-10, 2, "0.58856871414 ± 4.3e-10"},
		{-0.25, 1.9984014443252837e-14, 1, "-0.25 ± 2e-14"},
		{-0.25, 2.25e-14, 2, "-0.25 ± 2.3e-14"},
		{1234567.8, 1000, 1, "1235000 ± 2000"},
		{12, 9.5, 1, "12 ± 10"},
		{0.96, 0.5, 1, "1 ± 0.6"},
		{0, 0.5, 1, "0 ± 0.5"},
		{0.001, 100, 1, "0 ± 200"},
		{1.25e300, 1e299, 1, "1.3e+300 ± 2e+299"},
		{-1.5e-9, 3e-12, 1, "-1.5e-09 ± 4e-12"},
		{0.1, 0, 1, "0.1"},
		{5e-324, 5e-324, 1, "5e-324 ± 5e-324"},
		{math.MaxFloat64, math.MaxFloat64, 1, "2e+308 ± 2e+308"},
	} {
		if got, _ := New(c.x, c.bound).Text(c.digits); got != c.want {
			t.Errorf("%g ± %g with %d digits: %q, want %q", c.x, c.bound, c.digits, got, c.want)
		}
	}
}

// The printed interval equals the interval that Text returns. The printed interval encloses v, and
// is no wider than the digits require.
func TestTextEncloses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		bound := math.Exp(20*rng.NormFloat64() - 30)
		v := New(bound*math.Exp(15*rng.NormFloat64())*(1-2*rng.Float64()), bound)
		digits := 1 + rng.IntN(4)
		text, written := v.Text(digits)
		a, b, ok := strings.Cut(text, " ± ")
		x, okX := new(big.Rat).SetString(a)
		r, okR := new(big.Rat).SetString(b)
		if !ok || !okX || !okR || x.Cmp(written.x) != 0 || r.Cmp(written.bound) != 0 {
			t.Fatalf("%v ± %v: %q is not %v ± %v", v.x, v.bound, text, written.x, written.bound)
		}
		off := new(big.Rat).Sub(x, v.x)
		off.Add(off.Abs(off), v.bound)
		if off.Cmp(r) > 0 {
			t.Fatalf("%v ± %v: %q does not enclose it", v.x, v.bound, text)
		}
		// Let a unit be 1 in the place of the last printed digit of v.bound. Rounding the number
		// adds at most half a unit, which can add a digit to the bound. The bound is then rounded
		// up to a multiple of ten units, so rounding the bound adds at most ten units.
		unit := new(big.Rat).Mul(power(magnitude(v.bound)-digits+1), big.NewRat(21, 2))
		if off.Sub(r, v.bound).Cmp(unit) > 0 {
			t.Fatalf("%v ± %v: %q is too wide", v.x, v.bound, text)
		}
	}
}

func TestContains(t *testing.T) {
	v := New(0.75, 0.25)
	for x, want := range map[float64]bool{0.5: true, 1: true, 0.75: true, math.Nextafter(0.5, 0): false, math.Nextafter(1, 2): false} {
		if v.Contains(x) != want {
			t.Errorf("%v contains %v: %v", v, x, !want)
		}
	}
	if d := v.Minus(0.5); !d.Contains(0) || d.Contains(-1e-300) || !d.Contains(0.5) {
		t.Errorf("%v", d)
	}
}

func TestUp(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0x1p-53: "2e-16", 3: "3", 0.0021: "0.003", 9.5: "10", 1.01e-7: "2e-07", 5e-324: "5e-324", math.MaxFloat64: "2e+308", math.Inf(1): "+Inf",
	} {
		if got := Up(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// Package interval formats a number with the bound of its error. The printed interval encloses the
// exact interval. The number is rounded to the digits that the bound justifies, its rounding error
// is added to the bound, and the bound is rounded up.
//
//	fmt.Println(interval.New(0.58856871414, 4.2e-10)) // 0.5885687141 ± 5e-10
//	fmt.Println(interval.Up(4.2e-10))                 // 5e-10
package interval

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Interval is the exact interval from x−bound to x+bound.
type Interval struct{ x, bound *big.Rat }

// New returns the interval x ± bound. It panics unless x and bound are finite and bound ≥ 0.
func New(x, bound float64) Interval {
	v := Interval{new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(bound)}
	if v.x == nil || v.bound == nil || bound < 0 {
		panic(fmt.Sprintf("interval: %g ± %g: both numbers must be finite, and the bound must be ≥ 0", x, bound))
	}
	return v
}

// Minus returns v shifted by −t. t must be finite.
func (v Interval) Minus(t float64) Interval {
	return Interval{new(big.Rat).Sub(v.x, new(big.Rat).SetFloat64(t)), v.bound}
}

// Contains reports whether t lies in v. The interval v includes its ends. t must be finite.
func (v Interval) Contains(t float64) bool {
	d := v.Minus(t).x
	return d.Abs(d).Cmp(v.bound) <= 0
}

// String formats v with a bound of one significant digit.
func (v Interval) String() string {
	text, _ := v.Text(1)
	return text
}

// Text formats v with a bound of the given number of significant digits, which must be positive. It
// also returns the printed interval, which encloses v. If the bound is 0, Text formats the number
// with fmt.Sprint and prints no bound.
func (v Interval) Text(digits int) (text string, written Interval) {
	if v.bound.Sign() == 0 {
		x, _ := v.x.Float64()
		return fmt.Sprint(x), v
	}
	unit := magnitude(v.bound) - digits + 1
	n := rounded(v.x, unit)
	x := new(big.Rat).Mul(new(big.Rat).SetInt(n), power(unit))
	off := new(big.Rat).Sub(v.x, x)
	b, at := up(off.Add(off.Abs(off), v.bound), digits)
	bound := new(big.Rat).Mul(new(big.Rat).SetInt(b), power(at))
	return decimal(n, unit) + " ± " + decimal(b, at), Interval{x, bound}
}

// Up formats a bound with one significant digit, rounded up. It panics if bound is
// negative or NaN.
func Up(bound float64) string {
	switch {
	case !(bound >= 0):
		panic(fmt.Sprintf("interval: bound %g: must be ≥ 0", bound))
	case bound == 0 || math.IsInf(bound, 0):
		return fmt.Sprint(bound)
	}
	return decimal(up(new(big.Rat).SetFloat64(bound), 1))
}

// up rounds x up to the given number of digits. The result is n·10^unit. x must be positive.
func up(x *big.Rat, digits int) (n *big.Int, unit int) {
	unit = magnitude(x) - digits + 1
	q := new(big.Rat).Quo(x, power(unit))
	n = new(big.Int).Neg(q.Num()) // −⌊−q⌋ is q rounded up
	return n.Neg(n.Div(n, q.Denom())), unit
}

// rounded returns the integer nearest to x/10^unit. It rounds halves away from 0.
func rounded(x *big.Rat, unit int) *big.Int {
	n, _ := new(big.Int).SetString(new(big.Rat).Quo(x, power(unit)).FloatString(0), 10)
	return n
}

// magnitude returns the decimal exponent of the first digit of x. x must be positive.
func magnitude(x *big.Rat) int {
	e := int(math.Log10(2) * float64(new(big.Float).SetRat(x).MantExp(nil))) // estimated exponent
	for x.Cmp(power(e)) < 0 {
		e--
	}
	for x.Cmp(power(e+1)) >= 0 {
		e++
	}
	return e
}

// power returns 10^e.
func power(e int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// decimal formats n·10^unit without trailing zeros. The format has an exponent if the magnitude is
// below 10^−4 or at least 10^21. fmt.Print uses the same limits for a float64.
func decimal(n *big.Int, unit int) string {
	if n.Sign() == 0 {
		return "0"
	}
	sign, s := "", n.String()
	if n.Sign() < 0 {
		sign, s = "-", s[1:]
	}
	lead := len(s) - 1 + unit
	s = strings.TrimRight(s, "0")
	switch {
	case lead < -4 || lead >= 21:
		if len(s) > 1 {
			s = s[:1] + "." + s[1:]
		}
		return fmt.Sprintf("%s%se%+03d", sign, s, lead)
	case lead < 0:
		return sign + "0." + strings.Repeat("0", -lead-1) + s
	case len(s) <= lead+1:
		return sign + s + strings.Repeat("0", lead+1-len(s))
	}
	return sign + s[:lead+1] + "." + s[lead+1:]
}

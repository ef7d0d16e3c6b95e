package cityjson

import (
	"bytes"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/inpoly/inpoly/internal/decimal"
)

// number is the decimal number m·10^−places.
type number struct {
	m      big.Int
	places int
}

// A decimal number has at most maxDigits characters, and an exponent of at most maxExponent. These
// limits bound the time of exact arithmetic. All float64 are inside the limit of the exponent.
const (
	maxDigits   = 400
	maxExponent = 400
)

// parseNumber returns the exact value of a JSON number. It returns false for numbers beyond the limits
// and for words such as NaN.
func parseNumber(word []byte) (number, bool) {
	var n number
	digits, exponent := word, 0
	if i := bytes.IndexAny(word, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(string(word[i+1:])); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return n, false
		}
		digits = word[:i]
	}
	if len(digits) > maxDigits {
		return n, false
	}
	whole, fraction, _ := bytes.Cut(digits, []byte("."))
	if _, ok := n.m.SetString(string(whole)+string(fraction), 10); !ok {
		return n, false
	}
	if n.places = len(fraction) - exponent; n.places < 0 {
		n.m.Mul(&n.m, power(-n.places))
		n.places = 0
	}
	return n, true
}

// rational returns the number as a fraction.
func (n *number) rational() *big.Rat { return new(big.Rat).SetFrac(&n.m, power(n.places)) }

// power returns 10^k.
func power(k int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil) }

// transform is the map from integers to coordinates: v ↦ scale·v + translate for each axis.
type transform [3]axis

// axis is the map v ↦ (factor·v + offset) / 10^places. Its results are exact before they are rounded
// once.
type axis struct {
	factor, offset big.Int
	places         int

	small     bool   // the other fields are valid, and places is at most decimal.MaxPlaces
	mul       int64  // factor
	addHi     uint64 // upper half of offset, in two's complement
	addLo     uint64 // lower half of offset
	divisor   *big.Int
	remaining big.Int // room for products
}

func newAxis(scale, translate number) axis {
	a := axis{places: max(scale.places, translate.places)}
	a.factor.Mul(&scale.m, power(a.places-scale.places))
	a.offset.Mul(&translate.m, power(a.places-translate.places))
	a.divisor = power(a.places)
	// A product of two int64 has at most 126 bits and a sign, so its sum with an offset of 126 bits
	// does not overflow 128 bits.
	const most = 126
	if a.places > decimal.MaxPlaces || !a.factor.IsInt64() || a.offset.BitLen() > most {
		return a
	}
	a.small, a.mul = true, a.factor.Int64()
	magnitude := new(big.Int).Abs(&a.offset)
	a.addLo = new(big.Int).And(magnitude, new(big.Int).SetUint64(1<<64-1)).Uint64()
	a.addHi = new(big.Int).Rsh(magnitude, 64).Uint64()
	if a.offset.Sign() < 0 {
		a.addHi, a.addLo = negate(a.addHi, a.addLo)
	}
	return a
}

// negate returns the negative of a number of 128 bits in two's complement.
func negate(hi, lo uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(0, hi, borrow)
	return hi, lo
}

// apply returns the float64 nearest to scale·v + translate.
func (a *axis) apply(v int64) float64 {
	if !a.small {
		return a.exact(big.NewInt(v))
	}
	hi, lo := bits.Mul64(uint64(v), uint64(a.mul))
	if v < 0 { // Mul64 multiplies unsigned numbers: v + 2^64 in place of v
		hi -= uint64(a.mul)
	}
	if a.mul < 0 {
		hi -= uint64(v)
	}
	lo, carry := bits.Add64(lo, a.addLo, 0)
	hi, _ = bits.Add64(hi, a.addHi, carry)
	if int64(hi) < 0 {
		hi, lo = negate(hi, lo)
		return -decimal.Quotient(hi, lo, a.places)
	}
	return decimal.Quotient(hi, lo, a.places)
}

// exact does the same as apply, for integers of any size.
func (a *axis) exact(v *big.Int) float64 {
	n := a.remaining.Mul(&a.factor, v)
	n.Add(n, &a.offset)
	x, _ := new(big.Rat).SetFrac(n, a.divisor).Float64()
	return x
}

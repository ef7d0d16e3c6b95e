package predicates

import (
	"math"
	"math/bits"
)

// integerBits is the largest number of bits of an integer from toIntegers.
const integerBits = 41

// toIntegers returns a, b and c, multiplied by the same power of two. ok is false if a product is not
// an integer below 2^integerBits. Each argument must be 0 or have a magnitude in [2^−342, 2^331], like
// the differences of expandable coordinates. A power of two keeps the sign of a determinant.
func toIntegers(a, b, c float64) (i, j, k int64, ok bool) {
	exponent := int(math.Float64bits(max(math.Abs(a), math.Abs(b), math.Abs(c))) >> 52)
	if exponent == 0 {
		return 0, 0, 0, true // all arguments are 0
	}
	// |a| is below 2^(exponent − 1022).
	scale := math.Float64frombits(uint64(1023+integerBits+1022-exponent) << 52)
	x, y, z := a*scale, b*scale, c*scale
	i, j, k = int64(x), int64(y), int64(z)
	return i, j, k, float64(i) == x && float64(j) == y && float64(k) == z
}

// int128 is a signed integer in two's complement.
type int128 struct{ hi, lo uint64 }

func product(x, y int64) int128 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return int128{hi - uint64(x>>63)&uint64(y) - uint64(y>>63)&uint64(x), lo}
}

// minorInteger returns p·q − r·s.
func minorInteger(p, q, r, s int64) int128 {
	a, b := product(p, q), product(r, s)
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return int128{hi, lo}
}

// times returns x·y if the result fits.
func (x int128) times(y int64) int128 {
	hi, lo := bits.Mul64(x.lo, uint64(y))
	return int128{hi + x.hi*uint64(y) - uint64(y>>63)&x.lo, lo}
}

// plus returns x + y if the result fits.
func (x int128) plus(y int128) int128 {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	hi, _ := bits.Add64(x.hi, y.hi, carry)
	return int128{hi, lo}
}

func (x int128) sign() int {
	switch {
	case int64(x.hi) < 0:
		return -1
	case x.hi|x.lo == 0:
		return 0
	}
	return 1
}

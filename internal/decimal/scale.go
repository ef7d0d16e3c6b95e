package decimal

import (
	"math"
	"math/bits"
)

// maxFive is the largest k with 5^k < 2^64.
const maxFive = 27

// pow5 has the powers 5^0 … 5^27. exactTen has the powers of ten that are float64: 10^0 … 10^22,
// because 10^22 = 2^22·5^22 and 5^22 < 2^53 < 5^23.
var (
	pow5     [maxFive + 1]uint64
	exactTen = [...]float64{
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	}
)

func init() {
	p := uint64(1)
	for k := range pow5 {
		pow5[k] = p
		p *= 5
	}
}

// scale returns the float64 nearest to m·10^e, or false if m and e are too large. strconv must then
// parse the number.
func scale(m uint64, e int) (float64, bool) {
	if m <= 1<<53 {
		switch {
		case e < 0 && e >= -22:
			return float64(m) / exactTen[-e], true
		case e >= 0 && e <= 22:
			return float64(m) * exactTen[e], true
		case m == 0:
			return 0, true
		}
	}
	switch {
	case e < 0 && e >= -maxFive:
		return quotient(m, -e), true
	case e >= 0 && e <= maxFive:
		return product(m, e), true
	}
	return 0, false
}

// quotient returns m/10^k, rounded once, for m > 0 and 0 ≤ k ≤ maxFive. It shifts m and 5^k until
// their top bits are set. The quotient (m·2^63)/5^k then has 63 or 64 bits. It is exact if the
// remainder is zero.
func quotient(m uint64, k int) float64 {
	d := pow5[k]
	sm, sd := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	m <<= sm
	q, r := bits.Div64(m>>1, m<<63, d<<sd)
	return round(q, r != 0, sd-sm-63-k)
}

// product returns m·10^k, rounded once, for m > 0 and 0 ≤ k ≤ maxFive. It normalizes the product
// m·5^k of 128 bits and rounds the upper 64 bits. The lower bits are the sticky bit of round.
func product(m uint64, k int) float64 {
	hi, lo := bits.Mul64(m, pow5[k])
	e := k
	if hi != 0 {
		s := bits.LeadingZeros64(hi)
		hi = hi<<s | lo>>(64-s)
		lo <<= s
		e += 64 - s
	} else {
		s := bits.LeadingZeros64(lo)
		hi, lo = lo<<s, 0
		e -= s
	}
	return round(hi, lo != 0, e)
}

// round returns the float64 nearest to q·2^e, ties to even. If sticky is set, q stands for a number
// between q and q+1. q must have at least 54 bits. The result is a normal number, because
// 10^−27 ≤ q·2^e < 2^64·10^27.
func round(q uint64, sticky bool, e int) float64 {
	drop := bits.Len64(q) - 53
	m := q >> drop
	rest, half := q&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > half || rest == half && (sticky || m&1 == 1) {
		m++
	}
	return float64(m) * math.Float64frombits(uint64(e+drop+1023)<<52)
}

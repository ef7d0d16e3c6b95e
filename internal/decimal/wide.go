package decimal

import "math/bits"

// MaxPlaces is the largest number of decimal places that Quotient accepts.
const MaxPlaces = maxFive

// Quotient returns the float64 nearest to (hi·2^64 + lo) / 10^k, ties to even. It panics if k is
// negative or above MaxPlaces.
func Quotient(hi, lo uint64, k int) float64 {
	switch {
	case hi == 0 && lo <= 1<<53 && k < len(exactTen):
		return float64(lo) / exactTen[k]
	case hi == 0 && lo == 0:
		return 0
	case hi == 0:
		return quotient(lo, k)
	}
	// The integer and 5^k are shifted until their top bits are set. Half of the shifted integer, divided
	// by the shifted 5^k, has 63 or 64 bits.
	s, sd := bits.LeadingZeros64(hi), bits.LeadingZeros64(pow5[k])
	if s > 0 {
		hi, lo = hi<<s|lo>>(64-s), lo<<s
	}
	q, r := bits.Div64(hi>>1, hi<<63|lo>>1, pow5[k]<<sd)
	return round(q, r != 0 || lo&1 != 0, sd-s+1-k)
}

package points

import "math/bits"

// share returns ⌊n·i/parts⌋ for 0 ≤ i ≤ parts and n ≥ 0.
func share(n int64, i, parts int) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(parts)) // hi < parts, for n·i/parts ≤ n < 2^64
	return int64(q)
}

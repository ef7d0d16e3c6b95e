package decimal

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestQuotient compares Quotient with rational numbers, also near ties.
func TestQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	check := func(hi, lo uint64, k int) {
		t.Helper()
		n := new(big.Int).SetUint64(hi)
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(lo))
		d := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
		want, _ := new(big.Rat).SetFrac(n, d).Float64()
		if got := Quotient(hi, lo, k); got != want {
			t.Fatalf("(%d·2^64 + %d) / 10^%d: got %v, want %v", hi, lo, k, got, want)
		}
	}
	for range 200_000 {
		k := r.IntN(MaxPlaces + 1)
		hi, lo := r.Uint64()>>r.IntN(65), r.Uint64()>>r.IntN(65)
		check(hi, lo, k)
		// The nearest integers to (m + 1/2)·2^e·10^k for a float64 m·2^e are near ties or ties.
		m := r.Uint64N(1<<53) | 1<<52
		h, l := bits.Mul64(2*m+1, pow5[k])
		s := r.IntN(bits.LeadingZeros64(h|1) + 1)
		if s > 0 && s < 64 {
			h, l = h<<s|l>>(64-s), l<<s
		}
		for _, d := range []uint64{0, 1, ^uint64(0)} {
			sum, carry := bits.Add64(l, d, 0)
			if d > 1 {
				carry = carry - 1 // the number is −1
			}
			check(h+carry, sum, k)
		}
	}
	// The integers around n, which is the one nearest to a tie times 10^k, take the division in quotient.
	for range 50_000 {
		k := r.IntN(MaxPlaces + 1)
		v := Quotient(0, r.Uint64()|1<<62, k)
		tie := new(big.Float).SetPrec(200).SetFloat64(v)
		tie.Add(tie, new(big.Float).SetFloat64((math.Nextafter(v, math.Inf(1))-v)/2))
		tie.Mul(tie, new(big.Float).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)))
		n, _ := tie.Uint64()
		for d := range uint64(6) {
			check(0, n+d-2, k)
		}
	}
	for k := range MaxPlaces + 1 {
		check(0, 0, k)
		check(0, 1, k)
		check(1, 0, k)
		check(^uint64(0), ^uint64(0), k)
	}
}

package harmonics

import (
	"fmt"
	"math"
)

// LocalTailsTo writes, for s = 0 … len(dst)−1, the tail
//
//	T_s = Σ_{n>q} C(n+s, n) ρⁿ
//
// which bounds what a local expansion of degree q omits of moments of degree s:
// with target radius b, |d| = D and ρ = b/D the error at |x| ≤ b is at most
// P_s T_s/D^{s+1}, P_s of NormsTo, and this constant is sharp.
//
// Why: turn d to the z axis. M2L then couples order −t of degree s to order t of
// degree n alone, and in coordinates scaled to make NormsTo Euclidean, with
// Σ_m (n−m)!(n+m)! |R_n^m(x)|² = |x|^{2n} on the target side, its factor is
// (n+s)!/√((n−t)!(n+t)!(s−t)!(s+t)!)/D^{n+s+1} ≤ C(n+s,n)/D^{n+s+1}, with equality
// at t = 0: on the axis, for a charge on the axis.
//
// As C(n+s,n) = C(n+s−1,n) + C(n+s−1,n−1), (1−ρ) T_s = T_{s−1} + C(q+s,q) ρ^{q+1},
// T_{−1} = 0: no term is negative and nothing cancels. A term passes q roundings
// in ρ^{q+1}, two for each s in the binomial, three (sum, 1−ρ, quotient) for each s
// afterwards: at most 3s+q+5 factors 1±2⁻⁵³ with the last product. The result is
// raised by twice that, which also covers the second order: it is an upper bound,
// +Inf where float64 ends. It panics unless 0 ≤ ρ < 1 and q ≥ −1 (q = −1 gives
// the whole series, (1−ρ)^{−s−1}).
func LocalTailsTo(dst []float64, q int, rho float64) {
	t := newTail(q, rho)
	for s := range dst {
		dst[s] = t.next()
	}
}

// LocalTail returns the element s ≥ 0 of LocalTailsTo, in O(q+s) operations.
func LocalTail(q, s int, rho float64) float64 {
	if s < 0 {
		panic(fmt.Sprintf("harmonics: tail of degree %d", s))
	}
	t := newTail(q, rho)
	v := t.next()
	for i := 0; i < s; i++ {
		v = t.next()
	}
	return v
}

// unit is the rounding unit of float64; minNormal the smallest normal float64.
const (
	unit      = 0x1p-53
	minNormal = 0x1p-1022
)

// tail steps through T_0, T_1, ….
type tail struct {
	q, s   int
	gap    float64 // 1−ρ
	term   float64 // C(q+s, q) ρ^{q+1} of the next s
	before float64 // T_{s−1}, not yet raised
}

func newTail(q int, rho float64) tail {
	if !(rho >= 0 && rho < 1) || q < -1 {
		panic(fmt.Sprintf("harmonics: tail of ratio %v after degree %d", rho, q))
	}
	term := 1.0
	for i := 0; i <= q; i++ {
		term *= rho
	}
	if rho > 0 {
		term = math.Max(term, minNormal) // below, the power has lost digits; more is still a bound
	}
	return tail{q: q, gap: 1 - rho, term: term}
}

func (t *tail) next() float64 {
	t.before = (t.before + t.term) / t.gap
	v := t.before * (1 + float64(2*(3*t.s+t.q+5))*unit)
	t.s++
	t.term = t.term * float64(t.q+t.s) / float64(t.s)
	return v
}

// M2LBound returns an upper bound of the error that truncation leaves in
// Σ R_n^m L_n^m at any |x| ≤ b, when L of degree q comes by M2L over a distance D
// from moments of degree p with norms[s] = P_s of NormsTo (or upper bounds of them):
//
//	Σ_{s≤p} P_s T_s/D^{s+1} + Σ_{p<s<len(norms)} P_s/(D−b)^{s+1}
//
// T_s of LocalTailsTo with ρ = b/D. The second sum is what degrees above p, if
// norms knows them, would have added; the caller adds a bound for the degrees
// beyond norms. q = −1 bounds the field itself. The result is rounded up, O(p+q)
// operations, without allocation; it is +Inf when b ≥ D or an argument is NaN. It
// does not contain the rounding of the operators. It panics when b < 0.
func M2LBound(norms []float64, p, q int, b, d float64) float64 {
	if b < 0 {
		panic("harmonics: negative radius")
	}
	rho := b / d * (1 + 2*unit)
	gap := (d - b) * (1 - 2*unit)
	if !(d > 0 && gap > 0 && rho < 1) {
		return math.Inf(1)
	}
	t := newTail(q, rho)
	sum, near, far := 0.0, 1.0, 1.0
	for s, norm := range norms {
		// A power that underflows counts as minNormal, and so does a term: both
		// only raise the bound.
		near, far = math.Max(near/d, minNormal), math.Max(far/gap, minNormal)
		factor := far
		if s <= p {
			factor = near * t.next()
		}
		if norm != 0 {
			sum += math.Max(norm*factor, minNormal)
		}
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	// s+1 quotients, two products, len(norms) sums, doubled for the second order.
	return sum * (1 + float64(4*len(norms)+8)*unit)
}

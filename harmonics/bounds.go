package harmonics

import (
	"fmt"
	"math"
)

// unit is the rounding unit of float64, and minNormal is the smallest normal float64.
const (
	unit      = 0x1p-53
	minNormal = 0x1p-1022
)

// NormsTo writes the norm of each degree of the moments m of degree p,
//
//	P_s = √(Σ_{|t|≤s} (s−t)!(s+t)! |M_s^t|²),  s = 0 … p,
//
// to the first p+1 elements of dst. The norms are invariant under rotation and satisfy the triangle
// inequality. They bound the field:
//
//	|Σ_t conj(S_s^t(x)) M_s^t| ≤ P_s/|x|^{s+1}
//
// with equality for M_s^t = S_s^t(x)/((s−t)!(s+t)!), for example for a charge on the line
// through 0 and x (docs/design/016-error-bounds.md).
//
// A unit charge at y has P_s = |y|^s. A dipole n at y has P_s = |y|^{s−1} √(s² n_r² + ½s(s+1)
// n_t²), where n_r is the component of n along y and n_t is the component perpendicular to y. So
// P_s ≤ s|y|^{s−1}|n|.
//
// The cost is O(p²), without allocation. NormsTo panics if a slice is too short.
func NormsTo(dst []float64, p int, m []float64) {
	checkLen("m", m, p)
	if len(dst) < p+1 {
		panic("harmonics: dst must have at least p+1 elements")
	}
	sFactorial := 1.0
	for s := 0; s <= p; s++ {
		if s > 0 {
			sFactorial *= float64(s)
		}
		row := m[s*s : s*s+2*s+1]
		w := sFactorial // weight √((s−t)!(s+t)!) for t = 0
		zero := w * row[0]
		sum := float64(zero * zero)
		for t := 1; t <= s; t++ {
			w *= math.Sqrt(float64(s+t) * reciprocal[s-t+1])
			re, im := w*row[2*t-1], w*row[2*t]
			sum += float64(2 * (float64(re*re) + float64(im*im)))
		}
		dst[s] = math.Sqrt(sum)
	}
}

// LocalTailsTo writes to dst, for s = 0 … len(dst)−1, the tail
//
//	T_s = Σ_{n>q} C(n+s, n) ρⁿ
//
// M2L over the distance D computes a local expansion of degree q from moments of degree s. Within
// the radius b = ρD, the truncation error of this expansion is at most P_s T_s/D^{s+1}, with P_s
// from NormsTo. The constant T_s is sharp (docs/design/016-error-bounds.md). Each T_s is rounded
// up. T_s is +Inf if it exceeds the range of float64.
//
// The cost is O(q+len(dst)). LocalTailsTo panics unless 0 ≤ ρ < 1 and q ≥ −1. For q = −1 the tail
// is the whole series, (1−ρ)^{−s−1}.
func LocalTailsTo(dst []float64, q int, rho float64) {
	t := newTail(q, rho)
	for s := range dst {
		dst[s] = t.next()
	}
}

// tail computes T_0, T_1, … of LocalTailsTo, one value for each call of next. It uses (1−ρ) T_s =
// T_{s−1} + C(q+s, q) ρ^{q+1} with T_{−1} = 0. No term is negative, so no digits cancel.
type tail struct {
	q, s   int
	gap    float64 // value 1−ρ
	term   float64 // value C(q+s, q) ρ^{q+1} for the s of the next call
	before float64 // value T_{s−1}, not rounded up
}

func newTail(q int, rho float64) tail {
	if !(rho >= 0 && rho < 1) || q < -1 {
		panic(fmt.Sprintf("harmonics: ratio %v must be in [0, 1), and degree %d must be at least −1", rho, q))
	}
	term := 1.0
	for i := 0; i <= q; i++ {
		term *= rho
	}
	if rho > 0 {
		term = math.Max(term, minNormal) // avoids a subnormal term, which would have fewer digits
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

// M2LBound returns an upper bound of the truncation error of a local expansion Σ R_n^m(x) L_n^m at
// all x with |x| ≤ b. L are the coefficients of degree q that M2L computes from moments of degree p
// over the distance d. norms[s] is P_s of NormsTo, or an upper bound of P_s. The bound is
//
//	Σ_{s≤p} P_s T_s/d^{s+1} + Σ_{p<s<len(norms)} P_s/(d−b)^{s+1}
//
// with T_s from LocalTailsTo for ρ = b/d. The second sum bounds the contribution of the degrees p+1
// … len(norms)−1. The caller must add a bound for the higher degrees. For q = −1 the result bounds
// the field itself. The bound does not include the rounding of the operators.
//
// The result is rounded up. The result is +Inf if b ≥ d or an argument is NaN. The cost is O(p+q),
// without allocation. M2LBound panics if b < 0.
func M2LBound(norms []float64, p, q int, b, d float64) float64 {
	if b < 0 {
		panic("harmonics: the radius b is negative")
	}
	rho := b / d * (1 + 2*unit)
	gap := (d - b) * (1 - 2*unit)
	if !(d > 0 && gap > 0 && rho < 1) {
		return math.Inf(1)
	}
	t := newTail(q, rho)
	sum, near, far := 0.0, 1.0, 1.0
	for s, norm := range norms {
		// A power or a term that underflows counts as minNormal. This can only increase the bound.
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
	// Each term has the rounding errors of s+1 quotients, two products and len(norms) sums. The
	// factor counts these errors twice, to cover second-order errors.
	return sum * (1 + float64(4*len(norms)+8)*unit)
}

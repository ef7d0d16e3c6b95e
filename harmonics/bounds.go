package harmonics

import (
	"fmt"
	"math"
)

// unit is the rounding unit of float64; minNormal is the smallest normal float64.
const (
	unit      = 0x1p-53
	minNormal = 0x1p-1022
)

// NormsTo writes the norm of each degree of the moments m of degree p,
//
//	P_s = √(Σ_{|t|≤s} (s−t)!(s+t)! |M_s^t|²),  s = 0 … p,
//
// to the first p+1 elements of dst. The norms are invariant under rotation and satisfy the triangle
// inequality. They bound the field sharply: by the addition theorem of Legendre polynomials Σ_t
// |S_s^t(x)|²/((s−t)!(s+t)!) = 1/|x|^{2s+2}, so Cauchy's inequality gives
//
//	|Σ_t conj(S_s^t(x)) M_s^t| ≤ P_s/|x|^{s+1}
//
// with equality for M_s^t = S_s^t(x)/((s−t)!(s+t)!), for example a charge at y parallel to x. A
// unit charge at y has P_s = |y|^s. A dipole n at y has P_s = |y|^{s−1} √(s² n_r² + ½s(s+1)
// n_t²) ≤ s|y|^{s−1}|n|, where n_r and n_t are its components along and across y.
//
// The cost is O(p²), without allocation. NormsTo panics if a slice is too short.
func NormsTo(dst []float64, p int, m []float64) {
	checkLen("m", m, p)
	if len(dst) < p+1 {
		panic("harmonics: dst is shorter than p+1")
	}
	first := 1.0 // s!
	for s := 0; s <= p; s++ {
		if s > 0 {
			first *= float64(s)
		}
		row := m[s*s : s*s+2*s+1]
		w := first // √((s−t)!(s+t)!)
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

// LocalTailsTo writes, for s = 0 … len(dst)−1, the tail
//
//	T_s = Σ_{n>q} C(n+s, n) ρⁿ
//
// to dst. It bounds the truncation error of a local expansion of degree q for moments of degree s:
// with target radius b, |d| = D and ρ = b/D, the error at |x| ≤ b is at most P_s T_s/D^{s+1}, with
// P_s from NormsTo. This constant is sharp.
//
// Proof: rotate d to the z axis. M2L then couples order −t of degree s only to order t of degree n.
// Use coordinates scaled to make NormsTo Euclidean; on the target side Σ_m (n−m)!(n+m)!
// |R_n^m(x)|² = |x|^{2n}. Then the factor is
// (n+s)!/√((n−t)!(n+t)!(s−t)!(s+t)!)/D^{n+s+1} ≤ C(n+s,n)/D^{n+s+1}, with equality at t = 0: on the
// axis, for a charge on the axis.
//
// Since C(n+s,n) = C(n+s−1,n) + C(n+s−1,n−1), (1−ρ) T_s = T_{s−1} + C(q+s,q) ρ^{q+1} with
// T_{−1} = 0. No term is negative, so nothing cancels. A term passes through q roundings in
// ρ^{q+1}, two for each s in the binomial, and three (sum, 1−ρ, quotient) for each later s: with
// the last product at most 3s+q+5 factors 1±2⁻⁵³. The result is raised by twice that, which also
// covers the second order. So it is an upper bound, +Inf beyond the range of float64.
//
// The cost is O(q+len(dst)). LocalTailsTo panics unless 0 ≤ ρ < 1 and q ≥ −1. For q = −1 the tail
// is the whole series, (1−ρ)^{−s−1}.
func LocalTailsTo(dst []float64, q int, rho float64) {
	t := newTail(q, rho)
	for s := range dst {
		dst[s] = t.next()
	}
}

// tail computes T_0, T_1, … in turn.
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
		term = math.Max(term, minNormal) // a subnormal power has lost digits; more is still a bound
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

// M2LBound returns an upper bound of the truncation error of Σ R_n^m L_n^m at any |x| ≤ b, where
// M2L over a distance d made L of degree q from moments of degree p. norms[s] is P_s of NormsTo, or
// an upper bound of it. The bound is
//
//	Σ_{s≤p} P_s T_s/D^{s+1} + Σ_{p<s<len(norms)} P_s/(D−b)^{s+1}
//
// with T_s from LocalTailsTo for ρ = b/D. The second sum bounds the contribution of degrees above
// p, as far as norms has them; the caller adds a bound for the degrees beyond norms. q = −1 bounds
// the field itself. The bound does not include the rounding of the operators.
//
// The result is rounded up. It is +Inf if b ≥ d or an argument is NaN. The cost is O(p+q), without
// allocation. M2LBound panics if b < 0.
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
		// Powers and terms that underflow count as minNormal, which only raises the bound.
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

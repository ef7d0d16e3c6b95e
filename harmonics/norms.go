package harmonics

import "math"

// NormsTo writes the norms of the moments m of degree p by degree,
//
//	P_s = √(Σ_{|t|≤s} (s−t)!(s+t)! |M_s^t|²),  s = 0 … p,
//
// to the first p+1 elements of dst, without allocation. They do not change when
// the coordinates are rotated, satisfy the triangle inequality, and bound the
// field sharply: as Σ_t |S_s^t(x)|²/((s−t)!(s+t)!) = 1/|x|^{2s+2}, the addition
// theorem of Legendre polynomials, Cauchy's inequality gives
//
//	|Σ_t conj(S_s^t(x)) M_s^t| ≤ P_s/|x|^{s+1}
//
// with equality for M_s^t = S_s^t(x)/((s−t)!(s+t)!), e.g. a charge at y parallel to x.
// A unit charge at y has P_s = |y|^s; a dipole n at y has
// P_s = |y|^{s−1} √(s² n_r² + ½s(s+1) n_t²) ≤ s|y|^{s−1}|n|, n_r and n_t its
// components along and across y. It panics when a slice is too short.
func NormsTo(dst []float64, p int, m []float64) {
	need("m", m, p)
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

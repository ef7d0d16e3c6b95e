// Package harmonics computes solid harmonics and translates multipole and local expansions of
// 1/|x−y|. It is the algebra of a fast multipole method (Muth, Of, Eberhard, Steinbach 2006, §2.1,
// eqs. 14–25). It works with points and coefficients, not with meshes or trees.
//
// Most callers want package fmm, or package inpoly. This package is for authors of algorithms and
// may change in minor versions.
//
// # Conventions
//
// R and S have no Condon–Shortley phase for m ≥ 0. They are normalized as
//
//	R_n^m(x) = |x|ⁿ/(n+m)! P_n^m(cos θ) e^{imφ}         R_0^0 = 1
//	S_n^m(x) = (n−m)!/|x|^{n+1} P_n^m(cos θ) e^{imφ}    S_0^0 = 1/|x|
//	R_n^{−m} = (−1)^m conj R_n^m,                       S_n^{−m} = (−1)^m conj S_n^m
//	1/|x−y| = Σ_n Σ_{|m|≤n} conj(S_n^m(y)) R_n^m(x),    |x| < |y|
//
// Charges q at y have the moments M_n^m = Σ q R_n^m(y−C) about a center C. Dipoles n at y have the
// moments M_n^m = Σ n·∇R_n^m(y−C). The potential is Σ q/|x−y| + n·∇_y 1/|x−y|. Away from the
// sources it equals Σ conj(S_n^m(x−C)) M_n^m. About a target center C′ it equals Σ R_n^m(x−C′)
// L_n^m with the local coefficients L. A double-layer potential is −1/4π times the potential of
// dipoles that equal the surface normals.
//
// The signs follow the recurrences of RegularTo and SingularTo. They differ from the signs ± in
// eqs. 14 and 15 of the paper. With the signs of the paper, eqs. 23–25 do not hold.
//
// # Layout
//
// An expansion of degree p is a slice of Len(p) = (p+1)² float64:
//
//	c[n²]      = C_n^0, real
//	c[n²+2m−1] = Re C_n^m,  c[n²+2m] = Im C_n^m,  1 ≤ m ≤ n
//
// The function At returns the coefficient of any order. Negative orders are not stored because
// C_n^{−m} = (−1)^m conj C_n^m. This holds for R and S, and for the moments M and the local
// coefficients L of real sources. The translations M2M, M2L and L2L preserve this symmetry.
//
// Slices can be longer than needed. Functions panic if a slice is too short or a degree is outside
// 0..MaxDegree. Destinations must not overlap sources.
//
// # Scaling
//
// R_n grows with |x|ⁿ, and S_n with |x|^{−n−1}. Divide coordinates by the size of the cell. For |x|
// between ½ and 2, R and S do not overflow up to degree 120, and M2L does not overflow up to p+q =
// 120. For other |x|, |x|^{±(n+1)} √((2n)!)^{±1} can be outside the range of float64. Then
// coefficients silently overflow to ±Inf, or underflow and lose digits.
//
// R_n(λx) = λⁿ R_n(x) and S_n(λx) = λ^{−n−1} S_n(x). So dividing all coordinates by h has these
// effects:
//
//   - Charges: the moments of degree n are multiplied by h⁻ⁿ, the local coefficients by h^{n+1},
//     and the potential by h.
//   - Dipoles: each of these quantities has one more factor h than for charges.
//   - A double layer: the potential does not change, because the area is multiplied by h⁻².
//
// If h is a power of two, these multiplications are exact.
//
// # Errors
//
// NormsTo computes P_s, the norm of the moments of degree s, which is invariant under rotation.
// M2LBound computes a sharp bound of the truncation error of M2L from these norms. If an input is
// not finite, the output is not finite.
package harmonics

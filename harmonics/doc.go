// Package harmonics computes solid harmonics and translates multipole and local expansions of
// 1/|x−y|. It is the algebra of the fast multipole method of Muth, Of, Eberhard, Steinbach 2006,
// §2.1 (eqs. 14–25). It deals with points and coefficients; it has no meshes and no trees.
//
// Most callers want package fmm, or package inpoly. This package is for authors of algorithms and
// may change in minor versions.
//
// # Conventions
//
// R and S carry no Condon–Shortley phase for m ≥ 0. They are normalized as
//
//	R_n^m(x) = |x|ⁿ/(n+m)! P_n^m(cos θ) e^{imφ}         R_0^0 = 1
//	S_n^m(x) = (n−m)!/|x|^{n+1} P_n^m(cos θ) e^{imφ}    S_0^0 = 1/|x|
//	R_n^{−m} = (−1)^m conj R_n^m, and S likewise
//	1/|x−y| = Σ_n Σ_{|m|≤n} conj(S_n^m(y)) R_n^m(x),    |x| < |y|
//
// Charges q at y have the moments M_n^m = Σ q R_n^m(y−C) about a center C. Dipoles n have the
// moments M_n^m = Σ n·∇R_n^m(y−C). Away from the sources the potential Σ q/|x−y| + n·∇_y 1/|x−y| is
// Σ conj(S_n^m(x−C)) M_n^m. About a target center C′ it is Σ R_n^m(x−C′) L_n^m. A double-layer
// potential is −1/4π times the potential of its normals. The signs follow the recurrences of
// RegularTo and SingularTo; with the literal ± of eqs. 14 and 15 of the paper, its eqs. 23–25 do
// not hold.
//
// # Layout
//
// An expansion of degree p is a slice of Len(p) = (p+1)² float64:
//
//	c[n²]      = C_n^0, real
//	c[n²+2m−1] = Re C_n^m,  c[n²+2m] = Im C_n^m,  1 ≤ m ≤ n
//
// Negative orders are not stored: C_n^{−m} = (−1)^m conj C_n^m. This holds for R, for S, and for
// the M and L of real sources, and M2M, M2L and L2L preserve it. At reads any order.
//
// Slices may be longer than needed. Functions panic if a slice is too short or a degree is outside
// 0..MaxDegree. Destinations must not overlap sources.
//
// # Scaling
//
// R_n grows with |x|ⁿ, S_n with |x|^{−n−1}. Divide coordinates by the size of the cell: for |x|
// between ½ and 2, R and S do not overflow up to degree 120, and M2L does not up to p+q = 120.
// Outside this range, once |x|^{±(n+1)} √((2n)!)^{±1} leaves float64, coefficients silently
// overflow to ±Inf, or lose their digits and underflow to 0.
//
// Since R_n(λx) = λⁿ R_n(x) and S_n(λx) = λ^{−n−1} S_n(x), dividing all coordinates by h multiplies
// the moments of degree n of charges by h⁻ⁿ, their local coefficients by h^{n+1}, and their
// potential by h. Moments, local coefficients and potentials of dipoles n take one more factor h
// each. A double layer is also integrated over an area, which scales with h⁻², so its potential
// stays. Powers of two make all of this exact.
//
// # Errors
//
// NormsTo gives P_s, the rotation-invariant norm of the moments of each degree. From these norms
// M2LBound computes a sharp bound of the truncation error of M2L. Non-finite input makes non-finite
// output.
//
//	src := make([]float64, harmonics.Len(p))      // moments of a unit charge at y
//	harmonics.RegularTo(src, p, y.Sub(source))
//	dst := make([]float64, harmonics.Len(p))
//	tables := harmonics.NewTables(p, p)
//	op := tables.M2L(target.Sub(source))
//	op.AddTo(dst, src, make([]float64, tables.WorkLen()))
//	v := harmonics.EvaluateLocal(dst, p, x.Sub(target)) // ≈ 1/|x−y|
//	norms := make([]float64, p+1)
//	harmonics.NormsTo(norms, p, src)
//	bound := harmonics.M2LBound(norms, p, p, radius, target.Sub(source).Norm())
package harmonics

// Package harmonics computes solid harmonics, their gradients and the translations
// of multipole and local expansions of 1/|x−y|: the algebra of the fast multipole
// method of Muth, Of, Eberhard, Steinbach 2006, §2.1 (eqs. 14–25). It knows
// points and coefficients, no mesh and no tree.
//
// # Conventions
//
// R and S carry no Condon–Shortley phase for m ≥ 0 and these normalisations:
//
//	R_n^m(x) = |x|ⁿ/(n+m)! P_n^m(cos θ) e^{imφ}         R_0^0 = 1
//	S_n^m(x) = (n−m)!/|x|^{n+1} P_n^m(cos θ) e^{imφ}    S_0^0 = 1/|x|
//	R_n^{−m} = (−1)^m conj R_n^m, and S likewise
//	1/|x−y| = Σ_n Σ_{|m|≤n} conj(S_n^m(y)) R_n^m(x),    |x| < |y|
//
// Moments of charges q at y about a centre C are M_n^m = Σ q R_n^m(y−C), those of
// dipoles n are M_n^m = Σ n·∇R_n^m(y−C). Away from the sources the potential
// Σ q/|x−y| + n·∇_y 1/|x−y| is Σ conj(S_n^m(x−C)) M_n^m; about a target centre C′ it is
// Σ R_n^m(x−C′) L_n^m. A double-layer potential is −1/4π times that of its normals.
// The signs follow the recurrences of RegularTo and SingularTo; with the literal ±
// of eqs. 14 and 15 of the paper, its eqs. 23–25 do not hold.
//
// # Layout
//
// An expansion of degree p is a slice of Len(p) = (p+1)² float64:
//
//	c[n²]      = C_n^0, real
//	c[n²+2m−1] = Re C_n^m,  c[n²+2m] = Im C_n^m,  1 ≤ m ≤ n
//
// C_n^{−m} = (−1)^m conj C_n^m, which holds for R, S, and for M and L of real sources,
// and which M2M, M2L and L2L preserve; At reads any order. Slices may be longer
// than needed; a shorter one is a slip of the programmer and panics, as does a
// degree outside 0..MaxDegree. Destinations must not overlap sources.
//
// # Scaling
//
// R_n grows with |x|ⁿ, S_n with |x|^{−n−1}. Divide coordinates by the size of the
// cell: for |x| between ½ and 2 nothing overflows up to degree 120 in R and S, nor
// in M2L up to p+q = 120. Elsewhere coefficients overflow to ±Inf, or underflow to 0
// with their digits lost, without notice, once |x|^{±(n+1)} √((2n)!)^{±1} leaves
// float64. Rescale moves coefficients between units.
//
// # Errors
//
// Per degree, NormsTo gives P_s, the norm of M invariant under rotation; with it
// M2LBound bounds the truncation error of M2L, sharply. Non-finite input makes
// non-finite output.
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

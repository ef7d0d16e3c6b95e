// Package bem evaluates the double-layer potential of the constant 1 on triangles, which is the
// winding number
//
//	W(x) = (1/4π) Σ_τ Ω_τ(x)
//
// where Ω_τ is the signed solid angle of triangle τ (Muth, Of, Eberhard, Steinbach 2006, eq. 6).
// The package has four types for this potential:
//
//   - Direct sums all triangles. It is the reference for the other methods.
//   - Boundary sums over the boundary edges only. The caller knows the crossings χ of one ray:
//     W(x) = χ + (1/4π) Σ_{e=(a,b) ∈ ∂S} m_e Ω(a−x, b−x, d), where m_e is the multiplicity of
//     edge e. The ray leaves x along −d. The third corner of Ω lies at infinity along d.
//   - Panels sums groups of triangles in vector registers. It is the near field of a multipole
//     method.
//   - Moments computes the multipole moments of triangles from their edges, for the far field.
//     The moments follow the conventions of package harmonics.
//
// Most callers want package inpoly. This package is for authors of algorithms and may change in
// minor versions.
//
// Conventions. Ω is positive if x lies on the inner side of τ. So W = 1 inside a solid whose
// normals (b−a)×(c−a) point outward. A face adds +1 to χ if the ray crosses it in the direction of
// its normal, and −1 otherwise. A triangle that contains x contributes 0.
//
// Solid angles are arguments of complex numbers (van Oosterom and Strackee, "The Solid Angle of a
// Plane Triangle", 1983): tan(Ω/2) = det/den with
//
//	det = A·(B×C),  den = |A||B||C| + (A·B)|C| + (B·C)|A| + (C·A)|B|
//
// where A, B, C are the corners of τ relative to x. The argument of a product of complex numbers is
// the sum of their arguments. So the argument of one product is the sum of all angles (product.go).
// The multiplications also count the whole turns.
//
// If the sign of det decides between +2π and −2π, package predicates computes that sign exactly.
// Package raycross computes the same sign. Every sum has a bound of its absolute error that holds
// for any input (bounds.go). If a sum differs from a threshold by less than the bound,
// Boundary.Compare decides the comparison by arithmetic of higher precision (extended.go).
package bem

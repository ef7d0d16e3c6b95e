// Package bem evaluates the double-layer potential of the constant 1 on triangles, which is the
// winding number
//
//	W(x) = (1/4π) Σ_τ Ω_τ(x)
//
// where Ω_τ is the signed solid angle of triangle τ (Muth, Of, Eberhard, Steinbach 2006, eq. 6). It
// has four ways to sum:
//
//   - Direct sums all triangles. It is the reference for every other method.
//   - Boundary sums over boundary edges only, if the crossings χ of one ray are known:
//     W(x) = χ + (1/4π) Σ_{e=(a,b) ∈ ∂S} m_e Ω(a−x, b−x, d), where the ray leaves x along −d and
//     the third corner lies at infinity along d.
//   - Panels sums groups of triangles in vector registers: the near field of a multipole method.
//   - Moments computes multipole moments of triangles, by edges, for the far field. They follow the
//     conventions of package harmonics.
//
// Most callers want package inpoly. This package is for authors of algorithms and may change in
// minor versions.
//
// Conventions. Ω is positive where x lies on the inner side of τ, so W = 1 inside a solid whose
// normals (b−a)×(c−a) point outward. χ counts +1 for each face that the ray leaves along its
// normal, −1 for each other face that it crosses. Triangles that contain x contribute 0.
//
// Solid angles are arguments of complex numbers (van Oosterom and Strackee, "The Solid Angle of a
// Plane Triangle", 1983): tan(Ω/2) = det/den with
//
//	det = A·(B×C),  den = |A||B||C| + (A·B)|C| + (B·C)|A| + (C·A)|B|
//
// and A, B, C the corners seen from x. A sum of angles is the argument of a product (product.go);
// whole turns are counted while multiplying. Where the sign of det decides between +2π and −2π,
// package predicates computes it exactly, so it agrees with the sign of a ray crossing on the same
// points. Every sum comes with a bound of its absolute error that holds for any input (bounds.go).
// Boundary.Compare decides a threshold that lies within the bound: it repeats the sum in extended
// precision (extended.go).
//
//	d := bem.NewDirect(m, 0)
//	w, bound, on := d.Winding(p)
//	switch {
//	case on:
//		fmt.Println("on the surface")
//	case math.Abs(w) > 0.5+bound:
//		fmt.Println("inside")
//	case math.Abs(w) < 0.5-bound:
//		fmt.Println("outside")
//	}
package bem

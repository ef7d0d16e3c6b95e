// Package bem evaluates the double-layer potential of the constant 1 on
// triangles, which is the winding number
//
//	W(x) = (1/4π) Σ_τ Ω_τ(x)
//
// with Ω_τ the signed solid angle of triangle τ (Muth, Of, Eberhard, Steinbach
// 2006, eq. 6). Direct sums all triangles and is the reference for every other
// method. Boundary sums what is left of W when the crossings χ of one ray are
// known:
//
//	W(x) = χ + (1/4π) Σ_{e=(a,b) ∈ ∂S} m_e Ω(a−x, b−x, d)
//
// where the ray leaves x along −d and the third corner lies at infinity along d.
//
// Conventions. Ω is positive where x lies on the inner side of τ, so W = 1
// inside a solid whose normals (b−a)×(c−a) point outwards. χ counts +1 for each
// face that the ray leaves along its normal, −1 for each other one. Triangles
// that contain x contribute 0.
//
// Solid angles are the arguments of complex numbers (van Oosterom and Strackee,
// "The Solid Angle of a Plane Triangle", 1983): tan(Ω/2) = det/den with
//
//	det = A·(B×C),  den = |A||B||C| + (A·B)|C| + (B·C)|A| + (C·A)|B|
//
// A, B, C the corners seen from x. A sum of angles is the argument of a product;
// whole turns are counted while multiplying. Where the sign of det decides
// between +2π and −2π, it comes from package predicates, so it is exact, and
// agrees with that of a ray crossing on the same points. Every sum comes with a
// bound of its absolute error that holds for any input; file bounds.go derives
// it.
//
// Panels sums the solid angles of groups of triangles, in vector registers: the
// near field of a multipole method. Moments computes the multipole moments of
// triangles, by edges, for its far field; they follow the conventions of package
// harmonics.
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

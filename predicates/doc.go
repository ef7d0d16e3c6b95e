// Package predicates decides signs of volumes and areas exactly for float64
// coordinates: the "Volume-Signs" and "Area-Signs" of Muth, Of, Eberhard,
// Steinbach 2006, §2.2.
//
// Orient3D works in stages. A floating-point filter with a proved error bound
// decides almost every call. What it cannot decide goes to expansion arithmetic
// (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", 1997), first on the rounded differences, then with
// their tails. Coordinates whose products could leave the range of float64 go
// to r3.PreciseVector, whose arithmetic has no rounding and no range. A result
// of 0 therefore means exactly zero. A Counter tells how often each stage
// decided.
//
// Sign convention: Orient3D(a, b, c, d) is the sign of
// (a−d)·((b−d)×(c−d)). It is +1 where d lies on the inner side of a triangle
// a, b, c whose normal (b−a)×(c−a) points outwards.
//
// Coordinates must be finite; callers check that once, at the edge.
//
//	var count predicates.Counter
//	a, b, c := r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
//	switch count.Orient3D(a, b, c, r3.Vector{}) {
//	case +1:
//		fmt.Println("below the plane: the inner side")
//	case 0:
//		fmt.Println("in the plane, exactly")
//	}
//	fmt.Println(count.Filter, count.Expansion, count.Exact)
package predicates

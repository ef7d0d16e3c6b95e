// Package predicates decides signs of volumes and areas exactly for float64
// coordinates: the "Volume-Signs" and "Area-Signs" of Muth, Of, Eberhard,
// Steinbach 2006, §2.2.
//
// Orient3D works in stages. A floating-point filter with a proved error bound
// decides almost every call. Expansion arithmetic (Shewchuk, "Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997) decides the
// others, first on the rounded differences, then with their tails. If products of
// coordinates could leave the range of float64, r3.PreciseVector decides; it has
// neither rounding nor a range. A result of 0 therefore means exactly zero. A
// Counter counts the decisions of each stage.
//
// Sign convention: Orient3D(a, b, c, d) is the sign of
// (a−d)·((b−d)×(c−d)). It is +1 if d lies on the inner side of a triangle a, b, c
// whose normal (b−a)×(c−a) points outward.
//
// Coordinates must be finite. Callers check that once, when data enter.
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

// Package polygon computes the distance and the overlap of two moving convex polygons. This is the
// narrow phase of the simulation of polygonal particles (Schinner, "Fast algorithms for the
// simulation of polygonal particles", 1999, §4). Most users call New, Place, and the methods of a
// Pair.
//
// For bodies that are apart, the search walks from the closest features (corners, edges) of the
// last call to the closest features of this call, across the boundaries of their Voronoi regions.
// That takes constant time while the bodies move little, for any number of corners. If the walk
// meets overlap, or takes more steps than the bodies have features, a sweep around the Minkowski
// difference of the polygons tests all separating axes.
//
// The corners of a Shape are counterclockwise. Edge i leads from corner i to corner i+1. A Body is
// a Shape in a Pose. All decisions are exact signs for the given corners, places, and rounded
// cosines and sines. This covers convexity, the closest features, whether bodies touch or overlap,
// and the common pieces of boundary. Therefore a result depends only on the two bodies, bit for
// bit, and not on earlier calls. Lengths, areas and directions are rounded.
//
//	square, err := polygon.New([]r2.Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}})
//	if err != nil {
//		return err
//	}
//	a, _ := polygon.Place(square, polygon.Pose{})
//	b, _ := polygon.Place(square, polygon.Pose{At: r2.Point{X: 3}, Angle: 0.1})
//	var pair polygon.Pair
//	near := pair.Distance(&a, &b)
//	fmt.Println(near.Relation, near.Distance, near.Features)
//	fmt.Println(pair.Overlap(&a, &b).Area)
package polygon

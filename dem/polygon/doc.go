// Package polygon computes the distance and the overlap of two moving convex polygons. The package
// is the narrow phase of a simulation of polygonal particles: the exact test of two bodies
// (Schinner, "Fast algorithms for the simulation of polygonal particles", 1999, §4). Most users
// call New, Place, and the methods of a Pair.
//
// A feature is a corner or an edge. If the bodies are apart, Distance starts at the closest
// features of the last call. From there it walks to the closest features of the current call,
// across the boundaries of Voronoi regions. The walk takes constant time while the bodies move
// little, for any number of corners. The walk fails if the bodies overlap or if it takes more steps
// than the bodies have features. Then Distance proves the smallest depth with few edges and chords
// of the Minkowski difference of the polygons. If this fails too, a sweep around the Minkowski
// difference tests all separating axes.
//
// If the boundaries of overlapping bodies cross exactly twice, Overlap starts at the crossings of
// the last call. It follows them along the boundaries, proves that there are no others, and looks
// up the areas of runs of edges that the shapes store. So Overlap also takes constant time while
// the bodies move little.
//
// The corners of a Shape are counterclockwise. Edge i leads from corner i to corner i+1. A Body is
// a Shape in a Pose. All decisions are exact for the given corners, places, and rounded cosines and
// sines. The decisions are: whether a shape is convex, which features are closest, whether bodies
// touch or overlap, and which pieces of a boundary lie in the other body. Therefore every bit of a
// result depends only on the two bodies, and not on earlier calls. Lengths, areas and directions
// are rounded.
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

// Package polygon finds how near two moving convex polygons are, and what they have in
// common where they overlap: the narrow phase of the simulation of polygonal particles
// (Schinner, "Fast algorithms for the simulation of polygonal particles", 1999, §4).
//
// Bodies that are apart are found so by walking from the closest features (corners, edges)
// of the last call to those of this one, across the boundaries of their Voronoi regions:
// constant time while the bodies move little, whatever their number of corners. Where the
// walk meets overlap, or takes more steps than the bodies have features, a turn around the
// difference of the polygons looks at all separating axes.
//
// Shapes have their corners counterclockwise, edge i from corner i to corner i+1. A Body is
// a Shape in a Pose, turned and moved. All decisions (convexity, which features are closest,
// whether bodies touch or overlap, which pieces of boundary are common) are signs that are
// exact for the given corners, rounded cosine and sine, and places; so an answer depends on
// the two bodies alone, bit for bit, and not on what happened before. Lengths, areas and
// directions are rounded.
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

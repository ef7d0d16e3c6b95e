// Package bvh is a bounding volume hierarchy over boxes: boxes in, indices out;
// it knows no mesh.
//
// Build makes a binary tree by the surface area heuristic with bins (Wald 2007,
// "On fast construction of SAH-based bounding volume hierarchies"). The tree is
// the same for any number of workers, immutable, and safe for concurrent use.
// Segments, the most frequent query, are tested against four boxes at once, with
// 256-bit instructions where the processor has them and the build tag noasm does
// not forbid them; the leaves are the same without. A query is a walker that the
// caller owns and may use again; walkers allocate nothing and hand out ranges of
// Tree.Index, a leaf at a time:
//
//	tree, err := bvh.Build(ctx, boxes, bvh.Options{})
//	if err != nil {
//		return err
//	}
//	var w bvh.RayWalk
//	w.Start(tree, origin, target)
//	for first, count, ok := w.Next(); ok; first, count, ok = w.Next() {
//		for _, i := range tree.Index()[first : first+count] {
//			test(i) // boxes[i] is in a leaf that the segment may meet
//		}
//	}
//
// Boxes are closed: touching counts. PointWalk and BoxWalk compare coordinates
// and round nothing, so they report exactly the leaves whose box qualifies.
// RayWalk and NearWalk compute; their rounding is bounded, in the comments beside
// the arithmetic, and always falls on the side of reporting a leaf too many.
// Either way every box that qualifies is in a reported leaf; the caller tests
// the boxes, or what is in them.
package bvh

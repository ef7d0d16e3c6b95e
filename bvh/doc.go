// Package bvh is a bounding volume hierarchy over boxes: boxes in, indices out. It
// knows no mesh.
//
// Build makes a binary tree by the surface area heuristic with bins (Wald 2007,
// "On fast construction of SAH-based bounding volume hierarchies"). The tree is
// the same for any number of workers, immutable, and safe for concurrent use.
//
// A query is a walker that the caller owns and can use again. Walkers allocate
// nothing and return ranges of Tree.Index, one leaf at a time. RayWalk, the most
// frequent query, tests a segment against four boxes at once, with 256-bit
// instructions if the processor has them and the build tag noasm is not set. The
// leaves are the same without them.
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
// Boxes are closed: touching counts. PointWalk and BoxWalk only compare
// coordinates, so they report exactly the leaves whose box qualifies. RayWalk and
// NearWalk round; the comments beside the arithmetic bound the rounding, and a walk
// reports a leaf too many rather than one too few. Every box that qualifies is in a
// reported leaf. The caller tests the boxes in a leaf, or their contents.
package bvh

// Package bvh is a bounding volume hierarchy over boxes. It takes boxes and returns the numbers of
// boxes. It knows nothing about meshes.
//
// Build makes a binary tree by the surface area heuristic with bins (Wald 2007, "On fast
// construction of SAH-based bounding volume hierarchies"). The tree is the same for any number of
// workers. It is immutable and safe for concurrent use.
//
// A walker runs a query on a tree. The caller owns the walker and can reuse it for other queries.
// Walkers allocate nothing. Each call of Next returns one leaf, as a range of Tree.Index. RayWalk,
// the most frequent query, tests a segment against four boxes at once. It uses 256-bit instructions
// if the processor has them and the build tag noasm is not set. With and without these
// instructions, RayWalk returns the same leaves.
//
// Boxes are closed, so a query also finds the boxes that it only touches. PointWalk and BoxWalk
// compare coordinates without rounding. They report a leaf if and only if the box of the leaf
// qualifies. RayWalk and NearWalk compute with rounding errors, and comments in their code bound
// these errors. They report every leaf with a box that qualifies, and possibly other leaves. The
// caller tests the boxes of each reported leaf, or the contents of these boxes.
package bvh

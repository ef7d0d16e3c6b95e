// Package bvh is a bounding volume hierarchy over boxes. It takes boxes and returns their numbers.
// It does not know meshes.
//
// Build makes a binary tree by the surface area heuristic with bins (Wald 2007, "On fast
// construction of SAH-based bounding volume hierarchies"). The tree is the same for any number of
// workers. It is immutable and safe for concurrent use.
//
// A query is a walker, which belongs to the caller and can be used again. Walkers allocate nothing.
// Each call of Next returns one leaf, as a range of Tree.Index. RayWalk, the most frequent query,
// tests a segment against four boxes at once. It uses 256-bit instructions if the processor has
// them and the build tag noasm is not set. The leaves are the same without these instructions.
//
// Boxes are closed: touching counts. PointWalk and BoxWalk only compare coordinates and report
// exactly the leaves whose box qualifies. RayWalk and NearWalk round, and comments beside the
// arithmetic bound the errors. They may report a leaf too many, but every box that qualifies is in
// a reported leaf. The caller tests the boxes in a leaf, or the contents of the boxes.
package bvh

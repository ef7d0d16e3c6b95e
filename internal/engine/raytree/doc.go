// Package raytree finds the triangles that a line can meet, from near to far. It excludes triangles
// by float32 arithmetic with proved error bounds, so no triangle that the exact ray meets is lost.
// It also decides on which side of most edges the ray passes. The caller decides the other signs,
// computes the parameters of hits, and shortens the walk.
//
// A Tree is derived from the bvh.Tree of a mesh. Its nodes have up to eight children, and its
// leaves have up to eight triangles, whose corners are relative to the center of the leaf. A Walk
// tests eight boxes or eight triangles at once, with 256-bit instructions if the processor has them
// and the build tag noasm is not set. With and without these instructions, a Walk returns the same
// results.
//
// docs/design/026-rays.md derives the error bounds.
package raytree

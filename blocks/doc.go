// Package blocks computes the shares of the blocks of a block model that lie in several solids, with
// certified bounds of their errors.
//
// A Frame is a regular grid of blocks, which can be rotated. A Model has the solids, in the order of their
// priority: where solids overlap, the space belongs to the first of them. So the shares of a block add up to at
// most 1.
//
//	frame := blocks.Frame{Origin: origin, Size: r3.Vector{X: 20, Y: 20, Z: 10}, Counts: [3]int{50, 40, 30}}
//	m, err := blocks.New(ctx, solids, frame.Pose(), blocks.Options{})
//	if err != nil {
//		return err
//	}
//	w := m.Worker(ctx)
//	for lo, hi, ok := next(); ok; lo, hi, ok = next() { // next is frame.Grid().Pieces(1<<16, 4)
//		err = w.Grid(&rows, &frame, lo, hi)
//	}
//
// # Method
//
// Large boxes of blocks are compared with the surfaces first, as voxels.BoxesTo does. Only boxes that a face
// meets are divided. In a block that a face meets, the volume of a solid is the integral of its indicator
// function over the block. The integral follows from one point of known side and from the faces in the block,
// clipped by the block. The only error is rounding, and its bound is about 1e-12 for ordinary blocks.
// docs/design/031-blocks.md has the derivation.
//
// Faces of several solids in one block need no special treatment, even if solids share a triangle: on each side
// of a face, the space belongs to one solid. The same holds if all faces in a block are exactly in one plane. A
// block is divided into eight parts, down to Options.Levels, if faces in it cross or touch other faces, or if a
// mesh is open. The bound of such a block is about the share of the smallest parts that are still undecided.
package blocks

//go:build !noasm

package bvh

import "golang.org/x/sys/cpu"

// hasAVX reports whether the processor and the operating system support the 256-bit registers of
// nextLeafAVX.
var hasAVX = cpu.X86.HasAVX

// nextLeafAVX does the same as nextLeafGeneric for a tree with at least one quad. It visits the
// same quads and returns the same leaves in the same order.
//
//go:noescape
func nextLeafAVX(w *RayWalk, quads *quad) link

func nextLeaf(w *RayWalk, quads []quad) link {
	if hasAVX {
		return nextLeafAVX(w, &quads[0])
	}
	return nextLeafGeneric(w, quads)
}

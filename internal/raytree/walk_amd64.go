//go:build !noasm

package raytree

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor has the instructions of nextAVX2.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// nextAVX2 does the same as nextGeneric.
//
//go:noescape
func nextAVX2(w *Walk, nodes *node, blocks *block) (first int32, masks uint32)

func next(w *Walk, t *Tree) (first int32, masks uint32) {
	if hasAVX2 {
		return nextAVX2(w, &t.nodes[0], &t.blocks[0])
	}
	return nextGeneric(w, t)
}

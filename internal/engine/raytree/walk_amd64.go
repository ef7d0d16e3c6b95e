//go:build !noasm

package raytree

import (
	"golang.org/x/sys/cpu"

	"github.com/inpoly/inpoly/mesh"
)

// hasAVX2 reports whether the processor has the instructions of advanceAVX2.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// advanceAVX2 does the same as advanceGeneric for a list of n walks, but the walks advance in turn.
// So the processor works on other walks while it waits for data or results of one walk. The two
// functions can stop with results of different walks, but the results of each walk are the same.
//
//go:noescape
func advanceAVX2(walks *Walk, nodes *node, blocks *block, tris *mesh.Triangle, faces *Face, list *int64, n, enough int) int

func advance(walks *Walk, t *Tree, list []int64, enough int) int {
	if hasAVX2 {
		return advanceAVX2(walks, &t.nodes[0], &t.blocks[0], &t.tris[0], &t.faces[0], &list[0], len(list), enough)
	}
	return advanceGeneric(walks, t, list, enough)
}

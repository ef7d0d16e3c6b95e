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

// clipAVX2 does the same as clipGeneric. The fields near, far and inverse, and enter and leave, follow each other.
//
//go:noescape
func clipAVX2(w *Walk, walls *[8]float64, s, d *[4]float64, from, drift float64) (length float64)

func (w *Walk) clip(s, d *[4]float64, from, drift float64) float64 {
	if hasAVX2 {
		return clipAVX2(w, &w.tree.walls, s, d, from, drift)
	}
	return w.clipGeneric(s, d, from, drift)
}

func advance(walks *Walk, t *Tree, list []int64, enough int) int {
	if hasAVX2 {
		return advanceAVX2(walks, &t.nodes[0], &t.blocks[0], &t.tris[0], &t.faces[0], &list[0], len(list), enough)
	}
	return advanceGeneric(walks, t, list, enough)
}

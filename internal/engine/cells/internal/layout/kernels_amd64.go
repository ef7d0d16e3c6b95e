//go:build !noasm

package layout

import (
	"github.com/golang/geo/r3"
	"golang.org/x/sys/cpu"

	"github.com/inpoly/inpoly/side"
)

// tools/kernels/cells generates the assembly code of these functions.

// hasAVX2 reports whether the processor and the operating system support the kernels.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func lookUpAVX2(from *kernelArgs, pts *r3.Vector, n int, sides *side.Side, later *uint8)

//go:noescape
func planeSignsAVX2(records **Record, at *uint64, n int, signs *uint16)

//go:noescape
func cellSignsAVX2(r *Record, at *uint64, n int, signs *uint16)

//go:noescape
func cornerSignsAVX2(r *Record, pos, neg *[8]uint8)

//go:noescape
func planeLanesAVX2(l *Lanes, n int, signs *uint8)

//go:noescape
func segmentLanesAVX2(l *Lanes, n int, signs *uint8)

//go:build !noasm

package cells

import (
	"github.com/golang/geo/r3"
	"golang.org/x/sys/cpu"

	"github.com/inpoly/inpoly/side"
)

// The kernels are written by tools/kernels.

// hasAVX2 tells whether the processor and the operating system have what the
// kernels need.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func lookUpAVX2(from *grid, pts *r3.Vector, n int, sides *side.Side, later *uint8)

//go:noescape
func planeSignsAVX2(lines **line, at *uint64, n int, signs *uint16)

//go:noescape
func cornerSignsAVX2(l *line, pos, neg *[8]uint8)

//go:build !noasm

package motion

import (
	"github.com/golang/geo/r3"
	"golang.org/x/sys/cpu"
)

// tools/kernels/motion generates the assembly code.

// hasAVX reports whether the processor and the operating system support positionsAVX.
var hasAVX = cpu.X86.HasAVX

//go:noescape
func positionsAVX(dst, pts *r3.Vector, n int, rows *[3]r3.Vector, t *r3.Vector)

// PositionsTo writes the rounded positions of pts in the frame of the body to dst.
func (pl *Placement) PositionsTo(dst, pts []r3.Vector) {
	dst = dst[:len(pts)]
	n := 0
	if hasAVX && len(pts) >= 4 {
		n = len(pts) &^ 3
		positionsAVX(&dst[0], &pts[0], n, &pl.rows, &pl.pose.Translation)
	}
	pl.positionsGeneric(dst[n:], pts[n:])
}

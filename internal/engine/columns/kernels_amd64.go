//go:build !noasm

package columns

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor and the operating system can run the functions in
// kernels_amd64.s, which tools/kernels/columns generates.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func hitsAVX2(entries *entry, n int, p uint64) (hits uint64)

//go:noescape
func withinAVX2(points *uint64, n int, min, max uint64) (mask uint64)

//go:noescape
func crossAVX2(t *[9]float64, x, y, z *float64, windings *int64, n int) (doubt uint64)

//go:build !noasm

package nearest

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor and the operating system can run the functions in
// bounds_amd64.s, which tools/kernels/nearest generates.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func nodeBoundsAVX2(n *obbNode, q *query, out *[lanes]float32) (near uint32)

//go:noescape
func blockBoundsAVX2(b *triBlock, q *query, out *[lanes]float32) (near uint32)

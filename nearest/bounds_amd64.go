//go:build !noasm

package nearest

import "golang.org/x/sys/cpu"

// The kernels are written by tools/kernels.

// hasAVX2 tells whether the processor and the operating system have what the
// kernels need.
var hasAVX2 = cpu.X86.HasAVX2

//go:noescape
func nodeBoundsAVX2(n *wideNode, q *query, out *[lanes]float32) (near uint32)

//go:noescape
func blockBoundsAVX2(b *block, q *query, out *[lanes]float32) (near uint32)

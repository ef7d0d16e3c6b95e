//go:build !noasm

package nearest

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor and the operating system can run the functions in
// bounds_amd64.s, which tools/kernels/nearest generates.
var hasAVX2 = cpu.X86.HasAVX2

// hasFMA reports whether measurePairsAVX2 can run, too.
var hasFMA = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func findBlocksAVX2(tree *obbNode, w *obbWalk, n int) (found int)

//go:noescape
func boundBlocksAVX2(tree *triBlock, w *obbWalk, n int) (hits int)

//go:noescape
func measurePairsAVX2(pairs *pairList, n int)

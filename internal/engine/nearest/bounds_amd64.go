//go:build !noasm

package nearest

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor and the operating system can run the functions in
// bounds_amd64.s, which tools/kernels/nearest generates.
var hasAVX2 = cpu.X86.HasAVX2

// hasFMA reports whether measurePairsAVX2 can run, too.
var hasFMA = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// hasAVX512 reports whether the functions for packets and measurePairsAVX512 can run.
var hasAVX512 = hasFMA && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

//go:noescape
func findLeavesAVX512(tree *obbNode, w *obbWalk) (found int)

//go:noescape
func expandLeavesAVX512(tree *triBlock, w *obbWalk, n int) (pairs int)

//go:noescape
func boundPacketsAVX512(tree *triBlock, w *obbWalk, n int)

//go:noescape
func collectPairsAVX512(tree *triBlock, w *obbWalk, n int) (pairs int)

//go:noescape
func findBlocksAVX2(tree *obbNode, w *obbWalk, n int) (found int)

//go:noescape
func boundBlocksAVX2(tree *triBlock, w *obbWalk, n int) (hits int)

//go:noescape
func measurePairsAVX2(pairs *pairList, n int)

//go:noescape
func measurePairsAVX512(pairs *pairList, n int)

//go:build !amd64 || noasm

package nearest

const (
	hasAVX2   = false
	hasFMA    = false
	hasAVX512 = false
)

func findBlocksAVX2(*obbNode, *obbWalk, int) int { panic("nearest: no assembly") }

func findLeavesAVX512(*obbNode, *obbWalk) int { panic("nearest: no assembly") }

func expandLeavesAVX512(*triBlock, *obbWalk, int) int { panic("nearest: no assembly") }

func boundPacketsAVX512(*triBlock, *obbWalk, int) { panic("nearest: no assembly") }

func collectPairsAVX512(*triBlock, *obbWalk, int) int { panic("nearest: no assembly") }

func boundBlocksAVX2(*triBlock, *obbWalk, int) int { panic("nearest: no assembly") }

func measurePairsAVX2(*pairList, int) { panic("nearest: no assembly") }

func measurePairsAVX512(*pairList, int) { panic("nearest: no assembly") }

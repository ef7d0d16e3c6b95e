//go:build !amd64 || noasm

package nearest

const hasAVX2 = false

func nodeBoundsAVX2(*obbNode, *query, *[lanes]float32) uint32 { panic("nearest: no assembly") }

func blockBoundsAVX2(*triBlock, *query, *[lanes]float32) uint32 { panic("nearest: no assembly") }

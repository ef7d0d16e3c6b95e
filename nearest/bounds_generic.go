//go:build !amd64 || noasm

package nearest

const hasAVX2 = false

func nodeBoundsAVX2(*wideNode, *query, *[lanes]float32) uint32 { panic("nearest: no assembly") }

func blockBoundsAVX2(*block, *query, *[lanes]float32) uint32 { panic("nearest: no assembly") }

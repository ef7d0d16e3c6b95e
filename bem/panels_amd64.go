//go:build !noasm

package bem

import "golang.org/x/sys/cpu"

// The kernels are written by tools/kernels.

// hasAVX512 tells whether the processor and the operating system have what
// windingAVX512 needs.
var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

//go:noescape
func windingAVX512(st *panelState, blocks *panelBlock, spans *Span, n int)

// windings is windingGeneric, by the best kernel there is. spans and blocks are
// not empty.
func windings(st *panelState, blocks []panelBlock, spans []Span) {
	if hasAVX512 {
		windingAVX512(st, &blocks[0], &spans[0], len(spans))
		return
	}
	windingGeneric(st, blocks, spans)
}

//go:build !noasm

package bem

import "golang.org/x/sys/cpu"

// panelKernels returns the kernels that the processor and the operating system can run, the fastest
// first.
func panelKernels() (k []kernel) {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
		k = append(k, avx512)
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		k = append(k, avx2)
	}
	return append(k, generic)
}

func (k kernel) winding(st *panelState, blocks []panelBlock, spans []Span) {
	switch k {
	case avx512:
		windingAVX512(st, &blocks[0], &spans[0], len(spans))
	case avx2:
		windingAVX2(st, &blocks[0], &spans[0], len(spans))
	default:
		windingGeneric(st, blocks, spans)
	}
}

// Program tools/kernels/bem generates panels_amd64.s, which contains these functions.

//go:noescape
func windingAVX512(st *panelState, blocks *panelBlock, spans *Span, n int)

//go:noescape
func windingAVX2(st *panelState, blocks *panelBlock, spans *Span, n int)

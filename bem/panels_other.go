//go:build !amd64 || noasm

package bem

func panelKernels() []kernel { return []kernel{generic} }

func (kernel) winding(st *panelState, blocks []panelBlock, spans []Span) {
	windingGeneric(st, blocks, spans)
}

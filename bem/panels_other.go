//go:build !amd64 || noasm

package bem

// panelKernels returns the only kernel.
func panelKernels() []kernel { return []kernel{generic} }

// winding is windingGeneric.
func (kernel) winding(st *panelState, blocks []panelBlock, spans []Span) {
	windingGeneric(st, blocks, spans)
}

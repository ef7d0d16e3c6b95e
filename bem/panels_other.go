//go:build !amd64 || noasm

package bem

// panelKernels returns windingGeneric alone.
func panelKernels() []kernel { return []kernel{generic} }

// winding calls windingGeneric.
func (kernel) winding(st *panelState, blocks []panelBlock, spans []Span) {
	windingGeneric(st, blocks, spans)
}

//go:build !amd64 || noasm

package bem

// windings is windingGeneric.
func windings(st *panelState, blocks []panelBlock, spans []Span) { windingGeneric(st, blocks, spans) }

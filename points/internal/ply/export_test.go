package ply

import "github.com/inpoly/inpoly/points/table"

// RowBytes returns row k of a parsed block, without the line end of an ASCII file.
func (s *Source) RowBytes(b *table.Block, k int) []byte {
	if s.head.ASCII {
		m := b.Source.(*rowBounds)
		return b.Raw[m.start[k]:m.end[k]]
	}
	return s.rowAt(b, k)
}

package ply

import "github.com/inpoly/inpoly/points/table"

// RowBytes returns row k of a parsed block, in text without its end, for tests.
func (s *Source) RowBytes(b *table.Block, k int) []byte {
	if s.head.ASCII {
		m := b.Source.(*rowBounds)
		return b.Raw[m.start[k]:m.end[k]]
	}
	return s.rowAt(b, k)
}

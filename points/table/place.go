package table

import "fmt"

// Placer is a Source that says where its rows are by something else than their numbers.
type Placer interface {
	Source
	// Place returns where row k of b, which was parsed, is in the input, such as line 7.
	Place(b *Block, k int) string
}

// Place returns where row k of b is in the input, for messages: what a Placer says, or its
// number, from 0.
func Place(src Source, b *Block, k int) string {
	if p, ok := src.(Placer); ok {
		return p.Place(b, k)
	}
	return fmt.Sprintf("row %d", b.First+int64(k))
}

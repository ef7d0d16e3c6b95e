package text

import (
	"fmt"

	"github.com/inpoly/inpoly/points/table"
)

// Place returns the line in which row k of b begins, such as line 7. It implements
// table.Placer.
func (s *Source) Place(b *table.Block, k int) string {
	return fmt.Sprintf("line %d", s.lineOf(b, int(b.Source.(*rows).starts[k])))
}

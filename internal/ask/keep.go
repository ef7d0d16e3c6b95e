package ask

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points/table"
)

// keep says which rows are written, by their side.
type keep [4]bool

// parseKeep reads names with commas between them. "" is nil: all rows.
func parseKeep(s string) (*keep, error) {
	if s == "" {
		return nil, nil
	}
	var k keep
	for name := range strings.SplitSeq(s, ",") {
		sides, ok := map[string][]inpoly.Side{
			"inside": {inpoly.Inside, inpoly.OnSurface}, "outside": {inpoly.Outside}, "on": {inpoly.OnSurface}, "uncertain": {inpoly.Unknown},
		}[strings.TrimSpace(name)]
		if !ok {
			return nil, fmt.Errorf("keep %q: want inside (the surface included), outside, on or uncertain, or several with commas between them", s)
		}
		for _, side := range sides {
			k[side] = true
		}
	}
	return &k, nil
}

// drop marks the rows of b that are not kept.
func (k *keep) drop(b *table.Block) {
	if !slices.ContainsFunc(b.Sides, func(s inpoly.Side) bool { return !k[s] }) {
		return
	}
	dropped := b.EnableDrop()
	for i, s := range b.Sides {
		dropped[i] = !k[s]
	}
}

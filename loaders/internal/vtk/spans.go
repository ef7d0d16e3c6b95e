package vtk

import (
	"slices"
	"sort"
)

// spans is a set of positions in a file. Its elements are in ascending order, do not overlap and are
// not adjacent.
type spans []spanOfBytes

type spanOfBytes struct{ from, to int }

// add adds the positions from ≤ i < to, and reports whether the set had none of these positions.
func (s *spans) add(from, to int) bool {
	if from >= to {
		return true
	}
	all := *s
	lo := sort.Search(len(all), func(i int) bool { return all[i].to >= from })
	hi := lo
	isNew := true
	joined := spanOfBytes{from, to}
	for ; hi < len(all) && all[hi].from <= to; hi++ {
		isNew = isNew && (all[hi].to <= from || all[hi].from >= to)
		joined = spanOfBytes{min(joined.from, all[hi].from), max(joined.to, all[hi].to)}
	}
	*s = slices.Replace(all, lo, hi, joined)
	return isNew
}

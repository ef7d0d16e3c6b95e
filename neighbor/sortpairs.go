package neighbor

import (
	"math/bits"
	"slices"
)

// key orders pairs: by A, then B.
func (p Pair) key() uint64 { return uint64(uint32(p.A))<<32 | uint64(uint32(p.B)) }

// sortPairs orders pairs of bodies below n.
func sortPairs(pairs []Pair, n int) {
	// Four passes over the pairs and 4·2048 counters against comparisons of 5 to 10 ns, as
	// many for each pair as their number doubles.
	if len(pairs) < 2048 {
		slices.SortFunc(pairs, func(a, b Pair) int {
			if a.key() < b.key() {
				return -1
			}
			return 1
		})
		return
	}
	const digit = 11
	from, to := pairs, make([]Pair, len(pairs))
	width := bits.Len(uint(n))
	for _, field := range [2]int{0, 32} {
		for low := 0; low < width; low += digit {
			var start [1<<digit + 1]int
			shift := field + low
			for _, p := range from {
				start[p.key()>>shift&(1<<digit-1)+1]++
			}
			for d := range 1 << digit {
				start[d+1] += start[d]
			}
			for _, p := range from {
				d := p.key() >> shift & (1<<digit - 1)
				to[start[d]] = p
				start[d]++
			}
			from, to = to, from
		}
	}
	if &from[0] != &pairs[0] {
		copy(pairs, from)
	}
}

// keep removes the pairs that do not satisfy f, in place.
func keep(pairs []Pair, f func(Pair) bool) []Pair {
	return slices.DeleteFunc(pairs, func(p Pair) bool { return !f(p) })
}

// mergePairs appends to dst, in order, the pairs of old and added that are not in removed.
// All are in order; added and removed may repeat themselves, and hold what is there
// already or not any more.
func mergePairs(dst, old, added, removed []Pair) []Pair {
	for len(old) > 0 || len(added) > 0 {
		var p Pair
		if len(added) == 0 || len(old) > 0 && old[0].key() <= added[0].key() {
			p, old = old[0], old[1:]
		} else {
			p = added[0]
		}
		for len(added) > 0 && added[0] == p {
			added = added[1:]
		}
		for len(removed) > 0 && removed[0].key() < p.key() {
			removed = removed[1:]
		}
		if len(removed) == 0 || removed[0] != p {
			dst = append(dst, p)
		}
	}
	return dst
}

// differPairs appends the pairs that only now has to added, those that only then has to removed.
// All are in order.
func differPairs(added, removed, then, now []Pair) (_, _ []Pair) {
	i, j := 0, 0
	for i < len(then) && j < len(now) {
		switch a, b := then[i].key(), now[j].key(); {
		case a == b:
			i++
			j++
		case a < b:
			removed = append(removed, then[i])
			i++
		default:
			added = append(added, now[j])
			j++
		}
	}
	return append(added, now[j:]...), append(removed, then[i:]...)
}

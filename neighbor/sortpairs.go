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
	from, to := pairs, make([]Pair, len(pairs)) // each field takes as many passes: they end in pairs
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
}

// keep removes the pairs that do not satisfy f, in place.
func keep(pairs []Pair, f func(Pair) bool) []Pair {
	return slices.DeleteFunc(pairs, func(p Pair) bool { return !f(p) })
}

// mergePairs appends to dst, in order, the pairs of old and added that are not in removed.
// All are in order; added and removed may repeat themselves, and hold what is there
// already or not any more; no pair is in both.
func mergePairs(dst, old, added, removed []Pair) []Pair {
	for len(added)+len(removed) > 0 {
		var p Pair
		adding := len(removed) == 0 || len(added) > 0 && added[0].key() < removed[0].key()
		if adding {
			p, added = added[0], added[1:]
		} else {
			p, removed = removed[0], removed[1:]
		}
		n := before(old, p)
		dst, old = append(dst, old[:n]...), old[n:]
		if len(old) > 0 && old[0] == p {
			old = old[1:]
		}
		if adding && (len(dst) == 0 || dst[len(dst)-1] != p) {
			dst = append(dst, p)
		}
	}
	return append(dst, old...)
}

// before returns how many of the ordered pairs come before p, looking farther ahead by
// doubled steps: most events are many pairs apart.
func before(pairs []Pair, p Pair) int {
	lo, hi := 0, 1
	for hi < len(pairs) && pairs[hi-1].key() < p.key() {
		lo, hi = hi, 2*hi
	}
	hi = min(hi, len(pairs))
	for lo < hi {
		if mid := (lo + hi) / 2; pairs[mid].key() < p.key() {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
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

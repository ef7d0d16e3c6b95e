package neighbor

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// result is the common state of the methods.
type result struct {
	pairs, buffer []Pair // pairs of the last step; memory for the next step
	stats         Stats
}

// Pairs returns the pairs that touch; see Method.
func (r *result) Pairs() []Pair { return r.pairs }

// Stats returns the counts; see Method.
func (r *result) Stats() Stats { return r.stats }

// pairCollector orders the pairs that workers find. Each pair is in exactly one list.
type pairCollector struct {
	lists [][]Pair // for each worker
	tests []padded // for each worker
	start []int    // scratch: position of the first pair of each body
}

// padded is a counter that fills a cache line.
type padded struct {
	n uint64
	_ [56]byte
}

// collect sets dst to the ordered pairs of n bodies that search finds. search appends the pairs of
// items [lo, hi) to a list and returns the number of tests.
func (c *pairCollector) collect(ctx context.Context, dst []Pair, items, block, n, workers int,
	search func(list []Pair, lo, hi int) ([]Pair, uint64)) ([]Pair, error) {
	c.reset(workers)
	err := par.Blocks(ctx, items, block, workers, func(worker, lo, hi int) {
		list, tests := search(c.lists[worker], lo, hi)
		c.lists[worker] = list
		c.tests[worker].n += tests
	})
	if err != nil {
		return dst, err
	}
	return c.ordered(ctx, dst, n, workers)
}

// reset empties the lists of the workers.
func (c *pairCollector) reset(workers int) {
	for len(c.lists) < workers {
		c.lists = append(c.lists, nil)
		c.tests = append(c.tests, padded{})
	}
	for w := range c.lists {
		c.lists[w] = c.lists[w][:0]
		c.tests[w] = padded{}
	}
}

// tested returns the sum of the counters.
func (c *pairCollector) tested() uint64 {
	sum := uint64(0)
	for _, t := range c.tests {
		sum += t.n
	}
	return sum
}

// ordered sets dst to all pairs, ordered by A, then B. Indices are below n. Each worker counts and
// sorts the pairs of a range of A.
func (c *pairCollector) ordered(ctx context.Context, dst []Pair, n, workers int) ([]Pair, error) {
	total := 0
	for _, l := range c.lists {
		total += len(l)
	}
	dst = slices.Grow(dst[:0], total)[:total]
	c.start = slices.Grow(c.start[:0], n+1)[:n+1]
	ranges := min(workers, 1+total/4096)
	first := make([]int, ranges) // first the number of pairs of each range, then the position of its first pair
	err := par.Blocks(ctx, ranges, 1, workers, func(_, r, _ int) {
		first[r] = c.count(rangeStart(n, r, ranges), rangeStart(n, r+1, ranges))
	})
	if err != nil {
		return dst, err
	}
	sum := 0
	for r, k := range first {
		first[r] = sum
		sum += k
	}
	err = par.Blocks(ctx, ranges, 1, workers, func(_, r, _ int) {
		c.place(dst, rangeStart(n, r, ranges), rangeStart(n, r+1, ranges), first[r])
	})
	return dst, err
}

// rangeStart returns the first of the n indices of range r. If all pairs are equally likely, a
// share (1−x)² of them has A ≥ xn. Therefore the ranges have about the same number of pairs.
func rangeStart(n, r, ranges int) int {
	return int(float64(n) * (1 - math.Sqrt(1-float64(r)/float64(ranges))))
}

// count sets start[a] to the number of pairs with A = a for a in [lo, hi). It returns the sum.
func (c *pairCollector) count(lo, hi int) int {
	start := c.start[lo:hi]
	clear(start)
	sum := 0
	for _, l := range c.lists {
		for _, p := range l {
			if a := int(p.A) - lo; uint(a) < uint(len(start)) {
				start[a]++
				sum++
			}
		}
	}
	return sum
}

// place writes the pairs with A in [lo, hi) to dst, beginning at position at.
func (c *pairCollector) place(dst []Pair, lo, hi, at int) {
	start := c.start[lo:hi]
	begin := at
	for a, k := range start {
		start[a] = at
		at += k
	}
	for _, l := range c.lists {
		for _, p := range l {
			if a := int(p.A) - lo; uint(a) < uint(len(start)) {
				dst[start[a]] = p
				start[a]++
			}
		}
	}
	var others []int32
	for _, end := range start { // start[a] is now the end of the pairs of body lo+a
		others = sortByB(dst[begin:end], others)
		begin = end
	}
}

// sortByB sorts pairs with the same A. It returns scratch for the next call.
func sortByB(pairs []Pair, scratch []int32) []int32 {
	if len(pairs) > insertionLength {
		scratch = scratch[:0]
		for _, p := range pairs {
			scratch = append(scratch, p.B)
		}
		slices.Sort(scratch)
		for i, b := range scratch {
			pairs[i].B = b
		}
		return scratch
	}
	for i := 1; i < len(pairs); i++ {
		p := pairs[i]
		k := i
		for ; k > 0 && pairs[k-1].B > p.B; k-- {
			pairs[k] = pairs[k-1]
		}
		pairs[k] = p
	}
	return scratch
}

// insertionLength is the largest length for which insertion sort is faster than slices.Sort.
// tuning: measured.
const insertionLength = 32

// key returns an integer that orders pairs by A, then B.
func (p Pair) key() uint64 { return uint64(uint32(p.A))<<32 | uint64(uint32(p.B)) }

// sortPairs sorts pairs whose indices are below n.
func sortPairs(pairs []Pair, n int) {
	// The radix sort takes four passes over the pairs and over 2048 counters. The comparison sort
	// takes log₂ n comparisons of 5 to 10 ns for each pair. tuning: measured.
	if len(pairs) < 2048 {
		slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Compare(a.key(), b.key()) })
		return
	}
	const digit = 11
	// Both fields take the same number of passes. Therefore the last pass writes to pairs.
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
}

// mergePairs appends to dst, in order, the pairs of old and added that are not in removed. old,
// added and removed are in order. No pair is in both added and removed. added can repeat pairs and
// contain pairs of old. removed can repeat pairs and contain pairs that are not in old.
func mergePairs(dst, old, added, removed []Pair) []Pair {
	for len(added)+len(removed) > 0 {
		var p Pair
		adding := len(removed) == 0 || len(added) > 0 && added[0].key() < removed[0].key()
		if adding {
			p, added = added[0], added[1:]
		} else {
			p, removed = removed[0], removed[1:]
		}
		n := countBefore(old, p)
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

// countBefore returns the number of the ordered pairs that come before p. It doubles its step
// before it bisects, because most events are many pairs apart.
func countBefore(pairs []Pair, p Pair) int {
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

// diffPairs compares the ordered pairs old and now. It appends the pairs only in now to added, and
// the pairs only in old to removed.
func diffPairs(added, removed, old, now []Pair) (_, _ []Pair) {
	i, j := 0, 0
	for i < len(old) && j < len(now) {
		switch a, b := old[i].key(), now[j].key(); {
		case a == b:
			i++
			j++
		case a < b:
			removed = append(removed, old[i])
			i++
		default:
			added = append(added, now[j])
			j++
		}
	}
	return append(added, now[j:]...), append(removed, old[i:]...)
}

// touchFilter selects the pairs of a list that touch.
type touchFilter[T Body] struct {
	ops    bodyOps[T]
	counts []int // scratch: number of pairs of each block that touch
}

// run sets dst to the pairs of list that touch, in their order.
func (f *touchFilter[T]) run(ctx context.Context, dst, list []Pair, bodies []T, workers int) ([]Pair, error) {
	buffer := slices.Grow(dst[:0], len(list))[:len(list)]
	blocks := (len(list) + blockSize - 1) / blockSize
	f.counts = slices.Grow(f.counts[:0], blocks)[:blocks]
	err := par.Blocks(ctx, len(list), blockSize, workers, func(_, lo, hi int) {
		f.counts[lo/blockSize] = len(f.ops.touching(buffer[lo:lo:hi], list[lo:hi], bodies))
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return buffer[:0], err
	}
	n := 0
	for b, count := range f.counts {
		n += copy(buffer[n:], buffer[b*blockSize:b*blockSize+count])
	}
	return buffer[:n], nil
}

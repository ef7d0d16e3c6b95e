package neighbor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/par"
)

// result has the fields that all methods use.
type result struct {
	pairs, buffer []Pair // pairs of the last step, and memory for the next step
	stats         Stats
}

// Pairs returns the pairs that touch; see Method.
func (r *result) Pairs() []Pair { return r.pairs }

// Stats returns the counts; see Method.
func (r *result) Stats() Stats { return r.stats }

// pairCollector merges and orders the pairs that the workers find.
type pairCollector struct {
	limit pairLimit
	lists [][]Pair // pairs that each worker found
	tests []padded // number of tests that each worker made
	start []int    // temporary: for each body, the position of its first pair
}

// pairLimit ends a search that finds too many pairs. It is safe for concurrent use.
type pairLimit struct {
	most  int64 // largest number of pairs; 0 means no limit
	found atomic.Int64
}

// exceeded adds n pairs, and reports whether there are more pairs than the limit.
func (l *pairLimit) exceeded(n int) bool { return l.most > 0 && l.found.Add(int64(n)) > l.most }

// padded is a counter that fills a cache line.
type padded struct {
	n uint64
	_ [56]byte
}

// collect calls searchItems for blocks of items and sets dst to the ordered pairs. Each call
// appends the pairs of items [lo, hi) to the list and returns its number of tests.
func (c *pairCollector) collect(ctx context.Context, dst []Pair, items, block, n, workers int,
	searchItems func(list []Pair, lo, hi int) ([]Pair, uint64)) ([]Pair, error) {
	c.reset(workers)
	c.limit.found.Store(0)
	err := par.Blocks(ctx, items, block, workers, func(worker, lo, hi int) {
		list, tests := searchItems(c.lists[worker], lo, hi)
		c.lists[worker] = list
		c.tests[worker].n += tests
	})
	if err != nil {
		return dst, err
	}
	if c.limit.exceeded(0) {
		return dst, fmt.Errorf("%w: more than %d", ErrPairs, c.limit.most)
	}
	return c.ordered(ctx, dst, n, workers)
}

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

// tested returns the total number of tests.
func (c *pairCollector) tested() uint64 {
	sum := uint64(0)
	for _, t := range c.tests {
		sum += t.n
	}
	return sum
}

// ordered sets dst to all pairs in order of A, then B. All indices are below n. The indices are
// divided into ranges. A worker counts and sorts the pairs whose A is in one range.
func (c *pairCollector) ordered(ctx context.Context, dst []Pair, n, workers int) ([]Pair, error) {
	total := 0
	for _, l := range c.lists {
		total += len(l)
	}
	dst = slices.Grow(dst[:0], total)[:total]
	c.start = slices.Grow(c.start[:0], n+1)[:n+1]
	ranges := min(workers, 1+total/4096)
	// first[r] is the number of pairs in range r, and later the position of these pairs in dst.
	first := make([]int, ranges)
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

// rangeStart returns the first index of range r for n indices. If all pairs are equally likely, a
// share (1−x)² of the pairs has A ≥ xn, for 0 ≤ x ≤ 1. At the start of range r, this share is
// 1−r/ranges. So the ranges have about the same number of pairs.
func rangeStart(n, r, ranges int) int {
	return int(float64(n) * (1 - math.Sqrt(1-float64(r)/float64(ranges))))
}

// count sets start[a] to the number of pairs with A = a, for each a in [lo, hi). It returns the sum
// of these numbers.
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

// place writes the pairs with A in [lo, hi) to dst. The first of these pairs goes to dst[at].
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
	for _, end := range start { // start[a] is the end of the pairs of body lo+a
		others = sortByB(dst[begin:end], others)
		begin = end
	}
}

// sortByB sorts pairs that have the same A. It returns memory for the next call.
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

// insertionLength is the largest number of pairs for which insertion sort is faster than
// slices.Sort. tuning: measured.
const insertionLength = 32

// key returns an integer that orders pairs by A, then by B.
func (p Pair) key() uint64 { return uint64(uint32(p.A))<<32 | uint64(uint32(p.B)) }

// sortPairs sorts pairs by A, then B. All indices are below n.
func sortPairs(pairs []Pair, n int) {
	// The radix sort usually makes four passes over the pairs and over 2048 counters. The
	// comparison sort makes log₂ len(pairs) comparisons for each pair, and each takes 5 to 10 ns.
	// tuning: measured.
	if len(pairs) < 2048 {
		slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Compare(a.key(), b.key()) })
		return
	}
	const digit = 11
	// A and B take the same number of passes. So the total is even, and the last pass writes to
	// pairs.
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

// mergePairs appends to dst the ordered pairs that are in old or added, but not in removed. All
// three slices must be ordered. No pair may be in both added and removed. A pair can occur several
// times in added or removed. A pair can be in both old and added, or in removed but not in old.
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

// countBefore returns the number of pairs before p. The slice must be ordered. Before it bisects,
// countBefore doubles an upper limit, because the number is usually much smaller than len(pairs).
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

// diffPairs compares two ordered slices. It appends the new pairs to added, and the old pairs that
// are gone to removed.
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

// touchFilter selects the touching pairs of a list.
type touchFilter[T Body] struct {
	ops    bodyOps[T]
	counts []int // temporary: for each block, its number of touching pairs
}

// run sets dst to the given pairs that touch, in the same order.
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

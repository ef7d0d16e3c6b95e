package neighbor

import (
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// collector orders the pairs that workers found. Each pair is in one of the lists, once.
type collector struct {
	lists [][]Pair // of the workers
	tests []padded // of the workers
	start []int    // scratch: where the pairs of a body begin
}

// padded is a counter that shares its cache line with no other one.
type padded struct {
	n uint64
	_ [56]byte
}

// reset empties the lists of the workers.
func (c *collector) reset(workers int) {
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
func (c *collector) tested() uint64 {
	sum := uint64(0)
	for _, t := range c.tests {
		sum += t.n
	}
	return sum
}

// ordered sets dst to all pairs ordered by A, then B; n is one more than the largest index.
// Each worker takes the pairs of a range of A by counting.
func (c *collector) ordered(ctx context.Context, dst []Pair, n, workers int) ([]Pair, error) {
	total := 0
	for _, l := range c.lists {
		total += len(l)
	}
	dst = slices.Grow(dst[:0], total)[:total]
	c.start = slices.Grow(c.start[:0], n+1)[:n+1]
	ranges := min(workers, 1+total/4096)
	first := make([]int, ranges) // of each range: the number of its pairs, then where they begin
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

// rangeStart returns where range r of so many ranges of n indices begins. They have about the
// same number of pairs each if all pairs are as likely: then (1−x)² of them have A ≥ xn.
func rangeStart(n, r, ranges int) int {
	return int(float64(n) * (1 - math.Sqrt(1-float64(r)/float64(ranges))))
}

// count sets start[a] to the number of pairs with A = a, for a in [lo, hi), and returns
// their sum.
func (c *collector) count(lo, hi int) int {
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

// place writes the pairs with A in [lo, hi) to dst, from position at.
func (c *collector) place(dst []Pair, lo, hi, at int) {
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
	for _, end := range start { // each is now where the pairs of its body end
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

// insertionLength is up to where insertion sort is faster than slices.Sort, measured.
const insertionLength = 32

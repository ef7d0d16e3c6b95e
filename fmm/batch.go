package fmm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// WindingsTo evaluates a batch leaf by leaf: the local expansion and the near field of a leaf then
// stay in the cache for all points of the leaf. WindingsTo first distributes the points to buckets,
// each for neighboring leaves. A bucket fits into the cache, and its points are sorted by leaf
// there.
const (
	batchPoints  = 1 << 21 // tuning
	runPoints    = 1 << 15 // tuning: number of points that one worker distributes at a time
	bucketPoints = 1 << 12 // tuning: approximate number of points in a bucket
	maxBuckets   = 1 << 9  // tuning: largest number of buckets of a batch
	groupPoints  = 64      // tuning: largest number of points in a call of evaluateMany
)

// item is a point in its bucket. Its size is half a cache line.
type item struct {
	x    r3.Vector
	leaf int32 // number of the leaf, or len(leaves) if the point lies in no leaf
	i    int32 // index of the point in the batch
}

// batch is a part of the points in one call of WindingsTo, with their results.
type batch struct {
	plan  *Plan
	pts   []r3.Vector
	w     []float64
	bound []float64
	on    []bool
	*buffer
	shift   int // the bucket of a leaf has the number leaf>>shift
	buckets int
}

type buffer struct {
	leaves []int32
	items  []item  // points, ordered by bucket
	ends   []int32 // index of the next item of each run and bucket
}

var (
	buffers      = sync.Pool{New: func() any { return new(buffer) }}
	batchWorkers = sync.Pool{New: func() any { return new(batchWorker) }}
)

// WindingsTo writes the results of Winding(pts[i]) to w[i], bound[i] and on[i], with the given
// number of workers. If workers ≤ 0, it uses one worker for each processor. WindingsTo is many
// times faster than a call of Winding for each point. The bits of the results depend neither on the
// order of the points nor on the number of workers. WindingsTo panics if the slices differ in
// length.
//
// Errors: the error of ctx, if ctx ends first. Then w, bound and on are NaN, +Inf and false for
// points without a result.
func (p *Plan) WindingsTo(ctx context.Context, w, bound []float64, on []bool, pts []r3.Vector, workers int) error {
	if len(w) != len(pts) || len(bound) != len(pts) || len(on) != len(pts) {
		panic("fmm: the slices of results and points differ in length")
	}
	for i := range pts {
		w[i], bound[i], on[i] = math.NaN(), math.Inf(1), false
	}
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for lo := 0; lo < len(pts); lo += batchPoints {
		hi := min(len(pts), lo+batchPoints)
		b := batch{plan: p, pts: pts[lo:hi], w: w[lo:hi], bound: bound[lo:hi], on: on[lo:hi], buffer: buf}
		if err := b.run(ctx, workers); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) run(ctx context.Context, workers int) error {
	n := len(b.pts)
	if len(b.items) < n {
		b.items, b.leaves = make([]item, n), make([]int32, n)
	}
	noLeaf := 0
	if b.plan.src != nil {
		noLeaf = len(b.plan.tree.leaves)
	}
	wanted := min(maxBuckets, n/bucketPoints+1)
	for b.shift = 0; noLeaf>>b.shift >= wanted; b.shift++ {
	}
	b.buckets = noLeaf>>b.shift + 1
	runs := (n + runPoints - 1) / runPoints
	if len(b.ends) < runs*b.buckets {
		b.ends = make([]int32, runs*b.buckets)
	}
	if err := par.Blocks(ctx, n, runPoints, workers, func(_, lo, hi int) { b.find(lo, hi, int32(noLeaf)) }); err != nil {
		return err
	}
	starts := b.sumCounts(runs)
	if err := par.Blocks(ctx, n, runPoints, workers, func(_, lo, hi int) { b.distribute(lo, hi) }); err != nil {
		return err
	}
	return par.Blocks(ctx, b.buckets, 1, workers, func(_, k, _ int) {
		g := batchWorkers.Get().(*batchWorker)
		defer batchWorkers.Put(g)
		b.answer(ctx, g, b.items[starts[k]:starts[k+1]], k)
	})
}

// find finds the leaf of each point in [lo, hi), which is one run, and counts the points in each
// bucket. A point in no leaf gets the number noLeaf.
func (b *batch) find(lo, hi int, noLeaf int32) {
	counts := b.counts(lo)
	clear(counts)
	for i, x := range b.pts[lo:hi] {
		leaf := noLeaf
		if b.plan.src != nil {
			if l, ok := b.plan.tree.find(x); ok {
				leaf = l
			}
		}
		b.leaves[lo+i] = leaf
		counts[leaf>>b.shift]++
	}
}

// counts returns the counts of the run that starts at point lo, one for each bucket. They are a
// part of b.ends.
func (b *batch) counts(lo int) []int32 {
	run := lo / runPoints
	return b.ends[run*b.buckets : (run+1)*b.buckets]
}

// sumCounts turns counts into positions: it replaces the number of items of each run and bucket by
// the index of the first of these items. Items are ordered by bucket, then by run. starts[k] is the
// index of the first item of bucket k, and the last element of starts is the number of items.
func (b *batch) sumCounts(runs int) (starts []int32) {
	starts = make([]int32, b.buckets+1)
	sum := int32(0)
	for k := range b.buckets {
		starts[k] = sum
		for run := range runs {
			c := &b.ends[run*b.buckets+k]
			*c, sum = sum, sum+*c
		}
	}
	starts[b.buckets] = sum
	return starts
}

// distribute copies the points [lo, hi) of one run to their buckets.
func (b *batch) distribute(lo, hi int) {
	next := b.counts(lo)
	for i := lo; i < hi; i++ {
		leaf := b.leaves[i]
		at := &next[leaf>>b.shift]
		b.items[*at] = item{x: b.pts[i], leaf: leaf, i: int32(i)}
		*at++
	}
}

// answer evaluates the items of bucket k, leaf by leaf.
func (b *batch) answer(ctx context.Context, g *batchWorker, items []item, k int) {
	order := g.sort(items, int32(k)<<b.shift, 1<<b.shift)
	for lo := 0; lo < len(order); {
		leaf := items[order[lo]].leaf
		hi := lo + 1
		for hi < len(order) && hi < lo+groupPoints && items[order[hi]].leaf == leaf {
			hi++
		}
		if ctx.Err() != nil {
			return
		}
		g.answer(ctx, b, items, order[lo:hi], leaf)
		lo = hi
	}
}

type batchWorker struct {
	order, count []int32
	x, y, z      [groupPoints]float64
	far          [groupPoints]float64
	scratch      Scratch
}

// sort returns the indices of the items, ordered by leaf. The leaf numbers of all items are in
// [firstLeaf, firstLeaf+span).
func (g *batchWorker) sort(items []item, firstLeaf int32, span int) []int32 {
	if len(g.order) < len(items) {
		g.order = make([]int32, len(items))
	}
	order := g.order[:len(items)]
	if len(items) < span/4 {
		for j := range order {
			order[j] = int32(j)
		}
		slices.SortFunc(order, func(i, j int32) int { return cmp.Or(cmp.Compare(items[i].leaf, items[j].leaf), cmp.Compare(i, j)) })
		return order
	}
	if len(g.count) < span {
		g.count = make([]int32, span)
	}
	count := g.count[:span]
	clear(count)
	for j := range items {
		count[items[j].leaf-firstLeaf]++
	}
	sum := int32(0)
	for l, n := range count {
		count[l] = sum
		sum += n
	}
	for j := range items {
		at := &count[items[j].leaf-firstLeaf]
		order[*at] = int32(j)
		*at++
	}
	return order
}

func (g *batchWorker) answer(ctx context.Context, b *batch, items []item, order []int32, leaf int32) {
	if b.plan.src == nil || int(leaf) == len(b.plan.tree.leaves) {
		for _, j := range order {
			if ctx.Err() != nil {
				return
			}
			i := items[j].i
			b.w[i], b.bound[i], b.on[i] = b.plan.Winding(b.pts[i], &g.scratch)
		}
		return
	}
	t := b.plan.tree
	l := &t.leaves[leaf]
	c, unit := t.center(l.cell, int(l.level)), 1/t.half(int(l.level))
	for m, j := range order {
		x := items[j].x.Sub(c).Mul(unit)
		g.x[m], g.y[m], g.z[m] = x.X, x.Y, x.Z
	}
	n := len(order)
	evaluateMany(g.far[:n], g.x[:n], g.y[:n], g.z[:n], t.local(leaf), b.plan.params.local)
	for m, j := range order {
		i := items[j].i
		b.w[i], b.bound[i], b.on[i] = b.plan.near(l, g.far[m], items[j].x, &g.scratch)
	}
}

package fmm

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// Points of a batch are answered leaf by leaf, so that the expansion of a leaf and
// its near field are in the cache for all its points, and what neighbours share for
// all of theirs: runs of points are sorted by leaf, and then ranges of leaves are
// taken from all runs.
const (
	runBits   = 17
	runPoints = 1 << runBits // points in a run
	mostRuns  = 16           // runs in a batch
	// rangesPerRun makes enough ranges for all workers, and few enough to find their
	// ends in every run.
	rangesPerRun = 16
	// groupPoints is how many points of a leaf go through L2P at once.
	groupPoints = 64
)

// noLeaf stands for the leaf of points that have none: the last one.
const noLeaf = math.MaxInt32

// sorter is the working memory of one worker that sorts runs.
type sorter struct {
	spare [runPoints]uint64
	count [3][1 << 11]uint32
}

// batch is a batch of points.
type batch struct {
	plan  *Plan
	pts   []r3.Vector
	w     []float64
	bound []float64
	on    []bool
	keys  []uint64    // for each run, leaf<<runBits | point of the run, sorted
	at    []r3.Vector // the points in the order of keys
}

// buffer holds keys and points of batches, used again: 32 bytes a point, at most
// mostRuns·runPoints of them.
type buffer struct {
	keys []uint64
	at   []r3.Vector
}

var (
	buffers = sync.Pool{New: func() any { return new(buffer) }}
	sorters = sync.Pool{New: func() any { return new(sorter) }}
	groups  = sync.Pool{New: func() any { return new(group) }}
)

// WindingsTo writes Winding(pts[i]) to w[i], bound[i] and on[i], on the given
// number of workers (≤ 0: all processors), many times faster than one by one. The
// results are those of Winding, bit for bit, whatever the order of the points and
// the number of workers. It panics if the lengths differ. When ctx ends first its
// error is returned, and points without an answer hold NaN, +Inf and false.
func (p *Plan) WindingsTo(ctx context.Context, w, bound []float64, on []bool, pts []r3.Vector, workers int) error {
	if len(w) != len(pts) || len(bound) != len(pts) || len(on) != len(pts) {
		panic("fmm: results and points differ in length")
	}
	for i := range pts {
		w[i], bound[i], on[i] = math.NaN(), math.Inf(1), false
	}
	const most = mostRuns * runPoints
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	if n := min(len(pts), most); len(buf.keys) < n {
		buf.keys, buf.at = make([]uint64, n), make([]r3.Vector, n)
	}
	for lo := 0; lo < len(pts); lo += most {
		hi := min(len(pts), lo+most)
		b := batch{p, pts[lo:hi], w[lo:hi], bound[lo:hi], on[lo:hi], buf.keys[:hi-lo], buf.at[:hi-lo]}
		if err := b.run(ctx, workers); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) run(ctx context.Context, workers int) error {
	n := len(b.pts)
	if err := par.Blocks(ctx, n, runPoints, workers, func(_, lo, hi int) {
		s := sorters.Get().(*sorter)
		defer sorters.Put(s)
		s.sort(b.plan, b.keys[lo:hi], b.pts[lo:hi])
		for i, k := range b.keys[lo:hi] {
			b.at[lo+i] = b.pts[lo+int(k&(runPoints-1))]
		}
	}); err != nil {
		return err
	}
	ends := b.ranges((n + runPoints - 1) / runPoints * rangesPerRun)
	return par.Blocks(ctx, len(ends), 1, workers, func(_, k, _ int) {
		g := groups.Get().(*group)
		defer groups.Put(g)
		first := uint64(0)
		if k > 0 {
			first = ends[k-1]
		}
		b.merge(ctx, g, first, ends[k])
		clear(g.runs[:cap(g.runs)]) // keeps no keys alive
	})
}

// ranges returns the ends of ranges of leaves that have about as many points each,
// judged by the first run; the last end is beyond noLeaf.
func (b *batch) ranges(count int) []uint64 {
	run := b.keys[:min(len(b.keys), runPoints)]
	var ends []uint64
	for k := 1; k < count; k++ {
		leaf := run[len(run)*k/count] >> runBits
		if leaf > 0 && (len(ends) == 0 || leaf > ends[len(ends)-1]) {
			ends = append(ends, leaf)
		}
	}
	return append(ends, noLeaf+1)
}

// merge answers for the points in leaves [first, end) of all runs.
func (b *batch) merge(ctx context.Context, g *group, first, end uint64) {
	g.runs = g.runs[:0]
	for lo := 0; lo < len(b.keys); lo += runPoints {
		run := b.keys[lo:min(len(b.keys), lo+runPoints)]
		from, _ := slices.BinarySearch(run, first<<runBits)
		to, _ := slices.BinarySearch(run, end<<runBits)
		if from < to {
			g.runs = append(g.runs, piece{run[from:to], b.at[lo+from : lo+to], int32(lo)})
		}
	}
	for len(g.runs) > 0 && ctx.Err() == nil {
		leaf := g.runs[0].keys[0] >> runBits
		for _, r := range g.runs[1:] {
			leaf = min(leaf, r.keys[0]>>runBits)
		}
		live := g.runs[:0]
		for _, r := range g.runs {
			for len(r.keys) > 0 && r.keys[0]>>runBits == leaf {
				g.points[g.count] = r.first + int32(r.keys[0]&(runPoints-1))
				g.at[g.count] = r.at[0]
				if g.count++; g.count == groupPoints {
					if g.answer(ctx, b, int32(leaf)); ctx.Err() != nil {
						return
					}
				}
				r.keys, r.at = r.keys[1:], r.at[1:]
			}
			if len(r.keys) > 0 {
				live = append(live, r)
			}
		}
		g.runs = live
		g.answer(ctx, b, int32(leaf))
	}
}

// group is the working memory of one worker that answers.
type group struct {
	runs    []piece
	count   int
	points  [groupPoints]int32
	at      [groupPoints]r3.Vector
	x, y, z [groupPoints]float64
	far     [groupPoints]float64
	scratch Scratch
}

// piece is what is left of a run, whose first point is given.
type piece struct {
	keys  []uint64
	at    []r3.Vector
	first int32
}

// answer answers for the points of the group, which lie in leaf i, and empties it.
func (g *group) answer(ctx context.Context, b *batch, i int32) {
	points := g.points[:g.count]
	g.count = 0
	if i == noLeaf {
		for _, j := range points {
			if ctx.Err() != nil {
				return
			}
			b.w[j], b.bound[j], b.on[j] = b.plan.Winding(b.pts[j], &g.scratch)
		}
		return
	}
	t := b.plan.tree
	l := &t.leaves[i]
	c, unit := t.centre(l.cell, int(l.level)), 1/t.half(int(l.level))
	for m := range points {
		x := g.at[m].Sub(c).Mul(unit)
		g.x[m], g.y[m], g.z[m] = x.X, x.Y, x.Z
	}
	n := len(points)
	evaluateMany(g.far[:n], g.x[:n], g.y[:n], g.z[:n], t.local(i), b.plan.spec.local)
	for m, j := range points {
		b.w[j], b.bound[j], b.on[j] = b.plan.near(l, g.far[m], g.at[m], &g.scratch)
	}
}

// sort writes the keys of points, sorted.
func (s *sorter) sort(p *Plan, keys []uint64, pts []r3.Vector) {
	const digit = 11
	clear(s.count[:])
	for i, x := range pts {
		leaf := int32(noLeaf)
		if p.src != nil {
			if l, ok := p.tree.find(x); ok {
				leaf = l
			}
		}
		keys[i] = uint64(leaf)<<runBits | uint64(i)
		s.count[0][leaf&(1<<digit-1)]++
		s.count[1][leaf>>digit&(1<<digit-1)]++
		s.count[2][leaf>>(2*digit)]++
	}
	from, to := keys, s.spare[:len(keys)]
	for pass := range s.count {
		c := &s.count[pass]
		sum := uint32(0)
		for i, n := range c {
			c[i] = sum
			sum += n
		}
		shift := runBits + pass*digit
		for _, k := range from {
			d := k >> shift & (1<<digit - 1)
			to[c[d]] = k
			c[d]++
		}
		from, to = to, from
	}
	copy(keys, from)
}

// near adds the near field of leaf l to the far field.
func (p *Plan) near(l *leaf, far float64, x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	if l.count == 0 {
		return far, l.bound, false
	}
	s.Near += uint64(l.near)
	w, bound, on = p.src.near.Winding(x, p.tree.spans[l.spans:l.spans+l.count], &s.sum)
	w += far
	return w, l.bound + bound + roundoff*math.Abs(w), on
}

package fmm

import (
	"context"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// batchPoints is how many points a worker sorts by leaf at a time: the more, the
// more points of a leaf follow each other while its expansion and its near field
// are in the cache.
const (
	batchBits   = 18
	batchPoints = 1 << batchBits
)

// batch is the working memory of one worker for a block of points.
type batch struct {
	keys, spare [batchPoints]uint64 // leaf<<batchBits | point
	x, y, z     [groupPoints]float64
	far         [groupPoints]float64
	scratch     Scratch
}

// groupPoints is how many points of a leaf go through L2P at once.
const groupPoints = 64

var batches = sync.Pool{New: func() any { return new(batch) }}

// WindingsTo writes Winding(pts[i]) to w[i], bound[i] and on[i], on the given
// number of workers.
func (p *Plan) WindingsTo(ctx context.Context, w, bound []float64, on []bool, pts []r3.Vector, workers int) error {
	if len(w) != len(pts) || len(bound) != len(pts) || len(on) != len(pts) {
		panic("fmm: results and points differ in length")
	}
	for i := range pts {
		w[i], bound[i], on[i] = math.NaN(), math.Inf(1), false
	}
	return par.Blocks(ctx, len(pts), batchPoints, workers, func(_, lo, hi int) {
		b := batches.Get().(*batch)
		defer batches.Put(b)
		b.sort(p, pts[lo:hi])
		keys := b.keys[:hi-lo]
		for len(keys) > 0 && ctx.Err() == nil {
			i := int32(keys[0] >> batchBits)
			n := 1
			for n < min(len(keys), groupPoints) && int32(keys[n]>>batchBits) == i {
				n++
			}
			b.group(p, i, keys[:n], w[lo:hi], bound[lo:hi], on[lo:hi], pts[lo:hi])
			keys = keys[n:]
		}
	})
}

// group evaluates points of leaf i, or of none.
func (b *batch) group(p *Plan, i int32, keys []uint64, w, bound []float64, on []bool, pts []r3.Vector) {
	if i == math.MaxInt32 {
		for _, k := range keys {
			j := k & (batchPoints - 1)
			w[j], bound[j], on[j] = p.Winding(pts[j], &b.scratch)
		}
		return
	}
	t := p.tree
	l := &t.leaves[i]
	c, unit := t.centre(l.cell, int(l.level)), 1/t.half(int(l.level))
	n := len(keys)
	for m, k := range keys {
		x := pts[k&(batchPoints-1)].Sub(c).Mul(unit)
		b.x[m], b.y[m], b.z[m] = x.X, x.Y, x.Z
	}
	evaluateMany(b.far[:n], b.x[:n], b.y[:n], b.z[:n], t.locals[int(i)*t.rows:(int(i)+1)*t.rows], p.spec.local)
	for m, k := range keys {
		j := k & (batchPoints - 1)
		w[j], bound[j], on[j] = p.near(l, b.far[m], pts[j], &b.scratch)
	}
}

// sort orders the points by leaf.
func (b *batch) sort(p *Plan, pts []r3.Vector) {
	const digit = 11
	var count [3][1 << digit]uint32
	for i, x := range pts {
		leaf := int32(math.MaxInt32)
		if p.src != nil {
			if l, ok := p.tree.find(x); ok {
				leaf = l
			}
		}
		b.keys[i] = uint64(leaf)<<batchBits | uint64(i)
		count[0][leaf&(1<<digit-1)]++
		count[1][leaf>>digit&(1<<digit-1)]++
		count[2][leaf>>(2*digit)]++
	}
	from, to := b.keys[:len(pts)], b.spare[:len(pts)]
	for pass := range count {
		c := &count[pass]
		sum := uint32(0)
		for i, n := range c {
			c[i] = sum
			sum += n
		}
		shift := batchBits + pass*digit
		for _, k := range from {
			d := k >> shift & (1<<digit - 1)
			to[c[d]] = k
			c[d]++
		}
		from, to = to, from
	}
	copy(b.keys[:len(pts)], from)
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

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
const batchPoints = 1 << 16

// batch is the working memory of one worker for a block of points.
type batch struct {
	keys, spare [batchPoints]uint64 // leaf<<16 | point
	scratch     Scratch
}

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
		last := int32(-1)
		for _, k := range b.keys[:hi-lo] {
			i := lo + int(k&(batchPoints-1))
			leaf := int32(k >> 16)
			if leaf != last || leaf == math.MaxInt32 {
				if ctx.Err() != nil {
					return
				}
				last = leaf
			}
			if leaf == math.MaxInt32 {
				w[i], bound[i], on[i] = p.Winding(pts[i], &b.scratch)
				continue
			}
			w[i], bound[i], on[i] = p.inLeaf(leaf, pts[i], &b.scratch)
		}
	})
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
		b.keys[i] = uint64(leaf)<<16 | uint64(i)
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
		shift := 16 + pass*digit
		for _, k := range from {
			d := k >> shift & (1<<digit - 1)
			to[c[d]] = k
			c[d]++
		}
		from, to = to, from
	}
	copy(b.keys[:len(pts)], from)
}

// inLeaf is Winding for a point of a leaf.
func (p *Plan) inLeaf(i int32, x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	l := &p.tree.leaves[i]
	far := p.tree.evaluate(i, p.spec.local, x)
	s.Near += uint64(l.near)
	near, b, on := p.src.near.Winding(x, p.tree.spans[l.spans:l.spans+l.count], &s.sum)
	return far + near, l.bound + b + roundoff*math.Abs(far+near), on
}

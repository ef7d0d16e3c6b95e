package inpoly

import (
	"context"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/par"
)

// Points of a batch go through a field in blocks, each sorted by the leaves of the
// evaluation tree: the larger, the more points share a leaf; smaller ones keep all
// workers busy. Between chunks the potential may get a deeper plan, and after
// checkPoints points ctx is looked at. Choices.
const (
	fieldBlock  = 1 << 18
	leastBlock  = 1 << 10
	fieldChunk  = 1 << 22
	checkPoints = 1 << 8
)

// answers is where the answers of a batch go; sides, or w and bound, may be nil.
type answers struct {
	sides    []Side
	w, bound []float64
}

// clear writes that nothing has been found.
func (a *answers) clear() {
	clear(a.sides)
	for i := range a.w {
		a.w[i], a.bound[i] = math.NaN(), math.Inf(1)
	}
}

// fieldAnswers fills a by f, which has a potential, and by ray crossing where that
// does not do.
func (s *Solid) fieldAnswers(ctx context.Context, f *field, a answers, pts []r3.Vector) (Stats, error) {
	a.clear()
	var sum Stats
	for lo := 0; lo < len(pts); lo += fieldChunk {
		stats, err := s.fieldChunk(ctx, f, a, pts, lo, min(len(pts), lo+fieldChunk))
		sum.Add(stats)
		if err != nil {
			return sum, err
		}
	}
	return sum, ctx.Err()
}

// fieldChunk is fieldAnswers for pts[lo:hi], with one plan.
func (s *Solid) fieldChunk(ctx context.Context, f *field, a answers, pts []r3.Vector, lo, hi int) (Stats, error) {
	n, workers := hi-lo, par.Workers(s.opt.Workers)
	size := min(fieldBlock, max(leastBlock, (n+2*workers-1)/(2*workers)))
	workers = min(workers, (n+size-1)/size)
	plan := f.potential.planFor(ctx, pts[lo:], n)
	batches := make([]*fieldBatch, workers)
	for i := range batches {
		b := fieldBatches.Get().(*fieldBatch)
		b.grow(size)
		b.solid, b.field, b.plan, b.answers = s, f, plan, a
		b.scratch.watch(ctx)
		batches[i] = b
	}
	err := par.Blocks(ctx, n, size, workers, func(worker, from, to int) { batches[worker].block(ctx, pts, lo+from, lo+to) })
	var sum Stats
	for _, b := range batches {
		sum.Add(b.scratch.stats())
		b.solid, b.field, b.plan, b.answers, b.scratch = nil, nil, nil, answers{}, scratch{}
		fieldBatches.Put(b)
	}
	if err == nil {
		sum.Points = uint64(n) // those that were cast for both answers are counted once
	}
	return sum, err
}

// fieldBatch is the working memory of one worker for a block, and what it works on.
type fieldBatch struct {
	solid   *Solid
	field   *field
	plan    *fmm.Plan
	answers answers
	scratch scratch

	index    []int32 // of the points below in the block
	pts      []r3.Vector
	j, bound []float64
	on       []bool
}

var fieldBatches = sync.Pool{New: func() any { return new(fieldBatch) }}

// grow makes room for n points.
func (b *fieldBatch) grow(n int) {
	if len(b.pts) < n {
		b.index, b.pts = make([]int32, n), make([]r3.Vector, n)
		b.j, b.bound, b.on = make([]float64, n), make([]float64, n), make([]bool, n)
	}
}

// block answers for pts[lo:hi], until ctx ends.
func (b *fieldBatch) block(ctx context.Context, pts []r3.Vector, lo, hi int) {
	k := 0
	for i := lo; i < hi; i++ {
		switch p := pts[i]; {
		case !finite(p): // nothing is found
		case b.field.skips(p):
			b.answer(ctx, i, p, b.field.skipped())
		default:
			b.index[k], b.pts[k] = int32(i-lo), p
			k++
		}
	}
	if b.plan.WindingsTo(ctx, b.j[:k], b.bound[:k], b.on[:k], b.pts[:k], 1) != nil {
		return // ctx has ended
	}
	for m, p := range b.pts[:k] {
		if m%checkPoints == 0 && ctx.Err() != nil {
			return
		}
		got := b.field.found(p, b.j[m], b.bound[m], b.on[m], &b.scratch)
		if !b.answer(ctx, lo+int(b.index[m]), p, got) {
			return
		}
	}
}

// answer writes the answers for point i, for which the field has found got. It
// returns false, and writes nothing, if ctx ended while rays were asked: they may
// have been interrupted.
func (b *fieldBatch) answer(ctx context.Context, i int, p r3.Vector, got found) bool {
	s, a := b.solid, &b.answers
	if a.sides != nil {
		side, ok := got.side(s.opt.Rule)
		if !ok {
			if side = s.castSide(p, &b.scratch); ctx.Err() != nil {
				return false
			}
		}
		a.sides[i] = side
	}
	if a.w != nil {
		w, bound := got.w, got.bound
		if !b.field.good(got) {
			if w, bound = s.castWinding(p, &b.scratch); ctx.Err() != nil {
				return false
			}
		}
		a.w[i], a.bound[i] = w, bound
	}
	return true
}

// castSide returns the side of p by ray crossing, for which a field has not found
// enough.
func (s *Solid) castSide(p r3.Vector, sc *scratch) Side {
	t, err := s.tree.get(sc.context())
	if err != nil {
		return Unknown
	}
	sc.fallback++
	return t.caster.Side(p, &sc.ray)
}

// castWinding is castSide for winding numbers.
func (s *Solid) castWinding(p r3.Vector, sc *scratch) (w, bound float64) {
	t, err := s.tree.get(sc.context())
	if err != nil {
		return math.NaN(), math.Inf(1)
	}
	return t.caster.Winding(p, &sc.ray)
}

// fieldSide returns the side of one point.
func (s *Solid) fieldSide(p r3.Vector, sc *scratch) Side {
	if !finite(p) {
		sc.direct++
		return Unknown
	}
	got := s.field.at(p, sc)
	if side, ok := got.side(s.opt.Rule); ok {
		sc.direct++
		return side
	}
	return s.castSide(p, sc)
}

// fieldWinding returns the winding number of one point by f.
func (s *Solid) fieldWinding(f *field, p r3.Vector, sc *scratch) (w, bound float64) {
	if !finite(p) {
		return math.NaN(), math.Inf(1)
	}
	if got := f.at(p, sc); f.good(got) {
		return got.w, got.bound
	}
	return s.castWinding(p, sc)
}

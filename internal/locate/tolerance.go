package locate

import (
	"context"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/side"
)

// WithTolerance returns a Locator that reports OnSurface for points whose computed
// distance to s is at most tolerance. l answers for the other points, and for all winding
// numbers. If tolerance is 0, it returns l itself.
func WithTolerance(l Locator, s *Surface, tolerance float64) Locator {
	if tolerance == 0 {
		return l
	}
	t := &tolerant{Locator: l, surface: s, tolerance: tolerance}
	t.memories.New = func() any { return new(toleranceMemory) }
	return t
}

type tolerant struct {
	Locator
	surface   *Surface
	tolerance float64
	memories  sync.Pool // of *toleranceMemory
}

// toleranceMemory is the working memory of a batch.
type toleranceMemory struct {
	nearest nearest.Scratch
	rest    pending // points beyond the tolerance
	sides   []side.Side
}

func (t *tolerant) Side(p r3.Vector) side.Side {
	var s nearest.Scratch
	if t.surface.MustNearest().Within(p, t.tolerance, &s) {
		return side.OnSurface
	}
	return t.Locator.Side(p)
}

// toleranceChunk is the number of points that are copied at a time. tuning
const toleranceChunk = 1 << 18

func (t *tolerant) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	dst.Check(len(pts))
	dst.Clear()
	var stats side.Stats
	searcher, err := t.surface.Nearest(ctx)
	if err != nil {
		return stats, err
	}
	for lo := 0; dst.Sides != nil && lo < len(pts); lo += toleranceChunk {
		hi := min(len(pts), lo+toleranceChunk)
		more, err := t.sidesTo(ctx, searcher, dst.Sides[lo:hi], pts[lo:hi], workers)
		stats.Add(more)
		if err != nil {
			return stats, err
		}
	}
	if dst.Winding != nil {
		more, err := t.Locator.LocateTo(ctx, side.Answers{Winding: dst.Winding, Bound: dst.Bound}, pts, workers)
		if dst.Sides == nil {
			stats = more
		}
		return stats, err
	}
	return stats, ctx.Err()
}

// sidesTo answers for one chunk. The caller has cleared dst.
func (t *tolerant) sidesTo(ctx context.Context, searcher *nearest.Searcher, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	m := t.memories.Get().(*toleranceMemory)
	defer t.memories.Put(m)
	if err := t.within(ctx, m, searcher, dst, pts, workers); err != nil {
		return side.Stats{}, err
	}
	m.rest.reset()
	for i, p := range pts {
		if dst[i] != side.OnSurface {
			m.rest.add(i, p)
		}
	}
	m.sides = resize(m.sides, len(m.rest.pts))
	stats, err := t.Locator.LocateTo(ctx, side.Answers{Sides: m.sides}, m.rest.pts, workers)
	for k, i := range m.rest.index {
		dst[i] = m.sides[k]
	}
	stats.Points += uint64(len(pts) - len(m.rest.pts))
	return stats, err
}

// within marks the points within the tolerance as OnSurface.
func (t *tolerant) within(ctx context.Context, m *toleranceMemory, searcher *nearest.Searcher, dst []side.Side, pts []r3.Vector, workers int) error {
	if par.Workers(workers) == 1 {
		m.nearest.Done = ctx.Done()
		defer func() { m.nearest.Done = nil }()
		for i := 0; i < len(pts) && ctx.Err() == nil; i++ {
			if searcher.Within(pts[i], t.tolerance, &m.nearest) {
				dst[i] = side.OnSurface
			}
		}
		return ctx.Err()
	}
	_, err := forEach(ctx, len(pts), blockSize, workers,
		func(s *nearest.Scratch) { s.Done = ctx.Done() },
		func(i int, s *nearest.Scratch) {
			if searcher.Within(pts[i], t.tolerance, s) {
				dst[i] = side.OnSurface
			}
		})
	return err
}

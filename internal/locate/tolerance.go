package locate

import (
	"context"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/side"
)

// WithTolerance returns a Locator that adds a tolerance to the given Locator. A point has the side
// OnSurface if its exact distance to the mesh is at most the tolerance. All other answers are
// unchanged. If the tolerance is 0, WithTolerance returns the given Locator.
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
	memories  sync.Pool // holds values of type *toleranceMemory
}

// toleranceMemory is the working memory of a batch.
type toleranceMemory struct {
	nearest nearest.Scratch
	rest    pending // points beyond the tolerance
	sides   []side.Side
}

func (t *tolerant) Side(p r3.Vector) side.Side {
	var s nearest.Scratch
	if t.surface.MustIndex().Nearest.Within(p, t.tolerance, &s) {
		return side.OnSurface
	}
	return t.Locator.Side(p)
}

// toleranceChunk is the number of points that LocateTo copies at a time (tuning).
const toleranceChunk = 1 << 18

func (t *tolerant) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	dst.Check(len(pts))
	dst.Clear()
	var stats side.Stats
	index, err := t.surface.Index(ctx)
	if err != nil {
		return stats, err
	}
	for lo := 0; dst.Sides != nil && lo < len(pts); lo += toleranceChunk {
		hi := min(len(pts), lo+toleranceChunk)
		more, err := t.sidesTo(ctx, index.Nearest, dst.Sides[lo:hi], pts[lo:hi], workers)
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

// sidesTo writes the sides of one chunk of points to dst, which the caller has cleared.
func (t *tolerant) sidesTo(ctx context.Context, searcher *nearest.Searcher, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	m := t.memories.Get().(*toleranceMemory)
	defer t.memories.Put(m)
	var err error
	if workers = par.Workers(workers); workers == 1 {
		err = t.within(ctx, searcher, dst, pts, &m.nearest)
	} else {
		scratches := make([]nearest.Scratch, min(workers, (len(pts)+blockSize-1)/blockSize))
		err = par.Blocks(ctx, len(pts), blockSize, workers, func(worker, lo, hi int) {
			_ = t.within(ctx, searcher, dst[lo:hi], pts[lo:hi], &scratches[worker]) // par.Blocks returns the error of ctx
		})
	}
	if err != nil {
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

// within sets the side of each point within the tolerance to OnSurface.
func (t *tolerant) within(ctx context.Context, searcher *nearest.Searcher, dst []side.Side, pts []r3.Vector, s *nearest.Scratch) error {
	s.Done = ctx.Done()
	for i := 0; i < len(pts) && ctx.Err() == nil; i++ {
		if searcher.Within(pts[i], t.tolerance, s) {
			dst[i] = side.OnSurface
		}
	}
	s.Done = nil
	return ctx.Err()
}

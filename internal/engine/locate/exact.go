package locate

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// rays is the Locator that casts a random ray through the tree, and adds a sum over the boundary of
// an open mesh (Muth et al. 2006, §2.2). The first query that needs the tree builds it.
type rays struct{ surface *Surface }

// Exact returns the Locator for ray crossing, the fallback of all other strategies.
func Exact(s *Surface) Locator { return rays{s} }

func (r rays) Side(p r3.Vector) side.Side {
	var s raycross.Scratch
	return r.surface.MustIndex().Rays.Side(p, &s)
}

func (r rays) Winding(p r3.Vector) (w, bound float64) {
	var s raycross.Scratch
	return r.surface.MustIndex().Rays.Winding(p, &s)
}

func (r rays) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	answers.Start(dst, len(pts))
	caster, err := r.surface.Rays(ctx)
	if err != nil {
		return side.Stats{}, err
	}
	var stats side.Stats
	if dst.Sides != nil {
		if len(pts) <= Few { // for a small batch, one Scratch suffices
			s := raycross.Scratch{Done: ctx.Done()}
			for i, p := range pts {
				dst.Sides[i] = caster.Side(p, &s) // the side is Unknown if ctx ends during this call
			}
			stats, err = s.Stats(), ctx.Err()
		} else {
			stats, err = caster.SidesTo(ctx, dst.Sides, pts, workers)
		}
	}
	if dst.Winding == nil || err != nil {
		return stats, err
	}
	more, err := rayWindings(ctx, caster, dst, pts, workers)
	if dst.Sides == nil {
		stats = more
	}
	return stats, err
}

func (r rays) Bytes() int64 { return 0 }

// rayWindings writes the winding numbers of pts to dst, which the caller has cleared.
func rayWindings(ctx context.Context, caster *raycross.Caster, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(pts) <= Few {
		s := raycross.Scratch{Done: ctx.Done()}
		for i, p := range pts {
			w, b := caster.Winding(p, &s)
			if err := ctx.Err(); err != nil { // Winding stops early if ctx ends
				return s.Stats(), err
			}
			dst.Winding[i], dst.Bound[i] = w, b
		}
		return s.Stats(), ctx.Err()
	}
	scratches, err := windingsTo(ctx, dst, pts, workers, func(s *raycross.Scratch) { s.Done = ctx.Done() }, caster.Winding)
	var stats side.Stats
	for i := range scratches {
		stats.Add(scratches[i].Stats())
	}
	return stats, err
}

// grid is the Locator that uses the cells of a sparse grid. If the cell of a point does not decide
// the answer, package cells casts a ray.
type grid struct{ index *cells.Index }

func (g grid) Side(p r3.Vector) side.Side {
	return g.index.Side(p, nil)
}

func (g grid) Winding(p r3.Vector) (w, bound float64) {
	var s cells.Scratch
	return g.index.Winding(p, &s)
}

func (g grid) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	answers.Start(dst, len(pts))
	if dst.Sides != nil {
		stats, err = g.index.SidesTo(ctx, dst.Sides, pts, workers)
	}
	if dst.Winding == nil || err != nil {
		return stats, err
	}
	more, err := g.windings(ctx, dst, pts, workers)
	if dst.Sides == nil {
		stats = more
	}
	return stats, err
}

// windings writes the winding numbers of pts to dst, which the caller has cleared.
func (g grid) windings(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	if len(pts) <= Few {
		s := cells.Scratch{Interrupt: ctx.Done()}
		for i, p := range pts {
			w, b := g.index.Winding(p, &s)
			if err := ctx.Err(); err != nil { // Winding stops early if ctx ends
				return s.Stats(), err
			}
			dst.Winding[i], dst.Bound[i] = w, b
		}
		return s.Stats(), ctx.Err()
	}
	scratches, err := windingsTo(ctx, dst, pts, workers, func(s *cells.Scratch) { s.Interrupt = ctx.Done() }, g.index.Winding)
	for i := range scratches {
		stats.Add(scratches[i].Stats())
	}
	return stats, err
}

func (g grid) Bytes() int64 { return g.index.Shape().Bytes }

package locate

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// rays is the Locator that casts a random ray through the tree, and adds a sum over the boundary of
// an open mesh (Muth et al. 2006, §2.2). The first query that needs the tree builds it.
type rays struct{ surface *Surface }

// Exact returns the Locator that all strategies fall back to: ray crossing.
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
	dst.Check(len(pts))
	dst.Clear()
	caster, err := r.surface.Rays(ctx)
	if err != nil {
		return side.Stats{}, err
	}
	var stats side.Stats
	if dst.Sides != nil {
		if len(pts) <= Few {
			stats, err = raySides(ctx, caster, dst.Sides, pts)
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

// raySides writes the sides of a few points to dst, without the working memory of a batch.
func raySides(ctx context.Context, caster *raycross.Caster, dst []side.Side, pts []r3.Vector) (side.Stats, error) {
	s := raycross.Scratch{Done: ctx.Done()}
	for i, p := range pts {
		dst[i] = caster.Side(p, &s) // Unknown if ctx ends meanwhile
	}
	return s.Stats(), ctx.Err()
}

// rayWindings writes the winding numbers of pts to dst, which the caller has cleared.
func rayWindings(ctx context.Context, caster *raycross.Caster, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(pts) <= Few {
		s := raycross.Scratch{Done: ctx.Done()}
		for i, p := range pts {
			w, b := caster.Winding(p, &s)
			if err := ctx.Err(); err != nil { // Winding may have been interrupted
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

// noAnswer returns the winding number and bound that stand for no answer.
func noAnswer() (w, bound float64) { return math.NaN(), math.Inf(1) }

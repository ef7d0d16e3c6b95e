package locate

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// rays answers by ray crossing (Muth et al. 2006, §2.2): a random ray through the tree,
// and for open meshes a sum over the boundary. All other strategies fall back to it. The
// tree is built by the first query that needs it.
type rays struct{ surface *Surface }

// Exact returns the Locator that the other strategies fall back to: ray crossing.
func Exact(s *Surface) Locator { return rays{s} }

func (r rays) Side(p r3.Vector) side.Side {
	var s raycross.Scratch
	return r.surface.MustRays().Side(p, &s)
}

func (r rays) Winding(p r3.Vector) (w, bound float64) {
	var s raycross.Scratch
	return r.surface.MustRays().Winding(p, &s)
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

// raySides answers for a few points without the working memory of a batch.
func raySides(ctx context.Context, caster *raycross.Caster, dst []side.Side, pts []r3.Vector) (side.Stats, error) {
	s := raycross.Scratch{Done: ctx.Done()}
	for i, p := range pts {
		dst[i] = caster.Side(p, &s) // Unknown if ctx interrupts it
	}
	return s.Stats(), ctx.Err()
}

func rayWindings(ctx context.Context, caster *raycross.Caster, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(pts) <= Few {
		s := raycross.Scratch{Done: ctx.Done()}
		for i, p := range pts {
			w, b := caster.Winding(p, &s)
			if err := ctx.Err(); err != nil { // it may have interrupted the point
				return s.Stats(), err
			}
			dst.Winding[i], dst.Bound[i] = w, b
		}
		return s.Stats(), ctx.Err()
	}
	scratches, err := forEach(ctx, len(pts), blockSize, workers,
		func(s *raycross.Scratch) { s.Done = ctx.Done() },
		func(i int, s *raycross.Scratch) {
			if w, b := caster.Winding(pts[i], s); ctx.Err() == nil { // else it may have been interrupted
				dst.Winding[i], dst.Bound[i] = w, b
			}
		})
	var stats side.Stats
	for i := range scratches {
		stats.Add(scratches[i].Stats())
	}
	return stats, err
}

// noAnswer is the winding number of a point that is not finite, or not answered.
func noAnswer() (w, bound float64) { return math.NaN(), math.Inf(1) }

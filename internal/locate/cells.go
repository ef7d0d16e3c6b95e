package locate

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/side"
)

// grid is the Locator that uses the cells of a sparse grid. Package cells casts rays for points
// whose cell does not suffice.
type grid struct{ index *cells.Index }

// newGrid builds the cells of the mesh of s.
func newGrid(ctx context.Context, s *Surface, points int64) (grid, error) {
	index, err := cells.New(ctx, s.mesh, cells.Options{
		Rule: s.opt.Rule, Workers: s.opt.Workers, ExpectedPoints: points, Rays: s.Rays,
	})
	return grid{index}, err
}

func (g grid) Side(p r3.Vector) side.Side {
	return g.index.Side(p, nil)
}

func (g grid) Winding(p r3.Vector) (w, bound float64) {
	var s cells.Scratch
	return g.index.Winding(p, &s)
}

func (g grid) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (stats side.Stats, err error) {
	dst.Check(len(pts))
	if dst.Sides != nil {
		stats, err = g.index.SidesTo(ctx, dst.Sides, pts, workers)
	}
	if dst.Winding == nil {
		return stats, err
	}
	windings := side.Answers{Winding: dst.Winding, Bound: dst.Bound}
	windings.Clear()
	if err != nil {
		return stats, err
	}
	more, err := g.windings(ctx, windings, pts, workers)
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
			if err := ctx.Err(); err != nil { // Winding may have been interrupted
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

func (g grid) LocateGridTo(ctx context.Context, dst []side.Side, points side.Grid, workers int) error {
	_, err := g.index.SidesGridTo(ctx, dst, points, workers)
	return err
}

func (g grid) Bytes() int64 { return g.index.Shape().Bytes }

package locate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// capped estimates the winding numbers of an open mesh S that is closed by caps C: W =
// W(S+C) − J(C). Cells of the closed mesh give the integer W(S+C), and multipoles give
// the potential J of the caps.
type capped struct {
	*potential // of the caps
	closed     *cells.Index
	caps       int
}

// capScratch is the working memory for the cells of the closed mesh. The points that its
// statistics count are not answers.
type capScratch struct{ cells cells.Scratch }

func (s *capScratch) start() { s.cells = cells.Scratch{} }

func (s *capScratch) stats() side.Stats {
	stats := s.cells.Stats()
	stats.Points = 0
	return stats
}

func newCapped(ctx context.Context, s *Surface, epsilon float64, points int64) (*capped, error) {
	closed, caps, err := s.mesh.Capped(ctx, s.opt.Workers)
	if err != nil {
		return nil, fmt.Errorf("close the mesh: %w", err)
	}
	c := &capped{caps: len(caps)}
	// Triangles of no size at two corners of the box stretch the plan, whose evaluation
	// tree covers the box of its triangles, to the box of the mesh.
	box := s.mesh.Box()
	caps = append(caps, mesh.Triangle{box.Min, box.Min, box.Min}, mesh.Triangle{box.Max, box.Max, box.Max})
	if c.closed, err = closedCells(ctx, closed, points, s.opt); err != nil {
		return nil, err
	}
	c.potential, err = newPotential(ctx, caps, epsilon, points, s.opt.Workers)
	return c, err
}

// errNeedsRay is returned to the cells of a closed mesh, once they are built, when they
// ask for a Caster. Such points are answered by the ray of the open mesh with the sum
// over its boundary.
var errNeedsRay = errors.New("needs a ray")

// closedCells returns cells of a closed mesh that answer by themselves or not at all.
// If building them needs a tree, that is dropped afterward.
func closedCells(ctx context.Context, closed *mesh.Mesh, points int64, opt SurfaceOptions) (*cells.Index, error) {
	var surface atomic.Pointer[Surface]
	surface.Store(NewSurface(closed, opt))
	defer surface.Store(nil)
	return cells.New(ctx, closed, cells.Options{
		Workers: opt.Workers, ExpectedPoints: points,
		Rays: func(ctx context.Context) (*raycross.Caster, error) {
			s := surface.Load()
			if s == nil {
				return nil, errNeedsRay
			}
			return s.Rays(ctx)
		},
	})
}

func (c *capped) known(r3.Vector) (Estimate, bool) { return Estimate{}, false }

func (c *capped) estimate(p r3.Vector, j, bound float64, on bool, m *memory) Estimate {
	if on { // a cap, which says nothing about the mesh
		return Estimate{}
	}
	// Cells give an exact integer, also on the surface of S+C. If they would need a ray,
	// the bound is not 0.
	n, rest := c.closed.Winding(p, &m.caps.cells)
	if rest != 0 || !(bound <= math.MaxFloat64) {
		return Estimate{}
	}
	w := n - j
	// One rounding of the difference. The factor covers the rounding of the bound.
	return Estimate{W: w, Bound: (bound + 0x1p-53*math.Abs(w)) * (1 + 0x1p-50), OK: true}
}

func (c *capped) Estimate(p r3.Vector) Estimate { return c.single(c, p) }

func (c *capped) Prepare(ctx context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	return c.prepare(ctx, c, pts, workers)
}

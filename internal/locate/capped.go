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
)

// newCapped returns an estimator for the winding numbers W(S) of an open mesh S, and the number of
// caps C that close the mesh. W(S) = W(S+C) − J(C). Cells of the closed mesh give the integer
// W(S+C), and multipoles give the potential J(C) of the caps.
func newCapped(ctx context.Context, s *Surface, epsilon float64, points int64) (p *potential, numCaps int, err error) {
	closed, caps, err := s.mesh.Capped(ctx, s.opt.Workers)
	if err != nil {
		return nil, 0, fmt.Errorf("close the mesh: %w", err)
	}
	index, err := closedCells(ctx, closed, points, s.opt)
	if err != nil {
		return nil, 0, err
	}
	// The evaluation tree of a plan covers the box of its triangles. Two triangles without area, at
	// corners of the box of the mesh, extend the tree to that box.
	box := s.mesh.Box()
	tris := append(caps, mesh.Triangle{box.Min, box.Min, box.Min}, mesh.Triangle{box.Max, box.Max, box.Max})
	p, err = newPotential(ctx, tris, epsilon, points, s.opt.Workers, func(p r3.Vector, j, bound float64, on bool, m *memory) Estimate {
		if on { // on a cap, which proves nothing about the mesh
			return Estimate{}
		}
		// The cells find the exact integer, even on the surface of S+C. The rest is not 0 if the
		// cells would need a ray.
		n, rest := index.Winding(p, &m.cells)
		if rest != 0 || !(bound <= math.MaxFloat64) {
			return Estimate{}
		}
		w := n - j
		// The difference is rounded once. The last factor covers the rounding of the bound.
		return Estimate{W: w, Bound: (bound + 0x1p-53*math.Abs(w)) * (1 + 0x1p-50), OK: true}
	})
	return p, len(caps), err
}

// errNeedsRay is the error for cells of a closed mesh that request a Caster after they are built.
// The ray of the open mesh then finds the winding number of the point.
var errNeedsRay = errors.New("needs a ray")

// closedCells returns the cells of a closed mesh. They cast no rays. If building them needs a tree,
// closedCells discards the tree afterward.
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

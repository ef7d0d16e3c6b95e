package locate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/caps"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/columns"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// direct estimates winding numbers by the sum of all solid angles (Muth et al. 2006, §2.1.1). On a
// closed mesh the winding number is an integer, so direct rounds the sum.
type direct struct {
	sum    *bem.Direct
	closed bool
	faces  int
}

// directTerms is the number of solid angles that direct computes for a block of points. Such a
// block takes about as long as a block of rays. Small blocks keep all workers busy (tuning).
const directTerms = 1 << 13

func newDirect(s *Surface) *direct {
	return &direct{sum: bem.NewDirect(s.mesh, s.opt.Workers), closed: s.mesh.Closed(), faces: s.mesh.NumFaces()}
}

func (d *direct) Estimate(p r3.Vector) Estimate {
	w, bound, on := d.sum.Winding(p)
	switch {
	case !d.closed || on:
		return Estimate{W: w, Bound: bound, OK: true, OnSurface: on}
	case bound < 0.5:
		return Estimate{W: math.RoundToEven(w) + 0, OK: true} // adding 0 turns −0 into 0
	}
	return Estimate{}
}

func (d *direct) Prepare(context.Context, []r3.Vector, int) (BatchEstimator, int) {
	return d, min(max(1, directTerms/max(1, d.faces)), blockSize)
}

func (d *direct) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	return estimateEach(ctx, d.Estimate, dst, pts)
}

// estimateEach does the work of BatchEstimator.EstimateTo. It checks ctx before each point.
func estimateEach(ctx context.Context, estimate func(r3.Vector) Estimate, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	for i, p := range pts {
		if err := ctx.Err(); err != nil {
			return side.Stats{}, err
		}
		if vec.Finite(p) {
			dst[i] = estimate(p)
		}
	}
	return side.Stats{}, nil
}

// Bytes estimates the memory of the blocks that bem.NewDirect makes.
func (d *direct) Bytes() int64 { return 9 * int64(d.faces) }

// potential estimates winding numbers. It computes the double-layer potential of triangles with
// multipoles (Muth et al. 2006, §2.1). After many queries, a deeper plan replaces the first plan.
// Estimates then change within their bounds.
type potential struct {
	// box is the box of a closed mesh. The winding number is 0 outside the box. box is nil for an
	// open mesh.
	box *bvh.Box
	// convert returns the estimate for p. The potential at p is between j−bound and j+bound. If
	// onTriangle is true, p lies exactly on a triangle.
	convert func(p r3.Vector, j, bound float64, onTriangle bool, m *memory) Estimate

	plans    *lazy.Upgrade[*fmm.Plan] // a unit of work is one triangle in a near field
	points   atomic.Int64             // number of points in batches since the current plan was made
	memories sync.Pool                // holds values of type *memory
}

// memory is the working memory of one goroutine.
type memory struct {
	fmm   fmm.Scratch
	cells cells.Scratch // for cells of a mesh closed by caps

	columns columns.Scratch // for columns of a mesh closed by caps

	caps caps.Scratch

	index    []int32 // index[k] is the index of pts[k] in the block
	pts      []r3.Vector
	j, bound []float64
	on       []bool
}

// closedEpsilon is the requested error of the potential of a closed mesh. The winding number is the
// integer nearest to the potential, so an error below 1/2 suffices. The margin of 0.01 covers the
// rounding errors of a hundred thousand distant triangles. Next to the edge of a triangle, the
// bound of fmm exceeds closedEpsilon by up to 1/4. Then the point needs the fallback.
const closedEpsilon = 0.49

// newRounded returns the estimator for a closed mesh. The estimator rounds the potential to an
// integer.
func newRounded(ctx context.Context, s *Surface, points int64) (*potential, error) {
	p, err := newMultipole(ctx, s, closedEpsilon, points)
	if err != nil {
		return nil, err
	}
	box := s.mesh.Box()
	p.box = &box
	p.convert = func(_ r3.Vector, j, bound float64, onTriangle bool, _ *memory) Estimate {
		if onTriangle {
			return Estimate{OnSurface: true}
		}
		return Estimate{W: math.RoundToEven(j) + 0, OK: bound < 0.5} // adding 0 turns −0 into 0
	}
	return p, nil
}

// newMultipole returns an estimator that uses the potential of all triangles of the mesh.
func newMultipole(ctx context.Context, s *Surface, epsilon float64, points int64) (*potential, error) {
	tris := make([]mesh.Triangle, s.mesh.NumFaces())
	order := make([]int32, len(tris))
	for i := range order {
		order[i] = int32(i)
	}
	if err := s.mesh.GatherTo(ctx, tris, order, s.opt.Workers); err != nil {
		return nil, err
	}
	return newPotential(ctx, tris, epsilon, points, s.opt.Workers, func(_ r3.Vector, j, bound float64, onTriangle bool, _ *memory) Estimate {
		if onTriangle {
			return Estimate{OnSurface: true}
		}
		return Estimate{W: j, Bound: bound, OK: bound <= math.MaxFloat64}
	})
}

// closedWinding returns the exact winding number of a closed mesh at p. ok is false if it cannot
// find the winding number.
type closedWinding func(p r3.Vector, m *memory) (w float64, ok bool)

// newCapped returns an estimator for an open mesh S. C are the caps that close S, W is the winding
// number, and J is the potential. Then W(S) = W(S+C) − J(C). Cells of the closed mesh compute the
// integer W(S+C). Multipoles compute J(C).
func newCapped(ctx context.Context, s *Surface, epsilon float64, points int64) (p *potential, caps []mesh.Triangle, err error) {
	closed, caps, err := s.mesh.Capped(ctx, s.opt.Workers)
	if err != nil {
		return nil, nil, fmt.Errorf("close the mesh: %w", err)
	}
	winding, err := closedCells(ctx, closed, points, s.opt)
	if err != nil {
		return nil, nil, err
	}
	// The evaluation tree covers only the box of the triangles in the plan. Two triangles of zero
	// area extend this box to the box of the mesh.
	box := s.mesh.Box()
	tris := append(slices.Clip(caps), mesh.Triangle{box.Min, box.Min, box.Min}, mesh.Triangle{box.Max, box.Max, box.Max})
	p, err = newPotential(ctx, tris, epsilon, points, s.opt.Workers, func(p r3.Vector, j, bound float64, onTriangle bool, m *memory) Estimate {
		return lessCaps(winding, p, j, bound, onTriangle, m)
	})
	return p, caps, err
}

// lessCaps returns the estimate W(S+C) − j of W(S) at p; see newCapped. The potential of the caps
// is within bound of j.
func lessCaps(closed closedWinding, p r3.Vector, j, bound float64, onCap bool, m *memory) Estimate {
	if onCap { // a point on a cap can also lie on the mesh
		return Estimate{}
	}
	n, ok := closed(p, m)
	if !ok || !(bound <= math.MaxFloat64) {
		return Estimate{}
	}
	w := n - j
	// The term 2^-53·|w| covers the rounding of w. The factor covers the rounding of the bound.
	return Estimate{W: w, Bound: (bound + 0x1p-53*math.Abs(w)) * (1 + 0x1p-50), OK: true}
}

// errNeedsRay means that the cells of the closed mesh would need a ray. Instead, the fallback casts
// a ray through the open mesh.
var errNeedsRay = errors.New("needs a ray")

// closedCells makes cells of a closed mesh. The cells cast no rays. If their construction needs a
// tree, closedCells discards the tree afterward.
func closedCells(ctx context.Context, closed *mesh.Mesh, points int64, opt SurfaceOptions) (closedWinding, error) {
	var surface atomic.Pointer[Surface]
	surface.Store(NewSurface(closed, opt))
	defer surface.Store(nil)
	index, err := cells.New(ctx, closed, cells.Options{
		Workers: opt.Workers, ExpectedPoints: points,
		Rays: func(ctx context.Context) (*raycross.Caster, error) {
			s := surface.Load()
			if s == nil {
				return nil, errNeedsRay
			}
			return s.Rays(ctx)
		},
	})
	return func(p r3.Vector, m *memory) (w float64, ok bool) {
		// The cells find the exact integer, even on the surface of the closed mesh. The second result
		// of Winding is not 0 if the cells need a ray.
		w, rest := index.Winding(p, &m.cells)
		return w, rest == 0
	}, err
}

// maxPlanned limits the number of points that a plan expects. For more points, the evaluation tree
// would get more leaves. These leaves would save little time and could take too much memory
// (tuning).
const maxPlanned = 1 << 28

// If the number of points is unknown, the first plan expects firstShare points per triangle and at
// least firstPoints points. If more points are queried, a deeper plan replaces the first plan
// (tuning).
const (
	firstShare  = 1.0 / 4
	firstPoints = 10_000
)

// newPotential returns a potential with its first plan.
func newPotential(ctx context.Context, tris []mesh.Triangle, epsilon float64, points int64, workers int,
	convert func(p r3.Vector, j, bound float64, onTriangle bool, m *memory) Estimate) (*potential, error) {
	if points == 0 {
		points = max(firstPoints, int64(firstShare*float64(len(tris))))
	}
	plan, err := fmm.New(ctx, tris, fmm.Options{Epsilon: epsilon, ExpectedPoints: min(points, maxPlanned), Workers: workers})
	if err != nil {
		return nil, err
	}
	p := &potential{convert: convert}
	p.memories.New = func() any { return new(memory) }
	p.plans = lazy.NewUpgrade(plan, func(plan *fmm.Plan, near int64) bool { return near > int64(plan.Budget()) }, p.refine)
	return p, nil
}

// refine makes a deeper plan. If plan.Refine fails, the current plan is final.
func (p *potential) refine(ctx context.Context, plan *fmm.Plan, _ int64, _ int) (next *fmm.Plan, final bool, err error) {
	deeper, err := plan.Refine(ctx, float64(min(p.points.Load(), maxPlanned)))
	switch {
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err != nil:
		return plan, true, nil
	}
	if deeper != plan {
		p.points.Store(0)
	}
	return deeper, false, nil
}

// planFor returns the plan for a batch. If the near fields of all points so far cost about as much
// as an evaluation tree, planFor first makes a deeper plan. planFor estimates both costs from
// counts of triangles, without a clock.
func (p *potential) planFor(ctx context.Context, pts []r3.Vector) *fmm.Plan {
	if p.plans.Final() || len(pts) == 0 {
		return p.plans.Current()
	}
	near := p.meanNear(p.plans.Current(), pts)
	p.points.Add(int64(len(pts)))
	plan, _ := p.plans.For(ctx, int64(near*float64(len(pts))), 0) // EstimateTo also returns the error of ctx
	return plan
}

// meanNear samples one in sampleShare points of a batch, and at most maxSamples points. The result
// of meanNear is then accurate to a few percent (tuning).
const (
	sampleShare = 64
	maxSamples  = 256
)

// meanNear estimates the mean number of triangles in the near field of a point.
func (p *potential) meanNear(plan *fmm.Plan, pts []r3.Vector) float64 {
	samples := min((len(pts)+sampleShare-1)/sampleShare, maxSamples)
	m := p.memories.Get().(*memory)
	defer p.memories.Put(m)
	before := m.fmm.Near
	for i := range samples {
		plan.Winding(pts[i*(len(pts)/samples)], &m.fmm)
	}
	return float64(m.fmm.Near-before) / float64(samples)
}

// Estimate implements Estimator.
func (p *potential) Estimate(at r3.Vector) Estimate {
	b := planned{p, p.plans.Current()}
	return b.Estimate(at)
}

// Estimate implements Estimator.
func (b *planned) Estimate(at r3.Vector) Estimate {
	p := b.potential
	if p.outside(at) {
		return Estimate{OK: true}
	}
	m := p.memories.Get().(*memory)
	defer p.memories.Put(m)
	j, bound, on := b.plan.Winding(at, &m.fmm)
	return p.convert(at, j, bound, on, m)
}

// outside reports whether the winding number at a point is 0 because the point is outside the box.
func (p *potential) outside(at r3.Vector) bool { return p.box != nil && !p.box.Contains(at) }

// A batch is divided into blocks. The points of a block are sorted by the leaves of the evaluation
// tree. In larger blocks, more points share a leaf. Smaller blocks keep all workers busy (tuning).
const (
	largestBlock  = 1 << 18
	smallestBlock = 1 << 10
)

// Prepare implements Estimator.
func (p *potential) Prepare(ctx context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	b := &planned{p, p.planFor(ctx, pts)}
	return b.Prepare(ctx, pts, workers)
}

// Prepare implements Estimator.
func (b *planned) Prepare(_ context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	workers = par.Workers(workers)
	return b, min(largestBlock, max(smallestBlock, (len(pts)+2*workers-1)/(2*workers)))
}

// Bytes implements Estimator.
func (b *planned) Bytes() int64 { return 0 }

// planned estimates with one plan, which later points do not change.
type planned struct {
	potential *potential
	plan      *fmm.Plan
}

func (b *planned) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	m := b.potential.memories.Get().(*memory)
	defer b.potential.memories.Put(m)
	m.index, m.pts = resize(m.index, len(pts)), resize(m.pts, len(pts))
	m.j, m.bound, m.on = resize(m.j, len(pts)), resize(m.bound, len(pts)), resize(m.on, len(pts))
	m.cells = cells.Scratch{}
	k := 0
	for i, p := range pts {
		if !vec.Finite(p) {
			continue
		}
		if b.potential.outside(p) {
			dst[i] = Estimate{OK: true}
			continue
		}
		m.index[k], m.pts[k] = int32(i), p
		k++
	}
	if err := b.plan.WindingsTo(ctx, m.j[:k], m.bound[:k], m.on[:k], m.pts[:k], 1); err != nil {
		return side.Stats{}, err
	}
	for n, p := range m.pts[:k] {
		if n%256 == 0 && ctx.Err() != nil { // tuning: 256 points take less than a millisecond
			return side.Stats{}, ctx.Err()
		}
		dst[m.index[n]] = b.potential.convert(p, m.j[n], m.bound[n], m.on[n], m)
	}
	stats := m.cells.Stats()
	stats.Points = 0 // the caller counts the points
	return stats, nil
}

// Bytes returns 0, because it does not count the plans.
func (p *potential) Bytes() int64 { return 0 }

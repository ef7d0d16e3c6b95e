package locate

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// closedEpsilon is the error asked of the potential of a closed mesh, whose nearest
// integer is W. It leaves 0.01 for the rounding of near fields, which is more than the
// error of a hundred thousand triangles at a distance. Next to the edge of a triangle the
// bound of fmm exceeds its epsilon by up to a quarter: such points fall back.
const closedEpsilon = 0.49

// rounded estimates the winding numbers of a closed mesh: the potential of its
// triangles by multipoles (Muth et al. 2006, §2.1), rounded to an integer.
type rounded struct {
	*potential
	box bvh.Box
}

func newRounded(ctx context.Context, s *Surface, points int64) (*rounded, error) {
	p, err := surfacePotential(ctx, s, closedEpsilon, points)
	return &rounded{p, s.mesh.Box()}, err
}

// known returns the estimate for points that need no potential: W = 0 outside the box.
func (r *rounded) known(p r3.Vector) (Estimate, bool) {
	return Estimate{OK: true}, !r.box.Contains(p)
}

func (r *rounded) estimate(_ r3.Vector, j, bound float64, on bool, _ *memory) Estimate {
	if on {
		return Estimate{OnSurface: true}
	}
	return Estimate{W: math.RoundToEven(j) + 0, OK: bound < 0.5} // −0 becomes 0
}

func (r *rounded) Estimate(p r3.Vector) Estimate { return r.single(r, p) }

func (r *rounded) Prepare(ctx context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	return r.prepare(ctx, r, pts, workers)
}

// multipole estimates the winding numbers of an open mesh by the potential of all its
// triangles.
type multipole struct{ *potential }

func newMultipole(ctx context.Context, s *Surface, epsilon float64, points int64) (*multipole, error) {
	p, err := surfacePotential(ctx, s, epsilon, points)
	return &multipole{p}, err
}

func (m *multipole) known(r3.Vector) (Estimate, bool) { return Estimate{}, false }

func (m *multipole) estimate(_ r3.Vector, j, bound float64, on bool, _ *memory) Estimate {
	if on {
		return Estimate{OnSurface: true}
	}
	return Estimate{W: j, Bound: bound, OK: bound <= math.MaxFloat64}
}

func (m *multipole) Estimate(p r3.Vector) Estimate { return m.single(m, p) }

func (m *multipole) Prepare(ctx context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	return m.prepare(ctx, m, pts, workers)
}

// surfacePotential returns the potential of all triangles of s.
func surfacePotential(ctx context.Context, s *Surface, epsilon float64, points int64) (*potential, error) {
	tris := make([]mesh.Triangle, s.mesh.NumFaces())
	order := make([]int32, len(tris))
	for i := range order {
		order[i] = int32(i)
	}
	if err := s.mesh.GatherTo(ctx, tris, order, s.opt.Workers); err != nil {
		return nil, err
	}
	return newPotential(ctx, tris, epsilon, points, s.opt.Workers)
}

// fromPotential turns the potential at a point into an estimate of its winding number.
type fromPotential interface {
	// known returns the estimate for p if it needs no potential.
	known(p r3.Vector) (Estimate, bool)
	// estimate returns the estimate for p, where the potential is j within ±bound. on
	// says that p lies exactly on one of the triangles of the potential.
	estimate(p r3.Vector, j, bound float64, on bool, m *memory) Estimate
}

// potential is the double-layer potential of triangles by multipoles. After many points
// have been queried, a deeper plan replaces the first; answers then change within their
// bounds.
type potential struct {
	plans    *lazy.Upgrade[*fmm.Plan] // work is counted in near-field triangles
	points   atomic.Int64             // number of batches since the current plan was made
	memories sync.Pool                // of *memory
}

// memory is the working memory of one goroutine.
type memory struct {
	fmm  fmm.Scratch
	caps capScratch

	index    []int32 // numbers of the points below in the block
	pts      []r3.Vector
	j, bound []float64
	on       []bool
}

// maxPlanned is the largest number of points for which a plan is made: a leaf of its tree
// has a few hundred points, the leaves must fit into memory, and more leaves would make
// little difference. tuning
const maxPlanned = 1 << 28

// If the number of points is not known, the first plan is made for firstShare points per
// triangle and at least firstPoints. That is few, because a deeper plan soon follows if
// more points are queried. tuning
const (
	firstShare  = 1.0 / 4
	firstPoints = 10_000
)

// newPotential makes the first plan. It fails as fmm.New does.
func newPotential(ctx context.Context, tris []mesh.Triangle, epsilon float64, points int64, workers int) (*potential, error) {
	if points == 0 {
		points = max(firstPoints, int64(firstShare*float64(len(tris))))
	}
	plan, err := fmm.New(ctx, tris, fmm.Options{Epsilon: epsilon, ExpectedPoints: min(points, maxPlanned), Workers: workers})
	if err != nil {
		return nil, err
	}
	p := &potential{}
	p.memories.New = func() any { return new(memory) }
	p.plans = lazy.NewUpgrade(plan, func(plan *fmm.Plan, near int64) bool { return near > int64(plan.Budget()) }, p.refine)
	return p, nil
}

// refine makes a deeper plan. If that fails the current one stays.
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

// planFor returns the plan for a batch. It makes a deeper plan once the near fields of
// pts, and of all points since the current plan was made, have taken about as long as
// building the evaluation tree. This time is derived from the number of triangles, not
// measured.
func (p *potential) planFor(ctx context.Context, pts []r3.Vector) *fmm.Plan {
	if p.plans.Final() || len(pts) == 0 {
		return p.plans.Current()
	}
	near := p.meanNear(p.plans.Current(), pts)
	p.points.Add(int64(len(pts)))
	plan, _ := p.plans.For(ctx, int64(near*float64(len(pts))), 0) // the estimates notice that ctx has ended
	return plan
}

// Near fields are counted for one of every sampleShare points of a batch, at most
// maxSamples: their mean is accurate to a few percent. tuning
const (
	sampleShare = 64
	maxSamples  = 256
)

// meanNear estimates how many triangles the near field of a point has.
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

// single estimates one finite point.
func (p *potential) single(from fromPotential, at r3.Vector) Estimate {
	if e, ok := from.known(at); ok {
		return e
	}
	m := p.memories.Get().(*memory)
	defer p.memories.Put(m)
	j, bound, on := p.plans.Current().Winding(at, &m.fmm)
	return from.estimate(at, j, bound, on, m)
}

// Points of a batch are estimated in blocks, each sorted by the leaves of the
// evaluation tree. In larger blocks more points share a leaf; smaller ones keep all
// workers busy. tuning
const (
	largestBlock  = 1 << 18
	smallestBlock = 1 << 10
)

// prepare is Estimator.Prepare.
func (p *potential) prepare(ctx context.Context, from fromPotential, pts []r3.Vector, workers int) (BatchEstimator, int) {
	plan := p.planFor(ctx, pts)
	workers = par.Workers(workers)
	return &planned{p, plan, from}, min(largestBlock, max(smallestBlock, (len(pts)+2*workers-1)/(2*workers)))
}

// planned estimates a batch with one plan.
type planned struct {
	potential *potential
	plan      *fmm.Plan
	from      fromPotential
}

func (b *planned) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	m := b.potential.memories.Get().(*memory)
	defer b.potential.memories.Put(m)
	m.grow(len(pts))
	m.caps.start()
	k := 0
	for i, p := range pts {
		if !vec.Finite(p) {
			continue
		}
		if e, ok := b.from.known(p); ok {
			dst[i] = e
			continue
		}
		m.index[k], m.pts[k] = int32(i), p
		k++
	}
	if err := b.plan.WindingsTo(ctx, m.j[:k], m.bound[:k], m.on[:k], m.pts[:k], 1); err != nil {
		return side.Stats{}, err
	}
	for n, p := range m.pts[:k] {
		if n%checkPoints == 0 && ctx.Err() != nil {
			return side.Stats{}, ctx.Err()
		}
		dst[m.index[n]] = b.from.estimate(p, m.j[n], m.bound[n], m.on[n], m)
	}
	return m.caps.stats(), nil
}

// grow makes room for n points.
func (m *memory) grow(n int) {
	m.index, m.pts = resize(m.index, n), resize(m.pts, n)
	m.j, m.bound, m.on = resize(m.j, n), resize(m.bound, n), resize(m.on, n)
}

// Bytes does not include the plans.
func (p *potential) Bytes() int64 { return 0 }

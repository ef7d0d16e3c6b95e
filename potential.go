package inpoly

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
)

// potential is the double-layer potential of triangles by multipoles, for more and
// more points: when batches have come to many, a deeper plan takes the place of the
// first. Answers change within their bounds then.
type potential struct {
	plan atomic.Pointer[fmm.Plan]

	mu       sync.Mutex
	points   float64 // of batches, since the plan was made
	near     float64 // triangles in their near fields, estimated from some of them
	refining bool    // a batch is making a deeper plan
	deepest  bool    // there is no deeper plan
}

// mostPlanned is the largest number of points that a plan is made for: a leaf of its
// tree has some hundreds of points, so that many leaves fit into memory, and more would
// make little difference. A choice.
const mostPlanned = 1 << 28

// firstShare is how many points for each triangle the first plan is made for where
// nothing is known, and firstPoints how many at least: as few as give near fields that
// can be lived with, as a deeper plan follows soon where there are more. Choices.
const (
	firstShare  = 1.0 / 4
	firstPoints = 10_000
)

// newPotential makes the first plan. It fails as fmm.New does.
func newPotential(ctx context.Context, tris []mesh.Triangle, epsilon float64, expected int64, workers int) (*potential, error) {
	if expected == 0 {
		expected = max(firstPoints, int64(firstShare*float64(len(tris))))
	}
	plan, err := fmm.New(ctx, tris, fmm.Options{Epsilon: epsilon, ExpectedPoints: min(expected, mostPlanned), Workers: workers})
	if err != nil {
		return nil, err
	}
	p := new(potential)
	p.plan.Store(plan)
	return p, nil
}

// Near fields are counted for one of sampleShare points of a batch, at most
// mostSamples. Choices: a sample takes little, and its mean is right to a few
// percent.
const (
	sampleShare = 64
	mostSamples = 256
)

// planFor returns the plan for the first n of pts, the rest of a batch. It makes a
// deeper one if the near fields of all points since the plan was made, and of pts,
// have more triangles than take as long as the evaluation tree did: their number is
// counted, no time is measured. Where that fails the plan stays; ctx is told by
// what follows.
func (p *potential) planFor(ctx context.Context, pts []r3.Vector, n int) *fmm.Plan {
	plan := p.plan.Load()
	all, refine := p.count(plan, meanNear(plan, pts), float64(len(pts)), float64(n))
	if !refine {
		return p.plan.Load()
	}
	deeper, err := plan.Refine(ctx, all)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refining = false
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.deepest = true
	case deeper != plan:
		p.plan.Store(deeper)
		p.points, p.near = 0, 0
	}
	return p.plan.Load()
}

// count counts n points of a batch, of which rest are still to come, with so many
// triangles in the near field of each. It tells whether the caller is to make a
// deeper plan, and for how many points.
func (p *potential) count(plan *fmm.Plan, near, rest, n float64) (all float64, refine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plan.Load() != plan { // another batch was faster
		return 0, false
	}
	all = min(p.points+rest, mostPlanned)
	refine = p.near+near*rest > float64(plan.Budget()) && !p.refining && !p.deepest
	p.points += n
	p.near += near * n
	p.refining = p.refining || refine
	return all, refine
}

// meanNear estimates how many triangles the near field of a point has.
func meanNear(plan *fmm.Plan, pts []r3.Vector) float64 {
	samples := min((len(pts)+sampleShare-1)/sampleShare, mostSamples)
	if samples == 0 {
		return 0
	}
	s := fmmScratches.Get().(*fmm.Scratch)
	defer fmmScratches.Put(s)
	before := s.Near
	for i := range samples {
		plan.Winding(pts[i*(len(pts)/samples)], s)
	}
	return float64(s.Near-before) / float64(samples)
}

// fmmScratches keeps working memory, which is too large to be made for a point.
var fmmScratches = sync.Pool{New: func() any { return new(fmm.Scratch) }}

// at returns the potential at one point; see fmm.Plan.Winding.
func (p *potential) at(x r3.Vector) (j, bound float64, on bool) {
	s := fmmScratches.Get().(*fmm.Scratch)
	defer fmmScratches.Put(s)
	return p.plan.Load().Winding(x, s)
}

package fmm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Options configures a Plan. The zero value is valid.
type Options struct {
	// Epsilon is the largest error bound of J(x). It must not be negative. 0 means DefaultEpsilon.
	Epsilon float64
	// Points, if not nil, are the points of later queries. New adapts the evaluation tree to them.
	// Queries of other points are possible but take longer. If ExpectedPoints exceeds the number of
	// points, Points is a sample of the later queries. Points that are not finite are ignored. New
	// does not keep the slice.
	Points []r3.Vector
	// ExpectedPoints ≥ 0 is the expected number of queries. If Points is nil, New assumes that the
	// queries are spread over the box of the triangles. If ExpectedPoints is 0, New assumes the
	// number of Points, or one query for each triangle. Refine can correct the number.
	ExpectedPoints int64
	// If Depth > 0, New divides each cell with a near field down to level Depth, and makes no deeper
	// cells. If Depth is 0, the cost model chooses the depth.
	Depth int
	// Workers is the number of goroutines that build the plan; 0 means one for each processor. The
	// answers do not depend on Workers.
	Workers int
}

// DefaultEpsilon replaces an Epsilon of 0 in Options.
const DefaultEpsilon = 4e-3

// ErrEpsilon means that an Epsilon is too small to be reached. New wraps it in an error that states
// the smallest value that can be reached.
var ErrEpsilon = errors.New("epsilon is too small")

// Plan evaluates the double-layer potential of triangles. It is immutable and safe for concurrent
// use, with one Scratch for each goroutine.
type Plan struct {
	src    *sourceTree // source tree, or nil if there are no triangles
	tree   *targetTree
	params expansionParams
	box    bvh.Box
}

// minPoints is the smallest number of points that New assumes if the number is unknown.
const minPoints = 1e4 // tuning

// The evaluation tree is built for at most maxPointsPerTriangle points per triangle plus
// extraPoints. A tree for more points would be larger, but not much faster.
const (
	maxPointsPerTriangle = 256 // tuning
	extraPoints          = 1e6 // tuning
)

// New returns the plan for tris, which can be any soup. The plan keeps a reference to tris. If tris
// is empty, J is 0 everywhere. The cost is about O(N log N) for N triangles, plus the cost of the
// evaluation tree for the expected points.
//
// Errors:
//   - ErrEpsilon if Epsilon is too small to be reached;
//   - a coordinate whose magnitude exceeds mesh.MaxCoordinate or that is not finite;
//   - an option out of range;
//   - the error of ctx, if ctx ends first.
func New(ctx context.Context, tris []mesh.Triangle, opt Options) (*Plan, error) {
	if opt.Epsilon == 0 {
		opt.Epsilon = DefaultEpsilon
	}
	if !(opt.Epsilon > 0 && opt.Epsilon <= math.MaxFloat64) {
		return nil, fmt.Errorf("epsilon %g: must be a finite number > 0", opt.Epsilon)
	}
	if opt.ExpectedPoints < 0 || opt.Depth < 0 {
		return nil, fmt.Errorf("%d expected points, depth %d: both must be ≥ 0", opt.ExpectedPoints, opt.Depth)
	}
	p := &Plan{box: bvh.EmptyBox()}
	for i := range tris {
		for _, v := range tris[i] {
			if !(vec.MaxAbs(v) <= mesh.MaxCoordinate) || v != v {
				return nil, fmt.Errorf("triangle %d: a coordinate of %v exceeds %g or is not finite", i, v, mesh.MaxCoordinate)
			}
			p.box = p.box.Add(v)
		}
	}
	if len(tris) == 0 {
		return p, ctx.Err()
	}
	c := chooseDegrees(opt.Epsilon, len(tris))
	p.box = withMargin(p.box)
	f := newCube(p.box)
	var err error
	if p.src, err = newSourceTree(ctx, f, tris, c.kept, c.leaf, opt.Workers); err != nil {
		return nil, err
	}
	points := float64(opt.ExpectedPoints)
	switch {
	case opt.Points != nil && opt.ExpectedPoints <= int64(len(opt.Points)):
		points = float64(len(opt.Points))
	case points == 0:
		points = max(minPoints, float64(len(tris)))
	}
	if p.params, err = newParams(p.src, c, opt.Epsilon); err != nil {
		return nil, err
	}
	p.params.volume = volumeRatio(&f, p.box)
	if opt.Depth > 0 {
		p.params.depth, p.params.fixedDepth = min(opt.Depth, p.params.depth), true
	}
	var codes []uint64
	if opt.Points != nil {
		codes = p.codes(opt.Points)
	}
	return p.withTree(ctx, points, codes, len(opt.Points), opt.Workers)
}

// margin is the width of the border around the box of the triangles, in units of its longest edge.
// The evaluation tree covers the border, because many points outside the box are close to it.
const margin = 1.0 / 8 // tuning

func withMargin(box bvh.Box) bvh.Box {
	size := box.Size()
	m := margin * max(size.X, size.Y, size.Z)
	e := r3.Vector{X: m, Y: m, Z: m}
	return bvh.Box{Min: box.Min.Sub(e), Max: box.Max.Add(e)}
}

// withTree returns a copy of p with an evaluation tree for the given number of points. codes are the
// points that lie in the cube, or nil if no points are known. sampled is the number of known points.
func (p *Plan) withTree(ctx context.Context, points float64, codes []uint64, sampled, workers int) (*Plan, error) {
	g := *p
	g.params.points = min(points, maxPointsPerTriangle*float64(len(p.src.tris))+extraPoints)
	g.params.workers = workers
	g.params.known, g.params.sample = codes != nil, 0
	if codes != nil && points > float64(sampled) {
		g.params.known, g.params.sample = false, g.params.points/float64(max(1, sampled))
	}
	for {
		var err error
		if g.tree, err = newTargetTree(ctx, g.src, &g.params, g.box, codes, workers); err != nil {
			return nil, err
		}
		if g.tree.bound <= g.params.epsilon*(1-nearShare) {
			return &g, nil
		}
		// The rounding bound is larger than newParams assumed, so lower the tolerance. The
		// tolerance falls by at least five percent, so the loop ends.
		rounding := g.tree.rounding * (1 + 1.0/16)
		tolerance := min(truncationShare*(g.params.epsilon-rounding), g.params.tolerance*0.95)
		if tolerance < g.params.epsilon/8 {
			return nil, EpsilonError(g.params.epsilon, 4*rounding)
		}
		g.params.tolerance = tolerance
	}
}

// Refine returns a plan with an evaluation tree for the given number of points, anywhere in the box
// of the triangles. If p was built for at least as many points, Refine returns p. The plans share
// the moments, so Refine costs less than New. The answers of the two plans can differ by the sum of
// their bounds. Refine saves time if the sum of Scratch.Near over all goroutines exceeds Budget.
//
// Errors: ErrEpsilon; the error of ctx, if ctx ends first.
func (p *Plan) Refine(ctx context.Context, points float64) (*Plan, error) {
	if p.src == nil || !(min(points, maxPointsPerTriangle*float64(len(p.src.tris))+extraPoints) > p.params.points) {
		return p, ctx.Err()
	}
	return p.withTree(ctx, points, nil, 0, p.params.workers)
}

// Budget returns the number of near-field triangles (Scratch.Near) that take about as long as the
// construction of the evaluation tree. Budget counts work instead of time, so the result is the
// same in every run.
func (p *Plan) Budget() uint64 {
	if p.src == nil {
		return math.MaxUint64
	}
	cost := &p.params.cost
	ns := float64(p.tree.cells)*cost.cell + float64(p.tree.assessed)*cost.assess + float64(p.tree.pairs)*cost.pair
	return uint64(ns/cost.near) + 1
}

// codes returns the sorted Morton codes of those points that lie in the cube.
func (p *Plan) codes(pts []r3.Vector) []uint64 {
	keys := make([]keyed, 0, len(pts))
	for _, x := range pts {
		if c, ok := p.src.cellAt(x); ok {
			keys = append(keys, keyed{code: c.code()})
		}
	}
	keys = sortKeys(keys, 3*p.src.depth)
	codes := make([]uint64, len(keys))
	for i, k := range keys {
		codes[i] = k.code
	}
	return codes
}

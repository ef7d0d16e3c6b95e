package fmm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Options of a Plan. The zero value is good.
type Options struct {
	// Epsilon > 0 is the wanted bound of the error of J; 0 means DefaultEpsilon.
	Epsilon float64
	// Points, if not nil, are those that will be asked for: the evaluation tree is
	// divided where they are (WC, well chosen). Other points can be asked for too;
	// they take longer. Points that are not finite are left out. Nothing of it is
	// kept.
	Points []r3.Vector
	// ExpectedPoints ≥ 0 is how many points will be asked for, spread over the box
	// of the triangles, if Points is nil; 0 means that nothing is known (PC,
	// pre-chosen): one for each triangle is assumed. Refine corrects it.
	ExpectedPoints int64
	// Depth > 0 divides the evaluation tree down to that level wherever there is a
	// near field, and no further; 0 leaves it to the cost model.
	Depth int
	// Workers is the number of goroutines that build; 0 means all processors. The
	// answers do not depend on it.
	Workers int
}

// DefaultEpsilon is the Epsilon of the zero Options.
const DefaultEpsilon = 4e-3

// ErrEpsilon is wrapped by the error for an Epsilon that cannot be reached, which
// names what can.
var ErrEpsilon = errors.New("epsilon is too small")

// Plan evaluates the double-layer potential of triangles. It is immutable and
// safe for concurrent use; each goroutine brings its own Scratch.
type Plan struct {
	src  *source // nil if there are no triangles
	tree *target
	spec layout
	box  bvh.Box // of the evaluation tree
}

// maxCoordinate is the largest |coordinate| of triangles.
const maxCoordinate = 0x1p1000

// assumedPoints is how many points for each triangle are assumed where nothing is
// known, and leastPoints how many at least. A choice.
const (
	assumedPoints = 1
	leastPoints   = 1e4
)

// mostPoints is how many points for each triangle the evaluation tree is made for at
// most, beside a million: its size would grow with the points for ever, and what that
// saves shrinks. A choice.
const (
	mostPoints  = 256
	millionMore = 1e6
)

// New returns the plan for tris, any soup, which it keeps. It fails if a
// coordinate is not finite or exceeds 2^1000, if an option is out of range, if
// Epsilon is below what can be reached (ErrEpsilon), or with the error of ctx.
func New(ctx context.Context, tris []mesh.Triangle, opt Options) (*Plan, error) {
	if opt.Epsilon == 0 {
		opt.Epsilon = DefaultEpsilon
	}
	if !(opt.Epsilon > 0 && opt.Epsilon <= math.MaxFloat64) {
		return nil, fmt.Errorf("epsilon %g: want a finite number > 0", opt.Epsilon)
	}
	if opt.ExpectedPoints < 0 || opt.Depth < 0 {
		return nil, fmt.Errorf("%d expected points, depth %d: want numbers ≥ 0", opt.ExpectedPoints, opt.Depth)
	}
	p := &Plan{box: bvh.EmptyBox()}
	for i := range tris {
		for _, v := range tris[i] {
			if !(vec.MaxAbs(v) <= maxCoordinate) || v != v {
				return nil, fmt.Errorf("triangle %d: coordinate of %v is not finite or exceeds %g", i, v, maxCoordinate)
			}
			p.box = p.box.Add(v)
		}
	}
	if len(tris) == 0 {
		return p, ctx.Err()
	}
	q := qualityFor(opt.Epsilon)
	p.box = enlarge(p.box)
	f := newFrame(p.box)
	var err error
	if p.src, err = newSource(ctx, f, tris, q.kept, q.leaf, opt.Workers); err != nil {
		return nil, err
	}
	points := float64(opt.ExpectedPoints)
	if points == 0 {
		points = max(leastPoints, assumedPoints*float64(len(tris)))
	}
	if p.spec, err = newLayout(p.src, q, opt.Epsilon); err != nil {
		return nil, err
	}
	p.spec.volume = volumes(&f, p.box)
	if opt.Depth > 0 {
		p.spec.depth, p.spec.forced = min(opt.Depth, p.spec.depth), true
	}
	var codes []uint64
	if opt.Points != nil {
		codes = p.codes(opt.Points)
	}
	return p.grow(ctx, points, codes, opt.Workers)
}

// margin is how much larger than the box of the triangles the evaluation tree is, on
// each side, in longest edges of the box: points outside are often near. A choice.
const margin = 1.0 / 8

// enlarge adds the margin to box.
func enlarge(box bvh.Box) bvh.Box {
	size := box.Size()
	m := margin * max(size.X, size.Y, size.Z)
	e := r3.Vector{X: m, Y: m, Z: m}
	return bvh.Box{Min: box.Min.Sub(e), Max: box.Max.Add(e)}
}

// grow returns p with an evaluation tree for so many points.
func (p *Plan) grow(ctx context.Context, points float64, codes []uint64, workers int) (*Plan, error) {
	g := *p
	g.spec.points = min(points, mostPoints*float64(len(p.src.tris))+millionMore)
	g.spec.known, g.spec.workers = codes != nil, workers
	for {
		var err error
		if g.tree, err = grow(ctx, g.src, &g.spec, g.box, codes, workers); err != nil {
			return nil, err
		}
		if g.tree.worst() <= g.spec.epsilon*(1-nearShare) {
			return &g, nil
		}
		// Rounding takes more than was allowed for.
		rounding := g.tree.rounding * (1 + 1.0/16)
		tolerance := left * (g.spec.epsilon - rounding)
		if tolerance < g.spec.epsilon/8 || tolerance > g.spec.tolerance*0.9 {
			return nil, tooSmall(g.spec.epsilon, 4*rounding)
		}
		g.spec.tolerance = tolerance
	}
}

// Refine returns a plan whose evaluation tree suits so many points, anywhere
// in the box of the triangles; p itself if that was built for as many. The moments are shared, so
// this takes less than New. Answers differ within their bounds. It is worthwhile
// once the near fields of all points so far have more triangles than Budget.
func (p *Plan) Refine(ctx context.Context, points float64) (*Plan, error) {
	if p.src == nil || !(min(points, mostPoints*float64(len(p.src.tris))+millionMore) > p.spec.points) {
		return p, ctx.Err()
	}
	return p.grow(ctx, points, nil, p.spec.workers)
}

// Budget returns the number of near-field triangles, as Scratch counts them,
// that take about as long as the building of the evaluation tree took: counted
// work, not time.
func (p *Plan) Budget() uint64 {
	if p.src == nil {
		return math.MaxUint64
	}
	cost := &p.spec.cost
	ns := float64(p.tree.cells)*cost.cell + float64(p.tree.looked)*cost.look + float64(p.tree.pairs)*cost.pair
	return uint64(ns/cost.near) + 1
}

// codes returns the sorted Morton codes of the points in the cube.
func (p *Plan) codes(pts []r3.Vector) []uint64 {
	keys := make([]keyed, 0, len(pts))
	for _, x := range pts {
		if c, ok := p.src.lattice(x); ok {
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

// Scratch is the working memory of one goroutine, and counts its work. The zero
// value is ready.
type Scratch struct {
	Near  uint64 // triangles of near fields
	sum   bem.PanelSum
	spans [spanBuffer]bem.Span
	stack []int32
}

// Winding returns J(x), the winding number of the triangles round x, with a bound
// of its error, and whether x lies exactly on one of them; those contribute 0.
//
// The bound is at most Epsilon, but for the rounding of the near field (bem.Panels): that is about
// 10^−12 as a rule, more than Epsilon only where that is as small as 10^−10, and grows within
// rounding of edges as for bem.Direct.Winding. If x is not finite, w is NaN and bound +Inf.
func (p *Plan) Winding(x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	if !(vec.MaxAbs(x) <= math.MaxFloat64) {
		return math.NaN(), math.Inf(1), false
	}
	if p.src == nil {
		return 0, 0, false
	}
	if i, ok := p.tree.find(x); ok {
		return p.near(&p.tree.leaves[i], p.tree.far(i, p.spec.local, x), x, s)
	}
	return p.fromClusters(x, s)
}

package neighbor

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// VerletOptions are the choices of a VerletList. The zero value is good.
type VerletOptions struct {
	Workers int // ≤ 0: all processors
	// Skin is how much nearer than now two bodies must come before a pair may be missing from
	// the list: it holds while no body has moved or grown by more than half of it. 0
	// means a share of the mean extent, chosen anew when the list is built: more if the last list
	// did not live long, less if it did.
	Skin float64
	// Quadratic compares all bodies to build the list, as the paper does, in time that grows
	// as the square of their number. Otherwise a hierarchical grid finds its pairs.
	Quadratic bool
}

// VerletList keeps a list of the pairs that touch or nearly so, and compares only these until
// a body has moved by half the skin; Muth, Müller, Eberhard & Luding (2007), §2.1. The list
// is built anew in the step in which that happens or another body appears, so no pair
// is ever missed.
type VerletList[T Body] struct {
	options VerletOptions
	kernel  kernel[T]
	tools   verletTools[T]
	grid    grid[T]
	found   collector
	now     verletState[T]
	next    verletState[T] // what the step is making; becomes now if nothing fails
	thick   []T            // scratch: bodies with half the skin around them
	ends    []int          // scratch: where the pairs of blocks end
	pairs   []Pair
	spare   []Pair
	stats   Stats
}

// verletState is a list and when it holds.
type verletState[T Body] struct {
	bodies []T // for which the list was built
	list   []Pair
	half   float64 // half the skin
	share  float64 // skin over mean extent, if chosen
	age    int     // steps since
}

// minHalf is the smallest half of a skin: its square is a normal number.
const minHalf = 2 / limit

// NewVerletList returns a VerletList before its first step. It panics if Skin is negative or
// not at most 2^500.
func NewVerletList[T Body](o VerletOptions) *VerletList[T] {
	mustLength("skin", o.Skin)
	return &VerletList[T]{options: o, kernel: kernelOf[T](), tools: verletToolsOf[T]()}
}

// Update compares the pairs of the list, after building it if it does not hold any more; see
// Method.
func (m *VerletList[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	workers := par.Workers(m.options.Workers)
	holds, err := m.holds(ctx, bodies, workers)
	if err != nil {
		return err
	}
	list := m.now.list
	stats := m.stats
	if !holds {
		if err := m.build(ctx, bodies, workers); err != nil {
			return err
		}
		list = m.next.list
		stats.Rebuilds++
		if m.options.Quadratic {
			n := uint64(len(m.grid.ids))
			stats.Tests += (n*n - n) / 2
		} else {
			stats.Tests += m.found.tested()
		}
	}
	if err := m.choose(ctx, list, bodies, workers); err != nil {
		return err
	}
	if !holds {
		m.now, m.next = m.next, m.now
	}
	m.now.age++
	m.pairs, m.spare = m.spare, m.pairs
	stats.Steps++
	stats.Tests += uint64(len(list))
	m.stats = stats
	return nil
}

// Pairs returns the pairs that touch; see Method.
func (m *VerletList[T]) Pairs() []Pair { return m.pairs }

// Stats returns what has been counted; see Method.
func (m *VerletList[T]) Stats() Stats { return m.stats }

// holds tells whether the list has all pairs that touch.
func (m *VerletList[T]) holds(ctx context.Context, bodies []T, workers int) (bool, error) {
	if m.stats.Rebuilds == 0 {
		return false, ctx.Err()
	}
	built := m.now.bodies
	for i := len(built); i < len(bodies); i++ {
		if !m.kernel.absent(&bodies[i]) {
			return false, ctx.Err()
		}
	}
	var moved atomic.Bool
	err := par.Blocks(ctx, min(len(built), len(bodies)), buildBlock, workers, func(_, lo, hi int) {
		if !moved.Load() && m.tools.moved(built[lo:hi], bodies[lo:hi], m.now.half) {
			moved.Store(true)
		}
	})
	return !moved.Load(), err
}

// build sets next to the bodies and their list.
func (m *VerletList[T]) build(ctx context.Context, bodies []T, workers int) error {
	next := &m.next
	next.age = 0
	next.bodies = append(next.bodies[:0], bodies...)
	if next.half = m.options.Skin / 2; next.half == 0 {
		next.share = m.share()
		next.half = next.share / 2 * m.meanExtent(bodies)
	}
	next.half = max(next.half, minHalf)
	m.thick = slices.Grow(m.thick[:0], len(bodies))[:len(bodies)]
	m.tools.thicken(m.thick, bodies, next.half)
	var err error
	if m.options.Quadratic {
		next.list, err = m.compareAll(ctx, next.list, workers)
	} else {
		next.list, err = m.grid.allPairs(ctx, &m.kernel, &m.found, next.list, m.thick, plan{minCell: minCell}, workers)
	}
	return err
}

// The skin is between minShare and maxShare of the mean extent. It is doubled if the last list
// was built less than shortLife steps ago, halved if more than longLife: a list
// should live long, since building it takes some ten times as long as using it, but pairs that
// do not touch cost time in each step.
const (
	minShare  = 1. / 64
	maxShare  = .25
	shortLife = 16
	longLife  = 64
)

// share returns the skin for the next list as a share of the mean extent.
func (m *VerletList[T]) share() float64 {
	switch {
	case m.stats.Rebuilds == 0:
		return 1. / 8
	case m.now.age < shortLife:
		return min(2*m.now.share, maxShare)
	case m.now.age > longLife:
		return max(m.now.share/2, minShare)
	}
	return m.now.share
}

// meanExtent returns the mean largest extent of the bodies.
func (m *VerletList[T]) meanExtent(bodies []T) float64 {
	sum, n := 0.0, 0
	var b bvh.Box
	for i := range bodies {
		if !m.kernel.absent(&bodies[i]) {
			m.kernel.bounds(&b, &bodies[i])
			sum += extent(&b)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// compareAll sets dst to the pairs of thick bodies, by comparing all.
func (m *VerletList[T]) compareAll(ctx context.Context, dst []Pair, workers int) ([]Pair, error) {
	g := &m.grid
	g.ids, g.bodies = g.ids[:0], g.bodies[:0]
	for i := range m.thick {
		if !m.kernel.absent(&m.thick[i]) {
			g.ids, g.bodies = append(g.ids, int32(i)), append(g.bodies, m.thick[i])
		}
	}
	m.kernel.plain(g.bodies)
	m.found.reset(workers)
	const block = 16
	err := par.Blocks(ctx, len(g.ids), block, workers, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			l := &m.found.lists[worker]
			*l = m.kernel.scan(*l, &g.bodies[i], g.ids[i], g.bodies[i+1:], g.ids[i+1:])
		}
	})
	if err != nil {
		return dst, err
	}
	return m.found.ordered(ctx, dst, len(m.thick), workers)
}

// choose sets spare to the pairs of a list that touch. Blocks of the list are shortened
// where they are, then moved together.
func (m *VerletList[T]) choose(ctx context.Context, list []Pair, bodies []T, workers int) error {
	m.spare = slices.Grow(m.spare[:0], len(list))[:len(list)]
	blocks := (len(list) + buildBlock - 1) / buildBlock
	m.ends = slices.Grow(m.ends[:0], blocks)[:blocks]
	err := par.Blocks(ctx, len(list), buildBlock, workers, func(_, lo, hi int) {
		m.ends[lo/buildBlock] = lo + len(m.tools.touching(m.spare[lo:lo:hi], list[lo:hi], bodies))
	})
	n := 0
	for b, end := range m.ends {
		if err == nil {
			n += copy(m.spare[n:], m.spare[b*buildBlock:end])
		}
	}
	m.spare = m.spare[:n]
	if err == nil {
		err = ctx.Err()
	}
	return err
}

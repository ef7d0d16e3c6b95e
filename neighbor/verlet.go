package neighbor

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// VerletOptions are the options of a VerletList. The zero value is valid.
type VerletOptions struct {
	Workers int // number of goroutines; 0 or less means one for each processor
	// Skin is the largest distance of two bodies whose pair is in the list. The list is valid until
	// a body has moved or grown by more than half the skin. If Skin is 0, the skin is a share of
	// the mean extent of the bodies. After a list that lasted for few steps, the share grows. After
	// a list that lasted for many steps, the share shrinks.
	Skin float64
	// Quadratic builds each list by comparing all bodies in O(n²) time, as in the paper. By
	// default, a hierarchical grid builds the list.
	Quadratic bool
}

// VerletList compares only the pairs of a list. When the list is built, it contains all pairs whose
// distance is at most the skin (Muth, Müller, Eberhard & Luding 2007, §2.1). If a body has
// appeared, or has moved or grown by more than half the skin, Update builds a new list. Therefore
// it misses no pair.
//
// Proof that the list contains all pairs that touch: let h be half the skin, e = 2^-53, and Δ the
// difference of the centers of balls a and b. If the balls touch, |Δ| ≤ (r_a+r_b)(1+5e). If the
// radius of a ball has grown by g ≥ 0 since the list was built, the ball has moved by at most h −
// g(1+6e), plus 6eh for rounding. So the old centers and radii obeyed |Δ| ≤ (r_a+r_b+2h)(1+20e).
// The list uses the radii (r+h)(1+2^-45) = (r+h)(1+256e), so touchSpheres accepted the pair. A box
// lies in its old box extended by h on all sides. The same operations compute the extended box when
// the list is built and when it is checked.
type VerletList[T Body] struct {
	result
	options  VerletOptions
	touching touchFilter[T]
	grid     grid[T]
	found    pairCollector
	now      verletState[T]
	next     verletState[T] // state that Update builds
	inflated []T            // temporary: bodies enlarged by half the skin
}

// verletState has a list and the bodies from which it was built.
type verletState[T Body] struct {
	bodies []T
	list   []Pair
	half   float64 // half the skin
	share  float64 // ratio of the skin to the mean extent, if VerletOptions.Skin is 0
	age    int     // number of steps that have used the list
}

// minHalf is the smallest half skin. The square of this number is a normal number.
const minHalf = 2 / limit

// NewVerletList returns a VerletList that has made no step yet. It panics if Skin is not between 0
// and 2^500.
func NewVerletList[T Body](o VerletOptions) *VerletList[T] {
	mustLength("skin", o.Skin)
	return &VerletList[T]{options: o, touching: touchFilter[T]{ops: opsOf[T]()}}
}

// Update compares the pairs of the list; see Method. If the list is not valid, Update builds a new
// list.
func (m *VerletList[T]) Update(ctx context.Context, bodies []T) error {
	workers := par.Workers(m.options.Workers)
	holds, err := m.check(ctx, bodies, workers)
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
		stats.Tests += m.found.tested()
	}
	if m.buffer, err = m.touching.run(ctx, m.buffer, list, bodies, workers); err != nil {
		return err
	}
	if !holds {
		m.now, m.next = m.next, m.now
	}
	m.now.age++
	m.pairs, m.buffer = m.buffer, m.pairs
	stats.Steps++
	stats.Tests += uint64(len(list))
	m.stats = stats
	return nil
}

// check checks the bodies, and reports whether the list contains all pairs of bodies that touch.
func (m *VerletList[T]) check(ctx context.Context, bodies []T, workers int) (holds bool, err error) {
	built := m.now.bodies
	var invalid, changed atomic.Bool
	changed.Store(m.stats.Rebuilds == 0)
	// Long blocks: two loops over many bodies read memory faster than many short ones. tuning
	block := min(max(len(bodies)/(2*workers), blockSize), 1<<16)
	err = par.Blocks(ctx, len(bodies), block, workers, func(_, lo, hi int) {
		if check(bodies[lo:hi]) != nil {
			invalid.Store(true)
			return
		}
		for ; hi > max(lo, len(built)); hi-- {
			if !m.touching.ops.absent(&bodies[hi-1]) {
				changed.Store(true)
			}
		}
		if lo < hi && !changed.Load() && m.touching.ops.moved(built[lo:hi], bodies[lo:hi], m.now.half) {
			changed.Store(true)
		}
	})
	if invalid.Load() || len(bodies) > math.MaxInt32 {
		return false, check(bodies) // names the first bad body
	}
	return !changed.Load(), err
}

// build builds a list for the given bodies in m.next.
func (m *VerletList[T]) build(ctx context.Context, bodies []T, workers int) error {
	next := &m.next
	next.age = 0
	next.bodies = append(next.bodies[:0], bodies...)
	if next.half = m.options.Skin / 2; next.half == 0 {
		next.share = m.share()
		next.half = next.share / 2 * m.meanExtent(bodies)
	}
	next.half = max(next.half, minHalf)
	m.inflated = slices.Grow(m.inflated[:0], len(bodies))[:len(bodies)]
	m.touching.ops.inflate(m.inflated, bodies, next.half)
	var err error
	if m.options.Quadratic {
		next.list, err = m.compareAll(ctx, next.list, workers)
	} else {
		next.list, err = m.grid.allPairs(ctx, &m.touching.ops, &m.found, next.list, m.inflated, gridParams{minCell: minCell}, workers)
	}
	return err
}

// The skin is between minShare and maxShare times the mean extent. If the last list was used for
// less than shortLife steps, the skin doubles, because building a list takes about ten times as
// long as a step that uses it. If the last list was used for more than longLife steps, the skin
// halves, because pairs in the list that do not touch cost time in each step (tuning).
const (
	minShare  = 1. / 64
	maxShare  = .25
	shortLife = 16
	longLife  = 64
)

// share returns the ratio of the skin to the mean extent for the next list.
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

// meanExtent returns the mean, over the bodies, of the largest extent of a body.
func (m *VerletList[T]) meanExtent(bodies []T) float64 {
	sum, n := 0.0, 0
	var b bvh.Box
	for i := range bodies {
		if !m.touching.ops.absent(&bodies[i]) {
			m.touching.ops.bounds(&b, &bodies[i])
			sum += extent(&b)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// compareAll sets dst to the pairs of m.inflated that touch, by comparing all pairs.
func (m *VerletList[T]) compareAll(ctx context.Context, dst []Pair, workers int) ([]Pair, error) {
	g := &m.grid
	g.ids, g.bodies = g.ids[:0], g.bodies[:0]
	for i := range m.inflated {
		if !m.touching.ops.absent(&m.inflated[i]) {
			g.ids, g.bodies = append(g.ids, int32(i)), append(g.bodies, m.inflated[i])
		}
	}
	m.touching.ops.normalize(g.bodies)
	const block = 16
	return m.found.collect(ctx, dst, len(g.ids), block, len(m.inflated), workers, func(list []Pair, lo, hi int) ([]Pair, uint64) {
		for i := lo; i < hi; i++ {
			list = m.touching.ops.scan(list, &g.bodies[i], g.ids[i], g.bodies[i+1:], g.ids[i+1:])
		}
		return list, uint64((hi - lo) * (2*len(g.ids) - lo - hi - 1) / 2)
	})
}

package neighbor

import (
	"context"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// RadialOptions are the options of NewRadialSort. The zero value is good.
type RadialOptions struct {
	// Workers is the number of goroutines; 0 or less: one a processor.
	Workers int
}

// RadialSort is the method of Leszczynski and Ciesielski (2004) §2.2: bodies are sorted by
// how near to an origin they come, and each is compared with those after it that come nearer
// than it reaches. It needs little memory and no cells, and one large body among small ones
// costs little; but shells about the origin hold N^(1−1/d) bodies in d dimensions, and so
// many tests a body are made.
//
// The origin is the lower corner of all bodies and stays while they stay near it. Then
// the order of the last step is mended by insertion; that fails and bodies are sorted
// when they have moved far.
type RadialSort[T Body] struct {
	opt    RadialOptions
	kernel kernel[T]
	origin r3.Vector
	shells []shell // of the last step, sorted
	next   []shell // memory for the next step
	bodies []T     // scratch: the bodies of shells
	ids    []int32
	seen   []bool // scratch: bodies that shells has
	found  collector
	pairs  []Pair
	spare  []Pair // memory for the next step
	stats  Stats
}

// shell is the distances from the origin that a body has.
type shell struct {
	near, far float64
	id        int32
}

// NewRadialSort returns a RadialSort before its first step.
func NewRadialSort[T Body](opt RadialOptions) *RadialSort[T] {
	return &RadialSort[T]{opt: opt, kernel: kernelOf[T]()}
}

// radialBlock is the number of bodies whose shells are swept between two looks at the context.
const radialBlock = 256

// Update sorts and compares; see Method.
func (m *RadialSort[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	stats := m.stats
	stats.Steps++
	origin, moved := m.chooseOrigin(bodies)
	m.list(bodies, moved)
	shellsTo(m.next, bodies, origin)
	exchanges, sorted := uint64(0), false
	if !moved {
		exchanges, sorted = insertShells(m.next)
		stats.Exchanges += exchanges
	}
	if !sorted {
		slices.SortFunc(m.next, orderShells)
		stats.Rebuilds++
	}
	m.bodies, m.ids = m.bodies[:0], m.ids[:0]
	for _, s := range m.next {
		m.bodies = append(m.bodies, bodies[s.id])
		m.ids = append(m.ids, s.id)
	}
	m.kernel.plain(m.bodies)
	if err := m.sweep(ctx, len(bodies)); err != nil {
		return err
	}
	stats.Tests += m.found.tested()
	m.pairs, m.spare = m.spare, m.pairs
	m.shells, m.next = m.next, m.shells
	m.origin, m.stats = origin, stats
	return nil
}

// Pairs returns the pairs that touch; see Method.
func (m *RadialSort[T]) Pairs() []Pair { return m.pairs }

// Stats returns what has been counted; see Method. Tests are those of the paper, for
// overlaps.
func (m *RadialSort[T]) Stats() Stats { return m.stats }

// list sets next to the bodies that are there, in the order of the last step unless it
// does not matter any more, new ones at the end.
func (m *RadialSort[T]) list(bodies []T, moved bool) {
	m.next = m.next[:0]
	m.seen = slices.Grow(m.seen[:0], len(bodies))[:len(bodies)]
	clear(m.seen)
	if !moved {
		for _, s := range m.shells {
			if int(s.id) < len(bodies) && !m.kernel.absent(&bodies[s.id]) {
				m.seen[s.id] = true
				m.next = append(m.next, shell{id: s.id})
			}
		}
	}
	for i := range bodies {
		if !m.seen[i] && !m.kernel.absent(&bodies[i]) {
			m.next = append(m.next, shell{id: int32(i)})
		}
	}
}

// sweep sets spare to the pairs of the n bodies that touch.
func (m *RadialSort[T]) sweep(ctx context.Context, n int) (err error) {
	workers := par.Workers(m.opt.Workers)
	m.found.reset(workers)
	shells := m.next
	err = par.Blocks(ctx, len(shells), radialBlock, workers, func(w, lo, hi int) {
		pairs, tests := m.found.lists[w], uint64(0)
		for i := lo; i < hi; i++ {
			end := i + 1 + within(shells[i+1:], shells[i].far)
			pairs = m.kernel.scan(pairs, &m.bodies[i], m.ids[i], m.bodies[i+1:end], m.ids[i+1:end])
			tests += uint64(end - i - 1)
		}
		m.found.lists[w] = pairs
		m.found.tests[w].n += tests
	})
	if err != nil {
		return err
	}
	m.spare, err = m.found.ordered(ctx, m.spare, n, workers)
	return err
}

// within returns how many of the sorted shells begin at distance far or before.
func within(shells []shell, far float64) int {
	lo, hi := 0, len(shells)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); shells[mid].near <= far {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// orderShells compares shells by where they begin.
func orderShells(a, b shell) int {
	switch {
	case a.near < b.near:
		return -1
	case a.near > b.near:
		return 1
	}
	return int(a.id) - int(b.id)
}

// insertShells sorts by insertion and counts the exchanges. It gives up, with ok false and
// shells in any order, when sorting anew is cheaper.
func insertShells(shells []shell) (exchanges uint64, ok bool) {
	// An exchange costs 1 to 2 ns, a comparison while sorting about 4 ns.
	limit := uint64(2 * len(shells) * bits.Len(uint(len(shells))))
	for i, s := range shells {
		j := i
		for j > 0 && shells[j-1].near > s.near {
			shells[j] = shells[j-1]
			j--
		}
		shells[j] = s
		if exchanges += uint64(i - j); exchanges > limit {
			return exchanges, false
		}
	}
	return exchanges, true
}

package neighbor

import (
	"context"
	"errors"
	"fmt"
)

// AutoOptions are the options of an Auto. The zero value is valid.
type AutoOptions struct {
	Workers int // number of goroutines; ≤ 0 means one for each processor
	// MaxPairs is the largest number of pairs in a step. Update ends with ErrPairs soon after it has
	// found more pairs. 0 means no limit. A negative number is invalid.
	MaxPairs int
}

// Auto chooses a method for each step:
//
//   - BruteForce for at most 64 bodies. It takes 2 ns per pair. The other methods take at least
//     100 ns per body if the bodies move fast.
//   - HierarchicalGrid in the first step and while bodies move fast. It takes 150 to 250 ns per body
//     at any speed.
//   - VerletList while bodies move slowly. It takes 20 to 120 ns per body if a list lasts 20 steps
//     or more, but up to 700 ns if each step builds a list. The second step begins a trial. A trial
//     fails if more than 2 of 8 steps build a list. The next trial begins after a pause of 32 steps.
//     Each further failed trial doubles the pause, up to 512 steps.
//
// The times were measured with 30 to 125,000 balls at a volume fraction of .6. The balls had one
// size, or sizes with a ratio of 10 or 50. In each step, the balls moved by .001 to 1 times the
// smallest radius. The choice depends only on the bodies, never on the time that steps take. The
// pairs do not depend on the choice.
type Auto[T Body] struct {
	brute  *BruteForce[T]
	grid   *HierarchicalGrid[T]
	verlet *VerletList[T]
	last   Method[T] // the method of the last step
	steps  uint64
	plan   autoPlan
}

// autoPlan has the current choice between VerletList and HierarchicalGrid.
type autoPlan struct {
	lists    bool   // true if the steps use VerletList
	left     int    // number of steps until the next decision
	pause    int    // number of steps with HierarchicalGrid after the next failed trial
	rebuilds uint64 // number of lists built before the last decision, plus 1 if it began a trial
}

// The doc comment of Auto explains these constants (tuning).
const (
	bruteBodies = 64
	trialSteps  = 8
	trialBuilds = 2
	minPause    = 32
	maxPause    = 512
)

// NewAuto returns an Auto that has made no step yet. It panics if MaxPairs is negative.
func NewAuto[T Body](o AutoOptions) *Auto[T] {
	if o.MaxPairs < 0 {
		panic("neighbor: MaxPairs must not be negative")
	}
	m := &Auto[T]{
		brute:  NewBruteForce[T](),
		grid:   NewHierarchicalGrid[T](GridOptions{Workers: o.Workers}),
		verlet: NewVerletList[T](VerletOptions{Workers: o.Workers}),
		plan:   autoPlan{left: 1, pause: minPause},
	}
	m.brute.most = o.MaxPairs
	m.grid.found.limit.most, m.verlet.found.limit.most = int64(o.MaxPairs), int64(o.MaxPairs)
	return m
}

// Update takes a step with the chosen method; see Method. Its error can also be ErrPairs.
func (m *Auto[T]) Update(ctx context.Context, bodies []T) error {
	plan := m.plan
	var method Method[T] = m.brute
	if len(bodies) > bruteBodies {
		if plan.left == 0 {
			plan.decide(m.verlet.Stats().Rebuilds)
		}
		plan.left--
		if method = m.grid; plan.lists {
			method = m.verlet
		}
	}
	err := method.Update(ctx, bodies)
	if method == m.verlet && errors.Is(err, ErrPairs) {
		// The list also contains pairs that do not quite touch. The grid can find fewer pairs, so
		// try it.
		plan.lists, plan.left = false, plan.pause
		method = m.grid
		err = method.Update(ctx, bodies)
	}
	if err != nil {
		return err
	}
	m.last, m.plan = method, plan
	m.steps++
	return nil
}

// decide chooses the method for the next steps. builtLists is the total number of lists built so
// far.
func (p *autoPlan) decide(builtLists uint64) {
	switch {
	case !p.lists:
		p.lists, p.left = true, trialSteps
		p.rebuilds = builtLists + 1 // omit the list that the first step of a trial usually builds
	case builtLists > p.rebuilds+trialBuilds:
		p.lists, p.left = false, p.pause
		p.pause = min(2*p.pause, maxPause)
	default:
		p.left, p.pause = trialSteps, minPause
		p.rebuilds = builtLists
	}
}

// Pairs returns the pairs that touch; see Method.
func (m *Auto[T]) Pairs() []Pair {
	if m.last == nil {
		return nil
	}
	return m.last.Pairs()
}

// Stats returns the sums of the counts of all methods; see Method.
func (m *Auto[T]) Stats() Stats {
	sum := Stats{Steps: m.steps}
	for _, s := range []Stats{m.brute.Stats(), m.grid.Stats(), m.verlet.Stats()} {
		sum.Tests += s.Tests
		sum.Rebuilds += s.Rebuilds
		sum.Exchanges += s.Exchanges
	}
	return sum
}

// BruteForce compares every body with every other body: n(n−1)/2 tests for n bodies.
type BruteForce[T Body] struct {
	result
	ops  bodyOps[T]
	here []int32 // indices of the bodies that are not absent
	most int     // largest number of pairs; 0 means no limit
}

// NewBruteForce returns a BruteForce that has made no step yet.
func NewBruteForce[T Body]() *BruteForce[T] { return &BruteForce[T]{ops: opsOf[T]()} }

// Update compares all bodies; see Method. It checks ctx once for each body.
func (m *BruteForce[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	touch, absent := m.ops.touch, m.ops.absent
	m.here = m.here[:0]
	for i := range bodies {
		if !absent(&bodies[i]) {
			m.here = append(m.here, int32(i))
		}
	}
	m.buffer = m.buffer[:0]
	for k, i := range m.here {
		if err := ctx.Err(); err != nil {
			return err
		}
		pairs := m.buffer
		for _, j := range m.here[k+1:] {
			if touch(&bodies[i], &bodies[j]) {
				pairs = append(pairs, Pair{A: i, B: j})
			}
		}
		m.buffer = pairs
		if m.most > 0 && len(pairs) > m.most {
			return fmt.Errorf("%w: more than %d", ErrPairs, m.most)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.pairs, m.buffer = m.buffer, m.pairs
	n := uint64(len(m.here))
	m.stats.Steps++
	m.stats.Tests += (n*n - n) / 2
	return nil
}

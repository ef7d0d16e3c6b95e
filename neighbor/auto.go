package neighbor

import "context"

// AutoOptions are the choices of an Auto. The zero value is good.
type AutoOptions struct {
	Workers int // ≤ 0: all processors
}

// Auto chooses a method for each step:
//
//   - BruteForce for at most 64 bodies. It takes 2 ns a pair, other methods at least
//     100 ns a body where the bodies move much.
//   - HierarchicalGrid in the first step and where bodies move fast. Sizes and density decide
//     about levels and cells: bodies of one size get one level, which makes it a linked
//     cell. It takes 150 to 250 ns a body, fast or slow.
//   - VerletList where bodies move slowly: 20 to 120 ns a body if a list lives 20 steps or more, but up
//     to 700 ns if it must be built in each step. Auto tries it in the second step and gives it
//     up if more than 2 of 8 steps build a list; it tries again after 32 steps, later
//     after more, up to 512.
//
// These were measured with balls of one size and with ratios of 10 and 50, from 30 to 125,000, at a
// volume fraction of .6, that move by .001 to 1 radius of the smallest a step. The choice
// depends on the bodies alone, never on time, and no choice changes the pairs.
type Auto[T Body] struct {
	brute  *BruteForce[T]
	grid   *HierarchicalGrid[T]
	verlet *VerletList[T]
	last   Method[T] // that of the last step
	steps  uint64
	plan   autoPlan
}

// autoPlan is what an Auto does next with more than a few bodies.
type autoPlan struct {
	lists    bool   // whether it keeps a list
	left     int    // steps until it decides again
	pause    int    // steps without a list when the list is given up next
	rebuilds uint64 // lists built until the last decision, and one for the first of a trial
}

// The choices of Auto, see there.
const (
	bruteBodies = 64
	trialSteps  = 8
	trialBuilds = 2
	minPause    = 32
	maxPause    = 512
)

// NewAuto returns an Auto before its first step.
func NewAuto[T Body](o AutoOptions) *Auto[T] {
	return &Auto[T]{
		brute:  NewBruteForce[T](),
		grid:   NewHierarchicalGrid[T](GridOptions{Workers: o.Workers}),
		verlet: NewVerletList[T](VerletOptions{Workers: o.Workers}),
		plan:   autoPlan{left: 1, pause: minPause},
	}
}

// Update takes a step with the method of choice; see Method.
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
	if err := method.Update(ctx, bodies); err != nil {
		return err
	}
	m.last, m.plan = method, plan
	m.steps++
	return nil
}

// decide chooses what to do for some steps; lists is how many have been built.
func (p *autoPlan) decide(lists uint64) {
	switch {
	case !p.lists:
		p.lists, p.left = true, trialSteps
		p.rebuilds = lists + 1 // the first step of a trial usually builds one
	case lists > p.rebuilds+trialBuilds:
		p.lists, p.left = false, p.pause
		p.pause = min(2*p.pause, maxPause)
	default:
		p.left, p.pause = trialSteps, minPause
		p.rebuilds = lists
	}
}

// Pairs returns the pairs that touch; see Method.
func (m *Auto[T]) Pairs() []Pair {
	if m.last == nil {
		return nil
	}
	return m.last.Pairs()
}

// Stats returns what has been counted, in all methods; see Method.
func (m *Auto[T]) Stats() Stats {
	sum := Stats{Steps: m.steps}
	for _, s := range []Stats{m.brute.Stats(), m.grid.Stats(), m.verlet.Stats()} {
		sum.Tests += s.Tests
		sum.Rebuilds += s.Rebuilds
		sum.Exchanges += s.Exchanges
	}
	return sum
}

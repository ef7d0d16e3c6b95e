package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/neighbor"
)

// detection is a method that finds the contacts of particles at rest.
type detection[T neighbor.Body] struct {
	name string
	make func() neighbor.Method[T] // make returns a new instance of the method
}

// detected holds the measurements of one method.
type detected struct {
	seconds float64
	tests   uint64
	work    float64 // tests, plus 0.3 for each visited cell
	pairs   int
}

// longStep is the time of a step, in seconds, above which the step is not repeated.
const longStep = 5

// detect measures one step of each method. Before the measurement, each method makes the same step
// to allocate its buffers, unless that step is long. detect fails if a method and the hierarchical grid
// find different pairs.
func detect[T neighbor.Body](ctx context.Context, r *Run, bodies []T, methods []detection[T]) ([]detected, error) {
	reference := neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: r.Threads})
	if err := reference.Update(ctx, bodies); err != nil {
		return nil, err
	}
	var all []detected
	for _, d := range methods {
		m := d.make()
		first, err := seconds(func() error { return m.Update(ctx, bodies) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		got := detected{seconds: first, tests: m.Stats().Tests, work: workOf(d.name, m, len(bodies), 0)}
		if first < longStep {
			s, err := r.phases(ctx, func() error { return m.Update(ctx, bodies) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
			got.seconds = s[0]
		}
		if !slices.Equal(m.Pairs(), reference.Pairs()) {
			return nil, fmt.Errorf("%s: the %d pairs of %d particles differ from the %d pairs of the hierarchical grid", d.name, len(m.Pairs()), len(bodies), len(reference.Pairs()))
		}
		got.pairs = len(m.Pairs())
		all = append(all, got)
	}
	return all, nil
}

// radialScan is algorithm 1 of Leszczynski and Ciesielski 2004, §2.2. It sorts the particles by l =
// |x − x₀| − r. Here x is the center, r is the radius, and x₀ is the lower corner of the box.
// radialScan compares a particle with its successors in this order, until the l of a successor
// exceeds the l of the particle by more than 2r. Every step sorts all particles anew.
type radialScan[T neighbor.Disk | neighbor.Sphere] struct {
	grid  cellGrid[T] // provides a copy of the particles
	order []radius
	pairs pairSorter
	stats neighbor.Stats
}

// radius holds the number i of a particle and its sort key l (see radialScan).
type radius struct {
	l float64
	i int32
}

// Update sorts the particles and finds the pairs that touch.
func (s *radialScan[T]) Update(ctx context.Context, bodies []T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.grid.load(bodies)
	balls, low := s.grid.balls, s.grid.low
	s.order = s.order[:0]
	far := 0.0
	for i, b := range balls {
		x, y, z := b.x-low[0], b.y-low[1], b.z-low[2]
		d := math.Sqrt(x*x + y*y + z*z)
		far = max(far, d+b.r)
		s.order = append(s.order, radius{d - b.r, int32(i)})
	}
	slices.SortFunc(s.order, func(a, b radius) int {
		switch {
		case a.l < b.l:
			return -1
		case a.l > b.l:
			return +1
		}
		return int(a.i) - int(b.i)
	})
	// The computed l has six rounding errors, each at most 2⁻⁵³ of the largest distance. The
	// computed test accepts a pair with a gap of up to 5·2⁻⁵³ of the sum of the radii. The sum of
	// all these errors is less than 2⁻⁴⁸ of the largest distance.
	slack := far * 0x1p-48
	s.pairs.reset(len(balls))
	for n, a := range s.order {
		p := balls[a.i]
		for _, b := range s.order[n+1:] {
			if b.l-a.l > 2*p.r+slack {
				break
			}
			s.stats.Tests++
			q := &balls[b.i]
			x, y, z, r := p.x-q.x, p.y-q.y, p.z-q.z, p.r+q.r
			if float64(x*x)+float64(y*y)+float64(z*z) <= r*r {
				s.pairs.add(a.i, b.i)
			}
		}
	}
	s.pairs.sort()
	s.stats.Steps++
	s.stats.Rebuilds++
	return nil
}

// Pairs returns the pairs that touch.
func (s *radialScan[T]) Pairs() []neighbor.Pair { return s.pairs.sorted }

// Stats returns the counts over all steps so far.
func (s *radialScan[T]) Stats() neighbor.Stats { return s.stats }

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/inpoly/inpoly/neighbor"
)

// detection is one method that finds the contacts of particles at rest.
type detection[T neighbor.Body] struct {
	name string
	make func() neighbor.Method[T] // a method before its first step
}

// detected is what it took.
type detected struct {
	seconds float64
	tests   uint64
	pairs   int
}

// detect measures a step of methods that have taken the same step once, so that their
// memory is there, and fails where pairs differ from those of the hierarchical grid.
func detect[T neighbor.Body](ctx context.Context, r *Run, bodies []T, methods []detection[T]) ([]detected, error) {
	reference := neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: r.Threads})
	if err := reference.Update(ctx, bodies); err != nil {
		return nil, err
	}
	var all []detected
	for _, d := range methods {
		m := d.make()
		if err := m.Update(ctx, bodies); err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		tests := m.Stats().Tests
		s, err := r.phases(ctx, func() error { return m.Update(ctx, bodies) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		if !slices.Equal(m.Pairs(), reference.Pairs()) {
			return nil, fmt.Errorf("%s: %d pairs of %d particles differ from those of the hierarchical grid, %d", d.name, len(m.Pairs()), len(bodies), len(reference.Pairs()))
		}
		all = append(all, detected{s[0], tests, len(m.Pairs())})
	}
	return all, nil
}

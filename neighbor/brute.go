package neighbor

import (
	"context"

	"github.com/inpoly/inpoly/bvh"
)

// BruteForce compares every body with every other one: n(n−1)/2 tests a step. All other
// methods are judged by it.
type BruteForce[T Body] struct {
	pairs []Pair
	spare []Pair // memory for the next step
	here  []int32
	stats Stats
}

// NewBruteForce returns a BruteForce before its first step.
func NewBruteForce[T Body]() *BruteForce[T] { return &BruteForce[T]{} }

// Update compares all bodies; see Method. It looks at ctx once a body.
func (m *BruteForce[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	touch, absent := touchOf[T](), absentOf[T]()
	m.here = m.here[:0]
	for i := range bodies {
		if !absent(&bodies[i]) {
			m.here = append(m.here, int32(i))
		}
	}
	pairs := m.spare[:0]
	for k, i := range m.here {
		if err := ctx.Err(); err != nil {
			m.spare = pairs
			return err
		}
		for _, j := range m.here[k+1:] {
			if touch(&bodies[i], &bodies[j]) {
				pairs = append(pairs, Pair{A: i, B: j})
			}
		}
	}
	if err := ctx.Err(); err != nil {
		m.spare = pairs
		return err
	}
	m.pairs, m.spare = pairs, m.pairs
	n := uint64(len(m.here))
	m.stats.Steps++
	m.stats.Tests += (n*n - n) / 2
	return nil
}

// Pairs returns the pairs that touch; see Method.
func (m *BruteForce[T]) Pairs() []Pair { return m.pairs }

// Stats returns what has been counted; see Method.
func (m *BruteForce[T]) Stats() Stats { return m.stats }

// touchOf returns the function that decides for bodies of type T. A call through it is
// not inlined: inner loops use the functions of touch.go themselves.
func touchOf[T Body]() func(a, b *T) bool {
	var f any
	switch any((*T)(nil)).(type) {
	case *Disk:
		f = touchDisks
	case *Sphere:
		f = touchSpheres
	case *Rect:
		f = touchRects
	case *bvh.Box:
		f = touchBoxes
	}
	return f.(func(a, b *T) bool)
}

// absentOf returns the function that tells whether a body of type T is absent.
func absentOf[T Body]() func(b *T) bool {
	var f any
	switch any((*T)(nil)).(type) {
	case *Disk:
		f = (*Disk).absent
	case *Sphere:
		f = (*Sphere).absent
	case *Rect:
		f = (*Rect).absent
	case *bvh.Box:
		f = absentBox
	}
	return f.(func(b *T) bool)
}

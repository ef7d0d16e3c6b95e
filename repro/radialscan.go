package main

import (
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/neighbor"
)

// radialScan is algorithm 1 of Leszczynski and Ciesielski 2004, §2.2, line by line:
// particles are sorted by l = |x − x₀| − r, x₀ the lower corner, and each is compared with
// those after it until 2r is less than the difference of l. It sorts anew in every step.
type radialScan[T neighbor.Disk | neighbor.Sphere] struct {
	grid  cellGrid[T] // for its copy of the particles
	order []radius
	pairs pairSorter
	stats neighbor.Stats
}

// radius is a particle and its l.
type radius struct {
	l float64
	i int32
}

// Update sorts and compares.
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
	// l passes six roundings, none of more than 2⁻⁵³ of the farthest; a pair that touches as
	// computed may be apart by 5·2⁻⁵³ of its radii more: together less than 2⁻⁴⁸ of it.
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

// Stats returns what has been counted.
func (s *radialScan[T]) Stats() neighbor.Stats { return s.stats }

package neighbor

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// toucher keeps the pairs that touch, of those whose bounds meet.
type toucher[T Body] struct {
	workers        int
	pairs, spare   []Pair
	added, removed []Pair
	counts         []int
}

// step finds which of the pairs, given in order, touch now. It does not end early.
func (m *toucher[T]) step(ctx context.Context, bodies []T, meeting []Pair, stats *Stats) {
	now := slices.Grow(m.spare[:0], len(meeting))[:len(meeting)]
	exact := false // the bounds are the bodies
	var filter func(dst, src []Pair) int
	switch bodies := any(bodies).(type) {
	case []Disk:
		filter = func(dst, src []Pair) int { return touchingDisks(dst, src, bodies) }
	case []Sphere:
		filter = func(dst, src []Pair) int { return touchingSpheres(dst, src, bodies) }
	default:
		exact = true
		copy(now, meeting)
	}
	if !exact {
		blocks := (len(meeting) + blockSize - 1) / blockSize
		m.counts = slices.Grow(m.counts[:0], blocks)[:blocks]
		par.Blocks(context.WithoutCancel(ctx), len(meeting), blockSize, m.workers, func(_, lo, hi int) {
			m.counts[lo/blockSize] = filter(now[lo:hi], meeting[lo:hi])
		})
		n := 0
		for b, count := range m.counts {
			n += copy(now[n:], now[b*blockSize:b*blockSize+count])
		}
		now = now[:n]
		stats.Tests += uint64(len(meeting))
	}
	m.added, m.removed = differPairs(m.added[:0], m.removed[:0], m.pairs, now)
	m.pairs, m.spare = now, m.pairs
}

// touchingDisks sets dst to the pairs of src that touch and returns their number.
func touchingDisks(dst, src []Pair, bodies []Disk) int {
	n := 0
	for _, p := range src {
		dst[n] = p
		if touchDisks(&bodies[p.A], &bodies[p.B]) {
			n++
		}
	}
	return n
}

// touchingSpheres sets dst to the pairs of src that touch and returns their number.
func touchingSpheres(dst, src []Pair, bodies []Sphere) int {
	n := 0
	for _, p := range src {
		dst[n] = p
		if touchSpheres(&bodies[p.A], &bodies[p.B]) {
			n++
		}
	}
	return n
}

// inPlane reports whether bodies of type T are of the plane.
func inPlane[T Body]() bool {
	switch any((*T)(nil)).(type) {
	case *Disk, *Rect:
		return true
	}
	return false
}

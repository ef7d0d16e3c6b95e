package bvh

import (
	"fmt"
	"math"

	"github.com/inpoly/inpoly/internal/par"
)

// gridMax is the largest coordinate on the grid. The sum of two, which stands
// for the middle of a box, stays within int32.
const gridMax = 1<<30 - 1

// record is an input box on the integer grid of its part of the tree. The grid
// only decides how the tree is split, never what a walk reports, so its rounding
// does not matter; integers make the decisions the same everywhere, free of
// overflow at 1e300 and of NaN.
type record struct {
	extent
	id int32
	_  int32 // 32 bytes: two to a cache line
}

// grid maps a box onto [0, gridMax]³, with one scale for all axes.
type grid struct {
	pre     float64 // power of two that brings the coordinates where products neither over- nor underflow
	x, y, z float64 // minimum, times pre
	scale   float64
}

func newGrid(b Box) grid {
	// Half the sizes, which cannot overflow.
	half := max(0.5*b.Max.X-0.5*b.Min.X, 0.5*b.Max.Y-0.5*b.Min.Y, 0.5*b.Max.Z-0.5*b.Min.Z)
	g := grid{pre: 1}
	switch {
	case half > 0x1p1000:
		g.pre = 0x1p-100
	case half < 0x1p-900:
		// The corners are at most 2⁵³ times larger than their distance, unless
		// that is 0, where any finite product will do.
		g.pre = 0x1p800
	}
	g.x, g.y, g.z = b.Min.X*g.pre, b.Min.Y*g.pre, b.Min.Z*g.pre
	if size := 2 * (half * g.pre); size > 0 {
		g.scale = gridMax / size
	}
	if math.IsInf(g.x, 0) || math.IsInf(g.y, 0) || math.IsInf(g.z, 0) {
		g = grid{} // a single point far away: everything maps to 0
	}
	return g
}

// put places the box on the grid.
func (g *grid) put(b *Box, id int32) record {
	return record{
		extent: extent{
			x0: g.at(b.Min.X, g.x), y0: g.at(b.Min.Y, g.y), z0: g.at(b.Min.Z, g.z),
			x1: g.at(b.Max.X, g.x), y1: g.at(b.Max.Y, g.y), z1: g.at(b.Max.Z, g.z),
		},
		id: id,
	}
}

// at returns the grid coordinate of v, which is at least the minimum that was
// scaled to low. Rounding exceeds gridMax by less than one.
func (g *grid) at(v, low float64) int32 {
	return int32((v*g.pre - low) * g.scale)
}

// quantizeAll makes the records of all boxes.
func (b *builder) quantizeAll(g grid) error {
	err := par.Blocks(b.ctx, len(b.boxes), blockSize, b.workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			b.records[i] = g.put(&b.boxes[i], int32(i))
		}
	})
	if err != nil {
		return fmt.Errorf("bvh: build: %w", err)
	}
	return nil
}

// requantize puts the records of s on a grid of their own.
func (b *builder) requantize(s span) {
	bounds := EmptyBox()
	part := b.records[s.lo:s.hi]
	for i := range part {
		bounds = bounds.cover(&b.boxes[part[i].id])
	}
	g := newGrid(bounds)
	for i := range part {
		id := part[i].id
		part[i] = g.put(&b.boxes[id], id)
	}
}

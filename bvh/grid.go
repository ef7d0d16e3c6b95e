package bvh

import "math"

// gridMax is the largest grid coordinate. It is below 2³⁰, so the sum of two coordinates fits an
// int32.
const gridMax = 1<<30 - 1

// record is an input box on an integer grid. With integers the splits are equal on every machine,
// and no operation overflows or yields NaN. Rounding to the grid affects only the splits. The boxes
// of the nodes are exact.
type record struct {
	extent
	id int32
	_  int32 // pads the record to 32 bytes, so two records fill a cache line
}

// grid maps the points of a box to [0, gridMax]³, with the same scale on all axes.
type grid struct {
	pre     float64 // power of two; coordinates times pre are far from overflow and underflow
	x, y, z float64 // minimum of the box, multiplied by pre
	scale   float64
}

func newGrid(b Box) grid {
	g := grid{pre: 1}
	switch half := halfSize(&b, 1); {
	case half > 0x1p1000:
		g.pre = 0x1p-100
	case half < 0x1p-900:
		// If b is not a single point, its coordinates are at most 2⁵³ times its size. Then the
		// scaled coordinates are finite. If b is a single point, the scaled coordinates can be
		// infinite.
		g.pre = 0x1p800
	}
	g.x, g.y, g.z = b.Min.X*g.pre, b.Min.Y*g.pre, b.Min.Z*g.pre
	if size := 2 * halfSize(&b, g.pre); size > 0 {
		g.scale = gridMax / size
	}
	if math.IsInf(g.x, 0) || math.IsInf(g.y, 0) || math.IsInf(g.z, 0) {
		g = grid{} // b is a single point far from the origin, and the zero grid maps b to 0
	}
	return g
}

// halfSize returns half the longest edge of b, multiplied by pre. The full length can exceed the
// range of float64. pre comes before the factor 1/2, which would round a subnormal coordinate.
func halfSize(b *Box, pre float64) float64 {
	half := func(lo, hi float64) float64 { return 0.5*(hi*pre) - 0.5*(lo*pre) }
	return max(half(b.Min.X, b.Max.X), half(b.Min.Y, b.Max.Y), half(b.Min.Z, b.Max.Z))
}

// put returns box b as a record on the grid.
func (g *grid) put(b *Box, id int32) record {
	return record{
		extent: extent{
			x0: g.at(b.Min.X, g.x), y0: g.at(b.Min.Y, g.y), z0: g.at(b.Min.Z, g.z),
			x1: g.at(b.Max.X, g.x), y1: g.at(b.Max.Y, g.y), z1: g.at(b.Max.Z, g.z),
		},
		id: id,
	}
}

// at returns the grid coordinate of v, which must not be below the minimum of the grid. Rounding
// can bring the scaled coordinate above gridMax by less than 1. So the truncated result is at most
// gridMax.
func (g *grid) at(v, low float64) int32 {
	return int32((v*g.pre - low) * g.scale)
}

// requantize replaces the records of s by records on a finer grid. The finer grid covers only the
// boxes of these records.
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

// extent is a box in integer coordinates of the grid.
type extent struct {
	x0, y0, z0 int32
	x1, y1, z1 int32
}

func emptyExtent() extent {
	const big = 1<<31 - 1
	return extent{x0: big, y0: big, z0: big, x1: -big, y1: -big, z1: -big}
}

func (e *extent) grow(o *extent) {
	e.x0, e.y0, e.z0 = min(e.x0, o.x0), min(e.y0, o.y0), min(e.z0, o.z0)
	e.x1, e.y1, e.z1 = max(e.x1, o.x1), max(e.y1, o.y1), max(e.z1, o.z1)
}

// area returns half the surface area of e. e must not be empty.
func (e *extent) area() float64 {
	dx, dy, dz := float64(e.x1-e.x0), float64(e.y1-e.y0), float64(e.z1-e.z0)
	return float64(dx*dy) + float64(dy*dz) + float64(dz*dx)
}

// widest returns the length of the longest edge of e.
func (e *extent) widest() int32 { return max(e.x1-e.x0, e.y1-e.y0, e.z1-e.z0) }

// widestAxis returns the first axis on which e has its longest edge.
func (e *extent) widestAxis() int {
	switch e.widest() {
	case e.x1 - e.x0:
		return 0
	case e.y1 - e.y0:
		return 1
	}
	return 2
}

// doubledMiddle returns twice the middle of r on an axis, to avoid fractions.
func (r *record) doubledMiddle(axis int) int32 {
	switch axis {
	case 0:
		return r.x0 + r.x1
	case 1:
		return r.y0 + r.y1
	}
	return r.z0 + r.z1
}

// middlesOf returns the smallest extent that contains the doubled middles of all boxes in part.
func middlesOf(part []record) extent {
	e := emptyExtent()
	for i := range part {
		r := &part[i]
		x, y, z := r.x0+r.x1, r.y0+r.y1, r.z0+r.z1
		e.x0, e.y0, e.z0 = min(e.x0, x), min(e.y0, y), min(e.z0, z)
		e.x1, e.y1, e.z1 = max(e.x1, x), max(e.y1, y), max(e.z1, z)
	}
	return e
}

func extentOf(part []record) extent {
	e := emptyExtent()
	for i := range part {
		e.grow(&part[i].extent)
	}
	return e
}

package bvh

// extent is a box on the grid.
type extent struct {
	x0, y0, z0 int32
	x1, y1, z1 int32
}

func emptyExtent() extent {
	const big = 1<<31 - 1
	return extent{x0: big, y0: big, z0: big, x1: -big, y1: -big, z1: -big}
}

// grow extends e by o.
func (e *extent) grow(o *extent) {
	e.x0, e.y0, e.z0 = min(e.x0, o.x0), min(e.y0, o.y0), min(e.z0, o.z0)
	e.x1, e.y1, e.z1 = max(e.x1, o.x1), max(e.y1, o.y1), max(e.z1, o.z1)
}

// area returns half the surface area of e, which is not empty.
func (e *extent) area() float64 {
	dx, dy, dz := float64(e.x1-e.x0), float64(e.y1-e.y0), float64(e.z1-e.z0)
	return dx*dy + dy*dz + dz*dx
}

// widest returns the largest edge length of e.
func (e *extent) widest() int32 { return max(e.x1-e.x0, e.y1-e.y0, e.z1-e.z0) }

// widestAxis returns the first axis along which e is largest.
func (e *extent) widestAxis() int {
	switch e.widest() {
	case e.x1 - e.x0:
		return 0
	case e.y1 - e.y0:
		return 1
	}
	return 2
}

// middle returns twice the middle of the box on the axis.
func (r *record) middle(axis int) int32 {
	switch axis {
	case 0:
		return r.x0 + r.x1
	case 1:
		return r.y0 + r.y1
	}
	return r.z0 + r.z1
}

// middlesOf returns the bounds of the boxes' middles, times two.
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

// extentOf returns the bounds of the boxes.
func extentOf(part []record) extent {
	e := emptyExtent()
	for i := range part {
		e.grow(&part[i].extent)
	}
	return e
}

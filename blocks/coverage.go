package blocks

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Coverage tells how much of a solid is in a frame. It ignores the priorities of the solids.
type Coverage struct {
	// Whole is the volume of all points inside the solid, in the frame or not. WholeBound bounds its error. A
	// volume beyond the range of float64 is +Inf.
	Whole, WholeBound float64
	// Outside is the share of this volume that is outside the frame, from 0 to 1. OutsideBound bounds its error. Both
	// are 0 if the frame contains the box of the solid, and if the mesh has no faces. For any other solid of volume 0,
	// Outside is 0 and OutsideBound is 1.
	Outside, OutsideBound float64
}

// Coverage returns how much of solid i is in the frame f, whose pose must be the pose passed to New. If f is nil,
// Outside and OutsideBound are NaN.
//
// If the faces of a closed solid meet only along edges, the volumes are integrals over the faces, and the bounds are
// about 1e-12 of the volume. For any other solid, Coverage divides the box of the solid into at most 512 blocks, and at
// most as many as the frame has (without a frame, Options.Expected). Coverage halves a block up to Options.Levels times
// if faces in it cross or touch, or if the mesh is open. So Coverage usually takes less time than the shares of all
// blocks. Coverage can take longer if the frame has few blocks or if the solid is mostly outside.
//
// Errors: the error of ctx.
func (m *Model) Coverage(ctx context.Context, f *Frame, i int) (Coverage, error) {
	c := Coverage{Outside: math.NaN(), OutsideBound: math.NaN()}
	a := m.shapes[i]
	all, err := a.extent(ctx, m.solids[i].Mesh())
	if err != nil {
		return c, err
	}
	if all.Empty() {
		if f != nil {
			c.Outside, c.OutsideBound = 0, 0
		}
		return c, nil
	}
	alone := &Model{solids: m.solids[i : i+1], shapes: m.shapes[i : i+1], place: m.place, opt: Options{Levels: m.opt.Levels}}
	if alone.partitions, err = newPartitions(ctx, alone.shapes, true); err != nil {
		return c, err
	}
	count := f.count(m.opt.Expected)
	whole, err := alone.shareOf(ctx, all, count)
	if err != nil {
		return c, err
	}
	volume := ratio(all.Size(), r3.Vector{X: 1, Y: 1, Z: 1})
	const rounding = 8 * u // bound of the relative rounding errors of the lengths and the products
	c.Whole, c.WholeBound = volume*whole.x, volume*(max(whole.hi-whole.x, whole.x-whole.lo)+rounding*whole.x)
	if f == nil {
		return c, nil
	}
	c.Outside, c.OutsideBound = 0, 0
	part := intersection(all, f.planes([3]int{}, f.Counts))
	switch {
	case part == all:
		return c, nil
	case part.Empty():
		c.Outside = 1
		return c, nil
	}
	inside, err := alone.shareOf(ctx, part, count)
	if err != nil {
		return c, err
	}
	// The quotient of the volumes of part and all has the rounding of six differences, three quotients and two products.
	q := ratio(part.Size(), all.Size())
	lo := 1 - min(1, q*inside.hi/max(0, whole.lo)*(1+16*u))
	hi := 1 - min(1, q*inside.lo/whole.hi*(1-16*u))
	c.Outside = min(max(1-q*inside.x/whole.x, lo), hi)
	if c.OutsideBound = max(hi-c.Outside, c.Outside-lo) + 4*u; !(c.OutsideBound <= 1) {
		c.Outside, c.OutsideBound = 0, 1 // whole.hi is 0
	}
	return c, nil
}

// Contains reports whether the frame f, whose pose must be the pose passed to New, certainly contains all of solid i.
// The solid of an open mesh can reach beyond the box of its faces; see mesh.Mesh.Reach.
//
// Errors: the error of ctx.
func (m *Model) Contains(ctx context.Context, f *Frame, i int) (bool, error) {
	all, err := m.shapes[i].extent(ctx, m.solids[i].Mesh())
	return err == nil && (all.Empty() || intersection(all, f.planes([3]int{}, f.Counts)) == all), err
}

// extent returns a box in local coordinates that contains the exact solid: the box of its faces with their
// rounding, and for an open mesh all points whose winding number can be 1/2 or more. world is the mesh in the world;
// a rotation does not change its reach.
func (a *shape) extent(ctx context.Context, world *mesh.Mesh) (bvh.Box, error) {
	b := a.tree.Bounds()
	if b.Empty() {
		return b, nil
	}
	d := a.radius
	if a.open {
		reach, err := world.Reach(ctx)
		if err != nil {
			return b, err
		}
		d = math.Nextafter(d+reach, math.Inf(1))
	}
	if d == 0 {
		return b, nil
	}
	grow := func(x, by float64) float64 { return math.Nextafter(x+by, math.Copysign(math.Inf(1), by)) }
	return bvh.Box{
		Min: r3.Vector{X: grow(b.Min.X, -d), Y: grow(b.Min.Y, -d), Z: grow(b.Min.Z, -d)},
		Max: r3.Vector{X: grow(b.Max.X, d), Y: grow(b.Max.Y, d), Z: grow(b.Max.Z, d)},
	}, nil
}

// intersection returns the common part of two boxes. It is empty if they have no volume in common.
func intersection(a, b bvh.Box) bvh.Box {
	c := bvh.Box{
		Min: r3.Vector{X: max(a.Min.X, b.Min.X), Y: max(a.Min.Y, b.Min.Y), Z: max(a.Min.Z, b.Min.Z)},
		Max: r3.Vector{X: min(a.Max.X, b.Max.X), Y: min(a.Max.Y, b.Max.Y), Z: min(a.Max.Z, b.Max.Z)},
	}
	if !(c.Min.X < c.Max.X && c.Min.Y < c.Max.Y && c.Min.Z < c.Max.Z) {
		return bvh.EmptyBox()
	}
	return c
}

// coverageBlocks is the largest number of blocks into which Coverage divides a box. // tuning
const coverageBlocks = 8 * 8 * 8

// count returns the number of blocks of f, or without a frame the number that is expected.
func (f *Frame) count(expected int) int {
	switch {
	case f != nil:
		return min(f.Grid().Len(), coverageBlocks)
	case expected > 0:
		return expected
	}
	return coverageBlocks
}

// shareOf returns the share of a box in the only solid of m. It divides the box into most blocks or
// fewer.
func (m *Model) shareOf(ctx context.Context, b bvh.Box, most int) (share, error) {
	w := m.Worker(ctx)
	if m.shapes[0].known {
		if s, ok := w.integral.share(m.shapes[0], b); ok {
			return s, nil
		}
	}
	parts := []bvh.Box{b}
	for 8*len(parts) <= min(most, coverageBlocks) {
		var next []bvh.Box
		for _, p := range parts {
			octants, ok := split(p)
			if !ok {
				return share{0.5, 0, 1}, nil
			}
			next = append(next, octants[:]...)
		}
		parts = next
	}
	const block = 64
	workers := par.Workers(m.shapes[0].set.Workers)
	list := make([]*Worker, workers)
	rows := make([]Rows, (len(parts)+block-1)/block)
	errs := make([]error, len(rows))
	err := par.Blocks(ctx, len(parts), block, workers, func(worker, lo, hi int) {
		if list[worker] == nil {
			list[worker] = m.Worker(ctx)
		}
		r := &rows[lo/block]
		for _, p := range parts[lo:hi] {
			r.Rows = append(r.Rows, Row{Box: p})
		}
		errs[lo/block] = list[worker].Boxes(r)
	})
	if err != nil {
		return share{}, err
	}
	x, e, size := 0.0, 0.0, b.Size()
	for k := range rows {
		if errs[k] != nil {
			return share{}, errs[k]
		}
		r := &rows[k]
		for i := range r.Rows {
			weight := ratio(r.Rows[i].Box.Size(), size)
			x += weight * r.Shares[0][i]
			e += weight * r.Bounds[0][i]
		}
	}
	// The sum of 2⁹ terms that are at most 1 in total.
	return within(x, e*(1+0x1p-20)+0x1p10*u), nil
}

package rays

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// reachOf returns the box of the faces, grown by mesh.Mesh.Reach and rounded outward. Every point
// that is not in this box has the side Outside. If there is no face, the box is empty.
func reachOf(ctx context.Context, m *mesh.Mesh, faces bvh.Box) (*bvh.Box, error) {
	r, err := m.Reach(ctx)
	if err != nil || faces.Empty() {
		return &faces, err
	}
	return grow(&faces, r), nil
}

// grow returns a box with a margin of r, rounded outward.
func grow(box *bvh.Box, r float64) *bvh.Box {
	add := func(x, by float64) float64 { return math.Nextafter(x+by, math.Copysign(math.Inf(1), by)) }
	lo, hi := box.Min, box.Max
	return &bvh.Box{
		Min: r3.Vector{X: add(lo.X, -r), Y: add(lo.Y, -r), Z: add(lo.Z, -r)},
		Max: r3.Vector{X: add(hi.X, r), Y: add(hi.Y, r), Z: add(hi.Z, r)},
	}
}

// openReach returns the box of reachOf. If Exact returns true, no part is sampled, and openReach
// returns nil.
func (c *Caster) openReach(ctx context.Context) (*bvh.Box, error) {
	if c.Exact() {
		return nil, nil
	}
	return c.reach.Get(ctx)
}

// clip returns the parameters between which the segment l can meet the box. All points with exact
// parameters below enter or above leave are outside the box. If enter > leave, all points of l are
// outside the box.
//
// Each quotient has three relative errors of at most ε: of the difference, of the component of l.d
// and of the division. An error of underflow is below 2⁻¹⁰⁷³. With a pose, the box is enlarged:
// this covers the distance between the exact points and the points of the rounded line, for
// parameters from −1 to 2.
func clip(l *line, box *bvh.Box) (enter, leave float64) {
	enter, leave = 0, 1
	if slack := (l.radius + 2*l.spread) * (1 + 16*epsilon); slack > 0 {
		box = grow(box, slack)
	}
	for axis := range 3 {
		a, d := component(&l.a, axis), component(&l.d, axis)
		lo, hi := component(&box.Min, axis), component(&box.Max, axis)
		if d == 0 {
			if !(lo <= a && a <= hi) {
				return 1, 0
			}
			continue
		}
		if d < 0 {
			lo, hi = hi, lo
		}
		// Parameters outside [−1, 2] are not needed, and could be infinite.
		first, last := max(-1, min((lo-a)/d, 2)), max(-1, min((hi-a)/d, 2))
		enter = max(enter, first-8*epsilon*math.Abs(first)-0x1p-1000)
		leave = min(leave, last+8*epsilon*math.Abs(last)+0x1p-1000)
	}
	return enter, leave
}

// inReach returns the length of the part of the segment l that can meet the box.
func inReach(l *line, box *bvh.Box) float64 {
	enter, leave := clip(l, box)
	length, bound := l.length()
	return max(0, leave-enter) * (length + bound)
}

// nearest returns the approximate parameter of the point on the line of l nearest to the middle of
// the box of the faces.
func (c *Caster) nearest(l *line) float64 {
	box := c.tree.Bounds()
	scale := 1 / max(math.Abs(l.d.X), math.Abs(l.d.Y), math.Abs(l.d.Z)) // no product overflows
	d := l.d.Mul(scale)
	s := box.Min.Mul(0.5).Add(box.Max.Mul(0.5)).Sub(l.a)
	if t := s.Mul(scale).Dot(d) / d.Norm2(); t-t == 0 {
		return t
	}
	return 0.5
}

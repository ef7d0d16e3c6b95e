package cells

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/predicates"
)

// neighbours checks that empty cells with a common face have the same W, and
// those at the border of the grid W = 0.
func (v *validator) neighbours() error {
	x := v.x
	for _, c := range v.empty {
		for axis := range 3 {
			for _, step := range [2]int32{-1, 1} {
				to := c.place
				to.at[axis] += step
				if x.parity && c.w&^1 != 0 {
					return fmt.Errorf("%v: W = %d is not a parity", c.place, c.w)
				}
				if to.at[axis] < 0 || to.at[axis]>>(childBits*to.level) >= x.dims[axis]*brickSide {
					if c.w != 0 {
						return fmt.Errorf("%v: W = %d at the border of the grid", c.place, c.w)
					}
					continue
				}
				if r := v.regionOf(to); r.empty && r.w != c.w {
					return fmt.Errorf("%v: W = %d, beside W = %d in direction %d of axis %d", c.place, c.w, r.w, step, axis)
				}
			}
		}
	}
	return nil
}

// some returns every how many of n cells one is looked at, to look at most of
// them.
func some(n, most int) int { return max(1, (n+most-1)/most) }

// signs checks references and planes of leaves by exact predicates.
func (v *validator) signs() error {
	for i := 0; i < len(v.leaves); i += some(len(v.leaves), v.effort.lists) {
		if i%64 == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		if err := v.referenceSigns(v.leaves[i]); err != nil {
			return err
		}
		if err := v.planeSigns(v.leaves[i]); err != nil {
			return err
		}
	}
	return nil
}

// exact returns the sign that bits of a reference or plane stand for at p: +1 on
// the outer side of face f; 0 for faces of zero area.
func (v *validator) exact(f int32, p r3.Vector) int {
	t := v.x.triangle(f)
	return -predicates.Orient3D(t[0], t[1], t[2], p)
}

// referenceSigns checks the bits of both references of a leaf.
func (v *validator) referenceSigns(leaf located) error {
	x := v.x
	for r := range 2 {
		corner, _, _ := x.line(leaf.id).reference(r)
		if corner > 7 {
			return fmt.Errorf("%v: reference %d is corner %d", leaf.place, r, corner)
		}
		p := x.corner(leaf.place, corner)
		for id, more := leaf.id, true; more; {
			l := x.line(id)
			_, signs, _ := l.reference(r)
			for j, f := range x.faces(id)[:l.planes()] {
				positive := signs>>j&1 == 1
				switch {
				case f < 0:
					if !positive {
						return fmt.Errorf("%v: reference %d is negative for no plane", leaf.place, r)
					}
				case x.flat[f]:
				default:
					if s := v.exact(f, p); s == 0 || positive != (s > 0) {
						return fmt.Errorf("%v: reference %d: positive is %v for face %d, exactly it is %d", leaf.place, r, positive, f, s)
					}
				}
			}
			more = l.kind() == 1
			id = l.next()
		}
	}
	return nil
}

// planeSigns checks the certain signs of the planes of a leaf: at its corners, at
// random points, and close to planes, where they are least certain.
func (v *validator) planeSigns(leaf located) error {
	x := v.x
	var pts []r3.Vector
	for c := range uint8(8) {
		pts = append(pts, x.corner(leaf.place, c))
	}
	for range 4 {
		pts = append(pts, v.pointIn(leaf.place))
	}
	list := v.lists[leaf.id]
	for n := range 8 {
		if p, ok := v.nearPlane(leaf.place, list[(n*len(list))/8]); ok {
			pts = append(pts, p)
		}
	}
	for _, p := range pts {
		tx, ty, tz := x.at(p)
		ux, uy, uz := leaf.units(tx, ty, tz, x.scale(leaf.level))
		for id, more := leaf.id, true; more; {
			l := x.line(id)
			pos, neg := l.signs(ux, uy, uz)
			if pos&neg != 0 {
				return fmt.Errorf("%v: a plane is positive and negative at %v", leaf.place, p)
			}
			for j, f := range x.faces(id)[:l.planes()] {
				got := int(pos>>j&1) - int(neg>>j&1)
				switch {
				case f < 0:
					if got != 1 {
						return fmt.Errorf("%v: no plane has sign %d at %v", leaf.place, got, p)
					}
				case got != 0:
					if s := v.exact(f, p); s != got {
						return fmt.Errorf("%v: the plane of face %d is certainly %d at %v, exactly %d", leaf.place, f, got, p, s)
					}
				}
			}
			more = l.kind() == 1
			id = l.next()
		}
	}
	return nil
}

// nearPlane returns a random point of the cell at p within a few 2^−14 of its
// edge of the plane of face f, if that meets the cell in a random segment.
func (v *validator) nearPlane(p place, f int32) (r3.Vector, bool) {
	t := v.x.triangle(f)
	a, b := v.pointIn(p), v.pointIn(p)
	e, g := t[1].Sub(t[0]), t[2].Sub(t[0])
	n := e.Mul(1 / e.Norm()).Cross(g.Mul(1 / g.Norm())) // each scaled by itself: no under- or overflow
	da, db := n.Dot(a.Sub(t[0])), n.Dot(b.Sub(t[0]))
	u := da / (da - db)
	if !(u > 0 && u < 1) {
		return a, false
	}
	u = min(max(0, u+(v.random.Float64()-0.5)*0x1p-12), 1)
	return a.Mul(1 - u).Add(b.Mul(u)), true
}

// windings checks W of references and empty cells by rays, and that the
// potential of fans is faint where no rays are asked.
func (v *validator) windings() error {
	x := v.x
	rays, err := x.newRayW(v.ctx)
	if err != nil {
		return fmt.Errorf("no rays to check winding numbers: %w", err)
	}
	for i := 0; i < len(v.leaves); i += some(len(v.leaves), v.rays) {
		leaf := v.leaves[i]
		for r := range 2 {
			corner, _, w := x.line(leaf.id).reference(r)
			if want := rays.at(x.corner(leaf.place, corner)); want != unknown && w != want {
				return fmt.Errorf("%v: W = %d of reference %d, by rays %d", leaf.place, w, r, want)
			}
		}
	}
	v.random.Shuffle(len(v.empty), func(i, j int) { v.empty[i], v.empty[j] = v.empty[j], v.empty[i] })
	for _, c := range v.empty[:min(len(v.empty), v.rays)] {
		p := v.pointIn(c.place)
		if want := rays.at(p); want != unknown && c.w != want {
			return fmt.Errorf("%v: W = %d, by rays %d at %v", c.place, c.w, want, p)
		}
		if rays.fans == nil {
			continue
		}
		shift := childBits * c.level
		e, _, _ := x.find(c.at[0]>>shift, c.at[1]>>shift, c.at[2]>>shift)
		if w, bound, on := rays.fans.Winding(p); e&needsRays == 0 && (on || math.Abs(w)-bound > 0.5) {
			return fmt.Errorf("%v: no rays are asked where the potential of the fans is %g", c.place, w)
		}
	}
	return nil
}

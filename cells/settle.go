package cells

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// settle finds W of the leaves and of the sets that are left: from leaf to leaf
// where they touch at corners, and where that does not go on, by a ray. Leaves
// for which nothing helps are handed over.
func (k *linker) settle(ctx context.Context, late []located) error {
	r := &referrer{k: k}
	sets := k.unknownSets()
	var rays *rayW
	for len(late)+len(sets) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := len(late) + len(sets)
		late = slices.DeleteFunc(late, func(l located) bool {
			return r.chooseBy(l, func(c uint8) int32 { return k.touching(l.place, c) })
		})
		sets = slices.DeleteFunc(sets, k.settleSet)
		if len(late)+len(sets) < before {
			continue
		}
		// Nothing touches anything known: the next by a ray.
		if rays == nil {
			var err error
			if rays, err = k.x.newRayW(ctx); err != nil {
				return err
			}
		}
		if n := len(sets) - 1; n >= 0 {
			p := sets[n]
			sets = sets[:n]
			if w := rays.at(k.x.corner(p.place, 0).Add(k.x.corner(p.place, 7)).Mul(0.5)); w != unknown {
				k.sets.join(p.set, 0, w)
			}
			continue
		}
		n := len(late) - 1
		l := late[n]
		late = late[:n]
		if !r.chooseBy(l, func(c uint8) int32 { return rays.at(k.x.corner(l.place, c)) }) {
			k.x.handList(l.id)
		}
	}
	return nil
}

// chooseBy is choose with W at corner c from find(c).
func (r *referrer) chooseBy(l located, find func(c uint8) int32) bool {
	var w [8]int32
	known := uint8(0)
	for c := range w {
		if w[c] = find(uint8(c)); w[c] != unknown {
			known |= 1 << c
		}
	}
	return r.choose(l, known, &w)
}

// handList hands over a cell that was to have a list from line id on.
func (x *Index) handList(id uint32) {
	x.shape.Crossed--
	x.shape.Handed++
	for at, ok := id, true; ok; {
		for _, f := range x.faces(at) {
			if f >= 0 {
				x.shape.Entries--
			}
		}
		l := x.line(at)
		at, ok = l.next(), l.kind() == more
	}
	*x.line(id) = line{handed}
}

// rayW finds the integer winding number of mesh and fans at single points.
type rayW struct {
	x       *Index
	caster  *raycross.Caster
	fans    *bem.Direct // nil: there are none
	scratch raycross.Scratch
}

func (x *Index) newRayW(ctx context.Context) (*rayW, error) {
	c, err := x.rays(ctx)
	if err != nil {
		return nil, err
	}
	r := &rayW{x: x, caster: c}
	if len(x.fans) > 0 {
		soup := mesh.Soup{}
		for i, t := range x.fans {
			soup.Vertices = append(soup.Vertices, t[:]...)
			soup.Faces = append(soup.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		}
		m, err := mesh.NewContext(ctx, soup, mesh.Options{})
		if err != nil {
			return nil, err
		}
		r.fans = bem.NewDirect(m, 1)
	}
	return r, nil
}

// at returns the winding number of p, or unknown.
func (r *rayW) at(p r3.Vector) int32 {
	if r.fans == nil {
		n := r.caster.Count(p, &r.scratch)
		switch {
		case n.OnSurface:
			return unknown
		case r.x.parity:
			return int32(n.Crossings & 1)
		case n.Signed != int64(int32(n.Signed)):
			return unknown
		}
		return int32(n.Signed)
	}
	w, bound := r.caster.Winding(p, &r.scratch)
	fan, off, on := r.fans.Winding(p)
	k := math.RoundToEven(w + fan)
	if on || !(math.Abs(w+fan-k)+bound+off < 0.5) || math.Abs(k) > 1<<30 {
		return unknown
	}
	return int32(k)
}

// emptyCell is a cell of a set.
type emptyCell struct {
	place
	set int32
}

// unknownSets returns a cell of each set of bricks and children whose W is not
// known. Bricks without faces are joined to others at all their faces.
func (k *linker) unknownSets() (cells []emptyCell) {
	x := k.x
	for n := range int32(len(x.gridOf)) {
		parts, first := k.partsOf(n)
		for i := range parts {
			set := first + int32(i)
			if _, ok := k.sets.w(set); ok {
				continue
			}
			lo := x.brickAt(x.gridOf[n])
			for a := range lo {
				lo[a] *= brickSide
			}
			for z, w := range parts[i] {
				if w != 0 {
					bit := int32(bits.TrailingZeros64(w))
					at := [3]int32{lo[0] + bit%brickSide, lo[1] + bit/brickSide, lo[2] + int32(z)}
					cells = append(cells, emptyCell{place{0, at}, set})
					break
				}
			}
		}
	}
	for i := range k.children {
		c := &k.children[i]
		for j, p := range c.parts {
			set := c.first + int32(j)
			if _, ok := k.sets.w(set); !ok {
				at := cellOf(c.lo, int32(bits.TrailingZeros64(p)), childBits)
				cells = append(cells, emptyCell{place{c.level, at}, set})
			}
		}
	}
	return cells
}

// settleSet finds W of a set at the corners of its cell.
func (k *linker) settleSet(p emptyCell) bool {
	if _, ok := k.sets.w(p.set); ok {
		return true
	}
	for c := range uint8(8) {
		if w := k.touching(p.place, c); w != unknown {
			k.sets.join(p.set, 0, w)
			return true
		}
	}
	return false
}

// touching returns W at corner c of a cell, if a leaf there knows it.
func (k *linker) touching(p place, c uint8) int32 {
	x := k.x
	for d := range uint8(8) {
		level, at := p.level, p.at
		for axis := range 3 {
			at[axis] += int32(c>>axis&1) + int32(d>>axis&1) - 1
		}
		set, leaf, ok := k.empty(level, at)
		for !ok && leaf.level < 0 {
			// Refined: its child at the corner.
			level++
			for axis := range 3 {
				at[axis] = at[axis]<<childBits + (1-int32(d>>axis&1))*(childSide-1)
			}
			set, leaf, ok = k.empty(level, at)
		}
		if ok {
			if w, ok := k.sets.w(set); ok {
				return w
			}
			continue
		}
		if l := x.line(leaf.id); !l.listed() || l.open() {
			continue
		}
		q := x.corner(p, c)
		tx, ty, tz := x.at(q)
		ux, uy, uz := leaf.units(tx, ty, tz, x.scale(leaf.level))
		if w, v := x.local(leaf.id, leaf.place, q, ux, uy, uz, &k.signs); v == counted {
			return w
		}
	}
	return unknown
}

package cells

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/inpoly/inpoly/predicates"
)

// linker knows the connected sets of empty cells while winding numbers are
// found. Set 0 is the space outside; sets 1 to the number of bricks of the grid
// are those of bricks without faces; then those of bricks, then of children.
type linker struct {
	x        *Index
	brickOf  []int32 // for each brick of the grid its number, −1: no faces
	parts    []block // connected sets of the bricks
	first    []int32 // for each number, its first set in parts
	offset   int32   // set number of parts[0]
	children []childCells
	sets     *union
	value    []int32 // W of the sets, where final says so
	final    []bool
	signs    predicates.Counter
}

// brickAt returns the lower corner of brick b of the grid, in bricks.
func (x *Index) brickAt(b int32) [3]int32 {
	return [3]int32{b % x.dims[0], b / x.dims[0] % x.dims[1], b / x.dims[0] / x.dims[1]}
}

// checkBricks is how many bricks or refined cells are worked on between two looks
// at the context.
const checkBricks = 1 << 10

// link finds what faces of cells connect, and then W across single crossed cells
// where that is needed.
func (k *linker) link(ctx context.Context) error {
	x := k.x
	k.sets = newUnion(int(k.total()))
	for b := range int32(len(k.brickOf)) {
		if b%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := x.brickAt(b)
		step := int32(1)
		for axis := range 3 {
			if at[axis] == 0 {
				k.joinOutside(b, axis, false)
			}
			if at[axis]+1 < x.dims[axis] {
				k.joinBricks(b, b+step, axis)
			} else {
				k.joinOutside(b, axis, true)
			}
			step *= x.dims[axis]
		}
	}
	for i := range k.children {
		if i%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		k.joinChildren(&k.children[i])
	}
	for n := range int32(len(x.gridOf)) {
		if n%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		parts, first := k.partsOf(n)
		if k.known(first, len(parts)) {
			continue
		}
		x.leaves(n, func(l located) bool {
			k.joinAcross(l)
			return !k.known(first, len(parts))
		})
	}
	for i := range k.children {
		c := &k.children[i]
		if k.known(c.first, len(c.parts)) {
			continue
		}
		x.childLeaves(c, func(l located) bool {
			k.joinAcross(l)
			return !k.known(c.first, len(c.parts))
		})
	}
	return ctx.Err()
}

// known reports whether W is known for the n sets from first on.
func (k *linker) known(first int32, n int) bool {
	for i := range int32(n) {
		if _, ok := k.sets.w(first + i); !ok {
			return false
		}
	}
	return true
}

// leaves calls emit for the crossed cells of brick number n that are not
// refined, until it returns false.
func (x *Index) leaves(n int32, emit func(l located) bool) {
	lo := x.brickAt(x.gridOf[n])
	for a := range lo {
		lo[a] *= brickSide
	}
	for z := range int32(brickSide) {
		id := x.base[int(n)*brickSide+int(z)]
		for left := x.words[int(n)*brickSide+int(z)].crossed; left != 0; left &= left - 1 {
			bit := int32(bits.TrailingZeros64(left))
			if x.line(id).listed() && !emit(located{id, place{0, [3]int32{lo[0] + bit&7, lo[1] + bit>>3, lo[2] + z}}}) {
				return
			}
			id++
		}
	}
}

// childLeaves is leaves for the children of a refined cell.
func (x *Index) childLeaves(c *childCells, emit func(l located) bool) {
	ch := x.line(c.id).child()
	id := ch.base
	for left := ch.crossed; left != 0; left &= left - 1 {
		at := cellOf(c.lo, int32(bits.TrailingZeros64(left)), childBits)
		if x.line(id).listed() && !emit(located{id, place{c.level, at}}) {
			return
		}
		id++
	}
}

// total returns the number of sets.
func (k *linker) total() int32 {
	n := k.offset + int32(len(k.parts))
	for i := range k.children {
		k.children[i].first = n
		n += int32(len(k.children[i].parts))
	}
	return n
}

// partsOf returns the sets of a brick of the grid that has faces, and the number
// of the first.
func (k *linker) partsOf(n int32) (parts []block, first int32) {
	lo, hi := k.first[n], k.first[n+1]
	return k.parts[lo:hi], k.offset + lo
}

func (k *linker) joinOutside(b int32, axis int, upper bool) {
	n := k.brickOf[b]
	if n < 0 {
		k.sets.join(0, 1+b, 0)
		return
	}
	parts, first := k.partsOf(n)
	for i := range parts {
		if parts[i].face(axis, upper) != 0 {
			k.sets.join(0, first+int32(i), 0)
		}
	}
}

// joinBricks joins the sets of brick a and of its upper neighbour b along axis.
func (k *linker) joinBricks(a, b int32, axis int) {
	na, nb := k.brickOf[a], k.brickOf[b]
	switch {
	case na < 0 && nb < 0:
		k.sets.join(1+a, 1+b, 0)
	case na < 0:
		parts, first := k.partsOf(nb)
		for i := range parts {
			if parts[i].face(axis, false) != 0 {
				k.sets.join(1+a, first+int32(i), 0)
			}
		}
	case nb < 0:
		parts, first := k.partsOf(na)
		for i := range parts {
			if parts[i].face(axis, true) != 0 {
				k.sets.join(1+b, first+int32(i), 0)
			}
		}
	default:
		pa, fa := k.partsOf(na)
		pb, fb := k.partsOf(nb)
		for i := range pa {
			face := pa[i].face(axis, true)
			if face == 0 {
				continue
			}
			for j := range pb {
				if face&pb[j].face(axis, false) != 0 {
					k.sets.join(fa+int32(i), fb+int32(j), 0)
				}
			}
		}
	}
}

// joinChildren joins the sets of a refined cell with those of larger cells, or of
// cells of the same size, at its faces.
func (k *linker) joinChildren(c *childCells) {
	for i, part := range c.parts {
		for left := part; left != 0; left &= left - 1 {
			at := cellOf(c.lo, int32(bits.TrailingZeros64(left)), childBits)
			for axis := range 3 {
				for _, step := range [2]int32{-1, 1} {
					to := at
					to[axis] += step
					if (to[axis]-c.lo[axis])&^3 == 0 {
						continue
					}
					if set, _, ok := k.empty(c.level, to); ok {
						k.sets.join(set, c.first+int32(i), 0)
					}
				}
			}
		}
	}
}

// empty returns the set of the leaf that contains a cell of a level. ok is false
// if that leaf is not empty; then leaf is it, or has the level −1 if the cell is
// refined.
func (k *linker) empty(level int, at [3]int32) (set int32, leaf located, ok bool) {
	x := k.x
	shift := childBits * level
	b := [3]int32{at[0] >> shift, at[1] >> shift, at[2] >> shift}
	for axis := range 3 {
		if at[axis] < 0 || b[axis]>>brickBits >= x.dims[axis] {
			return 0, located{}, true
		}
	}
	g := (b[2]>>brickBits*x.dims[1]+b[1]>>brickBits)*x.dims[0] + b[0]>>brickBits
	n := k.brickOf[g]
	if n < 0 {
		return 1 + g, located{}, true
	}
	z, bit := int(b[2]&7), uint(b[0]&7|b[1]&7<<3)
	w := x.words[int(n)*brickSide+z].crossed
	if w>>bit&1 == 0 {
		parts, first := k.partsOf(n)
		for i := range parts {
			if parts[i][z]>>bit&1 == 1 {
				return first + int32(i), located{}, true
			}
		}
	}
	leaf = located{id: x.base[int(n)*brickSide+z] + uint32(bits.OnesCount64(w&(1<<bit-1))), place: place{0, b}}
	for {
		l := x.line(leaf.id)
		if uint8(atomic.LoadUint64(&l[0])) != refined { // references are being written
			return 0, leaf, false
		}
		if leaf.level == level {
			leaf.level = -1
			return 0, leaf, false
		}
		leaf.level++
		shift -= childBits
		leaf.at = [3]int32{at[0] >> shift, at[1] >> shift, at[2] >> shift}
		bit := uint(leaf.at[0]&3 | leaf.at[1]&3<<2 | leaf.at[2]&3<<4)
		c := &k.children[l[5]]
		if l[1]>>bit&1 == 0 {
			for i, part := range c.parts {
				if part>>bit&1 == 1 {
					return c.first + int32(i), located{}, true
				}
			}
		}
		leaf.id = uint32(l[3]) + uint32(bits.OnesCount64(l[1]&(1<<bit-1)))
	}
}

// located is a crossed leaf.
type located struct {
	id uint32
	place
}

// joinAcross counts the crossings between corners of a leaf where the sets are
// not joined yet.
func (k *linker) joinAcross(l located) {
	seen := int32(-1) // the first set
	var from uint8
	for c := range uint8(8) {
		set, ok := k.around(l.place, c)
		if !ok {
			continue
		}
		if seen < 0 {
			seen, from = set, c
			continue
		}
		ra, _ := k.sets.find(seen)
		rb, _ := k.sets.find(set)
		if ra == rb {
			continue
		}
		a, b := k.x.corner(l.place, from), k.x.corner(l.place, c)
		if chi, ok := k.x.between(l.id, a, b, ^uint64(0), &k.signs); ok {
			k.sets.join(seen, set, chi)
		}
	}
}

// around returns the set of an empty cell of the leaf's level that has corner c
// of it, and whether there is one.
func (k *linker) around(p place, c uint8) (set int32, ok bool) {
	for d := range uint8(8) {
		if d == c^7 {
			continue // p itself
		}
		at := p.at
		for axis := range 3 {
			at[axis] += int32(c>>axis&1) + int32(d>>axis&1) - 1
		}
		if set, _, ok := k.empty(p.level, at); ok {
			return set, true
		}
	}
	return 0, false
}

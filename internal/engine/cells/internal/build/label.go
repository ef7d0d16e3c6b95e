package build

import (
	"context"
	"iter"
	"math/bits"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/disjoint"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/predicates"
)

const unknownW = int32(-1 << 31)

// checkBricks is the number of bricks or refined cells between two checks of the context.
const checkBricks = 1 << 10

// labeler finds the winding numbers of components. A component is a set of empty cells that are
// connected through faces. Component 0 is the space outside of the grid. If no face meets brick
// position b, component 1 + b is the whole brick. The components of crossed bricks follow, and then
// the components of refined cells.
type labeler struct {
	*builder
	crossedAt  []int32      // crossedAt[b] is the number of the crossed brick at brick position b, or −1
	components []brickMask  // components of crossed bricks
	start      []int32      // start[n] is the index in components of the first component of crossed brick n
	offset     int32        // number of the component that is stored in components[0]
	full       [1]brickMask // all cells of a brick; the only component of a brick without faces
	refined    []refinedCell
	capCells   []*brickMask       // cells of each crossed brick that a cap meets; nil if there are none
	sets       *disjoint.Weighted // holds known differences between the winding numbers of components
	border     border             // border of the region that Refit replaces
	signs      predicates.Counter

	// w and known copy the winding numbers of sets, because goroutines can read a copy
	// concurrently.
	w     []int32
	known []bool
}

// label connects components that touch at faces of bricks and refined cells. If winding numbers
// remain unknown, label also connects components on different sides of a crossed cell.
func (l *labeler) label(ctx context.Context) error {
	count := l.offset + int32(len(l.components))
	for i := range l.refined {
		l.refined[i].first = count
		count += int32(len(l.refined[i].components))
	}
	l.border.first = count
	l.sets = disjoint.NewWeighted(int(count) + len(l.border.values))
	l.joinBorder()
	for b := range l.positions() {
		if b%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := l.BrickAt(b)
		step := int32(1)
		for axis := range 3 {
			if at[axis] == 0 {
				l.joinOutside(b, axis, false)
			} else if l.region != nil {
				l.joinBricks(b-step, b, axis) // if the brick at b−step is not in the region, no other call joins them
			}
			if at[axis]+1 < l.Dims[axis] {
				l.joinBricks(b, b+step, axis)
			} else {
				l.joinOutside(b, axis, true)
			}
			step *= l.Dims[axis]
		}
	}
	for i := range l.refined {
		if i%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.joinRefined(&l.refined[i])
	}
	for n := range int32(len(l.Positions)) {
		if n%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		components, first := l.componentsOf(n)
		// Only leaves that touch an unknown component can help.
		var unknown brickMask
		for i := range components {
			if _, ok := l.sets.Value(first + int32(i)); !ok {
				unknown.union(&components[i])
			}
		}
		if unknown == (brickMask{}) {
			continue
		}
		near := unknown.dilated()
		lo := l.FirstCell(l.Positions[n])
		l.joinLeaves(func(yield func(layout.Leaf) bool) {
			for leaf := range l.leaves(n) {
				if near[leaf.At[2]-lo[2]]>>(leaf.At[0]-lo[0]|(leaf.At[1]-lo[1])<<layout.BrickBits)&1 == 1 && !yield(leaf) {
					return
				}
			}
		}, first, len(components))
	}
	for i := range l.refined {
		c := &l.refined[i]
		l.joinLeaves(l.childLeaves(c), c.first, len(c.components))
	}
	l.w = make([]int32, l.sets.Len())
	l.known = make([]bool, l.sets.Len())
	for i := range l.w {
		l.w[i], l.known[i] = l.sets.Value(int32(i))
	}
	return ctx.Err()
}

// componentsOf returns the components of crossed brick n, and the number of the first component.
func (l *labeler) componentsOf(n int32) (components []brickMask, first int32) {
	lo, hi := l.start[n], l.start[n+1]
	return l.components[lo:hi], l.offset + lo
}

// componentsIn returns the components of brick position b, and the number of the first component. A
// brick without faces is one component.
func (l *labeler) componentsIn(b int32) (components []brickMask, first int32) {
	if n := l.crossedAt[b]; n >= 0 {
		return l.componentsOf(n)
	}
	return l.full[:], 1 + b
}

// allKnown reports whether the winding numbers of n consecutive components are known.
func (l *labeler) allKnown(first int32, n int) bool {
	for i := range int32(n) {
		if _, ok := l.sets.Value(first + i); !ok {
			return false
		}
	}
	return true
}

// joinLeaves connects the components around leaves until the winding numbers of n consecutive
// components are known.
func (l *labeler) joinLeaves(leaves iter.Seq[layout.Leaf], first int32, n int) {
	for leaf := range leaves {
		if l.allKnown(first, n) {
			return
		}
		l.joinAcross(leaf)
	}
}

// finalW returns the winding number of a component in the form that records store. If the winding
// number is not known, finalW returns unknownW.
func (l *labeler) finalW(component int32) int32 {
	if w, ok := l.sets.Value(component); ok {
		return l.Reduce(w)
	}
	return unknownW
}

// joinOutside connects the components at a face of brick position b with component 0, the space
// outside of the grid. The face is the upper or the lower face along axis.
func (l *labeler) joinOutside(b int32, axis int, upper bool) {
	components, first := l.componentsIn(b)
	for i := range components {
		if components[i].face(axis, upper) != 0 {
			l.sets.Union(0, first+int32(i), 0)
		}
	}
}

// joinBricks connects the components of brick position a with the components of its upper neighbor
// b along axis.
func (l *labeler) joinBricks(a, b int32, axis int) {
	if l.crossedAt[a] < 0 && l.crossedAt[b] < 0 {
		l.sets.Union(1+a, 1+b, 0)
		return
	}
	ca, fa := l.componentsIn(a)
	cb, fb := l.componentsIn(b)
	for i := range ca {
		face := ca[i].face(axis, true)
		if face == 0 {
			continue
		}
		for j := range cb {
			if face&cb[j].face(axis, false) != 0 {
				l.sets.Union(fa+int32(i), fb+int32(j), 0)
			}
		}
	}
}

// joinRefined connects the components of a refined cell with empty neighbors of the cell. It skips
// neighbors that are smaller than the children of the cell.
func (l *labeler) joinRefined(c *refinedCell) {
	for i, component := range c.components {
		for left := component; left != 0; left &= left - 1 {
			at := layout.CellOf(c.lo, int32(bits.TrailingZeros64(left)), layout.ChildBits)
			for axis := range 3 {
				for _, step := range [2]int32{-1, 1} {
					to := at
					to[axis] += step
					if (to[axis]-c.lo[axis])&^3 == 0 {
						continue
					}
					if neighbor, _, ok := l.componentAt(c.level, to); ok {
						l.sets.Union(neighbor, c.first+int32(i), 0)
					}
				}
			}
		}
	}
}

// componentAt returns the component that contains the cell at the given coordinates and level. If
// the cell is in a crossed leaf, ok is false, and leaf is this crossed leaf. If the cell itself is
// refined, ok is false and leaf.Level is −1.
func (l *labeler) componentAt(level int, at [3]int32) (component int32, leaf layout.Leaf, ok bool) {
	shift := layout.ChildBits * level
	b := [3]int32{at[0] >> shift, at[1] >> shift, at[2] >> shift}
	for axis := range 3 {
		if at[axis] < 0 || b[axis]>>layout.BrickBits >= l.Dims[axis] {
			return 0, layout.Leaf{}, true
		}
	}
	position := l.Position([3]int32{b[0] >> layout.BrickBits, b[1] >> layout.BrickBits, b[2] >> layout.BrickBits})
	n := l.crossedAt[position]
	if n < 0 {
		return 1 + position, layout.Leaf{}, true
	}
	z, bit := int(b[2]&7), uint(b[0]&7|b[1]&7<<3)
	w := l.Words[int(n)*layout.BrickSide+z].Crossed
	if w>>bit&1 == 0 {
		components, first := l.componentsOf(n)
		for i := range components {
			if components[i][z]>>bit&1 == 1 {
				return first + int32(i), layout.Leaf{}, true
			}
		}
	}
	leaf = layout.Leaf{
		Record:   l.First[int(n)*layout.BrickSide+z] + uint32(bits.OnesCount64(w&(1<<bit-1))),
		CellAddr: layout.CellAddr{Level: 0, At: b},
	}
	for {
		r := l.Record(leaf.Record)
		switch uint8(atomic.LoadUint64(&r[0])) { // an atomic load, because other workers write references
		case layout.KindRefined:
		case layout.KindUniform: // a cell of the border
			return l.border.component(int32(int64(r[1]))), layout.Leaf{}, true
		default:
			return 0, leaf, false
		}
		if leaf.Level == level {
			leaf.Level = -1
			return 0, leaf, false
		}
		leaf.Level++
		shift -= layout.ChildBits
		leaf.At = [3]int32{at[0] >> shift, at[1] >> shift, at[2] >> shift}
		bit := uint(leaf.At[0]&3 | leaf.At[1]&3<<2 | leaf.At[2]&3<<4)
		if r[1]>>bit&1 == 0 {
			if r[5] == 0 { // a cell of the border
				ch := r.Children()
				return l.border.component(ch.W[ch.Value>>bit&1]), layout.Leaf{}, true
			}
			c := &l.refined[r[5]-1]
			for i, component := range c.components {
				if component>>bit&1 == 1 {
					return c.first + int32(i), layout.Leaf{}, true
				}
			}
		}
		leaf.Record = uint32(r[3]) + uint32(bits.OnesCount64(r[1]&(1<<bit-1)))
	}
}

// componentAtCorner returns the component of an empty cell at corner c of the cell at a. It skips
// empty cells that are smaller than the cell at a. ok is false if it finds no empty cell.
func (l *labeler) componentAtCorner(a layout.CellAddr, c uint8) (component int32, ok bool) {
	for d := range uint8(8) {
		if d == c^7 {
			continue // cell d is the cell at a
		}
		if component, _, ok := l.componentAt(a.Level, aroundCorner(a.At, c, d)); ok {
			return component, true
		}
	}
	return 0, false
}

// aroundCorner returns the coordinates of cell d among the eight cells around corner c of a cell.
func aroundCorner(at [3]int32, c, d uint8) [3]int32 {
	for axis := range 3 {
		at[axis] += int32(c>>axis&1) + int32(d>>axis&1) - 1
	}
	return at
}

// joinAcross connects the components at the corners of a leaf. The crossings of the segment between
// two corners give the difference of the winding numbers of the components.
func (l *labeler) joinAcross(leaf layout.Leaf) {
	seen := int32(-1) // component of the first corner that has one, or −1
	var from uint8
	for c := range uint8(8) {
		component, ok := l.componentAtCorner(leaf.CellAddr, c)
		if !ok {
			continue
		}
		if seen < 0 {
			seen, from = component, c
			continue
		}
		ra, _ := l.sets.Find(seen)
		rb, _ := l.sets.Find(component)
		if ra == rb {
			continue
		}
		p, q := l.Corner(leaf.CellAddr, from), l.Corner(leaf.CellAddr, c)
		if chi, ok := l.Crossings(leaf.Record, p, q, &l.signs); ok {
			l.sets.Union(seen, component, chi)
		}
	}
}

// leaves yields the level-0 leaves with lists in crossed brick n.
func (b *builder) leaves(n int32) iter.Seq[layout.Leaf] {
	return func(yield func(layout.Leaf) bool) {
		lo := b.FirstCell(b.Positions[n])
		for z := range int32(layout.BrickSide) {
			id := b.First[int(n)*layout.BrickSide+int(z)]
			for left := b.Words[int(n)*layout.BrickSide+int(z)].Crossed; left != 0; left &= left - 1 {
				bit := int32(bits.TrailingZeros64(left))
				at := [3]int32{lo[0] + bit&7, lo[1] + bit>>3, lo[2] + z}
				if b.Record(id).HasPlanes() && !yield(layout.Leaf{Record: id, CellAddr: layout.CellAddr{Level: 0, At: at}}) {
					return
				}
				id++
			}
		}
	}
}

// childLeaves yields the leaves with lists among the children of a refined cell.
func (b *builder) childLeaves(c *refinedCell) iter.Seq[layout.Leaf] {
	return func(yield func(layout.Leaf) bool) {
		ch := b.Record(c.record).Children()
		id := ch.First
		for left := ch.Crossed; left != 0; left &= left - 1 {
			at := layout.CellOf(c.lo, int32(bits.TrailingZeros64(left)), layout.ChildBits)
			if b.Record(id).HasPlanes() && !yield(layout.Leaf{Record: id, CellAddr: layout.CellAddr{Level: c.level, At: at}}) {
				return
			}
			id++
		}
	}
}

package build

import (
	"context"
	"math/bits"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
)

// propagator finds the winding numbers of leaves and components that touch no empty cell of known
// winding number. It propagates winding numbers between leaves and components that touch at
// corners. If it finds no more in this way, it casts a ray.
type propagator struct {
	*labeler
	ctx     context.Context
	refs    referenceChooser
	rays    *RayWinding // nil until the first ray is needed
	pending []pendingCell
	queue   []int32 // indices in pending

	// These maps give indices in pending.
	byRecord    map[uint32]int32  // by record number of a leaf
	byComponent map[int32]int32   // by component number
	byRoot      map[int32][]int32 // by initial root of a component in labeler.sets
}

// pendingCell is a leaf without references, or a component whose winding number is not known.
type pendingCell struct {
	layout.Leaf       // a component has the CellAddr of one of its cells, and no Record
	component   int32 // number of the component; −1 for a leaf
	root        int32 // initial root of the component in labeler.sets
	cells       cellSet
	queued      bool
	done        bool
}

// cellSet is the set of cells of a component.
type cellSet struct {
	lo    [3]int32 // coordinates of the first cell of the brick or refined cell
	side  uint     // the brick or refined cell has 2^side cells on each axis
	words []uint64
}

func (s *cellSet) cell(word int, bit int) [3]int32 {
	return layout.CellOf(s.lo, int32(word*64+bit), s.side)
}

// propagate chooses the references of the postponed leaves and finds the unknown winding numbers of
// components. Queries use rays in leaves that get no references. Some components can remain
// unknown.
func (l *labeler) propagate(ctx context.Context, postponed []layout.Leaf) error {
	p := &propagator{
		labeler: l, ctx: ctx,
		byRecord: make(map[uint32]int32, len(postponed)), byComponent: map[int32]int32{}, byRoot: map[int32][]int32{},
	}
	p.refs.l = l
	for _, leaf := range postponed {
		p.byRecord[leaf.Record] = int32(len(p.pending))
		p.pending = append(p.pending, pendingCell{Leaf: leaf, component: -1})
	}
	p.addComponents()
	for i := range p.pending {
		p.push(int32(i))
	}
	// After a pending cell is resolved, the pending cells that touch it are tried again. If the
	// queue is empty, a ray resolves the next pending cell.
	for next := 0; ; {
		if err := p.drain(); err != nil {
			return err
		}
		for next < len(p.pending) && p.pending[next].done {
			next++
		}
		if next == len(p.pending) {
			for _, id := range p.refs.overflow {
				l.makeRayOnly(id)
			}
			return nil
		}
		if err := p.byRay(&p.pending[next]); err != nil {
			return err
		}
		p.pending[next].done = true
		p.wake(&p.pending[next])
	}
}

func (p *propagator) addComponents() {
	add := func(component int32, level int, cells cellSet) {
		if _, ok := p.sets.Value(component); ok {
			return
		}
		for w, word := range cells.words {
			if word != 0 {
				root, _ := p.sets.Find(component)
				c := pendingCell{component: component, root: root, cells: cells}
				c.CellAddr = layout.CellAddr{Level: level, At: cells.cell(w, bits.TrailingZeros64(word))}
				p.byComponent[component] = int32(len(p.pending))
				p.byRoot[root] = append(p.byRoot[root], int32(len(p.pending)))
				p.pending = append(p.pending, c)
				return
			}
		}
	}
	for b := range p.positions() {
		components, first := p.componentsIn(b)
		for i := range components {
			add(first+int32(i), 0, cellSet{p.FirstCell(b), layout.BrickBits, components[i][:]})
		}
	}
	for i := range p.refined {
		c := &p.refined[i]
		for j := range c.components {
			add(c.first+int32(j), c.level, cellSet{c.lo, layout.ChildBits, c.components[j : j+1]})
		}
	}
}

func (p *propagator) push(i int32) {
	if c := &p.pending[i]; !c.done && !c.queued {
		c.queued = true
		p.queue = append(p.queue, i)
	}
}

func (p *propagator) drain() error {
	for n := 0; len(p.queue) > 0; n++ {
		if n%256 == 0 {
			if err := p.ctx.Err(); err != nil {
				return err
			}
		}
		i := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		c := &p.pending[i]
		c.queued = false
		if c.done || !p.byNeighbors(c) {
			continue
		}
		c.done = true
		p.wake(c)
	}
	return nil
}

// byNeighbors tries to resolve a pending cell from the leaves and components that touch it. It
// reports whether the cell is resolved.
func (p *propagator) byNeighbors(t *pendingCell) bool {
	if t.component >= 0 {
		if _, ok := p.sets.Value(t.component); ok {
			return true
		}
	}
	var w [8]int32
	known := uint8(0)
	for c := range uint8(8) {
		v := p.cornerWinding(t.CellAddr, c)
		if v == unknownW {
			continue
		}
		if t.component >= 0 {
			p.sets.Union(t.component, 0, v)
			return true
		}
		known |= 1 << c
		w[c] = v
	}
	return t.component < 0 && p.refs.choose(t.Leaf, known, &w)
}

// byRay tries to resolve a pending cell with a ray.
func (p *propagator) byRay(t *pendingCell) error {
	if p.rays == nil {
		var err error
		if p.rays, err = NewRayWinding(p.ctx, p.Grid, p.opt.Rays); err != nil {
			return err
		}
	}
	if t.component >= 0 {
		center := p.Corner(t.CellAddr, 0).Add(p.Corner(t.CellAddr, 7)).Mul(0.5)
		if w, ok := p.rays.At(center); ok {
			p.sets.Union(t.component, 0, w)
		}
		return p.ctx.Err()
	}
	_, good, _ := p.refs.leafSigns(t.Leaf)
	for ; good != 0; good &= good - 1 {
		c := uint8(bits.TrailingZeros8(good))
		if v, ok := p.rays.At(p.Corner(t.CellAddr, c)); ok {
			var w [8]int32
			w[c] = v
			p.refs.choose(t.Leaf, 1<<c, &w)
			return p.ctx.Err()
		}
	}
	p.makeRayOnly(t.Record)
	return p.ctx.Err()
}

func (p *propagator) wake(t *pendingCell) {
	if t.component < 0 {
		p.wakeAround(t.CellAddr)
		return
	}
	for w, word := range t.cells.words {
		for ; word != 0; word &= word - 1 {
			p.wakeAround(layout.CellAddr{Level: t.Level, At: t.cells.cell(w, bits.TrailingZeros64(word))})
		}
	}
	// The pending components with the same root now have known winding numbers.
	for _, i := range p.byRoot[t.root] {
		p.push(i)
	}
}

// wakeAround queues the pending cells that contain or touch a cell.
func (p *propagator) wakeAround(a layout.CellAddr) {
	for d := range int32(27) {
		at := [3]int32{a.At[0] + d%3 - 1, a.At[1] + d/3%3 - 1, a.At[2] + d/9 - 1}
		component, leaf, ok := p.componentAt(a.Level, at)
		switch {
		case ok:
			if i, ok := p.byComponent[component]; ok {
				p.push(i)
			}
		case leaf.Level < 0:
			p.wakeBelow(leaf.Record)
		default:
			if i, ok := p.byRecord[leaf.Record]; ok {
				p.push(i)
			}
		}
	}
}

// wakeBelow queues the pending leaves in the cell of a record.
func (p *propagator) wakeBelow(id uint32) {
	r := p.Record(id)
	if r.Kind() != layout.KindRefined {
		if i, ok := p.byRecord[id]; ok {
			p.push(i)
		}
		return
	}
	c := r.Children()
	for i := range bits.OnesCount64(c.Crossed) {
		p.wakeBelow(c.First + uint32(i))
	}
}

// cornerWinding returns the winding number at a corner of a cell, or unknownW if no leaf or
// component at the corner determines it.
func (p *propagator) cornerWinding(a layout.CellAddr, c uint8) int32 {
	for d := range uint8(8) {
		level, at := a.Level, aroundCorner(a.At, c, d)
		component, leaf, ok := p.componentAt(level, at)
		for !ok && leaf.Level < 0 {
			// The cell is refined. Continue with its child at the corner.
			level++
			for axis := range 3 {
				at[axis] = at[axis]<<layout.ChildBits + (1-int32(d>>axis&1))*(layout.ChildSide-1)
			}
			component, leaf, ok = p.componentAt(level, at)
		}
		if ok {
			if w, ok := p.sets.Value(component); ok {
				return w
			}
			continue
		}
		if r := p.Record(leaf.Record); !r.HasPlanes() || r.Unreferenced() {
			continue
		}
		q := p.Corner(a, c)
		x, y, z := p.Coords(q)
		if w, o := p.WindingInCell(q, x, y, z, leaf.Record, leaf.CellAddr, &p.signs); o == layout.Decided {
			return w
		}
	}
	return unknownW
}

// makeRayOnly deletes the list of a leaf. Queries in the leaf then use rays.
func (b *builder) makeRayOnly(id uint32) {
	b.Counts.Crossed--
	b.Counts.RayOnly++
	for at, ok := id, true; ok; {
		for _, f := range b.Faces(at) {
			if f >= 0 {
				b.Counts.Entries--
			}
		}
		r := b.Record(at)
		at, ok = r.Next(), r.Kind() == layout.KindMore
	}
	*b.Record(id) = layout.Record{layout.KindRayOnly}
}

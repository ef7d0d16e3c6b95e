package cells

import (
	"context"
	"math/bits"
)

// settler finds W of the leaves and of the sets of empty cells that are left
// when no empty cell of known W touches them: from leaf to leaf where they touch
// at corners, and where that does not go on, by a ray.
type settler struct {
	*linker
	ctx   context.Context
	refs  referrer
	rays  *rayW
	items []item
	queue []int32

	// Numbers of items: of leaves by line, of parts by set, and of those that
	// were one set from the beginning by its root.
	byLine map[uint32]int32
	bySet  map[int32]int32
	byRoot map[int32][]int32
}

// item is a leaf, or a cell of a set of empty cells.
type item struct {
	located
	set    int32 // −1 for a leaf
	root   int32 // of the set at the beginning
	cells  emptyPart
	queued bool
	done   bool
}

// emptyPart is a part of a brick or refined cell: the cells of a set there.
type emptyPart struct {
	lo    [3]int32
	side  uint
	words []uint64
}

// settle does what settler is for. Leaves for which nothing helps are handed
// over; sets for which nothing helps stay unknown.
func (k *linker) settle(ctx context.Context, late []located) error {
	s := &settler{linker: k, ctx: ctx, byLine: make(map[uint32]int32, len(late)), bySet: map[int32]int32{}, byRoot: map[int32][]int32{}}
	s.refs.k = k
	for _, l := range late {
		if k.x.veiled(l.place) {
			// Rays answer there anyway.
			k.x.handList(l.id)
			continue
		}
		s.byLine[l.id] = int32(len(s.items))
		s.items = append(s.items, item{located: l, set: -1})
	}
	s.addSets()
	for i := range s.items {
		s.push(int32(i))
	}
	// Each item is tried when something that touches it is settled, and when the
	// queue is empty the next by a ray.
	for next := 0; ; {
		if err := s.spread(); err != nil {
			return err
		}
		for next < len(s.items) && s.items[next].done {
			next++
		}
		if next == len(s.items) {
			k.x.handLists(s.refs.large)
			return nil
		}
		if err := s.byRay(&s.items[next]); err != nil {
			return err
		}
		s.items[next].done = true
		s.wake(&s.items[next])
	}
}

// veiled reports whether a cell lies in a brick that needs rays.
func (x *Index) veiled(p place) bool {
	if x.veil == nil {
		return false
	}
	shift := childBits*p.level + brickBits
	b := (p.at[2]>>shift*x.dims[1]+p.at[1]>>shift)*x.dims[0] + p.at[0]>>shift
	return !x.veil.faint(x.brickBox(b))
}

func (s *settler) push(i int32) {
	if t := &s.items[i]; !t.done && !t.queued {
		t.queued = true
		s.queue = append(s.queue, i)
	}
}

// spread tries the items of the queue until it is empty.
func (s *settler) spread() error {
	for n := 0; len(s.queue) > 0; n++ {
		if n%256 == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		i := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		t := &s.items[i]
		t.queued = false
		if t.done || !s.try(t) {
			continue
		}
		t.done = true
		s.wake(t)
	}
	return nil
}

// try settles an item by what touches it.
func (s *settler) try(t *item) bool {
	if t.set >= 0 {
		if _, ok := s.sets.w(t.set); ok {
			return true
		}
	}
	var w [8]int32
	known := uint8(0)
	for c := range uint8(8) {
		v := s.touching(t.place, c)
		if v == unknown {
			continue
		}
		if t.set >= 0 {
			s.sets.join(t.set, 0, v)
			return true
		}
		known |= 1 << c
		w[c] = v
	}
	return t.set < 0 && s.refs.choose(t.located, known, &w)
}

// byRay settles an item by a ray, or gives it up.
func (s *settler) byRay(t *item) error {
	x := s.x
	if s.rays == nil {
		var err error
		if s.rays, err = x.newRayW(s.ctx); err != nil {
			return err
		}
	}
	if t.set >= 0 {
		if w := s.rays.at(x.corner(t.place, 0).Add(x.corner(t.place, 7)).Mul(0.5)); w != unknown {
			s.sets.join(t.set, 0, w)
		}
		return s.ctx.Err()
	}
	_, good, _ := s.refs.cornerSigns(t.located)
	for ; good != 0; good &= good - 1 {
		c := uint8(bits.TrailingZeros8(good))
		if v := s.rays.at(x.corner(t.place, c)); v != unknown {
			var w [8]int32
			w[c] = v
			s.refs.choose(t.located, 1<<c, &w)
			return s.ctx.Err()
		}
	}
	x.handList(t.id)
	return s.ctx.Err()
}

// wake pushes what touches an item that is settled.
func (s *settler) wake(t *item) {
	if t.set < 0 {
		s.wakeAround(t.place)
		return
	}
	for w, word := range t.cells.words {
		for ; word != 0; word &= word - 1 {
			n := int32(w*64 + bits.TrailingZeros64(word))
			s.wakeAround(place{t.level, cellOf(t.cells.lo, n, t.cells.side)})
		}
	}
	// The other parts of the same set know W, too.
	for _, i := range s.byRoot[t.root] {
		s.push(i)
	}
}

// wakeAround pushes the items in the cells around a cell.
func (s *settler) wakeAround(p place) {
	for d := range int32(27) {
		at := [3]int32{p.at[0] + d%3 - 1, p.at[1] + d/3%3 - 1, p.at[2] + d/9 - 1}
		set, l, ok := s.empty(p.level, at)
		switch {
		case ok:
			if i, ok := s.bySet[set]; ok {
				s.push(i)
			}
		case l.level < 0:
			// Refined: all its leaves.
			s.childLeavesOf(l.id)
		default:
			if i, ok := s.byLine[l.id]; ok {
				s.push(i)
			}
		}
	}
}

// childLeavesOf pushes the leaves below a refined line.
func (s *settler) childLeavesOf(id uint32) {
	l := s.x.line(id)
	if l.kind() != refined {
		if i, ok := s.byLine[id]; ok {
			s.push(i)
		}
		return
	}
	c := l.child()
	for i := range bits.OnesCount64(c.crossed) {
		s.childLeavesOf(c.base + uint32(i))
	}
}

// addSets adds an item for each part of a brick or refined cell, and for each
// brick without faces, whose W is not known.
func (s *settler) addSets() {
	x := s.x
	add := func(set int32, level int, p emptyPart) {
		if _, ok := s.sets.w(set); ok {
			return
		}
		for w, word := range p.words {
			if word != 0 {
				n := int32(w*64 + bits.TrailingZeros64(word))
				root, _ := s.sets.find(set)
				t := item{set: set, root: root, cells: p}
				t.place = place{level, cellOf(p.lo, n, p.side)}
				s.bySet[set] = int32(len(s.items))
				s.byRoot[root] = append(s.byRoot[root], int32(len(s.items)))
				s.items = append(s.items, t)
				return
			}
		}
	}
	all := block{}
	for z := range all {
		all[z] = ^uint64(0)
	}
	for b, n := range s.brickOf {
		lo := x.brickAt(int32(b))
		for a := range lo {
			lo[a] *= brickSide
		}
		if n < 0 {
			add(1+int32(b), 0, emptyPart{lo, brickBits, all[:]})
			continue
		}
		parts, first := s.partsOf(n)
		for i := range parts {
			add(first+int32(i), 0, emptyPart{lo, brickBits, parts[i][:]})
		}
	}
	for i := range s.children {
		c := &s.children[i]
		for j := range c.parts {
			add(c.first+int32(j), c.level, emptyPart{c.lo, childBits, c.parts[j : j+1]})
		}
	}
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

func (x *Index) handLists(ids []uint32) {
	for _, id := range ids {
		x.handList(id)
	}
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

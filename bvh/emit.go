package bvh

// part describes the records of a subtree and the places where emit writes its nodes.
type part struct {
	span
	place int32 // index of the root in splits, if the root is an inner node
	node  int32 // index of the root in nodes
	pair  int32 // index in nodes of the first pair of siblings below the root
	quad  int32 // index in quads of the first quad of the subtree
	even  bool  // whether the depth of the root is even
}

// children returns the left and right subtrees of an inner node.
func (b *builder) children(p part) (l, r part) {
	mid := b.splits[p.place].mid
	l = part{
		span:  span{p.lo, mid},
		place: p.place + 1,
		node:  p.pair,
		pair:  p.pair + 2,
		quad:  p.quad,
		even:  !p.even,
	}
	if p.even {
		l.quad++ // the first quad belongs to p
	}
	r = l
	r.span = span{mid, p.hi}
	r.place = p.place + l.len()
	r.node++
	if l.len() > b.maxLeaf {
		in := b.splits[l.place].inner
		r.pair += 2 * (in.even + in.odd)
		if l.even {
			r.quad += in.even
		} else {
			r.quad += in.odd
		}
	}
	return l, r
}

// finish writes an inner node with the given box. The descendants of the node must be complete.
func (b *builder) finish(p part, box Box) Box {
	n := &b.tree.nodes[p.node]
	n.set(box, link{first: p.pair})
	if p.even {
		n.quad = p.quad
		b.tree.quads[p.quad] = b.tree.makeQuad(p.node)
	}
	return box
}

// emit writes the subtree p and returns the box of its root.
func (b *builder) emit(p part) Box {
	if p.len() < parallelMin {
		e := emitter{builder: b, offset: p.lo}
		e.gather(p.span)
		return e.emit(p)
	}
	l, r := b.children(p)
	box := fork(b,
		func() Box { return b.emit(l) },
		func() Box { return b.emit(r) },
		Box.Union)
	return b.finish(p, box)
}

// emitter writes a subtree in one goroutine. The boxes of the subtree are scattered in memory. A
// loop without branches copies them first, so that several boxes load at the same time.
type emitter struct {
	*builder
	offset int32 // number of the first record of the subtree
	boxes  [parallelMin]Box
}

func (e *emitter) gather(s span) {
	ids := e.tree.index[s.lo:s.hi]
	for k := range ids {
		ids[k] = e.records[s.lo+int32(k)].id
		e.boxes[k] = e.builder.boxes[ids[k]]
	}
}

// emit writes the subtree p and returns the box of its root. It reads the boxes that the method
// gather copied.
func (e *emitter) emit(p part) Box {
	if n := p.len(); n <= e.maxLeaf {
		boxes := e.boxes[p.lo-e.offset : p.hi-e.offset]
		box := boxes[0]
		for k := 1; k < len(boxes); k++ {
			box = box.cover(&boxes[k])
		}
		e.tree.nodes[p.node].set(box, link{first: p.lo, count: n})
		return box
	}
	l, r := e.children(p)
	box := e.emit(l)
	right := e.emit(r)
	return e.finish(p, box.cover(&right))
}

// quad combines an inner node at an even depth with its two children. It holds the boxes of the
// four grandchildren, so a walk tests four boxes at a time. A child that is a leaf takes one place
// instead of two.
type quad struct {
	// rows[k][j] is coordinate k of box j, in the order minimum x, y, z, maximum x, y, z.
	rows  [6][4]float64
	links [4]link // link k leads from box k to entries of the index or to a quad
	lanes uint32  // bit k is set if box k is in use; a quad uses its first 2, 3 or 4 boxes
	_     [7]uint32
}

// makeQuad returns the quad of inner node i. The descendants of the node must be complete.
func (t *Tree) makeQuad(i int32) (q quad) {
	lane := 0
	add := func(n *node) {
		for row := range q.rows {
			q.rows[row][lane&3] = n.box[row]
		}
		q.links[lane&3] = n.link
		if n.link.count == 0 {
			q.links[lane&3].first = n.quad
		}
		lane++
	}
	first := t.nodes[i].link.first
	for c := first; c <= first+1; c++ {
		child := &t.nodes[c]
		if child.link.count > 0 {
			add(child)
			continue
		}
		add(&t.nodes[child.link.first])
		add(&t.nodes[child.link.first+1])
	}
	q.lanes = 1<<lane - 1
	return q
}

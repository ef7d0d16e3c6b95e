package bvh

// part is a subtree about to be written: the records under it and the places of
// what belongs to it.
type part struct {
	span
	place int32 // of the split of its root, if that is an inner node
	node  int32 // of its root
	pair  int32 // of the first pair of siblings below its root; the others follow
	quad  int32 // of its first inner node at an even depth; the others follow
	even  bool  // the depth of its root is even
}

// children returns the parts of the children of p, which is an inner node.
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
		l.quad++ // after that of p
	}
	r = l
	r.span = span{mid, p.hi}
	r.place = p.place + l.len()
	r.node++
	if l.len() > b.maxLeaf {
		in := b.splits[l.place].inner
		r.pair += 2 * (in.same + in.other)
		if l.even {
			r.quad += in.same
		} else {
			r.quad += in.other
		}
	}
	return l, r
}

// finish writes the inner node p, whose descendants are complete.
func (b *builder) finish(p part, box Box) Box {
	n := &b.tree.nodes[p.node]
	n.set(box, link{first: p.pair})
	if p.even {
		n.quad = p.quad
		b.tree.quads[p.quad] = b.tree.makeQuad(p.node)
	}
	return box
}

// emit writes the part p and returns its box.
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

// emitter writes a part of the tree that one goroutine makes alone. It first
// fetches all boxes, which are scattered in memory: without decisions in
// between the processor waits for many at a time.
type emitter struct {
	*builder
	offset int32 // of the first record
	boxes  [parallelMin]Box
}

func (e *emitter) gather(s span) {
	ids := e.tree.index[s.lo:s.hi]
	for k := range ids {
		ids[k] = e.records[s.lo+int32(k)].id
		e.boxes[k] = e.builder.boxes[ids[k]]
	}
}

// emit is builder.emit on gathered boxes.
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

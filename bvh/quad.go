package bvh

// quad is an inner node together with its children: it holds the boxes of its
// grandchildren side by side, so that a segment is tested against four at once
// and half as many steps wait for one another on the way down. Where a child is a
// leaf it stands for itself. Only inner nodes at even depths have a quad.
type quad struct {
	rows  [6][4]float64 // minimum x, y, z, maximum x, y, z of four boxes
	links [4]link       // to entries of the index, or to quads
	lanes uint32        // bit k is set if the box k is in use; the lowest come first
	_     [7]uint32
}

// makeQuad returns the quad of the inner node i, whose descendants are complete.
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

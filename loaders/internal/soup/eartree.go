package soup

import "github.com/golang/geo/r3"

// earTree finds the reflex corners in a triangle. It is a tree of boxes over the corners of a
// polygon. Reflex corners have a mark, and each box counts the marks of its corners.
//
// A node is split at the middle of the longer side of its box, so every level halves a side. A
// float64 side can be halved at most 2098 times. So the depth is at most 2·2098.
type earTree struct {
	nodes   []earNode
	corners []int32 // corners in tree order; the corners of each node are contiguous
	leaf    []int32 // leaf that contains each corner
	marked  []bool  // reports for each corner whether it has a mark
}

// earNode is a box with the corners in it.
type earNode struct {
	low, high    r3.Vector // opposite corners of the box; Z = 0
	first, count int32     // range in earTree.corners
	child        int32     // first of two consecutive children; 0 in a leaf
	parent       int32     // parent node; −1 in the root
	marks        int32     // number of corners in the box that have a mark
}

// earNodeBytes is the size of an earNode. The last 4 bytes are padding.
const earNodeBytes = 2*24 + 5*4 + 4

// earLeaf is the largest number of corners in a leaf (tuning).
const earLeaf = 8

// buildEarTree builds the tree over the corners of the ring and marks the reflex corners.
func (b *Builder) buildEarTree() error {
	e := &b.ears
	t := &e.tree
	t.corners, t.nodes = t.corners[:0], t.nodes[:0]
	for i, k := e.first, 0; k < e.remaining; i, k = e.next[i], k+1 {
		t.corners = append(t.corners, i)
		t.marked[i] = false
	}
	if err := b.addEarNode(0, int32(len(t.corners)), -1); err != nil {
		return err
	}
	for n := int32(0); n < int32(len(t.nodes)); n++ {
		if err := b.splitEarNode(n); err != nil {
			return err
		}
	}
	for _, i := range t.corners {
		t.set(i, e.reflex(i))
		if err := b.visit(); err != nil {
			return err
		}
	}
	return nil
}

// addEarNode appends a node for a range of corners in tree order.
func (b *Builder) addEarNode(first, count, parent int32) error {
	t := &b.ears.tree
	if err := Grow(b.Budget, &t.nodes, 1, earNodeBytes); err != nil {
		return err
	}
	own := t.corners[first : first+count]
	n := earNode{first: first, count: count, parent: parent, low: b.ears.at[own[0]], high: b.ears.at[own[0]]}
	for _, i := range own {
		p := b.ears.at[i]
		n.low.X, n.high.X = min(n.low.X, p.X), max(n.high.X, p.X)
		n.low.Y, n.high.Y = min(n.low.Y, p.Y), max(n.high.Y, p.Y)
		t.leaf[i] = int32(len(t.nodes))
		if err := b.visit(); err != nil {
			return err
		}
	}
	t.nodes = append(t.nodes, n)
	return nil
}

// splitEarNode adds two children to node n. A node with few corners, or with all corners at one
// point, stays a leaf.
func (b *Builder) splitEarNode(n int32) error {
	t, at := &b.ears.tree, b.ears.at
	node := t.nodes[n]
	if node.count <= earLeaf || node.low == node.high {
		return nil
	}
	// The numbers are halved first, because sums and differences of huge numbers can overflow.
	byX := node.high.X/2-node.low.X/2 >= node.high.Y/2-node.low.Y/2
	low, high := node.low.Y, node.high.Y
	if byX {
		low, high = node.low.X, node.high.X
	}
	middle := low/2 + high/2
	if !(middle >= low && middle < high) {
		middle = low // rounding has moved middle out of [low, high)
	}
	own := t.corners[node.first : node.first+node.count]
	k := 0
	for j, i := range own {
		v := at[i].Y
		if byX {
			v = at[i].X
		}
		if v <= middle {
			own[j], own[k] = own[k], i
			k++
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	if k == 0 || k == len(own) {
		return nil // byX chose a side of length 0, because halves of subnormal numbers round to 0
	}
	t.nodes[n].child = int32(len(t.nodes))
	if err := b.addEarNode(node.first, int32(k), n); err != nil {
		return err
	}
	return b.addEarNode(node.first+int32(k), node.count-int32(k), n)
}

// set sets or removes the mark of corner i.
func (t *earTree) set(i int32, mark bool) {
	if t.marked[i] == mark {
		return
	}
	t.marked[i] = mark
	d := int32(1)
	if !mark {
		d = -1
	}
	for n := t.leaf[i]; n >= 0; n = t.nodes[n].parent {
		t.nodes[n].marks += d
	}
}

// blocked reports whether a marked corner in the subtree of node n blocks the triangle at corner i.
func (b *Builder) blocked(n, i int32) (bool, error) {
	e := &b.ears
	node := &e.tree.nodes[n]
	if err := b.visit(); err != nil || node.marks == 0 || !e.meets(node, i) {
		return false, err
	}
	if node.child > 0 {
		// Search the child near the tip first: a blocking corner is likely to be near the tip.
		near, far := node.child, node.child+1
		if e.tree.nodes[far].distance(e.at[i]) < e.tree.nodes[near].distance(e.at[i]) {
			near, far = far, near
		}
		if blocked, err := b.blocked(near, i); blocked || err != nil {
			return blocked, err
		}
		return b.blocked(far, i)
	}
	p, q := e.prev[i], e.next[i]
	for _, k := range e.tree.corners[node.first : node.first+node.count] {
		if !e.tree.marked[k] || k == p || k == i || k == q {
			continue
		}
		if err := b.visit(); err != nil {
			return false, err
		}
		if e.blocks(k, p, i, q) {
			return true, nil
		}
	}
	return false, nil
}

// distance returns the approximate distance from p to the box, in the maximum norm.
func (n *earNode) distance(p r3.Vector) float64 {
	return max(n.low.X-p.X, p.X-n.high.X, n.low.Y-p.Y, p.Y-n.high.Y, 0)
}

// meets reports whether a box can intersect the closed triangle at corner i. It returns false if
// the whole box is to the right of a side of the triangle.
func (e *earClipper) meets(node *earNode, i int32) bool {
	corners := [3]int32{e.prev[i], i, e.next[i]}
	p, q, r := e.at[corners[0]], e.at[corners[1]], e.at[corners[2]]
	if max(p.X, q.X, r.X) < node.low.X || min(p.X, q.X, r.X) > node.high.X ||
		max(p.Y, q.Y, r.Y) < node.low.Y || min(p.Y, q.Y, r.Y) > node.high.Y {
		return false
	}
	for k, from := range corners {
		to := corners[(k+1)%3]
		left := node.low
		if e.at[to].X > e.at[from].X {
			left.Y = node.high.Y
		}
		if e.at[to].Y < e.at[from].Y {
			left.X = node.high.X
		}
		if e.turnTo(from, to, left) < 0 {
			return false
		}
	}
	return true
}

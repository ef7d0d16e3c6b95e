package bvh

import "fmt"

// Validate checks the tree against the boxes it was built from: each box is in
// exactly one leaf, the leaves cover the index from left to right, every node's
// box is exactly the union of what is below it, siblings are paired at even
// indices and each pair has one parent, quads repeat the nodes they stand for, and
// no leaf is deeper than the walkers can follow. It panics if the number of boxes differs from t.Len. It takes time
// proportional to the size of the tree.
func (t *Tree) Validate(boxes []Box) error {
	if len(boxes) != len(t.index) {
		panic(fmt.Sprintf("bvh: Validate of %d boxes for a tree of %d", len(boxes), len(t.index)))
	}
	if len(boxes) == 0 {
		if len(t.nodes)+len(t.quads) != 0 {
			return fmt.Errorf("bvh: %d nodes in a tree without boxes", len(t.nodes)+len(t.quads))
		}
		return nil
	}
	if err := t.validateIndex(); err != nil {
		return err
	}
	v := validator{tree: t, boxes: boxes, nextPair: 2}
	if _, err := v.visit(0, 0); err != nil {
		return err
	}
	if int(v.nextEntry) != len(t.index) {
		return fmt.Errorf("bvh: leaves end at entry %d of %d", v.nextEntry, len(t.index))
	}
	if max(1, int(v.nextQuad)) != len(t.quads) {
		return fmt.Errorf("bvh: quads end at %d of %d", v.nextQuad, len(t.quads))
	}
	if int(v.nextPair) != len(t.nodes) {
		return fmt.Errorf("bvh: pairs end at node %d of %d", v.nextPair, len(t.nodes))
	}
	return nil
}

func (t *Tree) validateIndex() error {
	seen := make([]bool, len(t.index))
	for k, i := range t.index {
		if i < 0 || int(i) >= len(seen) {
			return fmt.Errorf("bvh: index entry %d is box %d of %d", k, i, len(seen))
		}
		if seen[i] {
			return fmt.Errorf("bvh: box %d is in the index twice, again at entry %d", i, k)
		}
		seen[i] = true
	}
	return nil
}

// validator walks the tree in depth-first order, the order in which nodes and
// index are laid out.
type validator struct {
	tree      *Tree
	boxes     []Box
	nextEntry int32 // entry at which the next leaf has to start
	nextPair  int32 // node at which the next pair has to start
	nextQuad  int32 // the next quad
}

func (v *validator) visit(i int32, depth int) (Box, error) {
	if depth > maxDepth {
		return Box{}, fmt.Errorf("bvh: node %d at depth %d, more than %d", i, depth, maxDepth)
	}
	n := &v.tree.nodes[i]
	b := EmptyBox()
	if n.link.count > 0 {
		first, end := n.link.first, int(n.link.first)+int(n.link.count)
		if first != v.nextEntry || end > len(v.tree.index) {
			return b, fmt.Errorf("bvh: leaf %d holds entries %d to %d, want from %d within %d", i, first, end, v.nextEntry, len(v.tree.index))
		}
		v.nextEntry = int32(end)
		for _, k := range v.tree.index[first:end] {
			b = b.Union(v.boxes[k])
		}
	} else {
		first := n.link.first
		if n.link.count < 0 || first != v.nextPair || first&1 != 0 || int(first)+1 >= len(v.tree.nodes) {
			return b, fmt.Errorf("bvh: inner node %d has count %d and children at %d, want 0 and %d within %d", i, n.link.count, first, v.nextPair, len(v.tree.nodes))
		}
		v.nextPair += 2
		if depth%2 == 0 {
			if n.quad != v.nextQuad || int(n.quad) >= len(v.tree.quads) || v.tree.quads[n.quad] != v.tree.makeQuad(i) {
				return b, fmt.Errorf("bvh: inner node %d has the quad %d, want the quad %d of %d, equal to its grandchildren", i, n.quad, v.nextQuad, len(v.tree.quads))
			}
			v.nextQuad++
		}
		for c := first; c <= first+1; c++ {
			child, err := v.visit(c, depth+1)
			if err != nil {
				return b, err
			}
			b = b.Union(child)
		}
	}
	if b != n.bounds() {
		return b, fmt.Errorf("bvh: node %d has the box %v, the union of what is below it is %v", i, n.bounds(), b)
	}
	return b, nil
}

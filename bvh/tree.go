package bvh

import "fmt"

// maxDepth is the largest number of edges from the root to a leaf. Because of this limit, walkers
// have stacks of fixed size. A balanced tree over 2³⁰ boxes, the most that Build accepts, has a
// depth of 30.
const maxDepth = 60

// stackSize is the size of the stacks of walkers. It is a power of two, because a masked index
// needs no bounds check. A walk replaces a node by its two children. So the stack holds at most
// maxDepth + 1 entries: one waiting sibling for each level, and one more node at the last level.
const stackSize = 64

// node is one box of the tree and fills a cache line. The two children of an inner node are
// neighbors in memory. The pair starts at an even index, so it fills two adjacent cache lines.
type node struct {
	box  [6]float64 // minimum x, y, z, then maximum x, y, z
	link link
	quad int32 // for an inner node at an even depth, the number of its quad
	_    int32
}

// link points from a node to its children, or to its entries in the index.
type link struct {
	first int32 // for a leaf, its first entry in the index; for an inner node, the first of its two children
	count int32 // for a leaf, the number of entries, at least 1; for an inner node, 0
}

// Tree is an immutable hierarchy over boxes. Build makes a Tree. A Tree is safe for concurrent use.
// The zero Tree holds no box, and walks over the zero Tree visit nothing.
type Tree struct {
	nodes []node  // the root, an unused node, then pairs of siblings in depth-first order
	index []int32 // numbers of the input boxes, in the order of the leaves
	quads []quad  // quads of the inner nodes at even depths, in depth-first order; at least one unless the tree has no boxes
}

// Len returns the number of boxes in the tree.
func (t *Tree) Len() int { return len(t.index) }

// Index returns the numbers of the input boxes in the order of the leaves. The numbers are a
// permutation of 0 … Len()−1. The slice belongs to the tree, and the caller must not modify it.
func (t *Tree) Index() []int32 { return t.index }

// Bounds returns the smallest box that contains every box of the tree. For a tree without boxes it
// returns EmptyBox.
func (t *Tree) Bounds() Box {
	if len(t.nodes) == 0 {
		return EmptyBox()
	}
	return t.nodes[0].bounds()
}

// NodeBytes is the approximate memory of a node in bytes. A node takes a cache line of 64 bytes.
// About one node in four also has a quad of 256 bytes.
const NodeBytes = 64 + 256/4

// Nodes returns the number of nodes of the tree.
func (t *Tree) Nodes() int {
	if len(t.nodes) == 0 {
		return 0
	}
	return len(t.nodes) - 1
}

// Preorder calls visit for each node in depth-first order: first a node, then the left subtree, then
// the right one. For a leaf, which holds the boxes Index()[first : first+count], count is at least 1.
// For an inner node, count is 0.
func (t *Tree) Preorder(visit func(first, count int32)) {
	if len(t.nodes) == 0 {
		return
	}
	var stack [stackSize]int32
	for top := 1; top > 0; {
		top--
		l := t.nodes[stack[top]].link
		if visit(l.first, l.count); l.count == 0 {
			stack[top], stack[top+1] = l.first+1, l.first
			top += 2
		}
	}
}

func (n *node) bounds() (b Box) {
	b.Min.X, b.Min.Y, b.Min.Z = n.box[0], n.box[1], n.box[2]
	b.Max.X, b.Max.Y, b.Max.Z = n.box[3], n.box[4], n.box[5]
	return b
}

func (n *node) set(b Box, l link) {
	n.box = [6]float64{b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z}
	n.link = l
}

// Validate checks the tree against its input boxes in O(n) time, and returns the first violation.
// It panics if len(boxes) differs from t.Len(). It checks that
//   - each box is in exactly one leaf;
//   - the leaves cover the index from left to right;
//   - the box of each node is the exact union of the boxes below the node;
//   - each pair of siblings starts at an even index and has one parent;
//   - each quad has the boxes and links of its nodes;
//   - no leaf is deeper than maxDepth.
func (t *Tree) Validate(boxes []Box) error {
	if len(boxes) != len(t.index) {
		panic(fmt.Sprintf("bvh: Validate got %d boxes for a tree of %d boxes", len(boxes), len(t.index)))
	}
	if len(boxes) == 0 {
		if len(t.nodes)+len(t.quads) != 0 {
			return fmt.Errorf("bvh: a tree without boxes has %d nodes and quads, expected 0", len(t.nodes)+len(t.quads))
		}
		return nil
	}
	v := validator{tree: t, boxes: boxes, seen: make([]bool, len(boxes)), nextPair: 2}
	if _, err := v.visit(0, 0); err != nil {
		return err
	}
	if int(v.nextEntry) != len(t.index) {
		return fmt.Errorf("bvh: the leaves hold %d entries of the index, expected %d", v.nextEntry, len(t.index))
	}
	if max(1, int(v.nextQuad)) != len(t.quads) {
		return fmt.Errorf("bvh: the inner nodes have %d quads, expected %d", v.nextQuad, len(t.quads))
	}
	if int(v.nextPair) != len(t.nodes) {
		return fmt.Errorf("bvh: the tree uses %d nodes, expected %d", v.nextPair, len(t.nodes))
	}
	return nil
}

// validator visits the tree in depth-first order. The nodes and the index have the same order.
type validator struct {
	tree      *Tree
	boxes     []Box
	seen      []bool // marks the boxes in visited leaves
	nextEntry int32  // entry of the index where the next leaf must start
	nextPair  int32  // node where the next pair of siblings must start
	nextQuad  int32  // number that the next quad must have
}

func (v *validator) visit(i int32, depth int) (Box, error) {
	if depth > maxDepth {
		return Box{}, fmt.Errorf("bvh: node %d has depth %d, expected at most %d", i, depth, maxDepth)
	}
	n := &v.tree.nodes[i]
	b := EmptyBox()
	if n.link.count > 0 {
		first, end := n.link.first, int(n.link.first)+int(n.link.count)
		if first != v.nextEntry || end > len(v.tree.index) {
			return b, fmt.Errorf("bvh: leaf %d starts at entry %d of the index and ends before entry %d, expected start %d and end at most %d", i, first, end, v.nextEntry, len(v.tree.index))
		}
		v.nextEntry = int32(end)
		for _, k := range v.tree.index[first:end] {
			if k < 0 || int(k) >= len(v.boxes) || v.seen[k] {
				return b, fmt.Errorf("bvh: leaf %d holds box %d, expected a number below %d, and each number only once in the index", i, k, len(v.boxes))
			}
			v.seen[k] = true
			b = b.Union(v.boxes[k])
		}
	} else {
		first := n.link.first
		if n.link.count < 0 || first != v.nextPair || first&1 != 0 || int(first)+1 >= len(v.tree.nodes) {
			return b, fmt.Errorf("bvh: inner node %d has count %d and first child %d, expected count 0 and first child %d in an array of %d nodes", i, n.link.count, first, v.nextPair, len(v.tree.nodes))
		}
		v.nextPair += 2
		if depth%2 == 0 {
			if n.quad != v.nextQuad || int(n.quad) >= len(v.tree.quads) || v.tree.quads[n.quad] != v.tree.makeQuad(i) {
				return b, fmt.Errorf("bvh: inner node %d has quad %d, expected quad %d (of %d quads) with the boxes of the grandchildren", i, n.quad, v.nextQuad, len(v.tree.quads))
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
		return b, fmt.Errorf("bvh: node %d has the box %v, expected %v, the union of the boxes below the node", i, n.bounds(), b)
	}
	return b, nil
}

package bvh

// maxDepth bounds the number of edges from the root to a leaf, so that every
// walker gets by with a stack of fixed size. A binary tree over 2³⁰ boxes, the
// most that Build takes, needs at least 30.
const maxDepth = 60

// stackSize is the size of the walkers' stacks, a power of two so that a masked
// index needs no check. A walk that replaces a node by its two children never
// holds more than one waiting sibling a level, and the two children of the last:
// maxDepth + 1 entries.
const stackSize = 64

// node is one box of the tree, one cache line long. The children of an inner
// node are neighbors in memory and start at an even index, so that a pair fills
// two adjacent lines.
type node struct {
	box  [6]float64 // minimum x, y, z, then maximum x, y, z
	link link
	quad int32 // inner node at an even depth: its quad
	_    int32
}

// link is what a walker has to know of a node whose box it has accepted.
type link struct {
	first int32 // leaf: first entry of the index; inner node: first of its two children
	count int32 // leaf: number of entries, at least 1; inner node: 0
}

// Tree is an immutable hierarchy over boxes, made by Build. It is safe for
// concurrent use. The zero Tree holds no box, and walks over it end at once.
type Tree struct {
	nodes []node  // the root, an unused node, then pairs of siblings in depth-first order
	index []int32 // numbers of the input boxes, in the order of the leaves
	quads []quad  // the inner nodes at even depths, in depth-first order; at least one if there is a box
}

// Len returns the number of boxes in the tree.
func (t *Tree) Len() int { return len(t.index) }

// Index returns the numbers of the input boxes in the order of the leaves: a
// permutation of 0 … Len()−1. The slice belongs to the tree and must not be
// modified.
func (t *Tree) Index() []int32 { return t.index }

// Bounds returns the smallest box that contains every box of the tree; EmptyBox
// for a tree without boxes.
func (t *Tree) Bounds() Box {
	if len(t.nodes) == 0 {
		return EmptyBox()
	}
	return t.nodes[0].bounds()
}

// NodeBytes is about how many bytes of memory a node takes: a cache line and, for every
// fourth or so, a box of four lines with its grandchildren.
const NodeBytes = 64 + 256/4

// Nodes returns the number of nodes of the tree.
func (t *Tree) Nodes() int {
	if len(t.nodes) == 0 {
		return 0
	}
	return len(t.nodes) - 1
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

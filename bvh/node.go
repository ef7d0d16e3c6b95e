package bvh

// Node is a node of a Tree, for code that derives other structures from the tree. A Node is valid as
// long as its Tree.
type Node struct {
	tree *Tree
	id   int32
}

// Root returns the root of t. ok is false if t has no boxes.
func (t *Tree) Root() (n Node, ok bool) { return Node{tree: t}, len(t.nodes) > 0 }

// Box returns the smallest box that contains the boxes below n.
func (n Node) Box() Box { return n.tree.nodes[n.id].bounds() }

// Entries returns the range of Tree.Index that holds the boxes of n, if n is a leaf. For any other
// node, count is 0.
func (n Node) Entries() (first, count int32) {
	l := n.tree.nodes[n.id].link
	if l.count == 0 {
		return 0, 0
	}
	return l.first, l.count
}

// Children returns the two children of n, which must not be a leaf. In Tree.Index, the entries
// below the left child precede the entries below the right child.
func (n Node) Children() (left, right Node) {
	first := n.tree.nodes[n.id].link.first
	return Node{n.tree, first}, Node{n.tree, first + 1}
}

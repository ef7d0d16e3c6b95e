package bvh

import "github.com/golang/geo/r3"

// PointWalk visits the leaves whose closed boxes contain a point. It compares coordinates exactly.
// The zero PointWalk visits nothing. Start begins a walk and ends the previous walk. The field
// Nodes counts the boxes tested since the caller last set Nodes to zero.
type PointWalk struct{ overlapWalk }

// Start begins the walk to the leaves that contain p. It does not reset Nodes. If a coordinate of p
// is NaN, the walk visits nothing.
func (w *PointWalk) Start(t *Tree, p r3.Vector) {
	w.box.Min, w.box.Max = p, p
	w.start(t)
}

// BoxWalk visits the leaves whose closed boxes share a point with a closed box. It compares
// coordinates exactly. The zero BoxWalk visits nothing. Start begins a walk and ends the previous
// walk. The field Nodes counts the boxes tested since the caller last set Nodes to zero.
type BoxWalk struct{ overlapWalk }

// Start begins the walk to the leaves that share a point with a box. It does not reset Nodes. If
// the box is empty or a coordinate is NaN, the walk visits nothing.
func (w *BoxWalk) Start(t *Tree, box Box) {
	if box.Empty() {
		w.sp = 0
		return
	}
	w.box = box
	w.start(t)
}

// overlapWalk visits the leaves whose boxes share a point with the query box.
type overlapWalk struct {
	Nodes uint64

	tree  *Tree
	box   Box
	sp    int
	stack [stackSize]link
}

// start begins the walk for w.box. w.box is not a parameter, because copying its six numbers takes
// longer than the test of the root.
func (w *overlapWalk) start(t *Tree) {
	w.tree, w.sp = t, 0
	if len(t.nodes) == 0 {
		return
	}
	w.Nodes++
	if w.overlaps(&t.nodes[0]) {
		w.stack[0] = t.nodes[0].link
		w.sp = 1
	}
}

func (w *overlapWalk) overlaps(n *node) bool {
	b := &w.box
	return n.box[0] <= b.Max.X && b.Min.X <= n.box[3] &&
		n.box[1] <= b.Max.Y && b.Min.Y <= n.box[4] &&
		n.box[2] <= b.Max.Z && b.Min.Z <= n.box[5]
}

// Next returns the next leaf. The leaf holds the boxes Tree.Index()[first : first+count]. After the
// last leaf, ok is false.
func (w *overlapWalk) Next() (first, count int32, ok bool) {
	for w.sp > 0 {
		w.sp--
		l := w.stack[w.sp&(stackSize-1)]
		if l.count > 0 {
			return l.first, l.count, true
		}
		w.Nodes += 2
		pair := w.tree.nodes[l.first : l.first+2 : l.first+2]
		for k := range pair {
			if w.overlaps(&pair[k]) {
				w.stack[w.sp&(stackSize-1)] = pair[k].link
				w.sp++
			}
		}
	}
	return 0, 0, false
}

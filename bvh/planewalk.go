package bvh

import (
	"math"

	"github.com/golang/geo/r3"
)

// PlaneWalk visits the leaves whose closed boxes share a point with a plane. Because of rounding,
// it can also visit leaves whose boxes are close to the plane. The zero PlaneWalk visits nothing.
// Start begins a walk and ends the previous walk. The field Nodes counts the boxes tested since the
// caller last set Nodes to zero.
type PlaneWalk struct {
	Nodes uint64

	tree           *Tree
	origin, normal r3.Vector
	tilt, offset   float64 // see StartNear
	sp             int
	stack          [stackSize]link
}

// Start begins the walk to the leaves that share a point with the plane through origin with the
// given normal. It does not reset Nodes.
func (w *PlaneWalk) Start(t *Tree, origin, normal r3.Vector) { w.StartNear(t, origin, normal, 0, 0) }

// StartNear begins the walk for a plane that is known only approximately. It visits the leaves that
// share a point with the exact plane. The exact origin is at most offset away from origin, and the
// exact normal differs from normal by a vector of length at most tilt.
func (w *PlaneWalk) StartNear(t *Tree, origin, normal r3.Vector, offset, tilt float64) {
	w.tree, w.origin, w.normal, w.sp = t, origin, normal, 0
	w.tilt, w.offset = tilt, (tilt+math.Abs(normal.X)+math.Abs(normal.Y)+math.Abs(normal.Z))*offset
	if len(t.nodes) == 0 {
		return
	}
	w.Nodes++
	if w.meets(&t.nodes[0]) {
		w.stack[0] = t.nodes[0].link
		w.sp = 1
	}
}

// meets reports whether the largest height of a point of the box above the plane is ≥ 0 and the
// smallest is ≤ 0. The rounding error of a height is at most 4ε times the sum of the magnitudes of
// its products. Each product underflows by at most 2^−1075.
func (w *PlaneWalk) meets(n *node) bool {
	var lo, hi, size, far float64
	for k, c := range [3][2]float64{{w.normal.X, w.origin.X}, {w.normal.Y, w.origin.Y}, {w.normal.Z, w.origin.Z}} {
		a, b := float64(c[0]*(n.box[k]-c[1])), float64(c[0]*(n.box[k+3]-c[1]))
		lo, hi, size = lo+min(a, b), hi+max(a, b), size+math.Abs(a)+math.Abs(b)
		far += max(math.Abs(n.box[k]-c[1]), math.Abs(n.box[k+3]-c[1]))
	}
	slack := size*0x1p-49 + 0x1p-1000 + (w.tilt*far+w.offset)*(1+0x1p-40)
	return !(lo > slack) && !(hi < -slack) // true for NaN, after an overflow
}

// Next returns the next leaf. The leaf holds the boxes Tree.Index()[first : first+count]. After the
// last leaf, ok is false.
func (w *PlaneWalk) Next() (first, count int32, ok bool) {
	for w.sp > 0 {
		w.sp--
		l := w.stack[w.sp&(stackSize-1)]
		if l.count > 0 {
			return l.first, l.count, true
		}
		w.Nodes += 2
		pair := w.tree.nodes[l.first : l.first+2 : l.first+2]
		for k := range pair {
			if w.meets(&pair[k]) {
				w.stack[w.sp&(stackSize-1)] = pair[k].link
				w.sp++
			}
		}
	}
	return 0, 0, false
}

package bvh

import (
	"math"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// NearWalk visits leaves roughly in order of growing distance from a point. Of two siblings it
// visits the nearer one first. The zero NearWalk visits nothing. Start begins a walk and ends the
// previous walk.
type NearWalk struct {
	// Nodes counts the boxes whose distance was computed since the caller last set Nodes to zero.
	Nodes uint64

	tree  *Tree
	p     r3.Vector // the query point, times scale
	scale float64
	sp    int
	stack [stackSize]nearEntry
}

// nearEntry is a node on the stack, with a lower bound of the scaled squared distance to its box.
type nearEntry struct {
	bound float64
	link  link
}

// If s is the computed squared distance, s·nearSlack − nearFloor is a lower bound of the exact
// squared distance. nearSlack covers the rounding, and nearFloor covers the underflow
// (docs/design/016-error-bounds.md, Distances to boxes).
const (
	nearSlack = 1 - 0x1p-50
	nearFloor = 0x1p-700
)

// Scale returns the power of two by which the walk multiplies coordinates before it squares
// distances. Let m be the largest |coordinate| of the tree and the point. Scale is 1 if m is 0 or
// between 2⁻³⁰⁰ and 2³⁰⁰. Otherwise unscaled squares could overflow or underflow.
func (w *NearWalk) Scale() float64 { return w.scale }

// Start begins the walk for the leaves near p. It does not reset Nodes. If a coordinate of p is
// infinite or NaN, the walk visits nothing.
func (w *NearWalk) Start(t *Tree, p r3.Vector) {
	w.tree, w.sp, w.scale = t, 0, 1
	if len(t.nodes) == 0 || !vec.Finite(p) {
		return
	}
	root := &t.nodes[0]
	size := max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z))
	for _, v := range root.box {
		size = max(size, math.Abs(v))
	}
	if size > 0x1p300 || (size < 0x1p-300 && size > 0) {
		// The limit 1023 keeps w.scale finite if all coordinates are tiny.
		w.scale = math.Ldexp(1, min(-math.Ilogb(size), 1023))
	}
	w.p = p.Mul(w.scale)
	w.stack[0] = nearEntry{bound: w.bound(root), link: root.link}
	w.sp = 1
}

// bound returns a lower bound of the scaled squared distance to the box of n. The bound can be
// negative.
func (w *NearWalk) bound(n *node) float64 {
	w.Nodes++
	s := w.scale
	x := outside(w.p.X, n.box[0]*s, n.box[3]*s)
	y := outside(w.p.Y, n.box[1]*s, n.box[4]*s)
	z := outside(w.p.Z, n.box[2]*s, n.box[5]*s)
	return float64((float64(x*x)+float64(y*y)+float64(z*z))*nearSlack) - nearFloor
}

// outside returns the distance from v to the interval [low, high], which is max(low−v, v−high, 0).
// It compares the bits of these numbers as integers, like nextLeafGeneric.
func outside(v, low, high float64) float64 {
	return math.Float64frombits(uint64(max(0, int64(math.Float64bits(low-v)), int64(math.Float64bits(v-high)))))
}

// Next returns the next leaf whose box can contain a point at a scaled squared distance of at most
// best2. The leaf holds the boxes Tree.Index()[first : first+count]. After the last leaf, ok is
// false. best2 is (distance·Scale)². From call to call, best2 can shrink but must not grow.
func (w *NearWalk) Next(best2 float64) (first, count int32, ok bool) {
	for w.sp > 0 {
		w.sp--
		e := w.stack[w.sp&(stackSize-1)]
		if e.bound > best2 {
			continue
		}
		for e.link.count == 0 {
			pair := w.tree.nodes[e.link.first : e.link.first+2 : e.link.first+2]
			near := nearEntry{w.bound(&pair[0]), pair[0].link}
			far := nearEntry{w.bound(&pair[1]), pair[1].link}
			if far.bound < near.bound {
				near, far = far, near
			}
			if far.bound <= best2 {
				w.stack[w.sp&(stackSize-1)] = far
				w.sp++
			}
			e = near
			if e.bound > best2 {
				break
			}
		}
		if e.bound <= best2 {
			return e.link.first, e.link.count, true
		}
	}
	return 0, 0, false
}

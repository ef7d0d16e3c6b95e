package bvh

import (
	"math"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// RayWalk visits the leaves whose boxes a segment meets. The zero RayWalk visits nothing. Start
// begins a walk and ends the previous walk. A RayWalk belongs to one goroutine at a time.
//
// The segment and the boxes are closed. If the exact segment meets the box of a leaf, RayWalk
// reports the leaf once. RayWalk can also report a leaf if the distance between its box and the
// segment is less than about 2⁻⁴⁷ times the largest coordinate of the segment.
type RayWalk struct {
	// Nodes counts the nodes visited since the caller last set Nodes to zero. Each visit tests up
	// to four boxes.
	Nodes uint64

	tree    *Tree
	near    [3]float64 // slab.near, slab.far and slab.inverse of each axis
	far     [3]float64
	inverse [3]float64
	enter   [3]int // row enter[k] of a quad has the faces where the segment enters the boxes on axis k
	leave   [3]int // row leave[k] of a quad has the faces where the segment leaves the boxes on axis k
	sp      int
	stack   [quadStackSize]link
}

// quadStackSize is the size of the stack of a RayWalk, a power of two. The path to a leaf visits at
// most maxDepth/2+1 quads. Each quad leaves at most three waiting boxes on the stack, and the last
// quad leaves four. So the stack holds at most 94 boxes.
const quadStackSize = 128

// slab holds the numbers for the box tests on one axis. They include padding of the segment, which
// covers rounding errors. Ize 2013, "Robust BVH ray traversal", pads the boxes instead, which would
// slow down each box test.
//
// Let the segment be o + τ·d on this axis, 0 ≤ τ ≤ 1, and let a box be the interval [a, b]. If d >
// 0, the segment enters the box at (a−near)·inverse and leaves the box at (b−far)·inverse. If d <
// 0, a and b are exchanged. If the exact segment is in the box at τ, then the computed entry and
// exit satisfy entry ≤ τ ≤ exit. So max(entries, 0) ≤ min(exits, 1) for every box that the segment
// meets. No entry or exit is NaN. docs/design/016-error-bounds.md (Segments and boxes) has the
// proof.
type slab struct {
	near, far, inverse float64
	negative           bool // whether the segment runs toward smaller coordinates
}

// The padding of a slab is rayPad·(|d|+|o|) + rayFloor, with o and d as in the comment of slab.
// rayPad is 32 times the unit roundoff 2⁻⁵³. rayLimit is the largest coordinate for which padded
// differences stay finite. If a coordinate is larger, the axis excludes no box.
const (
	rayPad   = 0x1p-48
	rayFloor = 0x1p-1020
	rayLimit = 0x1p1021
)

func newSlab(origin, d, low, high float64) slab {
	if max(math.Abs(origin), math.Abs(d), math.Abs(low), math.Abs(high)) > rayLimit {
		return slab{near: math.Inf(1), far: math.Inf(-1), inverse: 1} // every entry is −Inf, and every exit is +Inf
	}
	pad := rayPad*(math.Abs(d)+math.Abs(origin)) + rayFloor
	switch {
	case d > pad:
		return slab{near: origin + pad, far: origin - pad, inverse: 1 / d}
	case d < -pad:
		return slab{near: origin - pad, far: origin + pad, inverse: 1 / d, negative: true}
	}
	return slab{near: origin + 2*pad, far: origin - 2*pad, inverse: 2 / pad}
}

// Start begins the walk along the segment from origin to target, which may be the same point. It
// does not reset Nodes. If a coordinate is infinite or NaN, the walk visits nothing.
func (w *RayWalk) Start(t *Tree, origin, target r3.Vector) {
	w.tree = t
	w.sp = 0
	if len(t.nodes) == 0 || !vec.Finite(origin) || !vec.Finite(target) {
		return
	}
	w.start(origin, target.Sub(origin))
}

// StartRay begins the walk along the ray from origin with the given direction. It does not reset
// Nodes. RayWalk reports every leaf whose box meets the exact ray, even if each component of
// direction has been rounded once. RayWalk can also report a leaf if the distance between its box
// and the ray is less than about 2⁻⁴⁶ times the largest coordinate of origin and the tree. The walk
// visits nothing if direction is zero, or if a coordinate is infinite or NaN.
func (w *RayWalk) StartRay(t *Tree, origin, direction r3.Vector) {
	w.tree = t
	w.sp = 0
	if len(t.nodes) == 0 || !vec.Finite(origin) || !vec.Finite(direction) || direction == (r3.Vector{}) {
		return
	}
	if d, ok := t.nodes[0].reach(origin, direction); ok {
		w.start(origin, d)
	}
}

// reach returns a vector d: direction times a power of two. The segment from origin to origin + d
// leaves the box of n, but does not extend much beyond it. ok is false if the ray misses the box,
// because it starts beyond a side of the box and does not approach this side.
//
// On axis k, the ray leaves the slab of the box at the parameter (far−o)/d, and it leaves the box
// at the least of these parameters. The exponents of far−o and of d bound this parameter by a power
// of two.
func (n *node) reach(origin, direction r3.Vector) (d r3.Vector, ok bool) {
	least := math.MaxInt
	o, dir := [3]float64{origin.X, origin.Y, origin.Z}, [3]float64{direction.X, direction.Y, direction.Z}
	for k := range 3 {
		near, far := n.box[k], n.box[k+3]
		if dir[k] < 0 {
			near, far = -far, -near
			o[k] = -o[k]
		}
		if o[k] > far || dir[k] == 0 && o[k] < near {
			return d, false
		}
		if dir[k] != 0 {
			_, size := math.Frexp(far/2 - o[k]/2) // |far−o| < 2^(size+1), halved so that nothing overflows
			_, length := math.Frexp(dir[k])       // |d| ≥ 2^(length−1)
			if far == o[k] {
				size = -1100
			}
			least = min(least, size+1-(length-1)+1)
		}
	}
	d.X, d.Y, d.Z = math.Ldexp(direction.X, least), math.Ldexp(direction.Y, least), math.Ldexp(direction.Z, least)
	return d, true
}

// start begins the walk along the segment from origin to origin + d. Each component of d can be
// rounded once.
func (w *RayWalk) start(origin, d r3.Vector) {
	root := &w.tree.nodes[0]
	w.setSlab(0, newSlab(origin.X, d.X, root.box[0], root.box[3]))
	w.setSlab(1, newSlab(origin.Y, d.Y, root.box[1], root.box[4]))
	w.setSlab(2, newSlab(origin.Z, d.Z, root.box[2], root.box[5]))
	w.stack[0] = root.link // if the root is a leaf, the walk reports the root without a box test
	if root.link.count == 0 {
		w.stack[0] = link{} // the link to quad 0
	}
	w.sp = 1
}

func (w *RayWalk) setSlab(k int, s slab) {
	w.near[k], w.far[k], w.inverse[k] = s.near, s.far, s.inverse
	w.enter[k], w.leave[k] = k, k+3
	if s.negative {
		w.enter[k], w.leave[k] = k+3, k
	}
}

// Next returns the next leaf. The leaf holds the boxes Tree.Index()[first : first+count]. After the
// last leaf, ok is false. The order of the leaves depends only on the tree and the segment.
func (w *RayWalk) Next() (first, count int32, ok bool) {
	if w.sp == 0 {
		return 0, 0, false
	}
	l := nextLeaf(w, w.tree.quads)
	return l.first, l.count, l.count > 0
}

// nextLeafGeneric pops links from the stack until a link leads to a leaf, and returns this link.
// Every other link leads to a quad. For each box of the quad that the segment meets,
// nextLeafGeneric pushes the link of the box. If the stack is empty, it returns the zero link.
//
// The bits of entries and exits are compared as integers, because the minimum of two integers needs
// no branch. Nonnegative floats and their bits have the same order, and the bits of a negative
// float are a negative integer. So the maximum of 0 and the entries is right. The minimum of 1 and
// the exits is right if no exit is negative. If an exit is negative, the minimum is negative, and
// the segment misses the box.
func nextLeafGeneric(w *RayWalk, quads []quad) link {
	nearX, nearY, nearZ := w.near[0], w.near[1], w.near[2]
	farX, farY, farZ := w.far[0], w.far[1], w.far[2]
	invX, invY, invZ := w.inverse[0], w.inverse[1], w.inverse[2]
	sp := w.sp
	for sp > 0 {
		sp--
		l := w.stack[sp&(quadStackSize-1)]
		if l.count > 0 {
			w.sp = sp
			return l
		}
		w.Nodes++
		q := &quads[l.first]
		inX, inY, inZ := &q.rows[w.enter[0]], &q.rows[w.enter[1]], &q.rows[w.enter[2]]
		outX, outY, outZ := &q.rows[w.leave[0]], &q.rows[w.leave[1]], &q.rows[w.leave[2]]
		for k := range q.links {
			enter := max(0,
				int64(math.Float64bits((inX[k]-nearX)*invX)),
				int64(math.Float64bits((inY[k]-nearY)*invY)),
				int64(math.Float64bits((inZ[k]-nearZ)*invZ)))
			leave := min(oneBits,
				int64(math.Float64bits((outX[k]-farX)*invX)),
				int64(math.Float64bits((outY[k]-farY)*invY)),
				int64(math.Float64bits((outZ[k]-farZ)*invZ)))
			w.stack[sp&(quadStackSize-1)] = q.links[k]
			met := 0
			if enter <= leave {
				met = 1
			}
			sp += met & int(q.lanes>>k)
		}
	}
	w.sp = 0
	return link{}
}

// oneBits is the bit pattern of the float64 number 1.
const oneBits = 0x3ff << 52

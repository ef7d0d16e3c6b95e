package bvh

import (
	"math"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// RayWalk visits the leaves whose boxes a segment meets. The zero RayWalk has
// nothing to visit. Start begins a walk and ends the walk before it. It belongs to one goroutine at a time.
//
// The segment and the boxes are closed. Every leaf whose box the exact segment
// meets is reported, once; leaves whose box it misses by less than about 2⁻⁴⁷ of
// the segment's coordinates may be reported too.
type RayWalk struct {
	// Nodes counts the nodes visited since the caller last set it to zero; each
	// takes the test of up to four boxes.
	Nodes uint64

	tree    *Tree
	near    [3]float64 // of the slabs of the three axes
	far     [3]float64
	inverse [3]float64
	enter   [3]int // row of a quad by which the segment enters its boxes
	leave   [3]int // row by which it leaves
	sp      int
	stack   [quadStackSize]link
}

// quadStackSize is the size of the stack of a walk through quads, a power of two.
// It visits at most maxDepth/2+1 quads on the way to a leaf, and leaves at most
// three boxes waiting in each, four in the last: 94.
const quadStackSize = 128

// slab is the padded arithmetic of one axis (the aim is that of Ize 2013, "Robust
// BVH ray traversal"; the padding is on the segment, so that it costs nothing in a
// box test). A box [a, b] is entered by the
// segment o + τ·d, 0 ≤ τ ≤ 1, at (a−near)·inverse and left at (b−far)·inverse when
// d > 0; with a and b exchanged when d < 0.
//
// Let u = 2⁻⁵³, D = fl(d) the rounded difference of target and origin, and
// P = 2⁻⁴⁸(|D|+|o|) + 2⁻¹⁰²⁰ the padding, 2⁻⁴⁸ = 32u. P itself is computed with a
// relative error of at most 3u; what underflows in it is far below 2⁻¹⁰²⁰.
//
// Case D > P: near = fl(o+P), far = fl(o−P), inverse = fl(1/D). Rounding leaves
// near ≥ o+p and far ≤ o−p with p = P(1−5u) − u|o| ≥ 30u·d. Say the exact segment
// is in the box at the parameter τ: a ≤ o+τd ≤ b. The difference, D, the inverse
// and the product have a relative error of u each, less than 5u together, and the
// product may underflow by 2⁻¹⁰⁷⁵.
//   - Entry: a−near ≤ τd−p. Where that is not positive the computed entry is not
//     either, so at most τ. Where it is, the entry is at most
//     (τ − p/d)(1+5u) + 2⁻¹⁰⁷⁵ ≤ τ + 5u − 30u + 2⁻¹⁰⁷⁵ < τ.
//   - Exit: b−far ≥ τd+p > 0, and the exit is at least
//     (τ + p/d)(1−5u) − 2⁻¹⁰⁷⁵ ≥ τ − 5u + 29u − 2⁻¹⁰⁷⁵ > τ.
//
// Case D < −P: the mirror image.
//
// Case |D| ≤ P, zero included: near = fl(o+2P), far = fl(o−2P), inverse = 2/P.
// Now p ≥ 2P(1−5u) − u|o| > 1.9P and |τd| ≤ P(1+u), so a−near < 0 and the entry
// is negative; b−far > 0.8P and the exit is above 1.
//
// So on every axis entry ≤ τ ≤ exit, and max(entries, 0) ≤ min(exits, 1) holds for
// every box that the segment meets. Nothing is NaN: coordinates are at most 2¹⁰²¹,
// so differences are finite and 2⁻¹⁰²² ≤ |inverse| ≤ 2¹⁰²¹; beyond that
// newSlab makes entry −Inf and exit +Inf.
type slab struct {
	near, far, inverse float64
	negative           bool // the segment runs toward smaller coordinates
}

// rayPad is 32u: see slab.
const rayPad = 0x1p-48

// rayFloor pads what rayPad times a tiny coordinate cannot: see slab.
const rayFloor = 0x1p-1020

// rayLimit is the largest coordinate for which differences of two stay finite,
// with room for the padding. Beyond it an axis culls nothing.
const rayLimit = 0x1p1021

func newSlab(origin, target, low, high float64) slab {
	if max(math.Abs(origin), math.Abs(target), math.Abs(low), math.Abs(high)) > rayLimit {
		return slab{near: math.Inf(1), far: math.Inf(-1), inverse: 1} // entry −Inf, exit +Inf
	}
	d := target - origin
	pad := rayPad*(math.Abs(d)+math.Abs(origin)) + rayFloor
	switch {
	case d > pad:
		return slab{near: origin + pad, far: origin - pad, inverse: 1 / d}
	case d < -pad:
		return slab{near: origin - pad, far: origin + pad, inverse: 1 / d, negative: true}
	}
	return slab{near: origin + 2*pad, far: origin - 2*pad, inverse: 2 / pad}
}

// Start begins the walk along the segment from origin to target; the two may be
// the same point. Nodes goes on counting. If a coordinate is infinite or NaN
// there is nothing to visit.
func (w *RayWalk) Start(t *Tree, origin, target r3.Vector) {
	w.tree = t
	w.sp = 0
	if len(t.nodes) == 0 || !vec.Finite(origin) || !vec.Finite(target) {
		return
	}
	root := &t.nodes[0]
	w.axis(0, newSlab(origin.X, target.X, root.box[0], root.box[3]))
	w.axis(1, newSlab(origin.Y, target.Y, root.box[1], root.box[4]))
	w.axis(2, newSlab(origin.Z, target.Z, root.box[2], root.box[5]))
	w.stack[0] = root.link // a leaf, reported without a test,
	if root.link.count == 0 {
		w.stack[0] = link{} // or the first quad
	}
	w.sp = 1
}

// axis makes s the slab of the axis k.
func (w *RayWalk) axis(k int, s slab) {
	w.near[k], w.far[k], w.inverse[k] = s.near, s.far, s.inverse
	w.enter[k], w.leave[k] = k, k+3
	if s.negative {
		w.enter[k], w.leave[k] = k+3, k
	}
}

// Next returns the next leaf, as the range first … first+count−1 of the tree's
// Index; ok is false after the last leaf. The order of the leaves depends only on the
// tree and the segment.
func (w *RayWalk) Next() (first, count int32, ok bool) {
	if w.sp == 0 {
		return 0, 0, false
	}
	l := nextLeaf(w, w.tree.quads)
	return l.first, l.count, l.count > 0
}

// nextLeafGeneric pops links from the stack until one leads to a leaf. For any other link
// it pushes the links whose boxes in the quad are met. It returns the zero link when the
// stack is empty.
//
// Entries and exits are compared through their bits: the bits of numbers ≥ 0 have the
// order of the numbers, and the bits of negative numbers are negative integers. So the
// integer maximum of the entries and 0 is the right one, and the integer minimum of the
// exits and 1 is, unless an exit is negative, when it is negative too and the box is
// missed. Integers have branchless minima, and which boxes are met is hard to predict.
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

// oneBits is the bit pattern of 1.
const oneBits = 0x3ff << 52

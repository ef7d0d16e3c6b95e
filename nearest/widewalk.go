package nearest

import (
	"math/bits"

	"github.com/golang/geo/r3"
)

// wideDepth bounds the height of a wide: after seven divisions of the largest part,
// each leaving at most 7/8 and a triangle on either side, no part has more than 0.4 of
// all, and 0.4³⁰ of 2³⁰ is less than one.
const wideDepth = 30

// wideStack is the size of the stack: a walk that replaces a node by its children
// holds at most seven waiting siblings a level.
const wideStack = (lanes - 1) * (wideDepth + 1)

// wideWalk is the memory of searches through a wide.
type wideWalk struct {
	query query
	seed  int32 // where the last answer was found, in the order of the tree's leaves
	sp    int
	stack [wideStack]wideEntry
}

// wideEntry is a node that waits, with a lower bound of the squared distance.
type wideEntry struct {
	bound float32
	link  int32
}

// nearestYet is the nearest face that a search has found, and where it is in the
// order of the tree's leaves.
type nearestYet struct {
	distance float64
	foot     r3.Vector // from the point
	face, at int32
}

// closest is Closest by the wide: the same answer, bit for bit. It looks first at the
// face of the last answer, which is near where points are in a good order.
func (w *wide) closest(s *Searcher, p r3.Vector, walk *wideWalk, st *Scratch) Result {
	if !walk.query.setPoint(w, p) {
		return s.Closest(p, st)
	}
	yet := nearestYet{at: walk.seed, face: s.tree.Index()[walk.seed]}
	yet.foot, yet.distance = closest(p, &s.tris[yet.at], &st.Signs)
	walk.query.setLimit(s.limit(yet.distance, w.scale))
	walk.stack[0], walk.sp = wideEntry{link: w.root}, 1
	var bound [lanes]float32
next:
	for link, ok := walk.pop(); ok; link, ok = walk.pop() {
		for link >= 0 {
			n := &w.nodes[link]
			near := nodeBounds(n, &walk.query, &bound)
			if near&allLanes == 0 {
				continue next
			}
			link = walk.push(n, near, &bound)
		}
		b := &w.blocks[^link]
		near := blockBounds(b, &walk.query, &bound)
		if near == 0 {
			continue
		}
		if st.stopped(int32(bits.OnesCount32(near))) {
			return none()
		}
		w.look(s, p, b, near, &bound, &yet, walk, st)
	}
	walk.seed = yet.at
	return Result{Point: p.Add(yet.foot), Distance: yet.distance, Bound: s.bound(yet.distance), Face: yet.face}
}

// look computes the distances of the triangles of b in the lanes near, the nearest
// first as far as their bounds tell, as long as they may be nearer than yet.
func (w *wide) look(s *Searcher, p r3.Vector, b *block, near uint32, bound *[lanes]float32, yet *nearestYet, walk *wideWalk, st *Scratch) {
	for near != 0 {
		lane := nearest(near, bound)
		near &^= 1 << lane
		k := b.first + int32(lane)
		if k == walk.seed {
			continue // it was the first
		}
		g, d := closest(p, &s.tris[k], &st.Signs)
		f := s.tree.Index()[k]
		if d > yet.distance || d == yet.distance && f > yet.face {
			continue
		}
		if d < yet.distance {
			walk.query.setLimit(s.limit(d, w.scale))
			near &= within(bound, walk.query.limit)
		}
		*yet = nearestYet{distance: d, foot: g, face: f, at: k}
	}
}

// push puts the children of n that nodeBounds found on the stack, but for the nearest,
// which it returns (it may be just beyond the limit, which costs a look). Their order
// does not matter: the last answer leaves few of them.
func (w *wideWalk) push(n *wideNode, near uint32, bound *[lanes]float32) int32 {
	first := near >> lanes & (lanes - 1)
	for near &= allLanes &^ (1 << first); near != 0; near &= near - 1 {
		lane := bits.TrailingZeros32(near) & (lanes - 1)
		w.stack[w.sp] = wideEntry{bound[lane], n.links[lane]}
		w.sp++
	}
	return n.links[first&(lanes-1)]
}

// pop returns the node on top of the stack that is still near enough.
func (w *wideWalk) pop() (link int32, ok bool) {
	for w.sp > 0 {
		w.sp--
		if e := &w.stack[w.sp]; e.bound <= w.query.limit {
			return e.link, true
		}
	}
	return 0, false
}

// nearest returns the lane of the smallest bound.
func nearest(lanesLeft uint32, bound *[lanes]float32) int {
	best := bits.TrailingZeros32(lanesLeft) & (lanes - 1)
	for rest := lanesLeft & (lanesLeft - 1); rest != 0; rest &= rest - 1 {
		if k := bits.TrailingZeros32(rest) & (lanes - 1); bound[k] < bound[best] {
			best = k
		}
	}
	return best
}

// within returns the lanes whose bound is at most limit.
func within(bound *[lanes]float32, limit float32) (near uint32) {
	for k, b := range bound {
		if b <= limit {
			near |= 1 << k
		}
	}
	return near
}

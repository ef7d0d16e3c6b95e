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
	seed  int32 // where the last answer was found, in the order of the tree's leaves
	query query
	sp    int
	stack [wideStack]wideEntry
}

// wideEntry is a node that waits, with a lower bound of the squared distance.
type wideEntry struct {
	bound float32
	link  int32
}

// closest is Closest by the wide: the same answer, bit for bit. It looks first at the
// face of the last answer, which is near where points are in a good order.
func (w *wide) closest(s *Searcher, p r3.Vector, walk *wideWalk, st *Scratch) Result {
	q, ok := w.newQuery(p)
	if !ok {
		return s.Closest(p, st)
	}
	walk.query = q
	index := s.tree.Index()
	best := none()
	at := walk.seed
	g, distance := closest(p, &s.tris[at], &st.Signs)
	best.Face, best.Point = index[at], g
	walk.query.setLimit(s.limit(distance, w.scale))
	link := w.root
	walk.sp = 0
	var bound [lanes]float32
	for {
		if link >= 0 {
			n := &w.nodes[link]
			near := nodeBounds(n, &walk.query, &bound)
			if near != 0 {
				link = walk.push(n, near, &bound)
				continue
			}
		} else {
			b := &w.blocks[^link]
			near := blockBounds(b, &walk.query, &bound)
			if st.stopped(int32(bits.OnesCount32(near))) {
				return none()
			}
			for near != 0 {
				lane := nearest(near, &bound)
				near &^= 1 << lane
				k := b.first + int32(lane)
				if k == walk.seed {
					continue
				}
				g, d := closest(p, &s.tris[k], &st.Signs)
				if f := index[k]; d < distance || d == distance && f < best.Face {
					if d < distance {
						distance = d
						walk.query.setLimit(s.limit(distance, w.scale))
						near &= within(&bound, walk.query.limit)
					}
					best.Face, best.Point, at = f, g, k
				}
			}
		}
		if link, ok = walk.pop(); !ok {
			break
		}
	}
	walk.seed = at
	best.Point = p.Add(best.Point)
	best.Distance, best.Bound = distance, s.bound(distance)
	return best
}

// push puts the children of n in the given lanes on the stack, but for the nearest,
// which it returns.
func (w *wideWalk) push(n *wideNode, near uint32, bound *[lanes]float32) int32 {
	first := nearest(near, bound)
	near &^= 1 << first
	base := w.sp
	for ; near != 0; near &= near - 1 {
		lane := bits.TrailingZeros32(near)
		e := wideEntry{bound[lane&(lanes-1)], n.links[lane&(lanes-1)]}
		i := w.sp
		for ; i > base && w.stack[i-1].bound < e.bound; i-- {
			w.stack[i] = w.stack[i-1]
		}
		w.stack[i] = e
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

package section

import (
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/side"
)

// loop is a ring of the filled region. No node occurs twice. The region is on the left.
type loop struct {
	nodes []int32
	outer bool  // counterclockwise
	walk  int32 // loops of the same walk bound the same connected part of the region
}

// region is the boundary of the filled region.
type region struct {
	*arrangement
	sides []int8  // for each piece: +1 if the region is only on the left of a→b, −1 if only on the right, else 0
	walks []int32 // for each piece on the boundary, the walk that uses it
	loops []loop
	count int32 // number of walks
}

// fill finds the rings of the region that a rule fills.
func (a *arrangement) fill(rule side.Rule) *region {
	r := &region{arrangement: a, sides: make([]int8, len(a.pieces)), walks: make([]int32, len(a.pieces))}
	inside := func(w int64) bool { return rule.Apply(w, uint64(w)) == side.Inside }
	for i, p := range a.pieces {
		r.walks[i] = -1
		if l, m := inside(p.left), inside(p.left-int64(p.mult)); l && !m {
			r.sides[i] = 1
		} else if m && !l {
			r.sides[i] = -1
		}
	}
	place := make([]int32, len(a.list))
	for i := range a.pieces {
		if r.sides[i] != 0 && r.walks[i] < 0 {
			r.follow(int32(i), place)
		}
	}
	return r
}

// ends returns the first and the last node of a piece on the boundary, with the region on the left.
func (r *region) ends(i int32) (from, to int32) {
	if r.sides[i] > 0 {
		return r.pieces[i].a, r.pieces[i].b
	}
	return r.pieces[i].b, r.pieces[i].a
}

// follow walks around the region, beginning with piece i. At each node, it continues with the piece
// on the other side of the same sector of the region: the next piece of the boundary clockwise. The
// walk is divided into loops at nodes to which it returns. place has a 0 for each node.
//
// The walk goes around one connected part of the region, so at most one of its loops is an outer
// ring. Neither the walk nor its loops cross themselves.
func (r *region) follow(i int32, place []int32) {
	walk := r.count
	r.count++
	var path []int32
	start, _ := r.ends(i)
	n := start
	for {
		if p := place[n] - 1; p >= 0 {
			l := loop{nodes: slices.Clone(path[p:]), walk: walk}
			for _, m := range l.nodes {
				place[m] = 0
			}
			path = path[:p]
			r.loops = append(r.loops, l)
		}
		if r.walks[i] >= 0 {
			break // back at the first piece
		}
		path = append(path, n)
		place[n] = int32(len(path))
		r.walks[i] = walk
		_, n = r.ends(i)
		i = r.turn(i, n)
	}
	for k := range r.loops {
		if l := &r.loops[k]; l.walk == walk {
			l.outer = r.counterclockwise(l.nodes)
		}
	}
}

// turn returns the first piece of the boundary clockwise from piece i at node n.
func (r *region) turn(i, n int32) int32 {
	list := r.around(n)
	k := slices.Index(list, i)
	for {
		if k--; k < 0 {
			k = len(list) - 1
		}
		if r.sides[list[k]] != 0 {
			return list[k]
		}
	}
}

// counterclockwise reports the direction of a ring without repeated nodes.
func (r *region) counterclockwise(ring []int32) bool {
	k, n := r.least(ring), len(ring)
	return r.orient(ring[(k+n-1)%n], ring[k], ring[(k+1)%n]) > 0
}

// least returns the position of the least node of a ring in the order of compareXY.
func (r *region) least(ring []int32) (k int) {
	for i := range ring {
		if r.compareXY(ring[i], ring[k]) < 0 {
			k = i
		}
	}
	return k
}

// group is an outer ring with its holes, as positions in loops.
type group struct {
	outer int
	holes []int
}

// nest assigns the holes to outer rings. It returns the groups in the order of their first loops.
func (r *region) nest() []group {
	outer := make([]int, r.count) // the outer ring of a walk, or −1
	for i := range outer {
		outer[i] = -1
	}
	for i, l := range r.loops {
		if l.outer {
			outer[l.walk] = i
		}
	}
	parent := make([]int32, r.count) // for each walk without an outer ring, a walk around the same part of the region
	var w bvh.BoxWalk
	least := make([]int32, r.count)
	for i := range least {
		least[i] = -1
	}
	for _, l := range r.loops {
		n := l.nodes[r.least(l.nodes)]
		if least[l.walk] < 0 || r.compareXY(n, least[l.walk]) < 0 {
			least[l.walk] = n
		}
	}
	for k := range parent {
		if parent[k] = int32(k); outer[k] < 0 {
			parent[k] = r.facing(&w, least[k])
		}
	}
	groups := map[int]*group{}
	var order []int
	find := func(k int32) int {
		for outer[k] < 0 { // this ends, because the least nodes of the walks descend
			k = parent[k]
		}
		return outer[k]
	}
	for i, l := range r.loops {
		o := find(l.walk)
		if groups[o] == nil {
			groups[o] = &group{outer: o}
			order = append(order, o)
		}
		if i != o {
			groups[o].holes = append(groups[o].holes, i)
		}
	}
	var out []group
	for _, o := range order {
		out = append(out, *groups[o])
	}
	return out
}

// facing returns the walk that the ray against axis x from node n meets first. n is the least node
// of a walk without outer ring, so the ray is inside the region from n to the first piece.
func (r *region) facing(w *bvh.BoxWalk, n int32) int32 {
	best := int32(-1)
	r.toTheLeft(w, n, func(s int32, _ bool) {
		for _, i := range r.owner[r.of[s]:r.of[s+1]] {
			if r.sides[i] != 0 && r.spans(i, n) && (best < 0 || r.before(best, i)) {
				best = i
			}
		}
	})
	return r.walks[best]
}

// spans reports whether the displaced line through n along x crosses piece i.
func (r *region) spans(i, n int32) bool {
	p := &r.pieces[i]
	return (r.compareY(p.a, n) > 0) != (r.compareY(p.b, n) > 0)
}

// before reports whether piece q crosses a line along x at a larger x than piece p does. Both pieces
// must cross this line, and must not cross each other.
func (r *region) before(p, q int32) bool {
	p0, p1 := r.upward(p)
	q0, q1 := r.upward(q)
	// The piece whose lower end is higher begins between the ends of the other one.
	if r.compareY(q0, p0) >= 0 {
		o := r.orient(p0, p1, q0)
		if o == 0 {
			o = r.orient(p0, p1, q1)
		}
		return o < 0
	}
	o := r.orient(q0, q1, p0)
	if o == 0 {
		o = r.orient(q0, q1, p1)
	}
	return o > 0
}

// upward returns the ends of piece i, the lower one first.
func (r *region) upward(i int32) (low, high int32) {
	p := &r.pieces[i]
	if r.compareY(p.a, p.b) > 0 {
		return p.b, p.a
	}
	return p.a, p.b
}

package soup

import (
	"cmp"
	"slices"

	"github.com/golang/geo/r3"
)

// AddPolygonWithHoles triangulates a face with holes. The first ring is the outer ring, the others
// are holes; ends has the end of each ring in corners. Each ring must have three or more corners.
//
// Each hole is joined to another ring by a bridge, a pair of opposite edges between two corners, until
// one ring is left. This ring is triangulated by ear clipping, in the projection along the largest
// component of the area vector of the outer ring. The bridges do not cross the rings or each other if
// the input is valid: the rings do not cross each other, and each hole has the opposite orientation of
// the outer ring. In all cases the boundary of the triangles is the boundary of the rings, because the
// two edges of a bridge cancel. The number of triangles is len(corners) − 2 + 2 for each hole.
//
// Without ear clipping, time is O(n log n) and memory is O(n). Errors: those of AddPolygon.
func (b *Builder) AddPolygonWithHoles(corners, ends []int32) error {
	if len(ends) == 1 {
		return b.AddPolygon(corners)
	}
	for _, c := range corners {
		if !b.inRange(c) {
			return ErrIndexRange
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	b.Polygons++
	b.withHoles++
	if b.CountNonPlanar && !b.planar(corners) {
		b.nonPlanar++
	}
	joined := len(corners) + 2*(len(ends)-1)
	err := cmp.Or(b.beginPolygon(joined-2), b.reserveEars(joined), b.holes.reserve(b.Budget, len(corners), len(ends)))
	if err != nil {
		return err
	}
	solid, err := b.project(corners, corners[:ends[0]])
	if err != nil {
		return err
	}
	b.ringNeighbors(ends)
	if solid {
		err = b.findBridges(ends)
	} else {
		for r := range ends[1:] {
			b.holes.addBridge(0, ends[r])
		}
	}
	if err != nil {
		return err
	}
	if err := b.join(corners, joined, solid); err != nil {
		return err
	}
	if !solid {
		b.flatFaces++
		return b.fan(b.holes.joined)
	}
	return b.clip(b.holes.joined)
}

// holeJoiner finds the bridges of a polygon with holes. It uses the corners of an earClipper and
// their neighbors in the rings.
//
// A sweep visits the corners from left to right (de Berg et al., Computational Geometry, section 3.2:
// partitioning a polygon into monotone pieces). The sweep keeps the edges that the sweep line crosses
// and that have the polygon above them. Each of these edges has a helper: the last corner so far that
// is visible from the edge along the sweep line. The first corner of a hole gets a bridge to the
// helper of the edge below it. A helper is an earlier corner, so the bridges join all rings without a
// cycle.
type holeJoiner struct {
	order   []int32 // corners from left to right
	rank    []int32 // place of each corner in order
	ring    []int32 // number of the ring of each corner
	helper  []int32 // helper of the edge from each corner to the next one
	slot    []int32 // first half bridge of each corner, or −1
	status  edgeTree
	started []bool       // reports for each ring whether the sweep has visited a corner of it
	halves  []halfBridge // two for each hole; sorted by corner, and clockwise at each corner
	place   []int32      // place of each half bridge in halves: 2k and 2k + 1 for bridge k
	at      []r3.Vector  // copy of the projected corners
	joined  []int32      // corners of the joined ring
}

// halfBridge is one of the two edges of a bridge: the edge from a corner to another corner.
type halfBridge struct {
	from, to int32
	number   int32 // the opposite edge has the number number ^ 1
}

// holeBytes is the memory of a holeJoiner for each corner. holeRingBytes is its memory for each
// ring.
const (
	holeBytes     = 10*4 + 24
	holeRingBytes = 1 + 2*(12+4)
)

// reserve makes room for n corners in the given number of rings.
func (h *holeJoiner) reserve(mem *Budget, n, rings int) error {
	if n > len(h.ring) {
		size := max(n, 2*len(h.ring), 64)
		if err := mem.Reserve(holeBytes * int64(size-len(h.ring))); err != nil {
			return err
		}
		h.order, h.rank, h.ring = make([]int32, 0, size), make([]int32, size), make([]int32, size)
		h.helper, h.slot = make([]int32, size), make([]int32, size)
		h.status.resize(size)
		h.at, h.joined = make([]r3.Vector, 0, size), make([]int32, 0, 2*size) // a hole has at least three corners
	}
	if rings > len(h.started) {
		size := max(rings, 2*len(h.started), 16)
		if err := mem.Reserve(holeRingBytes * int64(size-len(h.started))); err != nil {
			return err
		}
		h.started = make([]bool, size)
		h.halves, h.place = make([]halfBridge, 0, 2*size), make([]int32, 2*size)
	}
	h.halves = h.halves[:0]
	return nil
}

// addBridge adds a bridge between two corners.
func (h *holeJoiner) addBridge(u, v int32) {
	k := int32(len(h.halves))
	h.halves = append(h.halves, halfBridge{u, v, k}, halfBridge{v, u, k + 1})
}

// ringNeighbors links the corners of each ring.
func (b *Builder) ringNeighbors(ends []int32) {
	e, h, first := &b.ears, &b.holes, int32(0)
	for r, end := range ends {
		for i := first; i < end; i++ {
			h.ring[i], e.prev[i], e.next[i] = int32(r), i-1, i+1
		}
		e.prev[first], e.next[end-1] = end-1, first
		first = end
	}
}

// before reports whether the sweep visits corner i before corner j.
func (e *earClipper) before(i, j int32) bool {
	p, q := e.at[i], e.at[j]
	return p.X < q.X || p.X == q.X && (p.Y < q.Y || p.Y == q.Y && i < j)
}

// findBridges adds a bridge for each hole.
func (b *Builder) findBridges(ends []int32) error {
	e, h := &b.ears, &b.holes
	h.order = h.order[:0]
	for i := range int32(len(e.at)) {
		h.order = append(h.order, i)
	}
	slices.SortFunc(h.order, func(i, j int32) int {
		if e.before(i, j) {
			return -1
		}
		return 1
	})
	for k, i := range h.order {
		h.rank[i] = int32(k)
	}
	clear(h.started[:len(ends)])
	h.started[0] = true
	h.status.clear()
	for k, v := range h.order {
		if err := b.visit(); err != nil {
			return err
		}
		p, q := e.prev[v], e.next[v]
		fromLeft, toRight := e.before(p, v), e.before(v, q)
		if fromLeft {
			h.status.remove(p)
		}
		first := !h.started[h.ring[v]]
		inside := !fromLeft && !toRight // the polygon is below corner v
		if fromLeft != toRight {
			inside = e.turn(p, v, q) <= 0
		}
		if first || inside {
			below := h.status.below(e, v)
			if first {
				h.started[h.ring[v]] = true
				h.addBridge(b.bridgeEnd(k, below), v)
			}
			if below >= 0 {
				h.helper[below] = v
			}
		}
		if toRight {
			h.helper[v] = v
			h.status.insert(e, v)
		}
	}
	return nil
}

// bridgeEnd returns the corner at the other end of the bridge from the first corner of a hole. This
// first corner is corner k of the sweep. below is the edge below it, or −1.
func (b *Builder) bridgeEnd(k int, below int32) int32 {
	e, h := &b.ears, &b.holes
	if k == 0 { // the hole is not in the outer ring
		return 0
	}
	v, last := h.order[k], h.order[k-1]
	if e.at[last] == e.at[v] {
		if u := h.openCorner(e, last, k, e.next[v]); u >= 0 {
			return u
		}
	}
	if below < 0 { // the hole is not in the outer ring
		return last
	}
	u := h.helper[below]
	if open := h.openCorner(e, u, k, v); open >= 0 {
		return open
	}
	return u
}

// openCorner returns a visited corner at the same point as corner u from which the direction to corner i leads into the
// polygon. It returns −1 if there is none. If rings touch at this point, all bridges that begin between the same two
// edges get the same corner, so that they do not cross.
func (h *holeJoiner) openCorner(e *earClipper, u int32, visited int, i int32) int32 {
	const most = 16 // number of corners that are tested (tuning)
	first := int(h.rank[u])
	for k := 1; k < most && first > 0 && e.at[h.order[first-1]] == e.at[u]; k++ {
		first--
	}
	found := int32(-1)
	for k := first; k < min(first+most, visited) && e.at[h.order[k]] == e.at[u]; k++ {
		c := h.order[k]
		// The corner with the smallest angle in the polygon is the best one.
		if e.inWedge(c, i) && (found < 0 || e.inWedge(found, e.next[c]) && !e.inWedge(c, e.next[found])) {
			found = c
		}
	}
	return found
}

// inWedge reports whether the direction from corner u to corner i leads into the polygon.
func (e *earClipper) inWedge(u, i int32) bool {
	p, q := e.prev[u], e.next[u]
	fromLast, toNext := e.turn(p, u, i), e.turn(u, q, i)
	if e.turn(p, u, q) > 0 {
		return fromLast > 0 && toNext > 0
	}
	return fromLast > 0 || toNext > 0
}

// join walks along the rings and the bridges, and stores the corners of the joined ring.
func (b *Builder) join(corners []int32, joined int, solid bool) error {
	e, h := &b.ears, &b.holes
	slices.SortFunc(h.halves, func(x, y halfBridge) int {
		if x.from != y.from || !solid {
			return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.number, y.number))
		}
		return cmp.Or(e.compareClockwise(x.from, x.to, y.to), cmp.Compare(x.number, y.number))
	})
	for i := range corners {
		h.slot[i] = -1
	}
	for i := len(h.halves) - 1; i >= 0; i-- {
		h.slot[h.halves[i].from] = int32(i)
		h.place[h.halves[i].number] = int32(i)
	}
	h.at, h.joined = append(h.at[:0], e.at...), h.joined[:0]
	e.at = e.at[:0]
	c := int32(0)
	next := h.slot[c]
	for range joined {
		if err := b.visit(); err != nil {
			return err
		}
		h.joined = append(h.joined, corners[c])
		if solid {
			e.at = append(e.at, h.at[c])
		}
		if next >= 0 && int(next) < len(h.halves) && h.halves[next].from == c {
			// The walk arrives over a bridge and leaves over the next one in clockwise order.
			half := h.halves[next]
			c, next = half.to, h.place[half.number^1]+1
			continue
		}
		c = e.next[c]
		next = h.slot[c]
	}
	return nil
}

// compareClockwise compares the directions from corner c to the corners i and j. The directions are in
// clockwise order, from the direction of the previous corner of the ring. For a corner at the same
// point as c, the direction leads to the next corner of this corner.
func (e *earClipper) compareClockwise(c, i, j int32) int {
	if e.at[i] == e.at[c] {
		i = e.next[i]
	}
	if e.at[j] == e.at[c] {
		j = e.next[j]
	}
	sector := func(i int32) int {
		p := e.prev[c]
		switch e.turn(c, p, i) {
		case -1:
			return 1
		case 1:
			return 3
		}
		if between(e.at[p], e.at[c], e.at[i]) {
			return 2 // opposite to the previous corner
		}
		return 0
	}
	return cmp.Or(cmp.Compare(sector(i), sector(j)), e.turn(c, i, j))
}

package nearest

import (
	"math/bits"

	"github.com/golang/geo/r3"
)

// Points that follow each other in a batch are searched in groups. Where all faces that
// may be nearest to any of a group are in few blocks, found once, the searches start
// with those blocks instead of the root. Near the surface that replaces nine of eleven
// nodes. Far from it the blocks are too many, and after a group where they were,
// groupPause others are not tried.
const (
	groupSize   = 32
	groupBlocks = 2 * lanes
	groupPause  = 15
)

// group tells which blocks the searches of some points start with.
type group struct {
	pause int // groups that are not to be tried
	nodes [groupBlocks / lanes]wideNode
	walk  wideWalk // of the middle of the points
}

// gather sets walk.roots to nodes that hold all blocks that may hold the nearest face
// of any of pts; to nothing if that does not pay.
func (g *group) gather(w *wide, s *Searcher, pts []r3.Vector, walk *wideWalk, st *Scratch) {
	walk.roots = nil
	if g.pause > 0 {
		g.pause--
		return
	}
	c, radius := around(pts)
	q, ok := w.newQuery(c)
	if !ok {
		return
	}
	g.walk.seed = walk.seed
	r := w.closest(s, c, &g.walk, st)
	if r.Face < 0 {
		return // interrupted
	}
	// The face of r is exactly within r.Distance + r.Bound of c, so within the radius
	// more of every point; its computed distance from that is at most its bound more,
	// which is at most bound(reach). The nearest face of that point is no farther by its
	// computed distance, and by its exact one within limit. The last radius leads back
	// to c.
	reach := (r.Distance + r.Bound + radius) * (1 + 0x1p-50)
	reach += 2 * s.bound(reach)
	reach = (reach + 2*s.bound(reach) + radius) * (1 + 0x1p-50)
	q.setLimit(s.limit(reach, w.scale))
	g.walk.query = q
	if g.collect(w) {
		walk.roots = g.nodes[:]
	} else {
		g.pause = groupPause
	}
}

// collect fills the nodes with the blocks near the query of g.walk, and reports
// whether there is room for them.
func (g *group) collect(w *wide) bool {
	for i := range g.nodes {
		g.nodes[i] = emptyNode
	}
	count := 0
	var bound [lanes]float32
	g.walk.start(w.root)
	for link, ok := g.walk.pop(); ok; link, ok = g.walk.pop() {
		if link < 0 {
			return false // the root: a block needs no group
		}
		n := &w.nodes[link]
		for near := nodeBounds(n, &g.walk.query, &bound); near != 0; near &= near - 1 {
			lane := bits.TrailingZeros32(near) & (lanes - 1)
			if n.links[lane] >= 0 {
				g.walk.stack[g.walk.sp] = wideEntry{link: n.links[lane]}
				g.walk.sp++
				continue
			}
			if count == groupBlocks {
				return false
			}
			g.nodes[count/lanes].copyLane(count%lanes, n, lane)
			count++
		}
	}
	return true
}

// copyLane makes lane k of n that of lane j of o.
func (n *wideNode) copyLane(k int, o *wideNode, j int) {
	for i := range 3 {
		n.c[i][k], n.e[i][k] = o.c[i][j], o.e[i][j]
		for l := range 3 {
			n.a[i][l][k] = o.a[i][l][j]
		}
	}
	n.links[k] = o.links[j]
}

// around returns a point, and a radius within which all pts are from it.
func around(pts []r3.Vector) (c r3.Vector, radius float64) {
	low, high := pts[0], pts[0]
	for _, p := range pts[1:] {
		low = r3.Vector{X: min(low.X, p.X), Y: min(low.Y, p.Y), Z: min(low.Z, p.Z)}
		high = r3.Vector{X: max(high.X, p.X), Y: max(high.Y, p.Y), Z: max(high.Z, p.Z)}
	}
	c = low.Mul(0.5).Add(high.Mul(0.5))
	for _, p := range pts {
		radius = max(radius, p.Sub(c).Norm())
	}
	return c, radius * (1 + 0x1p-48)
}

package nearest

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"
)

// groupSize is the largest number of points in a group. In the search for one point, each step
// waits for the result of the step before. The searches of a group are independent, so they keep
// the processor busy.
const groupSize = 16 // tuning

// A search of a group visits at most maxNodes nodes and maxBlocks blocks. If it finds more than blocksPerPoint blocks for each
// point, the faces are long and thin, or very many faces are almost equally near. Then each point of the group and of the next
// skipGroups groups is searched alone. For long thin faces, such a search visits few boxes. If it visits more than wideBoxes
// for each point, any number of blocks is searched together, until wideGroups groups had few blocks.
const (
	maxNodes       = 8000 // tuning
	maxBlocks      = 6000 // tuning
	blocksPerPoint = 64   // tuning
	skipGroups     = 15   // tuning
	wideBoxes      = 100  // tuning
	wideGroups     = 16   // tuning
)

// obbWalk is the working memory of searches in an OBB tree.
type obbWalk struct {
	packet     packet
	bounds     [maxBlocks][lanes]float32 // lower bounds of the squared distances of the triangles in blocks[i]
	nodes      [maxNodes + lanes]int32   // numbers of nodes
	nodePoint  [maxNodes + lanes]int32   // the point that visits nodes[i]
	blocks     [maxBlocks + lanes]int32  // numbers of blocks
	blockPoint [maxBlocks + lanes]int32  // the point that visits blocks[i]
	packets    packetWalk
	hits       [maxBlocks]hit // the blocks whose triangles can be nearest
	pairs      pairList       // the triangles that can be nearest
	best       [groupSize]int // the nearest pair of each point
	order      [groupSize]int // the index of the point of each query
	seed       int32          // the block with the last result
	ordered    orderedWalk
	skip       int // number of groups whose points are searched one by one
	wide       int // if positive, groups with any number of blocks are searched together
}

// hit selects the lanes of a block that can be nearest to a point.
type hit struct {
	block, point int32
	lanes        uint32
}

// closestTo writes the results of Searcher.Closest for at most groupSize points to found, bit for
// bit, by searching the OBB tree. It starts with the block of the last result, which is near if
// successive points are near each other. If withPoint is false, the Point of a result is undefined.
func (t *obbTree) closestTo(s *Searcher, found []Result, pts []r3.Vector, w *obbWalk, withPoint bool, st *Scratch) {
	n := 0
	for i, p := range pts {
		if w.packet.setPoint(n, t, p) {
			w.order[n] = i
			n++
		} else {
			found[i] = s.Closest(p, st)
		}
	}
	if n == 0 {
		return
	}
	if w.skip--; w.skip >= 0 || n == 1 && !hasAVX2 || !t.findPairs(s, pts, w, n) {
		boxes := w.ordered.boxes
		for i, p := range pts {
			found[i] = t.closestAlone(s, p, w, st)
		}
		if w.ordered.boxes-boxes > wideBoxes*len(pts) {
			w.wide, w.skip = wideGroups, 0
		}
		return
	}
	if st.stopped(int32(w.pairs.size)) {
		for i := range found {
			found[i] = noResult()
		}
		return
	}
	w.pairs.measure()
	w.chooseBest(s, pts, n, st)
	if last := w.best[n-1]; last >= 0 {
		w.seed = w.pairs.block[last]
	}
	for k, i := range w.order[:n] {
		if best := w.best[k]; best >= 0 {
			w.pairs.result(s, pts[i], best, withPoint, st, &found[i])
		} else {
			found[i] = w.pairs.resultByKernel(s, pts[i], int32(k), st)
		}
	}
}

// findPairs sets w.pairs to the triangles that can be nearest to the first n points of w. It returns
// false if each point must be searched alone.
func (t *obbTree) findPairs(s *Searcher, pts []r3.Vector, w *obbWalk, n int) bool {
	var hits int
	if hasAVX512 && n >= minPacket {
		var found int
		if found, hits = t.searchPacket(w, n); found >= 0 {
			return w.collect(s, t, pts, found)
		}
	} else {
		hits = t.search(w, n)
	}
	if hits < 0 {
		return false
	}
	w.pairs.size = 0
	for _, h := range w.hits[:hits] {
		b, p := &t.blocks[h.block], &pts[w.order[h.point]]
		for lanes := h.lanes & (1<<b.count - 1); lanes != 0; lanes &= lanes - 1 {
			k := b.first + int32(bits.TrailingZeros32(lanes))
			if !w.pairs.add(h.point, h.block, p, k, &s.tris[k]) {
				return false
			}
		}
	}
	return true
}

// collect sets w.pairs to the pairs of the first n leaves. It returns false if there are too many.
func (w *obbWalk) collect(s *Searcher, t *obbTree, pts []r3.Vector, n int) bool {
	l := &w.pairs
	l.size = collectPairs(t, w, n)
	for i := range l.size { // not if size is negative
		l.setCoordinates(i, &pts[w.order[l.owner[i]]], &s.tris[l.at[i]])
	}
	return l.size >= 0
}

// search finds the triangles that can be nearest to the first n points of w. It returns the number of
// elements of w.hits, or −1 if the lists of w are too short.
func (t *obbTree) search(w *obbWalk, n int) int {
	if n > 1 || t.root < 0 {
		for i := range n {
			w.blocks[i], w.blockPoint[i] = w.seed, int32(i)
		}
		hits := boundBlocks(t, w, n) // limits the search
		if t.root < 0 {
			return hits // the only block is the seed
		}
	} else {
		w.packet.limit[0] = t.blocks[w.seed].upper(&w.packet)
	}
	for i := range n {
		w.nodes[i], w.nodePoint[i] = t.root, int32(i)
	}
	found := findBlocks(t, w, n)
	if w.tooMany(found, n) {
		return -1
	}
	return boundBlocks(t, w, found)
}

// tooMany decides whether the n points of a group are searched alone, because the search has found too many blocks. blocks is
// negative if the lists are too short for them.
func (w *obbWalk) tooMany(blocks, n int) bool {
	few := blocks >= 0 && blocks <= blocksPerPoint*n
	switch {
	case few:
		w.wide = max(0, w.wide-1)
	case w.wide == 0:
		w.skip = skipGroups
		return true
	}
	return blocks < 0
}

// findBlocks writes to w.blocks the blocks whose boxes are within the limits of w.packet. At the
// start, each of the first n elements of w.nodes is the root, one for each point. findBlocks lowers
// the limits to the distances of points in the visited boxes. findBlocks returns the number of
// blocks, or −1 if there are too many.
func findBlocks(t *obbTree, w *obbWalk, n int) int {
	if hasAVX2 {
		return findBlocksAVX2(&t.nodes[0], w, n)
	}
	return findBlocksGeneric(t.nodes, w, n)
}

// findBlocksGeneric implements findBlocks without assembly code.
func findBlocksGeneric(nodes []obbNode, w *obbWalk, size int) int {
	var bound [lanes]float32
	found := 0
	for i := 0; i < size; i++ {
		if size > maxNodes || found > maxBlocks-lanes {
			return -1
		}
		n, point := &nodes[w.nodes[i]], w.nodePoint[i]
		q := w.packet.at(point)
		q.limit = min32(q.limit, n.upper(&q))
		w.packet.limit[point] = q.limit
		for near := nodeBoundsGeneric(n, &q, &bound); near != 0; near &= near - 1 {
			if link := n.links[bits.TrailingZeros32(near)]; link >= 0 {
				w.nodes[size], w.nodePoint[size] = link, point
				size++
			} else {
				w.blocks[found], w.blockPoint[found] = ^link, point
				found++
			}
		}
	}
	return found
}

// boundBlocks computes lower and upper bounds of the distances of the triangles in the first n
// elements of w.blocks. It lowers the limits of w.packet to upper bounds. Then it writes to w.hits
// the lanes whose lower bounds are within these limits, and returns the number of hits.
func boundBlocks(t *obbTree, w *obbWalk, n int) int {
	if hasAVX2 {
		return boundBlocksAVX2(&t.blocks[0], w, n)
	}
	return boundBlocksGeneric(t.blocks, w, n)
}

// boundBlocksGeneric implements boundBlocks without assembly code.
func boundBlocksGeneric(blocks []triBlock, w *obbWalk, n int) int {
	for i := range n {
		b, out, q := &blocks[w.blocks[i]], &w.bounds[i], w.packet.at(w.blockPoint[i])
		upper := float32(math.Inf(1))
		for k := range lanes {
			var m float32
			out[k], m = b.bound(&q, k)
			upper = min32(upper, float32(math.Sqrt(float64(out[k])))+float32(b.loose[k]*m))
		}
		w.packet.limit[w.blockPoint[i]] = min32(q.limit, float32(float32(upper*upper)*limitSlack)+limitFloor)
	}
	hits := 0
	for i := range n {
		var near uint32
		for k, b := range w.bounds[i] {
			if b <= w.packet.limit[w.blockPoint[i]] {
				near |= 1 << k
			}
		}
		if near != 0 {
			w.hits[hits] = hit{w.blocks[i], w.blockPoint[i], near}
			hits++
		}
	}
	return hits
}

// bound returns a lower bound of the squared distance from q to the triangle in lane k, and the
// margin that it subtracted.
func (b *triBlock) bound(q *query, k int) (bound, m float32) {
	v := [3]float32{q.p[0] - b.c[0][k], q.p[1] - b.c[1][k], q.p[2] - b.c[2][k]}
	var u [3]float32
	for i := range u {
		u[i] = float32(b.a[i][0][k]*v[0]) + float32(b.a[i][1][k]*v[1]) + float32(b.a[i][2][k]*v[2])
	}
	x, y := u[0], u[1]
	m = float32((abs(v[0])+abs(v[1])+abs(v[2]))*marginPerLength) + (b.slack[k] + q.blockMargin)
	across1 := float32(b.m1[0][k]*x) + float32(b.m1[1][k]*y) - b.o1[k]
	across2 := float32(b.m2[0][k]*x) + float32(b.m2[1][k]*y)
	var side float32
	if max32(max32(-y, across1), across2) > m {
		side = min32(min32(
			excess(x-b.half0[k], b.half0[k], m)+excess(y, 0, m),
			excess(float32(b.m1[0][k]*y)-float32(b.m1[1][k]*x)-b.mid1[k], b.half1[k], m)+excess(across1, 0, m)),
			excess(float32(b.m2[0][k]*y)-float32(b.m2[1][k]*x)+b.half2[k], b.half2[k], m)+excess(across2, 0, m))
	}
	return excess(u[2], 0, m) + side, m
}

// excess returns max(|x| − half − margin, 0)².
func excess(x, half, margin float32) float32 {
	x = max32(abs(x)-half-margin, 0)
	return float32(x * x)
}

// nodeBoundsGeneric writes to out a lower bound of the squared distance from q to each box of n. The
// result selects the lanes whose bound is at most the limit of q.
func nodeBoundsGeneric(n *obbNode, q *query, out *[lanes]float32) (near uint32) {
	for k := range lanes {
		x, y, z := q.p[0]-n.c[0][k], q.p[1]-n.c[1][k], q.p[2]-n.c[2][k]
		var sum float32
		for i := range n.a {
			v := float32(n.a[i][0][k]*x) + float32(n.a[i][1][k]*y) + float32(n.a[i][2][k]*z)
			sum += excess(v, n.e[i][k], q.margin)
		}
		out[k] = sum
		if sum <= q.limit {
			near |= 1 << k
		}
	}
	return near
}

// upper returns an upper bound of the squared distance from the first point of g to the first
// triangle of b: the squared distance to a corner. The search of a single point gets it sooner than
// the bounds of boundBlocks.
func (b *triBlock) upper(g *packet) float32 {
	if b.loose[0] > math.MaxFloat32 {
		return math.MaxFloat32 // the block does not store the corner
	}
	x, y, z := g.p[0][0]-b.c[0][0], g.p[1][0]-b.c[1][0], g.p[2][0]-b.c[2][0]
	return float32((float32(x*x)+float32(y*y)+float32(z*z))*(1+2*nearSlack)) + g.nearMargin[0]
}

// upper returns an upper bound of the squared distance from q to the nearest face in the boxes of n.
func (n *obbNode) upper(q *query) float32 {
	least := float32(math.MaxFloat32)
	for k := range lanes {
		x, y, z := q.p[0]-n.near[0][k], q.p[1]-n.near[1][k], q.p[2]-n.near[2][k]
		least = min32(least, float32(x*x)+float32(y*y)+float32(z*z))
	}
	return float32(least*(1+2*nearSlack)) + q.nearMargin
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// max32 returns the larger number, or NaN if x or y is NaN. It leaves the sign of a zero open,
// which saves a function call in WebAssembly.
func max32(x, y float32) float32 {
	if x > y || x != x {
		return x
	}
	return y
}

// min32 returns the smaller number, or NaN if x or y is NaN.
func min32(x, y float32) float32 {
	if x < y || x != x {
		return x
	}
	return y
}

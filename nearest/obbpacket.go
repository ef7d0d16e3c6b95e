package nearest

import (
	"math"
	"math/bits"
)

// A packet visits at most maxVisits nodes and maxLeaves blocks. Otherwise its points are searched one
// by one.
const (
	maxVisits = 512 // tuning
	maxLeaves = 256 // tuning
)

// minPacket is the least number of points that visit nodes together.
const minPacket = 4 // tuning

// visit is a node or a block that some points of a packet visit.
type visit struct {
	link   int32  // the number of the node or of the block
	points uint32 // bit i is set if point i visits it
}

// packetWalk is the working memory of a search for all points of a packet at the same time. The
// bounds are lower bounds of squared distances from the points.
type packetWalk struct {
	bounds    [maxLeaves][groupSize]float32        // of the box around leaves[i]
	triangles [maxLeaves][lanes][groupSize]float32 // of the triangles in leaves[i]
	nodes     [maxVisits + 1]visit
	leaves    [maxLeaves + 1]visit
}

// searchPacket is search for points that are near each other. It computes each bound for all points
// at the same time. It appends the triangles that can be nearest to w.pairs. It returns false if the
// lists of w are too short.
func (t *obbTree) searchPacket(w *obbWalk, n int) bool {
	l := &w.packets
	all := uint32(1)<<n - 1
	l.leaves[0], l.bounds[0] = visit{w.seed, all}, [groupSize]float32{}
	boundPackets(t, w, 1) // limits the search
	found := 1
	if t.root >= 0 {
		l.nodes[0] = visit{t.root, all}
		if found = findLeaves(t, w); found < 0 {
			return false
		}
		boundPackets(t, w, found)
	}
	w.pairs.size = collectPairs(t, w, found)
	return w.pairs.size >= 0
}

// findLeaves writes to the leaves the blocks whose boxes are within the limits of the points, and
// returns their number, or −1 if the lists are too short. The first node is the root. It lowers the
// limits to the distances of points in the visited boxes.
func findLeaves(t *obbTree, w *obbWalk) int {
	if hasAVX512 {
		return findLeavesAVX512(&t.nodes[0], w)
	}
	return findLeavesGeneric(t.nodes, w)
}

// findLeavesGeneric implements findLeaves without assembly code.
func findLeavesGeneric(nodes []obbNode, w *obbWalk) int {
	l := &w.packets
	size, found := 1, 0
	for i := 0; i < size; i++ {
		if size > maxVisits-lanes || found > maxLeaves-lanes {
			return -1
		}
		n, points := &nodes[l.nodes[i].link], l.nodes[i].points
		var bounds [groupSize][lanes]float32
		var near [groupSize]uint32
		for j := range bounds {
			q := w.packet.at(int32(j))
			q.limit = min(q.limit, n.upper(&q))
			w.packet.limit[j] = q.limit
			near[j] = nodeBoundsGeneric(n, &q, &bounds[j])
		}
		for k := range lanes {
			v := visit{link: n.links[k]}
			for j := range near {
				v.points |= near[j] >> k & 1 << j
			}
			if v.points &= points; v.points == 0 {
				continue
			}
			if v.link >= 0 {
				l.nodes[size] = v
				size++
				continue
			}
			v.link = ^v.link
			for j := range bounds {
				l.bounds[found][j] = bounds[j][k]
			}
			l.leaves[found] = v
			found++
		}
	}
	return found
}

// boundPackets computes lower and upper bounds of the distances of the triangles in the first n
// leaves, and lowers the limits of the points to the upper bounds. It first removes the points of a
// leaf whose limits are below the bounds of its box. It skips a leaf without points.
func boundPackets(t *obbTree, w *obbWalk, n int) {
	if hasAVX512 {
		boundPacketsAVX512(&t.blocks[0], w, n)
		return
	}
	boundPacketsGeneric(t.blocks, w, n)
}

// boundPacketsGeneric implements boundPackets without assembly code.
func boundPacketsGeneric(blocks []triBlock, w *obbWalk, n int) {
	l := &w.packets
	for i := range l.leaves[:n] {
		v := &l.leaves[i]
		v.points &= w.withinLimits(&l.bounds[i])
		if v.points == 0 {
			continue
		}
		b := &blocks[v.link]
		for j := range groupSize {
			q, upper := w.packet.at(int32(j)), float32(math.Inf(1))
			for k := range b.count {
				bound, m := b.bound(&q, int(k))
				l.triangles[i][k][j] = bound
				upper = min(upper, float32(math.Sqrt(float64(bound)))+float32(b.loose[k]*m))
			}
			w.packet.limit[j] = min(q.limit, float32(float32(upper*upper)*limitSlack)+limitFloor)
		}
	}
}

// withinLimits returns the mask of the points whose bounds are within their limits.
func (w *obbWalk) withinLimits(bounds *[groupSize]float32) (points uint32) {
	for j, b := range bounds {
		if b <= w.packet.limit[j] {
			points |= 1 << j
		}
	}
	return points
}

// collectPairs writes to w.pairs the owners, triangles and blocks of the pairs whose bounds are within
// the limits, from the first n leaves. It returns their number, or −1 if the list is too short.
func collectPairs(t *obbTree, w *obbWalk, n int) int {
	if hasAVX512 {
		return collectPairsAVX512(&t.blocks[0], w, n)
	}
	return collectPairsGeneric(t.blocks, w, n)
}

// collectPairsGeneric implements collectPairs without assembly code.
func collectPairsGeneric(blocks []triBlock, w *obbWalk, n int) (size int) {
	l := &w.packets
	for i, v := range l.leaves[:n] {
		if v.points == 0 {
			continue
		}
		b := &blocks[v.link]
		for k := range b.count {
			if size > maxPairs-groupSize {
				return -1
			}
			for near := v.points & w.withinLimits(&l.triangles[i][k]); near != 0; near &= near - 1 {
				w.pairs.owner[size], w.pairs.at[size], w.pairs.block[size] = int32(bits.TrailingZeros32(near)), b.first+k, v.link
				size++
			}
		}
	}
	return size
}

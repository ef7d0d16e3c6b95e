package nearest

import "math/bits"

// A packet visits at most maxVisits nodes and maxLeaves blocks.
const (
	maxVisits = 1024 // tuning
	maxLeaves = 512  // tuning
)

// visit is a node or a block that some points of a packet visit.
type visit struct {
	link   int32 // the number of the node or of the block
	points uint32
}

// packetWalk is the working memory of a search for all points of a packet at the same time.
type packetWalk struct {
	bounds [maxLeaves][groupSize]float32 // lower bounds of the squared distances of the boxes of leaves[i]
	nodes  [maxVisits + 1]visit
	leaves [maxLeaves + 1]visit
}

// findPackets is findBlocks for points that are near each other. It computes the bounds of a box for
// all points of the packet at the same time. The first element of w.packets.nodes is the root. Also,
// it compares the bounds of the blocks with the final limits.
func findPackets(t *obbTree, w *obbWalk) int {
	if hasAVX512 {
		return findPacketsAVX512(&t.nodes[0], w)
	}
	return findPacketsGeneric(t.nodes, w)
}

// findPacketsGeneric implements findPackets without assembly code.
func findPacketsGeneric(nodes []obbNode, w *obbWalk) int {
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
	pairs := 0
	for i, v := range l.leaves[:found] {
		if pairs > maxBlocks-groupSize {
			return -1
		}
		for ; v.points != 0; v.points &= v.points - 1 {
			j := int32(bits.TrailingZeros32(v.points))
			if l.bounds[i][j] <= w.packet.limit[j] {
				w.blocks[pairs], w.blockPoint[pairs] = v.link, j
				pairs++
			}
		}
	}
	return pairs
}

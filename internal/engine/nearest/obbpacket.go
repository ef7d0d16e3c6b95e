package nearest

import (
	"math"
	"math/bits"

	"github.com/inpoly/inpoly/internal/predicates"
)

// A packet visits at most maxVisits nodes and maxLeaves blocks.
const (
	maxVisits = 2048 // tuning
	maxLeaves = 1000 // tuning
)

// minPacket is the least number of points that visit nodes together.
const minPacket = 4 // tuning

// A packet subtracts the margin from the distance, not from each of its three components. The
// factor margins exceeds √3. rootSlack and rootFloor correspond to limitSlack and limitFloor, but
// for distances instead of squares. For the derivation, see Packets in
// docs/design/016-error-bounds.md.
const (
	margins   = 1.75
	rootSlack = 1 + 0x1p-17
	rootFloor = 0x1p-70
)

// visit is a node or a block that some points of a packet visit.
type visit struct {
	link   int32  // the number of the node or of the block
	points uint32 // bit i is set if point i visits it
}

// packetWalk is the working memory of a search for all points of a packet at the same time.
type packetWalk struct {
	bounds    [maxLeaves][groupSize]float32        // squared distances from the boxes around leaves[i]
	triangles [maxLeaves][lanes][groupSize]float32 // lower bounds of the distances from the triangles in leaves[i]
	nodes     [maxVisits + 1]visit
	leaves    [maxLeaves + 1]visit
}

// sharedBlock is the average number of points of a block from which a packet bounds the triangles
// of the block for all its points at once. If the average is smaller, the points are far from each
// other, and boundBlocks is faster.
const sharedBlock = 3 // tuning

// searchPacket does the work of search for points that are near each other. It computes each bound
// for all points at once. found is the number of leaves that it leaves in w for collectPairs. If
// found is negative, hits has the meaning of the result of search.
func (t *obbTree) searchPacket(w *obbWalk, n int) (found, hits int) {
	l := &w.packets
	all := uint32(1)<<n - 1
	l.leaves[0], l.bounds[0] = visit{w.seed, all}, [groupSize]float32{}
	boundPackets(t, w, 1) // limits the search
	if t.root < 0 {
		return 1, 0
	}
	l.nodes[0] = visit{t.root, all}
	pairs := -1
	if found = findLeaves(t, w); found >= 0 {
		pairs = expandLeaves(t, w, found)
	}
	if w.tooMany(pairs, n) {
		return -1, -1
	}
	if pairs < sharedBlock*found {
		return -1, boundBlocks(t, w, pairs)
	}
	boundPackets(t, w, found)
	return found, 0
}

// findLeaves finds the blocks whose boxes are within the limits of the points, and writes them to
// the leaves. It starts at the root, the first element of nodes. It lowers the limits to the
// distances of points in the visited boxes. It returns the number of leaves, or −1 if the lists are
// too short.
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
			near[j] = n.packetBounds(&q, &bounds[j])
			w.packet.limit[j] = q.limit
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

// expandLeaves removes a point from a leaf if the limit of the point is below the bound of the box.
// It does this for the first n leaves. For each remaining point it writes a pair of the block and
// the point to w.blocks and w.blockPoint. expandLeaves returns the number of pairs, or −1 if the
// lists are too short.
func expandLeaves(t *obbTree, w *obbWalk, n int) int {
	if hasAVX512 {
		return expandLeavesAVX512(&t.blocks[0], w, n)
	}
	return expandLeavesGeneric(t.blocks, w, n)
}

// expandLeavesGeneric implements expandLeaves without assembly code.
func expandLeavesGeneric(_ []triBlock, w *obbWalk, n int) (pairs int) {
	l := &w.packets
	limits := w.rootsOfLimits()
	for i := range l.leaves[:n] {
		if pairs > maxBlocks-groupSize {
			return -1
		}
		v := &l.leaves[i]
		v.points &= w.within(&l.bounds[i], &limits)
		for points := v.points; points != 0; points &= points - 1 {
			w.blocks[pairs], w.blockPoint[pairs] = v.link, int32(bits.TrailingZeros32(points))
			pairs++
		}
	}
	return pairs
}

// within returns the mask of the points whose limits reach a box. bounds are the squared distances
// of the box from the points, without a margin.
func (w *obbWalk) within(bounds, limits *[groupSize]float32) (points uint32) {
	for j, bound := range bounds {
		if sqrt32(bound)-float32(w.packet.margin[j]*margins) <= limits[j] {
			points |= 1 << j
		}
	}
	return points
}

// packetBounds writes to out the squared distance from q to each box of n, without a margin. It
// lowers the limit of q to the distance of a point in a box. The result is the mask of the boxes
// within the limit.
func (n *obbNode) packetBounds(q *query, out *[lanes]float32) (near uint32) {
	least := float32(math.Inf(1))
	for k := range lanes {
		least = min32(least, norm2(q.p[0]-n.near[0][k], q.p[1]-n.near[1][k], q.p[2]-n.near[2][k]))
	}
	q.limit = min32(q.limit, fma(least, 1+2*nearSlack, q.nearMargin))
	within := fma(sqrt32(q.limit), rootSlack, float32(q.margin*margins))
	within *= within
	for k := range lanes {
		v := [3]float32{q.p[0] - n.c[0][k], q.p[1] - n.c[1][k], q.p[2] - n.c[2][k]}
		var u [3]float32
		for i := range u {
			u[i] = max32(abs(dotLane(&n.a[i], k, &v))-n.e[i][k], 0)
		}
		if out[k] = norm2(u[0], u[1], u[2]); out[k] <= within {
			near |= 1 << k
		}
	}
	return near
}

// boundPackets computes lower and upper bounds of the distances of the triangles in the first n
// leaves, and lowers the limits of the points to the upper bounds. Before that, it removes a point
// from a leaf if the limit of the point is below the bound of the box. boundPackets skips leaves
// without points.
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
	limits := w.rootsOfLimits()
	for i := range l.leaves[:n] {
		v := &l.leaves[i]
		v.points &= w.within(&l.bounds[i], &limits)
		if v.points == 0 {
			continue
		}
		b := &blocks[v.link]
		for j := range limits {
			q, upper := w.packet.at(int32(j)), float32(math.Inf(1))
			for k := range b.count {
				lower, high := b.packetBounds(&q, int(k))
				l.triangles[i][k][j] = lower
				upper = min32(upper, high)
			}
			limits[j] = min32(limits[j], fma(upper, rootSlack, rootFloor))
		}
	}
	for j, x := range limits {
		w.packet.limit[j] = min32(w.packet.limit[j], float32(float32(x*x)*limitSlack))
	}
}

// packetBounds returns a lower and an upper bound of the distance from q to the triangle in lane k.
func (b *triBlock) packetBounds(q *query, k int) (lower, upper float32) {
	m := fma((abs(q.p[0]-b.c[0][0])+abs(q.p[1]-b.c[1][0])+abs(q.p[2]-b.c[2][0]))+b.extent, marginPerLength, q.blockMargin) + b.slack[k]
	v := [3]float32{q.p[0] - b.c[0][k], q.p[1] - b.c[1][k], q.p[2] - b.c[2][k]}
	x, y, z := dotLane(&b.a[0], k, &v), dotLane(&b.a[1], k, &v), dotLane(&b.a[2], k, &v)
	across1 := fma(b.m1[1][k], y, b.m1[0][k]*x) - b.o1[k]
	across2 := fma(b.m2[1][k], y, b.m2[0][k]*x)
	var side float32
	if max32(max32(-y, across1), across2) > m {
		along1 := max32(abs(fma(-b.m1[1][k], x, b.m1[0][k]*y)-b.mid1[k])-b.half1[k], 0)
		along2 := max32(abs(fma(-b.m2[1][k], x, b.m2[0][k]*y)+b.half2[k])-b.half2[k], 0)
		side = min32(min32(
			norm2(y, max32(abs(x-b.half0[k])-b.half0[k], 0)),
			norm2(across1, along1)),
			norm2(across2, along2))
	}
	d := sqrt32(fma(z, z, side))
	return fma(-margins, m, d), fma(b.loose[k], m, d)
}

// rootsOfLimits returns upper bounds of the square roots of the limits.
func (w *obbWalk) rootsOfLimits() (roots [groupSize]float32) {
	for j, x := range w.packet.limit {
		roots[j] = sqrt32(x) * rootSlack
	}
	return roots
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// norm2 returns the sum of the squares of v.
func norm2(v ...float32) float32 {
	sum := v[0] * v[0]
	for _, x := range v[1:] {
		sum = fma(x, x, sum)
	}
	return sum
}

// dotLane returns the scalar product of lane k of a and v.
func dotLane(a *[3][lanes]float32, k int, v *[3]float32) float32 {
	return fma(a[2][k], v[2], fma(a[1][k], v[1], a[0][k]*v[0]))
}

// fma returns x·y + z, rounded once.
func fma(x, y, z float32) float32 {
	p := float64(x) * float64(y) // exact
	sum, err := predicates.TwoSum(p, float64(z))
	if bits := math.Float64bits(sum); err != 0 && bits&1 == 0 {
		// Rounding to odd prevents a double rounding of ties.
		if (err > 0) == (sum > 0) {
			sum = math.Float64frombits(bits + 1)
		} else {
			sum = math.Float64frombits(bits - 1)
		}
	}
	return float32(sum)
}

// collectPairs collects the pairs of a point and a triangle in the first n leaves whose bounds are
// within the limits. It writes their owners, triangles and blocks to w.pairs. It returns the number
// of pairs, or −1 if the list is too short.
func collectPairs(t *obbTree, w *obbWalk, n int) int {
	if hasAVX512 {
		return collectPairsAVX512(&t.blocks[0], w, n)
	}
	return collectPairsGeneric(t.blocks, w, n)
}

// collectPairsGeneric implements collectPairs without assembly code.
func collectPairsGeneric(blocks []triBlock, w *obbWalk, n int) (size int) {
	l := &w.packets
	limits := w.rootsOfLimits()
	for i, v := range l.leaves[:n] {
		if v.points == 0 {
			continue
		}
		b := &blocks[v.link]
		for k := range b.count {
			if size > maxPairs-groupSize {
				return -1
			}
			for j, bound := range l.triangles[i][k] {
				if v.points>>j&1 != 0 && bound <= limits[j] {
					w.pairs.owner[size], w.pairs.at[size], w.pairs.block[size] = int32(j), b.first+k, v.link
					size++
				}
			}
		}
	}
	return size
}

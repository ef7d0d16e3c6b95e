package nearest

import (
	"context"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// lanes is the number of boxes or triangles in one vector register.
const lanes = 8

const allLanes = 1<<lanes - 1

// obbTree is a tree of oriented boxes in float32. A node has eight children, and a leaf is a block
// of eight triangles. The tree only excludes faces, as the package comment explains. Coordinates
// are relative to center and multiplied by scale, a power of two that brings the mesh into [−1,
// 1]³.
type obbTree struct {
	center r3.Vector
	scale  float64
	root   int32 // link to the root
	nodes  []obbNode
	blocks []triBlock
}

// A link is the number of a node or, if negative, the bitwise complement of the number of a block.

// obbNode stores the boxes of its children side by side. A point x is in a box if |A(x−c)| ≤ e on
// every axis of the box. Unused lanes have e = −∞.
type obbNode struct {
	c     [3][lanes]float32
	a     [3][3][lanes]float32 // rows of A
	e     [3][lanes]float32
	links [lanes]int32
}

// triBlock stores bounds of up to eight triangles side by side. A triangle has the unit normal n,
// and its edges have the unit normals m in the plane of the triangle. Each normal has its own
// offset o. A point x of the triangle satisfies n·x = o, and m·x ≤ o for all three m. Unused lanes
// have o = −∞ for the first m.
type triBlock struct {
	n     [4][lanes]float32    // n and o
	m     [3][4][lanes]float32 // m and o of each edge
	first int32                // first triangle, in the order of the tree's leaves
	_     [7]int32
}

// These constants cover the rounding in float32 (docs/design/016-error-bounds.md, Oriented boxes in
// float32). skew limits how far a matrix of axes or normals is from orthonormal. A query has a
// margin of marginUnit times the size of its coordinates. limitSlack and limitFloor raise the limit
// of a query. maxThickness limits the distance of a triangle from its plane. maxCenter limits the
// coordinates of the center of a box.
const (
	marginUnit   = 0x1p-20
	skew         = 0x1p-20
	maxThickness = 0x1p-22
	limitSlack   = 1 + 0x1p-19
	limitFloor   = 0x1p-140
	maxCenter    = 2
)

// maxPoint is the largest scaled coordinate of a point for which the OBB tree is used. The margin
// grows with the coordinate. For points beyond maxPoint, the axis-aligned boxes are as fast.
const maxPoint = 16 // tuning

// A mesh has an OBB tree only if its half size is within these limits. Then products with scale,
// and squares in float32, neither overflow nor underflow.
const (
	minSize = 0x1p-200
	maxSize = 0x1p200
)

// normalization returns the center and the scale of an OBB tree over a mesh with the given bounding
// box. ok is false if the size of the mesh is out of range.
func normalization(box bvh.Box) (center r3.Vector, scale float64, ok bool) {
	if box.Empty() {
		return r3.Vector{}, 0, false
	}
	center = box.Min.Mul(0.5).Add(box.Max.Mul(0.5))
	half := box.Max.Sub(center)
	other := center.Sub(box.Min)
	size := max(half.X, half.Y, half.Z, other.X, other.Y, other.Z)
	if !(size >= minSize && size <= maxSize) || norm1(center) > maxSize {
		return r3.Vector{}, 0, false
	}
	// size·scale is in (1/2, 1].
	_, exponent := math.Frexp(size)
	return center, math.Ldexp(1, -exponent), true
}

// newOBBTree builds the tree over tris. It returns nil if there are no triangles or their size is
// out of range. The only possible error is the error of ctx.
func newOBBTree(ctx context.Context, tris []mesh.Triangle, box bvh.Box, workers int) (*obbTree, error) {
	center, scale, ok := normalization(box)
	if !ok || len(tris) == 0 {
		return nil, nil
	}
	b := obbBuilder{tris: tris, center: center, scale: scale}
	return b.build(ctx, workers)
}

// query holds a point in the form that nodeBounds and blockBounds use.
type query struct {
	p      [3]float32
	margin float32
	limit  float32 // largest squared distance at which the search looks for faces
}

// setPoint sets the point of q to p and removes the limit. It returns false if p is too far away or
// has a NaN coordinate. It modifies q, because returning a query costs more than visiting a node.
func (q *query) setPoint(t *obbTree, p r3.Vector) bool {
	x := p.Sub(t.center).Mul(t.scale)
	size := max(math.Abs(x.X), math.Abs(x.Y), math.Abs(x.Z))
	if !(size <= maxPoint) {
		return false
	}
	q.p[0], q.p[1], q.p[2] = float32(x.X), float32(x.Y), float32(x.Z)
	q.margin = float32(marginUnit * (size + 2) * (1 + 0x1p-20))
	q.limit = math.MaxFloat32
	return true
}

// setLimit restricts q to faces at a squared, scaled distance of at most the given limit.
func (q *query) setLimit(limit float64) {
	// The limit stays below infinity, which is the bound of unused lanes.
	q.limit = float32(min(limit*limitSlack+limitFloor, math.MaxFloat32))
}

// maxDepth bounds the height of an OBB tree over fewer than 2³⁰ triangles. If a node has seven
// cuts, each child has at most (7/8)⁷ < 0.4 of its triangles. If it has fewer cuts, the minimal
// height of each child is less than that of the node. A path has at most 21 nodes with seven cuts
// and 9 with fewer.
const maxDepth = 30

// stackSize suffices for a walk, because at most seven siblings are pending at each level.
const stackSize = (lanes - 1) * (maxDepth + 1)

// obbWalk is the working memory of searches in an OBB tree.
type obbWalk struct {
	query query
	seed  int32 // index of the last result, in the order of the tree's leaves
	sp    int
	stack [stackSize]pendingNode
}

// pendingNode is a node that will be visited, with a lower bound of its squared distance.
type pendingNode struct {
	bound float32
	link  int32
}

// closest returns the result of Searcher.Closest, bit for bit, by searching the OBB tree. It first
// tests the face of the last result, which is near if successive points are near each other.
func (t *obbTree) closest(s *Searcher, p r3.Vector, walk *obbWalk, st *Scratch) Result {
	if !walk.query.setPoint(t, p) {
		return s.Closest(p, st)
	}
	near := &st.near
	near.reset()
	g, distance, margin := closest(p, &s.tris[walk.seed], &st.Signs)
	near.add(s, &p, walk.seed, g, distance, margin, st)
	walk.query.setLimit(s.limit(distance, t.scale))
	walk.stack[0], walk.sp = pendingNode{link: t.root}, 1
	var bound [lanes]float32
next:
	for link, ok := walk.pop(); ok; link, ok = walk.pop() {
		for link >= 0 {
			n := &t.nodes[link]
			near := nodeBounds(n, &walk.query, &bound)
			if near&allLanes == 0 {
				continue next
			}
			link = walk.push(n, near, &bound)
		}
		b := &t.blocks[^link]
		laneBits := blockBounds(b, &walk.query, &bound)
		if laneBits == 0 {
			continue
		}
		if st.stopped(int32(bits.OnesCount32(laneBits))) {
			return noResult()
		}
		distance = t.testBlock(s, p, b, laneBits, &bound, distance, walk, st)
	}
	walk.seed = near.list[near.size-1].at
	return s.result(p, st)
}

// testBlock computes the distances of the triangles of b that laneBits selects, in ascending order
// of their bounds, and adds the triangles to st.near. It stops when no remaining triangle can be
// nearest. It returns the smaller of the given distance and the smallest computed distance.
func (t *obbTree) testBlock(s *Searcher, p r3.Vector, b *triBlock, laneBits uint32, bound *[lanes]float32, distance float64, walk *obbWalk, st *Scratch) float64 {
	for laneBits != 0 {
		lane := minLane(laneBits, bound)
		laneBits &^= 1 << lane
		k := b.first + int32(lane)
		if k == walk.seed {
			continue // closest has already tested this triangle
		}
		g, d, margin := closest(p, &s.tris[k], &st.Signs)
		st.near.add(s, &p, k, g, d, margin, st)
		if d < distance {
			distance = d
			walk.query.setLimit(s.limit(d, t.scale))
			laneBits &= lanesWithin(bound, walk.query.limit)
		}
	}
	return distance
}

// push returns the link to the nearest child of n, even if this child is just beyond the limit. It
// pushes the other children that laneBits selects.
func (w *obbWalk) push(n *obbNode, laneBits uint32, bound *[lanes]float32) int32 {
	first := laneBits >> lanes & (lanes - 1)
	for laneBits &= allLanes &^ (1 << first); laneBits != 0; laneBits &= laneBits - 1 {
		lane := bits.TrailingZeros32(laneBits) & (lanes - 1)
		w.stack[w.sp] = pendingNode{bound[lane], n.links[lane]}
		w.sp++
	}
	return n.links[first&(lanes-1)]
}

// pop removes nodes from the stack, and returns the first node whose bound is within the limit.
func (w *obbWalk) pop() (link int32, ok bool) {
	for w.sp > 0 {
		w.sp--
		if e := &w.stack[w.sp]; e.bound <= w.query.limit {
			return e.link, true
		}
	}
	return 0, false
}

// minLane returns the lane with the smallest bound among the lanes that laneBits selects.
func minLane(laneBits uint32, bound *[lanes]float32) int {
	best := bits.TrailingZeros32(laneBits) & (lanes - 1)
	for rest := laneBits & (laneBits - 1); rest != 0; rest &= rest - 1 {
		if k := bits.TrailingZeros32(rest) & (lanes - 1); bound[k] < bound[best] {
			best = k
		}
	}
	return best
}

// lanesWithin returns the lanes whose bound is at most the given limit.
func lanesWithin(bound *[lanes]float32, limit float32) (near uint32) {
	for k, b := range bound {
		if b <= limit {
			near |= 1 << k
		}
	}
	return near
}

// nodeBounds writes to out a lower bound of the squared distance from q to each box of n. Bits 0 to
// 7 of the result select the lanes whose bound is at most the limit of q. Bits 8 to 10 are the
// number of the lane with the smallest bound. This comparison ignores the last three bits of each
// bound and prefers the lowest lane.
func nodeBounds(n *obbNode, q *query, out *[lanes]float32) (near uint32) {
	if hasAVX2 {
		return nodeBoundsAVX2(n, q, out)
	}
	return nodeBoundsGeneric(n, q, out)
}

// blockBounds writes to out a lower bound of the squared distance from q to each triangle of b. The
// result selects the lanes whose bound is at most the limit of q.
func blockBounds(b *triBlock, q *query, out *[lanes]float32) (near uint32) {
	if hasAVX2 {
		return blockBoundsAVX2(b, q, out)
	}
	return blockBoundsGeneric(b, q, out)
}

// nodeBoundsGeneric implements nodeBounds without assembly code.
func nodeBoundsGeneric(n *obbNode, q *query, out *[lanes]float32) (near uint32) {
	first := uint32(math.MaxUint32)
	for k := range lanes {
		x, y, z := q.p[0]-n.c[0][k], q.p[1]-n.c[1][k], q.p[2]-n.c[2][k]
		var sum float32
		for i := range n.a {
			v := float32(n.a[i][0][k]*x) + float32(n.a[i][1][k]*y) + float32(n.a[i][2][k]*z)
			v = max(abs(v)-n.e[i][k]-q.margin, 0)
			sum += float32(v * v)
		}
		out[k] = sum
		if sum <= q.limit {
			near |= 1 << k
		}
		first = min(first, math.Float32bits(sum)&^(lanes-1)|uint32(k))
	}
	return near | first&(lanes-1)<<lanes
}

// blockBoundsGeneric implements blockBounds without assembly code.
func blockBoundsGeneric(b *triBlock, q *query, out *[lanes]float32) (near uint32) {
	for k := range lanes {
		height := max(abs(excess(&b.n, q, k))-q.margin, 0)
		side := max(excess(&b.m[0], q, k), excess(&b.m[1], q, k), excess(&b.m[2], q, k))
		side = max(side-q.margin, 0)
		sum := float32(height*height) + float32(side*side)
		out[k] = sum
		if sum <= q.limit {
			near |= 1 << k
		}
	}
	return near
}

// excess returns the signed distance of q from the plane in lane k.
func excess(plane *[4][lanes]float32, q *query, k int) float32 {
	return float32(plane[0][k]*q.p[0]) + float32(plane[1][k]*q.p[1]) + float32(plane[2][k]*q.p[2]) - plane[3][k]
}

func abs(x float32) float32 { return max(x, -x) }

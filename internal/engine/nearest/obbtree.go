package nearest

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// lanes is the number of boxes or triangles in one vector register.
const lanes = 8

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

// A link is the number of a node, or, if it is negative, the bitwise complement of the number of a
// block.

// obbNode stores the boxes of its children side by side. A point x is in a box if |A(x−c)| ≤ e on
// every axis of the box. near is a point of a triangle in the box, rounded. Unused lanes have e = −∞.
type obbNode struct {
	c     [3][lanes]float32
	a     [3][3][lanes]float32 // rows of A
	e     [3][lanes]float32
	links [lanes]int32
	near  [3][lanes]float32
}

// triBlock stores up to eight triangles side by side. Each triangle has an orthonormal frame: the
// origin c near its first corner, the axis a[0] along its first edge, the axis a[1] in its plane,
// and its normal a[2]. In the plane, the first edge is the segment from (0, 0) to (2·half0, 0), and
// the third edge ends at (0, 0). The second and the third edge have the outward normals m1 and m2
// and half the lengths half1 and half2. The line of the second edge is m1·(x, y) = o1, and its
// middle is at mid1 along the edge. Unused lanes repeat the last triangle.
type triBlock struct {
	c           [3][lanes]float32
	a           [3][3][lanes]float32
	half0       [lanes]float32
	m1          [2][lanes]float32
	o1          [lanes]float32
	mid1, half1 [lanes]float32
	m2          [2][lanes]float32
	half2       [lanes]float32
	slack       [lanes]float32 // bound of the errors of the numbers above
	loose       [lanes]float32 // upper bound minus lower bound of a distance, divided by the margin
	first       int32          // first triangle, in the order of the tree's leaves
	count       int32          // number of triangles
	extent      float32        // at least |c − c[0]|₁ for all lanes
	_           [5]int32
}

// These constants cover the rounding in float32 (docs/design/016-error-bounds.md, Oriented boxes in
// float32). skew limits how far a matrix of axes is from orthonormal. For boxes, the margin of a
// query is marginUnit times the size of its coordinates. For triangles, the margin has three parts:
// pointMargin times the size of the coordinates, marginPerLength times the distance from the first
// corner, and slackPerEdge times the longest edge. maxSlack limits the slack of a triangle.
// nearSlack is the relative amount by which squared distances of points are increased. limitSlack
// and limitFloor raise the limit of a query. maxCenter limits the coordinates of the center of a
// box.
const (
	marginUnit      = 0x1p-20
	skew            = 0x1p-20
	pointMargin     = 2.75 * 0x1p-24
	marginPerLength = 11 * 0x1p-24
	slackPerEdge    = 4.5 * 0x1p-24
	maxSlack        = 0x1p-20
	nearSlack       = 0x1p-14
	limitSlack      = 1 + 0x1p-17
	limitFloor      = 0x1p-140
	maxCenter       = 2
)

// maxPoint is the largest scaled coordinate of a point that the OBB tree searches. The margin grows
// with the coordinate, so beyond maxPoint the axis-aligned boxes are as fast.
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

// packet holds the points of a group. The arrays have the layout that the kernels read: one lane
// for each point.
type packet struct {
	p           [3][groupSize]float32
	margin      [groupSize]float32 // margin for boxes
	limit       [groupSize]float32 // largest squared distance at which the search looks for faces
	blockMargin [groupSize]float32 // margin for triangles, without the part that boundBlocks adds
	nearMargin  [groupSize]float32 // margin for squared distances of points in boxes
}

// setPoint sets point i of g to p, without a limit. It returns false if p is too far away or has a
// NaN coordinate.
func (g *packet) setPoint(i int, t *obbTree, p r3.Vector) bool {
	x := p.Sub(t.center).Mul(t.scale)
	size := max(math.Abs(x.X), math.Abs(x.Y), math.Abs(x.Z))
	if !(size <= maxPoint) {
		return false
	}
	g.p[0][i], g.p[1][i], g.p[2][i] = float32(x.X), float32(x.Y), float32(x.Z)
	margin := float32(marginUnit * (size + 2) * (1 + 0x1p-20))
	g.margin[i] = margin
	g.blockMargin[i] = float32(pointMargin * size * (1 + 0x1p-20))
	g.nearMargin[i] = float32(float32(margin*margin) / nearSlack)
	g.limit[i] = math.MaxFloat32
	return true
}

// query holds one point of a packet.
type query struct {
	p                                      [3]float32
	margin, limit, blockMargin, nearMargin float32
}

func (g *packet) at(i int32) query {
	return query{[3]float32{g.p[0][i], g.p[1][i], g.p[2][i]}, g.margin[i], g.limit[i], g.blockMargin[i], g.nearMargin[i]}
}

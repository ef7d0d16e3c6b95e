package nearest

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// lanes is the number of boxes or triangles whose bounds are computed at once.
const lanes = 8

// allLanes has a bit for each.
const allLanes = 1<<lanes - 1

// wide is a second hierarchy for batches: of oriented boxes, eight children a node,
// over blocks of eight triangles, in single precision. It rules faces out, and
// nothing else: what it leaves goes to the kernel that all searches share. Oriented
// boxes hug a curved surface: where it has the radius R, a patch of diameter h is as
// thick as h²/8R, an upright box about it as h, and all faces whose boxes come
// as near as the nearest face have to be looked at.
//
// Coordinates are relative to center and times scale, a power of two, which brings
// the mesh into [−1, 1]³.
type wide struct {
	center r3.Vector
	scale  float64
	root   int32 // a link
	nodes  []wideNode
	blocks []block
}

// A link is the number of a node or, if negative, the complement of that of a block.

// wideNode holds the boxes of its children side by side: a point x is in the box if
// |A(x−c)| ≤ e on every axis of the box. Lanes that are not in use have e = −∞.
type wideNode struct {
	c     [3][lanes]float32
	a     [3][3][lanes]float32 // rows of A
	e     [3][lanes]float32
	links [lanes]int32
}

// block holds bounds of up to eight triangles side by side. With the unit normal n
// of a triangle and the normals m of its edges in its plane, n·x = o and, in it,
// m·x ≤ o for all three m. Lanes that are not in use have o = −∞ for the first m.
type block struct {
	n     [4][lanes]float32    // n, o
	m     [3][4][lanes]float32 // m, o of each edge
	first int32                // of its triangles, in the order of the tree's leaves
	_     [7]int32
}

// Errors of single precision, with v = 2⁻²⁴. A matrix M with ‖M‖ ≤ 1 and a
// region {x : Mx ≤ o} that holds a face have, for any p, |max(0, Mp − o)| at most
// the distance of p from that face: Mp − o ≤ M(p − x) for the nearest x. For boxes
// M has the rows ±A and o = Ac ± e, for triangles the rows ±n and m; of several
// m the largest excess is taken with n. Nothing is asked of M but its norm: ‖MMᵀ‖ ≤ 1 + skew,
// by which squares are too large.
//
// Let |p| ≤ L−2 in every coordinate. p is rounded by vL, p−c by vL again, as |c| ≤ farCenter;
// a row of M, whose absolute sum is at most √3, makes √3·2vL of that, its products
// and sums another √3·3vL, and the difference to e or o at most 2vL: together less than
// 11vL. margin = 16vL = 2⁻²⁰L covers 10v beyond that, as L ≥ 2; 4v of them are the
// thickness of a triangle, see flat.
//
// Squares and their sum are rounded by 3v, skew is 16v, and the conversion of the limit
// makes v: together less than 32v, which is wideSlack less 1. Squares may be subnormal: wideFloor.
const (
	marginUnit = 0x1p-20
	skew       = 0x1p-20
	flat       = 0x1p-22
	wideSlack  = 1 + 0x1p-19
	wideFloor  = 0x1p-140
	farCenter  = 2
)

// farPoint is the largest scaled coordinate of a point that is searched by wide: the
// margin grows with it, and farther away the tree does as well.
const farPoint = 16

// Meshes whose half size is outside these bounds are searched by the tree: products
// with scale, and squares in single precision, must not over- or underflow.
const (
	leastSize   = 0x1p-200
	largestSize = 0x1p200
)

// fits returns the center and the scale of a wide over a mesh, and whether there can
// be one.
func fits(box bvh.Box) (center r3.Vector, scale float64, ok bool) {
	if box.Empty() {
		return r3.Vector{}, 0, false
	}
	center = box.Min.Mul(0.5).Add(box.Max.Mul(0.5))
	half := box.Max.Sub(center)
	other := center.Sub(box.Min)
	size := max(half.X, half.Y, half.Z, other.X, other.Y, other.Z)
	if !(size >= leastSize && size <= largestSize) || norm1(center) > largestSize {
		return r3.Vector{}, 0, false
	}
	// size·scale is in (1/2, 1].
	_, exponent := math.Frexp(size)
	return center, math.Ldexp(1, -exponent), true
}

// newWide makes the hierarchy for s, or nil if it cannot. It fails only with the
// error of ctx.
func newWide(ctx context.Context, tris []mesh.Triangle, box bvh.Box, workers int) (*wide, error) {
	center, scale, ok := fits(box)
	if !ok || len(tris) == 0 {
		return nil, nil
	}
	b := wideBuilder{tris: tris, center: center, scale: scale}
	return b.build(ctx, workers)
}

// local returns p in the coordinates of w.
func (w *wide) local(p r3.Vector) r3.Vector { return p.Sub(w.center).Mul(w.scale) }

// query is what the bounds of one point need.
type query struct {
	p      [3]float32
	margin float32
	limit  float32 // squared
}

// setPoint makes q the query of a point, without a limit, and reports whether the point
// is near enough for it: not if a coordinate is not a number. (A query that is returned
// would be copied sixteen bytes at a time, right after it was written four at a time:
// that costs more than a node.)
func (q *query) setPoint(w *wide, p r3.Vector) bool {
	x := w.local(p)
	size := max(math.Abs(x.X), math.Abs(x.Y), math.Abs(x.Z))
	if !(size <= farPoint) {
		return false
	}
	q.p[0], q.p[1], q.p[2] = float32(x.X), float32(x.Y), float32(x.Z)
	q.margin = float32(marginUnit * (size + 2) * (1 + 0x1p-20))
	q.limit = math.MaxFloat32
	return true
}

// setLimit makes q look for faces at a squared, scaled distance of at most limit.
func (q *query) setLimit(limit float64) {
	// Less than infinite: that is where lanes are that are not in use.
	q.limit = float32(min(limit*wideSlack+wideFloor, math.MaxFloat32))
}

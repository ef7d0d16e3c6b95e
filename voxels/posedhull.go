package voxels

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// posedHull is the convex body of eight corners in the world, for a mesh at a pose. It works in the frame of the mesh,
// as hull does. Each sign begins with rounded positions of the corners and bounds of their errors. If these do not
// decide the sign, exact arithmetic does, in which all vectors have the factor motion.Placement.Scale.
type posedHull struct {
	place   *motion.Placement
	corners func(i int) (corners [8]r3.Vector, ok bool)
	world   [8]r3.Vector
	box     bvh.Box // contains the hull, in the frame of the mesh
	scale   *big.Float
	points  [11]posedPoint // the corners, and then the vertices of a triangle

	// These fields have the same meaning as in hull. The elements are numbers of points.
	ready     bool
	sides     []hullSide
	triangles [][3]int
}

// vertices are the numbers of the vertices of the triangle that is compared with the hull.
var vertices = [3]int{8, 9, 10}

// posedPoint is a point in the frame of the mesh. Its exact position is within radius of near.
type posedPoint struct {
	near   r3.Vector
	radius float64
	from   r3.Vector         // the corner in the world, or the vertex
	exact  *r3.PreciseVector // the exact position times the scale, or nil if it is not computed yet
}

func newPosedHull(place *motion.Placement, corners func(i int) ([8]r3.Vector, bool)) *posedHull {
	return &posedHull{place: place, corners: corners, scale: place.Scale()}
}

func (h *posedHull) set(i int) (bvh.Box, bool) {
	var ok bool
	h.world, ok = h.corners(i)
	h.box, h.ready = bvh.EmptyBox(), false
	for k, v := range h.world {
		if !ok || !vec.Finite(v) {
			return h.box, false
		}
		near, radius := h.place.Position(v)
		h.points[k] = posedPoint{near: near, radius: radius, from: v}
		around := func(sign float64) r3.Vector {
			move := func(x float64) float64 {
				x = math.Nextafter(x+sign*radius, sign*math.Inf(1))
				if math.IsNaN(x) { // the position exceeds the range of float64
					return sign * math.MaxFloat64
				}
				return min(max(x, -math.MaxFloat64), math.MaxFloat64)
			}
			return r3.Vector{X: move(near.X), Y: move(near.Y), Z: move(near.Z)}
		}
		h.box = h.box.Add(around(-1)).Add(around(1))
	}
	return h.box, true
}

// point returns a corner in the world. The mean of the corners would not do: after rounding, it can lie outside
// a thin hull.
func (h *posedHull) point() (p r3.Vector, reach float64) {
	p = h.world[0]
	for _, v := range h.world[1:] {
		reach = max(reach, distanceAbove(v.Sub(p)))
	}
	return p, reach
}

// precise returns the exact position of point i times the scale.
func (h *posedHull) precise(i int) r3.PreciseVector {
	x := &h.points[i]
	if x.exact == nil {
		var v r3.PreciseVector
		if i < 8 {
			v = h.place.ScaledPosition(x.from)
		} else {
			v = r3.PreciseVectorFromVector(x.from).Mul(h.scale)
		}
		x.exact = &v
	}
	return *x.exact
}

// mostFiltered is the largest magnitude of a difference for which sign uses float64: products of three are finite.
const mostFiltered = 0x1p339

// sign returns the sign of (a−d)·((b−d)×(c−d)) for four points.
//
// Let p, q and r be the computed differences, and P, Q and R the largest magnitudes of their components. Let eP, eQ and
// eR bound the errors of these components: the radii of both points, and u = 2⁻⁵³ times the magnitude for the rounding.
// The exact determinant has six products, so it differs from the determinant of p, q and r by at most
// 6·((P+eP)(Q+eQ)(R+eR) − PQR), which is 6·(eP(Q+eQ)(R+eR) + P(eQ(R+eR) + Q·eR)). The rounding of the determinant is
// below 64u·PQR. The factor 1.01 covers the rounding of the bound. If a product of two factors underflows, it has an
// error of 2⁻¹⁰⁷⁵, which the third factor multiplies. The last term covers this error.
func (h *posedHull) sign(a, b, c, d int) int {
	const u = 0x1p-53
	o := &h.points[d]
	diff := func(i int) (v r3.Vector, m, e float64) {
		x := &h.points[i]
		v = x.near.Sub(o.near)
		m = vec.MaxAbs(v)
		return v, m, x.radius + o.radius + u*m
	}
	p, mp, ep := diff(a)
	q, mq, eq := diff(b)
	r, mr, er := diff(c)
	if mp+ep < mostFiltered && mq+eq < mostFiltered && mr+er < mostFiltered {
		det := p.Dot(q.Cross(r))
		bound := 1.01*(6*(ep*(mq+eq)*(mr+er)+mp*(eq*(mr+er)+mq*er))+64*(mp*mq*mr)*u) + 0x1p-1000*(1+mp+mq+mr)
		switch {
		case det > bound:
			return 1
		case det < -bound:
			return -1
		}
	}
	s := h.precise(d)
	return h.precise(a).Sub(s).Dot(h.precise(b).Sub(s).Cross(h.precise(c).Sub(s))).Sign()
}

// prepare finds the sides of the hull, as hull.prepare does.
func (h *posedHull) prepare() {
	h.ready, h.sides, h.triangles = true, h.sides[:0], h.triangles[:0]
	eachThree(func(a, b, c int) { h.addSide(a, b, c) })
	if len(h.sides) == 0 {
		eachThree(func(a, b, c int) { h.triangles = append(h.triangles, [3]int{a, b, c}) })
	}
}

// eachThree calls f for each set of three corners.
func eachThree(f func(a, b, c int)) {
	for a := range 8 {
		for b := a + 1; b < 8; b++ {
			for c := b + 1; c < 8; c++ {
				f(a, b, c)
			}
		}
	}
}

// addSide does the work of hull.addSide.
func (h *posedHull) addSide(a, b, c int) {
	s := hullSide{a: a, b: b, c: c}
	for i := range 8 {
		if i == a || i == b || i == c {
			s.in |= 1 << i
			continue
		}
		switch sign := h.sign(a, b, c, i); {
		case sign == 0:
			s.in |= 1 << i
		case sign == -s.sign:
			return
		default:
			s.sign = sign
		}
	}
	if s.sign == 0 {
		return
	}
	h.triangles = append(h.triangles, [3]int{a, b, c})
	for i := range h.sides {
		if h.sides[i].in == s.in {
			return
		}
	}
	h.sides = append(h.sides, s)
}

// touches does the work of hull.touches. t is a triangle in the frame of the mesh.
func (h *posedHull) touches(t *mesh.Triangle) bool {
	if box := (bvh.EmptyBox()).Add(t[0]).Add(t[1]).Add(t[2]); !box.Overlaps(h.box) {
		return false
	}
	for k, v := range t {
		h.points[vertices[k]] = posedPoint{near: v, from: v}
	}
	if !h.ready {
		h.prepare()
	}
	beyond := uint8(0) // bit k is set if vertex k is beyond some side
	for i := range h.sides {
		s := &h.sides[i]
		here := uint8(0)
		for k, v := range vertices {
			if h.sign(s.a, s.b, s.c, v) == -s.sign {
				here |= 1 << k
			}
		}
		if here == 7 {
			return false
		}
		beyond |= here
	}
	if len(h.sides) > 0 && beyond != 7 {
		return true
	}
	for i := range h.triangles {
		if h.trianglesTouch(&h.triangles[i], &vertices) {
			return true
		}
	}
	return false
}

// trianglesTouch reports whether two closed triangles of points share a point, by the method of
// predicates.Counter.TrianglesTouch.
func (h *posedHull) trianglesTouch(t, u *[3]int) bool {
	onT, ok := h.planeSigns(t, u)
	if !ok {
		return false
	}
	onU, ok := h.planeSigns(u, t)
	if !ok {
		return false
	}
	for i := range 3 {
		j := (i + 1) % 3
		if h.edgeTouches(u[i], u[j], onT[i], onT[j], t) || h.edgeTouches(t[i], t[j], onU[i], onU[j], u) {
			return true
		}
	}
	return false
}

// planeSigns returns the sign of each point of u relative to the plane of t. ok is false if all points are strictly on
// one side of the plane.
func (h *posedHull) planeSigns(t, u *[3]int) (s [3]int, ok bool) {
	for i := range u {
		s[i] = h.sign(t[0], t[1], t[2], u[i])
	}
	return s, s[0] == 0 || s[0] != s[1] || s[0] != s[2]
}

// edgeTouches reports whether the closed segment from p to q shares a point with t. sp and sq are the signs of p and q
// relative to the plane of t.
func (h *posedHull) edgeTouches(p, q, sp, sq int, t *[3]int) bool {
	switch {
	case sp*sq > 0:
		return false
	case sp == 0 && sq == 0:
		return h.flatTouches(p, q, t)
	case sp == 0:
		return h.onTriangle(p, t)
	case sq == 0:
		return h.onTriangle(q, t)
	}
	a, b := h.sign(p, q, t[0], t[1]), h.sign(p, q, t[1], t[2])
	if a*b < 0 {
		return false
	}
	c := h.sign(p, q, t[2], t[0])
	return a*c >= 0 && b*c >= 0
}

// flatTouches does the work of edgeTouches for a segment in the plane of t, or if t has no area.
func (h *posedHull) flatTouches(p, q int, t *[3]int) bool {
	if h.onTriangle(p, t) || h.onTriangle(q, t) {
		return true
	}
	for i, a := range t {
		if h.onSegment(a, p, q) || h.cross(p, q, a, t[(i+1)%3]) {
			return true
		}
	}
	return false
}

// onTriangle reports whether p, which is in the plane of t if t has an area, is in the closed triangle.
func (h *posedHull) onTriangle(p int, t *[3]int) bool {
	x, a, b, c := h.precise(p), h.precise(t[0]), h.precise(t[1]), h.precise(t[2])
	n := b.Sub(a).Cross(c.Sub(a))
	if isZero(n) {
		return h.onSegment(p, t[0], t[1]) || h.onSegment(p, t[1], t[2]) || h.onSegment(p, t[2], t[0])
	}
	inner := func(a, b r3.PreciseVector) bool { return n.Dot(b.Sub(a).Cross(x.Sub(a))).Sign() >= 0 }
	return inner(a, b) && inner(b, c) && inner(c, a)
}

// onSegment reports whether p is on the closed segment from a to b.
func (h *posedHull) onSegment(p, a, b int) bool {
	x, from, to := h.precise(p), h.precise(a), h.precise(b)
	return isZero(x.Sub(from).Cross(to.Sub(from))) && x.Sub(from).Dot(x.Sub(to)).Sign() <= 0
}

// cross reports whether two segments cross in a point that is not an end of either segment.
func (h *posedHull) cross(p, q, a, b int) bool {
	if h.sign(p, q, a, b) != 0 {
		return false
	}
	apart := func(p, q, a, b r3.PreciseVector) bool { // a and b are on different sides of the line through p and q
		n := q.Sub(p).Cross(a.Sub(p))
		return n.Dot(q.Sub(p).Cross(b.Sub(p))).Sign() < 0
	}
	v, w, x, y := h.precise(p), h.precise(q), h.precise(a), h.precise(b)
	return apart(v, w, x, y) && apart(x, y, v, w)
}

func isZero(v r3.PreciseVector) bool { return v.X.Sign() == 0 && v.Y.Sign() == 0 && v.Z.Sign() == 0 }

// cornersOf returns the corners of a box, or false if it is empty or not finite.
func cornersOf(b *bvh.Box) (corners [8]r3.Vector, ok bool) {
	for i := range corners {
		corners[i] = b.Min
		if i&1 != 0 {
			corners[i].X = b.Max.X
		}
		if i&2 != 0 {
			corners[i].Y = b.Max.Y
		}
		if i&4 != 0 {
			corners[i].Z = b.Max.Z
		}
	}
	return corners, !b.Empty()
}

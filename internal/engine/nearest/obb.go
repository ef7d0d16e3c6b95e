package nearest

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// obb is an oriented box with center c, half sizes e and axes a. Each lane of an obbNode is an obb.
type obb struct {
	c, e [3]float32
	a    [3][3]float32
}

// corner returns corner k of triangle i in the coordinates of the tree.
func (b *obbBuilder) corner(i, k int) r3.Vector {
	return b.tris[i][k].Sub(b.center).Mul(b.scale)
}

// roundingSlack exceeds the errors of values computed in float64 from coordinates of at most 2.
// These errors are below 2⁻⁴⁵.
const roundingSlack = 0x1p-40

// roundUp returns a float32 that is at least x + roundingSlack. Conversion to float32 has a
// relative error of at most 2⁻²⁴.
func roundUp(x float64) float32 { return float32(x + math.Abs(x)*0x1p-23 + roundingSlack) }

// fit is a box around a range of triangles, with the sums from which the axes of its parent are
// computed.
type fit struct {
	obb
	sums
	near [3]float32 // a point of a triangle, rounded
}

// chooseNear sets near to the point nearest to the center of the box, among the points that the
// function point returns for 0 to n−1.
func (f *fit) chooseNear(n int, point func(i int) r3.Vector) {
	best, least, c := r3.Vector{}, math.Inf(1), vector(&f.c)
	for i := range n {
		v := point(i)
		if d := v.Sub(c).Norm2(); d < least {
			best, least = v, d
		}
	}
	f.near = single(best)
}

// sums holds three sums over triangles: of the normals, whose lengths are twice the areas, and of
// the first and second moments of the corners.
type sums struct {
	normal, first          r3.Vector
	xx, xy, xz, yy, yz, zz float64
	count                  float64
}

func (s *sums) addTriangle(t *[3]r3.Vector) {
	s.normal = s.normal.Add(t[1].Sub(t[0]).Cross(t[2].Sub(t[0])))
	for _, v := range t {
		s.first = s.first.Add(v)
		s.xx += v.X * v.X
		s.xy += v.X * v.Y
		s.xz += v.X * v.Z
		s.yy += v.Y * v.Y
		s.yz += v.Y * v.Z
		s.zz += v.Z * v.Z
	}
	s.count += 3
}

func (s *sums) add(o *sums) {
	s.normal, s.first = s.normal.Add(o.normal), s.first.Add(o.first)
	s.xx, s.xy, s.xz = s.xx+o.xx, s.xy+o.xy, s.xz+o.xz
	s.yy, s.yz, s.zz = s.yy+o.yy, s.yz+o.yz, s.zz+o.zz
	s.count += o.count
}

// covariance returns the covariance of the corners along v and w, multiplied by the number of
// corners.
func (s *sums) covariance(v, w r3.Vector) float64 {
	return v.X*(s.xx*w.X+s.xy*w.Y+s.xz*w.Z) + v.Y*(s.xy*w.X+s.yy*w.Y+s.yz*w.Z) +
		v.Z*(s.xz*w.X+s.yz*w.Y+s.zz*w.Z) - s.first.Dot(v)*s.first.Dot(w)/s.count
}

// axes returns an orthonormal matrix, rounded to float32. Its first row is along the mean normal.
// The other rows are the principal axes perpendicular to the first row. ok is false if the rounded
// rows are not orthogonal enough.
func (s *sums) axes() (a [3][3]float32, ok bool) {
	n, length := s.normal, s.normal.Norm()
	if !(length > 0) {
		n, length = r3.Vector{Z: 1}, 1
	}
	n = n.Mul(1 / length)
	t := n.Ortho()
	u := n.Cross(t)
	tt, tu, uu := s.covariance(t, t), s.covariance(t, u), s.covariance(u, u)
	sin, cos := math.Sincos(0.5 * math.Atan2(2*tu, tt-uu))
	rows := [3]r3.Vector{n, t.Mul(cos).Add(u.Mul(sin)), u.Mul(cos).Sub(t.Mul(sin))}
	for i, r := range rows {
		a[i] = [3]float32{float32(r.X), float32(r.Y), float32(r.Z)}
	}
	return a, orthonormal(&a)
}

// orthonormal reports whether ‖AAᵀ − 1‖ ≤ skew for the matrix A = a. It bounds the norm by the
// largest absolute row sum.
func orthonormal(a *[3][3]float32) bool {
	v := [3]r3.Vector{vector(&a[0]), vector(&a[1]), vector(&a[2])}
	x, y, z := math.Abs(v[0].Dot(v[1])), math.Abs(v[0].Dot(v[2])), math.Abs(v[1].Dot(v[2]))
	return math.Abs(v[0].Norm2()-1)+x+y <= skew && math.Abs(v[1].Norm2()-1)+x+z <= skew && math.Abs(v[2].Norm2()-1)+y+z <= skew
}

func vector(a *[3]float32) r3.Vector {
	return r3.Vector{X: float64(a[0]), Y: float64(a[1]), Z: float64(a[2])}
}

func dot(a *[3]float32, v r3.Vector) float64 {
	return float64(a[0])*v.X + float64(a[1])*v.Y + float64(a[2])*v.Z
}

var identity = [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// fitTriangles returns the sums over at most maxExactFit triangles and a box around them.
func (b *obbBuilder) fitTriangles(p triRange) (r fit) {
	var corners [maxExactFit][3]r3.Vector
	low, high := emptyRange()
	for i := range p.len() {
		t := &corners[i]
		for k := range t {
			t[k] = b.corner(p.lo+i, k)
			cover(&low, &high, t[k].X, t[k].Y, t[k].Z)
		}
		r.addTriangle(t)
	}
	r.obb = r.smallerBox(low, high, func(a *[3][3]float32) (low, high [3]float64) {
		low, high = emptyRange()
		u, v, w := vector(&a[0]), vector(&a[1]), vector(&a[2])
		for i := range corners[:p.len()] {
			for _, x := range corners[i] {
				cover(&low, &high, u.Dot(x), v.Dot(x), w.Dot(x))
			}
		}
		return low, high
	})
	r.chooseNear(p.len(), func(i int) r3.Vector {
		t := &corners[i]
		return t[0].Add(t[1]).Add(t[2]).Mul(1.0 / 3)
	})
	return r
}

// fitAround returns the sums of all parts and a box around the boxes of the parts.
func fitAround(parts []fit) (r fit) {
	for k := range parts {
		r.add(&parts[k].sums)
	}
	extent := func(a *[3][3]float32) (low, high [3]float64) {
		low, high = emptyRange()
		for k := range parts {
			f := &parts[k]
			c := vector(&f.c)
			for j := range a {
				x, e := dot(&a[j], c), f.extent(&a[j])
				low[j], high[j] = min(low[j], x-e), max(high[j], x+e)
			}
		}
		return low, high
	}
	low, high := extent(&identity)
	r.obb = r.smallerBox(low, high, extent)
	r.chooseNear(len(parts), func(i int) r3.Vector { return vector(&parts[i].near) })
	return r
}

func emptyRange() (low, high [3]float64) {
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	return low, high
}

// cover extends the ranges [low[k], high[k]] so that they contain x, y and z.
func cover(low, high *[3]float64, x, y, z float64) {
	low[0], high[0] = min(low[0], x), max(high[0], x)
	low[1], high[1] = min(low[1], y), max(high[1], y)
	low[2], high[2] = min(low[2], z), max(high[2], z)
}

// smallerBox returns the smaller of two boxes: the axis-aligned box with the given ranges and the
// box along the axes of s. extent returns the range that a box with the axes a must contain. Boxes
// around tilted boxes can grow from level to level. Therefore smallerBox clips the axis-aligned box
// to [−1, 1]³. smallerBox rejects the other box if a coordinate of its center exceeds maxCenter.
func (s *sums) smallerBox(low, high [3]float64, extent func(a *[3][3]float32) (low, high [3]float64)) obb {
	for j := range low {
		low[j], high[j] = max(low[j], -1), min(high[j], 1)
	}
	upright := boxBetween(&identity, low, high)
	a, ok := s.axes()
	if !ok {
		return upright
	}
	low, high = extent(&a)
	if f := boxBetween(&a, low, high); f.area() < upright.area() && vec.MaxAbs(vector(&f.c)) <= maxCenter {
		return f
	}
	return upright
}

// area returns an eighth of the surface area of f.
func (f *obb) area() float32 { return f.e[0]*f.e[1] + f.e[1]*f.e[2] + f.e[2]*f.e[0] }

// boxBetween returns the box of all x with low ≤ Ax ≤ high, where A = a.
func boxBetween(a *[3][3]float32, low, high [3]float64) (f obb) {
	f.a = *a
	// The transpose of A is almost its inverse. The half sizes e also cover the error that this
	// makes in the center c.
	var c r3.Vector
	for i := range a {
		c = c.Add(vector(&a[i]).Mul(0.5 * (low[i] + high[i])))
	}
	f.c = [3]float32{float32(c.X), float32(c.Y), float32(c.Z)}
	for i := range a {
		x := dot(&a[i], vector(&f.c))
		f.e[i] = roundUp(max(high[i]-x, x-low[i]))
	}
	return f
}

// extent returns an upper bound of the extent of f from its center c along the rounded unit vector
// u. The extent is the maximum of u·(x−c) over the points x of the box. With y = A(x−c), u·(x−c) is
// u·Aᵀ(AAᵀ)⁻¹y, and (AAᵀ)⁻¹ is close to the identity.
func (f *obb) extent(u *[3]float32) float64 {
	sum, all := 0.0, 0.0
	for i := range f.a {
		e := float64(f.e[i])
		sum += e * math.Abs(dot(u, vector(&f.a[i])))
		all += e
	}
	return sum + 2*skew*all
}

// newBlock returns the block of the triangles in p. p has at most eight triangles.
func (b *obbBuilder) newBlock(p triRange) (r triBlock) {
	r.first, r.count = int32(p.lo), int32(p.len())
	for k := range p.len() {
		i := p.lo + k
		r.setLane(k, &[3]r3.Vector{b.corner(i, 0), b.corner(i, 1), b.corner(i, 2)})
	}
	for k := p.len(); k < lanes; k++ {
		r.copyLane(k, k-1)
	}
	for k := 1; k < p.len(); k++ {
		sum := 0.0
		for _, c := range r.c {
			sum += math.Abs(float64(c[k]) - float64(c[0]))
		}
		r.extent = max(r.extent, roundUp(sum))
	}
	return r
}

// copyLane copies the triangle in lane j to lane k.
func (r *triBlock) copyLane(k, j int) {
	for i := range 3 {
		r.c[i][k] = r.c[i][j]
		for x := range 3 {
			r.a[i][x][k] = r.a[i][x][j]
		}
	}
	for _, row := range []*[lanes]float32{
		&r.half0, &r.m1[0], &r.m1[1], &r.o1, &r.mid1, &r.half1, &r.m2[0], &r.m2[1], &r.half2, &r.slack, &r.loose,
	} {
		row[k] = row[j]
	}
}

// setLane stores the triangle t in lane k. If float32 does not represent t accurately, the lane
// stays 0. Then the lower bound is 0 and the upper bound is infinite for every point.
func (r *triBlock) setLane(k int, t *[3]r3.Vector) {
	r.slack[k], r.loose[k] = maxSlack, float32(math.Inf(1))
	a, ok := frame(t)
	if !ok {
		return
	}
	c := single(t[0])
	slack := 0.0
	var y [3][2]float64 // corners in the frame
	for i, v := range t {
		v = v.Sub(vector(&c))
		y[i] = [2]float64{dot(&a[0], v), dot(&a[1], v)}
		slack = max(slack, math.Abs(dot(&a[2], v)))
	}
	// The kernels hard-code the normal of the first edge and some offsets. Use the same values
	// here.
	e := [3]edge{newEdge(&y[0], &y[1]), newEdge(&y[1], &y[2]), newEdge(&y[2], &y[0])}
	e[0].m, e[0].o, e[0].middle = [2]float32{0, -1}, 0, e[0].half
	e[2].o, e[2].middle = 0, -e[2].half
	for i := range e {
		slack = max(slack, e[i].error(&y[i], &y[(i+1)%3], &y[(i+2)%3]))
	}
	if !(slack <= maxSlack) {
		return
	}
	for i := range 3 {
		r.c[i][k] = c[i]
		for j := range 3 {
			r.a[i][j][k] = a[i][j]
		}
	}
	r.half0[k], r.half1[k], r.half2[k] = e[0].half, e[1].half, e[2].half
	r.o1[k], r.mid1[k] = e[1].o, e[1].middle
	r.m1[0][k], r.m1[1][k] = e[1].m[0], e[1].m[1]
	r.m2[0][k], r.m2[1][k] = e[2].m[0], e[2].m[1]
	longest := 2 * max(e[0].half, e[1].half, e[2].half)
	r.slack[k], r.loose[k] = roundUp(slack+slackPerEdge*float64(longest)), looseness(&e)
}

// frame returns axes for t: along the first edge, across this edge in the plane of t, and along the
// normal of t. If t is a segment or a point, the axes are some axes along t. ok is false if the
// rounded axes are not orthogonal enough.
func frame(t *[3]r3.Vector) (a [3][3]float32, ok bool) {
	e, f := t[1].Sub(t[0]), t[2].Sub(t[0])
	if size := max(vec.MaxAbs(e), vec.MaxAbs(f)); size < minVector && size > 0 {
		e, f = ldexp(e, -math.Ilogb(size)), ldexp(f, -math.Ilogb(size))
	}
	along := e
	if along == (r3.Vector{}) {
		along = f
	}
	if along = unit(along); along == (r3.Vector{}) {
		along = r3.Vector{X: 1}
	}
	// Compute the part of f across the first edge twice: after the first time, it can still be
	// almost parallel to the edge.
	across := f.Sub(along.Mul(f.Dot(along)))
	across = unit(across.Sub(along.Mul(across.Dot(along))))
	if across == (r3.Vector{}) || math.Abs(across.Dot(along)) > skew/16 {
		across = along.Ortho()
	}
	a = [3][3]float32{single(along), single(across), single(along.Cross(across))}
	return a, orthonormal(&a)
}

// edge is an edge of a triangle in its plane: the points y with m·y = o and |t·y − middle| ≤ half,
// where t is m turned to the left.
type edge struct {
	m               [2]float32 // outward unit normal
	o, middle, half float32
}

// newEdge returns the edge from p to q. The triangle is on the left of the edge.
func newEdge(p, q *[2]float64) (e edge) {
	x, y := q[0]-p[0], q[1]-p[1]
	length := math.Sqrt(x*x + y*y)
	if !(length > minEdge) {
		x, y, length = 1, 0, 1
	}
	e.m = [2]float32{float32(y / length), float32(-x / length)}
	begin, end := e.along(p), e.along(q)
	e.o = float32(0.5 * (e.across(p) + e.across(q)))
	e.middle = float32(0.5 * (begin + end))
	e.half = float32(0.5 * (end - begin))
	return e
}

// minEdge is the least length of an edge whose direction is computed. Its square does not underflow.
const minEdge = 0x1p-400

func (e *edge) across(y *[2]float64) float64 { return float64(e.m[0])*y[0] + float64(e.m[1])*y[1] }
func (e *edge) along(y *[2]float64) float64  { return float64(e.m[0])*y[1] - float64(e.m[1])*y[0] }

// error returns the largest error with which e represents the edge from p to q. If the opposite
// corner lies on the right of e, the result is at least its distance from e.
func (e *edge) error(p, q, opposite *[2]float64) float64 {
	off := func(x float64, y float32) float64 { return math.Abs(x - float64(y)) }
	return max(off(e.across(p), e.o), off(e.across(q), e.o), off(e.along(p), e.middle-e.half), off(e.along(q), e.middle+e.half),
		e.across(opposite)-float64(e.o))
}

// looseness returns the gap between the upper and the lower bound of the distance to a triangle,
// divided by the margin. A point counts as inside if it is within twice the margin of the three
// half planes. The enlarged half planes meet at most 3/sin(θ/2) margins from the corners, where θ
// is the angle between the stored edges. If the half planes do not enclose a triangle, the upper
// bound is infinite.
func looseness(e *[3]edge) float32 {
	least := 1.0 // least sin² (θ/2)
	for i := range e {
		m, n := &e[i].m, &e[(i+1)%3].m
		x, y, u, v := float64(m[0]), float64(m[1]), float64(n[0]), float64(n[1])
		if !(x*v-y*u > 0) {
			return float32(math.Inf(1))
		}
		least = min(least, 0.5*(1+x*u+y*v))
	}
	if !(least > 0x1p-18) {
		return float32(math.Inf(1))
	}
	return float32(4 + 3.25/math.Sqrt(least-0x1p-21)) // normals are unit vectors up to 2⁻²³
}

// unit scales a vector smaller than minVector by a power of two before it squares the vector. The
// square of minVector is 2⁻⁸⁰⁰, far above the underflow range.
const minVector = 0x1p-400

// unit returns the unit vector along v, or 0 for 0. The square of v must not overflow.
func unit(v r3.Vector) r3.Vector {
	if size := vec.MaxAbs(v); size < minVector && size > 0 {
		v = ldexp(v, -math.Ilogb(size))
	}
	return v.Normalize()
}

func single(v r3.Vector) [3]float32 { return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)} }

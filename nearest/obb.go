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

// roundingSlack exceeds the error of values that are computed in float64 from coordinates of at
// most 2. That error is less than 2⁻⁴⁵.
const roundingSlack = 0x1p-40

// roundUp returns a float32 that is at least x + roundingSlack. Conversion to float32 changes a
// value by at most the fraction 2⁻²⁴.
func roundUp(x float64) float32 { return float32(x + math.Abs(x)*0x1p-23 + roundingSlack) }

// fit is a box around a range of triangles, with the sums for computing the axes of its parent.
type fit struct {
	obb
	sums
}

// sums holds sums over triangles: the normals, whose lengths are twice the areas, and the first and
// second moments of the corners.
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

// orthonormal reports whether ‖AAᵀ − 1‖ ≤ skew for the matrix A = a. The largest absolute row sum
// bounds the norm.
func orthonormal(a *[3][3]float32) bool {
	for i := range a {
		sum := 0.0
		for j := range a {
			x := dot(&a[i], vector(&a[j]))
			if i == j {
				x--
			}
			sum += math.Abs(x)
		}
		if !(sum <= skew) {
			return false
		}
	}
	return true
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
	for i := range p.len() {
		t := &corners[i]
		for k := range t {
			t[k] = b.corner(p.lo+i, k)
		}
		r.addTriangle(t)
	}
	r.obb = r.smallerBox(func(a *[3][3]float32) (low, high [3]float64) {
		low, high = emptyRange()
		for i := range corners[:p.len()] {
			for _, v := range corners[i] {
				for j := range a {
					x := dot(&a[j], v)
					low[j], high[j] = min(low[j], x), max(high[j], x)
				}
			}
		}
		return low, high
	})
	return r
}

// fitAround returns the sums of all parts and a box around the boxes of the parts.
func fitAround(parts []fit) (r fit) {
	for k := range parts {
		r.add(&parts[k].sums)
	}
	r.obb = r.smallerBox(func(a *[3][3]float32) (low, high [3]float64) {
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
	})
	return r
}

func emptyRange() (low, high [3]float64) {
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	return low, high
}

// smallerBox returns the smaller of two boxes: the axis-aligned box and the box along the axes of
// s. For given axes, extent returns the range that a box must contain. Boxes around tilted boxes
// can grow from level to level. Therefore smallerBox clips the axis-aligned box to [−1, 1]³. It
// rejects the other box if a coordinate of its center exceeds maxCenter.
func (s *sums) smallerBox(extent func(a *[3][3]float32) (low, high [3]float64)) obb {
	low, high := extent(&identity)
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
	// The transpose of A is almost its inverse. The half sizes e cover the error of the center c.
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
// u. The extent is the maximum of u·(x−c) = u·Aᵀ(AAᵀ)⁻¹y over the box, where y = A(x−c). (AAᵀ)⁻¹ is
// close to the identity.
func (f *obb) extent(u *[3]float32) float64 {
	sum, all := 0.0, 0.0
	for i := range f.a {
		e := float64(f.e[i])
		sum += e * math.Abs(dot(u, vector(&f.a[i])))
		all += e
	}
	return sum + 2*skew*all
}

// newBlock returns the bounds of the triangles in p. p has at most eight triangles.
func (b *obbBuilder) newBlock(p triRange) (r triBlock) {
	r.first = int32(p.lo)
	for k := range lanes {
		if k >= p.len() {
			r.m[0][3][k] = float32(math.Inf(-1))
			continue
		}
		t := [3]r3.Vector{b.corner(p.lo+k, 0), b.corner(p.lo+k, 1), b.corner(p.lo+k, 2)}
		n, m := normals(&t)
		middle, thick := slabAlong(&n, &t)
		if !(thick <= maxThickness) || !orthogonal(&n, &[3]float32{}) {
			n, middle = [3]float32{}, 0 // the triangle is a sliver, and its plane is not accurate
		}
		setPlane(&r.n, k, &n, middle)
		for i := range m {
			if !orthogonal(&n, &m[i]) {
				m[i] = [3]float32{}
			}
			o := math.Inf(-1)
			for _, v := range t {
				o = max(o, dot(&m[i], v))
			}
			setPlane(&r.m[i], k, &m[i], roundUp(o))
		}
	}
	return r
}

func setPlane(rows *[4][lanes]float32, k int, n *[3]float32, o float32) {
	rows[0][k], rows[1][k], rows[2][k], rows[3][k] = n[0], n[1], n[2], o
}

// normals returns the unit normal n of t. It also returns, for each edge, a unit normal m in the
// plane of t. All normals are rounded. If t is a segment or a point, any plane through t defines n.
func normals(t *[3]r3.Vector) (n [3]float32, m [3][3]float32) {
	e := [3]r3.Vector{t[1].Sub(t[0]), t[2].Sub(t[1]), t[0].Sub(t[2])}
	if size := max(vec.MaxAbs(e[0]), vec.MaxAbs(e[1])); size < minVector && size > 0 {
		for i := range e {
			e[i] = ldexp(e[i], -math.Ilogb(size))
		}
	}
	// The cross product of the two shorter edges has the smallest error.
	l := [3]float64{e[0].Norm2(), e[1].Norm2(), e[2].Norm2()}
	var normal r3.Vector
	switch {
	case l[0] >= l[1] && l[0] >= l[2]:
		normal = e[1].Cross(e[2])
	case l[1] >= l[2]:
		normal = e[2].Cross(e[0])
	default:
		normal = e[0].Cross(e[1])
	}
	if normal = unit(normal); normal == (r3.Vector{}) {
		// t is a segment or a point. Any plane through it is suitable.
		longest := e[0]
		for i := range e {
			if l[i] > longest.Norm2() {
				longest = e[i]
			}
		}
		normal = longest.Ortho()
	}
	for i := range e {
		m[i] = single(unit(e[i].Cross(normal)))
	}
	return single(normal), m
}

// minVector is the size below which vectors are scaled by a power of two before they are squared.
// The square of minVector is 2⁻⁸⁰⁰, which is far from underflow.
const minVector = 0x1p-400

// unit returns the unit vector along v, or 0 for 0. The square of v must not overflow.
func unit(v r3.Vector) r3.Vector {
	if size := vec.MaxAbs(v); size < minVector && size > 0 {
		v = ldexp(v, -math.Ilogb(size))
	}
	return v.Normalize()
}

func single(v r3.Vector) [3]float32 { return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)} }

// slabAlong returns the slab around t with the normal n: |n·x − middle| ≤ thick for every point x
// of t.
func slabAlong(n *[3]float32, t *[3]r3.Vector) (middle float32, thick float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range t {
		x := dot(n, v)
		low, high = min(low, x), max(high, x)
	}
	middle = float32(0.5 * (low + high))
	x := float64(middle)
	return middle, max(high-x, x-low) + roundingSlack
}

// orthogonal reports whether ‖MMᵀ‖ ≤ 1 + skew for the matrix M with the rows n and m. If m = 0,
// only the length of n matters.
func orthogonal(n, m *[3]float32) bool {
	nn, mm, nm := dot(n, vector(n)), dot(m, vector(m)), dot(n, vector(m))
	return max(nn, mm)+math.Abs(nm) <= 1+skew
}

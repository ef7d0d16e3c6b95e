package nearest

import (
	"math"

	"github.com/golang/geo/r3"
)

// frame is an oriented box, as a lane of a wideNode.
type frame struct {
	c, e [3]float32
	a    [3][3]float32
}

// local returns corner k of triangle i in the coordinates of the hierarchy.
func (b *wideBuilder) local(i, k int) r3.Vector {
	return b.tris[i][k].Sub(b.center).Mul(b.scale)
}

// What is computed in float64 from coordinates of at most 2 is off by less than
// 2⁻⁴⁵: outward is more. Conversion to single precision costs 2⁻²⁴ of the value.
const outward = 0x1p-40

// up returns a number of single precision that is at least x + outward.
func up(x float64) float32 { return float32(x + math.Abs(x)*0x1p-23 + outward) }

// patch is what a parent needs to know of a part: its box, and its sums, from which
// the axes of boxes come.
type patch struct {
	frame
	sums
}

// sums are, over the triangles of a part: their normals, each as long as twice the
// area, and the moments of their corners.
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

// along returns the covariance of the corners along v and w, times their number.
func (s *sums) along(v, w r3.Vector) float64 {
	return v.X*(s.xx*w.X+s.xy*w.Y+s.xz*w.Z) + v.Y*(s.xy*w.X+s.yy*w.Y+s.yz*w.Z) +
		v.Z*(s.xz*w.X+s.yz*w.Y+s.zz*w.Z) - s.first.Dot(v)*s.first.Dot(w)/s.count
}

// axes returns an orthonormal matrix, rounded to single precision, whose rows suit the
// sums: the first is along the mean normal, the others are principal axes across it.
func (s *sums) axes() (a [3][3]float32, ok bool) {
	n, length := s.normal, s.normal.Norm()
	if !(length > 0) {
		n, length = r3.Vector{Z: 1}, 1
	}
	n = n.Mul(1 / length)
	t := n.Ortho()
	u := n.Cross(t)
	tt, tu, uu := s.along(t, t), s.along(t, u), s.along(u, u)
	sin, cos := math.Sincos(0.5 * math.Atan2(2*tu, tt-uu))
	rows := [3]r3.Vector{n, t.Mul(cos).Add(u.Mul(sin)), u.Mul(cos).Sub(t.Mul(sin))}
	for i, r := range rows {
		a[i] = [3]float32{float32(r.X), float32(r.Y), float32(r.Z)}
	}
	return a, orthonormal(&a)
}

// orthonormal reports whether ‖AAᵀ − 1‖ ≤ skew, by the sums of its rows.
func orthonormal(a *[3][3]float32) bool {
	for i := range a {
		sum := 0.0
		for j := range a {
			x := dot(&a[i], vector(&a[j]))
			if i == j {
				x -= 1
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

// identity are the axes of upright boxes.
var identity = [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// patchOf returns the sums of the triangles of p, which are few, and a box around
// them: the smaller of an oriented and of an upright one.
func (b *wideBuilder) patchOf(p part) (r patch) {
	var corners [exactPatch][3]r3.Vector
	for i := range p.len() {
		t := &corners[i]
		for k := range t {
			t[k] = b.local(p.lo+i, k)
		}
		r.addTriangle(t)
	}
	r.frame = r.smaller(func(a *[3][3]float32) (low, high [3]float64) {
		low, high = nothing()
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

// patchAround returns the sums of a part and a box around the boxes of its parts: the
// smaller of an oriented and of an upright one.
func patchAround(parts []patch) (r patch) {
	for k := range parts {
		r.add(&parts[k].sums)
	}
	r.frame = r.smaller(func(a *[3][3]float32) (low, high [3]float64) {
		low, high = nothing()
		for k := range parts {
			f := &parts[k]
			c := vector(&f.c)
			for j := range a {
				x, e := dot(&a[j], c), f.reach(&a[j])
				low[j], high[j] = min(low[j], x-e), max(high[j], x+e)
			}
		}
		return low, high
	})
	return r
}

// nothing returns an empty range on three axes.
func nothing() (low, high [3]float64) {
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	return low, high
}

// smaller returns the smaller of the boxes along the axes of s and upright; extent
// returns what they have to hold along axes. Boxes around tilted boxes may grow from
// level to level: those that are upright end where the mesh does, at ±1, and those whose
// center is farther off than bounds allow are not taken.
func (s *sums) smaller(extent func(a *[3][3]float32) (low, high [3]float64)) frame {
	low, high := extent(&identity)
	for j := range low {
		low[j], high[j] = max(low[j], -1), min(high[j], 1)
	}
	upright := between(&identity, low, high)
	a, ok := s.axes()
	if !ok {
		return upright
	}
	low, high = extent(&a)
	if f := between(&a, low, high); f.area() < upright.area() && largest(vector(&f.c)) <= farCenter {
		return f
	}
	return upright
}

// area returns an eighth of the area of f.
func (f *frame) area() float32 { return f.e[0]*f.e[1] + f.e[1]*f.e[2] + f.e[2]*f.e[0] }

// between returns the box of all x with low ≤ Ax ≤ high.
func between(a *[3][3]float32, low, high [3]float64) (f frame) {
	f.a = *a
	// The transpose is close to the inverse; what the center misses, e makes up for.
	var c r3.Vector
	for i := range a {
		c = c.Add(vector(&a[i]).Mul(0.5 * (low[i] + high[i])))
	}
	f.c = [3]float32{float32(c.X), float32(c.Y), float32(c.Z)}
	for i := range a {
		x := dot(&a[i], vector(&f.c))
		f.e[i] = up(max(high[i]-x, x-low[i]))
	}
	return f
}

// reach returns at least how far f extends from its center along the rounded unit
// vector u. With y = A(x−c) and |y| ≤ e on every axis, u·(x−c) = u·Aᵀ(AAᵀ)⁻¹y, where
// (AAᵀ)⁻¹ differs from 1 by little more than skew.
func (f *frame) reach(u *[3]float32) float64 {
	sum, all := 0.0, 0.0
	for i := range f.a {
		e := float64(f.e[i])
		sum += e * math.Abs(dot(u, vector(&f.a[i])))
		all += e
	}
	return sum + 2*skew*all
}

package nearest

import (
	"math"

	"github.com/golang/geo/r3"
)

// blockOf returns the bounds of the triangles of p, at most eight.
func (b *wideBuilder) blockOf(p part) (r block) {
	r.first = int32(p.lo)
	for k := range lanes {
		if k >= p.len() {
			r.m[0][3][k] = float32(math.Inf(-1))
			continue
		}
		t := [3]r3.Vector{b.local(p.lo+k, 0), b.local(p.lo+k, 1), b.local(p.lo+k, 2)}
		n, m := normals(&t)
		height := slab(&n, &t)
		if !(height.thick <= flat) || !orthogonal(&n, &[3]float32{}) {
			n, height = [3]float32{}, slabOf{} // a sliver: its edges bound it
		}
		setPlane(&r.n, k, &n, height.middle)
		for i := range m {
			if !orthogonal(&n, &m[i]) {
				m[i] = [3]float32{}
			}
			o := math.Inf(-1)
			for _, v := range t {
				o = max(o, dot(&m[i], v))
			}
			setPlane(&r.m[i], k, &m[i], up(o))
		}
	}
	return r
}

func setPlane(rows *[4][lanes]float32, k int, n *[3]float32, o float32) {
	rows[0][k], rows[1][k], rows[2][k], rows[3][k] = n[0], n[1], n[2], o
}

// normals returns the unit normal of t and, in its plane, those of its edges, rounded;
// whatever they are for triangles that have none.
func normals(t *[3]r3.Vector) (n [3]float32, m [3][3]float32) {
	e := [3]r3.Vector{t[1].Sub(t[0]), t[2].Sub(t[1]), t[0].Sub(t[2])}
	if size := max(largest(e[0]), largest(e[1])); size < small && size > 0 {
		for i := range e {
			e[i] = ldexp(e[i], -math.Ilogb(size))
		}
	}
	// The two shorter edges make the smallest error.
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
		// A segment, or a point: any plane through it does.
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

// Vectors whose largest coordinate is at least small have squares of at least 2⁻⁸⁰⁰, far
// from where numbers lose digits; the coordinates of others are multiplied by a power of
// two before they are.
const small = 0x1p-400

// unit returns the unit vector along v, or 0 for 0; v is not so large that its square
// overflows.
func unit(v r3.Vector) r3.Vector {
	if size := largest(v); size < small && size > 0 {
		v = ldexp(v, -math.Ilogb(size))
	}
	return v.Normalize()
}

// largest returns the largest absolute coordinate of v.
func largest(v r3.Vector) float64 { return max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) }

func single(v r3.Vector) [3]float32 { return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)} }

// slabOf is where a triangle is along a direction, and how far from there it reaches.
type slabOf struct {
	middle float32
	thick  float64
}

func slab(n *[3]float32, t *[3]r3.Vector) slabOf {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range t {
		x := dot(n, v)
		low, high = min(low, x), max(high, x)
	}
	s := slabOf{middle: float32(0.5 * (low + high))}
	x := float64(s.middle)
	s.thick = max(high-x, x-low) + outward
	return s
}

// orthogonal reports whether the matrix of the rows n and m meets skew: with m = 0,
// that of n alone.
func orthogonal(n, m *[3]float32) bool {
	nn, mm, nm := dot(n, vector(n)), dot(m, vector(m)), dot(n, vector(m))
	return max(nn, mm)+math.Abs(nm) <= 1+skew
}

package bem

import (
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/mesh"
)

// Moments computes the multipole moments of the double-layer potential on flat triangles, relative
// to the origin, up to degree p:
//
//	M_n^m = Σ_τ ∫_τ ν·∇R_n^m ds,   W(x) = −(1/4π) Σ conj(S_n^m(x)) M_n^m far away
//
// ν is the unit normal of τ. R and S are the harmonics of package harmonics. The moments are exact
// except for rounding. The moments are integrals along the edges:
//
//	M_n^m = 1/(n+1) Σ_{v0→v1} (v0×v1)·∫₀¹ ∇R_n^m(v0+t(v1−v0)) dt
//
// Edges between triangles cancel, so only the boundary chain remains.
// docs/design/016-error-bounds.md derives this formula and the recurrence of the integrals, which
// needs no quadrature.
//
// Moments is working memory of one goroutine. Coefficients have the layout of package harmonics.
// The documentation of that package explains why coordinates should be scaled to at most about 1.
type Moments struct {
	p       int
	r, i    []float64    // R at v1 and the integral I of R along the edge, degrees 0 to p−1
	sum     [3][]float64 // Σ mult·(v0×v1)_k·I over all edges
	inv     []float64    // inv[n] is 1/n
	weight  float64
	chain   chain
	corners cornerTable
}

// NewMoments returns working memory for degrees up to p. It panics if p is negative or larger than
// harmonics.MaxDegree.
func NewMoments(p int) *Moments {
	harmonics.Len(p) // panics if p is out of range
	m := &Moments{p: p, r: make([]float64, p*p), i: make([]float64, p*p), inv: make([]float64, p+2)}
	for k := range m.sum {
		m.sum[k] = make([]float64, p*p)
	}
	for n := 1; n < len(m.inv); n++ {
		m.inv[n] = 1 / float64(n)
	}
	return m
}

// AddEdge adds mult times the directed edge v0→v1. The cost for degree p is O(p²), about 4p² ns.
func (m *Moments) AddEdge(v0, v1 r3.Vector, mult float64) {
	if m.p == 0 {
		return
	}
	m.integrate(v0, v1)
	// v0×v1 is computed as v0×e, whose error is relative to the length of the edge e.
	e := v1.Sub(v0)
	w := v0.Cross(e).Mul(mult)
	m.weight += math.Max(v0.Norm(), v1.Norm()) * e.Norm() * math.Abs(mult)
	sx, sy, sz := m.sum[0][:len(m.i)], m.sum[1][:len(m.i)], m.sum[2][:len(m.i)]
	for k, v := range m.i {
		sx[k] += float64(w.X * v)
		sy[k] += float64(w.Y * v)
		sz[k] += float64(w.Z * v)
	}
}

// AddTriangle adds the edges of the triangle a, b, c.
func (m *Moments) AddTriangle(a, b, c r3.Vector) {
	m.AddEdge(a, b, 1)
	m.AddEdge(b, c, 1)
	m.AddEdge(c, a, 1)
}

// AddTo adds the moments of all edges in m to dst. Then it removes the edges from m. AddTo panics
// if dst is shorter than harmonics.Len(p).
//
// weight is Σ |mult|·|v1−v0|·max(|v0|, |v1|) over the edges. Let B be the largest moment of degree
// n among all surfaces whose area equals weight. The rounding error of a moment of degree n is at
// most a small multiple of n²·2^−53·B. This error includes the rounding of v0 and v1.
func (m *Moments) AddTo(dst []float64) (weight float64) {
	dst = dst[:harmonics.Len(m.p)]
	for n := 1; n <= m.p; n++ {
		lo, hi := (n-1)*(n-1), n*n
		addGradient(dst[hi:hi+2*n+1], m.sum[0][lo:hi], m.sum[1][lo:hi], m.sum[2][lo:hi], m.inv[n+1])
	}
	for k := range m.sum {
		clear(m.sum[k])
	}
	weight, m.weight = m.weight, 0
	return weight
}

// integrate sets m.i to the integrals of R along the edge v0→v1.
func (m *Moments) integrate(v0, v1 r3.Vector) {
	harmonics.RegularTo(m.r, m.p-1, v1)
	m.i[0] = 1
	for n := 1; n < m.p; n++ {
		lo, hi := (n-1)*(n-1), n*n
		integralRow(m.i[hi:hi+2*n+1], m.i[lo:hi], m.r[hi:hi+2*n+1], v0, m.inv[n+1])
	}
}

// integralRow sets dst to f·(row + v·∇src). dst and row have degree n, and src has degree n−1.
func integralRow(dst, src, row []float64, v r3.Vector, f float64) {
	n := len(row) / 2
	dst, src = dst[:2*n+1], src[:2*n-1]
	a, b, z := float64(0.5*v.X), float64(0.5*v.Y), v.Z
	if n == 1 {
		dst[0] = float64((row[0] + float64(z*src[0])) * f)
		dst[1] = float64((row[1] + float64(a*src[0])) * f)
		dst[2] = float64((row[2] + float64(b*src[0])) * f)
		return
	}
	// Order 0 of dst needs order −1 of src, which is minus the conjugate of order 1.
	dst[0] = float64((row[0] + float64(z*src[0]) - float64(v.X*src[1]) - float64(v.Y*src[2])) * f)
	u, w := src[0], 0.0 // order m−1
	for k := 1; k+3 < len(src); k += 2 {
		s, t := src[k+2], src[k+3] // order m+1
		re := row[k] + float64(z*src[k]) + (float64(a*(u-s)) - float64(b*(w+t)))
		im := row[k+1] + float64(z*src[k+1]) + (float64(a*(w-t)) + float64(b*(u+s)))
		dst[k], dst[k+1] = float64(re*f), float64(im*f)
		u, w = src[k], src[k+1]
	}
	k := 2*n - 3 // order n−1, because src has no order n
	dst[k] = float64((row[k] + float64(z*src[k]) + (float64(a*u) - float64(b*w))) * f)
	dst[k+1] = float64((row[k+1] + float64(z*src[k+1]) + (float64(a*w) + float64(b*u))) * f)
	u, w = src[k], src[k+1]
	dst[k+2] = float64((row[k+2] + (float64(a*u) - float64(b*w))) * f)
	dst[k+3] = float64((row[k+3] + (float64(a*w) + float64(b*u))) * f)
}

// addGradient adds f·(∂_x x + ∂_y y + ∂_z z) to dst. The slices x, y and z store coefficients of a
// degree that is one less than the degree of dst.
func addGradient(dst, x, y, z []float64, f float64) {
	// at returns the coefficient of order m in row c, or 0 beyond the end of the row.
	at := func(c []float64, m int) (re, im float64) {
		switch {
		case 2*m > len(c):
			return 0, 0
		case m == 0:
			return c[0], 0
		}
		return c[2*m-1], c[2*m]
	}
	xr, _ := at(x, 1)
	_, yi := at(y, 1)
	dst[0] += float64(f * (z[0] - xr - yi))
	for m := 1; 2*m < len(dst); m++ {
		xu, xw := at(x, m-1)
		xs, xt := at(x, m+1)
		yu, yw := at(y, m-1)
		ys, yt := at(y, m+1)
		re, im := at(z, m)
		dst[2*m-1] += float64(f * (re + 0.5*((xu-xs)-(yw+yt))))
		dst[2*m] += float64(f * (im + 0.5*((xw-xt)+(yu+ys))))
	}
}

// AddTriangles adds tris after mapping each corner v to scale·(v−center). Corners with equal
// coordinates are the same vertex (−0 equals +0). Edges between triangles cancel before the
// integration. Triangles can be degenerate. The cost is O(E p²) for E remaining edges. AddTriangles
// allocates only if a call has more triangles than each call before it.
func (m *Moments) AddTriangles(tris []mesh.Triangle, center r3.Vector, scale float64) {
	m.chain.reset(len(tris))
	m.corners.reset(len(tris))
	for i := range tris {
		t := &tris[i]
		a, b, c := m.corners.number(t[0]), m.corners.number(t[1]), m.corners.number(t[2])
		m.chain.add(a, b)
		m.chain.add(b, c)
		m.chain.add(c, a)
	}
	m.addChain(m.corners.points, center, scale)
}

// addChain adds the edges whose multiplicity is not 0.
func (m *Moments) addChain(vertices []r3.Vector, center r3.Vector, scale float64) {
	for _, at := range m.chain.used {
		if n := m.chain.mult[at]; n != 0 {
			a, b := int32(m.chain.keys[at]>>32), int32(uint32(m.chain.keys[at]))
			m.AddEdge(vertices[a].Sub(center).Mul(scale), vertices[b].Sub(center).Mul(scale), float64(n))
		}
	}
}

// chain counts directed edges; opposite edges cancel. It is a hash table with open addressing that
// remembers the order of insertion.
type chain struct {
	keys []uint64 // for each slot, (lower vertex)<<32 | higher vertex of an edge, or 0 if the slot is free
	mult []int32  // net number of edges from the lower vertex to the higher one
	used []int32  // slots that are not free, in the order of insertion
}

// reset empties the chain and makes room for the edges of the given number of triangles.
func (c *chain) reset(triangles int) {
	for _, at := range c.used {
		c.keys[at] = 0
	}
	c.used = c.used[:0]
	size := tableSize(3 * triangles)
	if size > len(c.keys) {
		c.keys, c.mult = make([]uint64, size), make([]int32, size)
		c.used = slices.Grow(c.used, 3*triangles)
	}
}

// tableSize returns a power of two above 2n.
func tableSize(n int) int {
	return max(64, 1<<bits.Len(uint(2*n)))
}

func (c *chain) add(a, b int32) {
	n := int32(1)
	if a > b {
		a, b, n = b, a, -1
	}
	if a == b {
		return
	}
	key := uint64(a)<<32 | uint64(uint32(b))
	at := int(mix(key)) & (len(c.keys) - 1)
	for c.keys[at] != 0 && c.keys[at] != key {
		at = (at + 1) & (len(c.keys) - 1)
	}
	if c.keys[at] == 0 {
		c.keys[at], c.mult[at] = key, 0
		c.used = append(c.used, int32(at))
	}
	c.mult[at] += n
}

// mix spreads the bits of a key by multiplication with 2^64/φ, where φ is the golden ratio (Knuth,
// The Art of Computer Programming 3, §6.4). The upper half of the product depends on all bits.
func mix(key uint64) uint64 { return (key ^ key>>29) * 0x9e3779b97f4a7c15 >> 32 }

// cornerTable assigns numbers to distinct points. Like chain, it is a hash table with open
// addressing.
type cornerTable struct {
	slots  []int32 // 1 + number of the point, or 0 if the slot is free
	used   []int32
	points []r3.Vector
}

func (c *cornerTable) reset(triangles int) {
	for _, at := range c.used {
		c.slots[at] = 0
	}
	c.used, c.points = c.used[:0], c.points[:0]
	if size := tableSize(3 * triangles); size > len(c.slots) {
		c.slots = make([]int32, size)
		c.used = slices.Grow(c.used, 3*triangles)
		c.points = slices.Grow(c.points, 3*triangles)
	}
}

// number returns the number assigned to p. If p is new, it first adds p to the table.
func (c *cornerTable) number(p r3.Vector) int32 {
	p = r3.Vector{X: p.X + 0, Y: p.Y + 0, Z: p.Z + 0} // −0 becomes +0
	at := int(mix(math.Float64bits(p.X)^mix(math.Float64bits(p.Y)^mix(math.Float64bits(p.Z))<<32)<<32)) & (len(c.slots) - 1)
	for c.slots[at] != 0 {
		if n := c.slots[at] - 1; c.points[n] == p {
			return n
		}
		at = (at + 1) & (len(c.slots) - 1)
	}
	c.used = append(c.used, int32(at))
	c.points = append(c.points, p)
	c.slots[at] = int32(len(c.points))
	return int32(len(c.points)) - 1
}

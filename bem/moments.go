package bem

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

// Moments computes the multipole moments of the double-layer potential on flat
// triangles,
//
//	M_n^m = Σ_τ ∫_τ n·∇R_n^m ds,   W(x) = −(1/4π) Σ conj(S_n^m(x)) M_n^m far away,
//
// relative to the origin, up to a degree, exactly but for rounding. R_n^m is
// homogeneous of degree n and harmonic, so n·∇R_n^m is (n+1)^−1 times the normal
// part of the curl of ∇R_n^m × y, and by Stokes' theorem only edges count:
//
//	M_n^m = 1/(n+1) Σ_{v0→v1} (v0×v1)·∫₀¹ ∇R_n^m(v0+t(v1−v0)) dt
//
// Edges between triangles cancel; only the boundary chain is left. With I_n^m =
// ∫₀¹ R_n^m dt along an edge, the gradient of R_n^m is made of R_{n−1}, and partial
// integration of y·∇R_n^m = n·R_n^m gives
//
//	(n+1) I_n^m = (v0·∇)R_n^m of I_{n−1} + R_n^m(v1)
//	v·∇R_n^m = v_z R_{n−1}^m + ½(v_x+iv_y) R_{n−1}^{m−1} − ½(v_x−iv_y) R_{n−1}^{m+1}
//
// so that no quadrature is needed. Moments is working memory of one goroutine.
// Its layout is that of package harmonics, which also tells when to scale
// coordinates: those of a cell should be at most about 1.
type Moments struct {
	p       int
	r, i    []float64    // R at v1 and its integral, degrees 0 to p−1
	sum     [3][]float64 // Σ mult·(v0×v1)_k·I for all edges
	inv     []float64    // 1/n
	weight  float64
	chain   chain
	corners corners
}

// NewMoments returns working memory for degrees up to p. It panics if p is
// negative, or larger than harmonics.MaxDegree.
func NewMoments(p int) *Moments {
	harmonics.Len(p) // panics
	m := &Moments{p: p, r: make([]float64, p*p), i: make([]float64, p*p), inv: make([]float64, p+2)}
	for k := range m.sum {
		m.sum[k] = make([]float64, p*p)
	}
	for n := 1; n < len(m.inv); n++ {
		m.inv[n] = 1 / float64(n)
	}
	return m
}

// AddEdge adds mult times the directed edge v0→v1. The cost is 4p² ns or so.
func (m *Moments) AddEdge(v0, v1 r3.Vector, mult float64) {
	if m.p == 0 {
		return
	}
	m.integrate(v0, v1)
	// v0×v1, with an error relative to the edge rather than to v0 and v1.
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

// AddTo adds the moments of all edges since the last call to dst, in the layout of
// package harmonics, and forgets them. It panics if dst is shorter than
// harmonics.Len(p).
//
// It returns Σ |mult|·|v1−v0|·max(|v0|, |v1|) of the edges: rounding, that of v0 and v1
// included, changes the moments by no more than a small multiple of n²·2^−53 of what
// a surface of that area could have.
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

// integrate sets i to the integrals of R along the edge v0→v1, its length counting
// as 1.
func (m *Moments) integrate(v0, v1 r3.Vector) {
	harmonics.RegularTo(m.r, m.p-1, v1)
	m.i[0] = 1
	for n := 1; n < m.p; n++ {
		lo, hi := (n-1)*(n-1), n*n
		ladder(m.i[hi:hi+2*n+1], m.i[lo:hi], m.r[hi:hi+2*n+1], v0, m.inv[n+1])
	}
}

// ladder sets dst to f times (row, plus v·∇ of src): rows of order n, n−1, n.
func ladder(dst, src, row []float64, v r3.Vector, f float64) {
	n := len(row) / 2
	dst, src = dst[:2*n+1], src[:2*n-1]
	a, b, z := float64(0.5*v.X), float64(0.5*v.Y), v.Z
	if n == 1 {
		dst[0] = float64((row[0] + float64(z*src[0])) * f)
		dst[1] = float64((row[1] + float64(a*src[0])) * f)
		dst[2] = float64((row[2] + float64(b*src[0])) * f)
		return
	}
	// Order 0: the order −1 is minus the conjugate of the order 1.
	dst[0] = float64((row[0] + float64(z*src[0]) - float64(v.X*src[1]) - float64(v.Y*src[2])) * f)
	u, w := src[0], 0.0 // order m−1
	for k := 1; k+3 < len(src); k += 2 {
		s, t := src[k+2], src[k+3] // order m+1
		re := row[k] + float64(z*src[k]) + (float64(a*(u-s)) - float64(b*(w+t)))
		im := row[k+1] + float64(z*src[k+1]) + (float64(a*(w-t)) + float64(b*(u+s)))
		dst[k], dst[k+1] = float64(re*f), float64(im*f)
		u, w = src[k], src[k+1]
	}
	k := 2*n - 3 // order n−1: there is no order n below
	dst[k] = float64((row[k] + float64(z*src[k]) + (float64(a*u) - float64(b*w))) * f)
	dst[k+1] = float64((row[k+1] + float64(z*src[k+1]) + (float64(a*w) + float64(b*u))) * f)
	u, w = src[k], src[k+1]
	dst[k+2] = float64((row[k+2] + (float64(a*u) - float64(b*w))) * f)
	dst[k+3] = float64((row[k+3] + (float64(a*w) + float64(b*u))) * f)
}

// addGradient adds f·(∂_x x + ∂_y y + ∂_z z) to dst, x, y and z rows of the order
// below.
func addGradient(dst, x, y, z []float64, f float64) {
	// at returns the order m of a row, which is 0 beyond its end.
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

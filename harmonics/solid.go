package harmonics

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// MaxDegree is the largest degree of R and S that the package computes. At |x| = 1 the largest
// coefficient of S of degree n is below √((2n)!), and the smallest leading coefficient of R of
// degree n is 1/(2ⁿ n!). For n = 120 these values are 2·10²³⁴ and 1·10⁻²³⁵. Both are well inside
// the range of float64. M2L from degree p to degree q needs S up to degree p+q.
const MaxDegree = 120

// Len returns (p+1)², the length of an expansion of degree p. It panics if p is not in 0 …
// MaxDegree.
func Len(p int) int {
	if p < 0 || p > MaxDegree {
		panic(fmt.Sprintf("harmonics: degree %d is not in 0..%d", p, MaxDegree))
	}
	return (p + 1) * (p + 1)
}

// At returns the coefficient of degree n and order m of the packed expansion c, for −n ≤ m ≤ n. It
// computes negative orders by C_n^{−m} = (−1)^m conj C_n^m. It panics if c is too short for degree
// n, or if |m| > n.
func At(c []float64, n, m int) complex128 {
	switch {
	case m < -n || m > n:
		panic(fmt.Sprintf("harmonics: order %d exceeds the degree %d", m, n))
	case m == 0:
		return complex(c[n*n], 0)
	case m > 0:
		return complex(c[n*n+2*m-1], c[n*n+2*m])
	}
	re, im := c[n*n-2*m-1], c[n*n-2*m]
	if m&1 != 0 {
		return complex(-re, im)
	}
	return complex(re, -im)
}

// checkLen panics if c is shorter than an expansion of degree p. The message contains the given
// name of c.
func checkLen(name string, c []float64, p int) {
	if n := Len(p); len(c) < n {
		panic(fmt.Sprintf("harmonics: %s has length %d, but degree %d needs at least %d", name, len(c), p, n))
	}
}

// reciprocal[k] is 1/k. Each step of the recurrences of R divides by n²−m² = (n−m)(n+m), with n+m ≤
// 2·MaxDegree.
var reciprocal = func() (r [2*MaxDegree + 1]float64) {
	for k := 1; k < len(r); k++ {
		r[k] = 1 / float64(k)
	}
	return r
}()

// RegularTo writes the regular solid harmonics R_n^m(x), 0 ≤ m ≤ n ≤ p, to the first Len(p)
// elements of dst, in the packed layout. r is |x|.
//
//	R_0^0 = 1
//	R_n^n = (x+iy)/(2n) R_{n−1}^{n−1}
//	(n²−m²) R_n^m = (2n−1) z R_{n−1}^m − r² R_{n−2}^m
//
// The cost is O(p²), without allocation. RegularTo panics if dst is too short. If a coordinate is
// NaN or infinite, the values are NaN. The norm of degree n, as in NormsTo, is |x|ⁿ. Up to
// degree 40, the error relative to this norm is at most (5n²+11n+4)·2⁻⁵³
// (docs/design/019-rounding.md, section 3). In measurements up to degree 60, it is below
// (½n²+2n+8)·2⁻⁵³. The error is largest if x is near the z axis.
func RegularTo(dst []float64, p int, x r3.Vector) {
	checkLen("dst", dst, p)
	dst[0] = 1
	if p == 0 {
		return
	}
	dst[1], dst[2], dst[3] = x.Z, x.X/2, x.Y/2
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	for n := 2; n <= p; n++ {
		row := dst[n*n : n*n+2*n+1]
		prev := dst[(n-1)*(n-1) : n*n]
		prev2 := dst[(n-2)*(n-2) : (n-1)*(n-1)]
		a := float64(2*n-1) * x.Z
		inv := reciprocal[n] * reciprocal[n]
		row[0] = (float64(a*prev[0]) - float64(r2*prev2[0])) * inv
		for m := 1; m <= n-2; m++ {
			inv = reciprocal[n-m] * reciprocal[n+m]
			row[2*m-1] = (float64(a*prev[2*m-1]) - float64(r2*prev2[2*m-1])) * inv
			row[2*m] = (float64(a*prev[2*m]) - float64(r2*prev2[2*m])) * inv
		}
		// For m = n−1 the factor n²−m² = 2n−1 cancels, and R_{n−2}^{n−1} = 0.
		re, im := prev[2*n-3], prev[2*n-2]
		row[2*n-3], row[2*n-2] = x.Z*re, x.Z*im
		h := reciprocal[2*n]
		row[2*n-1] = (float64(x.X*re) - float64(x.Y*im)) * h
		row[2*n] = (float64(x.X*im) + float64(x.Y*re)) * h
	}
}

// SingularTo writes the singular solid harmonics S_n^m(x), 0 ≤ m ≤ n ≤ p, to the first Len(p)
// elements of dst, in the packed layout. r is |x|.
//
//	S_0^0 = 1/r
//	S_n^n = (2n−1)(x+iy)/r² S_{n−1}^{n−1}
//	r² S_n^m = (2n−1) z S_{n−1}^m − ((n−1)²−m²) S_{n−2}^m
//
// The cost is O(p²), without allocation. SingularTo panics if dst is too short. The values are zero
// or not finite if x is the origin, if a coordinate is NaN or infinite, or if |x|² is outside the
// range of float64. The norm √Σ_m |S_n^m|²/((n−m)!(n+m)!) of degree n is 1/|x|^{n+1}. The
// error relative to this norm has the bounds that RegularTo documents.
func SingularTo(dst []float64, p int, x r3.Vector) {
	checkLen("dst", dst, p)
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	w := 1 / r2
	u := r3.Vector{X: x.X / r2, Y: x.Y / r2, Z: x.Z / r2} // point x inverted in the unit sphere
	dst[0] = 1 / math.Sqrt(r2)
	if p == 0 {
		return
	}
	dst[1], dst[2], dst[3] = u.Z*dst[0], u.X*dst[0], u.Y*dst[0]
	for n := 2; n <= p; n++ {
		row := dst[n*n : n*n+2*n+1]
		prev := dst[(n-1)*(n-1) : n*n]
		prev2 := dst[(n-2)*(n-2) : (n-1)*(n-1)]
		a := float64(2*n-1) * u.Z
		b := float64((n-1)*(n-1)) * w
		row[0] = float64(a*prev[0]) - float64(b*prev2[0])
		for m := 1; m <= n-2; m++ {
			b = float64((n-1-m)*(n-1+m)) * w
			row[2*m-1] = float64(a*prev[2*m-1]) - float64(b*prev2[2*m-1])
			row[2*m] = float64(a*prev[2*m]) - float64(b*prev2[2*m])
		}
		re, im := prev[2*n-3], prev[2*n-2]
		row[2*n-3], row[2*n-2] = a*re, a*im
		h := float64(2*n - 1)
		row[2*n-1] = (float64(u.X*re) - float64(u.Y*im)) * h
		row[2*n] = (float64(u.X*im) + float64(u.Y*re)) * h
	}
}

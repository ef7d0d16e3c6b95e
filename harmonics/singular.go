package harmonics

import (
	"math"

	"github.com/golang/geo/r3"
)

// SingularTo writes the singular solid harmonics S_n^m(x), 0 ≤ m ≤ n ≤ p, packed,
// to the first Len(p) elements of dst.
//
//	S_0^0 = 1/r
//	S_n^n = (2n−1)(x+iy)/r² S_{n−1}^{n−1}
//	r² S_n^m = (2n−1) z S_{n−1}^m − ((n−1)²−m²) S_{n−2}^m
//
// The cost is O(p²), without allocation. The error of degree n stays below
// (½n²+2n+8)·2⁻⁵³ (measured to degree 60, worst near the poles) relative to
// √Σ_m |S_n^m|²/((n−m)!(n+m)!) = 1/|x|^{n+1}.
// The origin, a NaN or an infinite coordinate, and |x|² outside float64 give
// values that are not finite or zero. It panics when dst is too short.
func SingularTo(dst []float64, p int, x r3.Vector) {
	need("dst", dst, p)
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	w := 1 / r2
	u := r3.Vector{X: x.X / r2, Y: x.Y / r2, Z: x.Z / r2} // x inverted in the unit sphere
	dst[0] = 1 / math.Sqrt(r2)
	if p == 0 {
		return
	}
	dst[1], dst[2], dst[3] = u.Z*dst[0], u.X*dst[0], u.Y*dst[0]
	for n := 2; n <= p; n++ {
		row := dst[n*n : n*n+2*n+1]
		one := dst[(n-1)*(n-1) : n*n]
		two := dst[(n-2)*(n-2) : (n-1)*(n-1)]
		a := float64(2*n-1) * u.Z
		b := float64((n-1)*(n-1)) * w
		row[0] = float64(a*one[0]) - float64(b*two[0])
		for m := 1; m <= n-2; m++ {
			b = float64((n-1-m)*(n-1+m)) * w
			row[2*m-1] = float64(a*one[2*m-1]) - float64(b*two[2*m-1])
			row[2*m] = float64(a*one[2*m]) - float64(b*two[2*m])
		}
		re, im := one[2*n-3], one[2*n-2]
		row[2*n-3], row[2*n-2] = a*re, a*im
		h := float64(2*n - 1)
		row[2*n-1] = (float64(u.X*re) - float64(u.Y*im)) * h
		row[2*n] = (float64(u.X*im) + float64(u.Y*re)) * h
	}
}

// SingularGradientTo writes ∂S_n^m/∂x, ∂/∂y and ∂/∂z at x, 0 ≤ m ≤ n ≤ p, packed,
// to gx, gy and gz. work needs Len(p+1) elements and is left with S_n^m(x) up to
// degree p+1.
//
//	v·∇S_n^m = −v_z S_{n+1}^m + ½(v_x+iv_y) S_{n+1}^{m−1} − ½(v_x−iv_y) S_{n+1}^{m+1}
//
// The cost is O(p²), without allocation. It panics when a slice is too short.
func SingularGradientTo(gx, gy, gz []float64, p int, x r3.Vector, work []float64) {
	need("gx", gx, p)
	need("gy", gy, p)
	need("gz", gz, p)
	SingularTo(work, p+1, x)
	for n := 0; n <= p; n++ {
		from, to := work[(n+1)*(n+1):(n+2)*(n+2)], n*n
		for m := 0; m <= n; m++ {
			zr, zi := inDegree(from, n+1, m)
			ar, ai := inDegree(from, n+1, m-1)
			br, bi := inDegree(from, n+1, m+1)
			put(gz, to, m, -zr, -zi)
			put(gx, to, m, (ar-br)/2, (ai-bi)/2)
			put(gy, to, m, -(ai+bi)/2, (ar+br)/2)
		}
	}
}

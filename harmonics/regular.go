package harmonics

import "github.com/golang/geo/r3"

// RegularTo writes the regular solid harmonics R_n^m(x), 0 ≤ m ≤ n ≤ p, packed,
// to the first Len(p) elements of dst.
//
//	R_0^0 = 1
//	R_n^n = (x+iy)/(2n) R_{n−1}^{n−1}
//	(n²−m²) R_n^m = (2n−1) z R_{n−1}^m − r² R_{n−2}^m
//
// The cost is O(p²), without allocation. The error of degree n stays below
// (½n²+2n+8)·2⁻⁵³ (measured to degree 60, worst near the poles) in the norm of
// NormsTo, whose value for R_n(x) is |x|ⁿ.
// A NaN or infinite coordinate gives NaN. It panics when dst is too short.
func RegularTo(dst []float64, p int, x r3.Vector) {
	need("dst", dst, p)
	dst[0] = 1
	if p == 0 {
		return
	}
	dst[1], dst[2], dst[3] = x.Z, x.X/2, x.Y/2
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	for n := 2; n <= p; n++ {
		row := dst[n*n : n*n+2*n+1]
		one := dst[(n-1)*(n-1) : n*n]
		two := dst[(n-2)*(n-2) : (n-1)*(n-1)]
		a := float64(2*n-1) * x.Z
		inv := reciprocal[n] * reciprocal[n]
		row[0] = (float64(a*one[0]) - float64(r2*two[0])) * inv
		for m := 1; m <= n-2; m++ {
			inv = reciprocal[n-m] * reciprocal[n+m]
			row[2*m-1] = (float64(a*one[2*m-1]) - float64(r2*two[2*m-1])) * inv
			row[2*m] = (float64(a*one[2*m]) - float64(r2*two[2*m])) * inv
		}
		// m = n−1: n²−m² = 2n−1 cancels, and R_{n−2}^{n−1} = 0.
		re, im := one[2*n-3], one[2*n-2]
		row[2*n-3], row[2*n-2] = x.Z*re, x.Z*im
		h := reciprocal[2*n]
		row[2*n-1] = (float64(x.X*re) - float64(x.Y*im)) * h
		row[2*n] = (float64(x.X*im) + float64(x.Y*re)) * h
	}
}

// RegularGradientTo writes ∂R_n^m/∂x, ∂/∂y and ∂/∂z at x, 0 ≤ m ≤ n ≤ p, packed,
// to gx, gy and gz. work needs Len(p) elements and is left with R_n^m(x).
//
//	v·∇R_n^m = v_z R_{n−1}^m + ½(v_x+iv_y) R_{n−1}^{m−1} − ½(v_x−iv_y) R_{n−1}^{m+1}
//
// The cost is O(p²), without allocation. It panics when a slice is too short.
func RegularGradientTo(gx, gy, gz []float64, p int, x r3.Vector, work []float64) {
	need("gx", gx, p)
	need("gy", gy, p)
	need("gz", gz, p)
	RegularTo(work, p, x)
	gx[0], gy[0], gz[0] = 0, 0, 0
	for n := 1; n <= p; n++ {
		from, to := work[(n-1)*(n-1):n*n], n*n
		for m := 0; m <= n; m++ {
			zr, zi := inDegree(from, n-1, m)
			ar, ai := inDegree(from, n-1, m-1)
			br, bi := inDegree(from, n-1, m+1)
			put(gz, to, m, zr, zi)
			put(gx, to, m, (ar-br)/2, (ai-bi)/2)
			put(gy, to, m, -(ai+bi)/2, (ar+br)/2)
		}
	}
}

// inDegree returns the real and imaginary part of order m of the packed degree
// row = C_n, for −1 ≤ m; orders above n are zero, order −1 is −conj C_n^1.
func inDegree(row []float64, n, m int) (re, im float64) {
	switch {
	case m > n || -m > n:
		return 0, 0
	case m == 0:
		return row[0], 0
	case m < 0:
		return -row[1], row[2]
	}
	return row[2*m-1], row[2*m]
}

// put writes order m ≥ 0 of the degree that starts at c[start]; the imaginary
// part of order 0 is zero by symmetry and has no place.
func put(c []float64, start, m int, re, im float64) {
	if m == 0 {
		c[start] = re
		return
	}
	c[start+2*m-1], c[start+2*m] = re, im
}

package harmonics

import "github.com/golang/geo/r3"

// This file has simple forms for comparison: translations as complex sums, and the gradients of R
// and S.

// addM2M translates the moments src of degree p by d = old − new and adds them to dst.
func addM2M(dst, src []float64, p int, d r3.Vector) { addPlain(dst, p, src, p, m2m(p, d)) }

// addM2L computes the local coefficients of the moments src for d = target − source, and adds them
// to dst. src has degree p, and dst has degree q.
func addM2L(dst []float64, q int, src []float64, p int, d r3.Vector) {
	addPlain(dst, q, src, p, m2l(q, p, d))
}

// addL2L translates the local coefficients src of degree p by d = new − old and adds them to dst.
func addL2L(dst, src []float64, p int, d r3.Vector) {
	e := m2m(p, d)
	addPlain(dst, p, src, p, func(n, m, s, t int) complex128 { return e(s, t, n, m) })
}

// addPlain applies the operator e to src of degree p and adds the result to dst of degree q.
func addPlain(dst []float64, q int, src []float64, p int, e entryFunc) {
	for n := 0; n <= q; n++ {
		for m := 0; m <= n; m++ {
			var sum complex128
			for s := 0; s <= p; s++ {
				for t := -s; t <= s; t++ {
					sum += e(n, m, s, t) * At(src, s, t)
				}
			}
			add(dst, n*n, m, real(sum), imag(sum))
		}
	}
}

func addMatrix(dst, matrix, src []float64) {
	for i := range dst {
		for j, v := range src {
			dst[i] += matrix[i*len(src)+j] * v
		}
	}
}

// rescale multiplies degree n of dst by fⁿ. dst is an expansion of degree p.
func rescale(dst []float64, p int, f float64) {
	g := 1.0
	for n := 1; n <= p; n++ {
		g *= f
		for j := n * n; j < (n+1)*(n+1); j++ {
			dst[j] *= g
		}
	}
}

// regularGradient writes the partial derivatives of R_n^m at x to gx, gy and gz, for 0 ≤ m ≤ n ≤ p.
// It writes R_n^m(x) to work, which has Len(p) elements.
//
//	v·∇R_n^m = v_z R_{n−1}^m + ½(v_x+iv_y) R_{n−1}^{m−1} − ½(v_x−iv_y) R_{n−1}^{m+1}
func regularGradient(gx, gy, gz []float64, p int, x r3.Vector, work []float64) {
	RegularTo(work, p, x)
	for n := 0; n <= p; n++ {
		for m := 0; m <= n; m++ {
			gradient(gx, gy, gz, n, m, work, n-1, 1)
		}
	}
}

// singularGradient does for S_n^m what regularGradient does for R_n^m. work has Len(p+1) elements.
//
//	v·∇S_n^m = −v_z S_{n+1}^m + ½(v_x+iv_y) S_{n+1}^{m−1} − ½(v_x−iv_y) S_{n+1}^{m+1}
func singularGradient(gx, gy, gz []float64, p int, x r3.Vector, work []float64) {
	SingularTo(work, p+1, x)
	for n := 0; n <= p; n++ {
		for m := 0; m <= n; m++ {
			gradient(gx, gy, gz, n, m, work, n+1, -1)
		}
	}
}

// gradient writes the three components of the gradient, for degree n and order m, to gx, gy and gz.
// It computes them from the harmonics of degree sourceDegree in f.
func gradient(gx, gy, gz []float64, n, m int, f []float64, sourceDegree int, signZ float64) {
	at := func(m int) complex128 {
		if m < -sourceDegree || m > sourceDegree {
			return 0
		}
		return At(f, sourceDegree, m)
	}
	a, b, c := at(m-1), at(m+1), at(m)
	put(gx, n*n, m, real(a-b)/2, imag(a-b)/2)
	put(gy, n*n, m, -imag(a+b)/2, real(a+b)/2)
	put(gz, n*n, m, signZ*real(c), signZ*imag(c))
}

// put writes order m ≥ 0 of the degree that begins at c[start]. Order 0 has no imaginary part.
func put(c []float64, start, m int, re, im float64) {
	if m == 0 {
		c[start] = re
		return
	}
	c[start+2*m-1], c[start+2*m] = re, im
}

// add adds re and im to order m ≥ 0 of the degree that begins at c[start].
func add(c []float64, start, m int, re, im float64) {
	if m == 0 {
		c[start] += re
		return
	}
	c[start+2*m-1] += re
	c[start+2*m] += im
}

// pair returns a sum over the orders m of one degree n: Σ_m A^m B^m if sign is 1, and Σ_m conj(A^m)
// B^m if sign is −1.
func pair(a, b []float64, n int, sign float64) float64 {
	sum := 0.0
	for j := 1; j < 2*n; j += 2 {
		sum += a[j]*b[j] - sign*a[j+1]*b[j+1]
	}
	return a[0]*b[0] + 2*sum
}

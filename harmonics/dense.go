package harmonics

import "github.com/golang/geo/r3"

// MatrixM2M returns AddM2M for degree p and d = old − new as a dense real matrix
// of Len(p) rows and columns, row-major, acting on packed moments. It is block
// lower triangular by degree.
func MatrixM2M(p int, d r3.Vector) []float64 { return dense(p, p, m2m(p, d)) }

// MatrixL2L returns AddL2L for degree p and d = new − old as a dense real matrix
// of Len(p) rows and columns, row-major, acting on packed local coefficients. It
// is block upper triangular by degree.
func MatrixL2L(p int, d r3.Vector) []float64 { return dense(p, p, l2l(p, d)) }

// MatrixM2L returns AddM2L to degree q from degree p and d = target − source as a
// dense real matrix of Len(q) rows and Len(p) columns, row-major. It panics when
// p+q > MaxDegree.
func MatrixM2L(q, p int, d r3.Vector) []float64 { return dense(q, p, m2l(q, p, d)) }

// dense returns the real matrix of e on packed coefficients. A source pair
// C_s^t, C_s^{−t} = (−1)^t conj C_s^t, t > 0, enters with a·C + b·(−1)^t conj C.
func dense(q, p int, e entry) []float64 {
	cols := Len(p)
	out := make([]float64, Len(q)*cols)
	for n := 0; n <= q; n++ {
		for m := 0; m <= n; m++ {
			row := func(j int) []float64 { return out[j*cols : (j+1)*cols] }
			if m == 0 {
				denseRows(row(n*n), nil, n, m, p, e)
				continue
			}
			denseRows(row(n*n+2*m-1), row(n*n+2*m), n, m, p, e)
		}
	}
	return out
}

// denseRows fills the row of Re C_n^m and, unless m = 0, that of Im C_n^m.
func denseRows(re, im []float64, n, m, p int, e entry) {
	for s := 0; s <= p; s++ {
		a := e(n, m, s, 0)
		re[s*s] = real(a)
		if m > 0 {
			im[s*s] = imag(a)
		}
		sign := 1.0
		for t := 1; t <= s; t++ {
			sign = -sign
			a, b := e(n, m, s, t), e(n, m, s, -t)
			j := s*s + 2*t - 1
			re[j] = real(a) + float64(sign*real(b))
			re[j+1] = -imag(a) + float64(sign*imag(b))
			if m > 0 {
				im[j] = imag(a) + float64(sign*imag(b))
				im[j+1] = real(a) - float64(sign*real(b))
			}
		}
	}
}

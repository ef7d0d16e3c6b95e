package harmonics

import "github.com/golang/geo/r3"

// MatrixM2M returns the matrix that translates moments of degree p from an old center to a new
// center, with d = old − new:
//
//	M′_n^m = Σ_{s≤n} Σ_t R_{n−s}^{m−t}(d) M_s^t
//
// The formula is the addition theorem for R_n^m(y+d). It is exact because the new moments up to
// degree p depend only on the old moments up to degree p.
//
// The result is a dense real matrix in row-major order, with Len(p) rows and columns, for packed
// moments. With one block for each pair of degrees, the matrix is block lower triangular. The cost
// is O(p⁴).
func MatrixM2M(p int, d r3.Vector) []float64 { return dense(p, p, m2m(p, d)) }

// MatrixL2L returns the matrix that translates local coefficients of degree p from an old center to
// a new center, with d = new − old:
//
//	L′_n^m = Σ_{s≥n} Σ_t R_{s−n}^{t−m}(d) L_s^t
//
// The formula is exact because a local expansion is a polynomial of degree p. The matrix applies to
// packed local coefficients. The result has the same layout as MatrixM2M, but is block upper
// triangular. The cost is O(p⁴).
func MatrixL2L(p int, d r3.Vector) []float64 {
	e := m2m(p, d)
	return dense(p, p, func(n, m, s, t int) complex128 { return e(s, t, n, m) })
}

// MatrixM2L returns the matrix that translates moments of degree p to local coefficients of degree
// q, with d = target − source:
//
//	L_n^m = (−1)^n Σ_{s≤p} Σ_t conj(S_{n+s}^{m+t}(d)) M_s^t
//
// This is eq. 24 of Muth, Of, Eberhard, Steinbach 2006, with the sum up to p and with conj S. If
// all sources are within distance a of their center, the local expansion is valid inside the sphere
// of radius |d| − a. M2LBound bounds the truncation error. Tables.M2L returns the same operator in
// a form that takes O((p+q)³) operations.
//
// The result is a dense real matrix in row-major order, with Len(q) rows and Len(p) columns. The
// cost is O(p²q²). MatrixM2L panics if p+q > MaxDegree. For d = 0 the entries are not finite.
func MatrixM2L(q, p int, d r3.Vector) []float64 { return dense(q, p, m2l(q, p, d)) }

// entryFunc returns one factor of a translation: the target coefficient of degree n and order m
// contains the source coefficient of degree s and order t times this factor. All translations
// satisfy entry(n,−m,s,−t) = (−1)^{m+t} conj entry(n,m,s,t), so they preserve C_n^{−m} = (−1)^m
// conj C_n^m.
type entryFunc func(n, m, s, t int) complex128

func m2m(p int, d r3.Vector) entryFunc {
	r := make([]float64, Len(p))
	RegularTo(r, p, d)
	return func(n, m, s, t int) complex128 {
		if k, l := n-s, m-t; l <= k && -l <= k {
			return At(r, k, l)
		}
		return 0
	}
}

func m2l(q, p int, d r3.Vector) entryFunc {
	g := make([]float64, Len(p+q))
	SingularTo(g, p+q, d)
	return func(n, m, s, t int) complex128 {
		c := At(g, n+s, m+t)
		if n&1 != 0 {
			return complex(-real(c), imag(c))
		}
		return complex(real(c), -imag(c))
	}
}

// dense returns the real matrix of e for packed coefficients. Let a = e(n,m,s,t) and b =
// e(n,m,s,−t). Then the pair C_s^t and C_s^{−t} contributes a·C_s^t + b·(−1)^t conj C_s^t.
func dense(q, p int, e entryFunc) []float64 {
	cols := Len(p)
	out := make([]float64, Len(q)*cols)
	for n := 0; n <= q; n++ {
		for m := 0; m <= n; m++ {
			row := (n*n + max(0, 2*m-1)) * cols
			denseRows(out[row:row+cols], out[row+cols:], n, m, p, e)
		}
	}
	return out
}

// denseRows fills the row of Re C_n^m. If m > 0, it also fills the row of Im C_n^m.
func denseRows(re, im []float64, n, m, p int, e entryFunc) {
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

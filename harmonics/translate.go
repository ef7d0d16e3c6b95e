package harmonics

import "github.com/golang/geo/r3"

// entry is the complex factor with which the source coefficient of degree s and
// order t enters the target coefficient of degree n and order m. For M2M, M2L and
// L2L it satisfies entry(n,−m,s,−t) = (−1)^{m+t} conj entry(n,m,s,t): this is what
// keeps C_n^{−m} = (−1)^m conj C_n^m through every translation.
type entry func(n, m, s, t int) complex128

// AddM2M adds to the moments dst about a new centre the moments src, both of
// degree p, about an old centre, d = old − new:
//
//	M′_n^m = Σ_{s≤n} Σ_t R_{n−s}^{m−t}(d) M_s^t
//
// (R_n^m(y+d) expanded by the addition theorem of R). It is exact: moments up to
// degree p depend on moments up to degree p only. This is the plain form, O(p⁴),
// the reference for MatrixM2M; it allocates. It panics when a slice is too short.
func AddM2M(dst, src []float64, p int, d r3.Vector) {
	addPlain(dst, p, src, p, m2m(p, d))
}

// AddM2L adds to the local coefficients dst of degree q about a target centre
// the far field of the moments src of degree p about a source centre,
// d = target − source:
//
//	L_n^m = (−1)^n Σ_{s≤p} Σ_t conj(S_{n+s}^{m+t}(d)) M_s^t
//
// Muth, Of, Eberhard, Steinbach 2006, eq. 24 with the sum to p and conj S. Valid
// inside the sphere of radius |d| − a for sources within a of their centre;
// M2LBound bounds what the truncation leaves out. This is the plain form,
// O(p²q²), the reference for M2L; it allocates. It panics when a slice is too
// short or p+q > MaxDegree. d = 0 gives values that are not finite.
func AddM2L(dst []float64, q int, src []float64, p int, d r3.Vector) {
	addPlain(dst, q, src, p, m2l(q, p, d))
}

// AddL2L adds to the local coefficients dst about a new centre the local
// coefficients src, both of degree p, about an old centre, d = new − old:
//
//	L′_n^m = Σ_{s≥n} Σ_t R_{s−n}^{t−m}(d) L_s^t
//
// It is exact: a local expansion is a polynomial of degree p. This is the plain
// form, O(p⁴), the reference for MatrixL2L; it allocates. It panics when a slice
// is too short.
func AddL2L(dst, src []float64, p int, d r3.Vector) {
	addPlain(dst, p, src, p, l2l(p, d))
}

func m2m(p int, d r3.Vector) entry {
	r := make([]float64, Len(p))
	RegularTo(r, p, d)
	return func(n, m, s, t int) complex128 {
		if k, l := n-s, m-t; l <= k && -l <= k {
			return At(r, k, l)
		}
		return 0
	}
}

func m2l(q, p int, d r3.Vector) entry {
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

func l2l(p int, d r3.Vector) entry {
	e := m2m(p, d)
	return func(n, m, s, t int) complex128 { return e(s, t, n, m) }
}

// addPlain adds the operator e, applied to src of degree p, to dst of degree q.
func addPlain(dst []float64, q int, src []float64, p int, e entry) {
	need("dst", dst, q)
	need("src", src, p)
	for n := 0; n <= q; n++ {
		for m := 0; m <= n; m++ {
			var sum complex128
			for s := 0; s <= p; s++ {
				for t := -s; t <= s; t++ {
					sum += e(n, m, s, t) * At(src, s, t)
				}
			}
			if m == 0 {
				dst[n*n] += real(sum)
				continue
			}
			dst[n*n+2*m-1] += real(sum)
			dst[n*n+2*m] += imag(sum)
		}
	}
}

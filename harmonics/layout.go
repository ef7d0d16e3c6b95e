package harmonics

import "fmt"

// MaxDegree is the largest degree of R and S that the package computes.
// At |x| = 1 the largest coefficient of S of degree n is below √((2n)!), and
// the smallest leading coefficient of R of degree n is 1/(2ⁿ n!): for n = 120
// they are 2·10²³⁴ and 1·10⁻²³⁵, inside float64 with room for |x| away from 1.
// M2L from degree p to degree q needs S up to p+q ≤ MaxDegree.
const MaxDegree = 120

// Len returns (p+1)², the number of float64 of an expansion of degree p.
// It panics unless 0 ≤ p ≤ MaxDegree.
func Len(p int) int {
	if p < 0 || p > MaxDegree {
		panic(fmt.Sprintf("harmonics: degree %d is not in 0..%d", p, MaxDegree))
	}
	return (p + 1) * (p + 1)
}

// At returns the coefficient of degree n and order m, −n ≤ m ≤ n, of the packed
// expansion c; negative orders come from C_n^{−m} = (−1)^m conj C_n^m.
// It panics when c is shorter than degree n needs or |m| > n.
func At(c []float64, n, m int) complex128 {
	switch {
	case m < -n || m > n:
		panic(fmt.Sprintf("harmonics: order %d exceeds degree %d", m, n))
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

// need panics unless the slice called name has at least the length of degree p.
func need(name string, c []float64, p int) {
	if n := Len(p); len(c) < n {
		panic(fmt.Sprintf("harmonics: %s has length %d, degree %d needs %d", name, len(c), p, n))
	}
}

// reciprocal[k] is 1/k; a table because the recurrences of R divide by
// n²−m² = (n−m)(n+m) at every step, with n+m ≤ 2·MaxDegree.
var reciprocal = reciprocals()

func reciprocals() (r [2*MaxDegree + 1]float64) {
	for k := 1; k < len(r); k++ {
		r[k] = 1 / float64(k)
	}
	return r
}

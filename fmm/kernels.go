package fmm

import (
	"fmt"
	"math"
)

// kernel identifies an implementation of evaluateMany.
type kernel uint8

const (
	generic kernel = iota
	avx2           // kernel for AVX2 with FMA
	avx512         // kernel for AVX-512 F, DQ and VL, with BMI2
)

var fastest = kernels()[0]

const maxLocal = stepsSide - 1

// prepareLocal converts the packed local expansion l of degree q to the packed form that
// evaluateMany reads:
//
// dst_n^m = −1/4π · 1/(2^m m!) · L_n^m for m = 0, and twice this value for m > 0
//
// dst and l can be the same slice.
func prepareLocal(dst, l []float64, q int) {
	if uint(q) > maxLocal || len(dst) < (q+1)*(q+1) || len(l) < (q+1)*(q+1) {
		panic(fmt.Sprintf("fmm: degree %d must be in 0..%d, and dst (length %d) and l (length %d) must have (degree+1)² elements", q, maxLocal, len(dst), len(l)))
	}
	for n := 0; n <= q; n++ {
		w := -1 / (4 * math.Pi)
		dst[n*n] = w * l[n*n]
		w *= 2
		for m := 1; m <= n; m++ {
			w /= float64(2 * m)
			j := n*n + 2*m - 1
			dst[j], dst[j+1] = w*l[j], w*l[j+1]
		}
	}
}

// evaluateMany writes the double-layer potential
//
//	dst[i] = −1/4π Σ_{n≤q} Σ_m R_n^m(x_i) L_n^m,  x_i = (x[i], y[i], z[i])
//
// of the local expansion l that prepareLocal wrote. dst, x, y and z have the same length, which can
// be 0. dst can be the same slice as x, y or z. If a point is not finite, its result is not finite.
// Each result depends only on its own point, and not on the index of the point.
//
// The functions T_n^m are real, with R_n^m(x) = (x+iy)^m T_n^m/(2^m m!). Two methods compute T_n^m:
// by orders (evaluateGeneric) and by rows (tools/kernels/fmm/rows.go). Each kernel uses the faster
// method. The rounding error is at most
//
//	(6q+8) 2⁻⁵³ Σ_n (1+√2)ⁿ |x|ⁿ √(Σ_m |L_n^m|²/((n−m)!(n+m)!))
//
// (docs/design/016-error-bounds.md, Evaluating local expansions).
func evaluateMany(dst, x, y, z, l []float64, q int) { fastest.evaluateMany(dst, x, y, z, l, q) }

func fitPoints(dst, x, y, z, l []float64, q int) bool {
	n := len(dst)
	return len(x) == n && len(y) == n && len(z) == n && uint(q) <= maxLocal && len(l) >= (q+1)*(q+1)
}

func badPoints(n, x, y, z, l, q int) {
	panic(fmt.Sprintf("fmm: the lengths dst %d, x %d, y %d, z %d must be equal; degree %d must be in 0..%d, and l (length %d) must have (degree+1)² elements", n, x, y, z, q, maxLocal, l))
}

// stepsSide is the number of degrees and of orders in the table of steps. tools/kernels/fmm uses
// the same number.
const stepsSide = 32

// step holds the factors (2n−1)/(n²−m²) and 1/(n²−m²) of one degree n and order m.
type step struct{ z, r2 float64 }

// steps[m][n−m] holds the factors of evaluateGeneric for degree n > m and order m.
var steps = func() (s [stepsSide][stepsSide]step) {
	for m := range s {
		for i := 1; i < stepsSide; i++ {
			n := m + i
			d := float64(n*n - m*m)
			s[m][i] = step{z: float64(2*n-1) / d, r2: 1 / d}
		}
	}
	return s
}()

// evaluateGeneric does the work of evaluateMany order by order, without assembly code:
//
//	T_m^m = 1
//	(n²−m²) T_n^m = (2n−1) z T_{n−1}^m − r² T_{n−2}^m
func evaluateGeneric(dst, x, y, z, l []float64, q int) {
	for i := range dst {
		x, y, z := x[i], y[i], z[i]
		r2 := float64(x*x) + float64(y*y) + float64(z*z)
		re, im := 0.0, 0.0
		for m := q; m > 0; m-- {
			j := m*m + 2*m - 1
			re, im = float64(re*x)-float64(im*y)+l[j], float64(re*y)+float64(im*x)+l[j+1]
			two, one := 0.0, 1.0
			s := steps[m][:q-m+1]
			for k := 1; k < len(s); k++ {
				j += 2*(m+k) - 1
				two, one = one, float64(float64(s[k].z*z)*one)-float64(float64(s[k].r2*r2)*two)
				re += float64(one * l[j])
				im += float64(one * l[j+1])
			}
		}
		sum := l[0] + float64(re*x) - float64(im*y)
		two, one := 0.0, 1.0
		for n := 1; n <= q; n++ {
			s := steps[0][n]
			two, one = one, float64(float64(s.z*z)*one)-float64(float64(s.r2*r2)*two)
			sum += float64(one * l[n*n])
		}
		dst[i] = sum
	}
}

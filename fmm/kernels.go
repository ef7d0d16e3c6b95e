package fmm

import (
	"fmt"
	"math"
)

// kernel is an implementation of sums and expansions.
type kernel uint8

const (
	generic kernel = iota
	avx2           // with FMA
	avx512         // F, DQ and VL
)

// fastest is the kernel in use.
var fastest = kernels()[0]

// fitColumns reports whether the lengths match.
func fitColumns(y, columns, x []float64) bool {
	return len(y)%8 == 0 && len(columns) == len(y)*len(x)
}

func badColumns(rows, elements, columns int) {
	panic(fmt.Sprintf("fmm: %d rows, %d columns and %d elements of them", rows, columns, elements))
}

// fitSigns reports whether there are enough signs.
func fitSigns(y, x, signs []float64) bool {
	return len(signs) >= len(y) && len(signs) > len(x)
}

func badSigns(rows, columns, signs int) {
	panic(fmt.Sprintf("fmm: %d signs for %d rows and %d columns", signs, rows, columns))
}

// addColumnsGeneric adds Σ_j x[j]·columns[j] to y. Column j is columns[j·len(y):(j+1)·len(y)].
// kernel.addColumns is the fast twin. It panics unless len(y) is a multiple of eight and there are
// len(x) columns. No other slice may overlap y.
//
// The order of summation depends only on the processor and the lengths. The error of y[i] is at
// most
//
//	(len(x)+2) 2⁻⁵³ (|y[i]| + Σ_j |x[j]·columns[j][i]|)
//
// to first order. A term passes through its own rounding and at most one for each added term,
// including y and the joining of partial sums. Underflow adds at most 2⁻¹⁰⁷⁵ for each product.
func addColumnsGeneric(y, columns, x []float64) {
	n := len(y)
	for ; len(x) >= 4; x, columns = x[4:], columns[4*n:] {
		addFour(y, columns[:4*n], x[0], x[1], x[2], x[3])
	}
	for j, v := range x {
		for i, c := range columns[j*n : (j+1)*n] {
			y[i] += float64(v * c)
		}
	}
}

// addFour adds four columns.
func addFour(y, columns []float64, xa, xb, xc, xd float64) {
	n := len(y)
	a, b, c, d := columns[:n], columns[n:2*n], columns[2*n:3*n], columns[3*n:4*n]
	for i := range y {
		y[i] += (float64(xa*a[i]) + float64(xb*b[i])) + (float64(xc*c[i]) + float64(xd*d[i]))
	}
}

// addMirroredGeneric is addColumnsGeneric for the mirror image of the matrix:
//
//	y[i] += signs[i] Σ_j signs[j+1] x[j]·columns[j][i]
//
// signs are 1 or −1. x begins with degree 1, so x[j] belongs to signs[j+1]. kernel.addMirrored is
// the fast twin. It panics like kernel.addColumns, and if len(signs) < len(y) or len(signs) ≤
// len(x). The error is the same as in addColumnsGeneric: products with signs are exact.
func addMirroredGeneric(y, columns, x, signs []float64) {
	n := len(y)
	for j, v := range x {
		v *= signs[j+1]
		for i, c := range columns[j*n : (j+1)*n] {
			y[i] += signs[i] * float64(v*c)
		}
	}
}

// maxLocal is the largest degree of evaluateMany.
const maxLocal = stepsSide - 1

// prepareLocal writes the packed local expansion l of degree q in the form that evaluateMany reads,
// packed the same way:
//
//	dst_n^m = −1/4π · 1/(2^m m!) · L_n^m, twice that for m > 0
//
// Its sum is the double-layer potential. dst may be l. prepareLocal panics unless both have at
// least (q+1)² elements and 0 ≤ q ≤ maxLocal.
func prepareLocal(dst, l []float64, q int) {
	if uint(q) > maxLocal || len(dst) < (q+1)*(q+1) || len(l) < (q+1)*(q+1) {
		panic(fmt.Sprintf("fmm: degree %d of 0..%d with %d coefficients from %d", q, maxLocal, len(dst), len(l)))
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
// of the local expansion l that prepareLocal wrote. The other four slices have the same length,
// which may be 0; dst may be one of them. evaluateMany panics if lengths differ, if l is shorter
// than (q+1)², and unless 0 ≤ q ≤ maxLocal. Points that are not finite give values that are not
// finite.
//
// With R_n^m(x) = (x+iy)^m T_n^m/(2^m m!), T real, each order is summed with T alone, and a Horner
// scheme in x+iy joins the orders, as in harmonics.EvaluateLocal. T is computed by orders
// (evaluateGeneric) or by rows (tools/kernels/fmm/rows.go), whichever is faster on the processor.
// Both are exact identities. Each result depends only on its own point: not on its place in the
// slice nor on the other points.
//
// The rounding error is at most (6q+8) 2⁻⁵³ Σ_n (1+√2)ⁿ |x|ⁿ √(Σ_m |L_n^m|²/((n−m)!(n+m)!)). Proof:
// T_n^m is a sum of products along paths from T_0^0. Including the roundings of ρ², r² and the
// constants, a path passes through at most m+4(n−m)+2. By rows these are one in a step up by one
// degree and one order, six in a step down by one order, which follows one up, and three in a step
// of one degree. By orders they are four in a step of one degree, and seven in one of two. The sum
// over n adds q−m+1. The scheme in x+iy adds less than four in norm for each order, for a complex
// product and sum, and prepareLocal adds m+3. That is 4n+m+q+6 in all; the second order takes less
// than two. The terms enter with their absolute values, T with the absolute values of its
// recurrence: all signs positive. By Cauchy's inequality their sum for degree n is at most κ_n |x|ⁿ
// √(Σ_m |L_n^m|²/((n−m)!(n+m)!)), where κ_n² is the maximum of Σ_m (n−m)!(n+m)! |R_n^m|² over the
// unit sphere with these signs. κ_n ≤ (1+√2)ⁿ: TestEvaluateGrowth computes κ_n for both recurrences
// and all degrees that use them. Measured errors are far smaller: at most (½q²+2q+8) 2⁻⁵³ without
// the factors (1+√2)ⁿ, and by rows at degrees 9 and 10 at most (2^{q−2}+8) 2⁻⁵³
// (TestEvaluateAccuracy).
func evaluateMany(dst, x, y, z, l []float64, q int) { fastest.evaluateMany(dst, x, y, z, l, q) }

// fitPoints reports whether the lengths match.
func fitPoints(dst, x, y, z, l []float64, q int) bool {
	n := len(dst)
	return len(x) == n && len(y) == n && len(z) == n && uint(q) <= maxLocal && len(l) >= (q+1)*(q+1)
}

func badPoints(n, x, y, z, l, q int) {
	panic(fmt.Sprintf("fmm: %d results for %d, %d and %d coordinates, degree %d of 0..%d with %d coefficients", n, x, y, z, q, maxLocal, l))
}

// stepsSide is the number of degrees in steps. The kernels know it.
const stepsSide = 32

// step is (2n−1)/(n²−m²) and 1/(n²−m²).
type step struct{ z, r2 float64 }

// steps[m][n−m] holds the factors of the recurrence of evaluateGeneric for n > m.
var steps = newSteps()

func newSteps() (s [stepsSide][stepsSide]step) {
	for m := range s {
		for i := 1; i < stepsSide; i++ {
			n := m + i
			d := float64(n*n - m*m)
			s[m][i] = step{z: float64(2*n-1) / d, r2: 1 / d}
		}
	}
	return s
}

// evaluateGeneric is evaluateMany without assembly, by orders:
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

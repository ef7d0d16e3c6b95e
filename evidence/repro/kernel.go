package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

// kernelDegree is the largest expansion degree of the checks of eqs. 11, 12 and 26.
const kernelDegree = 20

// legendre returns P_n(u) and its derivative for n ≤ kernelDegree.
func legendre(u float64) (p, d [kernelDegree + 1]float64) {
	p[0], p[1], d[1] = 1, u, 1
	for n := 1; n < kernelDegree; n++ {
		k := float64(n)
		p[n+1] = ((2*k+1)*u*p[n] - k*p[n-1]) / (k + 1)
		d[n+1] = d[n-1] + (2*k+1)*p[n]
	}
	return p, d
}

// truncated returns k_p(x, y) of eq. 11 and its gradient in y for every degree p. It uses the terms
// |x|ⁿ/|y|ⁿ⁺¹ of the expansion above eq. 11.
func truncated(x, y r3.Vector) (k [kernelDegree + 1]float64, gradient [kernelDegree + 1]r3.Vector) {
	a, b := x.Norm(), y.Norm()
	ex, ey := x.Mul(1/a), y.Mul(1/b)
	u := ex.Dot(ey)
	p, d := legendre(u)
	across := ex.Sub(ey.Mul(u)) // |y|·∇u
	sum, slope, power := 0.0, r3.Vector{}, 1/b
	for n := range k {
		sum += p[n] * power
		slope = slope.Add(across.Mul(d[n]).Sub(ey.Mul(float64(n+1) * p[n])).Mul(power / b))
		k[n], gradient[n] = sum, slope
		power *= a / b
	}
	return k, gradient
}

// kernelPair returns a random x with |x| = a, and a random y with |y| = b. Every fourth pair has one
// direction, in which the bounds are sharpest.
func kernelPair(random *rand.Rand, i int, a, b float64) (x, y r3.Vector) {
	direction := func() r3.Vector {
		return r3.Vector{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}.Normalize()
	}
	x, y = direction(), direction()
	if i%4 == 0 {
		y = x
	}
	return x.Mul(a), y.Mul(b)
}

// printed11 returns eq. 11 as printed: Σ P_n (|y|/|x|)ⁿ.
func printed11(x, y r3.Vector, degree int) float64 {
	p, _ := legendre(x.Normalize().Dot(y.Normalize()))
	sum, power := 0.0, 1.0
	for n := range degree + 1 {
		sum += p[n] * power
		power *= y.Norm() / x.Norm()
	}
	return sum
}

// kernelErrors holds the largest errors of truncated kernels, divided by their bounds.
type kernelErrors struct {
	potential float64 // eq. 12
	gradient  float64 // eq. 26, for the worst normal
	printed   float64 // eq. 12 for eq. 11 as printed
}

// countKernel compares truncated kernels with their bounds for random pairs of points.
func countKernel(pairs int) kernelErrors {
	var e kernelErrors
	random := rand.New(rand.NewPCG(12, 26))
	for i := range pairs {
		// Eq. 12 needs |x| < |y|. Eq. 26 needs |x| ≤ r and |y| ≥ d r, here with r = 1.
		a, d := math.Cbrt(random.Float64()), 1.1+4*random.Float64()
		b := d
		if i%3 == 0 {
			a = 1
		} else {
			b *= 1 + random.Float64()
		}
		x, y := kernelPair(random, i, a, b)
		apart := x.Sub(y)
		exact, slope := 1/apart.Norm(), apart.Mul(math.Pow(apart.Norm(), -3))
		k, gradient := truncated(x, y)
		for p := range k {
			bound12 := math.Pow(a/b, float64(p+1)) / (b - a)
			bound26 := (1 + math.Pi) / (d - 1) * (float64(p) + 1 + d/(d-1)) * math.Pow(1/d, float64(p+2))
			// Below this bound, rounding errors are as large as the bound.
			if bound12 > 1e-5*exact {
				e.potential = max(e.potential, math.Abs(exact-k[p])/bound12)
				e.printed = max(e.printed, math.Abs(exact-printed11(x, y, p))/bound12)
			}
			if bound26 > 1e-5*slope.Norm() {
				e.gradient = max(e.gradient, slope.Sub(gradient[p]).Norm()/bound26)
			}
		}
	}
	return e
}

// harmonicAt returns R_n^m or S_n^m from packed coefficients. As printed in eqs. 14 and 15, negative orders
// have no sign (−1)^m.
func harmonicAt(c []float64, n, m int, asPrinted bool) complex128 {
	z := harmonics.At(c, n, m)
	if asPrinted && m < 0 && m&1 != 0 {
		return -z
	}
	return z
}

// shiftError returns the largest error of R_n^m(a+b) = Σ R_s^t(a) R_{n−s}^{m−t}(b) for random a and b
// of length ½ and all n ≤ 4. This theorem is behind eqs. 23 to 25.
func shiftError(asPrinted bool) float64 {
	const degree = 4
	random := rand.New(rand.NewPCG(23, 2006))
	at := func(x r3.Vector) []float64 {
		c := make([]float64, harmonics.Len(degree))
		harmonics.RegularTo(c, degree, x)
		return c
	}
	worst := 0.0
	for i := range 100 {
		a, b := kernelPair(random, i+1, 0.5, 0.5)
		ra, rb, sum := at(a), at(b), at(a.Add(b))
		for n := range degree + 1 {
			for m := -n; m <= n; m++ {
				got := complex(0, 0)
				for s := range n + 1 {
					for t := -s; t <= s; t++ {
						if k := m - t; k >= -(n-s) && k <= n-s {
							got += harmonicAt(ra, s, t, asPrinted) * harmonicAt(rb, n-s, k, asPrinted)
						}
					}
				}
				worst = max(worst, cmplx.Abs(got-harmonicAt(sum, n, m, asPrinted)))
			}
		}
	}
	return worst
}

// additionError returns the largest error of eq. 13 against eq. 11 of the same degree.
func additionError(asPrinted bool) float64 {
	random := rand.New(rand.NewPCG(13, 2006))
	worst := 0.0
	for i := range 100 {
		x, y := kernelPair(random, i+1, 0.5, 1)
		r, s := make([]float64, harmonics.Len(kernelDegree)), make([]float64, harmonics.Len(kernelDegree))
		harmonics.RegularTo(r, kernelDegree, x)
		harmonics.SingularTo(s, kernelDegree, y)
		k, _ := truncated(x, y)
		sum := complex(0, 0)
		for n := range k {
			for m := -n; m <= n; m++ {
				sum += cmplx.Conj(harmonicAt(s, n, m, asPrinted)) * harmonicAt(r, n, m, asPrinted)
			}
			worst = max(worst, cmplx.Abs(sum-complex(k[n], 0)))
		}
	}
	return worst
}

// kernelStatements checks eqs. 10 to 13 and 26, and lists the misprints of the paper.
func kernelStatements(pairs int) ([]Statement, Table) {
	e := countKernel(pairs)
	const rounding = 1e-9
	addition := additionError(true)
	statements := []Statement{
		counted("P4.eq13", "eq. 13 separates the variables", "Eqs. 10, 13: spherical harmonics separate the variables of the kernel.",
			fmt.Sprintf("Eq. 13 and the expansion in Legendre polynomials differ by at most %s for all degrees up to %d.", short(addition), kernelDegree), "rounding, 1e-12", addition <= 1e-12, Fails, ""),
		counted("P4.eq12", "eq. 12 bounds the error of the kernel", "Eq. 12 bounds the error of the kernel of degree p.",
			fmt.Sprintf("%d random pairs, p up to %d: largest error / bound: %.3f.", pairs, kernelDegree, e.potential), "at most 1", e.potential <= 1+rounding, Fails,
			"With eq. 11 corrected. The bound is reached where x and y have one direction.").number(fmt.Sprintf("%.3f of the bound", e.potential)),
		counted("P4.eq26", "eq. 26 bounds the error of the normal derivative", "Eq. 26 bounds the error of the normal derivative of the kernel.",
			fmt.Sprintf("%d random pairs, d from 1.1 to 5.1, worst normals: largest error / bound: %.3f.", pairs, e.gradient), "at most 1", e.gradient <= 1+rounding, Fails, "").number(fmt.Sprintf("%.3f of the bound", e.gradient)),
	}
	t := Table{Name: "P4-misprints", Title: "Misprints, with what shows them", Columns: []string{"place", "printed", "right", "evidence"}}
	t.Add("eq. 11", "P_n (|y|/|x|)ⁿ", "P_n |x|ⁿ/|y|ⁿ⁺¹, as above it", fmt.Sprintf("Errors are up to %s times the bound of eq. 12 as printed, %.3f times corrected.", strings.Replace(fmt.Sprintf("%.0e", e.printed), "e+", "e", 1), e.potential))
	t.Add("eqs. 14, 15", "R and S of order −m without a sign", "a factor (−1)^m", fmt.Sprintf("The sum of eq. 23, applied to R itself, is off by up to %.1e as printed, %.0e with the sign. Eq. 13 holds with both.", shiftError(true), shiftError(false)))
	t.Add("eq. 17", "R(x) and S(y) in the far field", "relative to the center of the cluster", "Eq. 20 names this origin O; R and S depend on it.")
	t.Add("eq. 18", "n_x, ∇_x, ds_x", "n_y, ∇_y, ds_y", "x is the evaluation point. With ∇_x the sign of J changes.")
	t.Add("eq. 24", "s up to ∞; S; P(ω_j) on both sides", "s up to p; the conjugate of S; P(ω_i)", "Moments end at degree p; eq. 13 has the conjugate; the sources are the cluster i.")
	t.Add("eq. 25", "FF(ω_i)", "FF(σ_i)", "Far fields belong to clusters of points, as in eq. 16.")
	t.Add("eq. 27", "no factor 1/4π", "1/4π of eq. 6", "See P4.bound.")
	t.Add("§2.2", "area signs 0−−, −0−, −−0, 0−0, 00−, −00", "0++, +0+, ++0, 0+0, 00+, +00", "The text calls +++ inside and − outside an edge.")
	return statements, t
}

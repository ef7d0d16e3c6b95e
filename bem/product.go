package bem

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// product is a product of complex numbers. It also stores the sum of their arguments, which is
// 2π·turns + atan2(im, re). On the negative real axis the sign bit of im selects π or −π.
type product struct {
	re, im float64
	turns  int64
}

var identity = product{re: 1}

// mul multiplies p by z = re + i·im for re ≥ +0. The product crosses the negative real axis exactly
// if the sign bit of im changes while p.re is negative. Rounding does not change this
// (docs/design/016-error-bounds.md, Solid angles).
func (p product) mul(re, im float64) product {
	q := float64(p.re*im) + float64(p.im*re)
	return product{float64(p.re*re) - float64(p.im*im), q, p.turns + p.crossing(q)}
}

// crossing returns the change of p.turns when p rotates by at most π/2 to a number with the
// imaginary part im. The change is +1 if p crosses the negative real axis from the upper
// half-plane, −1 if p crosses it from the lower half-plane, and 0 otherwise.
func (p product) crossing(im float64) int64 {
	return (negative(p.im) - negative(im)) & negative(p.re)
}

// negative returns −1 (all bits set) if the sign bit of v is set, else 0.
func negative(v float64) int64 { return int64(math.Float64bits(v)) >> 63 }

// quarter rotates p by a quarter turn. The result is exact.
func (p product) quarter(counterclockwise bool) product {
	re, im := p.im, -p.re
	if counterclockwise {
		re, im = -p.im, p.re
	}
	return product{re, im, p.turns + p.crossing(im)}
}

// mulAny multiplies p by z = re + i·im. On the negative real axis the sign bit of im selects the
// argument π or −π.
func (p product) mulAny(re, im float64) product {
	switch {
	case re == 0:
		return p.mul(0, im) // −0 becomes +0
	case re > 0:
		return p.mul(re, im)
	case math.Signbit(im):
		return p.quarter(false).mul(-im, re)
	default:
		return p.quarter(true).mul(im, -re)
	}
}

func (p product) times(q product) product {
	r := p.mulAny(q.re, q.im)
	r.turns += q.turns
	return r
}

// pow returns the rescaled power p^m for m ≥ 1, by repeated squaring. The argument of the result
// contains the rounding error of the k-th squaring at most m/2^k times, and that of any other
// multiplication once. So its error is at most the error of 2m multiplications.
func (p product) pow(m uint32) product {
	r := identity
	for {
		if m&1 == 1 {
			r = r.times(p).rescale()
		}
		m >>= 1
		if m == 0 {
			return r
		}
		p = p.times(p).rescale()
	}
}

// rescale multiplies p by a power of two that brings its larger component into [1/2, 1). The
// smaller component underflows only if the angle between p and an axis is below 2^−1000.
func (p product) rescale() product {
	_, e := math.Frexp(max(math.Abs(p.re), math.Abs(p.im)))
	p.re, p.im = math.Ldexp(p.re, -e), math.Ldexp(p.im, -e)
	return p
}

// total returns the sum of the arguments in turns. If im/re underflows to 0, math.Atan2 returns π
// for a negative im. This underflow is impossible if |re| ≤ 1.
func (p product) total() float64 {
	if p.re < -1 {
		p = p.rescale()
	}
	return float64(p.turns) + float64(math.Atan2(p.im, p.re)*(1/(2*math.Pi)))
}

// accumulator is a product of factors, together with the terms of its error bound.
type accumulator struct {
	product
	cond    float64 // sum of s/|z|₁ in the fast kernel, in units of errorTurns
	err     float64 // sum of factor.err of the other factors, in turns
	factors float64
}

// total returns the winding number and a bound of its error. The arguments are half the solid
// angles, so their sum divided by 2π is the winding number.
func (t *accumulator) total() (w, bound float64) {
	w = t.product.total()
	e := t.err + errorTurns*t.cond + errorFactor*t.factors + errorTotal + 2*roundoff*math.Abs(w)
	return w, e * inflate
}

// blockFactors is the largest number of factors between two calls of rescale. Each factor z has
// |z|₁ = 1, so |z| ≥ 1/√2. So the modulus of a product of 256 factors is at least 2^−128.
const blockFactors = 256

// factor is a complex number with |re|+|im| = 1 whose argument is half a solid angle. err bounds
// the error of the argument in turns. On the negative real axis the sign bit of im selects π or −π.
type factor struct {
	re, im, err float64
}

// newFactor scales z = den + i·det to a factor. sign is the exact sign of det, or 0 if
// needsSign(den, det, s) is false.
//
// If sign is not 0, det gets this sign. The change does not increase the error of det, because it
// brings det to the side of 0 where the true det lies.
//
// If the error of z can exceed |z|, newFactor chooses a half-plane that contains z and returns its
// middle direction. The error of this direction is at most a quarter of a turn. If sign is not 0,
// sign determines the half-plane. If sign is 0, the larger component of z exceeds its error and
// determines the half-plane.
func newFactor(den, det, s float64, sign int) factor {
	if sign != 0 {
		det = math.Copysign(det, float64(sign))
	}
	n := math.Abs(den) + math.Abs(det)
	switch {
	case n > minNorm*s:
		return factor{den / n, det / n, errorTurns * s / n}
	case sign == 0 && den > math.Abs(det):
		return factor{1, 0, 0.25}
	}
	return factor{0, math.Copysign(1, det), 0.25}
}

// needsSign reports whether z = den + i·det can lie on the negative real axis, so that the exact
// sign of det is needed. If the result is false, the true z and the computed z lie on the same
// side: either both to the right of the imaginary axis, or both on one side of the real axis.
func needsSign(den, det, s float64) bool {
	e := errorZ * roundoff * s
	return den <= e && math.Abs(det) <= e
}

// oosteromStrackee returns den, det and s = |a||b||c| for corners relative to the point. errorZ
// bounds its rounding errors.
func oosteromStrackee(a, b, c r3.Vector) (den, det, s float64) {
	la, lb, lc := math.Sqrt(a.Dot(a)), math.Sqrt(b.Dot(b)), math.Sqrt(c.Dot(c))
	s = float64(float64(la*lb) * lc)
	den = s + float64(a.Dot(b)*lc) + float64(b.Dot(c)*la) + float64(c.Dot(a)*lb)
	return den, a.Dot(b.Cross(c)), s
}

// scaledDiff returns p−x times a power of two that brings the largest component into [1/2, 1). Such
// a scaling does not change the argument of den + i·det. No component overflows. Components that
// underflow are below 2^−1000 of the length. For p = x the result is 0.
func scaledDiff(p, x r3.Vector) r3.Vector {
	v := p.Sub(x)
	m := vec.MaxAbs(v)
	if m > math.MaxFloat64 {
		v = p.Mul(0.25).Sub(x.Mul(0.25))
		m = vec.MaxAbs(v)
	}
	_, e := math.Frexp(m)
	return r3.Vector{X: math.Ldexp(v.X, -e), Y: math.Ldexp(v.Y, -e), Z: math.Ldexp(v.Z, -e)}
}

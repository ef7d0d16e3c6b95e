package bem

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// product is a product of complex numbers that keeps the sum of their arguments. The sum is
// 2π·turns + atan2(im, re), where the sign bit of im tells the half-plane.
type product struct {
	re, im float64
	turns  int64
}

// identity is the empty product.
var identity = product{re: 1}

// mul multiplies p by z = re + i·im, re ≥ +0, whose argument is in [−π/2, π/2].
//
// The product crosses the cut, the negative real axis, exactly if the sign bit of im changes while
// p.re is negative. This holds in floating point too: if p.im ≥ 0 and the new im is negative, then
// p.im·re ≥ 0, so p.re·im < 0. Either z turns clockwise and p.re > 0, or z turns counterclockwise
// and p.re < 0. The case p.im < 0 is alike. There underflow of p.im·re can change the sign too, but
// only by an angle near 0, on the side of the imaginary axis that p.re tells.
func (p product) mul(re, im float64) product {
	q := float64(p.re*im) + float64(p.im*re)
	return product{float64(p.re*re) - float64(p.im*im), q, p.turns + p.crossing(q)}
}

// crossing returns the change of turns if p turns by at most π/2 to imaginary part im: +1 across
// the cut from the upper half-plane, −1 from the lower one, else 0.
func (p product) crossing(im float64) int64 {
	return (negative(p.im) - negative(im)) & negative(p.re)
}

// negative is −1, all bits set, if the sign bit of v is set, else 0.
func negative(v float64) int64 { return int64(math.Float64bits(v)) >> 63 }

// quarter multiplies p by i if up, else by −i. It is exact.
func (p product) quarter(up bool) product {
	re, im := p.im, -p.re
	if up {
		re, im = -p.im, p.re
	}
	return product{re, im, p.turns + p.crossing(im)}
}

// mulAny multiplies p by z = re + i·im, whose argument is in [−π, π]. On the cut the sign bit of im
// tells which end is meant. A z in the left half-plane is ±i times a number in the right one.
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

// times returns p·q.
func (p product) times(q product) product {
	r := p.mulAny(q.re, q.im)
	r.turns += q.turns
	return r
}

// pow returns p^m for m ≥ 1 by repeated squaring, rescaled. Each rounding of a step is repeated at
// most m times in the argument, so the error is at most the error of 2m multiplications.
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
// smaller one may underflow: an angle below 2^−1000.
func (p product) rescale() product {
	_, e := math.Frexp(max(math.Abs(p.re), math.Abs(p.im)))
	p.re, p.im = math.Ldexp(p.re, -e), math.Ldexp(p.im, -e)
	return p
}

// total returns the sum of the arguments in turns.
func (p product) total() float64 {
	return float64(p.turns) + float64(math.Atan2(p.im, p.re)*(1/(2*math.Pi)))
}

// accumulator is a product of factors with the parts of its error bound.
type accumulator struct {
	product
	cond    float64 // Σ s/|z|₁ of the fast kernel; each unit is worth errorTurns
	err     float64 // Σ err of factors, in turns
	factors float64 // number of multiplications
}

// total returns the winding number, which is the sum of half the solid angles over 2π, and the
// bound of its error.
func (t *accumulator) total() (w, bound float64) {
	w = t.product.total()
	e := t.err + errorTurns*t.cond + errorFactor*t.factors + errorTotal + 2*roundoff*math.Abs(w)
	return w, e * inflate
}

// blockFactors is the number of factors that may be multiplied between two rescalings. Each has
// |z|₁ = 1, so |z| ≥ 1/√2, and 256 of them shrink a product by no more than 2^−128.
const blockFactors = 256

// factor is a complex number with |re|+|im| = 1 whose argument is half a solid angle. err bounds
// the error of the argument in turns. On the cut the sign bit of im tells the side.
type factor struct {
	re, im, err float64
}

// newFactor scales z = den + i·det. sign is the exact sign of det, or 0 if needsSign(den, det, s)
// is false.
//
// If the exact sign was needed, det gets it. This moves det no further from the true value: both
// are within the error. If z is too small for its direction to mean anything, a half-plane is still
// known: either by sign, or by the larger component, which exceeds its error if no sign was needed.
// The direction through the middle of that half-plane is wrong by at most a quarter of a turn.
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

// needsSign reports whether z = den + i·det may lie on the cut, so that the exact sign of det is
// needed. If not, the true z and the computed one both lie to the right of the imaginary axis, or
// on the same side of the real axis.
func needsSign(den, det, s float64) bool {
	e := errorZ * roundoff * s
	return den <= e && math.Abs(det) <= e
}

// oosteromStrackee returns den, det and s = |A||B||C| for corners seen from the point, with the
// roundings that errorZ counts.
func oosteromStrackee(a, b, c r3.Vector) (den, det, s float64) {
	la, lb, lc := math.Sqrt(a.Dot(a)), math.Sqrt(b.Dot(b)), math.Sqrt(c.Dot(c))
	s = float64(float64(la*lb) * lc)
	den = s + float64(a.Dot(b)*lc) + float64(b.Dot(c)*la) + float64(c.Dot(a)*lb)
	return den, a.Dot(b.Cross(c)), s
}

// scaledDiff returns p−x, scaled by a power of two that brings the largest component into [1/2, 1).
// den and det scale with the length of each corner, so their argument stays. Nothing overflows, and
// parts that underflow are below 2^−1000 of the length. For p = x the result is 0.
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

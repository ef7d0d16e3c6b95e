package bem

import "math"

// spin is a product of complex numbers that keeps the sum of their arguments:
// 2π·turns + atan2(im, re), with the sign bit of im telling the half-plane.
type spin struct {
	re, im float64
	turns  int64
}

// identity is the empty product.
var identity = spin{re: 1}

// mul multiplies p by z = re + i·im, re ≥ +0, whose argument is in [−π/2, π/2].
//
// The product goes through the cut, the negative real axis, exactly if the sign
// bit of im changes while p.re is negative. This holds in floating point. If
// p.im ≥ 0 and the new one is negative, then p.im·re ≥ 0, so p.re·im < 0: z
// turns clockwise and p.re > 0, or it turns counter-clockwise and p.re < 0.
// Likewise for p.im < 0, where underflow of p.im·re can change the sign too: by
// an angle near 0, on the side of the imaginary axis that p.re tells.
func (p spin) mul(re, im float64) spin {
	q := float64(p.re*im) + float64(p.im*re)
	return spin{float64(p.re*re) - float64(p.im*im), q, p.turns + p.turn(q)}
}

// turn is what a turn of p by at most π/2 to imaginary part im adds to turns:
// +1 through the cut from the upper half-plane, −1 from the lower, else 0.
func (p spin) turn(im float64) int64 {
	return (negative(p.im) - negative(im)) & negative(p.re)
}

// negative is −1, all bits set, if the sign bit of v is set, else 0.
func negative(v float64) int64 { return int64(math.Float64bits(v)) >> 63 }

// quarter multiplies p by i, or by −i, exactly.
func (p spin) quarter(up bool) spin {
	re, im := p.im, -p.re
	if up {
		re, im = -p.im, p.re
	}
	return spin{re, im, p.turns + p.turn(im)}
}

// mulAny multiplies p by z = re + i·im, whose argument is in [−π, π]; on the cut
// the sign bit of im tells which end is meant. z in the left half-plane is ±i
// times a number in the right one.
func (p spin) mulAny(re, im float64) spin {
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
func (p spin) times(q spin) spin {
	r := p.mulAny(q.re, q.im)
	r.turns += q.turns
	return r
}

// pow returns p^m for m ≥ 1 by repeated squaring, rescaled. Each rounding of a
// step is repeated at most m times in the argument, so the error is at most
// that of 2m multiplications.
func (p spin) pow(m uint32) spin {
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

// rescale multiplies p by a power of two that brings its larger component into
// [1/2, 1). The smaller one may underflow: an angle below 2^−1000.
func (p spin) rescale() spin {
	_, e := math.Frexp(max(math.Abs(p.re), math.Abs(p.im)))
	p.re, p.im = math.Ldexp(p.re, -e), math.Ldexp(p.im, -e)
	return p
}

// total returns the sum of the arguments in turns.
func (p spin) total() float64 {
	return float64(p.turns) + float64(math.Atan2(p.im, p.re)*(1/(2*math.Pi)))
}

// Package angle computes angles in arithmetic of any precision.
package angle

import "math/big"

// guardBits is the number of bits that the function Of computes in addition to the requested
// precision.
const guardBits = 64

const halvings = 16

// Of returns atan2(y, x) with prec bits and a relative error below (1 + 2^−56)·2^−prec. On
// the negative real axis the sign bit of y selects π or −π. The angle of (0, 0) is 0. The arguments
// must be finite.
//
// To halve the angle, a step replaces (x, y) by (|(x,y)|+x, y), or by (y, |(x,y)|−x) if x < 0. The
// series of the arc tangent ends when its terms fall below the working precision.
// docs/design/016-error-bounds.md derives the error.
func Of(y, x *big.Float, prec uint) *big.Float {
	w := prec + guardBits
	num := func() *big.Float { return new(big.Float).SetPrec(w) }
	if y.Sign() == 0 && x.Sign() >= 0 {
		return new(big.Float).SetPrec(prec)
	}
	lower := y.Signbit()
	a, b := num().Set(x), num().Abs(y)
	h, s := num(), num()
	for range halvings {
		h.Mul(a, a)
		h.Add(h, s.Mul(b, b))
		h.Sqrt(h)
		if a.Sign() < 0 {
			h.Sub(h, a)
			a, b, h = b, h, a
		} else {
			a.Add(a, h)
		}
	}
	t := num().Quo(b, a)
	t2 := num().Mul(t, t)
	sum, power, term := num().Set(t), num().Set(t), num()
	for k := int64(3); ; k += 2 {
		power.Mul(power, t2)
		power.Neg(power)
		term.Quo(power, s.SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(w) {
			break
		}
		sum.Add(sum, term)
	}
	sum.SetMantExp(sum, halvings)
	if lower {
		sum.Neg(sum)
	}
	return new(big.Float).SetPrec(prec).Set(sum)
}

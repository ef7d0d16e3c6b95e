package measure

import "math"

// unit is the largest relative rounding error of an operation.
const unit = 0x1p-53

// least covers the rounding errors of underflow in one operation of a ball. Each is at most 2⁻¹⁰⁷⁵.
const least = 0x1p-1072

// ball is a real number between x−e and x+e. Its operations add their rounding errors to e. The
// factor 1+8·unit covers the rounding of e itself, which has at most six operations.
type ball struct{ x, e float64 }

// newBall returns the ball of a computed number x with an error of at most e. If a number overflows,
// the error is infinite.
func newBall(x, e float64) ball {
	e = e*(1+8*unit) + least
	if !(e <= math.MaxFloat64) || math.IsInf(x, 0) {
		e = math.Inf(1)
	}
	return ball{x, e}
}

func (a ball) plus(b ball) ball {
	x := a.x + b.x
	return newBall(x, a.e+b.e+unit*math.Abs(x))
}

func (a ball) neg() ball { return ball{0 - a.x, a.e} } // 0 − x, so that 0 does not become −0

func (a ball) minus(b ball) ball { return a.plus(b.neg()) }

func (a ball) times(b ball) ball {
	x := float64(a.x * b.x)
	return newBall(x, float64(math.Abs(a.x)*b.e)+float64(math.Abs(b.x)*a.e)+float64(a.e*b.e)+unit*math.Abs(x))
}

// over returns a/b. The result is NaN ± Inf if b can be 0.
//
// Let a' = a.x+δ and b' = b.x+ε be exact values, and x the rounded quotient. Then a'/b' − x = (δ −
// x·ε + (a.x − x·b.x))/b'. The last difference is at most unit·|x·b.x|, up to higher orders.
func (a ball) over(b ball) ball {
	lower := (math.Abs(b.x) - b.e) * (1 - 2*unit)
	if !(lower > 0) {
		return undetermined
	}
	x := a.x / b.x
	return newBall(x, (a.e+float64(math.Abs(x)*b.e))/lower*(1+8*unit)+2*unit*math.Abs(x))
}

// scaled returns a·2^n.
func (a ball) scaled(n int) ball {
	return newBall(math.Ldexp(a.x, n), math.Ldexp(a.e, n))
}

// undetermined is a number about which nothing is known.
var undetermined = ball{math.NaN(), math.Inf(1)}

package bem

import (
	"math"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// blockFactors is the number of factors that may be multiplied between two
// rescalings: each has |z|₁ = 1, so |z| ≥ 1/√2, and 256 of them shrink a product
// by no more than 2^−128.
const blockFactors = 256

// factor is a complex number with |re|+|im| = 1 and half a solid angle as its
// argument; err bounds the error of that argument in turns. On the cut the sign
// bit of im tells the side.
type factor struct {
	re, im, err float64
}

// newFactor scales z = den + i·det. sign is the exact sign of det, or 0 if it
// was not needed because doubtful(den, det, s) is false.
//
// If the exact sign was needed, |det| is made to have it; det moves no further
// from the true value, as both are within the error. Where z is too small for
// its direction to mean anything, a half-plane is known all the same: the one of
// sign, or the one that the larger component tells, as it is beyond its error
// where doubtful is false. The direction through the middle of that half-plane
// is wrong by at most a quarter of a turn.
func newFactor(den, det, s float64, sign int) factor {
	if sign != 0 {
		det = math.Copysign(det, float64(sign))
	}
	n := math.Abs(den) + math.Abs(det)
	switch {
	case n > gate*s:
		return factor{den / n, det / n, errorTurns * s / n}
	case sign == 0 && den > math.Abs(det):
		return factor{1, 0, 0.25}
	}
	return factor{0, math.Copysign(1, det), 0.25}
}

// doubtful reports whether z = den + i·det may lie on the cut: the sign of det
// must then be exact. If it does not, the true z and the computed one lie both
// to the right of the imaginary axis, or on the same side of the real axis.
func doubtful(den, det, s float64) bool {
	e := errorZ * roundoff * s
	return den <= e && math.Abs(det) <= e
}

// strackee returns den, det and s = |A||B||C| for corners seen from the point,
// with the roundings that errorZ counts.
func strackee(a, b, c r3.Vector) (den, det, s float64) {
	la, lb, lc := math.Sqrt(a.Dot(a)), math.Sqrt(b.Dot(b)), math.Sqrt(c.Dot(c))
	s = float64(float64(la*lb) * lc)
	den = s + float64(a.Dot(b)*lc) + float64(b.Dot(c)*la) + float64(c.Dot(a)*lb)
	return den, a.Dot(b.Cross(c)), s
}

// view returns p−x scaled by a power of two that brings the largest component
// into [1/2, 1): den and det scale with each corner's length by itself, so their
// argument stays. Nothing overflows, and what underflows is below 2^−1000 of
// the length. p = x gives 0.
func view(p, x r3.Vector) r3.Vector {
	v := p.Sub(x)
	m := vec.MaxAbs(v)
	if m > math.MaxFloat64 {
		v = p.Mul(0.25).Sub(x.Mul(0.25))
		m = vec.MaxAbs(v)
	}
	_, e := math.Frexp(m)
	return r3.Vector{X: math.Ldexp(v.X, -e), Y: math.Ldexp(v.Y, -e), Z: math.Ldexp(v.Z, -e)}
}

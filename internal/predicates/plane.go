package predicates

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"
)

// boundPlane, multiplied by the sum of the magnitudes of three products, bounds the error of the
// filter of PlaneSide. Each product has the rounding errors of a difference, of the product and of
// two sums: 4ε, plus terms in ε². The sum of magnitudes can be too small by the same relative error.
const boundPlane = 8 * epsilon

// underflowPlane bounds the errors from underflow of three products, each at most 2^−1075.
const underflowPlane = 0x1p-970

// PlaneSide returns the sign of normal·(p − origin). It is +1 if p lies on the side of the plane to
// which the normal points, and 0 if p lies exactly on the plane. Coordinates must be finite.
// PlaneSide allocates only if it needs arbitrary precision.
func (k *Counter) PlaneSide(p, origin, normal r3.Vector) int {
	h, bound := PlaneHeight(p, origin, normal)
	if h > bound {
		k.Filter++
		return 1
	}
	if -h > bound {
		k.Filter++
		return -1
	}
	if (normal.X == 0 || p.X == origin.X) && (normal.Y == 0 || p.Y == origin.Y) && (normal.Z == 0 || p.Z == origin.Z) {
		k.Filter++
		return 0 // all products are 0
	}
	if expandable(p) && expandable(origin) && expandable(normal) {
		k.Expansion++
		var x, y, z [4]float64
		var xy [8]float64
		var all [12]float64
		nx := differenceTimes(&x, p.X, origin.X, normal.X)
		ny := differenceTimes(&y, p.Y, origin.Y, normal.Y)
		nz := differenceTimes(&z, p.Z, origin.Z, normal.Z)
		n := sumExpansions(x[:nx], y[:ny], xy[:])
		n = sumExpansions(xy[:n], z[:nz], all[:])
		return signExpansion(all[:n])
	}
	k.Exact++
	return ExactPlaneHeight(p, origin, normal).Sign()
}

// differenceTimes sets h to the exact expansion of (a−b)·f and returns its length.
func differenceTimes(h *[4]float64, a, b, f float64) int {
	var d [2]float64
	d[1], d[0] = TwoDiff(a, b)
	return scaleExpansion(d[:], f, h[:])
}

// PlaneHeight returns normal·(p − origin) and a bound of its error. The bound is Inf or NaN if a
// product overflows.
func PlaneHeight(p, origin, normal r3.Vector) (h, bound float64) {
	x := float64(normal.X * (p.X - origin.X))
	y := float64(normal.Y * (p.Y - origin.Y))
	z := float64(normal.Z * (p.Z - origin.Z))
	return x + y + z, float64(boundPlane*(math.Abs(x)+math.Abs(y)+math.Abs(z))) + underflowPlane
}

// ExactPlaneHeight returns normal·(p − origin) exactly.
func ExactPlaneHeight(p, origin, normal r3.Vector) *big.Rat {
	sum := new(big.Rat)
	for _, c := range [3][3]float64{{p.X, origin.X, normal.X}, {p.Y, origin.Y, normal.Y}, {p.Z, origin.Z, normal.Z}} {
		d := new(big.Rat).SetFloat64(c[0])
		d.Sub(d, new(big.Rat).SetFloat64(c[1]))
		sum.Add(sum, d.Mul(d, new(big.Rat).SetFloat64(c[2])))
	}
	return sum
}

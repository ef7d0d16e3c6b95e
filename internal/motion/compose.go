package motion

import (
	"math/big"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"
)

// Pose.Mul composes two poses exactly and rounds the result once, to the nearest float64 numbers.
//
// # Rounding
//
// A quaternion stands for the same rotation as each of its multiples. The exact product of two
// quaternions has rational components. If they are float64 numbers, and the length is 1 to six
// decimals, the product is the rotation, and nothing is rounded. For example, this is so if one of
// the rotations is the identity. Otherwise each component of the product, divided by the exact
// length, is rounded once.
//
// Let u = 2⁻⁵³. Rounding moves each component by at most u/(1+u) of its magnitude, so it moves the
// unit quaternion by at most u/(1+u). The rotation then turns by an angle whose sine is at most 2u,
// so a point x moves by at most 2u|x|. Each coordinate of the translation t is rational, and moves
// by at most u of its magnitude. So the image of x moves by at most 2u(|x| + |t|), plus 2⁻¹⁰⁷³ for
// subnormal coordinates.

// composed returns the quaternion of the rotation b followed by the rotation a.
func composed(a, b quat.Number) quat.Number {
	p, q := [4]float64{a.Real, a.Imag, a.Jmag, a.Kmag}, [4]float64{b.Real, b.Imag, b.Jmag, b.Kmag}
	exp, other := lowest(p[:]...), lowest(q[:]...)
	var v, w, c [4]big.Int
	for i := range v {
		setInt(&v[i], p[i], exp)
		setInt(&w[i], q[i], other)
	}
	exp += other
	// The Hamilton product: c[k] is the sum of the products of these pairs with their signs.
	for k, terms := range [4][4][3]int{
		{{0, 0, 1}, {1, 1, -1}, {2, 2, -1}, {3, 3, -1}},
		{{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, -1}},
		{{0, 2, 1}, {1, 3, -1}, {2, 0, 1}, {3, 1, 1}},
		{{0, 3, 1}, {1, 2, 1}, {2, 1, -1}, {3, 0, 1}},
	} {
		for _, t := range terms {
			x := new(big.Int).Mul(&v[t[0]], &w[t[1]])
			if t[2] < 0 {
				x.Neg(x)
			}
			c[k].Add(&c[k], x)
		}
	}
	if product, ok := asQuaternion(&c, exp); ok {
		return product
	}
	var norm big.Int
	for i := range c {
		norm.Add(&norm, new(big.Int).Mul(&c[i], &c[i]))
	}
	// With 300 bits, the second rounding, to float64, is wrong only near a tie: with a probability
	// of about 2⁻²⁴⁷.
	length := new(big.Float).SetPrec(300).SetInt(&norm)
	length.Sqrt(length)
	var out [4]float64
	for i := range c {
		x := new(big.Float).SetPrec(300).SetInt(&c[i])
		out[i], _ = x.Quo(x, length).Float64()
	}
	return quat.Number{Real: out[0], Imag: out[1], Jmag: out[2], Kmag: out[3]}
}

// asQuaternion returns c·2^exp. ok reports whether this is exact and the quaternion of a valid pose.
func asQuaternion(c *[4]big.Int, exp int) (q quat.Number, ok bool) {
	var out [4]float64
	for i := range c {
		x, accuracy := new(big.Float).SetMantExp(new(big.Float).SetInt(&c[i]), exp).Float64()
		if accuracy != big.Exact {
			return q, false
		}
		out[i] = x
	}
	q = quat.Number{Real: out[0], Imag: out[1], Jmag: out[2], Kmag: out[3]}
	return q, Pose{Rotation: q}.Check() == nil
}

// moved returns the image of x under p. Each coordinate is rounded to the nearest float64.
func moved(p Pose, x r3.Vector) r3.Vector {
	pl := place(Pose{Rotation: quat.Conj(p.Rotation)}) // its matrix is the rotation of p
	from, to := [3]float64{x.X, x.Y, x.Z}, [3]float64{p.Translation.X, p.Translation.Y, p.Translation.Z}
	exp := lowest(append(from[:], to[:]...)...)
	var v [3]big.Int
	for i := range v {
		setInt(&v[i], from[i], exp)
	}
	var out [3]float64
	for i := range out {
		sum := new(big.Int)
		setInt(sum, to[i], exp)
		sum.Mul(sum, &pl.bottom)
		for j := range v {
			sum.Add(sum, new(big.Int).Mul(&pl.top[i][j], &v[j]))
		}
		bottom := new(big.Int).Set(&pl.bottom)
		if exp >= 0 {
			sum.Lsh(sum, uint(exp))
		} else {
			bottom.Lsh(bottom, uint(-exp))
		}
		out[i], _ = new(big.Rat).SetFrac(sum, bottom).Float64()
	}
	return r3.Vector{X: out[0], Y: out[1], Z: out[2]}
}

package motion

import (
	"math/big"

	"github.com/golang/geo/r3"
)

// The methods in this file return exact vectors. The entries of R have the denominator |q|². To
// avoid quotients, the methods multiply each vector by Scale, which is |q|² in some unit. The
// factor is positive and common to all vectors, so it does not change signs, or quotients of
// expressions of equal degree.

// Scale returns the factor by which ScaledPosition, ScaledDirection and ScaledBack multiply their
// results.
func (pl *Placement) Scale() *big.Float { return preciseInt(&pl.bottom) }

// ScaledPosition returns the exact position of p in the frame of the body, times Scale.
func (pl *Placement) ScaledPosition(p r3.Vector) r3.PreciseVector {
	d := r3.PreciseVectorFromVector(p).Sub(r3.PreciseVectorFromVector(pl.pose.Translation))
	return pl.ScaledDirection(d)
}

// ScaledDirection returns Rᵀ·v times Scale: the direction v of the world in the frame of the body.
func (pl *Placement) ScaledDirection(v r3.PreciseVector) r3.PreciseVector {
	row := func(i int) *big.Float { return preciseDot(v, &pl.top[i][0], &pl.top[i][1], &pl.top[i][2]) }
	return r3.PreciseVector{X: row(0), Y: row(1), Z: row(2)}
}

// ScaledBack returns R·v times Scale: the direction v in the frame of the body as a direction of the world.
func (pl *Placement) ScaledBack(v r3.PreciseVector) r3.PreciseVector {
	column := func(j int) *big.Float { return preciseDot(v, &pl.top[0][j], &pl.top[1][j], &pl.top[2][j]) }
	return r3.PreciseVector{X: column(0), Y: column(1), Z: column(2)}
}

// Direction returns the direction Rᵀ·v in the frame of the body, rounded, and a bound of the error
// of this vector. The components of v may have relative errors of 2⁻⁵³. The bound includes these
// errors.
func (pl *Placement) Direction(v r3.Vector) (near r3.Vector, bound float64) {
	return pl.turn(v), Radius(norm1(v))
}

// ExactBack returns the exact point of the world at the position b in the frame of the body.
func (pl *Placement) ExactBack(b r3.Vector) (p [3]*big.Rat) {
	at := [3]*big.Rat{new(big.Rat).SetFloat64(b.X), new(big.Rat).SetFloat64(b.Y), new(big.Rat).SetFloat64(b.Z)}
	t := pl.pose.Translation
	bottom := new(big.Rat).SetInt(&pl.bottom)
	for j, shift := range [3]float64{t.X, t.Y, t.Z} {
		sum := new(big.Rat)
		for i := range 3 {
			x := new(big.Rat).SetInt(&pl.top[i][j])
			sum.Add(sum, x.Mul(x, at[i]))
		}
		p[j] = sum.Quo(sum, bottom)
		sum.Add(sum, new(big.Rat).SetFloat64(shift))
	}
	return p
}

// Rotation returns the rows of R, each entry rounded to the nearest float64. exact reports whether
// nothing was rounded. Then R only exchanges coordinates and changes signs.
func (pl *Placement) Rotation() (rows [3]r3.Vector, exact bool) {
	a, b, c := pl.rows[0], pl.rows[1], pl.rows[2]
	return [3]r3.Vector{{X: a.X, Y: b.X, Z: c.X}, {X: a.Y, Y: b.Y, Z: c.Y}, {X: a.Z, Y: b.Z, Z: c.Z}}, pl.permutes
}

// Translates reports whether R is the identity.
func (pl *Placement) Translates() bool {
	return pl.permutes && pl.rows == [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}
}

func preciseInt(n *big.Int) *big.Float { return new(big.Float).SetPrec(big.MaxPrec).SetInt(n) }

func preciseDot(v r3.PreciseVector, x, y, z *big.Int) *big.Float {
	sum := new(big.Float).SetPrec(big.MaxPrec)
	for _, p := range [3][2]*big.Float{{v.X, preciseInt(x)}, {v.Y, preciseInt(y)}, {v.Z, preciseInt(z)}} {
		sum.Add(sum, new(big.Float).SetPrec(big.MaxPrec).Mul(p[0], p[1]))
	}
	return sum
}

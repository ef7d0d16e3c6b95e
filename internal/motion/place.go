package motion

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// Placement maps points of the world into the frame of a body with a pose. It is immutable and safe
// for concurrent use. It takes about a kilobyte.
//
// # Rounding
//
// Let q and t be the quaternion and the translation of the pose. A point p of the world has the
// position b = Rᵀ(p − t) in the frame of the body. R is the rotation by q/|q|. The entries of R are
// quotients of integers, because |q|² is a sum of squares of float64 numbers. Position computes b
// in float64 with rounded entries of R. Let u = 2⁻⁵³ and d = p − t.
//
// The entries r_ij of R and the differences d_j have relative errors of u. Three products and their
// sum add an error of 3u times the sum of the magnitudes. So a coordinate has an error of at most
// 5u·Σ |r_ij||d_j| ≤ 5u|d|, because the rows of R are unit vectors. The vector has an error of at
// most √3·5u|d| < 9u|d|. The constant 10 of radius covers the terms of u² and the rounding of the
// radius. Operations that underflow lose far less than tiny.
type Placement struct {
	pose     Pose
	rows     [3]r3.Vector // rows of Rᵀ, each entry rounded to the nearest float64
	permutes bool         // R only exchanges coordinates and changes signs, so rows is exact

	// The exact entries of Rᵀ are top[i][j] / bottom.
	top    [3][3]big.Int
	bottom big.Int
}

// tiny exceeds the sum of the errors of operations that underflow.
const tiny = 0x1p-1060

// Place returns the Placement of p, or an error that wraps ErrInvalid if p is not valid.
func Place(p Pose) (*Placement, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	return place(p), nil
}

func place(p Pose) *Placement {
	pl := &Placement{pose: p}
	q := p.Rotation
	parts := [4]float64{q.Real, q.Imag, q.Jmag, q.Kmag}
	var c [4]big.Int
	exp := lowest(parts[:]...)
	for i, x := range parts {
		setInt(&c[i], x, exp)
	}
	product := func(i, j int) *big.Int { return new(big.Int).Mul(&c[i], &c[j]) }
	for i := range c {
		pl.bottom.Add(&pl.bottom, product(i, i))
	}
	for i := range 3 {
		for j := range 3 {
			e := &pl.top[j][i] // the entry R_ij
			switch k := 3 - i - j; {
			case i == j: // w² + q_i² − the other squares
				e.Add(product(0, 0), product(i+1, i+1))
				e.Sub(e, product((i+1)%3+1, (i+1)%3+1))
				e.Sub(e, product((i+2)%3+1, (i+2)%3+1))
			case j == (i+1)%3: // 2(q_i·q_j − w·q_k)
				e.Sub(product(i+1, j+1), product(0, k+1))
				e.Lsh(e, 1)
			default: // 2(q_i·q_j + w·q_k)
				e.Add(product(i+1, j+1), product(0, k+1))
				e.Lsh(e, 1)
			}
		}
	}
	// If an entry only rounds to 1, another entry of its row is not exactly 0.
	pl.permutes = true
	for i := range 3 {
		var r [3]float64
		for j := range 3 {
			r[j], _ = new(big.Rat).SetFrac(&pl.top[i][j], &pl.bottom).Float64()
			if r[j] != 0 && math.Abs(r[j]) != 1 || r[j] == 0 && pl.top[i][j].Sign() != 0 {
				pl.permutes = false
			}
		}
		pl.rows[i] = r3.Vector{X: r[0], Y: r[1], Z: r[2]}
	}
	return pl
}

// Pose returns the pose of the body.
func (pl *Placement) Pose() Pose { return pl.pose }

// turn returns Rᵀ·v, rounded.
func (pl *Placement) turn(v r3.Vector) r3.Vector {
	r := &pl.rows
	return r3.Vector{
		X: float64(r[0].X*v.X) + float64(r[0].Y*v.Y) + float64(r[0].Z*v.Z),
		Y: float64(r[1].X*v.X) + float64(r[1].Y*v.Y) + float64(r[1].Z*v.Z),
		Z: float64(r[2].X*v.X) + float64(r[2].Y*v.Y) + float64(r[2].Z*v.Z),
	}
}

// positionsGeneric does the work of PositionsTo without assembly.
func (pl *Placement) positionsGeneric(dst, pts []r3.Vector) {
	r, t := pl.rows, pl.pose.Translation
	dst = dst[:len(pts)]
	for i := range pts {
		x, y, z := pts[i].X-t.X, pts[i].Y-t.Y, pts[i].Z-t.Z
		dst[i] = r3.Vector{
			X: float64(r[0].X*x) + float64(r[0].Y*y) + float64(r[0].Z*z),
			Y: float64(r[1].X*x) + float64(r[1].Y*y) + float64(r[1].Z*z),
			Z: float64(r[2].X*x) + float64(r[2].Y*y) + float64(r[2].Z*z),
		}
	}
}

// Position returns the rounded position of p in the frame of the body, and the radius of a ball
// around it that contains the exact position. The radius is 0 if nothing was rounded. If p is not
// finite or p − t overflows, some coordinates of the position are not finite.
func (pl *Placement) Position(p r3.Vector) (near r3.Vector, radius float64) {
	d := p.Sub(pl.pose.Translation)
	near = pl.turn(d)
	if pl.permutes && exactDifference(p, pl.pose.Translation, d) {
		return near, 0
	}
	return near, Radius(math.Abs(d.X)) + Radius(math.Abs(d.Y)) + Radius(math.Abs(d.Z)) // their sum can overflow
}

// Radius bounds the error of a position whose distance from the origin of the body is at most d.
func Radius(d float64) float64 { return 10*0x1p-53*d + tiny }

// Back returns the rounded point of the world at the position b in the frame of the body. It also
// returns a bound of the distance of this point from the exact one. The result can overflow.
//
// Let u = 2⁻⁵³. A coordinate i of R·b has an error of at most 5u|b| (see Placement), and adding tᵢ
// adds an error of u(|b| + |tᵢ|). So the error of the vector is at most √3·6u|b| + u|t|.
func (pl *Placement) Back(b r3.Vector) (p r3.Vector, bound float64) {
	r, t := &pl.rows, pl.pose.Translation
	p = r3.Vector{
		X: float64(r[0].X*b.X) + float64(r[1].X*b.Y) + float64(r[2].X*b.Z) + t.X,
		Y: float64(r[0].Y*b.X) + float64(r[1].Y*b.Y) + float64(r[2].Y*b.Z) + t.Y,
		Z: float64(r[0].Z*b.X) + float64(r[1].Z*b.Y) + float64(r[2].Z*b.Z) + t.Z,
	}
	if pl.permutes && exactDifference(p, t, p.Sub(t)) && pl.turn(p.Sub(t)) == b {
		return p, 0
	}
	return p, 0x1p-53*(12*norm1(b)+2*norm1(t)) + tiny
}

// Turn returns R·v, rounded.
func (pl *Placement) Turn(v r3.Vector) r3.Vector {
	r := &pl.rows
	return r3.Vector{
		X: float64(r[0].X*v.X) + float64(r[1].X*v.Y) + float64(r[2].X*v.Z),
		Y: float64(r[0].Y*v.X) + float64(r[1].Y*v.Y) + float64(r[2].Y*v.Z),
		Z: float64(r[0].Z*v.X) + float64(r[1].Z*v.Y) + float64(r[2].Z*v.Z),
	}
}

// exactDifference reports whether d is exactly p − t. d is the rounded difference.
func exactDifference(p, t, d r3.Vector) bool {
	exact := func(a, b, d float64) bool {
		v := a - d
		return (a-(d+v))+(v-b) == 0 // the rounding error (Knuth 1969, §4.2.2, theorem C)
	}
	return exact(p.X, t.X, d.X) && exact(p.Y, t.Y, d.Y) && exact(p.Z, t.Z, d.Z)
}

// Image returns a box in the world that contains the body's box from low to high. If the rotation
// only exchanges axes and changes signs, the result is the smallest such box with float64
// coordinates. Otherwise the result has a margin for rounding. The coordinates of the result can be
// infinite.
//
// The computed center has an error of at most 9u times its distance from the origin (see
// Placement), and u times the sum of that distance and the translation. The half lengths have a
// relative error of 5u, because the entries of R have errors of u and the sums have 3u. The
// constant 32 also covers the rounding of the center and of the half lengths of the given box.
func (pl *Placement) Image(low, high r3.Vector) (imageLow, imageHigh r3.Vector) {
	if pl.permutes {
		return pl.permutedImage(low, high)
	}
	c := low.Mul(0.5).Add(high.Mul(0.5))
	h := high.Mul(0.5).Sub(low.Mul(0.5))
	r, t := &pl.rows, pl.pose.Translation
	at := r3.Vector{
		X: r[0].X*c.X + r[1].X*c.Y + r[2].X*c.Z + t.X,
		Y: r[0].Y*c.X + r[1].Y*c.Y + r[2].Y*c.Z + t.Y,
		Z: r[0].Z*c.X + r[1].Z*c.Y + r[2].Z*c.Z + t.Z,
	}
	size := vec.MaxAbs(low) + vec.MaxAbs(high) + vec.MaxAbs(t)
	pad := 32*0x1p-53*size + tiny
	abs := math.Abs
	half := r3.Vector{
		X: abs(r[0].X)*h.X + abs(r[1].X)*h.Y + abs(r[2].X)*h.Z + pad,
		Y: abs(r[0].Y)*h.X + abs(r[1].Y)*h.Y + abs(r[2].Y)*h.Z + pad,
		Z: abs(r[0].Z)*h.X + abs(r[1].Z)*h.Y + abs(r[2].Z)*h.Z + pad,
	}
	return at.Sub(half), at.Add(half)
}

// permutedImage does the work of Image for a rotation that exchanges axes and changes signs.
func (pl *Placement) permutedImage(low, high r3.Vector) (imageLow, imageHigh r3.Vector) {
	r := [3][3]float64{}
	for j, row := range pl.rows {
		r[j] = [3]float64{row.X, row.Y, row.Z}
	}
	from, to := [3]float64{low.X, low.Y, low.Z}, [3]float64{high.X, high.Y, high.Z}
	t := [3]float64{pl.pose.Translation.X, pl.pose.Translation.Y, pl.pose.Translation.Z}
	var a, b [3]float64
	for i := range 3 {
		for j := range 3 {
			switch r[j][i] {
			case 1:
				a[i], b[i] = roundedSum(from[j], t[i], -1), roundedSum(to[j], t[i], 1)
			case -1:
				a[i], b[i] = roundedSum(-to[j], t[i], -1), roundedSum(-from[j], t[i], 1)
			}
		}
	}
	return r3.Vector{X: a[0], Y: a[1], Z: a[2]}, r3.Vector{X: b[0], Y: b[1], Z: b[2]}
}

// roundedSum returns x + y, rounded up if direction is 1, and down if it is −1.
func roundedSum(x, y, direction float64) float64 {
	s := x + y
	v := s - x
	if off := (x - (s - v)) + (y - v); off*direction > 0 { // the rounding error, as in exactDifference
		return math.Nextafter(s, math.Inf(int(direction)))
	}
	return s
}

// lowest returns an exponent for which all x are multiples of 2^exponent. It is 0 if all x are 0.
func lowest(x ...float64) int {
	exp := math.MaxInt
	for _, x := range x {
		if _, e := math.Frexp(x); x != 0 {
			exp = min(exp, e-53)
		}
	}
	if exp == math.MaxInt {
		return 0
	}
	return exp
}

// setInt sets v to x in units of 2^exp, which must divide x.
func setInt(v *big.Int, x float64, exp int) {
	fraction, e := math.Frexp(x)
	v.SetInt64(int64(math.Ldexp(fraction, 53)))
	if shift := e - 53 - exp; x != 0 && shift > 0 {
		v.Lsh(v, uint(shift))
	}
}

func norm1(v r3.Vector) float64 { return math.Abs(v.X) + math.Abs(v.Y) + math.Abs(v.Z) }

package motion

import (
	"math"

	"github.com/golang/geo/r3"
)

// Frame is a rigid motion x ↦ R·x + t with rounded numbers. R is stored by rows.
//
// # Rounding
//
// Let u = 2⁻⁵³. The exact R is the rotation by q/|q| without rounding. Terms of u² are omitted
// below; the constants are large enough to cover them.
//
// Components of q/|q| have a relative error of at most 4u: 3u for the root of a sum of four squares
// and u for the division. Products of two components have a relative error of at most 9u. With Σ
// q_i² = 1 the error of a diagonal entry 1 − 2(a²+b²) is at most 2(9u+u) + u = 21u. The error of
// each other entry 2(ab ± cd), with |ab| + |cd| ≤ ½, is at most 11u. The norm of the matrix of the
// nine errors is at most 3·21u = 63u.
//
// The product of two matrices adds an error of 3u to each entry, because rows and columns are unit
// vectors. So it adds 9u to the norm. So the error of the rotation that Relative returns is at most
// 2·63u + 9u = 135u. The translation that Relative returns, R_Bᵀ(t_A − t_B), has an error of u +
// 63u + 3√3u < 70u times d = |t_A − t_B|. Applying this motion to v rounds 3 products and 3 sums
// for each component, with an error of at most 4u(|v| + |t|). The error of the vector is then at
// most 4√3u(|v| + |t|) < 7u(|v| + |t|). The sum of all errors is 142u|v| + 77u·d. The constants 170
// and 90 of package collide exceed these factors.
//
// Each operation that underflows loses half of 2⁻¹⁰⁷⁴. The constant tiny of package collide exceeds
// the total loss.
type Frame struct {
	R [3]r3.Vector
	T r3.Vector
}

// NewFrame returns the rounded motion of p, which must be valid.
func NewFrame(p Pose) Frame {
	q := unit(p.Rotation)
	w, x, y, z := q.Real, q.Imag, q.Jmag, q.Kmag
	diagonal := func(a, b float64) float64 { return 1 - 2*(float64(a*a)+float64(b*b)) }
	sum := func(a, b, c, d float64) float64 { return 2 * (float64(a*b) + float64(c*d)) }
	return Frame{
		R: [3]r3.Vector{
			{X: diagonal(y, z), Y: sum(x, y, -w, z), Z: sum(x, z, w, y)},
			{X: sum(x, y, w, z), Y: diagonal(x, z), Z: sum(y, z, -w, x)},
			{X: sum(x, z, -w, y), Y: sum(y, z, w, x), Z: diagonal(x, y)},
		},
		T: p.Translation,
	}
}

// Apply returns R·v + t.
func (f *Frame) Apply(v r3.Vector) r3.Vector {
	return r3.Vector{X: f.R[0].Dot(v) + f.T.X, Y: f.R[1].Dot(v) + f.T.Y, Z: f.R[2].Dot(v) + f.T.Z}
}

// Turn returns R·v.
func (f *Frame) Turn(v r3.Vector) r3.Vector {
	return r3.Vector{X: f.R[0].Dot(v), Y: f.R[1].Dot(v), Z: f.R[2].Dot(v)}
}

// TurnBack returns Rᵀ·v.
func (f *Frame) TurnBack(v r3.Vector) r3.Vector {
	return r3.Vector{
		X: float64(f.R[0].X*v.X) + float64(f.R[1].X*v.Y) + float64(f.R[2].X*v.Z),
		Y: float64(f.R[0].Y*v.X) + float64(f.R[1].Y*v.Y) + float64(f.R[2].Y*v.Z),
		Z: float64(f.R[0].Z*v.X) + float64(f.R[1].Z*v.Y) + float64(f.R[2].Z*v.Z),
	}
}

// ReachOf returns the half lengths of the smallest box around a rotated box with half lengths h.
func (f *Frame) ReachOf(h r3.Vector) r3.Vector {
	return r3.Vector{X: f.R[0].Abs().Dot(h), Y: f.R[1].Abs().Dot(h), Z: f.R[2].Abs().Dot(h)}
}

// Transposed returns the motion x ↦ Rᵀ·x.
func (f *Frame) Transposed() Frame {
	r := &f.R
	return Frame{R: [3]r3.Vector{
		{X: r[0].X, Y: r[1].X, Z: r[2].X},
		{X: r[0].Y, Y: r[1].Y, Z: r[2].Y},
		{X: r[0].Z, Y: r[1].Z, Z: r[2].Z},
	}}
}

// Relative returns the motion from the frame of a to the frame of b. originDist is at least the
// distance between the two origins. originDist is a sum of absolute values, so it does not
// underflow.
func Relative(a, b *Frame) (f Frame, originDist float64) {
	at := a.Transposed()
	for i, row := range b.Transposed().R {
		f.R[i] = r3.Vector{X: row.Dot(at.R[0]), Y: row.Dot(at.R[1]), Z: row.Dot(at.R[2])}
	}
	d := a.T.Sub(b.T)
	f.T = b.TurnBack(d)
	return f, math.Abs(d.X) + math.Abs(d.Y) + math.Abs(d.Z)
}

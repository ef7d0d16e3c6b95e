package affine

import (
	"math"

	"github.com/golang/geo/r3"
)

// linear is the matrix A of a map p ↦ A·p + t, by rows, as float64 numbers.
type linear [3]r3.Vector

// Mirrors reports whether the map turns right-handed frames into left-handed frames: the determinant
// of A is negative.
func (m *Map) Mirrors() bool { return determinant(&m.exact).Sign() < 0 }

// Inverse returns the point whose image is q, up to rounding errors. Its coordinates are NaN or
// infinite if a number of the computation exceeds float64.
func (m *Map) Inverse(q r3.Vector) r3.Vector {
	a, t := m.float64s()
	return a.inverse().times(q.Sub(t))
}

// Translation returns t, up to rounding errors.
func (m *Map) Translation() r3.Vector {
	_, t := m.float64s()
	return t
}

// Deformation describes how a map differs from a similarity, which is a rotation with a uniform
// factor, and possibly a reflection. The factor s is chosen so that A/s has the determinant 1 or
// −1.
type Deformation struct {
	// Share is the largest absolute value of a coefficient of A/s − R, where R is the rotation
	// nearest to A/s in the Frobenius norm. It is infinite if a number of the computation exceeds
	// float64.
	Share float64
	a     linear // A − s·R
}

// Deformation compares the map with the nearest similarity. It computes with rounding errors of
// about 1e-15 relative to A.
func (m *Map) Deformation() Deformation {
	a, _ := m.float64s()
	scale := math.Cbrt(math.Abs(a.determinant()))
	b := a.scaled(1 / scale)
	r, ok := b.nearestRotation()
	if !ok {
		return Deformation{Share: math.Inf(1)}
	}
	d := Deformation{a: a.minus(r.scaled(scale))}
	for _, row := range d.a {
		d.Share = max(d.Share, math.Abs(row.X)/scale, math.Abs(row.Y)/scale, math.Abs(row.Z)/scale)
	}
	return d
}

// Shift returns the distance between the images of p under A and under the nearest similarity.
func (d *Deformation) Shift(p r3.Vector) float64 { return d.a.times(p).Norm() }

func (m *Map) float64s() (a linear, t r3.Vector) {
	var v [3][4]float64
	for i := range m.exact {
		for j, x := range m.exact[i] {
			v[i][j], _ = x.Float64()
		}
		a[i] = r3.Vector{X: v[i][0], Y: v[i][1], Z: v[i][2]}
	}
	return a, r3.Vector{X: v[0][3], Y: v[1][3], Z: v[2][3]}
}

// times returns A·p.
func (a linear) times(p r3.Vector) r3.Vector {
	return r3.Vector{X: a[0].Dot(p), Y: a[1].Dot(p), Z: a[2].Dot(p)}
}

func (a linear) scaled(f float64) linear { return linear{a[0].Mul(f), a[1].Mul(f), a[2].Mul(f)} }

func (a linear) minus(b linear) linear {
	return linear{a[0].Sub(b[0]), a[1].Sub(b[1]), a[2].Sub(b[2])}
}

func (a linear) determinant() float64 { return a[0].Dot(a[1].Cross(a[2])) }

// cofactors returns the matrix of cofactors, which is the transposed inverse times the determinant.
func (a linear) cofactors() linear {
	return linear{a[1].Cross(a[2]), a[2].Cross(a[0]), a[0].Cross(a[1])}
}

func (a linear) inverse() linear {
	c := a.cofactors().scaled(1 / a.determinant())
	return linear{{X: c[0].X, Y: c[1].X, Z: c[2].X}, {X: c[0].Y, Y: c[1].Y, Z: c[2].Y}, {X: c[0].Z, Y: c[1].Z, Z: c[2].Z}}
}

// nearestRotation returns the orthogonal factor of the polar decomposition, which is the orthogonal
// matrix nearest to a. It uses Newton's iteration of N. J. Higham, "Computing the polar
// decomposition – with applications", 1986, which converges quadratically for invertible matrices.
// ok is false if it does not converge, for example because a number exceeds float64.
func (a linear) nearestRotation() (r linear, ok bool) {
	const (
		most     = 100   // tuning: maps of large condition numbers need about 60 steps
		accuracy = 1e-14 // tuning: well above rounding errors; the error of the last step is its square
	)
	r = a
	for range most {
		next := linear{}
		inverse := r.cofactors().scaled(1 / r.determinant())
		change := 0.0
		for i := range r {
			next[i] = r[i].Add(inverse[i]).Mul(0.5)
			change += next[i].Sub(r[i]).Norm()
		}
		if r = next; change <= accuracy {
			return r, true
		}
		if math.IsNaN(change) || math.IsInf(change, 0) {
			break
		}
	}
	return r, false
}

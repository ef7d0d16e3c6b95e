package rigid

import (
	"math"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"
)

// No function of this package fuses a product and a sum, except products that are exact, and none calls
// a trigonometric function. So its results do not depend on the machine. The methods Dot and Cross of
// r3 round their products. Packages measure, nearest and collide, and math.Cbrt in the contacts of edges,
// can round differently on other architectures. Therefore, trajectories of meshes are the same, bit for bit, on machines of the same
// architecture only.

func scaled(m float64, v r3.Vector) r3.Vector {
	return r3.Vector{X: float64(m * v.X), Y: float64(m * v.Y), Z: float64(m * v.Z)}
}

func length(v r3.Vector) float64 { return math.Sqrt(v.Norm2()) }

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

func finite(v r3.Vector) bool {
	return math.Abs(v.X) <= math.MaxFloat64 && math.Abs(v.Y) <= math.MaxFloat64 && math.Abs(v.Z) <= math.MaxFloat64
}

// matrix is a rotation matrix, by rows.
type matrix [3]r3.Vector

// matrixOf returns the rotation matrix of a quaternion of any length but 0.
func matrixOf(q quat.Number) matrix {
	w, x, y, z := q.Real, q.Imag, q.Jmag, q.Kmag
	ww, xx, yy, zz := float64(w*w), float64(x*x), float64(y*y), float64(z*z)
	s := 1 / (ww + xx + yy + zz)
	twice := func(a, b float64) float64 { return float64(2 * a * b) }
	return matrix{
		scaled(s, r3.Vector{X: ww + xx - yy - zz, Y: twice(x, y) - twice(w, z), Z: twice(x, z) + twice(w, y)}),
		scaled(s, r3.Vector{X: twice(x, y) + twice(w, z), Y: ww - xx + yy - zz, Z: twice(y, z) - twice(w, x)}),
		scaled(s, r3.Vector{X: twice(x, z) - twice(w, y), Y: twice(y, z) + twice(w, x), Z: ww - xx - yy + zz}),
	}
}

// apply returns m·v.
func (m *matrix) apply(v r3.Vector) r3.Vector {
	return r3.Vector{X: m[0].Dot(v), Y: m[1].Dot(v), Z: m[2].Dot(v)}
}

// back returns mᵀ·v. It is the inverse of apply.
func (m *matrix) back(v r3.Vector) r3.Vector {
	return scaled(v.X, m[0]).Add(scaled(v.Y, m[1])).Add(scaled(v.Z, m[2]))
}

// inertia is an inertia tensor in the frame of a body.
type inertia struct {
	axes    matrix     // the rows are the principal axes
	moments [3]float64 // the principal moments
}

// solve returns the angular velocity for the angular momentum l, both in the frame of the body.
func (t *inertia) solve(l r3.Vector) r3.Vector {
	p := t.axes.apply(l)
	return t.axes.back(r3.Vector{X: p.X / t.moments[0], Y: p.Y / t.moments[1], Z: p.Z / t.moments[2]})
}

// momentum is the inverse of solve.
func (t *inertia) momentum(spin r3.Vector) r3.Vector {
	p := t.axes.apply(spin)
	return t.axes.back(r3.Vector{X: float64(p.X * t.moments[0]), Y: float64(p.Y * t.moments[1]), Z: float64(p.Z * t.moments[2])})
}

// turn returns the orientation after the time h without moments. The body has the orientation q and
// the angular momentum l in its frame.
//
// The kinetic energy is a sum over the three principal axes. Each term alone turns the body about
// one axis at constant speed. turn composes these rotations symmetrically, which is symplectic and
// of order 2 (Dullweber, Leimkuhler, McLachlan 1997, "Symplectic splitting methods for rigid body
// molecular dynamics"). A rotation by the angle φ is replaced by the rotation by 4·arctan(φ/4),
// which has a rational quaternion. The result is the exact motion for a slightly different energy,
// so the method stays symplectic.
func (t *inertia) turn(q quat.Number, l r3.Vector, h float64) quat.Number {
	for _, part := range [5]struct {
		axis int
		h    float64
	}{{0, h / 2}, {1, h / 2}, {2, h}, {1, h / 2}, {0, h / 2}} {
		axis := t.axes[part.axis]
		quarter := float64(part.h*axis.Dot(l)) / t.moments[part.axis] / 4
		square := float64(quarter * quarter)
		c, s := (1-square)/(1+square), 2*quarter/(1+square)
		q = times(q, quat.Number{Real: c, Imag: float64(s * axis.X), Jmag: float64(s * axis.Y), Kmag: float64(s * axis.Z)})
		// In the frame of the body, the momentum turns back by the same angle.
		l = rotated(l, axis, float64(c*c)-float64(s*s), -2*float64(c*s))
	}
	return normalized(q)
}

// rotated returns v turned about a unit vector by the angle of the given cosine and sine.
func rotated(v, axis r3.Vector, cos, sin float64) r3.Vector {
	along := scaled(axis.Dot(v), axis)
	return along.Add(scaled(cos, v.Sub(along))).Add(scaled(sin, axis.Cross(v)))
}

// times returns the product of two quaternions.
func times(a, b quat.Number) quat.Number {
	u, v := r3.Vector{X: a.Imag, Y: a.Jmag, Z: a.Kmag}, r3.Vector{X: b.Imag, Y: b.Jmag, Z: b.Kmag}
	w := scaled(a.Real, v).Add(scaled(b.Real, u)).Add(u.Cross(v))
	return quat.Number{Real: float64(a.Real*b.Real) - u.Dot(v), Imag: w.X, Jmag: w.Y, Kmag: w.Z}
}

func normalized(q quat.Number) quat.Number {
	s := 1 / math.Sqrt(float64(q.Real*q.Real)+float64(q.Imag*q.Imag)+float64(q.Jmag*q.Jmag)+float64(q.Kmag*q.Kmag))
	return quat.Number{Real: q.Real * s, Imag: q.Imag * s, Jmag: q.Jmag * s, Kmag: q.Kmag * s}
}

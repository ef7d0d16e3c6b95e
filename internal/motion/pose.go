// Package motion has rigid motions: their type, their rounded and their exact effect on points, and
// exact predicates for points in the frame of a posed body.
//
//	place, err := motion.Place(motion.At(r3.Vector{X: 10}))
//	if err != nil {
//		return err
//	}
//	near, radius := place.Position(p)   // the rounded position in the frame of the body, and its error
//	place.Exact(&x, p)                  // the exact position
//	sign := x.Orient3D(a, b, c)
package motion

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/vec"
)

// Pose places a shape in the world. With the quaternion q and the translation t, a point x of the
// shape moves to q·x·q⁻¹ + t. The zero Pose is invalid because its quaternion is zero; see At.
type Pose struct {
	// Rotation is a unit quaternion. Each component needs six correct decimals. Every use of
	// Rotation divides it by its length.
	Rotation quat.Number
	// Translation has the same unit of length as the meshes.
	Translation r3.Vector
}

// ErrInvalid is the error for an invalid pose. Possible causes are a number that is not finite, a
// quaternion whose length is not 1, and a matrix that is not a rotation.
var ErrInvalid = errors.New("bad pose")

// slack is the largest accepted error of |q|² and of the dot product of two columns of a matrix. If
// numbers have six decimals, the error of each number is at most 5e-7. The error of |q|² is at most
// 2·2·5e-7 = 2e-6, because the sum of |q_i| is at most 2. The error of the dot product is at most
// 2·√3·5e-7 < 1.8e-6. A quaternion that is not normalized, or that is computed from degrees, has a
// far larger error.
const slack = 0x1p-18

// At returns the pose that translates by t and does not rotate.
func At(t r3.Vector) Pose { return Pose{Rotation: quat.Number{Real: 1}, Translation: t} }

// Turned returns a pose that first rotates and then translates by t. The rotation is by an angle in
// radians around an axis through the origin, by the right-hand rule.
//
// Errors: ErrInvalid if the axis has no direction or if a number is not finite.
func Turned(axis r3.Vector, angle float64, t r3.Vector) (Pose, error) {
	if largest := vec.MaxAbs(axis); !(largest > 0) || math.IsInf(largest, 0) {
		return Pose{}, fmt.Errorf("%w: axis %v has no direction", ErrInvalid, axis)
	}
	u := vec.Unit(axis)
	sin, cos := math.Sincos(angle / 2)
	p := Pose{Rotation: quat.Number{Real: cos, Imag: sin * u.X, Jmag: sin * u.Y, Kmag: sin * u.Z}, Translation: t}
	return p, p.Check()
}

// FromMatrix returns the pose x ↦ R·x + t for a rotation R close to m; see pose.FromMatrix. The columns
// of m must be orthonormal and right-handed, to six decimals.
//
// Let δ = |mᵀm − I| in the spectral norm, u = 2⁻⁵³, and m = R₀·S the polar decomposition of m. S² = mᵀm,
// so e = |m − R₀| = |S − I| is at most δ/(1 + least singular value of m) < 0.51·δ. The function
// quaternion is linear in m. For R₀ it finds 4·q_i·q, where q is the quaternion of R₀ and i its largest
// component, so this vector has a length of at least 2. For m the vector differs by at most √3 times the
// Frobenius norm of m − R₀, hence by at most 3·e: the first number is a signed sum of the three diagonal
// entries, the others are sums of two other entries. So the direction of the vector turns by at most
// 1.51·e, and the rotation R₀ by at most 3.02·e. (The choice of i by the entries of m instead of R₀ is
// covered by the last digit.) Rounding turns the vector by at most 8u and the quaternion by 2u, hence the
// rotation by less than 32u. Together, |R − m| ≤ 4.02·e + 32u < 2.1·δ + 2⁻⁴⁸.
//
// Errors: ErrInvalid if m is not a rotation or if a number is not finite.
func FromMatrix(m [3][3]float64, t r3.Vector) (Pose, error) {
	column := func(k int) r3.Vector { return r3.Vector{X: m[0][k], Y: m[1][k], Z: m[2][k]} }
	for i := range 3 {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := column(i).Dot(column(j)); !(math.Abs(got-want) <= slack) {
				if i == j {
					return Pose{}, fmt.Errorf("%w: the length of column %d of the matrix is %g, must be 1: a pose cannot scale", ErrInvalid, i+1, column(i).Norm())
				}
				return Pose{}, fmt.Errorf("%w: the dot product of columns %d and %d of the matrix is %g, must be 0: a pose cannot shear", ErrInvalid, j+1, i+1, got)
			}
		}
	}
	if column(0).Cross(column(1)).Dot(column(2)) < 0 {
		return Pose{}, fmt.Errorf("%w: the matrix is a reflection, must be a rotation: mirror the vertices instead", ErrInvalid)
	}
	p := Pose{Rotation: quaternion(&m), Translation: t}
	return p, p.Check()
}

// quaternion returns the unit quaternion q of a rotation matrix (Shepperd 1978, "Quaternion from
// rotation matrix"). The diagonal of the matrix determines the squares 4·q_i². If q_i is the
// largest component, 4·q_i² is at least 1. For this i, the vector of the four products 4·q_i·q_j is
// parallel to q.
func quaternion(m *[3][3]float64) quat.Number {
	x, y, z := m[0][0], m[1][1], m[2][2]
	squares := [4]float64{1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z}
	// These are the products 4·q_i·q_j, for i ≠ j.
	wx, wy, wz := m[2][1]-m[1][2], m[0][2]-m[2][0], m[1][0]-m[0][1]
	xy, yz, zx := m[0][1]+m[1][0], m[1][2]+m[2][1], m[2][0]+m[0][2]
	products := [4][4]float64{
		{squares[0], wx, wy, wz},
		{wx, squares[1], xy, zx},
		{wy, xy, squares[2], yz},
		{wz, zx, yz, squares[3]},
	}
	best := 0
	for i := range squares {
		if squares[i] > squares[best] {
			best = i
		}
	}
	row := products[best]
	return unit(quat.Number{Real: row[0], Imag: row[1], Jmag: row[2], Kmag: row[3]})
}

// Check returns an error that wraps ErrInvalid if p is not valid.
func (p Pose) Check() error {
	if q := p.Rotation; !(math.Abs(square(q)-1) <= slack) {
		return fmt.Errorf("%w: the length of the quaternion %g,%g,%g,%g (w,x,y,z) is %.9g, must be 1", ErrInvalid, q.Real, q.Imag, q.Jmag, q.Kmag, quat.Abs(q))
	}
	if t := p.Translation; math.IsNaN(t.X-t.X) || math.IsNaN(t.Y-t.Y) || math.IsNaN(t.Z-t.Z) {
		return fmt.Errorf("%w: the translation %g,%g,%g is not finite", ErrInvalid, t.X, t.Y, t.Z)
	}
	return nil
}

// Inverse returns the pose that undoes p. Its rotation is exactly the inverse rotation. Its translation
// is −q⁻¹·t·q, rounded: the error is at most 2⁻⁵³·10·(|t_x| + |t_y| + |t_z|) + 2⁻¹⁰⁶⁰. p must be valid.
func (p Pose) Inverse() Pose {
	t := p.Translation
	pl := place(Pose{Rotation: p.Rotation})
	return Pose{Rotation: quat.Conj(p.Rotation), Translation: pl.turn(r3.Vector{X: -t.X, Y: -t.Y, Z: -t.Z})}
}

// Mul returns the pose that first applies o and then p; see compose.go. Both must be valid. The
// translation is not finite if it overflows.
func (p Pose) Mul(o Pose) Pose {
	return Pose{Rotation: composed(p.Rotation, o.Rotation), Translation: moved(p, o.Translation)}
}

// Apply returns q·v·q⁻¹ + t, where q and t are the quaternion and the translation of p.
func (p Pose) Apply(v r3.Vector) r3.Vector {
	f := NewFrame(p)
	return f.Apply(v)
}

func square(q quat.Number) float64 {
	return float64(q.Real*q.Real) + float64(q.Imag*q.Imag) + float64(q.Jmag*q.Jmag) + float64(q.Kmag*q.Kmag)
}

func unit(q quat.Number) quat.Number {
	n := math.Sqrt(square(q))
	return quat.Number{Real: q.Real / n, Imag: q.Imag / n, Jmag: q.Jmag / n, Kmag: q.Kmag / n}
}

package collide

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"
)

// Pose places a shape in the world: x becomes q·x·q⁻¹ + t. The zero Pose is not
// valid, as its quaternion has no length; see At.
type Pose struct {
	// Rotation is a unit quaternion, to six decimals: it is divided by its length.
	Rotation quat.Number
	// Translation is in the unit of the meshes.
	Translation r3.Vector
}

// ErrPose is the error for a pose that cannot be: a number that is not finite, a
// quaternion that is not a unit, a matrix that is no rotation, a body that reaches beyond 2^498.
var ErrPose = errors.New("bad pose")

// slack is how far |q|², or a product of two columns of a matrix, may be from what it
// should be. Six decimals leave an error of 5e-7 a number, so of at most 2·2·5e-7 = 2e-6
// in |q|², as the sum of |q_i| is at most 2, and of 2·√3·5e-7 < 1.8e-6 in the product of
// columns; a quaternion that was never normalized, or is in degrees, is far beyond.
const slack = 0x1p-18

// At returns the pose that only translates.
func At(t r3.Vector) Pose { return Pose{Rotation: quat.Number{Real: 1}, Translation: t} }

// Turned returns the pose that turns by an angle in radians around an axis through the
// origin, by the right hand, and then translates. It fails with ErrPose if the axis has no
// direction or a number is not finite.
func Turned(axis r3.Vector, angle float64, t r3.Vector) (Pose, error) {
	largest := max(math.Abs(axis.X), math.Abs(axis.Y), math.Abs(axis.Z))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return Pose{}, fmt.Errorf("%w: axis %v has no direction", ErrPose, axis)
	}
	u := unitVector(axis)
	sin, cos := math.Sincos(angle / 2)
	p := Pose{Rotation: quat.Number{Real: cos, Imag: sin * u.X, Jmag: sin * u.Y, Kmag: sin * u.Z}, Translation: t}
	return p, p.Check()
}

// FromMatrix returns the pose x ↦ m·x + t. The columns of m must be of unit length, at
// right angles and right-handed, to six decimals; the pose is the rotation of the
// quaternion closest to m up to that. It fails with ErrPose.
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
					return Pose{}, fmt.Errorf("%w: column %d of the matrix has length %g, want 1", ErrPose, i+1, column(i).Norm())
				}
				return Pose{}, fmt.Errorf("%w: columns %d and %d of the matrix have the product %g, want 0", ErrPose, j+1, i+1, got)
			}
		}
	}
	if column(0).Cross(column(1)).Dot(column(2)) < 0 {
		return Pose{}, fmt.Errorf("%w: the matrix reflects", ErrPose)
	}
	p := Pose{Rotation: quaternion(&m), Translation: t}
	return p, p.Check()
}

// quaternion returns that of a rotation matrix, of unit length. The four squares
// 4q_i² are sums of the diagonal; the largest, which is at least 1, is the divisor of the
// other products (Shepperd 1978, "Quaternion from rotation matrix").
func quaternion(m *[3][3]float64) quat.Number {
	x, y, z := m[0][0], m[1][1], m[2][2]
	squares := [4]float64{1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z}
	// The products 4·q_i·q_j.
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

// Check returns an error that is ErrPose if p is not valid.
func (p Pose) Check() error {
	if q := p.Rotation; !(math.Abs(square(q)-1) <= slack) {
		return fmt.Errorf("%w: the quaternion %g,%g,%g,%g (w,x,y,z) has length %.9g, want 1", ErrPose, q.Real, q.Imag, q.Jmag, q.Kmag, quat.Abs(q))
	}
	if t := p.Translation; math.IsNaN(t.X-t.X) || math.IsNaN(t.Y-t.Y) || math.IsNaN(t.Z-t.Z) {
		return fmt.Errorf("%w: the translation %g,%g,%g is not finite", ErrPose, t.X, t.Y, t.Z)
	}
	return nil
}

// Apply returns where p takes v.
func (p Pose) Apply(v r3.Vector) r3.Vector {
	f := newFrame(p)
	return f.apply(v)
}

func square(q quat.Number) float64 {
	return float64(q.Real*q.Real) + float64(q.Imag*q.Imag) + float64(q.Jmag*q.Jmag) + float64(q.Kmag*q.Kmag)
}

// unit returns q divided by its length.
func unit(q quat.Number) quat.Number {
	n := math.Sqrt(square(q))
	return quat.Number{Real: q.Real / n, Imag: q.Imag / n, Jmag: q.Jmag / n, Kmag: q.Kmag / n}
}

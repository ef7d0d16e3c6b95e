// Package pose has the poses of solids: rotations and translations. inpoly.Solid.At and
// assembly.Assembly.At return solids at poses. Package collide finds contacts of solids at poses.
//
//	p, err := pose.Turned(r3.Vector{Z: 1}, math.Pi/6, r3.Vector{X: 120, Y: 40})
//	if err != nil {
//		return err
//	}
//	at, err := bolt.At(p)
//
// The numbers of a Pose are exact for all queries: a quaternion q stands for the rotation by q/|q|, with
// the exact length |q|.
package pose

import (
	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/motion"
)

// Pose is a rotation and a translation: it moves a point x to q·x·q⁻¹ + t, where q is the quaternion
// Rotation and t is Translation. The exact Pose divides q by its exact length |q|, and rounds nothing.
// The zero Pose is invalid because its quaternion is zero; see At.
type Pose struct {
	// Rotation is a unit quaternion. Each component needs six correct decimals. Every use of
	// Rotation divides it by its length.
	Rotation quat.Number
	// Translation has the same unit of length as the meshes.
	Translation r3.Vector
}

// ErrInvalid is the error for an invalid Pose. Possible causes are a number that is not finite, a
// quaternion whose length is not 1 to six decimals, and a matrix that is not a rotation. Solids and
// worlds also return it for a translation that is too large for them.
var ErrInvalid = motion.ErrInvalid

// At returns the pose that translates by t and does not rotate.
func At(t r3.Vector) Pose { return Pose(motion.At(t)) }

// Turned returns a pose that first rotates and then translates by t. The rotation is by an angle in
// radians around an axis through the origin, by the right-hand rule.
//
// Errors: ErrInvalid if the axis has no direction or if a number is not finite.
func Turned(axis r3.Vector, angle float64, t r3.Vector) (Pose, error) {
	p, err := motion.Turned(axis, angle, t)
	return Pose(p), err
}

// FromMatrix returns the pose x ↦ R·x + t, where the rotation R is m up to rounding. The columns of m must
// be orthonormal and right-handed, to six decimals: the dot products of two columns, and the squares of
// their lengths, can be off by 2⁻¹⁸.
//
// The quaternion of R follows from the entries of m (Shepperd 1978, "Quaternion from rotation matrix"):
// from the row that determines its largest component, divided by its length. So R differs from m by at
// most 2.1·|mᵀm − I| + 2⁻⁴⁸ in the spectral norm. If m exchanges axes and changes signs, R is m.
//
// Errors: ErrInvalid if m scales, shears or reflects, or if a number is not finite.
func FromMatrix(m [3][3]float64, t r3.Vector) (Pose, error) {
	p, err := motion.FromMatrix(m, t)
	return Pose(p), err
}

// Check returns an error that wraps ErrInvalid if p is not valid.
func (p Pose) Check() error { return motion.Pose(p).Check() }

// Inverse returns the pose that undoes p. Its rotation is exactly the inverse rotation. Its translation
// is −q⁻¹·t·q, rounded: the error is at most 2⁻⁵³·10·(|t_x| + |t_y| + |t_z|) + 2⁻¹⁰⁶⁰. p must be valid.
func (p Pose) Inverse() Pose { return Pose(motion.Pose(p).Inverse()) }

// Mul returns the pose that first applies o and then p. Both must be valid. Mul computes the pose exactly
// and rounds once: each coordinate of the translation t, and each component of the unit quaternion, to the
// nearest float64. If the product of the two quaternions has float64 components and the length 1 to six
// decimals, Mul does not round the rotation. The image of a point x differs from the exact image under o
// and then p by at most
//
//	2⁻⁵² (|x| + |t|) + 2⁻¹⁰⁷⁰.
//
// t is not finite if it overflows.
func (p Pose) Mul(o Pose) Pose { return Pose(motion.Pose(p).Mul(motion.Pose(o))) }

// Apply returns q·v·q⁻¹ + t, rounded, where q and t are the quaternion and the translation of p.
func (p Pose) Apply(v r3.Vector) r3.Vector { return motion.Pose(p).Apply(v) }

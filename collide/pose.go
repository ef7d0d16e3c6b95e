package collide

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

// ErrPose is the error for an invalid pose. Possible causes are a number that is not finite, a
// quaternion whose length is not 1, and a matrix that is not a rotation. Another cause is a body
// with a coordinate beyond 2^498.
var ErrPose = errors.New("bad pose")

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
// Errors: ErrPose if the axis has no direction or if a number is not finite.
func Turned(axis r3.Vector, angle float64, t r3.Vector) (Pose, error) {
	if largest := vec.MaxAbs(axis); !(largest > 0) || math.IsInf(largest, 0) {
		return Pose{}, fmt.Errorf("%w: axis %v has no direction", ErrPose, axis)
	}
	u := unitVector(axis)
	sin, cos := math.Sincos(angle / 2)
	p := Pose{Rotation: quat.Number{Real: cos, Imag: sin * u.X, Jmag: sin * u.Y, Kmag: sin * u.Z}, Translation: t}
	return p, p.Check()
}

// FromMatrix returns the pose x ↦ m·x + t. The columns of m must be orthonormal and right-handed,
// to six decimals. The unit quaternion of the pose represents m to the same precision.
//
// Errors: ErrPose if m is not a rotation or if a number is not finite.
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
					return Pose{}, fmt.Errorf("%w: the length of column %d of the matrix is %g, must be 1", ErrPose, i+1, column(i).Norm())
				}
				return Pose{}, fmt.Errorf("%w: the dot product of columns %d and %d of the matrix is %g, must be 0", ErrPose, j+1, i+1, got)
			}
		}
	}
	if column(0).Cross(column(1)).Dot(column(2)) < 0 {
		return Pose{}, fmt.Errorf("%w: the matrix is a reflection, must be a rotation", ErrPose)
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

// Check returns an error that wraps ErrPose if p is not valid.
func (p Pose) Check() error {
	if q := p.Rotation; !(math.Abs(square(q)-1) <= slack) {
		return fmt.Errorf("%w: the length of the quaternion %g,%g,%g,%g (w,x,y,z) is %.9g, must be 1", ErrPose, q.Real, q.Imag, q.Jmag, q.Kmag, quat.Abs(q))
	}
	if t := p.Translation; math.IsNaN(t.X-t.X) || math.IsNaN(t.Y-t.Y) || math.IsNaN(t.Z-t.Z) {
		return fmt.Errorf("%w: the translation %g,%g,%g is not finite", ErrPose, t.X, t.Y, t.Z)
	}
	return nil
}

// Apply returns q·v·q⁻¹ + t, where q and t are the quaternion and the translation of p.
func (p Pose) Apply(v r3.Vector) r3.Vector {
	f := newFrame(p)
	return f.apply(v)
}

func square(q quat.Number) float64 {
	return float64(q.Real*q.Real) + float64(q.Imag*q.Imag) + float64(q.Jmag*q.Jmag) + float64(q.Kmag*q.Kmag)
}

func unit(q quat.Number) quat.Number {
	n := math.Sqrt(square(q))
	return quat.Number{Real: q.Real / n, Imag: q.Imag / n, Jmag: q.Jmag / n, Kmag: q.Kmag / n}
}

// frame is a rigid motion x ↦ R·x + t. R is stored by rows.
//
// # Rounding
//
// Let u = 2⁻⁵³. The exact R is the rotation by q/|q| without rounding. Terms of u² are omitted
// below; the constants are large enough to cover them.
//
// Components of unit(q) have a relative error of at most 4u: 3u for the root of a sum of four
// squares and u for the division. Products of two components have a relative error of at most 9u.
// With Σ q_i² = 1 the error of a diagonal entry 1 − 2(a²+b²) is at most 2(9u+u) + u = 21u. The
// error of each other entry 2(ab ± cd), with |ab| + |cd| ≤ ½, is at most 11u. The norm of the
// matrix of the nine errors is at most 3·21u = 63u.
//
// The product of two matrices adds an error of 3u to each entry, because rows and columns are unit
// vectors. It adds 9u to the norm. So the error of the rotation that relative returns is at most
// 2·63u + 9u = 135u. The translation that relative returns, R_Bᵀ(t_A − t_B), has an error of u +
// 63u + 3√3u < 70u times d = |t_A − t_B|. Applying this motion to v rounds 3 products and 3 sums
// for each component, with an error of at most 4u(|v| + |t|). The error of the vector is then at
// most 4√3u(|v| + |t|) < 7u(|v| + |t|). The sum of all errors is 142u|v| + 77u·d. The constants 170
// and 90 exceed these factors.
//
// Each operation that underflows loses half of 2⁻¹⁰⁷⁴. The constant tiny exceeds the total loss.
type frame struct {
	r [3]r3.Vector
	t r3.Vector
}

// These are the constants of nodeBound and margin; see frame.
const (
	nodeReach, nodeOrigins     = 170 * 0x1p-53, 90 * 0x1p-53
	marginReach, marginOrigins = 512 * 0x1p-53, 512 * 0x1p-53
	tiny                       = 0x1p-1060
)

func newFrame(p Pose) frame {
	q := unit(p.Rotation)
	w, x, y, z := q.Real, q.Imag, q.Jmag, q.Kmag
	diagonal := func(a, b float64) float64 { return 1 - 2*(float64(a*a)+float64(b*b)) }
	sum := func(a, b, c, d float64) float64 { return 2 * (float64(a*b) + float64(c*d)) }
	return frame{
		r: [3]r3.Vector{
			{X: diagonal(y, z), Y: sum(x, y, -w, z), Z: sum(x, z, w, y)},
			{X: sum(x, y, w, z), Y: diagonal(x, z), Z: sum(y, z, -w, x)},
			{X: sum(x, z, -w, y), Y: sum(y, z, w, x), Z: diagonal(x, y)},
		},
		t: p.Translation,
	}
}

func (f *frame) apply(v r3.Vector) r3.Vector {
	return r3.Vector{X: f.r[0].Dot(v) + f.t.X, Y: f.r[1].Dot(v) + f.t.Y, Z: f.r[2].Dot(v) + f.t.Z}
}

func (f *frame) turn(v r3.Vector) r3.Vector {
	return r3.Vector{X: f.r[0].Dot(v), Y: f.r[1].Dot(v), Z: f.r[2].Dot(v)}
}

func (f *frame) turnBack(v r3.Vector) r3.Vector {
	return r3.Vector{
		X: float64(f.r[0].X*v.X) + float64(f.r[1].X*v.Y) + float64(f.r[2].X*v.Z),
		Y: float64(f.r[0].Y*v.X) + float64(f.r[1].Y*v.Y) + float64(f.r[2].Y*v.Z),
		Z: float64(f.r[0].Z*v.X) + float64(f.r[1].Z*v.Y) + float64(f.r[2].Z*v.Z),
	}
}

// reachOf returns the half lengths of the smallest box around a rotated box with half lengths h.
func (f *frame) reachOf(h r3.Vector) r3.Vector {
	return r3.Vector{X: f.r[0].Abs().Dot(h), Y: f.r[1].Abs().Dot(h), Z: f.r[2].Abs().Dot(h)}
}

// transposed returns the motion x ↦ Rᵀ·x.
func (f *frame) transposed() frame {
	r := &f.r
	return frame{r: [3]r3.Vector{
		{X: r[0].X, Y: r[1].X, Z: r[2].X},
		{X: r[0].Y, Y: r[1].Y, Z: r[2].Y},
		{X: r[0].Z, Y: r[1].Z, Z: r[2].Z},
	}}
}

// relative returns the motion from the frame of a to the frame of b. originDist is at least the
// distance between the two origins. It is a sum of absolute values, so it does not underflow.
func relative(a, b *frame) (f frame, originDist float64) {
	at := a.transposed()
	for i, row := range b.transposed().r {
		f.r[i] = r3.Vector{X: row.Dot(at.r[0]), Y: row.Dot(at.r[1]), Z: row.Dot(at.r[2])}
	}
	d := a.t.Sub(b.t)
	f.t = b.turnBack(d)
	return f, math.Abs(d.X) + math.Abs(d.Y) + math.Abs(d.Z)
}

// nodeBound bounds the error of a node position computed with the functions relative and
// frame.apply. nodeDist is at least the distance of the node from the origin of its body.
// originDist is at least the distance between the two origins.
func nodeBound(nodeDist, originDist float64) float64 {
	return nodeReach*nodeDist + nodeOrigins*originDist + tiny
}

// poseBound bounds the error of the distance between two bodies that is caused by rounding the
// coordinates of their translations to the nearest float64. Each coordinate has an error of at most
// 2⁻⁵³ times its magnitude.
func poseBound(a, b *frame) float64 {
	s, t := a.t.Abs(), b.t.Abs()
	return 0x1p-53 * (s.X + s.Y + s.Z + t.X + t.Y + t.Z)
}

// margin returns the width by which boxes and balls are extended. If the computed position of a
// node is in the box of the other body, the node is in the extended box and ball. The width covers
// the error of the position (142u and 77u, see frame) and the rounding of the boxes and balls. Let
// u = 2⁻⁵³. The error of the center comes from a rotation and a translation: (135u + 7u + u) times
// the reach of its body, plus (135u + 70u + 8u) times the distance of the origins. The half lengths
// are at most √3 times the reach of their body, and their error is (135√3 + 7)u times this reach.
// In total, the reach of the body with the node contributes at most 142u, the reach of the other
// body 143u + (135√3 + 7)u < 385u, and the distance 213u + 77u = 290u. Both constants are 512u,
// which exceeds these factors.
//
// The remaining 512u − 290u of the distance and 512u − 190u of each reach exceed query.touch for the
// boxes in the world, whose errors are at most 190u times the reach and 16u times the translation.
func margin(reach, origins float64) float64 {
	return marginReach*reach + marginOrigins*origins + tiny
}

package loaders

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/predicates"
)

// affine maps p to M·p + T; the rows of M are X, Y and Z.
type affine struct {
	X, Y, Z, T r3.Vector
	mirror     bool // det M < 0, so that the outside of a triangle becomes its inside
}

func identity() affine {
	return affine{X: r3.Vector{X: 1}, Y: r3.Vector{Y: 1}, Z: r3.Vector{Z: 1}}
}

// apply returns M·p + T. The identity gives p itself, except that −0 may become +0.
func (a *affine) apply(p r3.Vector) r3.Vector {
	return r3.Vector{
		X: row(a.X, p) + a.T.X,
		Y: row(a.Y, p) + a.T.Y,
		Z: row(a.Z, p) + a.T.Z,
	}
}

// row is the scalar product, its products rounded so that a corner that two faces
// share is the same point in both whatever the processor fuses.
func row(m, p r3.Vector) float64 {
	return float64(m.X*p.X) + float64(m.Y*p.Y) + float64(m.Z*p.Z)
}

// after returns the map that applies b first, then a. Mirroring is carried as a
// parity instead of the sign of a rounded determinant.
func (a *affine) after(b *affine) affine {
	cx := r3.Vector{X: b.X.X, Y: b.Y.X, Z: b.Z.X} // columns of b
	cy := r3.Vector{X: b.X.Y, Y: b.Y.Y, Z: b.Z.Y}
	cz := r3.Vector{X: b.X.Z, Y: b.Y.Z, Z: b.Z.Z}
	return affine{
		X:      r3.Vector{X: row(a.X, cx), Y: row(a.X, cy), Z: row(a.X, cz)},
		Y:      r3.Vector{X: row(a.Y, cx), Y: row(a.Y, cy), Z: row(a.Y, cz)},
		Z:      r3.Vector{X: row(a.Z, cx), Y: row(a.Z, cy), Z: row(a.Z, cz)},
		T:      a.apply(b.T),
		mirror: a.mirror != b.mirror,
	}
}

// fromMatrix returns the map of a 4×4 matrix in column order, finite as all
// numbers of JSON are. Its last row must be 0 0 0 1 exactly, as that of any chain of
// translation, rotation and scale is (glTF 2.0 §3.5.2): how far any other row bends the shape depends on
// the coordinates, so that there is no rounding error to allow for.
func fromMatrix(m *[16]float64) (affine, error) {
	if m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		return affine{}, reason(ErrSyntax, "the last row of the matrix is (%g, %g, %g, %g), want (0, 0, 0, 1)", m[3], m[7], m[11], m[15])
	}
	a := affine{
		X: r3.Vector{X: m[0], Y: m[4], Z: m[8]},
		Y: r3.Vector{X: m[1], Y: m[5], Z: m[9]},
		Z: r3.Vector{X: m[2], Y: m[6], Z: m[10]},
		T: r3.Vector{X: m[12], Y: m[13], Z: m[14]},
	}
	a.mirror = mirrors(a.X, a.Y, a.Z)
	return a, nil
}

// fromTRS returns the map that scales, rotates by the quaternion q = (x, y, z, w)
// and translates, in this order (glTF 2.0 §3.5.3). The quaternion is divided by
// its length, which is 1 but for rounding in the file, and must not be zero.
func fromTRS(t [3]float64, q [4]float64, s [3]float64) (affine, error) {
	n := math.Hypot(math.Hypot(q[0], q[1]), math.Hypot(q[2], q[3]))
	if n == 0 {
		return affine{}, reason(ErrSyntax, "the rotation is a quaternion of length zero")
	}
	if n-n != 0 {
		return affine{}, reason(ErrNotFinite, "the length of the rotation's quaternion is %g", n)
	}
	x, y, z, w := q[0]/n, q[1]/n, q[2]/n, q[3]/n
	if q[0] == 0 && q[1] == 0 && q[2] == 0 {
		x, y, z, w = 0, 0, 0, 1
	}
	a := affine{
		X: r3.Vector{X: (1 - 2*(float64(y*y)+float64(z*z))) * s[0], Y: 2 * (float64(x*y) - float64(w*z)) * s[1], Z: 2 * (float64(x*z) + float64(w*y)) * s[2]},
		Y: r3.Vector{X: 2 * (float64(x*y) + float64(w*z)) * s[0], Y: (1 - 2*(float64(x*x)+float64(z*z))) * s[1], Z: 2 * (float64(y*z) - float64(w*x)) * s[2]},
		Z: r3.Vector{X: 2 * (float64(x*z) - float64(w*y)) * s[0], Y: 2 * (float64(y*z) + float64(w*x)) * s[1], Z: (1 - 2*(float64(x*x)+float64(y*y))) * s[2]},
		T: r3.Vector{X: t[0], Y: t[1], Z: t[2]},
	}
	a.mirror = (s[0] < 0) != (s[1] < 0) != (s[2] < 0) && s[0] != 0 && s[1] != 0 && s[2] != 0
	if !vec.Finite(a.X) || !vec.Finite(a.Y) || !vec.Finite(a.Z) || !vec.Finite(a.T) {
		return affine{}, reason(ErrNotFinite, "translation %g, rotation %g and scale %g leave float64", t, q, s)
	}
	return a, nil
}

// mirrors reports whether the determinant of the rows x, y and z is negative;
// exactly, since near a flat transform its rounded value has any sign.
func mirrors(x, y, z r3.Vector) bool {
	return predicates.Orient3D(x, y, z, r3.Vector{}) < 0
}

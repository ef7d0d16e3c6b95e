package gltf

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// fromMatrix returns the map of a 4×4 matrix in column order, finite as all
// numbers of JSON are. Its last row must be 0 0 0 1 exactly, as that of any chain of
// translation, rotation and scale is (glTF 2.0 §3.5.2): how far any other row bends the shape depends on
// the coordinates, so that there is no rounding error to allow for.
func fromMatrix(m *[16]float64) (soup.Affine, error) {
	if m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		return soup.Affine{}, soup.Reason(soup.ErrSyntax, "the last row of the matrix is (%g, %g, %g, %g), want (0, 0, 0, 1)", m[3], m[7], m[11], m[15])
	}
	a := soup.Affine{
		X: r3.Vector{X: m[0], Y: m[4], Z: m[8]},
		Y: r3.Vector{X: m[1], Y: m[5], Z: m[9]},
		Z: r3.Vector{X: m[2], Y: m[6], Z: m[10]},
		T: r3.Vector{X: m[12], Y: m[13], Z: m[14]},
	}
	a.Mirror = soup.Mirrors(a.X, a.Y, a.Z)
	return a, nil
}

// fromTRS returns the map that scales, rotates by the quaternion q = (x, y, z, w)
// and translates, in this order (glTF 2.0 §3.5.3). The quaternion is divided by
// its length, which is 1 but for rounding in the file, and must not be zero.
func fromTRS(t [3]float64, q [4]float64, s [3]float64) (soup.Affine, error) {
	n := math.Hypot(math.Hypot(q[0], q[1]), math.Hypot(q[2], q[3]))
	if n == 0 {
		return soup.Affine{}, soup.Reason(soup.ErrSyntax, "the rotation is a quaternion of length zero")
	}
	if n-n != 0 {
		return soup.Affine{}, soup.Reason(soup.ErrNotFinite, "the length of the rotation's quaternion is %g", n)
	}
	x, y, z, w := q[0]/n, q[1]/n, q[2]/n, q[3]/n
	if q[0] == 0 && q[1] == 0 && q[2] == 0 {
		x, y, z, w = 0, 0, 0, 1
	}
	a := soup.Affine{
		X: r3.Vector{X: (1 - 2*(float64(y*y)+float64(z*z))) * s[0], Y: 2 * (float64(x*y) - float64(w*z)) * s[1], Z: 2 * (float64(x*z) + float64(w*y)) * s[2]},
		Y: r3.Vector{X: 2 * (float64(x*y) + float64(w*z)) * s[0], Y: (1 - 2*(float64(x*x)+float64(z*z))) * s[1], Z: 2 * (float64(y*z) - float64(w*x)) * s[2]},
		Z: r3.Vector{X: 2 * (float64(x*z) - float64(w*y)) * s[0], Y: 2 * (float64(y*z) + float64(w*x)) * s[1], Z: (1 - 2*(float64(x*x)+float64(y*y))) * s[2]},
		T: r3.Vector{X: t[0], Y: t[1], Z: t[2]},
	}
	a.Mirror = (s[0] < 0) != (s[1] < 0) != (s[2] < 0) && s[0] != 0 && s[1] != 0 && s[2] != 0
	if !vec.Finite(a.X) || !vec.Finite(a.Y) || !vec.Finite(a.Z) || !vec.Finite(a.T) {
		return soup.Affine{}, soup.Reason(soup.ErrNotFinite, "translation %g, rotation %g and scale %g leave float64", t, q, s)
	}
	return a, nil
}

package soup

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/predicates"
)

// Affine is the map p → M·p + T. The rows of M are X, Y and Z.
type Affine struct {
	X, Y, Z, T r3.Vector
	Mirror     bool // det M < 0: the map turns the outside of a triangle into its inside
}

// Identity returns the map p → p.
func Identity() Affine {
	return Affine{X: r3.Vector{X: 1}, Y: r3.Vector{Y: 1}, Z: r3.Vector{Z: 1}}
}

// Apply returns M·p + T. The identity gives p itself, except that −0 may become +0.
func (a *Affine) Apply(p r3.Vector) r3.Vector {
	return r3.Vector{
		X: dot(a.X, p) + a.T.X,
		Y: dot(a.Y, p) + a.T.Y,
		Z: dot(a.Z, p) + a.T.Z,
	}
}

// dot is the scalar product. Its products are rounded before they are added: otherwise a
// processor that fuses them could map a corner of two faces to two points.
func dot(m, p r3.Vector) float64 {
	return float64(m.X*p.X) + float64(m.Y*p.Y) + float64(m.Z*p.Z)
}

// After returns the map that applies b and then a. Mirror is combined as a parity because
// the sign of the rounded determinant could be wrong.
func (a *Affine) After(b *Affine) Affine {
	cx := r3.Vector{X: b.X.X, Y: b.Y.X, Z: b.Z.X} // columns of b
	cy := r3.Vector{X: b.X.Y, Y: b.Y.Y, Z: b.Z.Y}
	cz := r3.Vector{X: b.X.Z, Y: b.Y.Z, Z: b.Z.Z}
	return Affine{
		X:      r3.Vector{X: dot(a.X, cx), Y: dot(a.X, cy), Z: dot(a.X, cz)},
		Y:      r3.Vector{X: dot(a.Y, cx), Y: dot(a.Y, cy), Z: dot(a.Y, cz)},
		Z:      r3.Vector{X: dot(a.Z, cx), Y: dot(a.Z, cy), Z: dot(a.Z, cz)},
		T:      a.Apply(b.T),
		Mirror: a.Mirror != b.Mirror,
	}
}

// Mirrors reports whether the determinant of the rows x, y and z is negative. The sign is
// exact: for a nearly flat map the rounded determinant has any sign.
func Mirrors(x, y, z r3.Vector) bool {
	return predicates.Orient3D(x, y, z, r3.Vector{}) < 0
}

package orient

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// VolumeUnit returns the unit for SignedVolume: a power of two near the reciprocal of the size of
// m.
func VolumeUnit(m *mesh.Mesh) float64 {
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	return math.Ldexp(1, min(-exp, 1023))
}

// SignedVolume returns the sum of det(a−o, b−o, c−o)/6 over the faces a, b, c of m, and a bound of
// its rounding error. m must have a face. SignedVolume multiplies all coordinates by unit, so the
// volume is in units of 1/unit³. If unit is the result of VolumeUnit, nothing overflows, and
// lengths below 2^−300 of the mesh count as zero.
//
// The volume of a closed mesh depends on the point o only through rounding. For an open mesh, o is
// the mean of the boundary, and the volume is the volume of the mesh closed by a fan to o. Its sign
// is the orientation of bowls, caps and cut solids.
//
// The bound has these parts, with ε = 2^−53:
//   - A determinant of rounded differences has an error of at most 8ε times its permanent, which is
//     the determinant with every product replaced by its magnitude (Shewchuk 1997, see package
//     predicates).
//   - A sum of n terms has an error of nε times the sum of their magnitudes, which the permanents
//     bound.
//   - 2^−900 covers underflow.
//   - The coordinates of an open mesh can be rounded by up to ε·|coordinate|, and differences by
//     twice as much. A sheet that is flat up to such rounding therefore has no certain sign.
//
// The rounding of o only means that o is another point.
func SignedVolume(m *mesh.Mesh, unit float64) (volume, bound float64) {
	o := m.Vertices[0]
	if chain := m.Boundary(); len(chain) > 0 {
		var sum r3.Vector
		for _, e := range chain {
			sum = sum.Add(m.Vertices[e.A].Sub(o)).Add(m.Vertices[e.B].Sub(o))
		}
		o = o.Add(sum.Mul(1 / float64(2*len(chain))))
	}
	permanent, slack := 0.0, 0.0
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		a, b, c := t[0].Sub(o).Mul(unit), t[1].Sub(o).Mul(unit), t[2].Sub(o).Mul(unit)
		volume += a.Dot(b.Cross(c))
		a, b, c = a.Abs(), b.Abs(), c.Abs()
		permanent += a.X*(b.Y*c.Z+b.Z*c.Y) + a.Y*(b.Z*c.X+b.X*c.Z) + a.Z*(b.X*c.Y+b.Y*c.X)
		la, lb, lc := a.X+a.Y+a.Z, b.X+b.Y+b.Z, c.X+c.Y+c.Z
		slack += la*lb + lb*lc + lc*la
	}
	n := float64(len(m.Faces))
	bound = (n+9)*0x1p-53*permanent/6 + 0x1p-900
	if len(m.Boundary()) > 0 {
		box := m.Box()
		low, high := box.Min.Abs(), box.Max.Abs()
		bound += 0x1p-52 * unit * max(low.X, low.Y, low.Z, high.X, high.Y, high.Z) * slack / 6
	}
	return volume / 6, bound
}

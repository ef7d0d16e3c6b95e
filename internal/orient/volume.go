package orient

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// VolumeUnit returns a power of two near the reciprocal of the size of m, the scale
// that SignedVolume wants.
func VolumeUnit(m *mesh.Mesh) float64 {
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	return math.Ldexp(1, min(-exp, 1023))
}

// SignedVolume returns Σ det(a−o, b−o, c−o)/6 over the faces and a bound of its
// rounding error. The volume of a closed mesh depends on o only through rounding. For
// an open mesh o is the mean of its boundary, and the result is the volume of the mesh
// closed by a fan to o: its sign tells the sense of bowls, caps and cut solids. m must
// have a face. Coordinates are multiplied by unit, a power of two near the reciprocal
// of the size of m, so that nothing overflows, and lengths below 2^−300 of the mesh
// count as zero.
//
// With ε = 2^−53, a determinant of rounded differences has an error of at most
// 8ε times its permanent (Shewchuk 1997, see package predicates). A sum of n terms has
// an error of nε times the sum of their magnitudes, which the permanents bound. The
// last term of the bound covers underflow. Rounding o merely chooses another o, which
// matters neither for a closed mesh nor for the meaning of the fan. For an open mesh
// the bound also covers coordinates that were rounded by up to ε·|coordinate| each,
// twice that in a difference: a sheet that is flat up to such rounding has no inside.
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

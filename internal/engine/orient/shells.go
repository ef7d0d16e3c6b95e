package orient

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/disjoint"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// shell is a part of the mesh that Repair turns as a whole. It is a closed patch, or a connected
// component of the remaining patches. Patches of a component can meet at edges of three or more
// faces. Repair never turns one patch of a component alone: that could open a closed surface, and
// Repair cannot know which patch is wrong.
type shell struct {
	faces     []int32
	mesh      *mesh.Mesh
	closed    bool
	flipped   int     // number of faces that Oriented has turned over; 0 if no edge was misoriented
	free      bool    // true if Auto can turn the shell: it had misoriented edges, and is closed or the whole mesh
	volume    float64 // see SignedVolume
	sign      int     // sign of the volume, or 0 if the sign is uncertain; +1 if the normals point outward
	parent    *shell  // smallest shell that contains this shell
	uncertain bool    // true if it is not known whether the parent contains this shell
	root      *shell  // outermost shell around this shell, or the shell itself
	fixed     bool    // true if the shells with this root are not turned
}

// isWeak reports whether so many faces have been turned over that the majority does not reliably
// give the orientation relative to other parts.
func isWeak(flipped, faces int) bool { return 3*flipped > faces }

// batched is the number of samples from which they are queried in a batch. A batch takes a megabyte
// of memory, which the Caster keeps (tuning).
const batched = 1 << 14

// within returns the side of the shell relative to the mesh of the given Caster. It queries the
// vertices of the shell and the midpoints of its edges and faces. It ignores the points that lie on
// the mesh. If the remaining points have different sides, or if no point remains, the result is
// Unknown.
func (s *shell) within(ctx context.Context, c *raycross.Caster, workers int) (side.Side, error) {
	samples := slices.Clone(s.mesh.Vertices)
	for f := range s.mesh.Faces {
		t := s.mesh.Triangle(int32(f))
		for k := range t {
			samples = append(samples, t[k].Mul(0.5).Add(t[(k+1)%3].Mul(0.5)))
		}
		samples = append(samples, t[0].Mul(0.5).Add(t[1].Mul(0.25)).Add(t[2].Mul(0.25)))
	}
	sides := make([]side.Side, len(samples))
	if len(samples) < batched {
		var scratch raycross.Scratch
		for i, p := range samples {
			sides[i] = c.Side(p, &scratch)
		}
	} else if _, err := c.SidesTo(ctx, sides, samples, workers); err != nil {
		return side.Unknown, err
	}
	in, out := slices.Contains(sides, side.Inside), slices.Contains(sides, side.Outside)
	switch {
	case in && !out:
		return side.Inside, nil
	case out && !in:
		return side.Outside, nil
	}
	return side.Unknown, nil
}

// newShells returns the shells for which the sign of the volume is certain, in order of decreasing
// volume. It skips components with a non-orientable patch. A non-orientable patch is never closed,
// because some edge joins faces of opposite orientation. newShells also counts the other patches
// with a weak majority, unless the mesh has only one patch.
func newShells(ctx context.Context, m *mesh.Mesh, o mesh.Orientation) (out []*shell, weak int, err error) {
	unit := VolumeUnit(m)
	flipped := make([]bool, m.NumFaces())
	for _, f := range o.Flipped {
		flipped[f] = true
	}
	count := func(faces []int32) (n int) {
		for _, f := range faces {
			if flipped[f] {
				n++
			}
		}
		return n
	}
	triangles := 0
	notShell := make([]bool, o.Patches) // notShell[i] is true if patch i is not a shell
	for label, faces := range group(o.Labels, o.Patches) {
		notShell[label] = true
		triangles += len(faces)
		if len(faces) >= 4 { // fewer faces enclose no volume
			s, err := newShell(ctx, m, faces, unit)
			if err != nil {
				return nil, 0, err
			}
			if s.closed && s.sign != 0 {
				notShell[label] = false
				out = append(out, s)
			}
		}
		if notShell[label] && o.Patches > 1 && isWeak(count(faces), len(faces)) {
			weak++
		}
	}
	twisted := make([]bool, o.Patches)
	for _, label := range o.NonOrientable {
		twisted[label] = true
	}
	components, n, err := components(ctx, m, o, notShell)
	if err != nil {
		return nil, 0, err
	}
	for _, faces := range group(components, n) {
		s, err := newShell(ctx, m, faces, unit)
		if err != nil {
			return nil, 0, err
		}
		isTwisted := func(f int32) bool { return twisted[o.Labels[f]] }
		if s.sign != 0 && !slices.ContainsFunc(faces, isTwisted) {
			out = append(out, s)
		}
	}
	for _, s := range out {
		s.flipped = count(s.faces)
		s.free = s.flipped > 0 && (s.closed || len(s.faces) == triangles)
	}
	slices.SortStableFunc(out, func(p, q *shell) int {
		return cmp.Compare(math.Abs(q.volume), math.Abs(p.volume))
	})
	return out, weak, nil
}

func newShell(ctx context.Context, m *mesh.Mesh, faces []int32, unit float64) (*shell, error) {
	s := &shell{faces: faces, mesh: m}
	if len(faces) < m.NumFaces() {
		var err error
		if s.mesh, err = m.Extract(ctx, faces); err != nil {
			return nil, err
		}
	}
	s.closed = s.mesh.Closed()
	var bound float64
	s.volume, bound = SignedVolume(s.mesh, unit)
	if math.Abs(s.volume) > bound {
		s.sign = cmp.Compare(s.volume, 0)
	}
	return s, nil
}

// group returns the faces of each label from 0 to n−1. It skips faces with the label −1.
func group(labels []int32, n int) [][]int32 {
	out := make([][]int32, n)
	for f, label := range labels {
		if label >= 0 {
			out[label] = append(out[label], int32(f))
		}
	}
	return out
}

// components labels each face with the number of its connected component. Shared edges connect
// patches. The faces of a patch that is a shell have the label −1.
func components(ctx context.Context, m *mesh.Mesh, o mesh.Orientation, notShell []bool) (labels []int32, n int, err error) {
	sets := disjoint.New(o.Patches)
	first := map[[2]int32]int32{} // first patch of each edge
	for f, t := range m.Faces {
		if f&0xffff == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		p := o.Labels[f]
		if p < 0 || !notShell[p] {
			continue
		}
		for k := range t {
			e := [2]int32{min(t[k], t[(k+1)%3]), max(t[k], t[(k+1)%3])}
			if q, ok := first[e]; ok {
				sets.Union(p, q)
			} else {
				first[e] = p
			}
		}
	}
	number := map[int32]int32{}
	labels = make([]int32, len(m.Faces))
	for f := range labels {
		labels[f] = -1
		if p := o.Labels[f]; p >= 0 && notShell[p] {
			root := sets.Find(p)
			if _, ok := number[root]; !ok {
				number[root] = int32(len(number))
			}
			labels[f] = number[root]
		}
	}
	return labels, len(number), nil
}

// VolumeUnit returns the unit for SignedVolume. The unit is a power of two close to the reciprocal
// of the size of the mesh.
func VolumeUnit(m *mesh.Mesh) float64 {
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	return math.Ldexp(1, min(-exp, 1023))
}

// SignedVolume returns the sum of det(a−o, b−o, c−o)/6 over the faces a, b, c of m, and a bound of
// its rounding error. m must have a face. SignedVolume multiplies all coordinates by the factor
// unit, so the volume is in units of 1/unit³. If unit is the result of VolumeUnit, nothing
// overflows, and lengths below 2^−300 times the size of the mesh count as zero.
//
// The exact volume of a closed mesh does not depend on the point o. For an open mesh, o is the mean
// of the ends of the boundary edges, and a fan of triangles from the boundary to o closes the mesh.
// For bowls, caps and cut solids, the sign of the volume then shows the orientation.
//
// The bound has these parts, with ε = 2^−53:
//   - A determinant of rounded differences has an error of at most 8ε times its permanent, which is
//     the determinant with every product replaced by its magnitude (Shewchuk 1997, see package
//     predicates).
//   - A sum of n terms has an error of nε times the sum of their magnitudes. The permanents bound
//     these magnitudes.
//   - 2^−900 covers underflow.
//   - The coordinates of an open mesh can be rounded by up to ε·|coordinate|, and differences of
//     coordinates by 2ε·|coordinate|. A sheet that is flat up to these errors has no certain sign.
//
// The rounding of o adds no error, because the bound is valid for any point o.
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
		par.Pause(f)
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

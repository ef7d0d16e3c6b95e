package inpoly

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// shell is a part of the mesh that orient turns as a whole: a closed patch, or
// all other patches that edges connect. Patches that meet at edges of three or
// more faces are not turned against each other: that could open a closed
// surface, and no rule tells which of them is wrong.
type shell struct {
	faces  []int32
	mesh   *mesh.Mesh
	closed bool
	volume float64 // see signedVolume
	sign   int     // of the volume, for certain: +1 if the normals point outwards
	parent *shell  // the smallest shell that this one lies in
	unsure bool    // it cannot be told whether it lies in parent
	target int     // the sign that it shall have
}

// within tells where s lies in respect of the mesh of c, judged by its vertices
// and the middles of its edges and faces: Inside or Outside if those that are not
// on that mesh agree, else Unknown: the two cross, or nothing tells.
func (s *shell) within(ctx context.Context, c *raycross.Caster, workers int) (Side, error) {
	spots := slices.Clone(s.mesh.Vertices)
	for f := range s.mesh.Faces {
		t := s.mesh.Triangle(int32(f))
		for k := range t {
			spots = append(spots, t[k].Mul(0.5).Add(t[(k+1)%3].Mul(0.5)))
		}
		spots = append(spots, t[0].Mul(0.5).Add(t[1].Mul(0.25)).Add(t[2].Mul(0.25)))
	}
	sides := make([]Side, len(spots))
	if _, err := c.SidesTo(ctx, sides, spots, workers); err != nil {
		return Unknown, err
	}
	in, out := slices.Contains(sides, Inside), slices.Contains(sides, Outside)
	switch {
	case in && !out:
		return Inside, nil
	case out && !in:
		return Outside, nil
	}
	return Unknown, nil
}

// newShells returns the shells whose volume has a certain sign, largest volume
// first. Parts of which a patch is not orientable are left out (such a patch is
// never closed: its flood met an edge the wrong way).
func newShells(ctx context.Context, m *mesh.Mesh, o mesh.Orientation) ([]*shell, error) {
	unit := volumeUnit(m)
	var out []*shell
	rest := make([]bool, o.Patches) // patches that are no shell by themselves
	for label, faces := range group(o.Labels, o.Patches) {
		rest[label] = true
		if len(faces) < 4 {
			continue // too few to enclose anything
		}
		s, err := newShell(ctx, m, faces, unit)
		if err != nil {
			return nil, err
		}
		if s.closed && s.sign != 0 {
			rest[label] = false
			out = append(out, s)
		}
	}
	twisted := make([]bool, o.Patches)
	for _, label := range o.NonOrientable {
		twisted[label] = true
	}
	clusters, n, err := clusters(ctx, m, o, rest)
	if err != nil {
		return nil, err
	}
	for _, faces := range group(clusters, n) {
		s, err := newShell(ctx, m, faces, unit)
		if err != nil {
			return nil, err
		}
		isTwisted := func(f int32) bool { return twisted[o.Labels[f]] }
		if s.sign != 0 && !slices.ContainsFunc(faces, isTwisted) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(p, q *shell) int {
		return cmp.Compare(math.Abs(q.volume), math.Abs(p.volume))
	})
	return out, nil
}

func newShell(ctx context.Context, m *mesh.Mesh, faces []int32, unit float64) (*shell, error) {
	s := &shell{faces: faces, mesh: m}
	if len(faces) < m.NumFaces() {
		var err error
		if s.mesh, err = m.ExtractContext(ctx, faces); err != nil {
			return nil, err
		}
	}
	s.closed = s.mesh.Closed()
	var bound float64
	s.volume, bound = signedVolume(s.mesh, unit)
	if math.Abs(s.volume) > bound {
		s.sign = cmp.Compare(s.volume, 0)
	}
	return s, nil
}

// group lists the faces of each label; faces of label −1 are in no list.
func group(labels []int32, n int) [][]int32 {
	out := make([][]int32, n)
	for f, label := range labels {
		if label >= 0 {
			out[label] = append(out[label], int32(f))
		}
	}
	return out
}

// clusters labels the faces of the patches in rest by the connected part that
// shared edges make of these patches; all other faces get −1.
func clusters(ctx context.Context, m *mesh.Mesh, o mesh.Orientation, rest []bool) (labels []int32, n int, err error) {
	parent := make([]int32, o.Patches)
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := map[[2]int32]int32{} // edge → a patch that has it
	for f, t := range m.Faces {
		if f&0xffff == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		p := o.Labels[f]
		if p < 0 || !rest[p] {
			continue
		}
		for k := range t {
			e := [2]int32{min(t[k], t[(k+1)%3]), max(t[k], t[(k+1)%3])}
			if q, ok := first[e]; ok {
				parent[find(p)] = find(q)
			} else {
				first[e] = p
			}
		}
	}
	number := map[int32]int32{}
	labels = make([]int32, len(m.Faces))
	for f := range labels {
		labels[f] = -1
		if p := o.Labels[f]; p >= 0 && rest[p] {
			root := find(p)
			if _, ok := number[root]; !ok {
				number[root] = int32(len(number))
			}
			labels[f] = number[root]
		}
	}
	return labels, len(number), nil
}

// volumeUnit returns a power of two near the reciprocal of the size of m.
func volumeUnit(m *mesh.Mesh) float64 {
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	return math.Ldexp(1, min(-exp, 1023))
}

// signedVolume returns Σ det(a−o, b−o, c−o)/6 and a bound of its rounding error.
// For a closed mesh the choice of o only matters for rounding; for an open one it
// is the volume with the boundary closed by a fan to o, its centroid, which tells
// inside from outside on bowls, caps and cut solids. Coordinates are multiplied
// by unit, so that nothing over- or underflows: what is smaller than 2^−300 of
// the mesh counts as nothing.
//
// With ε = 2^−53, a determinant of rounded differences has an error of at most
// 8ε times its permanent (Shewchuk 1997, see package predicates), and a sum of n
// terms one of nε times the sum of their magnitudes, which the permanents bound;
// the last digit covers the rounding of the bound itself. An o that is rounded is
// another o: it does not matter for a closed mesh, nor for the meaning of the fan.
// For an open mesh the bound also covers that coordinates are rounded by up to
// ε·|coordinate|, twice that in a difference: a sheet that is flat but for that
// has no inside.
func signedVolume(m *mesh.Mesh, unit float64) (volume, bound float64) {
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

package inpoly

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Orientation tells what Options.Orient did.
type Orientation struct {
	Patches       int // parts of the mesh connected through edges of two faces
	Inconsistent  int // faces flipped to agree with their neighbours
	Turned        int // patches turned as a whole afterwards
	NonOrientable int // patches that no choice makes consistent (a Möbius strip); left as they were
}

// orient makes every patch consistent and then turns patches as a whole: those
// that lie in no other face outwards; one that lies within a closed patch keeps
// its relation to it, opposite for a cavity, the same for a solid in a solid.
func orient(ctx context.Context, m *mesh.Mesh, opt Options) (*mesh.Mesh, Orientation, error) {
	m, o := m.Oriented()
	rep := Orientation{Patches: o.Patches, Inconsistent: len(o.Flipped), NonOrientable: len(o.NonOrientable)}
	patches, err := newPatches(ctx, m, o)
	if err != nil {
		return nil, rep, err
	}
	if err := nest(ctx, patches, opt.Workers); err != nil {
		return nil, rep, err
	}
	var flip []int32
	// A parent encloses more volume than what it holds, so it comes first.
	for _, p := range patches {
		p.target = 1
		if p.parent != nil {
			p.target = p.parent.target * p.sign * p.parent.sign
		}
		if p.sign*p.target < 0 {
			rep.Turned++
			flip = append(flip, p.faces...)
		}
	}
	if len(flip) == 0 {
		return m, rep, nil
	}
	return m.Flipped(flip), rep, nil
}

// patch is an orientable part of the mesh.
type patch struct {
	faces  []int32
	mesh   *mesh.Mesh
	closed bool
	volume float64 // see signedVolume
	sign   int     // of the volume: +1 if the normals point outwards
	parent *patch  // the smallest closed patch that this one lies in
	target int     // the sign that it shall have
}

// newPatches returns the orientable patches whose volume has a sign, largest
// volume first.
func newPatches(ctx context.Context, m *mesh.Mesh, o mesh.Orientation) ([]*patch, error) {
	faces := make([][]int32, o.Patches)
	for f, label := range o.Labels {
		if label >= 0 {
			faces[label] = append(faces[label], int32(f))
		}
	}
	for _, label := range o.NonOrientable {
		faces[label] = nil
	}
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	unit := math.Ldexp(1, min(-exp, 1023))
	var out []*patch
	for _, list := range faces {
		if list == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &patch{faces: list, mesh: m.Extract(list)}
		p.closed = p.mesh.Closed()
		p.volume = signedVolume(p.mesh, unit)
		p.sign = cmp.Compare(p.volume, 0)
		if p.closed {
			// Certain, or 0: a patch so flat that rounding hides its volume.
			d, err := p.mesh.Diagnose(ctx)
			if err != nil {
				return nil, err
			}
			p.sign = int(d.Components[0].VolumeSign)
		}
		if p.sign != 0 {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(p, q *patch) int {
		return cmp.Compare(math.Abs(q.volume), math.Abs(p.volume))
	})
	return out, nil
}

// signedVolume returns Σ det(a−o, b−o, c−o)/6. For a closed mesh the choice of o
// only matters for rounding; for an open one it is the volume with the boundary
// closed by a fan to o, its centroid, which tells inside from outside on bowls,
// caps and cut solids. Coordinates are multiplied by unit, a power of two near
// the reciprocal of the size, so that nothing over- or underflows.
func signedVolume(m *mesh.Mesh, unit float64) float64 {
	o := m.Vertices[0]
	if chain := m.Boundary(); len(chain) > 0 {
		var sum r3.Vector
		for _, e := range chain {
			sum = sum.Add(m.Vertices[e.A].Sub(o)).Add(m.Vertices[e.B].Sub(o))
		}
		o = o.Add(sum.Mul(1 / float64(2*len(chain))))
	}
	v := 0.0
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		a, b, c := t[0].Sub(o).Mul(unit), t[1].Sub(o).Mul(unit), t[2].Sub(o).Mul(unit)
		v += a.Dot(b.Cross(c))
	}
	return v / 6
}

// nest finds the parent of every patch; patches are sorted by volume, largest
// first.
func nest(ctx context.Context, patches []*patch, workers int) error {
	for j, outer := range patches {
		if !outer.closed {
			continue
		}
		var caster *raycross.Caster // built when the first candidate turns up
		for _, inner := range patches[j+1:] {
			if !holds(outer.mesh.Box(), inner.mesh.Box()) {
				continue
			}
			if caster == nil {
				var err error
				if caster, err = newCaster(ctx, outer.mesh, workers); err != nil {
					return err
				}
			}
			in, err := contains(ctx, caster, inner.mesh.Vertices, workers)
			if err != nil {
				return err
			}
			if in {
				inner.parent = outer // later ones are smaller
			}
		}
	}
	return nil
}

func holds(outer, inner bvh.Box) bool { return outer.Contains(inner.Min) && outer.Contains(inner.Max) }

func newCaster(ctx context.Context, m *mesh.Mesh, workers int) (*raycross.Caster, error) {
	tree, err := bvh.Build(ctx, m.Boxes(), bvh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return raycross.New(m, tree, m.Gather(tree.Index()), raycross.Options{})
}

// contains reports whether no point lies outside and one lies inside.
func contains(ctx context.Context, c *raycross.Caster, pts []r3.Vector, workers int) (bool, error) {
	sides := make([]side.Side, len(pts))
	if _, err := c.SidesTo(ctx, sides, pts, workers); err != nil {
		return false, err
	}
	return slices.Contains(sides, side.Inside) && !slices.Contains(sides, side.Outside), nil
}

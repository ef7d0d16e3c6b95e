package inpoly

import (
	"context"
	"fmt"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// Orientation tells what Options.Orient did.
type Orientation struct {
	Patches       int // parts of the mesh connected through edges of two faces
	Inconsistent  int // faces flipped to agree with their neighbours
	Shells        int // parts with an inside that were judged as a whole
	Turned        int // of these, turned over
	NonOrientable int // patches that no choice makes consistent (a Möbius strip); left as they were
}

// orient makes every patch consistent and then turns shells as a whole: those
// that lie in no other outwards; one that lies in a closed shell keeps its
// relation to it, opposite for a cavity, the same for a solid in a solid.
//
// A closed mesh stays closed: its patches are consistent already, and turning a
// shell turns its share of the boundary chain, which is empty.
func orient(ctx context.Context, m *mesh.Mesh, opt Options) (*mesh.Mesh, Orientation, error) {
	m, o, err := m.Oriented(ctx)
	if err != nil {
		return nil, Orientation{}, err
	}
	rep := Orientation{Patches: o.Patches, Inconsistent: len(o.Flipped), NonOrientable: len(o.NonOrientable)}
	shells, err := newShells(ctx, m, o)
	if err != nil {
		return nil, rep, err
	}
	if err := nest(ctx, shells, opt.Workers); err != nil {
		return nil, rep, err
	}
	rep.Shells = len(shells)
	var flip []int32
	// A parent encloses more volume than what it holds, so it comes first.
	for _, s := range shells {
		s.target = 1
		if s.parent != nil {
			s.target = s.parent.target * s.sign * s.parent.sign
		}
		if s.sign*s.target < 0 {
			rep.Turned++
			flip = append(flip, s.faces...)
		}
	}
	if len(flip) == 0 {
		return m, rep, nil
	}
	m, err = m.FlippedContext(ctx, flip)
	return m, rep, err
}

// nest finds the parent of every shell; shells are sorted by volume, largest
// first.
func nest(ctx context.Context, shells []*shell, workers int) error {
	inner, err := candidates(ctx, shells)
	if err != nil {
		return err
	}
	for j, list := range inner {
		if len(list) == 0 {
			continue
		}
		caster, err := newCaster(ctx, shells[j].mesh, workers)
		if err != nil {
			return err
		}
		for _, i := range list {
			in, err := contains(ctx, caster, shells[i].mesh, workers)
			if err != nil {
				return err
			}
			if in {
				shells[i].parent = shells[j] // later ones are smaller
			}
		}
	}
	return nil
}

// candidates returns, for each closed shell, the smaller shells whose boxes lie in
// its box, both in ascending order.
func candidates(ctx context.Context, shells []*shell) ([][]int, error) {
	boxes := make([]bvh.Box, len(shells))
	for i, s := range shells {
		boxes[i] = s.mesh.Box()
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{})
	if err != nil {
		return nil, fmt.Errorf("boxes of shells: %w", err)
	}
	inner := make([][]int, len(shells))
	var walk bvh.PointWalk
	for i, box := range boxes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		walk.Start(tree, box.Min)
		for first, count, ok := walk.Next(); ok; first, count, ok = walk.Next() {
			for _, j := range tree.Index()[first : first+count] {
				if int(j) < i && shells[j].closed && boxes[j].Contains(box.Min) && boxes[j].Contains(box.Max) {
					inner[j] = append(inner[j], i)
				}
			}
		}
	}
	return inner, nil
}

func newCaster(ctx context.Context, m *mesh.Mesh, workers int) (*raycross.Caster, error) {
	tree, err := bvh.Build(ctx, m.Boxes(), bvh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return raycross.New(m, tree, m.Gather(tree.Index()), raycross.Options{})
}

// contains reports whether no vertex of m lies outside and one lies inside.
func contains(ctx context.Context, c *raycross.Caster, m *mesh.Mesh, workers int) (bool, error) {
	sides := make([]Side, len(m.Vertices))
	if _, err := c.SidesTo(ctx, sides, m.Vertices, workers); err != nil {
		return false, err
	}
	in := false
	for _, s := range sides {
		if s == Outside {
			return false, nil
		}
		in = in || s == Inside
	}
	return in, nil
}

package inpoly

import (
	"context"
	"fmt"
	"slices"

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
// that lie in no other outwards; one that lies in another keeps its relation to
// it, opposite for a cavity, the same for a solid in a solid. A shell of which it
// cannot be told whether it lies in another stays as it is.
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
		switch {
		case s.unsure:
			s.target = s.sign
		case s.parent != nil:
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

// nest finds the parent of every shell: the smallest one that holds it. Shells are
// sorted by volume, largest first.
func nest(ctx context.Context, shells []*shell, workers int) error {
	outer, err := candidates(ctx, shells)
	if err != nil {
		return err
	}
	casters := map[int]*raycross.Caster{}
	for i, list := range outer {
		slices.Sort(list)
		for _, j := range slices.Backward(list) {
			if casters[j] == nil {
				if casters[j], err = newCaster(ctx, shells[j].mesh, workers); err != nil {
					return err
				}
			}
			where, err := shells[i].within(ctx, casters[j], workers)
			if err != nil {
				return err
			}
			if where == Unknown {
				shells[i].unsure = true
			}
			if where != Outside {
				shells[i].parent = shells[j]
				break
			}
		}
	}
	return nil
}

// candidates returns, for each shell, the larger shells whose boxes hold its box.
func candidates(ctx context.Context, shells []*shell) ([][]int, error) {
	boxes := make([]bvh.Box, len(shells))
	for i, s := range shells {
		boxes[i] = s.mesh.Box()
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{})
	if err != nil {
		return nil, fmt.Errorf("boxes of shells: %w", err)
	}
	outer := make([][]int, len(shells))
	var walk bvh.PointWalk
	for i, box := range boxes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		walk.Start(tree, box.Min)
		for first, count, ok := walk.Next(); ok; first, count, ok = walk.Next() {
			for _, j := range tree.Index()[first : first+count] {
				if int(j) < i && boxes[j].Contains(box.Min) && boxes[j].Contains(box.Max) {
					outer[i] = append(outer[i], int(j))
				}
			}
		}
	}
	return outer, nil
}

func newCaster(ctx context.Context, m *mesh.Mesh, workers int) (*raycross.Caster, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return raycross.New(x, raycross.Options{})
}

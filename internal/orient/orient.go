// Package orient repairs the orientation of the faces of a mesh: faces that meet at
// edges of two faces come to agree, and closed shells face outward unless they are
// cavities.
//
//	repaired, report, err := orient.Repair(ctx, m, workers)
package orient

import (
	"context"
	"fmt"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Report counts the findings and the changes of Repair.
type Report struct {
	Patches       int // parts of the mesh connected through edges of two faces
	Inconsistent  int // faces flipped to agree with their neighbors
	Shells        int // parts that enclose a volume, each judged as a whole
	Turned        int // shells turned over
	NonOrientable int // patches without a consistent orientation (a Möbius strip), left as they were
}

// Repair returns m with every patch oriented consistently and the shells turned as
// follows. A shell that lies in no other faces outward. A shell that lies in another
// one keeps its relation to that: a cavity stays opposite to it, a solid in a solid
// keeps the same sense. A shell stays as it is if it crosses another one.
//
// A closed mesh stays closed: its patches are consistent already, and turning a
// shell turns its share of the boundary chain, which is empty. Repair returns the
// error of ctx if that ends first. m is not changed.
func Repair(ctx context.Context, m *mesh.Mesh, workers int) (*mesh.Mesh, Report, error) {
	m, o, err := m.Oriented(ctx)
	if err != nil {
		return nil, Report{}, err
	}
	rep := Report{Patches: o.Patches, Inconsistent: len(o.Flipped), NonOrientable: len(o.NonOrientable)}
	shells, err := newShells(ctx, m, o)
	if err != nil {
		return nil, rep, err
	}
	if err := nest(ctx, shells, workers); err != nil {
		return nil, rep, err
	}
	rep.Shells = len(shells)
	var flip []int32
	// A parent encloses more volume than its children and so comes before them.
	for _, s := range shells {
		s.target = 1
		switch {
		case s.uncertain:
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
	m, err = m.Flipped(ctx, flip)
	return m, rep, err
}

// nest finds the parent of every shell: the smallest shell that contains it. shells
// are sorted by volume, largest first.
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
			if where == side.Unknown {
				shells[i].uncertain = true
			}
			if where != side.Outside {
				shells[i].parent = shells[j]
				break
			}
		}
	}
	return nil
}

// candidates returns, for each shell, the larger shells whose boxes contain its box.
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

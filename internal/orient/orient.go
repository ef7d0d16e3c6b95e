// Package orient repairs the orientation of the faces of a mesh. If exactly two faces share an
// edge, the two faces get consistent orientations. Closed shells except cavities face outward.
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
	Patches       int // sets of faces that are connected through edges of exactly two faces
	Inconsistent  int // faces that were flipped to agree with their neighbors
	Shells        int // parts that enclose a volume; Repair turns all faces of a shell or none
	Turned        int // shells that were turned
	NonOrientable int // patches without a consistent orientation, such as a Möbius strip; Repair does not change them
}

// Repair returns m with consistent patches and turned shells. A shell faces outward if no other
// shell contains it. A shell in another shell keeps its relative orientation: a cavity stays
// opposite to the shell around it, and a solid in a solid keeps the same orientation. Repair does
// not turn a shell that crosses another shell.
//
// A closed mesh stays closed. Its patches are already consistent, and each shell has an empty
// boundary chain. Turning a shell leaves this chain empty. Repair does not modify m. If ctx ends
// first, Repair returns the error of ctx.
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
	// shells is sorted by decreasing volume, so a parent comes before its children.
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

// nest sets the fields parent and uncertain of every shell. shells must be sorted by decreasing
// volume.
func nest(ctx context.Context, shells []*shell, workers int) error {
	outer, err := candidates(ctx, shells)
	if err != nil {
		return err
	}
	casters := map[int]*raycross.Caster{} // casters[j] is the Caster of shells[j]
	for i, list := range outer {
		slices.Sort(list)
		for _, j := range slices.Backward(list) {
			if casters[j] == nil {
				x, err := shells[j].mesh.Index(ctx, bvh.Options{Workers: workers})
				if err != nil {
					return err
				}
				if casters[j], err = raycross.New(x, raycross.Options{}); err != nil {
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

// candidates returns, for each shell, the indexes of the larger shells whose boxes contain its box.
func candidates(ctx context.Context, shells []*shell) ([][]int, error) {
	boxes := make([]bvh.Box, len(shells))
	for i, s := range shells {
		boxes[i] = s.mesh.Box()
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{})
	if err != nil {
		return nil, fmt.Errorf("build a tree over the boxes of the shells: %w", err)
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

// Package orient repairs the orientation of the faces of a mesh. If exactly two faces share an
// edge, the two faces get consistent orientations. Closed shells except cavities face outward.
//
//	repaired, flipped, report, err := orient.Repair(ctx, m, orient.Auto, 0)
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

// Mode says which faces Repair turns over.
type Mode = mesh.Orient

// Report says what Repair has turned over.
type Report = mesh.OrientReport

// These are the modes.
const (
	Auto   = mesh.OrientAuto
	Never  = mesh.OrientNever
	Always = mesh.OrientAlways
)

// Repair returns m with consistent patches and turned shells, and the faces that it has turned over
// in ascending order. A shell faces outward if no other shell contains it. A shell in another shell
// keeps its relative orientation: a cavity stays opposite to the shell around it, and a solid in a
// solid keeps the same orientation. Repair does not turn a shell that crosses another shell.
//
// With Auto, Repair changes only patches that have misoriented edges, and shells that contain such
// patches. A shell and the shells in it form a family, which Repair turns as a whole or not at all.
// With Auto, Repair does not turn a family in three cases, because it could then face the wrong way
// relative to another part:
//   - A shell of the family has no misoriented edges, or crosses another shell.
//   - A shell of the family is open, and it is not the whole mesh.
//   - Some closed shell without misoriented edges faces inward, although no shell contains it.
//
// A closed mesh stays closed. Its patches are already consistent, and each shell has an empty
// boundary chain. Turning a shell leaves this chain empty. Repair does not modify m. If ctx ends
// first, Repair returns the error of ctx. If mode does not examine m, Repair returns m and a zero
// Report.
func Repair(ctx context.Context, m *mesh.Mesh, mode Mode, workers int) (*mesh.Mesh, []int32, Report, error) {
	if !mode.Examines(m) {
		return m, nil, Report{}, ctx.Err()
	}
	m, o, err := m.Oriented(ctx)
	if err != nil {
		return nil, nil, Report{}, err
	}
	rep := Report{Patches: o.Patches, Inconsistent: len(o.Flipped), NonOrientable: len(o.NonOrientable)}
	rep.Parity = o.Patches > 0 && rep.NonOrientable == o.Patches && m.EvenEdges()
	shells, doubtful, err := newShells(ctx, m, o)
	if err != nil {
		return nil, nil, rep, err
	}
	rep.Shells = len(shells)
	inward := func(s *shell) bool { return s.sign < 0 && (mode == Always || s.free) }
	weak := func(s *shell) bool { return mode == Auto && isWeak(s.flipped, len(s.faces)) }
	if slices.ContainsFunc(shells, inward) || slices.ContainsFunc(shells, weak) {
		if err := nest(ctx, shells, workers); err != nil {
			return nil, nil, rep, err
		}
	}
	turned := make([]bool, m.NumFaces())
	for _, f := range o.Flipped {
		turned[f] = true
	}
	var whole []int32 // faces of the shells that are turned as a whole
	keepAll := markFixed(shells, mode == Always)
	for _, s := range shells {
		if s.parent != nil && (weak(s) || weak(s.parent)) {
			doubtful++
		}
		if s.root.sign > 0 || s.root.fixed || keepAll {
			continue
		}
		rep.Turned++
		whole = append(whole, s.faces...)
		for _, f := range s.faces {
			turned[f] = !turned[f]
		}
	}
	if mode == Auto {
		rep.Doubtful = doubtful
	}
	if len(whole) > 0 {
		if m, err = m.Flipped(ctx, whole); err != nil {
			return nil, nil, rep, err
		}
	}
	var flipped []int32
	labels, _ := m.Components()
	changed := map[int32]bool{} // components with a turned face
	for f, t := range turned {
		if t {
			flipped = append(flipped, int32(f))
			changed[labels[f]] = true
		}
	}
	rep.Faces, rep.Components = len(flipped), len(changed)
	return m, flipped, rep, ctx.Err()
}

// markFixed sets the fields root and fixed of all shells. shells must be sorted by decreasing
// volume, so that each parent precedes its children. keepAll reports that Repair must not turn any
// shell.
func markFixed(shells []*shell, all bool) (keepAll bool) {
	for _, s := range shells {
		s.root = s
		if s.parent != nil && !s.uncertain {
			s.root = s.parent.root
		}
		s.root.fixed = s.root.fixed || s.uncertain || !all && !s.free
		if s.uncertain && !all {
			s.parent.root.fixed = true
		}
		keepAll = keepAll || !all && s.flipped == 0 && s.closed && s.parent == nil && s.sign < 0
	}
	return keepAll
}

// maxCompared is the largest number of shells with which nest compares a shell. Without a limit, a
// mesh of n small shells could take O(n²) rays. With the limit, a small shell takes at most a
// millisecond. A shell is rarely in the boxes of 64 smaller shells that do not contain it.
const maxCompared = 64

// nest sets the fields parent and uncertain of every shell. shells must be sorted by decreasing
// volume. It compares a shell only with the smallest maxCompared larger shells whose boxes contain
// its box. If there are more, and none of those compared contains the shell, the shell is
// uncertain.
func nest(ctx context.Context, shells []*shell, workers int) error {
	boxes := make([]bvh.Box, len(shells))
	for i, s := range shells {
		boxes[i] = s.mesh.Box()
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{Workers: workers})
	if err != nil {
		return fmt.Errorf("build a tree over the boxes of the shells: %w", err)
	}
	casters := map[int32]*raycross.Caster{} // casters[j] is the Caster of shells[j]
	var walk bvh.PointWalk
	var outer []int32 // larger shells whose boxes contain the box of the shell
	for i, box := range boxes {
		if err := ctx.Err(); err != nil {
			return err
		}
		outer = outer[:0]
		total := 0
		walk.Start(tree, box.Min)
		for first, count, ok := walk.Next(); ok; first, count, ok = walk.Next() {
			for _, j := range tree.Index()[first : first+count] {
				if int(j) < i && boxes[j].Contains(box.Min) && boxes[j].Contains(box.Max) {
					outer = append(outer, j)
					total++
				}
			}
			if len(outer) >= 4*maxCompared {
				outer = smallest(outer)
			}
		}
		outer = smallest(outer)
		for _, j := range slices.Backward(outer) {
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
		if shells[i].parent == nil && total > len(outer) {
			shells[i].parent, shells[i].uncertain = shells[outer[0]], true
		}
	}
	return nil
}

// smallest sorts a list of shells and returns the last maxCompared of them, which have the smallest
// volumes.
func smallest(list []int32) []int32 {
	slices.Sort(list)
	return append(list[:0], list[max(0, len(list)-maxCompared):]...)
}

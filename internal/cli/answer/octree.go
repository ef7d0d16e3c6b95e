package answer

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/voxels"
)

// Skipped describes the nodes of an octree that are not decoded.
type Skipped struct {
	Nodes, Points int64
	All           int64   // number of all nodes
	Box           bvh.Box // box of the skipped nodes in the frame of the mesh
}

// SkipNodes makes the reader skip the nodes of a COPC file whose points --keep drops, because their
// boxes are on a dropped side. It trusts the boxes of the file. If the file has no nodes that can be
// used, SkipNodes skips nothing and returns the reason. The caller must have called f.Options.
func (f *Flags) SkipNodes(ctx context.Context, s *Solids, in *points.Reader) (k Skipped, reason string, err error) {
	k.Box = bvh.EmptyBox()
	tree, ok := in.Source().(table.Octree)
	if !ok {
		return k, fmt.Sprintf("%s: the format %s has no nodes", in.Name(), in.Format()), nil
	}
	nodes, err := tree.Nodes()
	if err != nil {
		return k, err.Error(), nil
	}
	k.All = int64(len(nodes))
	if f.filter == nil || f.filter[inpoly.Unknown] || f.doubtful { // an approximate winding number can leave any side undecided
		return k, "", nil
	}
	boxes, err := f.nodeBoxes(nodes)
	if err != nil {
		return k, "", err
	}
	positions, err := s.positions(ctx, boxes)
	if err != nil {
		return k, "", err
	}
	skip := make([]bool, len(nodes))
	for i, p := range positions {
		if skip[i] = p == voxels.Outside && !f.filter[inpoly.Outside] || p == voxels.Inside && !f.filter[inpoly.Inside]; skip[i] {
			k.Nodes++
			k.Points += nodes[i].Points
			k.Box = k.Box.Add(boxes[i].Min).Add(boxes[i].Max)
		}
	}
	tree.SkipNodes(skip)
	return k, "", nil
}

// nodeBoxes returns the boxes of the nodes in the frame of the mesh, grown by the tolerance. The map to
// this frame rounds each coordinate to the nearest float64, which is monotone. So the box of the images
// of the corners contains the images of all points.
func (f *Flags) nodeBoxes(nodes []table.Node) ([]bvh.Box, error) {
	m, err := f.Transform()
	if err != nil {
		return nil, err
	}
	boxes := make([]bvh.Box, len(nodes))
	for i, n := range nodes {
		box := bvh.Box{Min: n.Min, Max: n.Max}
		if m != nil {
			box = bvh.EmptyBox()
			for corner := range 8 {
				p := n.Min
				if corner&1 != 0 {
					p.X = n.Max.X
				}
				if corner&2 != 0 {
					p.Y = n.Max.Y
				}
				if corner&4 != 0 {
					p.Z = n.Max.Z
				}
				box = box.Add(m.Apply(p))
			}
		}
		if t := f.Tolerance; t > 0 {
			down := func(x float64) float64 { return math.Nextafter(x-t, math.Inf(-1)) }
			up := func(x float64) float64 { return math.Nextafter(x+t, math.Inf(1)) }
			box.Min = r3.Vector{X: down(box.Min.X), Y: down(box.Min.Y), Z: down(box.Min.Z)}
			box.Max = r3.Vector{X: up(box.Max.X), Y: up(box.Max.Y), Z: up(box.Max.Z)}
		}
		boxes[i] = box
	}
	return boxes, nil
}

// positions returns the positions of boxes relative to the union of the solids: inside if a box is
// inside one solid, and outside if it is outside of all. Any other box is straddling.
func (s *Solids) positions(ctx context.Context, boxes []bvh.Box) ([]voxels.Position, error) {
	if err := s.checkSolid("--trust-copc"); err != nil {
		return nil, err
	}
	all := make([]voxels.Position, len(boxes))
	one := make([]voxels.Position, len(boxes))
	for i := range s.Len() {
		if err := voxels.BoxesTo(ctx, s.Target(i), one, boxes); err != nil {
			return nil, err
		}
		for k, p := range one {
			switch {
			case i == 0 || p == voxels.Inside:
				all[k] = p
			case all[k] == voxels.Outside && p != voxels.Outside:
				all[k] = voxels.Straddling
			}
		}
		for k, p := range one {
			if p == voxels.Unknown && all[k] != voxels.Inside {
				all[k] = voxels.Straddling
			}
		}
	}
	return all, nil
}

// String describes the skipped nodes.
func (k *Skipped) String() string {
	return fmt.Sprintf("%s in %d of %s skipped", plural.Grouped(k.Points, "point"), k.Nodes, plural.Count(k.All, "COPC node"))
}

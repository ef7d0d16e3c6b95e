package mesh

import (
	"context"

	"github.com/inpoly/inpoly/bvh"
)

// Tree returns the bounding volume hierarchy over the boxes of the faces, and the corners of
// the faces in the order of its leaves: triangle i is face Index()[i] of the tree. Both are
// what searches of the surface are made of. A mesh without faces has an empty tree. The number
// of workers is that of goroutines (≤ 0: one for each processor); the tree does not depend on it.
//
// It fails where bvh.Build does, for coordinates that are not finite, which no mesh made by
// New has, and with the error of ctx. Only Vertices and Faces count: a Mesh put together of these
// without welding will do.
func (m *Mesh) Tree(ctx context.Context, workers int) (*bvh.Tree, []Triangle, error) {
	boxes := make([]bvh.Box, len(m.Faces))
	if err := m.BoxesTo(ctx, boxes, workers); err != nil {
		return nil, nil, err
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{Workers: workers})
	if err != nil {
		return nil, nil, err
	}
	tris := make([]Triangle, len(m.Faces))
	if err := m.GatherTo(ctx, tris, tree.Index(), workers); err != nil {
		return nil, nil, err
	}
	return tree, tris, nil
}

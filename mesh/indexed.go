package mesh

import (
	"context"

	"github.com/inpoly/inpoly/bvh"
)

// Indexed is a mesh with a bounding volume hierarchy over its faces: the input
// of packages raycross and nearest. It is immutable and safe for concurrent use;
// several searches can share one.
type Indexed struct {
	mesh *Mesh
	tree *bvh.Tree
	tris []Triangle
}

// Index builds the hierarchy over the boxes of the faces of m. The result does
// not depend on opt.Workers. m may be a Mesh literal that nothing has welded:
// only its Vertices and Faces are used. A mesh without faces has an empty tree.
//
// It takes O(n log n) time for n faces. Errors: that of ctx if it ends first,
// and *bvh.BoxError if a coordinate is not finite, which a mesh from New never
// has; ErrNil if m is nil.
func (m *Mesh) Index(ctx context.Context, opt bvh.Options) (*Indexed, error) {
	if m == nil {
		return nil, ErrNil
	}
	boxes := make([]bvh.Box, len(m.Faces))
	if err := m.BoxesTo(ctx, boxes, opt.Workers); err != nil {
		return nil, err
	}
	tree, err := bvh.Build(ctx, boxes, opt)
	if err != nil {
		return nil, err
	}
	tris := make([]Triangle, len(m.Faces))
	if err := m.GatherTo(ctx, tris, tree.Index(), opt.Workers); err != nil {
		return nil, err
	}
	return &Indexed{mesh: m, tree: tree, tris: tris}, nil
}

// Mesh returns the mesh.
func (x *Indexed) Mesh() *Mesh { return x.mesh }

// Tree returns the hierarchy. Box f of the tree is the box of face f.
func (x *Indexed) Tree() *bvh.Tree { return x.tree }

// Triangles returns the corners of the faces in the order of the leaves:
// triangle i is face Tree().Index()[i]. The caller must not modify the slice.
func (x *Indexed) Triangles() []Triangle { return x.tris }

package voxels

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/mesh"
)

// worldFaces are the faces of a target in world coordinates. At a pose, each vertex is rounded, and lies within margin
// of its exact position.
type worldFaces struct {
	mesh     *mesh.Mesh
	vertices []r3.Vector
	margin   float64
	tree     *bvh.Tree
}

// newWorldFaces moves the vertices of s, if it has a pose, and builds a tree over the faces.
func newWorldFaces(ctx context.Context, s inpoly.Target) (*worldFaces, error) {
	set := locate.Of(s)
	w := &worldFaces{mesh: s.Mesh(), vertices: s.Mesh().Vertices}
	if set.Place == nil {
		index, err := set.Surface.Index(ctx)
		if err != nil {
			return nil, err
		}
		w.tree = index.Tree.Tree()
		return w, nil
	}
	w.vertices, w.margin = movedVertices(set.Place, w.mesh.Vertices)
	boxes := make([]bvh.Box, w.mesh.NumFaces())
	for i := range boxes {
		t := w.triangle(int32(i))
		boxes[i] = bvh.EmptyBox().Add(t[0]).Add(t[1]).Add(t[2])
	}
	var err error
	w.tree, err = bvh.Build(ctx, boxes, bvh.Options{Workers: set.Workers})
	return w, err
}

// triangle returns the rounded corners of face f.
func (w *worldFaces) triangle(f int32) mesh.Triangle {
	t := &w.mesh.Faces[f]
	return mesh.Triangle{w.vertices[t[0]], w.vertices[t[1]], w.vertices[t[2]]}
}

// movedVertices returns the vertices in the world, rounded, and a bound of their errors. They are finite, because the
// coordinates of meshes and of translations have limits.
func movedVertices(place *motion.Placement, vertices []r3.Vector) (moved []r3.Vector, margin float64) {
	moved = make([]r3.Vector, len(vertices))
	for i, v := range vertices {
		p, bound := place.Back(v)
		moved[i], margin = p, max(margin, bound)
	}
	return moved, margin
}

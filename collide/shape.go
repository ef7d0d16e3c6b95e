package collide

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// leafNodes is the largest number of nodes in a leaf of the tree of nodes. // tuning
const leafNodes = 16

// shape is a solid with its trees and its bounds in its own frame. All bodies with the same solid
// share one shape. The shape never moves.
type shape struct {
	solid *inpoly.Solid
	mesh  *mesh.Mesh

	box    bvh.Box // box of the mesh, widened by the tolerance; empty if there are no faces
	center r3.Vector
	half   r3.Vector // half lengths of box around center
	// ball is the radius of a ball around center that contains the body; +Inf for an open mesh.
	ball      float64
	reach     float64 // largest distance of a node from the origin
	tolerance float64

	nodes *bvh.Tree   // tree of the vertices, as boxes without size
	at    []r3.Vector // vertices in the order of the leaves of nodes

	faces *bvh.Tree
	tris  []mesh.Triangle // triangles in the order of the leaves of faces
	near  *nearest.Searcher
}

// limit is the largest absolute coordinate that a mesh, or a body in the world, can have. Up to
// this limit, squares of differences are finite, and package neighbor accepts the boxes.
const limit = 0x1p498

func newShape(ctx context.Context, s *inpoly.Solid, workers int) (*shape, error) {
	m := s.Mesh()
	h := &shape{solid: s, mesh: m, tolerance: s.Report().Tolerance, box: m.Box()}
	if largest := max(vec.MaxAbs(h.box.Min), vec.MaxAbs(h.box.Max), h.tolerance); !h.box.Empty() && largest > limit {
		return nil, fmt.Errorf("coordinate or tolerance %.3g exceeds 2^498: scale the mesh down", largest)
	}
	if err := h.buildNodes(ctx, workers); err != nil {
		return nil, err
	}
	index, err := locate.Of(s).Surface.Index(ctx)
	if err != nil {
		return nil, fmt.Errorf("building the tree of faces: %w", err)
	}
	h.faces, h.tris, h.near = index.Tree.Tree(), index.Tree.Triangles(), index.Nearest
	h.measure()
	return h, nil
}

// buildNodes builds the tree of the vertices and sorts the vertices in the order of its leaves.
func (h *shape) buildNodes(ctx context.Context, workers int) error {
	points := make([]bvh.Box, len(h.mesh.Vertices))
	for i, v := range h.mesh.Vertices {
		points[i] = bvh.Box{Min: v, Max: v}
	}
	var err error
	if h.nodes, err = bvh.Build(ctx, points, bvh.Options{Workers: workers, MaxLeaf: leafNodes}); err != nil {
		return fmt.Errorf("building the tree of nodes: %w", err)
	}
	h.at = make([]r3.Vector, len(points))
	for i, v := range h.nodes.Index() {
		h.at[i] = h.mesh.Vertices[v]
	}
	return nil
}

// measure computes the center of the shape, and its bounds rounded outward.
func (h *shape) measure() {
	if h.box.Empty() {
		return
	}
	wide := 0.0
	if t := h.tolerance; t > 0 {
		// The rounding errors of the box are far below 2⁻⁴⁰ times the tolerance and the
		// coordinates.
		wide = t + 0x1p-40*(t+max(vec.Norm(h.box.Max), vec.Norm(h.box.Min)))
		d := r3.Vector{X: wide, Y: wide, Z: wide}
		h.box = bvh.Box{Min: h.box.Min.Sub(d), Max: h.box.Max.Add(d)}
	}
	h.center = h.box.Min.Mul(0.5).Add(h.box.Max.Mul(0.5))
	low, high := h.center.Sub(h.box.Min), h.box.Max.Sub(h.center)
	h.half = r3.Vector{X: max(low.X, high.X), Y: max(low.Y, high.Y), Z: max(low.Z, high.Z)}
	for _, v := range h.mesh.Vertices {
		h.ball, h.reach = max(h.ball, vec.Norm(v.Sub(h.center))), max(h.reach, vec.Norm(v))
	}
	// The factor roundUp covers at least seven roundings. The factor 2 before wide exceeds √3, the
	// length of the vector (1, 1, 1).
	const roundUp = 1 + 0x1p-50
	h.reach = (h.reach + 2*wide) * roundUp
	h.ball = (h.ball + 2*wide) * roundUp
	if !h.mesh.Closed() {
		h.ball = math.Inf(1)
	}
}

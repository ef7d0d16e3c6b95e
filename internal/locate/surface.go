package locate

import (
	"context"
	"unsafe"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Surface is a mesh, the tree over its faces, and the objects that search the tree. The
// first call that needs the tree builds it. Surface is safe for concurrent use.
type Surface struct {
	mesh  *mesh.Mesh
	opt   SurfaceOptions
	index *lazy.Value[index]
}

// SurfaceOptions are the options of the tree and the Caster.
type SurfaceOptions struct {
	Rule    side.Rule
	Seed    uint64 // changes the random rays, never the answers
	Workers int    // number that build
}

// index is the tree over the faces and the objects that search it.
type index struct {
	tree    *mesh.Indexed
	rays    *raycross.Caster
	nearest *nearest.Searcher
}

// NewSurface returns the Surface of m. It builds nothing yet.
func NewSurface(m *mesh.Mesh, opt SurfaceOptions) *Surface {
	s := &Surface{mesh: m, opt: opt}
	s.index = lazy.New(s.build)
	return s
}

// build fails only with the error of ctx: package mesh has checked the coordinates.
func (s *Surface) build(ctx context.Context) (*index, error) {
	tree, err := s.mesh.Index(ctx, bvh.Options{Workers: s.opt.Workers})
	if err != nil {
		return nil, err
	}
	rays, err := raycross.New(tree, raycross.Options{Rule: s.opt.Rule, Seed: s.opt.Seed})
	if err != nil {
		return nil, err
	}
	return &index{tree: tree, rays: rays, nearest: nearest.New(tree)}, nil
}

// Mesh returns the mesh. It must not be modified.
func (s *Surface) Mesh() *mesh.Mesh { return s.mesh }

// Indexed reports whether the tree has been built.
func (s *Surface) Indexed() bool { return s.index.Built() }

// Tree returns the mesh with the tree over its faces, and builds the tree if necessary. It
// fails only with the error of ctx.
func (s *Surface) Tree(ctx context.Context) (*mesh.Indexed, error) {
	x, err := s.index.Get(ctx)
	if err != nil {
		return nil, err
	}
	return x.tree, nil
}

// Rays returns the Caster, and builds the tree if necessary. It fails only with the
// error of ctx.
func (s *Surface) Rays(ctx context.Context) (*raycross.Caster, error) {
	x, err := s.index.Get(ctx)
	if err != nil {
		return nil, err
	}
	return x.rays, nil
}

// Nearest returns the Searcher, and builds the tree if necessary. It fails only with
// the error of ctx.
func (s *Surface) Nearest(ctx context.Context) (*nearest.Searcher, error) {
	x, err := s.index.Get(ctx)
	if err != nil {
		return nil, err
	}
	return x.nearest, nil
}

// MustRays is Rays for queries that cannot be interrupted.
func (s *Surface) MustRays() *raycross.Caster { return s.index.Must().rays }

// MustNearest is Nearest for queries that cannot be interrupted.
func (s *Surface) MustNearest() *nearest.Searcher { return s.index.Must().nearest }

// Bytes estimates the memory of the mesh, and of the tree once it is built.
func (s *Surface) Bytes() int64 {
	m := s.mesh
	n := 24*int64(len(m.Vertices)) + 12*int64(m.NumFaces()) + 4*int64(len(m.Degenerate()))
	n += int64(unsafe.Sizeof(mesh.Edge{})) * int64(len(m.Boundary()))
	if s.Indexed() {
		n += s.TreeBytes()
	}
	return n
}

// TreeBytes estimates the memory of a tree over the faces. A face takes fewer than two
// nodes, a triangle, and its number in the order of the leaves.
func (s *Surface) TreeBytes() int64 {
	return int64(s.mesh.NumFaces()) * (2*bvh.NodeBytes + int64(unsafe.Sizeof(mesh.Triangle{})) + 4)
}

// Parity reports whether the parity of crossings decides the sides of m under rule:
// EvenOdd counts crossings on a mesh that is open but has an even number of faces at
// every edge. The winding number does not determine its sides.
func Parity(m *mesh.Mesh, rule side.Rule) bool {
	return rule == side.EvenOdd && m.EvenEdges() && !m.Closed()
}

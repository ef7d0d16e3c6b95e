package locate

import (
	"context"
	"sync"
	"unsafe"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Surface is a mesh with an Index, which the first call of Index, MustIndex or Rays builds. It is
// safe for concurrent use.
type Surface struct {
	mesh  *mesh.Mesh
	opt   SurfaceOptions
	index *lazy.Value[Index]
	// boundary returns the boundary chain. The first call builds the chain.
	boundary func() *surfaceBoundary
}

// SurfaceOptions configures the Index of a Surface.
type SurfaceOptions struct {
	Rule    side.Rule
	Seed    uint64 // changes the random rays, never the answers
	Workers int    // number of goroutines that build the tree
}

// Index is the tree over the faces of a mesh, with the objects that search the tree: the Caster and
// the Searcher.
type Index struct {
	Tree    *mesh.Indexed
	Rays    *raycross.Caster
	Nearest *nearest.Searcher
}

// NewSurface returns the Surface of m. It does not build the Index.
func NewSurface(m *mesh.Mesh, opt SurfaceOptions) *Surface {
	s := &Surface{mesh: m, opt: opt}
	s.index = lazy.New(s.build)
	s.boundary = sync.OnceValue(func() *surfaceBoundary { return newBoundary(m) })
	return s
}

// build fails only with the error of ctx, because package mesh has checked the coordinates.
func (s *Surface) build(ctx context.Context) (*Index, error) {
	tree, err := s.mesh.Index(ctx, bvh.Options{Workers: s.opt.Workers})
	if err != nil {
		return nil, err
	}
	rays, err := raycross.New(tree, raycross.Options{Rule: s.opt.Rule, Seed: s.opt.Seed})
	if err != nil {
		return nil, err
	}
	return &Index{Tree: tree, Rays: rays, Nearest: nearest.New(tree)}, nil
}

// Mesh returns the mesh, which must not be modified.
func (s *Surface) Mesh() *mesh.Mesh { return s.mesh }

// Rule returns the rule of the solid.
func (s *Surface) Rule() side.Rule { return s.opt.Rule }

// Indexed reports whether the Index has been built.
func (s *Surface) Indexed() bool { return s.index.Built() }

// Index returns the Index, and builds it if necessary. It fails only with the error of ctx.
func (s *Surface) Index(ctx context.Context) (*Index, error) { return s.index.Get(ctx) }

// MustIndex returns the Index as the method Index does, but the call cannot be interrupted.
func (s *Surface) MustIndex() *Index { return s.index.Must() }

// Rays returns the Caster of the Index. It fails only with the error of ctx.
func (s *Surface) Rays(ctx context.Context) (*raycross.Caster, error) {
	x, err := s.Index(ctx)
	if err != nil {
		return nil, err
	}
	return x.Rays, nil
}

// Bytes estimates the memory of the mesh, plus the memory of the tree if the tree has been built.
func (s *Surface) Bytes() int64 {
	m := s.mesh
	n := 24*int64(len(m.Vertices)) + 12*int64(m.NumFaces()) + 4*int64(len(m.Degenerate()))
	n += int64(unsafe.Sizeof(mesh.Edge{})) * int64(len(m.Boundary()))
	if s.Indexed() {
		n += s.TreeBytes() + s.MustIndex().Rays.Bytes()
	}
	return n
}

// TreeBytes estimates the memory of a tree over the faces. For each face, the tree stores one
// triangle, one face number and fewer than two nodes.
func (s *Surface) TreeBytes() int64 {
	return int64(s.mesh.NumFaces()) * (2*bvh.NodeBytes + int64(unsafe.Sizeof(mesh.Triangle{})) + 4)
}

// Parity reports whether the parity of crossings decides the sides of m. Otherwise the winding
// number decides the sides. Parity returns true if rule is EvenOdd, m is open, and every edge has
// an even number of faces.
func Parity(m *mesh.Mesh, rule side.Rule) bool {
	return rule == side.EvenOdd && m.EvenEdges() && !m.Closed()
}

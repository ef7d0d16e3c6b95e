package cells

import (
	"context"
	"sync"
	"unsafe"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/build"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Options configures New. Rays is required. The zero value of every other field is valid.
type Options struct {
	Rule side.Rule
	// Workers is the number of goroutines that build the index. If Workers ≤ 0, New uses one
	// goroutine for each processor. The results of queries do not depend on Workers.
	Workers int
	// ExpectedPoints is the expected number of queries; 0 means many queries. The cost model weighs
	// the time to build the index against the time to query the index.
	ExpectedPoints int64
	// Rays returns a Caster for the mesh and rule of the index. The Caster finds the sides of
	// points that cells cannot decide. The index calls Rays when a point or a cell first needs a
	// ray. The index can call Rays several times, also concurrently, or never. New passes its own
	// context to Rays. Queries pass a context that ends when the context of the batch ends or when
	// Scratch.Interrupt is closed.
	Rays func(ctx context.Context) (*raycross.Caster, error)

	plan *build.Plan // set by tests; if nil, the cost model chooses a plan
}

// Index finds sides and winding numbers for one mesh. It is immutable and safe for concurrent use.
// Each goroutine needs its own Scratch.
type Index struct {
	grid    layout.Grid // empty for a mesh without faces
	noGrid  bool        // whether every query needs a ray
	rays    func(ctx context.Context) (*raycross.Caster, error)
	batches chan *batch // pool of working memory
	sums    sync.Pool   // holds values of type *fmm.Scratch
}

// New builds the index of m. The index keeps a reference to m. New takes O(n) time and memory for n
// triangles of similar size.
//
// Errors: mesh.ErrTooLarge if a coordinate exceeds mesh.MaxCoordinate; the error of Rays; the error
// of ctx if ctx ends first.
func New(ctx context.Context, m *mesh.Mesh, opt Options) (*Index, error) {
	g, err := build.Grid(ctx, m, build.Options{
		Rule: opt.Rule, Workers: opt.Workers, ExpectedPoints: opt.ExpectedPoints, Rays: opt.Rays, Plan: opt.plan,
	})
	if err != nil {
		return nil, err
	}
	x := &Index{rays: opt.Rays, batches: make(chan *batch, par.Workers(0))}
	x.sums.New = func() any { return new(fmm.Scratch) }
	if g == nil {
		x.noGrid = true
		x.grid.Mesh = m
		if _, err := x.rays(ctx); err != nil {
			return nil, err
		}
		return x, nil
	}
	x.grid = *g
	return x, nil
}

// Cost predicts the time to build an index of a closed mesh, and the time of a query, in nanoseconds of
// one worker. k describes the mesh. points is the expected number of queries; 0 means many.
func Cost(k mesh.Sizes, points int64) (buildTime, query float64) { return build.Cost(k, points) }

// Shape describes the size of an Index. Shape is zero if the mesh has no faces or if every query
// needs a ray.
type Shape struct {
	Cell    float64 // edge of a level-0 cell, in the unit of the mesh
	Bricks  int     // number of bricks of 8×8×8 cells that the surface crosses
	Crossed int     // number of crossed cells of all levels
	Entries int     // total number of triangles in the lists of the crossed cells
	Depth   int     // number of levels of refinement below level 0
	RayOnly int     // number of cells in which queries need rays
	Open    int     // number of level-0 cells in which queries compute the potential of the caps
	Caps    int     // number of triangles that close the boundary
	Bytes   int64   // memory of the index in bytes, without the mesh and the Caster
}

// Shape returns the size of the index.
func (x *Index) Shape() Shape {
	g := &x.grid
	if len(g.Top) == 0 {
		return Shape{}
	}
	return Shape{
		Cell: g.Cell, Bricks: g.Counts.Bricks, Crossed: g.Counts.Crossed, Entries: g.Counts.Entries, Depth: g.Counts.Depth,
		RayOnly: g.Counts.RayOnly, Open: g.Counts.Open, Caps: len(g.Caps), Bytes: int64(unsafe.Sizeof(*x)) + g.Bytes(),
	}
}

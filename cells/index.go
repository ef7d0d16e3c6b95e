package cells

import (
	"context"
	"unsafe"

	"github.com/inpoly/inpoly/cells/internal/build"
	"github.com/inpoly/inpoly/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Options of an Index. Rays is required; the zero value of the rest is good.
type Options struct {
	Rule side.Rule
	// Workers is the number of goroutines that build; ≤ 0 means one for each
	// processor. The answers do not depend on it.
	Workers int
	// ExpectedPoints is the number of points that will be asked for, if known. The
	// cost model weighs the time to build against it. 0 means many.
	ExpectedPoints int64
	// Rays returns the Caster of the same mesh and rule, which answers where cells
	// cannot. It is called when the first such point or cell turns up: perhaps
	// never, perhaps several times, perhaps by several goroutines at once. In New
	// its context is the one given to New; in queries it ends with the context of
	// the batch or with Scratch.Interrupt.
	Rays func(ctx context.Context) (*raycross.Caster, error)

	plan *build.Plan // for tests; nil: the cost model chooses
}

// Index answers for one mesh by cells. It is immutable and safe for concurrent use;
// each goroutine brings its own Scratch.
type Index struct {
	grid    layout.Grid // empty for a mesh without faces
	noGrid  bool        // rays answer for every point
	rays    func(ctx context.Context) (*raycross.Caster, error)
	batches chan *batch // pool of working memory
}

// New builds the index of m, which the index keeps. It takes O(n) time and memory for n
// triangles of similar size.
//
// Errors: mesh.ErrTooLarge if a coordinate exceeds mesh.MaxCoordinate; the error of Rays;
// the error of ctx if that ends first.
func New(ctx context.Context, m *mesh.Mesh, opt Options) (*Index, error) {
	g, err := build.Grid(ctx, m, build.Options{
		Rule: opt.Rule, Workers: opt.Workers, ExpectedPoints: opt.ExpectedPoints, Rays: opt.Rays, Plan: opt.plan,
	})
	if err != nil {
		return nil, err
	}
	x := &Index{rays: opt.Rays, batches: make(chan *batch, par.Workers(0))}
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

// hasCaps reports whether the mesh is open and caps close it.
func (x *Index) hasCaps() bool { return len(x.grid.Caps) > 0 }

// Shape describes the size of an Index. It is zero if there is no grid, that is, if the
// mesh has no faces or if rays answer for every point.
type Shape struct {
	Cell    float64 // edge of a cell of level 0, in the unit of the mesh
	Bricks  int     // bricks of 8×8×8 cells that the surface crosses
	Crossed int     // crossed cells of all levels
	Entries int     // triangles listed in them, together
	Depth   int     // levels of refinement below level 0
	RayOnly int     // cells whose points are answered by rays
	Caps    int     // triangles that close the boundary
	Bytes   int64   // memory, without the mesh and the Caster
}

// Shape returns the size of the index.
func (x *Index) Shape() Shape {
	g := &x.grid
	if len(g.Top) == 0 {
		return Shape{}
	}
	return Shape{
		Cell: g.Cell, Bricks: g.Counts.Bricks, Crossed: g.Counts.Crossed, Entries: g.Counts.Entries, Depth: g.Counts.Depth,
		RayOnly: g.Counts.RayOnly, Caps: len(g.Caps), Bytes: int64(unsafe.Sizeof(*x)) + g.Bytes(),
	}
}

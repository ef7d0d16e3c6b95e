package cells

import (
	"context"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// maxCoordinate is the largest |coordinate| of a mesh that an Index accepts: that
// of package raycross.
const maxCoordinate = 0x1p1000

// maxOpen is the largest |coordinate| of an open mesh that is not handed over as
// a whole: beyond it the winding numbers of rays may stay undecided.
const maxOpen = 0x1p256

// Options of an Index. Rays is required; the zero value of the rest is good.
type Options struct {
	Rule side.Rule
	// Workers is the number of goroutines that build; ≤ 0 means one for each
	// processor. The answers do not depend on it.
	Workers int
	// ExpectedPoints is how many points will be asked for, if known: the cost
	// model weighs the time to build against it. 0 means many.
	ExpectedPoints int64
	// Rays returns the Caster of the same mesh and rule that answers what cells
	// hand over. It is called when the first such point or cell turns up, maybe
	// never, maybe several times, maybe by several goroutines at once; only New
	// gives it a context that may end.
	Rays func(ctx context.Context) (*raycross.Caster, error)
}

// Index answers for one mesh by cells. It is immutable and safe for concurrent
// use; each goroutine brings its own Scratch.
//
// Bricks of 8×8×8 cells cover the box of the mesh and its fans. Those that no
// triangle meets share one brick for each winding number. A brick is eight
// words, one for each layer of cells in z, with bit x + 8y for cell (x, y).
type Index struct {
	frame
	mesh   *mesh.Mesh
	rule   side.Rule
	parity bool // W is the parity of crossings: EvenOdd, the mesh is open, and every edge has an even number of faces
	rays   func(ctx context.Context) (*raycross.Caster, error)
	flat   map[int32]bool  // faces of zero area
	fans   []mesh.Triangle // faces from mesh.NumFaces() on
	veil   *fans           // bounds of the potential of the fans; nil if the mesh is closed or parity, or if they all have no area
	gone   bool            // no grid: everything is handed over

	top    []uint32   // for each brick of the grid: number<<3 | needs rays<<2 | inside for value 1<<1 | inside for value 0
	words  []word     // eight for each number
	base   []uint32   // for each word, the line of its first crossed cell
	w      [][2]int32 // for each number, W of the empty cells of value 0 and 1
	chunks []chunk
	long   int     // longer lists are refined
	gridOf []int32 // for each number from `shared` on, its brick of the grid
	shape  Shape

	grid    grid        // the same for assembly
	kernel  bool        // assembly may be used
	batches chan *batch // working memory of SidesTo, used again
}

// New builds the index of m. It fails if a coordinate exceeds 2^1000, with the
// error of Rays, and with that of ctx if that ends first.
func New(ctx context.Context, m *mesh.Mesh, opt Options) (*Index, error) {
	x := &Index{
		mesh: m, rule: opt.Rule, parity: opt.Rule == side.EvenOdd && m.EvenEdges(), rays: opt.Rays,
		batches: make(chan *batch, par.Workers(0)),
	}
	box := m.Box()
	if box.Empty() {
		return x, nil
	}
	largest := max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max))
	if largest > maxCoordinate {
		return nil, fmt.Errorf("coordinate %g exceeds %g: scale the mesh down", largest, maxCoordinate)
	}
	if flat := m.Degenerate(); len(flat) > 0 {
		x.flat = make(map[int32]bool, len(flat))
		for _, f := range flat {
			x.flat[f] = true
		}
	}
	if x.parity = x.parity && !m.Closed(); !m.Closed() && !x.parity {
		veil, ok := newFans(m, m.NumFaces()/2)
		if !ok || largest > maxOpen {
			x.gone = true
			_, err := x.rays(ctx)
			return x, err
		}
		if len(veil.tris) > 0 { // else W is an integer off the surface
			x.veil, x.fans = veil, veil.tris
		}
		for _, t := range x.fans {
			box = box.Add(t[2])
		}
	}
	plan := x.plan(opt.ExpectedPoints)
	if forced != nil {
		plan = *forced
	}
	x.long = plan.long
	faces, err := x.lay(ctx, box, plan, largest, opt.Workers)
	if err != nil {
		return nil, err
	}
	if x.veil != nil {
		x.veil.group(int(x.dims[0]) * int(x.dims[1]) * int(x.dims[2]))
	}
	if err := x.build(ctx, faces, opt.Workers); err != nil {
		return nil, err
	}
	return x, nil
}

// lay sets the frame and finds the faces of its bricks. Where the lists would be
// longer than planned, for a few large triangles that the sample missed, cells
// become larger.
func (x *Index) lay(ctx context.Context, box bvh.Box, p plan, largest float64, workers int) (*assignment, error) {
	n := float64(x.mesh.NumFaces() + len(x.fans))
	for {
		x.frame = newFrame(box, p.edge, p.offset, largest)
		a, err := x.assign(ctx, workers)
		if err != nil || forced != nil || a.entries <= 2*mostLists*n+fewEntries {
			return a, err
		}
		p.edge *= math.Sqrt(a.entries / (mostLists * n))
	}
}

// fewEntries are not worth another plan.
const fewEntries = 1 << 10

// triangle returns the corners of a face or fan.
func (x *Index) triangle(f int32) mesh.Triangle {
	if n := int32(x.mesh.NumFaces()); f >= n {
		return x.fans[f-n]
	}
	return x.mesh.Triangle(f)
}

func (x *Index) isFan(f int32) bool { return int(f) >= x.mesh.NumFaces() }

// Shape tells the size of an index.
type Shape struct {
	Cell    float64 // edge of a cell of the first level, in the mesh's unit
	Bricks  int     // bricks of 8×8×8 cells that the surface crosses
	Crossed int     // crossed cells of all levels
	Entries int     // triangles listed in them, together
	Depth   int     // levels of refinement below the first
	Handed  int     // cells that hand over to rays
	Fans    int     // virtual triangles that close the boundary
	Bytes   int64   // memory, the mesh and the Caster not counted
}

// Shape returns the size of the index.
func (x *Index) Shape() Shape { return x.shape }

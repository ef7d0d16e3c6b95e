package cells

import (
	"context"

	"github.com/golang/geo/r3"

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
	// ExpectedPoints is how many points will be asked for, if known: the cost
	// model weighs the time to build against it. 0 means many.
	ExpectedPoints int64
	// Rays returns the Caster of the same mesh and rule that answers what cells
	// hand over. It is called when the first such point or cell turns up, maybe
	// never, maybe several times, maybe by several goroutines at once.
	Rays func(ctx context.Context) (*raycross.Caster, error)
}

// Index answers for one mesh by cells. It is immutable and safe for concurrent
// use; each goroutine brings its own Scratch.
type Index struct {
	mesh *mesh.Mesh
	opt  Options
	rays *raycross.Caster
}

// New builds the index of m. It fails if a coordinate exceeds 2^1000, with the
// error of Rays, and with that of ctx if that ends first.
func New(ctx context.Context, m *mesh.Mesh, opt Options) (*Index, error) {
	rays, err := opt.Rays(ctx)
	if err != nil {
		return nil, err
	}
	return &Index{mesh: m, opt: opt, rays: rays}, nil
}

// Scratch is the working memory of one goroutine and counts its work. The zero
// value is ready.
type Scratch struct {
	// Done, if not nil, interrupts what may take long for a single point when it
	// is closed: the answer is then Unknown.
	Done <-chan struct{}
	rays raycross.Scratch
}

// Stats returns the counts of all work done with s.
func (s *Scratch) Stats() side.Stats { return s.rays.Stats() }

// Side returns the side of p under the rule of x: the same as raycross.
func (x *Index) Side(p r3.Vector, s *Scratch) side.Side {
	s.rays.Done = s.Done
	return x.rays.Side(p, &s.rays)
}

// SidesTo writes the side of pts[i] to dst[i].
func (x *Index) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	return x.rays.SidesTo(ctx, dst, pts, workers)
}

// Winding returns the winding number of p and a bound of its error: those of
// raycross.Caster.Winding.
func (x *Index) Winding(p r3.Vector, s *Scratch) (w, bound float64) {
	s.rays.Done = s.Done
	return x.rays.Winding(p, &s.rays)
}

// Validate checks every invariant of the index against the mesh by brute force:
// for tests.
func (x *Index) Validate(ctx context.Context) error { return nil }

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
func (x *Index) Shape() Shape { return Shape{} }

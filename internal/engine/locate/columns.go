package locate

import (
	"context"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/engine/columns"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// crossings estimates the winding numbers of a closed mesh. It counts the triangles along a ray
// parallel to an axis. Its winding numbers are exact, but it returns none for a point on the
// surface.
type crossings struct{ index *columns.Index }

// newColumns returns the Locator for the method Columns. On an open mesh S, it computes the winding
// number W(S+C) of the mesh and its caps C by columns, and subtracts the potential J(C); see
// newCapped. If the multipoles do not decide a side, the sum over all caps is tried, and then a
// ray.
func newColumns(ctx context.Context, s *Surface, w Workload) (Locator, error) {
	exact := Locator(rays{s})
	if s.mesh.Closed() {
		if sweepPays(w) {
			return newSwept(s, w), ctx.Err()
		}
		return newCrossings(ctx, s, w.Points)
	}
	var closed closedWinding
	index := func(ctx context.Context, m *mesh.Mesh, points int64, opt SurfaceOptions) (closedWinding, error) {
		x, err := columns.New(ctx, m, columns.Options{Workers: opt.Workers, ExpectedPoints: points})
		closed = func(p r3.Vector, m *memory) (w float64, ok bool) {
			n, on := x.Winding(p, &m.columns)
			return float64(n), !on
		}
		return closed, err
	}
	p, caps, err := newCapped(ctx, s, openEpsilon, w.Points, index)
	if err != nil {
		return nil, err
	}
	sum, err := newCapSum(ctx, caps, closed, s.opt.Workers)
	if err != nil {
		return nil, err
	}
	// The sum over the boundary has a smaller bound than the sum over the caps. So rays, which use
	// the boundary, find all winding numbers.
	return WithFallback(p, WithFallback(sum, exact, s.opt.Rule, w.Parity, 0), s.opt.Rule, w.Parity, 0), nil
}

// capSum estimates the winding numbers of an open mesh by the sum over all caps; see newCapped.
type capSum struct {
	sum      *bem.Direct
	closed   closedWinding
	caps     int
	memories sync.Pool // holds values of type *memory
}

func newCapSum(ctx context.Context, caps []mesh.Triangle, closed closedWinding, workers int) (*capSum, error) {
	soup := mesh.Soup{}
	for i, t := range caps {
		soup.Vertices = append(soup.Vertices, t[:]...)
		soup.Faces = append(soup.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
	}
	m, err := mesh.NewOwned(ctx, soup, mesh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	c := &capSum{sum: bem.NewDirect(m, workers), closed: closed, caps: len(caps)}
	c.memories.New = func() any { return new(memory) }
	return c, nil
}

func (c *capSum) Estimate(p r3.Vector) Estimate {
	m := c.memories.Get().(*memory)
	defer c.memories.Put(m)
	j, bound, on := c.sum.Winding(p)
	return lessCaps(c.closed, p, j, bound, on, m)
}

func (c *capSum) Prepare(context.Context, []r3.Vector, int) (BatchEstimator, int) {
	return c, min(max(1, directTerms/max(1, c.caps)), blockSize)
}

func (c *capSum) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	return estimateEach(ctx, c.Estimate, dst, pts)
}

func (c *capSum) Bytes() int64 { return 9 * int64(c.caps) }

func (c crossings) Estimate(p r3.Vector) Estimate {
	var s columns.Scratch
	w, on := c.index.Winding(p, &s)
	return Estimate{W: float64(w), OK: !on, OnSurface: on}
}

func (c crossings) Prepare(_ context.Context, pts []r3.Vector, workers int) (BatchEstimator, int) {
	return c, crossingsBlock
}

// tuning
const (
	crossingsBlock = 512 // number of points in a block
	checkCrossings = 16  // number of points between two checks of the context
)

func (c crossings) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	var s columns.Scratch
	for i, p := range pts {
		if i%checkCrossings == 0 && ctx.Err() != nil {
			return s.Stats(), ctx.Err()
		}
		if vec.Finite(p) {
			w, on := c.index.Winding(p, &s)
			dst[i] = Estimate{W: float64(w), OK: !on, OnSurface: on}
		}
	}
	return s.Stats(), ctx.Err()
}

func (c crossings) Bytes() int64 { return c.index.Bytes() }

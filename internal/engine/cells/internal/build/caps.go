package build

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// mostEdges is the largest number of boundary edges that closeHoles closes. A tree over n edges has
// at most 2n nodes. An item is an int32 below itemKinds·2n, so n = mostEdges is safe.
const mostEdges = 1 << 28

// closeHoles closes the boundary chain of m with caps. It returns nil if more than maxEdges or
// mostEdges edges must be closed. mesh.Capped has the same caps.
//
// The caps and the mesh together have no boundary, so their winding number is an integer. This
// integer is the winding number of the mesh plus the double-layer potential of the caps. The
// potential of a triangle of zero area is 0, and no segment crosses it. So these triangles are left
// out.
func closeHoles(ctx context.Context, m *mesh.Mesh, maxEdges int) (*holes, error) {
	count := 0
	for _, e := range m.Boundary() {
		if count += int(max(e.Mult, -e.Mult)); count > min(maxEdges, mostEdges) {
			return nil, nil
		}
	}
	loops, times, err := m.BoundaryLoops(ctx)
	if err != nil {
		return nil, err
	}
	count = 0
	for _, loop := range loops {
		if count += len(loop); count > mostEdges {
			return nil, nil
		}
	}
	h, err := newHoles(ctx, m, loops)
	if err == nil {
		h.times = float64(times)
	}
	return h, err
}

// capEpsilon is the requested error of the potential of the caps. A smaller error decides more
// points, but makes each point slower. // tuning
const capEpsilon = 0x1p-6

// planCaps prepares the sums over the caps of g.
func (b *builder) planCaps(ctx context.Context) error {
	tris := make([]mesh.Triangle, len(b.Caps))
	soup := mesh.Soup{}
	for i, c := range b.Caps {
		tris[i] = b.holes.triangle(c)
		soup.Vertices = append(soup.Vertices, tris[i][:]...)
		soup.Faces = append(soup.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
	}
	caps, err := mesh.NewOwned(ctx, soup, mesh.Options{Workers: b.workers})
	if err != nil {
		return err
	}
	b.CapSum = bem.NewDirect(caps, 1)
	// The evaluation tree covers only the box of its triangles. Two triangles of zero area extend
	// this box to the box of the mesh.
	box := b.Mesh.Box()
	tris = append(tris, mesh.Triangle{box.Min, box.Min, box.Min}, mesh.Triangle{box.Max, box.Max, box.Max})
	expected := max(10_000, b.expectedPoints()/2) // tuning
	b.CapTimes = b.holes.times
	b.CapPlan, err = fmm.New(ctx, tris, fmm.Options{Epsilon: capEpsilon / b.CapTimes, ExpectedPoints: expected, Workers: b.workers})
	return err
}

// RayWinding computes the integer winding number of mesh and caps at single points. It uses rays
// but no grid. Only one goroutine at a time can use a RayWinding.
type RayWinding struct {
	parity  bool
	caster  *raycross.Caster
	grid    *layout.Grid
	scratch raycross.Scratch
}

// NewRayWinding returns a RayWinding for the mesh and caps of g. rays is the function Options.Rays.
func NewRayWinding(ctx context.Context, g *layout.Grid, rays func(context.Context) (*raycross.Caster, error)) (*RayWinding, error) {
	c, err := rays(ctx)
	if err != nil {
		return nil, err
	}
	r := &RayWinding{parity: g.Parity, caster: c, grid: g}
	r.scratch.Done = ctx.Done()
	return r, nil
}

// At returns the winding number of p. ok is false if rays do not determine the winding number.
func (r *RayWinding) At(p r3.Vector) (w int32, ok bool) {
	if r.grid.CapSum == nil {
		n := r.caster.Count(p, &r.scratch)
		switch {
		case n.OnSurface:
			return 0, false
		case r.parity:
			return int32(n.Crossings & 1), true
		}
		return int32(n.Signed), n.Signed == int64(int32(n.Signed)) && int32(n.Signed) != unknownW
	}
	v, bound := r.caster.Winding(p, &r.scratch)
	capW, off, on := r.grid.CapSumAt(p)
	k := math.RoundToEven(v + capW)
	if on || !(math.Abs(v+capW-k)+bound+off < 0.5) || math.Abs(k) > 1<<30 {
		return 0, false
	}
	return int32(k), true
}

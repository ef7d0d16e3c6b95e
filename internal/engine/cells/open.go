package cells

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/side"
)

// Let W be the winding number of an open mesh, k the winding number of the mesh and its caps, and J
// the potential of the caps. Then W = k − J. A query in an open cell computes k exactly, as in a
// closed mesh, and an approximation of J with a bound. Outside of the grid, k is 0. In many open
// cells a field interpolates J or W. Then most queries need no sum over caps.

// sideInOpenCell returns the side of p, which is in an open level-0 cell. ok is false if only a ray
// can find the side.
func (x *Index) sideInOpenCell(p r3.Vector, tx, ty, tz float64, entry, word uint32, bit uint, signs *predicates.Counter) (d side.Side, ok bool) {
	d, k, o := x.sideByField(p, tx, ty, tz, entry, word, bit, signs)
	switch {
	case o == layout.NeedsRay:
		return side.Unknown, false
	case d == side.Unknown:
		return x.sideByCaps(p, k)
	}
	return d, true
}

// sideByField returns the side of p, which is in an open level-0 cell. If the field of the cell
// does not decide the side, the side is Unknown, and k is the winding number of the mesh and its
// caps. If o is NeedsRay, only a ray can find the side.
func (x *Index) sideByField(p r3.Vector, tx, ty, tz float64, entry, word uint32, bit uint, signs *predicates.Counter) (d side.Side, k int32, o layout.Outcome) {
	f := x.grid.FieldOf(word, bit)
	var value, bound float64
	if f != nil {
		value, bound = f.At(tx-math.Trunc(tx), ty-math.Trunc(ty), tz-math.Trunc(tz))
	}
	if f != nil && f.Kind == layout.MeshField {
		if d, ok := x.grid.Rule.Decide(value, bound); ok {
			return d, 0, layout.Decided
		}
	}
	if f != nil && f.Kind == layout.FaceField {
		c := layout.CellAddr{Level: 0, At: [3]int32{int32(tx), int32(ty), int32(tz)}}
		chi, o := x.grid.FaceCrossings(p, tx, ty, tz, x.grid.RecordOf(word, bit), c, signs)
		switch d, ok := x.grid.Rule.Decide(value+float64(chi), bound+0x1p-50*(1+math.Abs(float64(chi)))); {
		case o == layout.OnSurface:
			return side.OnSurface, 0, o
		case o == layout.Decided && ok:
			return d, 0, o
		}
	}
	if k, o = x.closedWinding(p, tx, ty, tz, entry, word, bit, signs); o != layout.Decided {
		return side.OnSurface, 0, o
	}
	if f != nil && f.Kind == layout.CapField {
		if d, ok := x.grid.Rule.Decide(float64(k)-value, bound+0x1p-50*(1+math.Abs(float64(k)))); ok {
			return d, k, o
		}
	}
	return side.Unknown, k, o
}

// closedWinding returns the winding number of the mesh and its caps at p, which is in an open
// level-0 cell.
func (x *Index) closedWinding(p r3.Vector, tx, ty, tz float64, entry, word uint32, bit uint, signs *predicates.Counter) (k int32, o layout.Outcome) {
	g := &x.grid
	if !g.HasRecord(word, bit) {
		return g.W[entry>>3][g.Words[word].Value>>bit&1], layout.Decided
	}
	c := layout.CellAddr{Level: 0, At: [3]int32{int32(tx), int32(ty), int32(tz)}}
	return g.WindingInCell(p, tx, ty, tz, g.RecordOf(word, bit), c, signs)
}

// sideByCaps computes the potential of the caps and returns the side of p. k is the winding number
// of the mesh and its caps at p. ok is false if only a ray can find the side.
func (x *Index) sideByCaps(p r3.Vector, k int32) (d side.Side, ok bool) {
	s := x.sums.Get().(*fmm.Scratch)
	defer x.sums.Put(s)
	j, bound, on := x.grid.CapPotential(p, s)
	return x.decideOpen(p, k, j, bound, on)
}

// decideOpen returns the side of p. k is the winding number of the mesh and its caps at p, and the
// potential of the caps is within bound of j. If bound does not decide the side, decideOpen
// computes the potential again, as a sum over all caps. ok is false if only a ray can find the
// side.
func (x *Index) decideOpen(p r3.Vector, k int32, j, bound float64, on bool) (d side.Side, ok bool) {
	if on { // a point on a cap can also lie on the mesh
		return side.Unknown, false
	}
	// The last term covers the rounding of k − j.
	decide := func() (side.Side, bool) {
		w := float64(k) - j
		return x.grid.Rule.Decide(w, bound+0x1p-50*(1+math.Abs(w)))
	}
	if d, ok = decide(); ok {
		return d, true
	}
	if j, bound, on = x.grid.CapSumAt(p); on {
		return side.Unknown, false
	}
	return decide()
}

// openBatch holds the points of a block that are in open cells, or outside of the grid of an open
// mesh.
type openBatch struct {
	point    []int32 // numbers of the points in the block
	k        []int32 // winding numbers of the mesh and its caps
	pts      []r3.Vector
	j, bound []float64
	on       []bool
}

func (b *openBatch) reset() { b.point, b.k, b.pts = b.point[:0], b.k[:0], b.pts[:0] }

func (b *openBatch) add(point int, p r3.Vector, k int32) {
	b.point, b.k, b.pts = append(b.point, int32(point)), append(b.k, k), append(b.pts, p)
}

// tuning
const (
	// If a block has at least fewOpen points in open cells, it uses Plan.WindingsTo. For fewer
	// points, single sums take about as long and allocate nothing.
	fewOpen = 1 << 13
	// checkOpen is the number of points between two checks of the context. A point can need a sum over
	// all caps, which takes a millisecond for 100,000 caps.
	checkOpen = 16
)

// clear sets the sides of all points of b to Unknown.
func (b *openBatch) clear(dst []side.Side) {
	for _, at := range b.point {
		dst[at] = side.Unknown
	}
}

// sidesByCaps finds the sides of the points in b.open. After an error it sets the rest to Unknown.
func (x *Index) sidesByCaps(ctx context.Context, b *batch, dst []side.Side) error {
	o := &b.open
	n := len(o.pts)
	if n == 0 {
		return nil
	}
	o.j, o.bound, o.on = slices.Grow(o.j[:0], n)[:n], slices.Grow(o.bound[:0], n)[:n], slices.Grow(o.on[:0], n)[:n]
	var err error
	if n < fewOpen {
		s := x.sums.Get().(*fmm.Scratch)
		for i, p := range o.pts {
			o.j[i], o.bound[i], o.on[i] = x.grid.CapPotential(p, s)
		}
		x.sums.Put(s)
	} else {
		err = x.grid.CapPotentialsTo(ctx, o.j, o.bound, o.on, o.pts, 1)
	}
	for i, at := range o.point {
		if err == nil && i%checkOpen == 0 {
			err = b.failed(ctx)
		}
		if err != nil {
			dst[at] = side.Unknown
			continue
		}
		d, ok := x.decideOpen(o.pts[i], o.k[i], o.j[i], o.bound[i], o.on[i])
		if !ok {
			dst[at] = x.sideByRay(o.pts[i], &b.scratch)
			continue
		}
		dst[at] = d
		b.scratch.points++
	}
	return err
}

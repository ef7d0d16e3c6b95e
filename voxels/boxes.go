package voxels

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// BoxesTo writes the position of each closed box to dst. A box is Straddling if a face shares a point
// with the box: faces that only touch the box count, and so do faces without area. Otherwise all
// points of the box have the same side, so the box is Inside or Outside as each of its points is. The
// positions are exact for the given coordinates. A box can be flat, or a point. A box that contains
// the whole mesh is Straddling. Options.Tolerance has no effect.
//
// On an open mesh, sides also change off the surface. BoxesTo then decides a box that no face meets in two ways. Cells
// can prove that all points have one side. Or the winding number at the center differs from the threshold of the rule
// by more than it can vary in the box. A box that neither way decides is Unknown. So a solid with cells can decide a
// few more boxes than a solid with another method. Under the rule EvenOdd, a mesh whose edges have an even number of
// faces counts as closed.
//
// A box that is empty, or that has an infinite or NaN coordinate, is Unknown. The positions do not
// depend on the number of workers. BoxesTo uses Options.Workers goroutines, and it needs constant
// memory for each. It can build the tree of the solid. With cells, a small box takes some tens of
// nanoseconds.
//
// The boxes are in the world. At a pose, the positions are exact for the exactly moved mesh; a box near the surface
// then takes some tens of microseconds.
//
// BoxesTo panics if dst and boxes differ in length. If ctx ends first, it returns the error of ctx,
// and elements without a position are Unknown.
func BoxesTo(ctx context.Context, s inpoly.Target, dst []Position, boxes []bvh.Box) error {
	if len(dst) != len(boxes) {
		panic(fmt.Sprintf("voxels: dst has length %d, but there are %d boxes", len(dst), len(boxes)))
	}
	if place := locate.Of(s).Place; place != nil {
		return positionsTo(ctx, s, dst, nil, func() convex {
			return newPosedHull(place, func(i int) ([8]r3.Vector, bool) { return cornersOf(&boxes[i]) })
		})
	}
	return positionsTo(ctx, s, dst, boxes, func() convex { return &boxBody{boxes: boxes} })
}

// boxBody is the convex body of a box.
type boxBody struct {
	boxes []bvh.Box
	box   bvh.Box
	signs predicates.Counter
}

func (b *boxBody) set(i int) (bvh.Box, bool) {
	b.box = b.boxes[i]
	return b.box, !b.box.Empty() && vec.Finite(b.box.Min) && vec.Finite(b.box.Max)
}

func (b *boxBody) touches(t *mesh.Triangle) bool {
	return b.signs.TriangleTouchesBox((*[3]r3.Vector)(t), b.box.Min, b.box.Max)
}

func (b *boxBody) point() (p r3.Vector, reach float64) {
	lo, hi := components(b.box.Min), components(b.box.Max)
	var c, d [3]float64
	for k := range c {
		c[k] = min(max(lo[k]/2+hi[k]/2, lo[k]), hi[k])
		d[k] = max(c[k]-lo[k], hi[k]-c[k])
	}
	return vector(c), distanceAbove(vector(d))
}

// distanceAbove returns an upper bound of the length of v, whose components are rounded. The factor
// covers a few roundings, and the smallest positive number covers underflow.
func distanceAbove(v r3.Vector) float64 {
	return vec.Norm(v)*(1+16*ulp) + 4*math.SmallestNonzeroFloat64
}

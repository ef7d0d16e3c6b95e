package assembly

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
)

// Winding returns the sum w of the winding numbers of p over all solids, and a certified bound of
// the error of the sum. The sum equals the winding number of one mesh with the faces of all solids.
// It is an exact integer with bound 0 if all meshes are closed and p is on no surface. Triangles
// that contain p add nothing to w. The bound for several open meshes is at least the sum of their
// bounds. If p is not finite, Winding returns NaN and +Inf. If p is in the boxes of at most 64
// solids, Winding allocates no more than inpoly.Solid.Winding.
func (a *Assembly) Winding(p r3.Vector) (w, bound float64) {
	if len(a.members) == 1 {
		return a.members[0].set.Winding.Winding(p)
	}
	if !vec.Finite(p) {
		return math.NaN(), math.Inf(1)
	}
	var room [64]int32
	solids := room[:0]
	var walk boxWalk
	walk.start(&a.windingBounds, p)
	for i, ok := walk.next(); ok; i, ok = walk.next() {
		solids = append(solids, i)
	}
	slices.Sort(solids) // a fixed order makes the rounding of the sum reproducible
	var sum windingSum
	for _, i := range solids {
		sum.add(a.members[i].set.Winding.Winding(p))
	}
	return sum.result()
}

// windingsTo writes the winding numbers to dst. The caller has cleared dst.
func (a *Assembly) windingsTo(ctx context.Context, dst Answers, pts []r3.Vector) error {
	_, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		sums := make([]windingSum, hi-lo)
		group := func(solid int32, points []int32) error {
			m := &a.members[solid]
			if err := w.locate(ctx, m, m.set.Winding, points, pts[lo:hi], false); err != nil {
				return err
			}
			for k, i := range points {
				sums[i].add(w.answers.Winding[k], w.answers.Bound[k])
			}
			return nil
		}
		if w.forEachBody(ctx, &a.windingBounds, &a.byIndex, pts[lo:hi], group) != nil {
			return
		}
		for i, p := range pts[lo:hi] {
			if vec.Finite(p) {
				dst.Winding[lo+i], dst.Bound[lo+i] = sums[i].result()
			}
		}
	})
	return err
}

type windingSum struct{ w, bound float64 }

// add adds the winding number w and its bound to t. It computes the rounding error of the addition
// exactly (Knuth 1969, §4.2.2, theorem C) and adds this error to the bound.
func (t *windingSum) add(w, bound float64) {
	s := t.w + w
	v := s - t.w
	lost := (t.w - (s - v)) + (w - v)
	t.w = s
	t.bound += bound + math.Abs(lost)
}

// result returns the sum and its bound. The factor in the bound covers the rounding of a sum of up
// to 2³¹ bounds.
func (t *windingSum) result() (w, bound float64) {
	if math.IsNaN(t.w) || math.IsNaN(t.bound) {
		return math.NaN(), math.Inf(1)
	}
	return t.w + 0, t.bound * (1 + 0x1p-20) // adding 0 turns −0 into 0
}

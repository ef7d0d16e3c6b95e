package assembly

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/vec"
)

// Winding returns the sum w of the winding numbers of p over all solids, and a certified bound of
// the error of the sum. The sum equals the winding number of one mesh with the faces of all solids.
// It is an exact integer with bound 0 if all meshes are closed and p is on no surface. Triangles
// that contain p add nothing to w. If Options.Epsilon is not 0, the bound is at most
// Options.Epsilon. Otherwise, the bound for several open meshes is at least the sum of their bounds.
// If p is not finite, or if CheckNegative returns an error, Winding returns NaN and +Inf. If p is in the boxes of at most 64 solids and
// Options.Epsilon is 0, Winding allocates no more than inpoly.Solid.Winding.
func (a *Assembly) Winding(p r3.Vector) (w, bound float64) {
	if len(a.members) == 1 && a.negative == 0 {
		return a.members[0].set.Winding.Winding(p)
	}
	if a.negative > 0 || !vec.Finite(p) {
		return math.NaN(), math.Inf(1)
	}
	var room [64]int32
	solids := a.contributing(room[:0], p)
	slices.Sort(solids) // a fixed order makes the rounding of the sum reproducible
	var sum windingSum
	for _, i := range solids {
		sum.add(a.members[i].set.Winding.Winding(p))
	}
	if w, bound = sum.result(); a.opt.Epsilon > 0 && !(bound <= a.opt.Epsilon) {
		w, bound, _ = a.precise(context.Background(), p) // the error is nil because this context never ends
	}
	return w, bound
}

// contributing appends the solids whose winding number at p can differ from 0.
func (a *Assembly) contributing(dst []int32, p r3.Vector) []int32 {
	var walk boxWalk
	walk.start(&a.windingBounds, p)
	for i, ok := walk.next(); ok; i, ok = walk.next() {
		dst = append(dst, i)
	}
	return dst
}

// precise computes the sum of Winding with the precision that Options.Epsilon needs. The sum is
// rounded once. The error is the error of ctx.
func (a *Assembly) precise(ctx context.Context, p r3.Vector) (w, bound float64, err error) {
	sum, total := new(big.Float).SetPrec(preciseBits), new(big.Float).SetMode(big.ToPositiveInf)
	solids := a.contributing(nil, p)
	for _, i := range solids {
		limit := a.opt.Epsilon * locate.PreciseShare / float64(len(solids))
		one, off, err := a.members[i].set.PreciseWinding(ctx, p, limit)
		if err != nil {
			return math.NaN(), math.Inf(1), err
		}
		sum.Add(sum, one)
		total.Add(total, off)
	}
	w, bound = locate.Nearest(sum, total)
	return w, bound, nil
}

// preciseBits is the precision of a sum of winding numbers. They have at most 256 bits after the
// binary point, unless they are tiny.
const preciseBits = 1 << 10

// windingsTo writes the winding numbers to dst. The caller has cleared dst.
func (a *Assembly) windingsTo(ctx context.Context, dst inpoly.Answers, pts []r3.Vector) error {
	// The Stages of the batch must not depend on the order in which workers finish blocks.
	stages := make([]*locate.Stage, len(a.members))
	for i := range a.members {
		set := a.members[i].set
		if stages[i] = set.Winding; set.Unsteady {
			var err error
			if stages[i], err = set.Winding.Settled(ctx, pts, a.opt.Workers); err != nil {
				return err
			}
		}
	}
	_, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		sums := make([]windingSum, hi-lo)
		group := func(solid int32, points []int32) error {
			if err := w.locate(ctx, &a.members[solid], stages[solid], points, pts[lo:hi], false); err != nil {
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
			if !vec.Finite(p) {
				continue
			}
			v, bound := sums[i].result()
			if a.opt.Epsilon > 0 && !(bound <= a.opt.Epsilon) {
				var err error
				if v, bound, err = a.precise(ctx, p); err != nil {
					return
				}
			}
			dst.Winding[lo+i], dst.Bound[lo+i] = v, bound
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

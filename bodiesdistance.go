package inpoly

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Distance returns the signed distance from p to the nearest surface of any solid,
// negative where p is Inside of any solid, not necessarily of that one; the solid,
// and the number of the face in its mesh: of several at the same distance the first
// solid, and its smallest face. So inside of a union it is the distance to the
// nearest face, which may lie in another solid, and at most that to the boundary of
// the union.
//
// The distance is 0 where p is exactly on a face; Options.Tolerance plays no part.
// Where p is Inside of none and Unknown for some solid, the distance is NaN, for its
// sign is; where p is not finite or there are no faces body and face are −1 too.
func (a *Assembly) Distance(p r3.Vector) (d float64, body, face int32) {
	var sc scratch
	var near bvh.NearWalk
	d, body, face, _ = a.nearest(context.Background(), p, &sc, &near) // which cannot fail
	if body < 0 {
		return d, body, face
	}
	out := Outside
	var w boxWalk
	w.start(&a.reach, p)
	for i, ok := w.next(); ok && out != Inside; i, ok = w.next() {
		m := a.members[i].solid
		out = union(out, m.exactSide(p, &sc, m.useDirect(1)))
	}
	return signed(d, out), body, face
}

// signed gives an unsigned distance the sign of a side.
func signed(d float64, s Side) float64 {
	switch {
	case s == Unknown:
		return math.NaN()
	case s == Inside && d > 0:
		return -d
	}
	return d
}

// DistancesTo writes Distance(pts[i]) to d[i], body[i] and face[i], using
// Options.Workers goroutines. It panics if the lengths differ. When ctx ends first
// its error is returned, and d holds NaN, body and face −1 where no answer was found.
func (a *Assembly) DistancesTo(ctx context.Context, d []float64, body, face []int32, pts []r3.Vector) error {
	if len(d) != len(pts) || len(body) != len(pts) || len(face) != len(pts) {
		panic("inpoly: d, body, face and pts differ in length")
	}
	for i := range d {
		d[i], body[i], face[i] = math.NaN(), -1, -1
	}
	_, err := a.blocks(ctx, len(pts), func(w *asker, lo, hi int) {
		sides, err := a.exactSides(ctx, w, pts[lo:hi])
		if err != nil {
			return
		}
		for i := lo; i < hi; i++ {
			x, b, f, err := a.nearest(ctx, pts[i], &w.scratch, &w.near)
			if err != nil || ctx.Err() != nil {
				break // it may have been interrupted
			}
			d[i], body[i], face[i] = signed(x, sides[i-lo]), b, f
		}
	})
	return err
}

// exactSides returns the sides of the union without the tolerance.
func (a *Assembly) exactSides(ctx context.Context, w *asker, pts []r3.Vector) ([]Side, error) {
	b := pickBlock{sides: make([]Side, len(pts)), exact: true}
	b.start(pts)
	err := a.ask(ctx, w, &a.reach, &a.given, pts, func(ctx context.Context, w *asker, solid int32, points []int32) error {
		return b.group(ctx, a, w, solid, points, pts)
	})
	return b.sides, err
}

// nearest returns the distance from p to the nearest surface, whose it is, and the
// face; NaN and −1 if there is none. The answer is the least of those of all solids:
// those that are left out have boxes too far away. The error is that of ctx.
func (a *Assembly) nearest(ctx context.Context, p r3.Vector, sc *scratch, walk *bvh.NearWalk) (d float64, body, face int32, err error) {
	d, body, face = math.NaN(), -1, -1
	best := math.Inf(1)
	index := a.bounds.tree.Index()
	walk.Start(a.bounds.tree, p)
	for first, n, ok := walk.Next(best); ok; first, n, ok = walk.Next(a.limit(best, walk.Scale())) {
		for _, b := range index[first : first+n] {
			i := a.bounds.solids[b]
			t, err := a.members[i].solid.tree.get(ctx)
			if err != nil {
				return math.NaN(), -1, -1, err
			}
			r := t.near.Closest(p, &sc.near)
			if r.Face >= 0 && (body < 0 || r.Distance < best || r.Distance == best && i < body) {
				best, body, face = r.Distance, i, r.Face
			}
		}
	}
	if body >= 0 {
		d = best
	}
	return d, body, face, nil
}

// limit returns an upper bound of the squared, scaled distance of every box that
// holds a solid whose computed distance is at most best. Its error is at most about
// 80·2^−53 < 2^−46 times the sum of best and of twice the longest edge, which is at
// most the extent of the box (see nearest.Result.Bound), or one unit of the smallest
// number.
func (a *Assembly) limit(best, scale float64) float64 {
	r := (best + 0x1p-44*(best+a.extent) + math.SmallestNonzeroFloat64) * scale
	return float64(r*r) * (1 + 0x1p-50)
}

package inpoly

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"
)

// fewBodies is how many solids around a point Winding remembers without allocating.
const fewBodies = 64

// Winding returns the sum of the winding numbers of p for all solids, which is that
// of all their faces together, and a certified bound of its error. It is an exact
// integer with bound 0 where all meshes are closed and p is on none. On surfaces
// triangles that contain p contribute nothing. The bound of several open meshes is
// the sum of theirs. A p that is not finite gives NaN and +Inf. It allocates no more
// than Solid.Winding where it is in fewer than 64 boxes.
func (a *Assembly) Winding(p r3.Vector) (w, bound float64) {
	if !finite(p) {
		return math.NaN(), math.Inf(1)
	}
	var room [fewBodies]int32
	solids := room[:0]
	var walk boxWalk
	walk.start(&a.turning, p)
	for i, ok := walk.next(); ok; i, ok = walk.next() {
		solids = append(solids, i)
	}
	slices.Sort(solids) // sums of rounded numbers depend on the order
	var sum turns
	for _, i := range solids {
		sum.add(a.members[i].solid.Winding(p))
	}
	return sum.result()
}

// WindingsTo writes Winding(pts[i]) to w[i] and bound[i], using Options.Workers
// goroutines. It panics if the lengths differ. When ctx ends first its error is
// returned, and w holds NaN and bound +Inf where no answer was found. Answers do not
// depend on the number of workers; those of open meshes by multipoles change within
// their bounds as Solid.WindingsTo says.
func (a *Assembly) WindingsTo(ctx context.Context, w, bound []float64, pts []r3.Vector) error {
	if len(w) != len(pts) || len(bound) != len(pts) {
		panic("inpoly: w, bound and pts differ in length")
	}
	for i := range w {
		w[i], bound[i] = math.NaN(), math.Inf(1)
	}
	_, err := a.blocks(ctx, len(pts), func(k *asker, lo, hi int) {
		sums := make([]turns, hi-lo)
		group := func(ctx context.Context, k *asker, solid int32, points []int32) error {
			if err := k.askWindings(ctx, &a.members[solid], points, pts[lo:hi]); err != nil {
				return err
			}
			for j, i := range points {
				sums[i].add(k.w[j], k.bound[j])
			}
			return nil
		}
		if a.ask(ctx, k, &a.turning, &a.given, pts[lo:hi], group) != nil {
			return
		}
		for i, p := range pts[lo:hi] {
			if finite(p) {
				w[lo+i], bound[lo+i] = sums[i].result()
			}
		}
	})
	return err
}

// askWindings writes the winding numbers of m at pts[points[k]] to w.w[k], with the
// bounds. It returns an error if it was interrupted.
func (w *asker) askWindings(ctx context.Context, m *member, points []int32, pts []r3.Vector) error {
	w.w, w.bound = resize(w.w, len(points)), resize(w.bound, len(points))
	s := m.alone
	if m.bulk && len(points) >= bulkPoints {
		w.gather(points, pts)
		return s.WindingsTo(ctx, w.w, w.bound, w.pts)
	}
	f, err := s.windingField(ctx, len(points))
	if err != nil {
		return err
	}
	for k, i := range points {
		w.w[k], w.bound[k] = s.winding(pts[i], f, &w.scratch)
		if k%checkPoints == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// turns is a sum of winding numbers with the bound of its error.
type turns struct{ w, bound float64 }

// add adds w with its bound. What rounding takes from the sum is computed exactly
// (Knuth 1969, §4.2.2, theorem C) and goes to the bound.
func (t *turns) add(w, bound float64) {
	s := t.w + w
	v := s - t.w
	lost := (t.w - (s - v)) + (w - v)
	t.w = s
	t.bound += bound + math.Abs(lost)
}

// result returns the sum. The factor covers that bounds of up to 2³¹ solids are
// rounded as they are added.
func (t *turns) result() (w, bound float64) {
	if math.IsNaN(t.w) || math.IsNaN(t.bound) {
		return math.NaN(), math.Inf(1)
	}
	return t.w + 0, t.bound * (1 + 0x1p-20) // −0 becomes 0
}

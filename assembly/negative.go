package assembly

import (
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/side"
)

// assignCuts finds the negative parts that are cut out of each solid.
func (a *Assembly) assignCuts(parts []Part) {
	cuts := map[int32][]int32{} // negative parts of each object
	for i, p := range parts {
		if p.Negative {
			cuts[p.Object] = append(cuts[p.Object], int32(i))
			a.negative++
		}
	}
	for i, p := range parts {
		if !p.Negative {
			a.members[i].cuts = cuts[p.Object]
		}
	}
}

// CheckNegative returns an error that wraps inpoly.ErrNegative if a has negative parts. Then only sides,
// bodies and sets have a meaning: the surface of the difference of solids is not a mesh of a. Functions
// that take the solids of an Assembly one by one would ignore the cuts, so their callers must call
// CheckNegative first.
func (a *Assembly) CheckNegative() error {
	if a.negative == 0 {
		return nil
	}
	first := slices.IndexFunc(a.members, func(m member) bool { return m.cut })
	return plural.Errorf("%w: %d parts are cut out of the solids, such as %s: only sides can be found", inpoly.ErrNegative, a.negative, quote.Line(a.members[first].name))
}

// Negative reports whether solid i is a negative part. It panics if i is out of range.
func (a *Assembly) Negative(i int) bool { return a.members[i].cut }

// complement exchanges Inside and Outside.
func complement(s side.Side) side.Side {
	switch s {
	case side.Inside:
		return side.Outside
	case side.Outside:
		return side.Inside
	}
	return s
}

// without returns the side of a point relative to a solid without a negative part. s and t are the sides
// of the point relative to the two. The difference is the complement of a union (De Morgan), so a side that
// is OnSurface or Unknown counts as a truth value between true and false in the logic of Kleene.
func without(s, t side.Side) side.Side { return complement(union(complement(s), t)) }

// sideOf returns the side of a finite point p relative to solid i, without its negative parts.
func (a *Assembly) sideOf(i int32, p r3.Vector, ignoreTolerance bool) side.Side {
	m := &a.members[i]
	s := m.sides(ignoreTolerance).Side(p)
	for k := 0; k < len(m.cuts) && s != side.Outside; k++ {
		s = without(s, a.members[m.cuts[k]].sides(ignoreTolerance).Side(p))
	}
	return s
}

// sidesOf returns the sides of some of the points relative to a solid, without its negative parts. The
// slice is valid until the next call. If ctx ends first, sidesOf returns the error of ctx.
func (w *batchWorker) sidesOf(ctx context.Context, a *Assembly, solid int32, points []int32, pts []r3.Vector, ignoreTolerance bool) ([]side.Side, error) {
	m := &a.members[solid]
	if err := w.locate(ctx, m, m.sides(ignoreTolerance), points, pts, true); err != nil {
		return nil, err
	}
	if len(m.cuts) == 0 {
		return w.answers.Sides, nil
	}
	w.kept = append(w.kept[:0], w.answers.Sides...)
	for _, c := range m.cuts {
		w.near, w.cut = w.near[:0], w.cut[:0]
		for k, s := range w.kept {
			if s != side.Outside {
				w.near, w.cut = append(w.near, int32(k)), append(w.cut, points[k])
			}
		}
		if len(w.cut) == 0 {
			break
		}
		n := &a.members[c]
		if err := w.locate(ctx, n, n.sides(ignoreTolerance), w.cut, pts, true); err != nil {
			return nil, err
		}
		for j, k := range w.near {
			w.kept[k] = without(w.kept[k], w.answers.Sides[j])
		}
	}
	return w.kept, nil
}

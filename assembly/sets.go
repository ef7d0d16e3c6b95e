package assembly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// Sets holds sets of solids, one for each point. The zero value holds none. It can be
// filled repeatedly, and keeps its memory.
type Sets struct {
	bodies  []int32
	ends    []int
	unknown []bool
}

// Len returns the number of points.
func (s *Sets) Len() int { return len(s.ends) }

// At returns the solids that contain point i, ascending, as a part of s. The result is
// not certain if the side of some solid is Unknown: that solid is skipped. It panics if i
// is out of range.
func (s *Sets) At(i int) (bodies []int32, certain bool) {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.bodies[from:s.ends[i]:s.ends[i]], !s.unknown[i]
}

// clear makes n sets that are empty and not certain.
func (s *Sets) clear(n int) {
	s.bodies, s.ends, s.unknown = s.bodies[:0], resize(s.ends, n), resize(s.unknown, n)
	clear(s.ends)
	for i := range s.unknown {
		s.unknown[i] = true
	}
}

// setBlock is the part of Sets for one block: pairs of a point and a solid, ascending for
// each point.
type setBlock struct {
	pairs   []pair // the rank is the solid
	unknown []bool
}

// setsTo fills dst, which is clear.
func (a *Assembly) setsTo(ctx context.Context, dst *Sets, pts []r3.Vector) error {
	size := a.blockSize(len(pts))
	found := make([]setBlock, (len(pts)+size-1)/size)
	_, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		b := setBlock{unknown: make([]bool, hi-lo)}
		for i, p := range pts[lo:hi] {
			b.unknown[i] = !vec.Finite(p)
		}
		group := func(ctx context.Context, w *batchWorker, solid int32, points []int32) error {
			m := &a.members[solid]
			if err := w.locate(ctx, m, m.set.Sides, points, pts[lo:hi], true); err != nil {
				return err
			}
			for k, i := range points {
				switch s := w.answers.Sides[k]; {
				case s == side.Unknown:
					b.unknown[i] = true
				case s.Contains():
					b.pairs = append(b.pairs, pair{solid, i})
				}
			}
			return nil
		}
		if w.forEachBody(ctx, &a.sideBounds, &a.given, pts[lo:hi], group) == nil {
			found[lo/size] = b
		}
	})
	if err == nil {
		dst.join(found, size)
	}
	return err
}

// join writes the sets of all blocks.
func (s *Sets) join(found []setBlock, size int) {
	clear(s.ends)
	n := 0
	for k, b := range found {
		copy(s.unknown[k*size:], b.unknown)
		for _, p := range b.pairs {
			s.ends[k*size+int(p.point)]++
		}
		n += len(b.pairs)
	}
	from := 0
	for i, m := range s.ends {
		s.ends[i] = from
		from += m
	}
	// ends[i] is now the beginning of set i; the loop moves it to the end.
	s.bodies = resize(s.bodies, n)
	for k, b := range found {
		for _, p := range b.pairs { // solids ascend for each point
			end := &s.ends[k*size+int(p.point)]
			s.bodies[*end] = p.rank
			*end++
		}
	}
}

package assembly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

type setBlock struct {
	pairs   []pair // pair.rank is the index of a solid, ascending for each point
	unknown []bool
}

// setsTo writes the sets to dst. The caller has cleared dst.
func (a *Assembly) setsTo(ctx context.Context, dst *side.Sets, pts []r3.Vector) error {
	size := a.blockSize(len(pts))
	found := make([]setBlock, (len(pts)+size-1)/size)
	_, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		b := setBlock{unknown: make([]bool, hi-lo)}
		for i, p := range pts[lo:hi] {
			b.unknown[i] = !vec.Finite(p)
		}
		group := func(solid int32, points []int32) error {
			sides, err := w.sidesOf(ctx, a, solid, points, pts[lo:hi], false)
			if err != nil {
				return err
			}
			for k, i := range points {
				switch s := sides[k]; {
				case s == side.Unknown:
					b.unknown[i] = true
				case s.Contains():
					b.pairs = append(b.pairs, pair{solid, i})
				}
			}
			return nil
		}
		if w.forEachBody(ctx, &a.sideBounds, &a.byIndex, pts[lo:hi], group) == nil {
			found[lo/size] = b
		}
	})
	if err == nil {
		joinSets(dst, found, size)
	}
	return err
}

// joinSets copies the sets from all blocks to s.
func joinSets(s *side.Sets, found []setBlock, size int) {
	clear(s.Ends)
	n := 0
	for k, b := range found {
		copy(s.Unknown[k*size:], b.unknown)
		for _, p := range b.pairs {
			s.Ends[k*size+int(p.point)]++
		}
		n += len(b.pairs)
	}
	from := 0
	for i, m := range s.Ends {
		s.Ends[i] = from
		from += m
	}
	// Before the loop, Ends[i] is the beginning of set i. The loop moves it to the end of set i.
	s.Bodies = resize(s.Bodies, n)
	for k, b := range found {
		for _, p := range b.pairs {
			end := &s.Ends[k*size+int(p.point)]
			s.Bodies[*end] = p.rank
			*end++
		}
	}
}

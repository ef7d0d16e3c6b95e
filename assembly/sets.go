package assembly

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// Sets holds the set of solids that contain each point of a batch. The zero value is empty and
// ready for LocateTo. Later calls of LocateTo reuse the memory.
type Sets struct {
	bodies  []int32
	ends    []int
	unknown []bool
}

// Len returns the number of points, which is also the number of sets.
func (s *Sets) Len() int { return len(s.ends) }

// At returns the indexes of the solids that contain point i, ascending. The slice refers to the
// memory of s. If the side of point i relative to a solid is Unknown, At omits this solid and
// returns false. At panics if i is out of range.
func (s *Sets) At(i int) (bodies []int32, certain bool) {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.bodies[from:s.ends[i]:s.ends[i]], !s.unknown[i]
}

// clear resizes s to n sets, all empty and not certain.
func (s *Sets) clear(n int) {
	s.bodies, s.ends, s.unknown = s.bodies[:0], resize(s.ends, n), resize(s.unknown, n)
	clear(s.ends)
	for i := range s.unknown {
		s.unknown[i] = true
	}
}

type setBlock struct {
	pairs   []pair // pair.rank is the index of a solid, ascending for each point
	unknown []bool
}

// setsTo writes the sets to dst. The caller has cleared dst.
func (a *Assembly) setsTo(ctx context.Context, dst *Sets, pts []r3.Vector) error {
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
		dst.join(found, size)
	}
	return err
}

// join copies the sets from all blocks to s.
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
	// Before the loop, ends[i] is the beginning of set i. The loop moves it to the end of set i.
	s.bodies = resize(s.bodies, n)
	for k, b := range found {
		for _, p := range b.pairs {
			end := &s.ends[k*size+int(p.point)]
			s.bodies[*end] = p.rank
			*end++
		}
	}
}

package neighbor

import "github.com/inpoly/inpoly/bvh"

// search looks for the neighbours of a run of sorted bodies.
type search[T Body] struct {
	grid   *grid[T]
	kernel *kernel[T]
	pairs  []Pair
	tests  uint64
	slots  [16]slot
}

// slot remembers where the last search in a bucket began: the bodies of a row are sorted,
// so the next one cannot begin before.
type slot struct{ bucket, at int32 }

// run searches for the bodies in positions [lo, hi).
func (s *search[T]) run(lo, hi int) {
	g := s.grid
	at := 0
	bucket := int32(-1)
	var box bvh.Box
	for i := lo; i < hi; i++ {
		id := g.ids[i]
		if b := g.bucket[id]; b != bucket {
			bucket = b
			for g.levels[at].n == 0 || b >= g.levels[at].first+g.levels[at].ny*g.levels[at].nz {
				at++
			}
			for k := range s.slots {
				s.slots[k].bucket = -1
			}
		}
		s.kernel.bounds(&box, &g.bodies[i])
		s.own(&g.levels[at], int32(i), bucket, &box)
		for k := at + 1; k < len(g.levels); k++ {
			if g.levels[k].n > 0 {
				s.smaller(&g.levels[k], int32(i), &box)
			}
		}
	}
}

// own finds neighbours in the level of the body at position i: those after it in its own
// bucket, and those in rows after its own, by z, then y. In a bucket with several rows
// it finds others too, which are dropped: pairs of one level in different buckets belong to
// the body in the lower row.
func (s *search[T]) own(l *level, i, bucket int32, box *bvh.Box) {
	g := s.grid
	end := g.start[bucket+1]
	s.scan(i, i+1, end, box.Max.X)

	r := g.rows[g.ids[i]]
	lowY := l.rowY(box.Min.Y - l.reach[1])
	highY := min(l.rowY(box.Max.Y), l.maxY)
	highZ := min(l.rowZ(box.Max.Z), l.maxZ)
	if l.wraps {
		s.wrapped(l, i, bucket, r, lowY, highY, highZ, box)
		return
	}
	low := box.Min.X - l.reach[0]
	for z := r.z; z <= highZ; z++ {
		y := lowY
		if z == r.z {
			y = r.y + 1
		}
		for ; y <= highY; y++ {
			b := l.bucket(y, z)
			from, end := g.start[b], g.start[b+1]
			sl := &s.slots[(z&3)<<2|y&3]
			if sl.bucket == b {
				from = sl.at
			}
			for from < end && g.from[from] < low {
				from++
			}
			*sl = slot{b, from}
			s.scan(i, from, end, box.Max.X)
		}
	}
}

// wrapped is own for rows other than the body's in a level where rows share buckets. It
// takes each bucket once.
func (s *search[T]) wrapped(l *level, i, bucket int32, r row, lowY, highY, highZ int32, box *bvh.Box) {
	g := s.grid
	highZ = min(highZ, r.z+l.nz-1)
	highY = min(highY, lowY+l.ny-1)
	id := g.ids[i]
	for z := r.z; z <= highZ; z++ {
		for y := lowY; y <= highY; y++ {
			b := l.bucket(y, z)
			if b == bucket {
				continue
			}
			kept := len(s.pairs)
			from := s.bisect(g.start[b], g.start[b+1], box.Min.X-l.reach[0])
			s.scan(i, from, g.start[b+1], box.Max.X)
			for _, p := range s.pairs[kept:] {
				other := g.rows[p.A^p.B^id]
				if other.z > r.z || other.z == r.z && other.y > r.y {
					s.pairs[kept] = p
					kept++
				}
			}
			s.pairs = s.pairs[:kept]
		}
	}
}

// smaller finds neighbours of the body at position i in a level of smaller bodies.
func (s *search[T]) smaller(l *level, i int32, box *bvh.Box) {
	g := s.grid
	lowY, highY := l.rowY(box.Min.Y-l.reach[1]), min(l.rowY(box.Max.Y), l.maxY)
	lowZ, highZ := l.rowZ(box.Min.Z-l.reach[2]), min(l.rowZ(box.Max.Z), l.maxZ)
	highY = min(highY, lowY+l.ny-1)
	highZ = min(highZ, lowZ+l.nz-1)
	low := box.Min.X - l.reach[0]
	for z := lowZ; z <= highZ; z++ {
		for y := lowY; y <= highY; y++ {
			b := l.bucket(y, z)
			from, end := g.start[b], g.start[b+1]
			if from == end {
				continue
			}
			s.scan(i, s.bisect(from, end, low), end, box.Max.X)
		}
	}
}

// bisect returns the first position in [from, end) whose body does not begin before low on
// x, or end.
func (s *search[T]) bisect(from, end int32, low float64) int32 {
	x := s.grid.from
	for from < end {
		mid := from + (end-from)/2
		if x[mid] < low {
			from = mid + 1
		} else {
			end = mid
		}
	}
	return from
}

// scan compares the body at position i with those from a position on, to the end or to where
// bodies begin beyond high.
func (s *search[T]) scan(i, from, end int32, high float64) {
	g := s.grid
	to := from
	for to < end && g.from[to] <= high {
		to++
	}
	if from == to {
		return
	}
	s.tests += uint64(to - from)
	s.pairs = s.kernel.scan(s.pairs, &g.bodies[i], g.ids[i], g.bodies[from:to], g.ids[from:to])
}

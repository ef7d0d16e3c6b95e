package neighbor

import "github.com/inpoly/inpoly/bvh"

// search finds the neighbors of a run of sorted bodies.
type search[T Body] struct {
	grid    *grid[T]
	limit   *pairLimit
	counted int // number of pairs at the front of pairs that limit has counted
	pairs   []Pair
	tests   uint64
}

// countPairs is the number of pairs that a search finds between two checks of its limit. // tuning
const countPairs = 256

// full adds the pairs found since the last call to the total, and reports whether the total exceeds
// the limit.
func (s *search[T]) full() bool {
	n := len(s.pairs) - s.counted
	s.counted += n
	return s.limit.exceeded(n)
}

// run finds the neighbors of the bodies at positions [lo, hi). It ends early if there are more pairs
// than the limit.
func (s *search[T]) run(lo, hi int32) {
	if s.full() {
		return
	}
	defer s.full()
	g := s.grid
	at := 0
	var box bvh.Box
	for i := lo; i < hi; i++ {
		if len(s.pairs)-s.counted >= countPairs && s.full() {
			return
		}
		for g.levels[at].n == 0 || g.start[g.levels[at].first+g.levels[at].buckets] <= i {
			at++
		}
		g.ops.bounds(&box, &g.bodies[i])
		if l := &g.levels[at]; l.wraps {
			s.sameLevelWrapped(l, i, &box)
		} else {
			s.sameLevel(l, i, &box)
		}
		for k := at + 1; k < len(g.levels); k++ {
			if l := &g.levels[k]; l.n > 0 {
				s.smallerLevel(l, i, &box)
			}
		}
	}
}

// sameLevel finds the neighbors of the body at position i that come after position i in its level.
// They are in the same cell or in later cells. Cells are ordered by z, then y, then x.
func (s *search[T]) sameLevel(l *level, i int32, box *bvh.Box) {
	g := s.grid
	c := l.cellOf(box.Min)
	low, high := l.window(box)
	row := l.rowOf(c.y, c.z)
	s.scan(i, i+1, g.start[row+high.x+1])
	for y := c.y + 1; y <= high.y; y++ {
		row += l.length.x
		s.scan(i, g.start[row+low.x], g.start[row+high.x+1])
	}
	for z := c.z + 1; z <= high.z; z++ {
		row := l.rowOf(low.y, z)
		for y := low.y; y <= high.y; y++ {
			s.scan(i, g.start[row+low.x], g.start[row+high.x+1])
			row += l.length.x
		}
	}
}

// sameLevelWrapped does the work of sameLevel if cells of the level share buckets. It scans each
// bucket once. To find each pair only once, it then drops neighbors with smaller indices in the
// same bucket, and neighbors from earlier cells in other buckets.
func (s *search[T]) sameLevelWrapped(l *level, i int32, box *bvh.Box) {
	g := s.grid
	c := l.cellOf(box.Min)
	low, high := l.window(box)
	low.z = c.z
	own := l.bucket(c)
	id := g.ids[i]
	kept := len(s.pairs)
	s.scanBuckets(l, i, low, high)
	var other bvh.Box
	for _, p := range s.pairs[kept:] {
		j := p.A ^ p.B ^ id
		if g.bucket[j] == own {
			if j <= id { // the bodies in a bucket are ordered by index
				continue
			}
		} else {
			g.ops.bounds(&other, &g.input[j])
			if !c.before(l.cellOf(other.Min)) {
				continue
			}
		}
		s.pairs[kept] = p
		kept++
	}
	s.pairs = s.pairs[:kept]
}

// before reports whether c comes before o in the order by z, then y, then x.
func (c cell) before(o cell) bool {
	switch {
	case c.z != o.z:
		return c.z < o.z
	case c.y != o.y:
		return c.y < o.y
	}
	return c.x < o.x
}

// smallerLevel finds the neighbors of the body at position i among the smaller bodies of level l.
func (s *search[T]) smallerLevel(l *level, i int32, box *bvh.Box) {
	low, high := l.window(box)
	switch {
	case low.x > high.x: // no body of this level can overlap the box
		return
	case l.wraps:
		s.scanBuckets(l, i, low, high)
		return
	}
	g := s.grid
	for z := low.z; z <= high.z; z++ {
		row := l.rowOf(low.y, z)
		for y := low.y; y <= high.y; y++ {
			s.scan(i, g.start[row+low.x], g.start[row+high.x+1])
			row += l.length.x
		}
	}
}

// scanBuckets scans the buckets of all cells from low to high, each bucket once. It is for levels
// whose cells share buckets.
func (s *search[T]) scanBuckets(l *level, i int32, low, high cell) {
	g := s.grid
	highZ := min(high.z, low.z+l.length.z-1)
	highY := min(high.y, low.y+l.length.y-1)
	for z := low.z; z <= highZ; z++ {
		for y := low.y; y <= highY; y++ {
			row := l.rowOf(y, z)
			a, b := low.x&l.mask.x, high.x&l.mask.x
			switch {
			case high.x-low.x >= l.mask.x:
				s.scan(i, g.start[row], g.start[row+l.length.x])
			case a <= b:
				s.scan(i, g.start[row+a], g.start[row+b+1])
			default:
				s.scan(i, g.start[row+a], g.start[row+l.length.x])
				s.scan(i, g.start[row], g.start[row+b+1])
			}
		}
	}
}

// scan compares the body at position i with the bodies at positions [from, to).
func (s *search[T]) scan(i, from, to int32) {
	if from >= to {
		return
	}
	g := s.grid
	s.tests += uint64(to - from)
	s.pairs = g.ops.scan(s.pairs, &g.bodies[i], g.ids[i], g.bodies[from:to], g.ids[from:to])
}

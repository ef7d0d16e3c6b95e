package polygon

import (
	"math/bits"

	"github.com/golang/geo/r2"
)

// A run is a part of a boundary from one corner to another. The area between a run and the line
// through its ends is a region. Shapes with more than maxWalk corners store some regions. The
// region of any run is the union of at most two stored regions and a triangle. The stored regions
// depend only on the shape, so the region of a run is the same for every call.

// maxWalk is the largest number of corners of a shape without stored regions.
const maxWalk = 16

// firstLevel is the first stored level. Runs of fewer than 1<<firstLevel edges are not looked up.
const firstLevel = 2

// runTable stores regions of runs. Level l divides the corners into blocks of length 2^(l+1). For
// each corner, the level stores the region of the run between the corner and the middle of its
// block. Any run of corners i < j crosses the middle of exactly one block that contains both ends:
// the level of the block is the position of the highest bit in which i and j differ.
type runTable struct {
	levels [][]storedRegion
	// fromZero[i] is the region of the run from corner 0 to corner i, and toZero[i] that of the run
	// from corner i to corner 0. A run that passes corner 0 is divided there.
	fromZero, toZero []storedRegion
}

// storedRegion is a region relative to the middle corner of a block, or to corner 0.
type storedRegion struct {
	weight float64
	first  r2.Point
}

// newRunTable takes O(n log n) time and memory. The frame f must be plainFrame(s).
func newRunTable(f *frame, s *Shape) *runTable {
	n := s.Len()
	t := &runTable{fromZero: make([]storedRegion, n), toZero: make([]storedRegion, n)}
	f.extend(t.fromZero, 0, n-1, 0, s.next)
	f.extend(t.toZero, 0, n-1, 0, s.previous)
	for l := firstLevel; l < bits.Len(uint(n-1)); l++ {
		level, half := make([]storedRegion, n), 1<<l
		for middle := half; middle < n; middle += 2 * half {
			f.extend(level, middle, min(half, n-middle)-1, middle, s.next)
			f.extend(level, middle, half, middle, s.previous)
		}
		t.levels = append(t.levels, level)
	}
	return t
}

// extend sets the regions of the runs that join a middle corner to each of the count corners after
// it or before it; step leads from one corner to the next.
func (f *frame) extend(level []storedRegion, at, count, middle int, step func(int) int) {
	s := f.body[0].shape
	var sum region
	for range count {
		to := step(at)
		if at != middle {
			weight := f.localCross(0, middle, at, at, to, 0)
			if weight < 0 {
				weight = -weight // the runs end at the middle corner
			}
			sum.add(weight, s.corners[at].Sub(s.corners[middle]).Add(s.corners[to].Sub(s.corners[middle])))
		}
		at = to
		level[at] = storedRegion{sum.weight, sum.first}
	}
}

// run returns the region of the run from corner i to another corner j of body k, in the frame of
// the shape. The first moment of the region is relative to corner i.
func (f *frame) run(k, i, j int) storedRegion {
	s := f.body[k].shape
	t := s.runs
	switch {
	case t == nil || s.from(i, j) < 1<<firstLevel:
		return f.walkRun(k, i, j)
	case i > j:
		return f.joinRuns(k, i, 0, j, t.toZero[i], t.fromZero[j])
	}
	l := bits.Len(uint(i^j)) - 1
	level := t.levels[l-firstLevel]
	return f.joinRuns(k, i, j>>l<<l, j, level[i], level[j])
}

// walkRun does the work of run for few corners. It divides the region into triangles.
func (f *frame) walkRun(k, i, j int) (r storedRegion) {
	s := f.body[k].shape
	o, at := s.corners[i], s.next(i)
	for u := s.corners[at].Sub(o); at != j; {
		next := s.next(at)
		f.visits++
		v := s.corners[next].Sub(o)
		r = r.plus(f.triangle(k, i, at, next, u, v))
		at, u = next, v
	}
	return r
}

// joinRuns does the work of run for the stored runs from i to middle and from middle to j.
func (f *frame) joinRuns(k, i, middle, j int, before, after storedRegion) storedRegion {
	f.visits++
	s := f.body[k].shape
	m := s.corners[middle].Sub(s.corners[i])
	r := before.plus(after)
	r.first = r.first.Add(m.Mul(3 * r.weight))
	if i != middle && j != middle {
		r = r.plus(f.triangle(k, i, middle, j, m, s.corners[j].Sub(s.corners[i])))
	}
	return r
}

// triangle returns the triangle of corners i, at and next of body k. The vectors u and v lead from corner i
// to the other corners.
func (f *frame) triangle(k, i, at, next int, u, v r2.Point) storedRegion {
	weight := cross(u, v)
	if !(weight > wellSpread*norm1(u)*norm1(v)) {
		weight = f.localCross(k, i, at, at, next, 0)
	}
	return storedRegion{weight, u.Add(v).Mul(weight)}
}

func (r storedRegion) plus(q storedRegion) storedRegion {
	return storedRegion{r.weight + q.weight, r.first.Add(q.first)}
}

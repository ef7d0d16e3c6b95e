package section

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
)

// batchFaces is the number of pairs of a plane and a face near it that Stack stores at a time.
const batchFaces = 4 << 20 // tuning

// Stack cuts s with many planes and calls visit with the sections, in the order of the planes. The
// calls do not overlap. If visit returns an error, Stack returns it.
//
// If all planes have the same normal, Stack sorts the faces by height once, instead of visiting the
// tree for each plane. The workers cut different planes. The sections equal the sections of Cut.
//
// Errors: those of Cut.
func Stack(ctx context.Context, s inpoly.Target, planes []Plane, visit func(i int, c *Section) error) error {
	for _, p := range planes {
		if err := p.Check(); err != nil {
			return err
		}
	}
	separate := slices.ContainsFunc(planes, func(p Plane) bool {
		_, bound := predicates.PlaneHeight(p.Origin, r3.Vector{}, p.Normal)
		return p.Normal != planes[0].Normal || !(bound <= math.MaxFloat64)
	})
	if separate || len(planes) < 2 {
		for i, p := range planes {
			c, err := Cut(ctx, s, p)
			if err == nil {
				err = visit(i, c)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	c := newCutter(s)
	order, err := c.sweep(ctx, planes)
	if err != nil {
		return err
	}
	return order.visit(ctx, visit)
}

// sweep stores which planes are near each face.
type sweep struct {
	*cutter
	planes []Plane
	sorted []int32    // planes in ascending order of their heights
	ranges [][2]int32 // for each face, the range of elements of sorted whose planes can cross it
	counts []int      // for each element of sorted, the number of faces near its plane
}

// sweep finds the planes near each face. The heights are rounded, so a range can include planes
// that miss the face.
func (c *cutter) sweep(ctx context.Context, planes []Plane) (*sweep, error) {
	s := &sweep{cutter: c, planes: planes, sorted: make([]int32, len(planes)), counts: make([]int, len(planes)+1)}
	base := r3.Vector{}
	heights, errors := make([]float64, len(planes)), make([]float64, len(planes))
	for i, p := range planes {
		s.sorted[i] = int32(i)
		heights[i], errors[i] = predicates.PlaneHeight(p.Origin, base, p.Normal)
	}
	slices.SortStableFunc(s.sorted, func(a, b int32) int { return cmp.Compare(heights[a], heights[b]) })
	// lows and highs bound the heights of the sorted planes, in ascending order.
	lows, highs := make([]float64, len(planes)), make([]float64, len(planes))
	worst := slices.Max(errors)
	for i, p := range s.sorted {
		lows[i], highs[i] = heights[p]-worst, heights[p]+worst
	}
	s.ranges = make([][2]int32, len(c.mesh.Faces))
	m, first := c.mesh, newCorners(Plane{base, planes[0].Normal}, c.mesh.Vertices, c.place)
	err := par.Blocks(ctx, len(s.ranges), block, c.workers, func(_, lo, hi int) {
		for f := lo; f < hi; f++ {
			low, high := math.Inf(1), math.Inf(-1)
			for _, v := range m.Faces[f] {
				h, e := first.worldHeight(v)
				if !(e <= math.MaxFloat64) {
					h, e = 0, math.Inf(1)
				}
				low, high = min(low, h-e), max(high, h+e)
			}
			begin, _ := slices.BinarySearch(highs, low)
			end, found := slices.BinarySearch(lows, high)
			for found && end < len(lows) && lows[end] == high {
				end++
			}
			s.ranges[f] = [2]int32{int32(begin), int32(max(begin, end))}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, r := range s.ranges {
		s.counts[r[0]]++
		s.counts[r[1]]--
	}
	sum := 0
	for i, n := range s.counts {
		sum += n
		s.counts[i] = sum
	}
	return s, nil
}

// visit cuts the planes in batches and calls visit in the order of the planes.
func (s *sweep) visit(ctx context.Context, visit func(i int, c *Section) error) error {
	rank := make([]int32, len(s.planes)) // position of a plane in sorted
	for i, p := range s.sorted {
		rank[p] = int32(i)
	}
	tracers := make([]*tracer, par.Workers(s.workers))
	results := make([]*Section, len(tracers))
	failures := make([]error, len(tracers))
	var failure error
	for from := 0; from < len(s.planes); {
		to, total := from, 0
		for to < len(s.planes) && (to == from || total+s.counts[rank[to]] <= batchFaces) {
			total += s.counts[rank[to]]
			to++
		}
		faces, starts := s.gather(rank[from:to])
		inner, stop := context.WithCancel(ctx)
		err := par.Ordered(inner, to-from, 1, s.workers, func(worker, i, _ int) {
			if tracers[worker] == nil {
				tracers[worker] = new(tracer)
			}
			t := tracers[worker]
			t.start(s.cutter, s.planes[from+i])
			for _, f := range faces[starts[i]:starts[i+1]] {
				t.add(s.mesh.Faces[f])
			}
			results[worker], failures[worker] = s.finish(inner, t)
		}, func(worker, i, _ int) {
			if failure == nil && failures[worker] == nil {
				failures[worker] = visit(from+i, results[worker])
			}
			if failure == nil && failures[worker] != nil {
				failure = failures[worker]
				stop()
			}
		})
		stop()
		if err := cmp.Or(failure, err); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		from = to
	}
	return nil
}

// gather returns the faces of planes with the given positions in sorted. Plane i has the faces
// faces[starts[i]:starts[i+1]], in ascending order.
func (s *sweep) gather(ranks []int32) (faces []int32, starts []int) {
	starts = make([]int, len(ranks)+1)
	index := make([]int32, len(s.planes)+1) // position of a plane in the batch, by its position in sorted
	for i := range index {
		index[i] = -1
	}
	for i, r := range ranks {
		starts[i+1] = starts[i] + s.counts[r]
		index[r] = int32(i)
	}
	lo, hi := slices.Min(ranks), slices.Max(ranks)+1
	faces = make([]int32, starts[len(ranks)])
	next := slices.Clone(starts)
	for f, r := range s.ranges {
		for k := max(lo, r[0]); k < min(hi, r[1]); k++ {
			if i := index[k]; i >= 0 {
				faces[next[i]] = int32(f)
				next[i]++
			}
		}
	}
	return faces, starts
}

package inpoly

import (
	"context"

	"github.com/golang/geo/r3"
)

// union returns the side of a point that has one side for some solids and another
// for others: of Outside, OnSurface, Unknown and Inside the last.
func union(s, t Side) Side {
	switch {
	case s == Inside || t == Inside:
		return Inside
	case s == Unknown || t == Unknown:
		return Unknown
	case s == OnSurface || t == OnSurface:
		return OnSurface
	}
	return Outside
}

// Side returns where p lies relative to the union of the solids: Inside if it is
// Inside of any; else Unknown if it is of any; else OnSurface if it is on any; else
// Outside. So a point on the common face of two solids that touch is OnSurface. It
// allocates no more than Solid.Side.
//
// The union differs from the Solid of all faces together where solids cancel: a
// cavity that is a solid of its own fills itself under the rule NonZero.
func (a *Assembly) Side(p r3.Vector) Side {
	if !finite(p) {
		return Unknown
	}
	out := Outside
	var w boxWalk
	w.start(&a.reach, p)
	for i, ok := w.next(); ok && out != Inside; i, ok = w.next() {
		out = union(out, a.members[i].solid.Side(p))
	}
	return out
}

// SidesTo writes Side(pts[i]) to dst[i], using Options.Workers goroutines. It
// panics if the lengths differ. When ctx ends first its error is returned, and dst
// holds Unknown where no answer was found. Answers do not depend on the order of
// points or the number of workers. Each worker needs some megabytes of working
// memory, however many points and solids there are.
func (a *Assembly) SidesTo(ctx context.Context, dst []Side, pts []r3.Vector) error {
	_, err := a.SidesStatsTo(ctx, dst, pts)
	return err
}

// SidesStatsTo is SidesTo, and returns the counts of the work that was done: a point
// is one, however many solids were asked.
func (a *Assembly) SidesStatsTo(ctx context.Context, dst []Side, pts []r3.Vector) (Stats, error) {
	if len(dst) != len(pts) {
		panic("inpoly: dst and pts differ in length")
	}
	if len(a.members) == 1 {
		return a.members[0].solid.SidesStatsTo(ctx, dst, pts)
	}
	clear(dst)
	stats, err := a.blocks(ctx, len(pts), func(w *asker, lo, hi int) {
		b := pickBlock{sides: make([]Side, hi-lo)}
		b.start(pts[lo:hi])
		group := func(ctx context.Context, w *asker, solid int32, points []int32) error {
			return b.group(ctx, a, w, solid, points, pts[lo:hi])
		}
		if a.ask(ctx, w, &a.reach, &a.given, pts[lo:hi], group) == nil {
			copy(dst[lo:hi], b.sides)
		}
	})
	stats.Undecided = undecided(dst)
	return stats, err
}

// BodySets holds sets of solids, one for each point. The zero value holds none; it
// can be filled again and again, and keeps its memory.
type BodySets struct {
	bodies  []int32
	ends    []int
	unknown []bool
}

// Len returns the number of points.
func (s *BodySets) Len() int { return len(s.ends) }

// At returns the solids that contain point i, ascending, as a part of s. It is not
// certain where the side of some solid is Unknown: that one is left out. It panics
// if i is out of range.
func (s *BodySets) At(i int) (bodies []int32, certain bool) {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.bodies[from:s.ends[i]:s.ends[i]], !s.unknown[i]
}

// setBlock is what a block contributes to BodySets: pairs of a point and a solid,
// ascending for each point.
type setBlock struct {
	pairs   []pair // rank is that in the given order: the solid
	unknown []bool
}

// BodySetsTo fills dst with Bodies of every point, using Options.Workers goroutines.
// When ctx ends first its error is returned, and dst holds sets that are empty and
// not certain. Answers do not depend on the order of points or the number of
// workers.
func (a *Assembly) BodySetsTo(ctx context.Context, dst *BodySets, pts []r3.Vector) error {
	size := a.blockSize(len(pts))
	found := make([]setBlock, (len(pts)+size-1)/size)
	_, err := a.blocks(ctx, len(pts), func(w *asker, lo, hi int) {
		b := setBlock{unknown: make([]bool, hi-lo)}
		for i, p := range pts[lo:hi] {
			b.unknown[i] = !finite(p)
		}
		group := func(ctx context.Context, w *asker, solid int32, points []int32) error {
			if err := w.askSides(ctx, &a.members[solid], false, points, pts[lo:hi]); err != nil {
				return err
			}
			for k, i := range points {
				switch w.sides[k] {
				case Unknown:
					b.unknown[i] = true
				case Inside, OnSurface:
					b.pairs = append(b.pairs, pair{solid, i})
				}
			}
			return nil
		}
		if a.ask(ctx, w, &a.reach, &a.given, pts[lo:hi], group) == nil {
			found[lo/size] = b
		}
	})
	dst.bodies, dst.ends, dst.unknown = dst.bodies[:0], resize(dst.ends, len(pts)), resize(dst.unknown, len(pts))
	if err != nil {
		clear(dst.ends)
		for i := range dst.unknown {
			dst.unknown[i] = true
		}
		return err
	}
	dst.join(found, size)
	return nil
}

// join writes the sets of all blocks.
func (s *BodySets) join(found []setBlock, size int) {
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
	// ends[i] is now where set i begins; it moves to where it ends.
	s.bodies = resize(s.bodies, n)
	for k, b := range found {
		for _, p := range b.pairs { // solids ascend for each point
			end := &s.ends[k*size+int(p.point)]
			s.bodies[*end] = p.rank
			*end++
		}
	}
}

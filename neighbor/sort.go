package neighbor

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// SortOptions are the options of NewIncrementalSort. The zero value is good.
type SortOptions struct {
	// Undivided keeps one list an axis for all bodies and mends it by insertion, however many
	// exchanges that takes, as the papers do: for measuring.
	Undivided bool
	// PerRegion is the number of bodies that a region of the world is meant to hold; 0 or less:
	// 256, about the best in space and in the plane, measured.
	PerRegion int
	// Workers is the number of goroutines; 0 or less: one a processor.
	Workers int

	spread float64 // in place of the constant, for tests
}

// IncrementalSort is the linked linear list of Muth, Müller, Eberhard and Luding (2007) §2.3,
// the incremental sort-and-update of Schinner (1999) §3: the beginnings and ends of
// all bodies on each axis are kept sorted. When bodies have moved, insertion sort mends the
// lists, and only where a beginning and an end change places can a pair of bounding boxes
// have begun or ceased to meet. Sizes do not matter, and bodies at rest cost a look at their
// ends.
//
// In one list an axis the ends that pass each other in a step grow as N^(2−1/d) in d
// dimensions, since the bodies that are beside each other on an axis do. Therefore the
// world is divided into regions with lists of their own, some hundred bodies each; a body
// is in each region that it reaches. That makes a step linear in N, and regions are what the
// workers share out. A region that finds its lists in great disorder sorts anew and sweeps.
type IncrementalSort[T Body] struct {
	plane *sorter[[4]float64] // of Disk and Rect
	space *sorter[[6]float64] // of Sphere and bvh.Box
	touch toucher[T]
	stats Stats
}

// NewIncrementalSort returns an IncrementalSort before its first step.
func NewIncrementalSort[T Body](opt SortOptions) *IncrementalSort[T] {
	if opt.PerRegion <= 0 {
		opt.PerRegion = perRegion
	}
	if opt.spread == 0 {
		opt.spread = spread
	}
	m := &IncrementalSort[T]{touch: toucher[T]{workers: opt.Workers}}
	if inPlane[T]() {
		m.plane = &sorter[[4]float64]{opt: opt}
	} else {
		m.space = &sorter[[6]float64]{opt: opt}
	}
	return m
}

// Update moves the bodies; see Method. It looks at ctx until it begins to change the lists,
// then finishes the step.
func (m *IncrementalSort[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	stats := m.stats
	var meeting []Pair
	var err error
	if m.plane != nil {
		meeting, err = m.plane.step(ctx, len(bodies), &stats, func(dst [][4]float64, lo, hi int) {
			planeBounds(dst, bodies[lo:hi])
		})
	} else {
		meeting, err = m.space.step(ctx, len(bodies), &stats, func(dst [][6]float64, lo, hi int) {
			spaceBounds(dst, bodies[lo:hi])
		})
	}
	if err != nil {
		return err
	}
	m.touch.step(ctx, bodies, meeting, &stats)
	stats.Steps++
	m.stats = stats
	return nil
}

// Pairs returns the pairs that touch; see Method.
func (m *IncrementalSort[T]) Pairs() []Pair { return m.touch.pairs }

// Changes returns what the last step has changed; see Tracker.
func (m *IncrementalSort[T]) Changes() (added, removed []Pair) {
	return m.touch.added, m.touch.removed
}

// Stats returns what has been counted; see Method. Tests are of bounds and of bodies.
func (m *IncrementalSort[T]) Stats() Stats { return m.stats }

// sorter keeps the pairs of bounds that meet.
type sorter[B bounds] struct {
	opt     SortOptions
	cuts    cuts
	regions []region[B]
	spans   []span // regions of each body
	spare   []span // those of the next step
	boxes   []B
	meeting []Pair
	merged  []Pair    // memory for the next step
	hands   []hand[B] // of the workers
	load    float64   // sum of squares of the bodies in each region when the world was divided
}

// blockSize is the number of bodies handled between two looks at the context.
const blockSize = 4096

// step takes the bounds of n bodies, which fill computes block by block, and returns the
// pairs that meet, in order. They are valid until the next step.
func (s *sorter[B]) step(ctx context.Context, n int, stats *Stats, fill func(dst []B, lo, hi int)) ([]Pair, error) {
	workers := par.Workers(s.opt.Workers)
	anew := s.regions == nil || len(s.spans) > 4*max(n, s.opt.PerRegion)
	known := n
	if !anew {
		known = max(n, len(s.spans))
	}
	s.boxes = slices.Grow(s.boxes[:0], known)[:known]
	s.spare = slices.Grow(s.spare[:0], known)[:known]
	err := par.Blocks(ctx, known, blockSize, workers, func(_, lo, hi int) {
		if lo < n {
			fill(s.boxes[lo:min(hi, n)], lo, min(hi, n))
		}
		for i := max(lo, n); i < hi; i++ {
			s.boxes[i] = nowhere[B]()
		}
		for i := lo; i < hi && !anew; i++ {
			s.spare[i] = spanOf(&s.cuts, &s.boxes[i])
		}
	})
	if err != nil {
		return nil, err
	}
	for len(s.hands) < workers {
		s.hands = append(s.hands, hand[B]{})
	}
	for i := range s.hands {
		ev := &s.hands[i].events
		*ev = events{added: ev.added[:0], removed: ev.removed[:0]}
	}
	if anew || !s.move() {
		if err := s.divide(ctx, workers); err != nil {
			return nil, err
		}
		stats.Rebuilds++
	} else {
		s.work(context.WithoutCancel(ctx), s.regions, workers) // lists half sorted could not be left so
	}
	s.collect(stats)
	return s.meeting, nil
}

// work lets regions do the step.
func (s *sorter[B]) work(ctx context.Context, regions []region[B], workers int) error {
	return par.Blocks(ctx, len(regions), 1, workers, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			regions[i].step(s.boxes, &s.hands[w])
		}
	})
}

// move tells regions who arrives and leaves. It returns false, without having done so, if
// the world should be divided anew because bodies have gathered.
func (s *sorter[B]) move() bool {
	for len(s.spans) < len(s.spare) {
		s.spans = append(s.spans, noSpan)
	}
	for i := range s.spare {
		from, to := &s.spans[i], &s.spare[i]
		if *from == *to {
			continue
		}
		id := int32(i)
		s.cuts.each(from, to, func(r int) { s.regions[r].leaving = append(s.regions[r].leaving, id) })
		s.cuts.each(to, from, func(r int) { s.regions[r].arriving = append(s.regions[r].arriving, id) })
	}
	var load float64
	for i := range s.regions {
		g := &s.regions[i]
		n := float64(g.live() + len(g.arriving) - len(g.leaving))
		load += n * n
	}
	full := float64(s.opt.PerRegion)
	// The work grows with the load; four times as much pays for dividing soon. 16 full regions
	// are always allowed.
	if !s.opt.Undivided && load > 4*max(s.load, 16*full*full) {
		for i := range s.regions {
			g := &s.regions[i]
			g.arriving, g.leaving = g.arriving[:0], g.leaving[:0]
		}
		return false
	}
	s.spans, s.spare = s.spare, s.spans
	return true
}

// divide makes new regions. All bodies arrive in them, and all pairs will be added.
func (s *sorter[B]) divide(ctx context.Context, workers int) error {
	cuts := cuts{n: [3]int{1, 1, 1}}
	if !s.opt.Undivided {
		cuts = cut(s.boxes, s.opt)
	}
	regions := make([]region[B], cuts.n[0]*cuts.n[1]*cuts.n[2])
	for i := range s.boxes {
		s.spare[i] = spanOf(&cuts, &s.boxes[i])
		cuts.each(&s.spare[i], &noSpan, func(r int) { regions[r].arriving = append(regions[r].arriving, int32(i)) })
	}
	load := 0.0
	for i := range regions {
		n := float64(len(regions[i].arriving))
		load += n * n
		regions[i].patient = s.opt.Undivided
	}
	if err := s.work(ctx, regions, workers); err != nil {
		return err
	}
	s.cuts, s.regions, s.load = cuts, regions, load
	s.spans, s.spare, s.meeting = s.spare, s.spans, s.meeting[:0]
	return nil
}

// collect brings the pairs that meet up to date with the events.
func (s *sorter[B]) collect(stats *Stats) {
	ev := &s.hands[0].events
	for i := range s.hands[1:] {
		o := &s.hands[i+1].events
		ev.added = append(ev.added, o.added...)
		ev.removed = append(ev.removed, o.removed...)
		ev.verify = ev.verify || o.verify
		ev.stats.Tests += o.stats.Tests
		ev.stats.Exchanges += o.stats.Exchanges
	}
	stats.Tests += ev.stats.Tests
	stats.Exchanges += ev.stats.Exchanges
	if ev.verify && len(s.meeting) > 0 {
		stats.Rebuilds++
		n := len(s.meeting)
		s.meeting = keep(s.meeting, func(p Pair) bool { return meet(&s.boxes[p.A], &s.boxes[p.B]) })
		stats.Tests += uint64(n)
	}
	if len(ev.added)+len(ev.removed) > 0 {
		sortPairs(ev.added, len(s.boxes))
		sortPairs(ev.removed, len(s.boxes))
		s.merged = mergePairs(s.merged[:0], s.meeting, ev.added, ev.removed)
		s.meeting, s.merged = s.merged, s.meeting
	}
}

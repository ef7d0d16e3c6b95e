package neighbor

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// SortOptions are the options of an IncrementalSort. The zero value works.
type SortOptions struct {
	// Undivided stores one list for each axis for all bodies, as the papers do. It repairs the list
	// by insertion for any number of exchanges. It serves measurements.
	Undivided bool
	// PerRegion is the intended number of bodies in a region of the world. If it is not positive,
	// the number is 256, which is about the fastest in space and in the plane.
	PerRegion int
	Workers   int // ≤ 0: all processors

	spread float64 // replaces the constant in tests
}

// IncrementalSort is the linked linear list of Muth, Müller, Eberhard and Luding (2007) §2.3, which
// is the incremental sort-and-update of Schinner (1999) §3. It stores the sorted beginnings and
// ends of the bounding boxes of all bodies on each axis. When bodies move, insertion sort repairs
// the lists. Two boxes can begin or cease to overlap only where a beginning and an end are
// exchanged. The sizes of bodies do not matter. A body at rest costs one comparison for each of its
// ends. Stats.Tests counts tests of boxes and of bodies.
//
// With one list for each axis the number of exchanges in a step grows as N^(2−1/d) in d dimensions,
// like the number of bodies that overlap on an axis. Therefore the world is divided into regions of
// a few hundred bodies, each with its own lists. A body is in each region that it reaches. A step
// is then linear in N, and the workers share the regions. A region with lists in great disorder
// sorts from scratch and sweeps.
type IncrementalSort[T Body] struct {
	result
	plane          *sorter[[4]float64] // of Disk and Rect
	space          *sorter[[6]float64] // of Sphere and bvh.Box
	workers        int                 // ≤ 0: all processors
	touching       touchFilter[T]
	added, removed []Pair
}

// NewIncrementalSort returns an IncrementalSort before its first step.
func NewIncrementalSort[T Body](opt SortOptions) *IncrementalSort[T] {
	if opt.PerRegion <= 0 {
		opt.PerRegion = perRegion
	}
	if opt.spread == 0 {
		opt.spread = spread
	}
	m := &IncrementalSort[T]{touching: touchFilter[T]{ops: opsOf[T]()}, workers: opt.Workers}
	if m.touching.ops.axes == 2 {
		m.plane = &sorter[[4]float64]{opt: opt}
	} else {
		m.space = &sorter[[6]float64]{opt: opt}
	}
	return m
}

// Update moves the bodies; see Method. It checks ctx until it begins to change the lists. Then it
// finishes the step.
func (m *IncrementalSort[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	stats := m.stats
	var overlapping []Pair
	var err error
	if m.plane != nil {
		overlapping, err = m.plane.step(ctx, len(bodies), &stats, func(dst [][4]float64, lo, hi int) {
			planeBounds(dst, bodies[lo:hi])
		})
	} else {
		overlapping, err = m.space.step(ctx, len(bodies), &stats, func(dst [][6]float64, lo, hi int) {
			spaceBounds(dst, bodies[lo:hi])
		})
	}
	if err != nil {
		return err
	}
	switch any(bodies).(type) {
	case []Rect, []bvh.Box: // the bounds are the bodies
		m.buffer = append(m.buffer[:0], overlapping...)
	default: // without a context the filter does not fail
		m.buffer, _ = m.touching.run(context.WithoutCancel(ctx), m.buffer, overlapping, bodies, m.workers)
		stats.Tests += uint64(len(overlapping))
	}
	m.added, m.removed = diffPairs(m.added[:0], m.removed[:0], m.pairs, m.buffer)
	m.pairs, m.buffer = m.buffer, m.pairs
	stats.Steps++
	m.stats = stats
	return nil
}

// Changes returns the changes of the last step; see Tracker.
func (m *IncrementalSort[T]) Changes() (added, removed []Pair) { return m.added, m.removed }

// sorter stores the pairs of bounds that overlap.
type sorter[B bounds] struct {
	opt         SortOptions
	lines       gridLines
	regions     []region[B]
	spans       []span // regions of each body
	buffer      []span // regions of each body in the next step
	boxes       []B
	overlapping []Pair
	merged      []Pair            // memory for the next step
	workers     []regionWorker[B] // one for each worker
	load        float64           // sum of the squared numbers of bodies of the regions after the last division
}

// blockSize is the number of bodies or pairs between two checks of the context.
const blockSize = 4096

// step moves n bodies to the bounds that fill computes block by block. It returns the ordered pairs
// that overlap. They are valid until the next step.
func (s *sorter[B]) step(ctx context.Context, n int, stats *Stats, fill func(dst []B, lo, hi int)) ([]Pair, error) {
	workers := par.Workers(s.opt.Workers)
	rebuild := s.regions == nil || len(s.spans) > 4*max(n, s.opt.PerRegion)
	known := n
	if !rebuild {
		known = max(n, len(s.spans))
	}
	s.boxes = slices.Grow(s.boxes[:0], known)[:known]
	s.buffer = slices.Grow(s.buffer[:0], known)[:known]
	err := par.Blocks(ctx, known, blockSize, workers, func(_, lo, hi int) {
		if lo < n {
			fill(s.boxes[lo:min(hi, n)], lo, min(hi, n))
		}
		for i := max(lo, n); i < hi; i++ {
			s.boxes[i] = emptyBounds[B]()
		}
		for i := lo; i < hi && !rebuild; i++ {
			s.buffer[i] = spanOf(&s.lines, &s.boxes[i])
		}
	})
	if err != nil {
		return nil, err
	}
	for len(s.workers) < workers {
		s.workers = append(s.workers, regionWorker[B]{})
	}
	for i := range s.workers {
		ev := &s.workers[i].events
		*ev = events{added: ev.added[:0], removed: ev.removed[:0]}
	}
	if rebuild || !s.move() {
		if err := s.divide(ctx, workers); err != nil {
			return nil, err
		}
		stats.Rebuilds++
	} else {
		s.work(context.WithoutCancel(ctx), s.regions, workers) // a canceled step would leave half-sorted lists
	}
	s.collect(stats)
	return s.overlapping, nil
}

// work runs the step of each region.
func (s *sorter[B]) work(ctx context.Context, regions []region[B], workers int) error {
	return par.Blocks(ctx, len(regions), 1, workers, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			regions[i].step(s.boxes, &s.workers[w])
		}
	})
}

// move lists the bodies that enter and leave each region. It returns false and changes nothing if
// the bodies have gathered so much that the world should be divided again.
func (s *sorter[B]) move() bool {
	for len(s.spans) < len(s.buffer) {
		s.spans = append(s.spans, noSpan)
	}
	for i := range s.buffer {
		from, to := &s.spans[i], &s.buffer[i]
		if *from == *to {
			continue
		}
		id := int32(i)
		s.lines.forEach(from, to, func(r int) { s.regions[r].leaving = append(s.regions[r].leaving, id) })
		s.lines.forEach(to, from, func(r int) { s.regions[r].arriving = append(s.regions[r].arriving, id) })
	}
	var load float64
	for i := range s.regions {
		g := &s.regions[i]
		n := float64(g.count() + len(g.arriving) - len(g.leaving))
		load += n * n
	}
	full := float64(s.opt.PerRegion)
	// The work grows with the load. At four times the load, a new division soon saves its own time.
	// The load of 16 full regions is always allowed. tuning.
	if !s.opt.Undivided && load > 4*max(s.load, 16*full*full) {
		for i := range s.regions {
			g := &s.regions[i]
			g.arriving, g.leaving = g.arriving[:0], g.leaving[:0]
		}
		return false
	}
	s.spans, s.buffer = s.buffer, s.spans
	return true
}

// divide creates new regions. All bodies enter them, and all pairs are added.
func (s *sorter[B]) divide(ctx context.Context, workers int) error {
	lines := gridLines{n: [3]int{1, 1, 1}}
	if !s.opt.Undivided {
		lines = newGridLines(s.boxes, s.opt)
	}
	regions := make([]region[B], lines.n[0]*lines.n[1]*lines.n[2])
	for i := range s.boxes {
		s.buffer[i] = spanOf(&lines, &s.boxes[i])
		lines.forEach(&s.buffer[i], &noSpan, func(r int) { regions[r].arriving = append(regions[r].arriving, int32(i)) })
	}
	load := 0.0
	for i := range regions {
		n := float64(len(regions[i].arriving))
		load += n * n
		regions[i].undivided = s.opt.Undivided
	}
	if err := s.work(ctx, regions, workers); err != nil {
		return err
	}
	s.lines, s.regions, s.load = lines, regions, load
	s.spans, s.buffer, s.overlapping = s.buffer, s.spans, s.overlapping[:0]
	return nil
}

// collect applies the events of the workers to the pairs that overlap.
func (s *sorter[B]) collect(stats *Stats) {
	ev := &s.workers[0].events
	for i := range s.workers[1:] {
		o := &s.workers[i+1].events
		ev.added = append(ev.added, o.added...)
		ev.removed = append(ev.removed, o.removed...)
		ev.verify = ev.verify || o.verify
		ev.stats.Tests += o.stats.Tests
		ev.stats.Exchanges += o.stats.Exchanges
	}
	stats.Tests += ev.stats.Tests
	stats.Exchanges += ev.stats.Exchanges
	if ev.verify && len(s.overlapping) > 0 {
		stats.Rebuilds++
		n := len(s.overlapping)
		s.overlapping = slices.DeleteFunc(s.overlapping, func(p Pair) bool { return !meet(&s.boxes[p.A], &s.boxes[p.B]) })
		stats.Tests += uint64(n)
	}
	if len(ev.added)+len(ev.removed) > 0 {
		sortPairs(ev.added, len(s.boxes))
		sortPairs(ev.removed, len(s.boxes))
		s.merged = mergePairs(s.merged[:0], s.overlapping, ev.added, ev.removed)
		s.overlapping, s.merged = s.merged, s.overlapping
	}
}

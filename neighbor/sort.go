package neighbor

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// SortOptions are the options of an IncrementalSort. The zero value works.
type SortOptions struct {
	// Undivided keeps one list for each axis for all bodies and repairs it by insertion, however
	// many exchanges that takes, as the papers do. It serves measurements.
	Undivided bool
	// PerRegion is the intended number of bodies in a region of the world; ≤ 0: 256, which
	// measured about the best in space and in the plane.
	PerRegion int
	Workers   int // ≤ 0: all processors

	spread float64 // replaces the constant in tests
}

// IncrementalSort is the linked linear list of Muth, Müller, Eberhard and Luding (2007) §2.3,
// the incremental sort-and-update of Schinner (1999) §3. It keeps the beginnings and ends of
// all bodies on each axis sorted. When bodies have moved, insertion sort repairs the lists, and
// a pair of bounding boxes can have begun or ceased to overlap only where a beginning and an end
// change places. Sizes do not matter, and bodies at rest cost one look at each of their ends.
//
// With one list for each axis the number of ends that pass each other in a step grows as
// N^(2−1/d) in d dimensions, like the number of bodies that overlap on an axis. Therefore the
// world is divided into regions with lists of their own, a few hundred bodies each; a body is
// in each region that it reaches. A step is then linear in N, and the workers share the
// regions. A region whose lists are in great disorder sorts from scratch and sweeps.
type IncrementalSort[T Body] struct {
	plane *sorter[[4]float64] // of Disk and Rect
	space *sorter[[6]float64] // of Sphere and bvh.Box
	touch contactFilter[T]
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
	m := &IncrementalSort[T]{touch: contactFilter[T]{ops: opsOf[T](), workers: opt.Workers}}
	if m.touch.ops.axes == 2 {
		m.plane = &sorter[[4]float64]{opt: opt}
	} else {
		m.space = &sorter[[6]float64]{opt: opt}
	}
	return m
}

// Update moves the bodies; see Method. It checks ctx until it begins to change the lists, then
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
	m.touch.step(ctx, bodies, overlapping, &stats)
	stats.Steps++
	m.stats = stats
	return nil
}

// Pairs returns the pairs that touch; see Method.
func (m *IncrementalSort[T]) Pairs() []Pair { return m.touch.pairs }

// Changes returns the changes of the last step; see Tracker.
func (m *IncrementalSort[T]) Changes() (added, removed []Pair) {
	return m.touch.added, m.touch.removed
}

// Stats returns the counts; see Method. Tests include tests of bounds and of bodies.
func (m *IncrementalSort[T]) Stats() Stats { return m.stats }

// contactFilter keeps the pairs that touch, among those whose bounds overlap.
type contactFilter[T Body] struct {
	ops            bodyOps[T]
	workers        int
	pairs, buffer  []Pair
	added, removed []Pair
	counts         []int
}

// step finds which of the pairs, given in order, touch now. It cannot be canceled.
func (m *contactFilter[T]) step(ctx context.Context, bodies []T, overlapping []Pair, stats *Stats) {
	now := slices.Grow(m.buffer[:0], len(overlapping))[:len(overlapping)]
	switch any(bodies).(type) {
	case []Rect, []bvh.Box: // the bounds are the bodies
		copy(now, overlapping)
	default:
		blocks := (len(overlapping) + blockSize - 1) / blockSize
		m.counts = slices.Grow(m.counts[:0], blocks)[:blocks]
		par.Blocks(context.WithoutCancel(ctx), len(overlapping), blockSize, m.workers, func(_, lo, hi int) {
			m.counts[lo/blockSize] = len(m.ops.touching(now[lo:lo:hi], overlapping[lo:hi], bodies))
		})
		n := 0
		for b, count := range m.counts {
			n += copy(now[n:], now[b*blockSize:b*blockSize+count])
		}
		now = now[:n]
		stats.Tests += uint64(len(overlapping))
	}
	m.added, m.removed = diffPairs(m.added[:0], m.removed[:0], m.pairs, now)
	m.pairs, m.buffer = now, m.pairs
}

// sorter keeps the pairs of bounds that overlap.
type sorter[B bounds] struct {
	opt         SortOptions
	lines       gridLines
	regions     []region[B]
	spans       []span // regions of each body
	buffer      []span // of the next step
	boxes       []B
	overlapping []Pair
	merged      []Pair            // memory for the next step
	workers     []regionWorker[B] // of the workers
	load        float64           // sum of the squares of the bodies of each region after the last division
}

// blockSize is the number of bodies handled between two checks of the context.
const blockSize = 4096

// step moves n bodies to the bounds that fill computes block by block, and returns the ordered
// pairs that overlap. They are valid until the next step.
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
		s.work(context.WithoutCancel(ctx), s.regions, workers) // must not stop with half-sorted lists
	}
	s.collect(stats)
	return s.overlapping, nil
}

// work lets the regions make the step.
func (s *sorter[B]) work(ctx context.Context, regions []region[B], workers int) error {
	return par.Blocks(ctx, len(regions), 1, workers, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			regions[i].step(s.boxes, &s.workers[w])
		}
	})
}

// move gives each region the bodies that arrive and leave. If bodies have gathered so much that the
// world should be divided again, it changes nothing and returns false.
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
	// The work grows with the load. At four times the load, a new division soon pays. The load of
	// 16 full regions is always allowed. tuning.
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

// divide makes new regions. All bodies arrive in them, and all pairs are added.
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

package neighbor

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

// SortOptions are the options of an IncrementalSort. The zero value is valid.
type SortOptions struct {
	// Undivided makes the whole world one region, as in the papers. Insertion sort then repairs the
	// lists, however many exchanges this takes. Undivided is for measurements.
	Undivided bool
	// PerRegion is the intended number of bodies in a region of the world. If it is not positive,
	// the number is 256. Other numbers are at most slightly faster.
	PerRegion int
	Workers   int // number of goroutines; 0 or less means one for each processor

	spread float64 // if not 0, used instead of the constant spread; only tests set it
}

// IncrementalSort is the linked linear list of Muth, Müller, Eberhard and Luding (2007) §2.3, which
// is the incremental sort-and-update of Schinner (1999) §3. Each body has a bounding box. On each
// axis, a sorted list has the beginnings and the ends of all boxes. When bodies move, insertion
// sort repairs the lists. The overlap of two boxes changes only if a beginning and an end are
// exchanged. The sizes of bodies do not matter. For a body at rest, a step compares each end once.
// Stats.Tests counts tests of boxes and of bodies.
//
// With one list for each axis, a step would exchange about as many ends as there are pairs of
// bodies that overlap on an axis. This number grows as n^(2−1/d) for n bodies in d dimensions.
// Therefore the world is divided into regions of a few hundred bodies. Each region has its own
// lists. A body belongs to each region that it intersects. The time of a step is then linear in n,
// and the workers share the regions. If the order in a region has changed much, the region sorts
// from scratch. Then the region compares all pairs of bodies that overlap on one axis.
type IncrementalSort[T Body] struct {
	result
	plane          *sorter[[4]float64] // used for Disk and Rect
	space          *sorter[[6]float64] // used for Sphere and bvh.Box
	workers        int                 // number of goroutines; 0 or less means one for each processor
	touching       touchFilter[T]
	added, removed []Pair
}

// NewIncrementalSort returns an IncrementalSort that has made no step yet.
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

// Update moves the bodies; see Method. It does not check ctx after it begins to change the lists.
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
	case []Rect, []bvh.Box: // the bounds of these bodies are exact
		m.buffer = append(m.buffer[:0], overlapping...)
	default: // this context cannot end, so run returns no error
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

// sorter has the bounds of the bodies and the pairs whose bounds overlap.
type sorter[B bounds] struct {
	opt         SortOptions
	lines       gridLines
	regions     []region[B]
	spans       []span // regions that each body intersects
	buffer      []span // memory for the spans of the next step
	boxes       []B
	overlapping []Pair
	merged      []Pair            // memory for the next step
	workers     []regionWorker[B] // one for each worker
	// load is the sum of n² over all regions at the last division, where n is the number of bodies
	// in a region.
	load float64
}

// blockSize is the number of bodies or pairs between two checks of the context.
const blockSize = 4096

// step moves n bodies to new bounds and returns the sorted pairs whose bounds overlap. The pairs
// are valid until the next step.
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
		// Finish this phase even if ctx ends. Otherwise the lists would be left half sorted.
		s.work(context.WithoutCancel(ctx), s.regions, workers)
	}
	s.collect(stats)
	return s.overlapping, nil
}

func (s *sorter[B]) work(ctx context.Context, regions []region[B], workers int) error {
	return par.Blocks(ctx, len(regions), 1, workers, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			regions[i].step(s.boxes, &s.workers[w])
		}
	})
}

// move records the bodies that enter and leave each region. If bodies have gathered in a few
// regions, move returns false and changes nothing. Then the caller divides the world again.
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
	// The work of a step grows with the load. If the load is four times the load of the last
	// division, a new division soon saves more time than it takes (tuning).
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

// divide creates new regions. All bodies enter them, and all pairs are reported as added.
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

// collect applies the events of all workers to the pairs that overlap.
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

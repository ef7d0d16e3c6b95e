package neighbor

import (
	"math"
	"math/bits"
	"slices"
)

// end is the beginning or the end of the interval of a body on an axis.
type end struct {
	at  float64
	tag uint32 // 2·slot for the beginning and 2·slot+1 for the end of the body in the slot
}

// before defines the order of the lists. At equal coordinates, beginnings come before ends, because
// intervals are closed.
func (e end) before(o end) bool {
	return e.at < o.at || e.at == o.at && e.tag&1 < o.tag&1
}

// orderEnds compares ends in the order of the lists.
func orderEnds(a, b end) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

// region has the bodies whose bounds intersect a part of the world. On each axis there is a sorted
// list of their ends. In Schinner (1999) §3.3, the whole world is one region.
type region[B bounds] struct {
	ids       []int32     // index of the body in each slot, or −1 if the slot is empty
	free      []int32     // empty slots
	now       []B         // bounds of the body in each slot, or emptyBounds
	order     [3][]uint32 // tags of the sorted ends on each axis
	arriving  []int32     // bodies that enter in the next step
	leaving   []int32     // bodies that leave in the next step
	undivided bool        // true if the region never sorts from scratch
}

// regionWorker has the temporary memory of a worker. Each region uses this memory in turn.
type regionWorker[B bounds] struct {
	events
	previous []B     // bounds in each slot before the current step
	ends     []end   // list of ends to sort
	scan     []B     // bounds in the order of the beginnings
	scanned  []int32 // indices of the bodies of scan
}

// events has the changes in a step. Several axes and several regions can report the same pair. The
// reports never contradict each other.
type events struct {
	added   []Pair // pairs that began to overlap
	removed []Pair // pairs that ceased to overlap
	verify  bool   // true if the list of removed pairs can be incomplete
	stats   Stats
}

func (ev *events) add(a, b int32) { ev.added = append(ev.added, Pair{A: min(a, b), B: max(a, b)}) }
func (ev *events) remove(a, b int32) {
	ev.removed = append(ev.removed, Pair{A: min(a, b), B: max(a, b)})
}

// report adds the pair if a beginning has moved before an end (side 0). Otherwise an end has moved
// before a beginning, and report removes the pair.
func (ev *events) report(side uint32, a, b int32) {
	if side == 0 {
		ev.add(a, b)
	} else {
		ev.remove(a, b)
	}
}

// count returns the number of bodies in the region.
func (g *region[B]) count() int { return len(g.ids) - len(g.free) }

// step moves the bodies to their next bounds. It reports a pair that begins to overlap if both
// bodies are in the region after the step. It reports a pair that ceases to overlap if both bodies
// were in the region before the step.
func (g *region[B]) step(next []B, w *regionWorker[B]) {
	n := g.count()
	// Each body that enters or leaves is compared with all n bodies of the region, which takes 2 to
	// 4 ns for each pair. Rebuilding takes about 100 ns·log₂ n for each body. If most slots are
	// empty, rebuilding releases them.
	change := len(g.arriving) + len(g.leaving)
	if change > 8*(1+bits.Len(uint(n))) || len(g.free) > 64+4*n {
		g.rebuild(next, w)
		return
	}
	w.previous = append(w.previous[:0], g.now...)
	for s, id := range g.ids {
		if id >= 0 {
			g.now[s] = next[id]
		}
	}
	left := len(g.leaving) > 0
	g.removeLeaving(w)
	for axis := range axes[B]() {
		if !g.resort(axis, left, w) {
			g.rebuild(next, w)
			return
		}
	}
	g.insertArriving(next, w)
}

// removeLeaving removes the bodies that leave. The next calls of resort remove their ends.
func (g *region[B]) removeLeaving(w *regionWorker[B]) {
	if len(g.leaving) == 0 {
		return
	}
	for _, id := range g.leaving {
		s := int32(slices.Index(g.ids, id))
		now, then := g.now[s], w.previous[s]
		g.ids[s], g.now[s], w.previous[s] = -1, emptyBounds[B](), emptyBounds[B]()
		for t := range w.previous {
			if meet(&then, &w.previous[t]) && !meet(&now, &g.now[t]) {
				w.remove(id, g.ids[t])
			}
		}
		w.stats.Tests += uint64(len(w.previous))
		g.free = append(g.free, s)
	}
	g.leaving = g.leaving[:0]
}

// resort updates the ends on an axis, drops the ends of bodies that left, and sorts by insertion
// (Schinner, tables 1 and 3). Exchanging two beginnings or two ends has no effect. If a beginning
// moves before an end, resort adds the pair if its new bounds overlap. If an end moves before a
// beginning, resort removes the pair if its previous bounds overlap. After too many exchanges,
// resort stops and returns false. All reports up to this point are correct.
func (g *region[B]) resort(axis int, left bool, w *regionWorker[B]) bool {
	order := g.order[axis]
	ends := slices.Grow(w.ends[:0], len(order))[:len(order)]
	w.ends = ends
	// When a beginning moves, compare the bounds in g.now. When an end moves, compare those in
	// w.previous.
	boxes := [2][]B{g.now, w.previous}
	other := 2 * ((axis + 1) % axes[B]()) // index of the lower bound on the next axis, compared first
	limit := math.MaxInt
	if !g.undivided {
		// If more exchanges are needed, sorting from scratch is faster.
		limit = 8 * len(ends) * bits.Len(uint(len(ends)))
	}
	now := g.now
	exchanges, tests, kept := 0, 0, 0
	for _, tag := range order {
		slot, side := tag>>1, tag&1
		if left && g.ids[slot] < 0 {
			continue
		}
		e := end{at: now[slot][2*axis+int(side)], tag: tag}
		j := kept
		for ; j > 0; j-- {
			o := ends[j-1]
			if o.at < e.at || o.at == e.at && o.tag&1 <= side {
				break
			}
			ends[j] = o
			if o.tag&1 == side {
				continue
			}
			tests++
			p, q := &boxes[side][slot], &boxes[side][o.tag>>1]
			if (*p)[other] <= (*q)[other+1] && (*q)[other] <= (*p)[other+1] && meet(p, q) {
				w.report(side, g.ids[slot], g.ids[o.tag>>1])
			}
		}
		ends[j] = e
		if exchanges += kept - j; exchanges > limit {
			break
		}
		kept++
	}
	order = order[:kept]
	for k := range order {
		order[k] = ends[k].tag
	}
	g.order[axis] = order
	w.stats.Exchanges += uint64(exchanges)
	w.stats.Tests += uint64(tests)
	return exchanges <= limit
}

// insertArriving adds the bodies that enter the region.
func (g *region[B]) insertArriving(next []B, w *regionWorker[B]) {
	if len(g.arriving) == 0 {
		return
	}
	var slots []int32
	for _, id := range g.arriving {
		box := next[id]
		for t := range g.now {
			if meet(&box, &g.now[t]) {
				w.add(id, g.ids[t])
			}
		}
		w.stats.Tests += uint64(len(g.now))
		slots = append(slots, g.allocateSlot(id, box))
	}
	for axis := range axes[B]() {
		fresh := w.ends[:0]
		for _, s := range slots {
			fresh = append(fresh, g.endsOf(axis, s)...)
		}
		slices.SortFunc(fresh, orderEnds)
		g.mergeEnds(axis, fresh)
		w.ends = fresh
	}
	g.arriving = g.arriving[:0]
}

// endsOf returns the beginning and the end of the interval of the body in a slot.
func (g *region[B]) endsOf(axis int, slot int32) []end {
	b := &g.now[slot]
	return []end{{at: (*b)[2*axis], tag: uint32(slot) << 1}, {at: (*b)[2*axis+1], tag: uint32(slot)<<1 | 1}}
}

// allocateSlot puts a body into a free or new slot and returns the slot.
func (g *region[B]) allocateSlot(id int32, box B) int32 {
	if k := len(g.free) - 1; k >= 0 {
		s := g.free[k]
		g.free = g.free[:k]
		g.ids[s], g.now[s] = id, box
		return s
	}
	g.ids = append(g.ids, id)
	g.now = append(g.now, box)
	return int32(len(g.ids) - 1)
}

// mergeEnds merges new sorted ends into the sorted list of an axis.
func (g *region[B]) mergeEnds(axis int, newEnds []end) {
	order := g.order[axis]
	i := len(order) - 1
	for range newEnds {
		order = append(order, 0)
	}
	for k, j := len(order)-1, len(newEnds)-1; j >= 0; k-- {
		if i >= 0 {
			tag := order[i]
			if newEnds[j].before(end{at: g.now[tag>>1][2*axis+int(tag&1)], tag: tag}) {
				order[k] = tag
				i--
				continue
			}
		}
		order[k] = newEnds[j].tag
		j--
	}
	g.order[axis] = order
}

// rebuild sorts the ends of all bodies of the region, and adds all pairs that overlap. It does not
// report the pairs that ceased to overlap.
func (g *region[B]) rebuild(next []B, w *regionWorker[B]) {
	w.verify = true
	g.assignSlots(next)
	for axis := range axes[B]() {
		ends := w.ends[:0]
		for s := range g.now {
			ends = append(ends, g.endsOf(axis, int32(s))...)
		}
		slices.SortFunc(ends, orderEnds)
		g.order[axis] = g.order[axis][:0]
		for _, e := range ends {
			g.order[axis] = append(g.order[axis], e.tag)
		}
		w.ends = ends
	}
	g.sweep(g.sweepAxis(), w)
}

// assignSlots assigns slots, first to the bodies that stay, and then to the bodies that enter.
func (g *region[B]) assignSlots(next []B) {
	slices.Sort(g.leaving)
	g.ids = slices.DeleteFunc(g.ids, func(id int32) bool {
		_, left := slices.BinarySearch(g.leaving, id)
		return id < 0 || left
	})
	g.ids = append(g.ids, g.arriving...)
	g.free, g.arriving, g.leaving = g.free[:0], g.arriving[:0], g.leaving[:0]
	g.now = g.now[:0]
	for _, id := range g.ids {
		g.now = append(g.now, next[id])
	}
}

// sweepAxis returns the axis on which bodies are shortest relative to the region.
func (g *region[B]) sweepAxis() int {
	best, least := 0, math.Inf(1)
	for axis := range axes[B]() {
		lo, hi := math.Inf(1), math.Inf(-1)
		// This sum is finite: coordinates are below 2^501, and there are fewer than 2^31 bodies.
		var sum float64
		for s := range g.now {
			b := &g.now[s]
			lo, hi = min(lo, (*b)[2*axis]), max(hi, (*b)[2*axis+1])
			sum += (*b)[2*axis+1] - (*b)[2*axis]
		}
		// If all bodies are flat and have the same coordinate, the share is 0/0 and the comparison
		// is false.
		if share := sum / (hi - lo); share < least {
			best, least = axis, share
		}
	}
	return best
}

// sweep adds all pairs that overlap. On the given axis, it compares each body b with the later
// bodies that begin before b ends.
func (g *region[B]) sweep(axis int, w *regionWorker[B]) {
	scan, ids := w.scan[:0], w.scanned[:0]
	for _, tag := range g.order[axis] {
		if tag&1 == 0 {
			scan = append(scan, g.now[tag>>1])
			ids = append(ids, g.ids[tag>>1])
		}
	}
	w.scan, w.scanned = scan, ids
	first := 2 * axis
	second := 2 * ((axis + 1) % axes[B]()) // a comparison on the next axis rejects most pairs
	for i := range scan {
		b := scan[i]
		last, lo, hi := b[first+1], b[second], b[second+1]
		rest := scan[i+1:]
		tests := len(rest)
		for k := range rest {
			o := &rest[k]
			if (*o)[first] > last {
				tests = k
				break
			}
			if lo <= (*o)[second+1] && (*o)[second] <= hi && meet(&b, o) {
				w.add(ids[i], ids[i+1+k])
			}
		}
		w.stats.Tests += uint64(tests)
	}
}

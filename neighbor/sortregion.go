package neighbor

import (
	"math"
	"math/bits"
	"slices"
)

// end is the beginning or the end of a body's interval on an axis.
type end struct {
	at  float64
	tag uint32 // slot of the body in its region, times two; plus one if it is the end
}

// before is the order of the lists: beginnings before ends where they coincide, since
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

// region holds the bodies whose bounds reach a part of the world, one list of their ends for
// each axis, sorted. Schinner (1999) §3.3 has one region, the world.
type region[B bounds] struct {
	ids      []int32     // body in a slot, or −1
	free     []int32     // empty slots
	now      []B         // bounds by slot; empty slots are nowhere
	order    [3][]uint32 // tags of the ends in order
	arriving []int32     // bodies that come in with the next step
	leaving  []int32     // bodies that go out
	patient  bool        // never sorts anew, however many exchanges a step takes
}

// hand is what a worker uses in one region after the other.
type hand[B bounds] struct {
	events
	then    []B     // bounds by slot in the step before
	ends    []end   // list in work
	scan    []B     // bounds in the order of their beginnings
	scanned []int32 // whose they are
}

// events are what regions find to have changed between two steps. A pair may be reported by
// several axes and several regions; reports never contradict each other.
type events struct {
	added   []Pair // bounds meet now
	removed []Pair // bounds met before and do not now
	verify  bool   // not all removed pairs may have been reported
	stats   Stats
}

func (ev *events) add(a, b int32) { ev.added = append(ev.added, Pair{A: min(a, b), B: max(a, b)}) }
func (ev *events) remove(a, b int32) {
	ev.removed = append(ev.removed, Pair{A: min(a, b), B: max(a, b)})
}

// report adds a pair if a beginning has passed an end, else removes it.
func (ev *events) report(side uint32, a, b int32) {
	if side == 0 {
		ev.add(a, b)
	} else {
		ev.remove(a, b)
	}
}

// live returns the number of bodies in the region.
func (g *region[B]) live() int { return len(g.ids) - len(g.free) }

// step moves the bodies to their next bounds. Pairs that meet now and did not are added,
// pairs that met and do not now are removed, if both bodies were or are in the region.
func (g *region[B]) step(next []B, h *hand[B]) {
	n := g.live()
	// A body that comes or goes is compared with all others, 2 to 4 ns each; sorting
	// and sweeping takes about 100 ns for a body and each doubling of their number. It also
	// gives up empty slots when they are the most.
	change := len(g.arriving) + len(g.leaving)
	if change > 8*(1+bits.Len(uint(n))) || len(g.free) > 64+4*n {
		g.begin(next, h)
		return
	}
	h.then = append(h.then[:0], g.now...)
	for s, id := range g.ids {
		if id >= 0 {
			g.now[s] = next[id]
		}
	}
	left := len(g.leaving) > 0
	g.leave(h)
	for axis := range axes[B]() {
		if !g.resort(axis, left, h) {
			g.begin(next, h)
			return
		}
	}
	g.arrive(next, h)
}

// leave takes out the bodies that leave; their ends stay in the lists.
func (g *region[B]) leave(h *hand[B]) {
	if len(g.leaving) == 0 {
		return
	}
	for _, id := range g.leaving {
		s := int32(slices.Index(g.ids, id))
		now, then := g.now[s], h.then[s]
		g.ids[s], g.now[s], h.then[s] = -1, nowhere[B](), nowhere[B]()
		for t := range h.then {
			if meet(&then, &h.then[t]) && !meet(&now, &g.now[t]) {
				h.remove(id, g.ids[t])
			}
		}
		h.stats.Tests += uint64(len(h.then))
		g.free = append(g.free, s)
	}
	g.leaving = g.leaving[:0]
}

// resort moves the ends on an axis to where they are now, drops those of bodies that left,
// and sorts by insertion (Schinner, tables 1 and 3): an exchange of two beginnings or of
// two ends means nothing; an end that falls behind a beginning adds the pair if the bodies
// meet on all axes now; a beginning that falls behind an end removes the pair, if they met on
// all axes before. It gives up and returns false after too many exchanges; what it
// reported then is true.
func (g *region[B]) resort(axis int, left bool, h *hand[B]) bool {
	order := g.order[axis]
	ends := slices.Grow(h.ends[:0], len(order))[:len(order)]
	h.ends = ends
	boxes := [2][]B{g.now, h.then}        // what tells of a beginning and of an end that passes
	other := 2 * ((axis + 1) % axes[B]()) // the axis to look at first
	limit := math.MaxInt
	if !g.patient {
		// An insertion that goes far costs 1 to 2 ns an exchange, a sort about 4 ns a comparison.
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
				h.report(side, g.ids[slot], g.ids[o.tag>>1])
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
	h.stats.Exchanges += uint64(exchanges)
	h.stats.Tests += uint64(tests)
	return exchanges <= limit
}

// arrive takes in the bodies that arrive.
func (g *region[B]) arrive(next []B, h *hand[B]) {
	if len(g.arriving) == 0 {
		return
	}
	var slots []int32
	for _, id := range g.arriving {
		box := next[id]
		for t := range g.now {
			if meet(&box, &g.now[t]) {
				h.add(id, g.ids[t])
			}
		}
		h.stats.Tests += uint64(len(g.now))
		slots = append(slots, g.take(id, box))
	}
	for axis := range axes[B]() {
		fresh := h.ends[:0]
		for _, s := range slots {
			fresh = append(fresh, g.endsOf(axis, s)...)
		}
		slices.SortFunc(fresh, orderEnds)
		g.insert(axis, fresh)
		h.ends = fresh
	}
	g.arriving = g.arriving[:0]
}

// endsOf returns the ends of the body in a slot.
func (g *region[B]) endsOf(axis int, slot int32) []end {
	b := &g.now[slot]
	return []end{{at: (*b)[2*axis], tag: uint32(slot) << 1}, {at: (*b)[2*axis+1], tag: uint32(slot)<<1 | 1}}
}

// take finds a slot for a body.
func (g *region[B]) take(id int32, box B) int32 {
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

// insert puts sorted ends into the sorted list of an axis.
func (g *region[B]) insert(axis int, fresh []end) {
	order := g.order[axis]
	i := len(order) - 1
	for range fresh {
		order = append(order, 0)
	}
	for k, j := len(order)-1, len(fresh)-1; j >= 0; k-- {
		if i >= 0 {
			tag := order[i]
			if fresh[j].before(end{at: g.now[tag>>1][2*axis+int(tag&1)], tag: tag}) {
				order[k] = tag
				i--
				continue
			}
		}
		order[k] = fresh[j].tag
		j--
	}
	g.order[axis] = order
}

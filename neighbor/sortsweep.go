package neighbor

import (
	"math"
	"slices"
)

// begin sorts the ends of all bodies that are in the region now, whatever there was before,
// and adds all pairs that meet. Pairs that met before and do not now go unreported: h.verify
// is set.
func (g *region[B]) begin(next []B, h *hand[B]) {
	h.verify = true
	g.settle(next)
	for axis := range axes[B]() {
		ends := h.ends[:0]
		for s := range g.now {
			ends = append(ends, g.endsOf(axis, int32(s))...)
		}
		slices.SortFunc(ends, orderEnds)
		g.order[axis] = g.order[axis][:0]
		for _, e := range ends {
			g.order[axis] = append(g.order[axis], e.tag)
		}
		h.ends = ends
	}
	g.sweep(g.slimmest(), h)
}

// settle gives the bodies that stay and those that arrive the first slots.
func (g *region[B]) settle(next []B) {
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

// slimmest returns the axis along which the bodies are shortest compared with the region.
func (g *region[B]) slimmest() int {
	best, least := 0, math.Inf(1)
	for axis := range axes[B]() {
		lo, hi := math.Inf(1), math.Inf(-1)
		var sum float64 // of lengths; coordinates are within 2^501, bodies fewer than 2^31
		for s := range g.now {
			b := &g.now[s]
			lo, hi = min(lo, (*b)[2*axis]), max(hi, (*b)[2*axis+1])
			sum += (*b)[2*axis+1] - (*b)[2*axis]
		}
		if share := sum / (hi - lo); share < least { // not if all lie flat at one place: 0/0
			best, least = axis, share
		}
	}
	return best
}

// sweep adds the pairs that meet: along the sorted beginnings on an axis, each body against
// those that begin before it ends.
func (g *region[B]) sweep(axis int, h *hand[B]) {
	scan, ids := h.scan[:0], h.scanned[:0]
	for _, tag := range g.order[axis] {
		if tag&1 == 0 {
			scan = append(scan, g.now[tag>>1])
			ids = append(ids, g.ids[tag>>1])
		}
	}
	h.scan, h.scanned = scan, ids
	first := 2 * axis
	second := 2 * ((axis + 1) % axes[B]()) // tells most pairs apart
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
				h.add(ids[i], ids[i+1+k])
			}
		}
		h.stats.Tests += uint64(tests)
	}
}

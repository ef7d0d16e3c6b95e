package neighbor

import (
	"math"
	"slices"
)

// begin sorts the ends of all bodies that are in the region now, whatever there was before,
// and adds all pairs that meet. Pairs that met before and do not now go unreported: ev.verify
// is set.
func (g *region[B]) begin(next []B, ev *events) {
	ev.verify = true
	g.settle(next)
	for axis := range axes[B]() {
		ends := g.ends[axis][:0]
		for s := range g.now {
			ends = append(ends,
				end{at: g.now[s][2*axis], tag: uint32(s) << 1},
				end{at: g.now[s][2*axis+1], tag: uint32(s)<<1 | 1})
		}
		slices.SortFunc(ends, orderEnds)
		g.ends[axis] = ends
	}
	g.sweep(g.slimmest(), ev)
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
	g.now, g.then = g.now[:0], g.then[:0]
	for _, id := range g.ids {
		g.now = append(g.now, next[id])
		g.then = append(g.then, nowhere[B]())
	}
}

// slimmest returns the axis along which the bodies are shortest compared with the region.
func (g *region[B]) slimmest() int {
	best, least := 0, math.Inf(1)
	for axis := range axes[B]() {
		ends := g.ends[axis]
		if len(ends) == 0 {
			return 0
		}
		extent := ends[len(ends)-1].at - ends[0].at
		var sum float64 // of lengths in units of the extent: within 2^31, whatever the coordinates
		if extent > 0 {
			for s := range g.now {
				sum += (g.now[s][2*axis+1] - g.now[s][2*axis]) / extent
			}
		} else {
			sum = float64(len(g.now))
		}
		if sum < least {
			best, least = axis, sum
		}
	}
	return best
}

// sweep adds the pairs that meet: along the sorted beginnings on an axis, each body against
// those that begin before it ends.
func (g *region[B]) sweep(axis int, ev *events) {
	scan := make([]B, 0, len(g.ids))
	ids := make([]int32, 0, len(g.ids))
	for _, e := range g.ends[axis] {
		if e.tag&1 == 0 {
			scan = append(scan, g.now[e.tag>>1])
			ids = append(ids, g.ids[e.tag>>1])
		}
	}
	for i := range scan {
		b, last := scan[i], scan[i][2*axis+1]
		j := i + 1
		for ; j < len(scan) && scan[j][2*axis] <= last; j++ {
			if meet(&b, &scan[j]) {
				ev.add(ids[i], ids[j])
			}
		}
		ev.stats.Tests += uint64(j - i - 1)
	}
}

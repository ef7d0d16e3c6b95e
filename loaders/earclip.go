package loaders

import (
	"cmp"
	"slices"

	"github.com/golang/geo/r3"
)

// clip cuts off ears until a triangle is left (Meisters 1975). A corner is looked
// at in turn, and again when a neighbour was cut off; what was blocked by others
// waits for the next round. Corners that lie in line between their neighbours go
// in a round of their own, when no proper ear is left.
func (b *builder) clip(corners []int32) error {
	e := &b.ears
	e.ring(len(corners))
	progress, flat := true, false
	for tests := 0; e.alive > 3; tests++ {
		const look = 1 << 10 // tests between looks at the context
		if tests%look == look-1 {
			if err := b.ctxDone(); err != nil {
				return err
			}
		}
		if e.head == len(e.todo) {
			if !progress && flat {
				break
			}
			progress, flat = false, !progress
			e.queueAll()
		}
		i := e.pop()
		if e.gone[i] || !e.ear(i, flat) {
			continue
		}
		p, q := e.prev[i], e.next[i]
		if err := b.emit(corners[p], corners[i], corners[q]); err != nil {
			return err
		}
		e.cut(i)
		progress = true
	}
	return b.clipRest(corners)
}

// clipRest appends what is left of the ring as a fan.
func (b *builder) clipRest(corners []int32) error {
	e := &b.ears
	if e.alive > 3 {
		b.crossing++
	}
	at := e.first
	for p, q := e.next[at], e.next[e.next[at]]; q != at; p, q = q, e.next[q] {
		if err := b.emit(corners[at], corners[p], corners[q]); err != nil {
			return err
		}
	}
	return nil
}

// ring links all corners.
func (e *earClipper) ring(n int) {
	e.byX, e.todo, e.head = e.byX[:0], e.todo[:0], 0
	e.alive, e.first = n, 0
	for i := range n {
		e.prev[i], e.next[i] = int32((i+n-1)%n), int32((i+1)%n)
		e.gone[i], e.queued[i] = false, false
		e.byX = append(e.byX, int32(i))
	}
	slices.SortFunc(e.byX, func(i, j int32) int {
		return cmp.Or(cmp.Compare(e.at[i].X, e.at[j].X), cmp.Compare(i, j))
	})
}

// push queues corner i, unless it waits already.
func (e *earClipper) push(i int32) {
	if e.queued[i] {
		return
	}
	if len(e.todo) == cap(e.todo) {
		// At most half of it is waiting, so that this comes once in so many pops.
		e.todo = e.todo[:copy(e.todo, e.todo[e.head:])]
		e.head = 0
	}
	e.queued[i] = true
	e.todo = append(e.todo, i)
}

// pop takes the first corner of the queue.
func (e *earClipper) pop() int32 {
	i := e.todo[e.head]
	e.head++
	e.queued[i] = false
	return i
}

// queueAll queues the whole ring.
func (e *earClipper) queueAll() {
	e.push(e.first)
	for i := e.next[e.first]; i != e.first; i = e.next[i] {
		e.push(i)
	}
}

// cut takes corner i out of the ring and queues its neighbours.
func (e *earClipper) cut(i int32) {
	p, q := e.prev[i], e.next[i]
	e.next[p], e.prev[q] = q, p
	e.gone[i] = true
	e.alive--
	e.first = p
	e.push(p)
	e.push(q)
	if 2*e.alive < len(e.byX) {
		e.byX = slices.DeleteFunc(e.byX, func(k int32) bool { return e.gone[k] })
	}
}

// ear reports whether corner i can be cut off: it turns left and the rest of the
// ring stays out of its triangle, or it is the tip of a spike without area or
// doubles a neighbour, or, if flat, it lies in line between its neighbours.
func (e *earClipper) ear(i int32, flat bool) bool {
	p, q := e.prev[i], e.next[i]
	switch e.turn(p, i, q) {
	case -1:
		return false
	case 0:
		return flat || !between(e.at[p], e.at[i], e.at[q])
	}
	a, b, c := e.at[p], e.at[i], e.at[q]
	low, high := min(a.X, b.X, c.X), max(a.X, b.X, c.X)
	bottom, top := min(a.Y, b.Y, c.Y), max(a.Y, b.Y, c.Y)
	from, _ := slices.BinarySearchFunc(e.byX, low, func(k int32, x float64) int { return cmp.Compare(e.at[k].X, x) })
	for _, k := range e.byX[from:] {
		v := e.at[k]
		if v.X > high {
			break
		}
		if v.Y < bottom || v.Y > top || e.gone[k] || k == p || k == i || k == q {
			continue
		}
		if e.blocks(k, p, i, q) {
			return false
		}
	}
	return true
}

// between reports whether b lies strictly between a and c, all three in line.
func between(a, b, c r3.Vector) bool {
	x, y := cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)
	return (x != 0 || y != 0) && x == cmp.Compare(b.X, c.X) && y == cmp.Compare(b.Y, c.Y)
}

// blocks reports whether corner k keeps the triangle p, i, q from being cut off:
// it lies in the closed triangle, or at one of its corners (where a keyhole
// doubles a corner) with an edge that leads into the triangle.
func (e *earClipper) blocks(k, p, i, q int32) bool {
	v := e.at[k]
	switch v {
	case e.at[p]:
		return e.leadsInto(k, p, i, q)
	case e.at[i]:
		return e.leadsInto(k, i, q, p)
	case e.at[q]:
		return e.leadsInto(k, q, p, i)
	}
	return e.turnTo(p, i, v) >= 0 && e.turnTo(i, q, v) >= 0 && e.turnTo(q, p, v) >= 0
}

// leadsInto reports whether an edge of corner k, which coincides with x, goes into
// the open wedge at x of the counter-clockwise triangle x, y, z.
func (e *earClipper) leadsInto(k, x, y, z int32) bool {
	for _, to := range [2]int32{e.prev[k], e.next[k]} {
		if e.turn(x, y, to) > 0 && e.turn(x, to, z) > 0 {
			return true
		}
	}
	return false
}

package soup

import (
	"cmp"

	"github.com/golang/geo/r3"
)

// clip cuts a polygon into triangles.
//
// First it cuts off the tips of spikes without area and corners that repeat a neighbor: in
// a triangle with area they would add surface on both sides of a spike. Then it cuts off
// ears until one triangle is left (Meisters 1975). Each corner is tested in turn, and again
// after a neighbor was cut off. Corners that were blocked wait for the next round. Corners
// on the line between their neighbors are cut off in rounds of their own, when no proper
// ear is left.
func (b *Builder) clip(corners []int32) error {
	e := &b.ears
	if err := b.ring(len(corners)); err != nil {
		return err
	}
	if err := b.queueAll(); err != nil {
		return err
	}
	for e.remaining > 3 && e.head < len(e.queue) {
		if i := e.pop(); !e.removed[i] && e.spike(i) {
			if err := b.cut(i, corners); err != nil {
				return err
			}
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	if err := b.buildEarTree(); err != nil {
		return err
	}
	progress, flat := true, false
	for e.remaining > 3 {
		if e.head == len(e.queue) {
			if !progress && flat {
				break
			}
			progress, flat = false, !progress
			if err := b.queueAll(); err != nil {
				return err
			}
		}
		i := e.pop()
		if e.removed[i] {
			continue
		}
		ear, err := b.ear(i, flat)
		if err != nil {
			return err
		}
		if !ear {
			continue
		}
		p, q := e.prev[i], e.next[i]
		if err := b.cut(i, corners); err != nil {
			return err
		}
		e.tree.set(i, false)
		e.tree.set(p, e.reflex(p))
		e.tree.set(q, e.reflex(q))
		progress = true
	}
	return b.clipRest(corners)
}

// cut appends the triangle at corner i and removes i from the ring.
func (b *Builder) cut(i int32, corners []int32) error {
	e := &b.ears
	if err := b.AppendTriangle(corners[e.prev[i]], corners[i], corners[e.next[i]]); err != nil {
		return err
	}
	e.unlink(i)
	return nil
}

// visit counts the visit of a corner and checks the context now and then. A visit computes
// about ten signs, each of which takes microseconds at worst.
func (b *Builder) visit() error {
	const look = 1 << 11
	if b.visits++; b.visits%look == 0 {
		return b.ctxDone()
	}
	return nil
}

// clipRest appends the rest of the ring as a fan.
func (b *Builder) clipRest(corners []int32) error {
	e := &b.ears
	if e.remaining > 3 {
		b.crossing++
	}
	at := e.first
	for p, q := e.next[at], e.next[e.next[at]]; q != at; p, q = q, e.next[q] {
		if err := b.AppendTriangle(corners[at], corners[p], corners[q]); err != nil {
			return err
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	return nil
}

// ring links all corners.
func (b *Builder) ring(n int) error {
	e := &b.ears
	e.queue, e.head = e.queue[:0], 0
	e.remaining, e.first = n, 0
	for i := range n {
		e.prev[i], e.next[i] = int32((i+n-1)%n), int32((i+1)%n)
		e.removed[i], e.queued[i] = false, false
		if err := b.visit(); err != nil {
			return err
		}
	}
	return nil
}

// push appends corner i to the queue, unless it is there already.
func (e *earClipper) push(i int32) {
	if e.queued[i] {
		return
	}
	if len(e.queue) == cap(e.queue) {
		// At most half of the queue is in use, so moving it costs O(1) per pop.
		e.queue = e.queue[:copy(e.queue, e.queue[e.head:])]
		e.head = 0
	}
	e.queued[i] = true
	e.queue = append(e.queue, i)
}

// pop removes and returns the first corner of the queue.
func (e *earClipper) pop() int32 {
	i := e.queue[e.head]
	e.head++
	e.queued[i] = false
	return i
}

// queueAll appends the whole ring to the queue.
func (b *Builder) queueAll() error {
	e := &b.ears
	i := e.first
	for range e.remaining {
		e.push(i)
		i = e.next[i]
		if err := b.visit(); err != nil {
			return err
		}
	}
	return nil
}

// unlink removes corner i from the ring and queues its neighbors.
func (e *earClipper) unlink(i int32) {
	p, q := e.prev[i], e.next[i]
	e.next[p], e.prev[q] = q, p
	e.removed[i] = true
	e.remaining--
	e.first = p
	e.push(p)
	e.push(q)
}

// spike reports whether corner i is the tip of a spike without area or repeats a neighbor.
func (e *earClipper) spike(i int32) bool {
	p, q := e.prev[i], e.next[i]
	return e.turn(p, i, q) == 0 && !between(e.at[p], e.at[i], e.at[q])
}

// reflex reports whether the polygon does not turn left at corner i. Only reflex corners can
// block an ear: of the corners in an ear's triangle, the one nearest to the tip has the
// inside of the polygon all around it on the side of the tip.
func (e *earClipper) reflex(i int32) bool { return e.turn(e.prev[i], i, e.next[i]) <= 0 }

// ear reports whether corner i can be cut off: if it turns left and no other corner blocks
// its triangle, if it is a spike, or, with flat set, if it lies on the line between its
// neighbors.
func (b *Builder) ear(i int32, flat bool) (bool, error) {
	e := &b.ears
	switch e.turn(e.prev[i], i, e.next[i]) {
	case -1:
		return false, b.visit()
	case 0:
		return flat || e.spike(i), b.visit()
	}
	blocked, err := b.blocked(0, i)
	return !blocked, err
}

// between reports whether b lies strictly between a and c, three points on a line.
func between(a, b, c r3.Vector) bool {
	x, y := cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)
	return (x != 0 || y != 0) && x == cmp.Compare(b.X, c.X) && y == cmp.Compare(b.Y, c.Y)
}

// blocks reports whether corner k blocks the triangle p, i, q: it lies in the closed
// triangle, or it coincides with one of its corners, as at a keyhole, and one of its edges
// leads into the triangle.
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

// leadsInto reports whether an edge of corner k, which coincides with x, leads into the open
// wedge at x of the counterclockwise triangle x, y, z.
func (e *earClipper) leadsInto(k, x, y, z int32) bool {
	for _, to := range [2]int32{e.prev[k], e.next[k]} {
		if e.turn(x, y, to) > 0 && e.turn(x, to, z) > 0 {
			return true
		}
	}
	return false
}

package soup

import (
	"cmp"

	"github.com/golang/geo/r3"
)

// clip cuts a polygon into triangles by ear clipping (Meisters 1975).
//
// The first loop cuts off the tips of spikes without area, and corners that repeat a neighbor.
// Without this loop, triangles with area could cover both sides of a spike. The second loop cuts
// off ears until one triangle remains. If a pass over all corners cuts off nothing, the next pass
// also cuts off corners on the line between their neighbors.
func (b *Builder) clip(corners []int32) error {
	e := &b.ears
	e.ring(len(corners))
	e.queueAll()
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
			e.queueAll()
			if err := b.visit(); err != nil {
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
		if err := b.cutEar(i, corners); err != nil {
			return err
		}
		progress = true
	}
	return b.clipRest(corners)
}

// cut appends the triangle at corner i and removes corner i from the ring.
func (b *Builder) cut(i int32, corners []int32) error {
	e := &b.ears
	if err := b.AppendTriangle(corners[e.prev[i]], corners[i], corners[e.next[i]]); err != nil {
		return err
	}
	e.unlink(i)
	return nil
}

// cutEar cuts off corner i, and the spikes that this leaves at its neighbors. A spike must not wait in
// the queue, because an ear could cover both sides of it.
func (b *Builder) cutEar(i int32, corners []int32) error {
	e := &b.ears
	p, q := e.prev[i], e.next[i]
	for {
		if err := b.cut(i, corners); err != nil {
			return err
		}
		e.tree.set(i, false)
		switch {
		case e.remaining > 3 && e.spike(p):
			i, p = p, e.prev[p]
		case e.remaining > 3 && e.spike(q):
			i, q = q, e.next[q]
		default:
			e.tree.set(p, e.reflex(p))
			e.tree.set(q, e.reflex(q))
			return b.visit()
		}
	}
}

// visit counts one visit of a corner. Every 2048th visit checks the context.
func (b *Builder) visit() error {
	const look = 1 << 11
	if b.visits++; b.visits%look == 0 {
		return b.ctxDone()
	}
	return nil
}

// clipRest appends the remaining corners of the ring as a fan.
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

// ring links the corners 0 to n−1 to a ring and empties the queue.
func (e *earClipper) ring(n int) {
	e.queue, e.head = e.queue[:0], 0
	e.remaining, e.first = n, 0
	for i := range n {
		e.prev[i], e.next[i] = int32((i+n-1)%n), int32((i+1)%n)
		e.removed[i], e.queued[i] = false, false
	}
}

// push appends corner i to the queue, unless the corner is already in the queue.
func (e *earClipper) push(i int32) {
	if e.queued[i] {
		return
	}
	if len(e.queue) == cap(e.queue) {
		// At most half of the queue is in use. Therefore the copy has an amortized cost of O(1) for
		// each pop.
		e.queue = e.queue[:copy(e.queue, e.queue[e.head:])]
		e.head = 0
	}
	e.queued[i] = true
	e.queue = append(e.queue, i)
}

func (e *earClipper) pop() int32 {
	i := e.queue[e.head]
	e.head++
	e.queued[i] = false
	return i
}

func (e *earClipper) queueAll() {
	i := e.first
	for range e.remaining {
		e.push(i)
		i = e.next[i]
	}
}

// unlink removes corner i from the ring and appends its neighbors to the queue.
func (e *earClipper) unlink(i int32) {
	p, q := e.prev[i], e.next[i]
	e.next[p], e.prev[q] = q, p
	e.removed[i] = true
	e.remaining--
	e.first = p
	e.push(p)
	e.push(q)
}

// spike reports whether corner i is the tip of a spike without area, or repeats a neighbor.
func (e *earClipper) spike(i int32) bool {
	p, q := e.prev[i], e.next[i]
	return e.turn(p, i, q) == 0 && !between(e.at[p], e.at[i], e.at[q])
}

// reflex reports whether the polygon does not turn left at corner i. If any corner blocks an ear, a
// reflex corner does. Proof: of the corners in the triangle of the ear, let k be the one farthest
// from the base. No edge enters the part of the triangle beyond k, so this part is inside the
// polygon. The angle at k is therefore at least 180°.
func (e *earClipper) reflex(i int32) bool { return e.turn(e.prev[i], i, e.next[i]) <= 0 }

// ear reports whether corner i can be cut off. One of these conditions must hold:
//   - The polygon turns left at corner i, and no corner blocks the triangle of corner i.
//   - Corner i is the tip of a spike.
//   - allowFlat is set, and corner i is on the line between its neighbors.
func (b *Builder) ear(i int32, allowFlat bool) (bool, error) {
	e := &b.ears
	switch e.turn(e.prev[i], i, e.next[i]) {
	case -1:
		return false, b.visit()
	case 0:
		return allowFlat || e.spike(i), b.visit()
	}
	blocked, err := b.blocked(0, i)
	return !blocked, err
}

// between reports whether b lies strictly between a and c. The three points must be on a line.
func between(a, b, c r3.Vector) bool {
	x, y := cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)
	return (x != 0 || y != 0) && x == cmp.Compare(b.X, c.X) && y == cmp.Compare(b.Y, c.Y)
}

// blocks reports whether corner k blocks the triangle p, i, q. Every corner in the closed triangle
// blocks it, except at keyholes. At a keyhole, corner k is at the same point as p, i or q. Such a
// corner blocks the triangle only if an edge of k leads into the triangle.
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

// leadsInto reports whether corner k is in the wedge at corner x of the triangle x, y, z: an edge of k
// leads into the open wedge, or the edges of k are on both sides of the wedge in reverse order. In the
// second case, no area is left between the edges of x and k. The triangle must be counterclockwise.
// Corners k and x must be at the same point.
func (e *earClipper) leadsInto(k, x, y, z int32) bool {
	prev, next := e.prev[k], e.next[k]
	for _, to := range [2]int32{prev, next} {
		if e.turn(x, y, to) > 0 && e.turn(x, to, z) > 0 {
			return true
		}
	}
	return e.turn(x, y, prev) == 0 && e.turn(x, next, z) == 0 && e.turn(x, prev, next) > 0
}

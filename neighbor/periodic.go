package neighbor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Contact is a contact of two bodies of a Periodic: body A touches body B moved by Image periods.
// Image is (0, 0, 0) if the bodies touch at their given places. A ≤ B. If A = B, the body touches
// its own image, and the first component of Image that is not 0 is positive.
type Contact struct {
	Pair
	Image [3]int32
}

// compareContacts orders contacts by A, then B, then the components of Image.
func compareContacts(a, b Contact) int {
	if c := cmp.Compare(a.key(), b.key()); c != 0 {
		return c
	}
	return slices.Compare(a.Image[:], b.Image[:])
}

// Periodic is a Method in a periodic cell. It adds images of the bodies near the sides of the cell,
// and finds the pairs of bodies and images with another method.
//
// Bodies can be anywhere: Periodic works with the bodies moved into the cell. Cell.Wrap moves the
// center of a ball, or the middle Min/2+Max/2 of a box. The coordinates are rounded once, as by
// Cell.Move. A body is invalid if its size on a periodic axis exceeds the period, or if it is more
// than 2^29 periods from the cell.
//
// Two bodies can touch through several images, and a body can touch its own image. Contacts has one
// entry for each such image. Pairs has each pair of different bodies once.
//
// Rounding. Let a and b be two bodies in the cell, and let s be a vector of components −1, 0 and 1.
// Move a by max(−s, 0) periods and b by max(s, 0) periods, and round. The bodies touch through the
// image s if and only if the moved bodies touch as in any other Method. So bodies move only upward,
// and the result does not depend on the inner method, on the order of the bodies, or on the number
// of workers. Images with other components do not count: except for rounding, they are farther
// apart than the period. Contact.Image is s plus the number of periods by which Wrap moved B, minus
// the number for A.
//
// A step takes the time of the inner method with the bodies and their images, plus O(n + p) for n
// bodies and p contacts. If a body is near the lower sides of the cell on some axes, it has an
// image for each combination of these axes. Near means that the image could touch a body in the
// cell. For the inner method, a body jumps when it crosses a side, and images appear and vanish. A
// VerletList then builds a new list. A HierarchicalGrid is not slower in such steps.
// AutoOptions.MaxPairs and Stats also count pairs of images.
type Periodic[T Body] struct {
	inner  Method[T]
	cell   Cell
	period r3.Vector
	ops    bodyOps[T]

	contacts, last, buffer []Contact // contacts of the last step and of the step before, and memory for the next step
	border                 []Contact // temporary: contacts of images
	pairs, lastPairs       []Pair    // pairs of contacts and of last, if known
	known, lastKnown       bool
	added, removed         []Pair

	// copies has the bodies in the cell, then absent bodies up to base, then the images in their
	// slots. An image keeps its slot from step to step, because the inner method identifies bodies by
	// index.
	copies []T
	base   int
	wraps  [][3]int32 // by how many periods each body was moved into the cell
	images []image    // images of the last step, ordered by body, then mask
	next   []image    // images of the step that Update makes
	owner  []int32    // temporary: the index in next of the image in each slot, or −1
	// body and box are temporary. They are fields because arguments of function values escape to
	// the heap.
	body T
	box  bvh.Box
}

// image is a body that is moved by one period on each axis in mask.
type image struct {
	body, slot int32
	mask       uint8
}

func compareImages(a, b image) int {
	return cmp.Or(cmp.Compare(a.body, b.body), cmp.Compare(a.mask, b.mask))
}

// NewPeriodic returns a Periodic that has made no step yet. The Periodic finds pairs with the inner
// method, which no other code may use. NewPeriodic panics if inner is nil.
//
// Errors: an error that wraps ErrCell.
func NewPeriodic[T Body](inner Method[T], cell Cell) (*Periodic[T], error) {
	if inner == nil {
		panic("neighbor: the inner method of a Periodic must not be nil")
	}
	m := &Periodic[T]{inner: inner, cell: cell, period: cell.Period(), ops: opsOf[T](), known: true, lastKnown: true}
	if _, nested := inner.(*Periodic[T]); nested {
		return nil, fmt.Errorf("%w: the inner method is periodic: set all axes in one cell", ErrCell)
	}
	if err := cell.Check(m.ops.axes); err != nil {
		return nil, err
	}
	return m, nil
}

// Cell returns the cell that NewPeriodic got.
func (m *Periodic[T]) Cell() Cell { return m.cell }

// Update makes a step; see Method. Bodies that are too large for the cell or too far from it also
// give ErrBody.
func (m *Periodic[T]) Update(ctx context.Context, bodies []T) error {
	if err := check(bodies); err != nil {
		return err
	}
	base := max(m.base, len(bodies))
	reach, err := m.wrap(bodies, base)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.findImages(len(bodies), reach)
	slots := m.assignSlots()
	if base+slots > math.MaxInt32 {
		return fmt.Errorf("%w: body %d: with the images of bodies near the sides of the cell, there are %d bodies, and the limit is %d",
			ErrBody, len(bodies)-1, base+slots, math.MaxInt32)
	}
	m.placeImages(base, slots)
	if err := m.inner.Update(ctx, m.copies); err != nil {
		return err
	}
	m.base = base
	m.images, m.next = m.next, m.images
	m.collect()
	return nil
}

// wrap sets copies to the bodies, moved into the cell, followed by absent bodies up to base. reach
// has the largest coordinates of the bodies in the cell.
func (m *Periodic[T]) wrap(bodies []T, base int) (reach r3.Vector, err error) {
	m.copies = slices.Grow(m.copies[:0], base)[:base]
	m.wraps = slices.Grow(m.wraps[:0], len(bodies))[:len(bodies)]
	reach = bvh.EmptyBox().Max
	box := &m.box
	for i := range m.copies {
		m.copies[i] = m.ops.none
		if i >= len(bodies) || m.ops.absent(&bodies[i]) {
			continue
		}
		b := &m.copies[i]
		*b = bodies[i]
		center, size := m.ops.extent(b)
		_, by, ok := m.cell.Wrap(center)
		if !ok || m.exceeds(size) {
			return reach, m.badBody(i, center, size)
		}
		m.wraps[i] = by
		if by != [3]int32{} {
			m.ops.move(b, by, m.period)
		}
		m.ops.bounds(box, b)
		reach.X, reach.Y, reach.Z = max(reach.X, box.Max.X), max(reach.Y, box.Max.Y), max(reach.Z, box.Max.Z)
	}
	return reach, nil
}

// exceeds reports whether a size exceeds the period on a periodic axis.
func (m *Periodic[T]) exceeds(size r3.Vector) bool {
	p, l := m.cell.Periodic, m.period
	return p[0] && size.X > l.X || p[1] && size.Y > l.Y || p[2] && size.Z > l.Z
}

func (m *Periodic[T]) badBody(i int, center, size r3.Vector) error {
	for k, name := range [...]string{"x", "y", "z"} {
		period := component(m.period, k)
		if m.cell.Periodic[k] && component(size, k) > period {
			return fmt.Errorf("%w: body %d: its size %g on axis %s must not exceed the period %g of the cell", ErrBody, i, component(size, k), name, period)
		}
	}
	return fmt.Errorf("%w: body %d: its center %g is more than 2^29 periods from the cell, which goes from %g to %g",
		ErrBody, i, center, m.cell.Min, m.cell.Max)
}

// findImages sets next to the images of the first n bodies that can touch a body in the cell. If
// two bodies touch, their bounds overlap on each axis. So findImages decides for each axis
// separately.
func (m *Periodic[T]) findImages(n int, reach r3.Vector) {
	m.next = m.next[:0]
	up := m.shift(7)
	b, box := &m.body, &m.box
	for i := range m.copies[:n] {
		if *b = m.copies[i]; m.ops.absent(b) {
			continue
		}
		m.ops.move(b, up, m.period)
		m.ops.bounds(box, b)
		axes := uint8(0)
		if up[0] > 0 && box.Min.X <= reach.X {
			axes |= 1
		}
		if up[1] > 0 && box.Min.Y <= reach.Y {
			axes |= 2
		}
		if up[2] > 0 && box.Min.Z <= reach.Z {
			axes |= 4
		}
		for mask := uint8(1); mask <= axes; mask++ {
			if mask&^axes == 0 {
				m.next = append(m.next, image{body: int32(i), mask: mask})
			}
		}
	}
}

// shift returns 1 on each periodic axis in mask, and 0 on other axes.
func (m *Periodic[T]) shift(mask uint8) (s [3]int32) {
	for k, periodic := range m.cell.Periodic {
		if periodic {
			s[k] = int32(mask >> k & 1)
		}
	}
	return s
}

// assignSlots gives each image in next the slot that it had in the last step, or a free slot. It
// returns the number of slots.
func (m *Periodic[T]) assignSlots() int {
	for i := range m.owner {
		m.owner[i] = -1
	}
	old := m.images
	for i := range m.next {
		v := &m.next[i]
		v.slot = -1
		for len(old) > 0 && compareImages(old[0], *v) < 0 {
			old = old[1:]
		}
		if len(old) > 0 && compareImages(old[0], *v) == 0 {
			v.slot = old[0].slot
			m.owner[v.slot] = int32(i)
		}
	}
	free := 0
	for i := range m.next {
		if m.next[i].slot >= 0 {
			continue
		}
		for free < len(m.owner) && m.owner[free] >= 0 {
			free++
		}
		if free == len(m.owner) {
			m.owner = append(m.owner, -1)
		}
		m.next[i].slot, m.owner[free] = int32(free), int32(i)
	}
	return len(m.owner)
}

// placeImages appends the images in their slots to copies.
func (m *Periodic[T]) placeImages(base, slots int) {
	m.copies = slices.Grow(m.copies, slots)[:base+slots]
	images := m.copies[base:]
	for slot, i := range m.owner {
		if i < 0 {
			images[slot] = m.ops.none
			continue
		}
		v := m.next[i]
		images[slot] = m.copies[v.body]
		m.ops.move(&images[slot], m.shift(v.mask), m.period)
	}
}

// collect computes the contacts from the pairs of the inner method. Pairs of bodies in the cell are
// in order. Pairs with images are sorted and merged.
func (m *Periodic[T]) collect() {
	list, border := m.buffer[:0], m.border[:0]
	base := int32(m.base)
	for _, p := range m.inner.Pairs() {
		if p.B < base {
			list = append(list, Contact{Pair: p, Image: minus(m.wraps[p.B], m.wraps[p.A])})
			continue
		}
		a, b := m.source(p.A), m.source(p.B)
		if a.mask&b.mask != 0 {
			continue // the same bodies also touch without this period
		}
		border = append(border, m.contact(a, b))
	}
	slices.SortFunc(border, compareContacts)
	m.border = border
	// Merge from the end, so that each contact is read before its place is written.
	end := len(list)
	list = append(list, border...)
	for j := len(border) - 1; j >= 0; j-- {
		at, _ := slices.BinarySearchFunc(list[:end], border[j], compareContacts)
		copy(list[at+j+1:], list[at:end])
		list[at+j] = border[j]
		end = at
	}
	m.contacts, m.last, m.buffer = list, m.contacts, m.last
	m.pairs, m.lastPairs = m.lastPairs, m.pairs
	m.known, m.lastKnown = false, m.known
}

// source returns the body or the image with the given index in copies.
func (m *Periodic[T]) source(index int32) image {
	if int(index) < m.base {
		return image{body: index}
	}
	return m.images[m.owner[int(index)-m.base]]
}

// contact returns the contact of two images with different axes in their masks.
func (m *Periodic[T]) contact(a, b image) Contact {
	if a.body > b.body {
		a, b = b, a
	}
	s := minus(m.shift(b.mask), m.shift(a.mask))
	c := Contact{Pair: Pair{A: a.body, B: b.body}}
	if a.body == b.body {
		if s[0] < 0 || s[0] == 0 && (s[1] < 0 || s[1] == 0 && s[2] < 0) {
			s = minus([3]int32{}, s)
		}
		c.Image = s
		return c
	}
	c.Image = minus(m.wraps[b.body], m.wraps[a.body])
	for k := range s {
		c.Image[k] += s[k]
	}
	return c
}

func minus(a, b [3]int32) [3]int32 { return [3]int32{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Contacts returns the contacts of the last step, ordered by A, then B, then Image. The slice is
// valid until the next Update.
func (m *Periodic[T]) Contacts() []Contact { return m.contacts }

// Pairs returns the pairs of different bodies that touch through at least one image; see Method.
func (m *Periodic[T]) Pairs() []Pair {
	if !m.known {
		m.pairs, m.known = distinctPairs(m.pairs[:0], m.contacts), true
	}
	return m.pairs
}

// distinctPairs appends to dst the pairs of different bodies in ordered contacts, each once.
func distinctPairs(dst []Pair, contacts []Contact) []Pair {
	for i, c := range contacts {
		if c.A != c.B && (i == 0 || contacts[i-1].Pair != c.Pair) {
			dst = append(dst, c.Pair)
		}
	}
	return dst
}

// Changes returns how Pairs changed in the last step; see Tracker. A pair that touches through
// another image than before has not changed.
func (m *Periodic[T]) Changes() (added, removed []Pair) {
	if !m.lastKnown {
		m.lastPairs, m.lastKnown = distinctPairs(m.lastPairs[:0], m.last), true
	}
	m.added, m.removed = diffPairs(m.added[:0], m.removed[:0], m.lastPairs, m.Pairs())
	return m.added, m.removed
}

// Stats returns the counts of the inner method; see Method.
func (m *Periodic[T]) Stats() Stats { return m.inner.Stats() }

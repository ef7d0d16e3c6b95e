package skin

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// face is a face without a partner.
type face struct {
	// key identifies a face. A triangle has its canonical cycle and −1. A quad has its canonical
	// cycle. A larger polygon has the position of its corners in faces.corners, their number, the hash
	// value, and −2.
	key   [4]int32
	order int64 // number of faces that were added before
	net   int32 // number of faces in the direction of the cycle, minus the number in the other direction
	next  int32 // in a free face, the next free face; −1 in the last one
}

const (
	faceBytes = 32
	triangle  = -1
	polygon   = -2
)

// faces is a multiset of faces in which opposite faces cancel. It is a hash table with linear probing.
type faces struct {
	budget  *soup.Budget
	seed    maphash.Seed
	list    []face
	free    int32 // first free face of list; −1 if there is none
	used    int   // number of faces that are not free
	slots   []int32
	corners []int32 // corners of polygons
	added   int64
}

// empty is a slot without a face. A slot holds the index of its face plus 1.
const empty = 0

// add adds a face with the given canonical cycle. The sign is its direction.
func (f *faces) add(cycle []int32, sign int32) error {
	if 2*f.used >= len(f.slots) {
		if err := f.grow(); err != nil {
			return err
		}
	}
	order := f.added
	f.added++
	key, hash := f.key(cycle)
	mask := len(f.slots) - 1
	slot := int(hash) & mask
	for ; f.slots[slot] != empty; slot = (slot + 1) & mask {
		at := &f.list[f.slots[slot]-1]
		if !f.equal(at.key, key, cycle) {
			continue
		}
		if at.net += sign; at.net == 0 {
			f.remove(slot)
		}
		return nil
	}
	i := f.free
	if i >= 0 {
		f.free = f.list[i].next
	} else {
		if len(f.list) == cap(f.list) {
			if err := soup.Grow(f.budget, &f.list, 1, faceBytes); err != nil {
				return err
			}
		}
		i = int32(len(f.list))
		f.list = append(f.list, face{})
	}
	if key[3] == polygon {
		if err := soup.Grow(f.budget, &f.corners, len(cycle), 4); err != nil {
			return err
		}
		key[0] = int32(len(f.corners))
		f.corners = append(f.corners, cycle...)
	}
	f.list[i] = face{key: key, order: order, net: sign}
	f.slots[slot] = i + 1
	f.used++
	return nil
}

// key returns the key of a cycle and its hash value. The position of a polygon is not in the key yet.
func (f *faces) key(cycle []int32) (key [4]int32, hash uint64) {
	switch len(cycle) {
	case 3:
		key = [4]int32{cycle[0], cycle[1], cycle[2], triangle}
	case 4:
		key = [4]int32(cycle)
	default:
		h := uint64(0)
		for _, c := range cycle {
			h = maphash.Comparable(f.seed, [2]uint64{h, uint64(c)})
		}
		key = [4]int32{0, int32(len(cycle)), int32(h), polygon}
	}
	return key, f.hash(key)
}

// hash returns the hash value of a key. It does not depend on the position of a polygon.
func (f *faces) hash(key [4]int32) uint64 {
	if key[3] == polygon {
		key[0] = 0
	}
	return maphash.Comparable(f.seed, key)
}

// equal reports whether the face with key a has the given key and cycle.
func (f *faces) equal(a, key [4]int32, cycle []int32) bool {
	if key[3] != polygon {
		return a == key
	}
	return a[3] == polygon && a[2] == key[2] && a[1] == key[1] && slices.Equal(f.polygon(a), cycle)
}

// polygon returns the corners of a polygon.
func (f *faces) polygon(key [4]int32) []int32 { return f.corners[key[0] : key[0]+key[1]] }

// remove frees the face in a slot and closes the gap in the hash table. It moves a later face into
// the gap, unless the gap lies before the first slot of that face (Knuth, volume 3, section 6.4,
// algorithm R).
func (f *faces) remove(slot int) {
	i := f.slots[slot] - 1
	f.list[i] = face{next: f.free}
	f.free = i
	f.used--
	mask := len(f.slots) - 1
	gap := slot
	for at := (gap + 1) & mask; f.slots[at] != empty; at = (at + 1) & mask {
		first := int(f.hash(f.list[f.slots[at]-1].key)) & mask
		if (at-first)&mask >= (at-gap)&mask {
			f.slots[gap] = f.slots[at]
			gap = at
		}
	}
	f.slots[gap] = empty
}

// grow doubles the number of slots.
func (f *faces) grow() error {
	n := max(2*len(f.slots), 64)
	if n > math.MaxInt32 {
		return soup.Reason(soup.ErrTooLarge, "more than %d faces without a partner", f.used)
	}
	if err := f.budget.Reserve(4 * int64(n)); err != nil {
		return err
	}
	f.budget.Release(4 * int64(len(f.slots)))
	f.slots = make([]int32, n)
	for i := range f.list {
		if f.list[i].net == 0 {
			continue
		}
		slot := int(f.hash(f.list[i].key)) & (n - 1)
		for f.slots[slot] != empty {
			slot = (slot + 1) & (n - 1)
		}
		f.slots[slot] = int32(i) + 1
	}
	return nil
}

// each calls do for each face in the order of the file. It passes the cycle and the field net. The
// function can change the cycle. The set must be reset afterward.
func (f *faces) each(do func(cycle []int32, net int32) error) error {
	f.budget.Release(4 * int64(len(f.slots)))
	f.slots = nil
	slices.SortFunc(f.list, func(a, b face) int { return cmp.Compare(a.order, b.order) })
	for i := range f.list {
		at := &f.list[i]
		if at.net == 0 {
			continue
		}
		cycle := at.key[:]
		switch at.key[3] {
		case triangle:
			cycle = at.key[:3]
		case polygon:
			cycle = f.polygon(at.key)
		}
		if err := do(cycle, at.net); err != nil {
			return err
		}
	}
	return nil
}

// reset removes all faces and releases their memory.
func (f *faces) reset() {
	f.budget.Release(4*int64(len(f.slots)+cap(f.corners)) + faceBytes*int64(cap(f.list)))
	*f = faces{budget: f.budget, seed: f.seed, free: -1}
}

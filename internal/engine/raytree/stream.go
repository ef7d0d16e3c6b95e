package raytree

import "unsafe"

// Slots is the number of walks of a Stream (tuning).
const Slots = 8

// Stream is several walks that advance in turn, which is faster than one walk after another. The
// results of each walk are the same as without the others.
type Stream struct {
	Walks [Slots]Walk
	list  [Slots]int64 // distances in bytes of the walks from the first one
	n     int
}

// Add lets the walk with number slot take part in Advance. Before Add, the caller begins the walk
// with Start, or takes its last result.
func (s *Stream) Add(slot int) {
	s.list[s.n] = int64(slot) * int64(unsafe.Sizeof(s.Walks[0]))
	s.n++
}

// Advance continues the walks in the Stream until some of them have results. It removes each of
// these walks, and calls take with its number and its result. take may add the walk again. Advance
// returns false if no walk is left.
func (s *Stream) Advance(t *Tree, take func(slot int, b Block)) bool {
	if s.n == 0 {
		return false
	}
	var list [Slots]int64
	copy(list[:], s.list[:s.n])
	left := advance(&s.Walks[0], t, list[:s.n], s.n/2)
	ready := list[left:s.n]
	copy(s.list[:left], list[:left])
	s.n = left
	for _, at := range ready {
		slot := int(at / int64(unsafe.Sizeof(s.Walks[0])))
		take(slot, s.Walks[slot].block())
	}
	return true
}

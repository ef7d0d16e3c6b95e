package main

import "math"

// gridLevel finds the list of a cell: in an array of all cells if they are no more than
// some times the particles, else in a hash table with open addresses.
type gridLevel struct {
	inverse float64
	counts  [3]int32
	heads   []int32 // by cell, or by place in keys; −1: no list
	keys    []int64 // of occupied places; nil for an array
	mask    uint64
}

// denseCells is how many cells a particle the array may have: 64 bytes. The recipe's levels
// have 2 to 5, so the hash table is for sparse ones.
const denseCells = 16

// reset empties the level and fits it to so many particles in a box of the given extent.
func (l *gridLevel) reset(size float64, extent [3]float64, n int) {
	l.inverse = 1 / size
	cells := 1.0
	for axis := range l.counts {
		l.counts[axis] = int32(extent[axis]*l.inverse) + 1
		cells *= float64(l.counts[axis])
	}
	length := int(math.Min(cells, math.MaxInt32))
	if cells <= denseCells*float64(n)+64 {
		l.keys = nil
	} else {
		length = 4
		for length < 2*n {
			length *= 2
		}
		l.mask = uint64(length - 1)
		l.keys = resized(l.keys, length)
	}
	l.heads = resized(l.heads, length)
	for i := range l.heads {
		l.heads[i] = -1
	}
}

// resized returns s with the given length, in its memory if that is enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// index is the cell of a place relative to the low corner.
func (l *gridLevel) index(x, y, z float64) [3]int32 {
	return [3]int32{int32(math.Floor(x * l.inverse)), int32(math.Floor(y * l.inverse)), int32(math.Floor(z * l.inverse))}
}

// key numbers the cells.
func (l *gridLevel) key(c [3]int32) int64 {
	return int64(c[0]) + int64(l.counts[0])*(int64(c[1])+int64(l.counts[1])*int64(c[2]))
}

// place is where the list of a cell begins, or would begin, in heads.
func (l *gridLevel) place(c [3]int32) int {
	key := l.key(c)
	if l.keys == nil {
		return int(key)
	}
	// Fibonacci hashing, 2⁶⁴ over the golden ratio (Knuth, The Art of Computer Programming 3, §6.4)
	at := uint64(key) * 0x9e3779b97f4a7c15 >> 20 & l.mask
	for l.heads[at] >= 0 && l.keys[at] != key {
		at = (at + 1) & l.mask
	}
	return int(at)
}

// head returns the first particle of a cell, −1 if there is none; cells outside have none.
func (l *gridLevel) head(c [3]int32) int32 {
	for axis, n := range l.counts {
		if c[axis] < 0 || c[axis] >= n {
			return -1
		}
	}
	return l.heads[l.place(c)]
}

// row returns the heads of the cells first to last of a row along x, nil if they are in a
// hash table; all must be inside.
func (l *gridLevel) row(first, last, y, z int32) []int32 {
	if l.keys != nil {
		return nil
	}
	at := l.key([3]int32{first, y, z})
	return l.heads[at : at+int64(last-first)+1]
}

// push puts a particle in front of the list of its cell, and returns what follows it.
func (l *gridLevel) push(c [3]int32, i int32) (next int32) {
	at := l.place(c)
	next, l.heads[at] = l.heads[at], i
	if l.keys != nil {
		l.keys[at] = l.key(c)
	}
	return next
}

package voxels

import "math/bits"

// marks are a set of cells of a block, a bit for each: what they take does not depend on
// how many triangles meet a cell.
type marks struct {
	block block
	words []uint64
	steps int // of each, since its caller set it to 0
}

// reset makes m an empty set of cells of b.
func (m *marks) reset(b block) {
	m.block = b
	m.words = grow(m.words, (b.cells()+63)/64)
	clear(m.words)
}

func (m *marks) set(i, j, k int) {
	n := m.block.number(i, j, k)
	m.words[n/64] |= 1 << (n % 64)
}

func (m *marks) has(i, j, k int) bool { return m.at(m.block.number(i, j, k)) }

func (m *marks) at(n int) bool { return m.words[n/64]>>(n%64)&1 == 1 }

// scanned is how many cells full looks at, at most: a few boxes' worth of work. A choice.
const scanned = 1 << 12

// full reports whether all cells of b, a part of the block of m, are in m, if they are
// at most scanned.
func (m *marks) full(b *block) bool {
	if b.cells() > scanned {
		return false
	}
	for k := b.lo[2]; k < b.hi[2]; k++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			n := m.block.number(b.lo[0], j, k)
			if !m.allOf(n, n+b.hi[0]-b.lo[0]) {
				return false
			}
		}
	}
	return true
}

// allOf reports whether all cells from number from to number to−1 are in m.
func (m *marks) allOf(from, to int) bool {
	for from < to {
		length := min(64-from%64, to-from)
		if bits.TrailingZeros64(^(m.words[from/64] >> (from % 64))) < length {
			return false
		}
		from += length
	}
	return true
}

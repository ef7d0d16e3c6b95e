package cells

// block is a set of cells of a brick, one word a layer.
type block [brickSide]uint64

// Columns of a layer of a brick, and of the layers of a refined cell.
const (
	west  = 0x0101010101010101 // x = 0
	east  = west << 7
	west4 = 0x1111111111111111
	east4 = west4 << 3
	low4  = 0x000f000f000f000f // y = 0
	high4 = low4 << 12
)

// parts calls emit for each set of cells of free that faces connect.
func (free block) parts(emit func(block)) {
	for z := range free {
		for free[z] != 0 {
			var p block
			p[z] = free[z] & -free[z]
			free.grow(&p)
			for k := range free {
				free[k] &^= p[k]
			}
			emit(p)
		}
	}
}

// grow enlarges p to all cells of free that faces connect to it.
func (free *block) grow(p *block) {
	for changed := true; changed; {
		changed = false
		for z := range p {
			old := p[z]
			v := old
			if z > 0 {
				v |= p[z-1] & free[z]
			}
			if z < brickSide-1 {
				v |= p[z+1] & free[z]
			}
			if v == 0 {
				continue
			}
			for w := uint64(0); w != v; {
				w = v
				v |= (v<<8 | v>>8 | v<<1&^west | v>>1&^east) & free[z]
			}
			if v != old {
				p[z], changed = v, true
			}
		}
	}
}

// parts4 calls emit for each set of cells of free, in a refined cell, that faces
// connect.
func parts4(free uint64, emit func(uint64)) {
	for free != 0 {
		p := free & -free
		for old := uint64(0); old != p; {
			old = p
			p |= (p<<1&^west4 | p>>1&^east4 | p<<4&^low4 | p>>4&^high4 | p<<16 | p>>16) & free
		}
		free &^= p
		emit(p)
	}
}

// face returns the cells of p on a face of the brick as the bits of a word: axis
// 0, 1 or 2, the upper face or the lower.
func (p *block) face(axis int, upper bool) uint64 {
	layer := 0
	if upper {
		layer = brickSide - 1
	}
	switch axis {
	case 2:
		return p[layer]
	case 1:
		w := uint64(0)
		for z := range p {
			w |= p[z] >> (8 * layer) & 0xff << (8 * z)
		}
		return w
	}
	w := uint64(0)
	for z := range p {
		// Bit `layer` of each byte, gathered to one byte: the multiplication moves
		// byte y to bit 56+y.
		w |= (p[z] >> layer & west) * 0x0102040810204080 >> 56 << (8 * z)
	}
	return w
}

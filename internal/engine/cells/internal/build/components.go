package build

import "github.com/inpoly/inpoly/internal/engine/cells/internal/layout"

// brickMask is a set of cells of a brick. It has one word for each layer of cells in z. Bit x + 8y
// of the word stands for cell (x, y).
type brickMask [layout.BrickSide]uint64

// xMin and xMax select the cells with the smallest and the largest x in one layer of a brick. Bit x
// + 8y stands for cell (x, y). The other masks select cells of a refined cell, where bit x + 4y +
// 16z stands for cell (x, y, z).
const (
	xMin  = 0x0101010101010101
	xMax  = xMin << 7
	xMin4 = 0x1111111111111111
	xMax4 = xMin4 << 3
	yMin4 = 0x000f000f000f000f
	yMax4 = yMin4 << 12
)

// components calls emit for each component of a set of cells. A component is a maximal subset whose
// cells are connected through shared faces.
func (freeCells brickMask) components(emit func(brickMask)) {
	for z := range freeCells {
		for freeCells[z] != 0 {
			var p brickMask
			p[z] = freeCells[z] & -freeCells[z]
			freeCells.flood(&p)
			for k := range freeCells {
				freeCells[k] &^= p[k]
			}
			emit(p)
		}
	}
}

// union adds the cells of o.
func (m *brickMask) union(o *brickMask) {
	for z := range m {
		m[z] |= o[z]
	}
}

// dilated returns the cells that belong to m or touch a cell of m, also at an edge or a corner.
func (m *brickMask) dilated() (out brickMask) {
	var layers brickMask
	for z, v := range m {
		v |= v<<1&^xMin | v>>1&^xMax
		layers[z] = v | v<<layout.BrickSide | v>>layout.BrickSide
	}
	for z, v := range layers {
		out[z] |= v
		if z > 0 {
			out[z-1] |= v
		}
		if z < layout.BrickSide-1 {
			out[z+1] |= v
		}
	}
	return out
}

// flood adds to p every component of freeCells that contains a cell of p.
func (freeCells *brickMask) flood(p *brickMask) {
	for changed := true; changed; {
		changed = false
		for z := range p {
			old := p[z]
			v := old
			if z > 0 {
				v |= p[z-1] & freeCells[z]
			}
			if z < layout.BrickSide-1 {
				v |= p[z+1] & freeCells[z]
			}
			if v == 0 {
				continue
			}
			for w := uint64(0); w != v; {
				w = v
				v |= (v<<8 | v>>8 | v<<1&^xMin | v>>1&^xMax) & freeCells[z]
			}
			if v != old {
				p[z], changed = v, true
			}
		}
	}
}

// childComponents calls emit for each component of the given children of a cell.
func childComponents(freeCells uint64, emit func(uint64)) {
	for freeCells != 0 {
		p := freeCells & -freeCells
		for old := uint64(0); old != p; {
			old = p
			p |= (p<<1&^xMin4 | p>>1&^xMax4 | p<<4&^yMin4 | p>>4&^yMax4 | p<<16 | p>>16) & freeCells
		}
		freeCells &^= p
		emit(p)
	}
}

// face returns the cells of p at one face of the brick, as the bits of a word. The face is the
// upper or the lower face along axis.
func (p *brickMask) face(axis int, upper bool) uint64 {
	layer := 0
	if upper {
		layer = layout.BrickSide - 1
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
		// Gather bit `layer` of each byte into one byte. The multiplication moves the selected bit
		// of byte y to bit 56+y.
		w |= (p[z] >> layer & xMin) * 0x0102040810204080 >> 56 << (8 * z)
	}
	return w
}

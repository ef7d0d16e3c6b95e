package cells

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// grid is what lookUp reads, for assembly.
type grid struct {
	min    [3]float64
	inv    float64
	last   [3]int32 // cells of the first level along each axis, less one
	bricks [2]int32 // bricks along x and y
	_      int32
	top    *uint32
	words  *word
}

// makeGrid sets x.grid.
func (x *Index) makeGrid() {
	// The kernel may read a few bytes beyond the last word.
	x.words = append(x.words, word{})[:len(x.words)]
	x.grid = grid{
		min: [3]float64{x.min.X, x.min.Y, x.min.Z}, inv: x.inv,
		bricks: [2]int32{x.dims[0], x.dims[1]},
		top:    &x.top[0], words: &x.words[0],
	}
	for a, n := range x.dims {
		x.grid.last[a] = n*brickSide - 1
	}
	// Offsets of words are int32 in the kernel, and the first bits of entries.
	x.kernel = hasAVX2 && len(x.words) <= math.MaxInt32/16
}

// lookUp writes the sides of points in empty cells, and to later bit i&7 of byte
// i>>3 for point i if it has to be decided elsewhere: it is in a crossed cell,
// in a brick that needs rays, or not in the grid. len(later) ≥ ⌈len(pts)/8⌉.
func (x *Index) lookUp(dst []side.Side, pts []r3.Vector, later []uint8) {
	n := len(pts)
	_, _ = dst[:n], later[:(n+7)/8]
	if n == 0 {
		return
	}
	whole := 0
	if x.kernel {
		if whole = n &^ 7; whole > 0 {
			lookUpAVX2(&x.grid, &pts[0], whole, &dst[0], &later[0])
		}
	}
	x.lookUpGeneric(dst[whole:n], pts[whole:], later[whole/8:])
}

// lookUpGeneric is lookUp without assembly.
func (x *Index) lookUpGeneric(dst []side.Side, pts []r3.Vector, later []uint8) {
	low, inv, lim := x.min, x.inv, x.lim
	dx, dy := x.dims[0], x.dims[1]
	top, words := x.top, x.words
	dst = dst[:len(pts)]
	for i := range pts {
		if i&7 == 0 {
			later[i>>3] = 0
		}
		p := &pts[i]
		tx, ty, tz := (p.X-low.X)*inv, (p.Y-low.Y)*inv, (p.Z-low.Z)*inv
		if !(tx >= 0 && tx < lim[0] && ty >= 0 && ty < lim[1] && tz >= 0 && tz < lim[2]) {
			later[i>>3] |= 1 << (i & 7)
			continue
		}
		ix, iy, iz := int32(tx), int32(ty), int32(tz)
		e := top[(iz>>brickBits*dy+iy>>brickBits)*dx+ix>>brickBits]
		w := &words[e>>3*brickSide+uint32(iz&(brickSide-1))]
		bit := uint(ix&(brickSide-1)|iy&(brickSide-1)<<brickBits) & 63
		dst[i] = label(e, w.value>>bit)
		later[i>>3] |= uint8((w.crossed>>bit|uint64(e>>2))&1) << (i & 7)
	}
}

// planeSigns writes for each line, at the coordinates packed by pack, the planes
// that are certainly positive to the low byte and those that are certainly
// negative to the high byte, bit j for word j; bits 0 mean nothing.
func planeSigns(lines []*line, at []uint64, signs []uint16) {
	n := len(lines)
	_, _ = at[:n], signs[:n]
	if n == 0 {
		return
	}
	if hasAVX2 {
		planeSignsAVX2(&lines[0], &at[0], n, &signs[0])
		return
	}
	planeSignsGeneric(lines, at, signs)
}

// lineSigns returns the planes of one line that are certainly positive and
// certainly negative at the coordinates packed in u.
func lineSigns(l *line, u uint64) (pos, neg uint64) {
	if !hasAVX2 {
		return l.signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
	}
	var signs uint16
	planeSignsAVX2(&l, &u, 1, &signs)
	return uint64(signs & 0xff >> 1), uint64(signs >> 9)
}

// planeSignsGeneric is planeSigns without assembly.
func planeSignsGeneric(lines []*line, at []uint64, signs []uint16) {
	for i, l := range lines {
		u := at[i]
		pos, neg := l.signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
		signs[i] = uint16(pos)<<1 | uint16(neg)<<9
	}
}

// pack puts coordinates in a cell into one word, with unitU as the fourth.
func pack(ux, uy, uz int32) uint64 {
	return uint64(uint16(ux)) | uint64(uint16(uy))<<16 | uint64(uint16(uz))<<32 | unitU<<48
}

// cornerSigns writes to pos[j] and neg[j], for word j of a line from 1 on, at
// which corners of the cell its plane is certainly positive and negative.
func cornerSigns(l *line, pos, neg *[8]uint8) {
	if hasAVX2 {
		cornerSignsAVX2(l, pos, neg)
		return
	}
	cornerSignsGeneric(l, pos, neg)
}

// cornerSignsGeneric is cornerSigns without assembly.
func cornerSignsGeneric(l *line, pos, neg *[8]uint8) {
	for j := 1; j < len(l); j++ {
		q := l[j]
		dx, dy, dz := int32(int16(q))*unitU, int32(int16(q>>16))*unitU, int32(int16(q>>32))*unitU
		v0 := int32(int16(q>>48))*unitU - dx - dy - dz
		dx, dy, dz = 2*dx, 2*dy, 2*dz // sums may wrap on the way, not at the end
		v := [8]int32{v0, v0 + dx, v0 + dy, v0 + dx + dy, v0 + dz, v0 + dx + dz, v0 + dy + dz, v0 + dx + dy + dz}
		p, n := uint32(0), uint32(0)
		for c := range v {
			p |= uint32(certain-v[c]) >> 31 << c
			n |= uint32(v[c]+certain) >> 31 << c
		}
		pos[j], neg[j] = uint8(p), uint8(n)
	}
}

package layout

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// kernelArgs is the part of a Grid that the assembly of LookUp reads.
type kernelArgs struct {
	min    [3]float64
	inv    float64
	last   [3]int32 // level-0 cells along each axis, less one
	bricks [2]int32 // bricks along x and y
	_      int32
	top    *uint32
	words  *Word
}

// PrepareLookUp readies g, which is complete otherwise, for LookUp.
func (g *Grid) PrepareLookUp() {
	// The kernel may read a few bytes beyond the last word.
	g.Words = append(g.Words, Word{})[:len(g.Words)]
	g.kernel = kernelArgs{
		min: [3]float64{g.Min.X, g.Min.Y, g.Min.Z}, inv: g.Inv,
		bricks: [2]int32{g.Dims[0], g.Dims[1]},
		top:    &g.Top[0], words: &g.Words[0],
	}
	for a, n := range g.Dims {
		g.kernel.last[a] = n*BrickSide - 1
	}
	// In the kernel, offsets of words and the number of an entry's brick are int32.
	g.useKernel = hasAVX2 && len(g.Words) <= math.MaxInt32/16
}

// Label returns the side of an empty cell whose value is the lowest bit of v, in the
// brick that has the given entry in Top.
func Label(entry uint32, v uint64) side.Side {
	return side.Outside + side.Side(entry>>(v&1)&1)*(side.Inside-side.Outside)
}

// LookUp writes the sides of points in empty cells to dst. It sets bit i&7 of byte
// i>>3 of later if point i has to be decided elsewhere, and clears it otherwise: the
// point is in a crossed cell, in a brick marked TopRayOnly, or not in the grid.
// len(later) ≥ ⌈len(pts)/8⌉.
func (g *Grid) LookUp(dst []side.Side, pts []r3.Vector, later []uint8) {
	n := len(pts)
	_, _ = dst[:n], later[:(n+7)/8]
	if n == 0 {
		return
	}
	whole := 0
	if g.useKernel {
		if whole = n &^ 7; whole > 0 {
			lookUpAVX2(&g.kernel, &pts[0], whole, &dst[0], &later[0])
		}
	}
	g.lookUpGeneric(dst[whole:n], pts[whole:], later[whole/8:])
}

// lookUpGeneric is LookUp without assembly.
func (g *Grid) lookUpGeneric(dst []side.Side, pts []r3.Vector, later []uint8) {
	low, inv, lim := g.Min, g.Inv, g.Cells
	dx, dy := g.Dims[0], g.Dims[1]
	top, words := g.Top, g.Words
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
		e := top[(iz>>BrickBits*dy+iy>>BrickBits)*dx+ix>>BrickBits]
		w := &words[e>>3*BrickSide+uint32(iz&(BrickSide-1))]
		bit := uint(ix&(BrickSide-1)|iy&(BrickSide-1)<<BrickBits) & 63
		dst[i] = Label(e, w.Value>>bit)
		later[i>>3] |= uint8((w.Crossed>>bit|uint64(e>>2))&1) << (i & 7)
	}
}

// PlaneSigns evaluates the planes of each record at the coordinates packed by Pack. Bit j
// of the low byte of signs is set if element j is a plane that is certainly positive
// there, bit j of the high byte if it is certainly negative. Bits that are 0 have no
// meaning.
func PlaneSigns(records []*Record, at []uint64, signs []uint16) {
	n := len(records)
	_, _ = at[:n], signs[:n]
	if n == 0 {
		return
	}
	if hasAVX2 {
		planeSignsAVX2(&records[0], &at[0], n, &signs[0])
		return
	}
	planeSignsGeneric(records, at, signs)
}

// recordSigns returns the planes of one record that are certainly positive and
// those that are certainly negative at the coordinates packed in u.
func recordSigns(r *Record, u uint64) (pos, neg uint64) {
	if !hasAVX2 {
		return r.Signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
	}
	var signs uint16
	planeSignsAVX2(&r, &u, 1, &signs)
	return uint64(signs & 0xff >> 1), uint64(signs >> 9)
}

// planeSignsGeneric is PlaneSigns without assembly.
func planeSignsGeneric(records []*Record, at []uint64, signs []uint16) {
	for i, r := range records {
		u := at[i]
		pos, neg := r.Signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
		signs[i] = uint16(pos)<<1 | uint16(neg)<<9
	}
}

// Pack puts coordinates within a cell into one word, with CoordUnit as the fourth.
func Pack(ux, uy, uz int32) uint64 {
	return uint64(uint16(ux)) | uint64(uint16(uy))<<16 | uint64(uint16(uz))<<32 | CoordUnit<<48
}

// CornerSigns evaluates the planes of r at the corners of the cell. Bit c of pos[j] is
// set if element j, from 1 on, is certainly positive at corner c, and bit c of neg[j]
// if it is certainly negative.
func CornerSigns(r *Record, pos, neg *[8]uint8) {
	if hasAVX2 {
		cornerSignsAVX2(r, pos, neg)
		return
	}
	cornerSignsGeneric(r, pos, neg)
}

// cornerSignsGeneric is CornerSigns without assembly.
func cornerSignsGeneric(r *Record, pos, neg *[8]uint8) {
	for j := 1; j < len(r); j++ {
		q := r[j]
		dx, dy, dz := int32(int16(q))*CoordUnit, int32(int16(q>>16))*CoordUnit, int32(int16(q>>32))*CoordUnit
		v0 := int32(int16(q>>48))*CoordUnit - dx - dy - dz
		dx, dy, dz = 2*dx, 2*dy, 2*dz // sums may wrap on the way, not at the end
		v := [8]int32{v0, v0 + dx, v0 + dy, v0 + dx + dy, v0 + dz, v0 + dx + dz, v0 + dy + dz, v0 + dx + dy + dz}
		p, n := uint32(0), uint32(0)
		for c := range v {
			p |= uint32(SignBound-v[c]) >> 31 << c
			n |= uint32(v[c]+SignBound) >> 31 << c
		}
		pos[j], neg[j] = uint8(p), uint8(n)
	}
}

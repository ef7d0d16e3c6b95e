package layout

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// kernelArgs holds the numbers of a Grid that the assembly code of LookUp reads.
type kernelArgs struct {
	min    [3]float64
	inv    float64
	last   [3]int32 // number of level-0 cells along each axis, minus 1
	bricks [2]int32 // number of bricks along x and y
	_      int32
	top    *uint32
	words  *Word
}

// PrepareLookUp prepares g for LookUp. All other data of g must be complete.
func (g *Grid) PrepareLookUp() {
	// The kernel can read a few bytes beyond the last word.
	g.Words = append(g.Words, Word{})[:len(g.Words)]
	g.kernel = kernelArgs{
		min: [3]float64{g.Min.X, g.Min.Y, g.Min.Z}, inv: g.Inv,
		bricks: [2]int32{g.Dims[0], g.Dims[1]},
		top:    &g.Top[0], words: &g.Words[0],
	}
	for a, n := range g.Dims {
		g.kernel.last[a] = n*BrickSide - 1
	}
	// The kernel stores offsets of words and numbers of bricks as int32.
	g.useKernel = hasAVX2 && len(g.Words) <= math.MaxInt32/16
}

// Label returns the side of an empty cell. topEntry is the entry in Top for the brick of the cell.
// The lowest bit of v is the Value bit of the cell.
func Label(topEntry uint32, v uint64) side.Side {
	return side.Outside + side.Side(topEntry>>(v&1)&1)*(side.Inside-side.Outside)
}

// LookUp writes the sides of the points in empty cells to dst. If LookUp cannot decide point i, it
// sets bit i&7 of later[i>>3]. Otherwise it clears this bit. LookUp cannot decide a point in a
// crossed cell, in a brick marked TopRayOnly, or outside of the grid. later must have at least
// ⌈len(pts)/8⌉ elements.
func (g *Grid) LookUp(dst []side.Side, pts []r3.Vector, later []uint8) {
	n := len(pts)
	_, _ = dst[:n], later[:(n+7)/8]
	whole := 0
	if g.useKernel {
		if whole = n &^ 7; whole > 0 {
			lookUpAVX2(&g.kernel, &pts[0], whole, &dst[0], &later[0])
		}
	}
	g.lookUpGeneric(dst[whole:n], pts[whole:], later[whole/8:])
}

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

// PlaneSigns computes signs of planes. It evaluates the planes of records[i] at the packed
// coordinates at[i]; see Pack. If plane j is certainly positive, PlaneSigns sets bit j of the low
// byte of signs[i]. If plane j is certainly negative, it sets bit j of the high byte. Bit 0 of each
// byte has no meaning.
func PlaneSigns(records []*Record, at []uint64, signs []uint16) {
	n := len(records)
	_, _ = at[:n], signs[:n]
	if hasAVX2 && n > 0 {
		planeSignsAVX2(&records[0], &at[0], n, &signs[0])
		return
	}
	planeSignsGeneric(records, at, signs)
}

// recordSigns evaluates the planes of r at the packed coordinates u. It returns the set of
// certainly positive planes and the set of certainly negative planes. Bit j stands for plane j+1.
func recordSigns(r *Record, u uint64) (pos, neg uint64) {
	if !hasAVX2 {
		return r.Signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
	}
	var signs uint16
	planeSignsAVX2(&r, &u, 1, &signs)
	return uint64(signs & 0xff >> 1), uint64(signs >> 9)
}

func planeSignsGeneric(records []*Record, at []uint64, signs []uint16) {
	for i, r := range records {
		u := at[i]
		pos, neg := r.Signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
		signs[i] = uint16(pos)<<1 | uint16(neg)<<9
	}
}

// CellSigns is PlaneSigns for points with the same record r.
func CellSigns(r *Record, at []uint64, signs []uint16) {
	n := len(at)
	_ = signs[:n]
	if hasAVX2 && n > 0 {
		cellSignsAVX2(r, &at[0], n, &signs[0])
		return
	}
	cellSignsGeneric(r, at, signs)
}

func cellSignsGeneric(r *Record, at []uint64, signs []uint16) {
	for i, u := range at {
		pos, neg := r.Signs(int32(int16(u)), int32(int16(u>>16)), int32(int16(u>>32)))
		signs[i] = uint16(pos)<<1 | uint16(neg)<<9
	}
}

// Pack packs three coordinates within a cell into one word. The highest 16 bits of the word are
// CoordUnit.
func Pack(ux, uy, uz int32) uint64 {
	return uint64(uint16(ux)) | uint64(uint16(uy))<<16 | uint64(uint16(uz))<<32 | CoordUnit<<48
}

// CornerSigns evaluates the planes of r at the corners of the cell. If plane j is certainly
// positive at corner c, it sets bit c of pos[j]. If plane j is certainly negative at corner c, it
// sets bit c of neg[j]. pos[0] and neg[0] have no meaning.
func CornerSigns(r *Record, pos, neg *[8]uint8) {
	if hasAVX2 {
		cornerSignsAVX2(r, pos, neg)
		return
	}
	cornerSignsGeneric(r, pos, neg)
}

func cornerSignsGeneric(r *Record, pos, neg *[8]uint8) {
	for j := 1; j < len(r); j++ {
		q := r[j]
		dx, dy, dz := int32(int16(q))*CoordUnit, int32(int16(q>>16))*CoordUnit, int32(int16(q>>32))*CoordUnit
		v0 := int32(int16(q>>48))*CoordUnit - dx - dy - dz
		dx, dy, dz = 2*dx, 2*dy, 2*dz // intermediate sums can overflow, but every v[c] fits in int32
		v := [8]int32{v0, v0 + dx, v0 + dy, v0 + dx + dy, v0 + dz, v0 + dx + dz, v0 + dy + dz, v0 + dx + dy + dz}
		p, n := uint32(0), uint32(0)
		for c := range v {
			p |= uint32(SignBound-v[c]) >> 31 << c
			n |= uint32(v[c]+SignBound) >> 31 << c
		}
		pos[j], neg[j] = uint8(p), uint8(n)
	}
}

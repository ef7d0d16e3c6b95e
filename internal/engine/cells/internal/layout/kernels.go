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

// Fixed-point coordinates have fractionBits bits after the point. fixedOrigin is 0 as a float64
// number with these bits: 2²⁸, which exceeds the number of cells along an axis.
const (
	fractionBits = 24
	fixedOrigin  = 1 << (52 - fractionBits)
	originBits   = (1023 + 52 - fractionBits) << 52
)

// fixed returns (x − low)·inv as a fixed-point number. Rounding moves a point by less than a tenth
// of Slack. The result is at least 2⁵² if the number is negative, NaN or at least 2²⁸.
func fixed(x, low, inv float64) uint64 {
	return math.Float64bits(float64((x-low)*inv)+fixedOrigin) - originBits
}

// positionOf returns the brick position of the cell with the given fixed-point coordinates. dx and
// dy are the numbers of bricks along x and y.
func positionOf(x, y, z, dx, dy uint64) uint64 {
	const shift = fractionBits + BrickBits
	return (z>>shift*dy+y>>shift)*dx + x>>shift
}

// answerOf returns the side of a point in an empty cell, times 2, from the entry in Top for its brick
// and the Word of its cell. In addition, it sets bit 0 if LookUp cannot decide the point. x and y
// are fixed-point coordinates.
func answerOf(w *Word, topEntry, x, y uint64) uint64 {
	bit := (x>>fractionBits&(BrickSide-1) | y>>(fractionBits-BrickBits)&((BrickSide-1)<<BrickBits)) & 63
	return uint64(side.Outside)<<1 + topEntry>>(w.Value>>bit&1)&1*uint64(side.Inside-side.Outside)<<1 |
		(w.Crossed>>bit|topEntry>>2)&1
}

// lookUpGeneric handles four points in each round, because Go compiles loops to slow WebAssembly.
func (g *Grid) lookUpGeneric(dst []side.Side, pts []r3.Vector, later []uint8) {
	low, inv := g.Min, g.Inv
	dx, dy := uint64(g.Dims[0]), uint64(g.Dims[1])
	lx, ly, lz := uint64(g.Cells[0])<<fractionBits, uint64(g.Cells[1])<<fractionBits, uint64(g.Cells[2])<<fractionBits
	top, words := g.Top, g.Words
	const far = 1 // a point outside of the grid
	var last [4]r3.Vector
	var lastSides [4]side.Side
	for i := 0; i < len(pts); i += 4 {
		p, d := &last, &lastSides
		if i+4 <= len(pts) {
			p, d = (*[4]r3.Vector)(pts[i:]), (*[4]side.Side)(dst[i:])
		} else {
			copy(last[:], pts[i:])
		}
		var a, b, c, e uint64 = far, far, far, far
		if x, y, z := fixed(p[0].X, low.X, inv), fixed(p[0].Y, low.Y, inv), fixed(p[0].Z, low.Z, inv); x < lx && y < ly && z < lz {
			t := uint64(top[positionOf(x, y, z, dx, dy)])
			a = answerOf(&words[t>>3*BrickSide+z>>fractionBits&(BrickSide-1)], t, x, y)
		}
		if x, y, z := fixed(p[1].X, low.X, inv), fixed(p[1].Y, low.Y, inv), fixed(p[1].Z, low.Z, inv); x < lx && y < ly && z < lz {
			t := uint64(top[positionOf(x, y, z, dx, dy)])
			b = answerOf(&words[t>>3*BrickSide+z>>fractionBits&(BrickSide-1)], t, x, y)
		}
		if x, y, z := fixed(p[2].X, low.X, inv), fixed(p[2].Y, low.Y, inv), fixed(p[2].Z, low.Z, inv); x < lx && y < ly && z < lz {
			t := uint64(top[positionOf(x, y, z, dx, dy)])
			c = answerOf(&words[t>>3*BrickSide+z>>fractionBits&(BrickSide-1)], t, x, y)
		}
		if x, y, z := fixed(p[3].X, low.X, inv), fixed(p[3].Y, low.Y, inv), fixed(p[3].Z, low.Z, inv); x < lx && y < ly && z < lz {
			t := uint64(top[positionOf(x, y, z, dx, dy)])
			e = answerOf(&words[t>>3*BrickSide+z>>fractionBits&(BrickSide-1)], t, x, y)
		}
		d[0], d[1], d[2], d[3] = side.Side(a>>1), side.Side(b>>1), side.Side(c>>1), side.Side(e>>1)
		late := uint8(a&1 | b&1<<1 | c&1<<2 | e&1<<3)
		if i&4 == 0 {
			later[i>>3] = late
		} else {
			later[i>>3] |= late << 4
		}
	}
	if rest := len(pts) & 3; rest > 0 {
		copy(dst[len(pts)-rest:len(pts)], lastSides[:])
		later[(len(pts)-1)>>3] &= 1<<((len(pts)-1)&7+1) - 1
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
	var signs [1]uint16
	PlaneSigns([]*Record{r}, []uint64{u}, signs[:])
	return uint64(signs[0] & 0xff >> 1), uint64(signs[0] >> 9)
}

// planeSignsGeneric has no loop over planes, because Go compiles loops to slow WebAssembly.
func planeSignsGeneric(records []*Record, at []uint64, signs []uint16) {
	for i, r := range records {
		u := int64(at[i])
		x, y, z := u<<48>>48, u<<32>>48, u<<16>>48
		signs[i] = uint16(signsOf(r[1], x, y, z)<<1 | signsOf(r[2], x, y, z)<<2 | signsOf(r[3], x, y, z)<<3 |
			signsOf(r[4], x, y, z)<<4 | signsOf(r[5], x, y, z)<<5 | signsOf(r[6], x, y, z)<<6 | signsOf(r[7], x, y, z)<<7)
	}
}

// signsOf returns 1 if the value of a plane is certainly positive at (x, y, z), 1<<8 if it is
// certainly negative, and otherwise 0.
func signsOf(plane uint64, x, y, z int64) uint64 {
	q := int64(plane)
	v := q<<48>>48*x + q<<32>>48*y + q<<16>>48*z + q>>48*CoordUnit
	return uint64(SignBound-v)>>63 | uint64(v+SignBound)>>63<<8
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
	record := []*Record{r}
	for i := range at {
		planeSignsGeneric(record, at[i:i+1], signs[i:i+1])
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

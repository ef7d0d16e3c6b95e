package build

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/side"
)

// haloSide is the number of cells along a brick, including one neighboring cell at each end.
const haloSide = layout.BrickSide + 2

// referenceChooser chooses the references of crossed cells, for one worker.
type referenceChooser struct {
	l         *labeler
	signs     predicates.Counter
	masks     []haloMask
	postponed []layout.Leaf // leaves where no corner has a known winding number
	overflow  []uint32      // first records of the leaves whose winding numbers do not fit in 16 bits

	// These arrays describe the samples of a cell.
	samples     [len(tableSamples)]r3.Vector
	sampled     [len(tableSamples)]uint64
	records     [len(tableSamples)]*layout.Record
	sampleSigns [len(tableSamples)]uint16
}

// haloMask marks the empty cells of one winding number in and around a brick. Cell (x, y, z) is bit
// x+1 of row (z+1)·haloSide + y+1. x, y and z are relative to the brick, from −1 to 8.
type haloMask struct {
	w    int32
	rows [haloSide * haloSide]uint16
}

// corners returns the set of corners at which a cell of the brick touches marked cells.
func (b *haloMask) corners(x, y, z int32) uint8 {
	row := b.rows[z*haloSide+y:]
	var c uint16
	for dz := range 2 {
		r0, r1, r2 := row[dz*haloSide]|row[(dz+1)*haloSide], row[dz*haloSide+1]|row[(dz+1)*haloSide+1], row[dz*haloSide+2]|row[(dz+1)*haloSide+2]
		lo, hi := (r0|r1)>>x, (r1|r2)>>x
		c |= ((lo|lo>>1)&3 | (hi|hi>>1)&3<<2) << (4 * dz)
	}
	return uint8(c)
}

func (r *referenceChooser) brick(n int32) {
	r.fillMasks(n)
	lo := r.l.FirstCell(r.l.Positions[n])
	for leaf := range r.l.leaves(n) {
		var w [8]int32
		known := uint8(0)
		for i := range r.masks {
			m := &r.masks[i]
			at := m.corners(leaf.At[0]-lo[0], leaf.At[1]-lo[1], leaf.At[2]-lo[2]) &^ known
			known |= at
			for ; at != 0; at &= at - 1 {
				w[bits.TrailingZeros8(at)] = m.w
			}
		}
		if !r.choose(leaf, known, &w) {
			r.postponed = append(r.postponed, leaf)
		}
	}
}

// children chooses references for the leaves among the children of a refined cell.
func (r *referenceChooser) children(c *refinedCell) {
	for leaf := range r.l.childLeaves(c) {
		var w [8]int32
		known := uint8(0)
		for c := range w {
			if component, ok := r.l.componentAtCorner(leaf.CellAddr, uint8(c)); ok && r.l.known[component] {
				known |= 1 << c
				w[c] = r.l.w[component]
			}
		}
		if !r.choose(leaf, known, &w) {
			r.postponed = append(r.postponed, leaf)
		}
	}
}

// fillMasks makes a mask for each winding number in and around a crossed brick.
func (r *referenceChooser) fillMasks(n int32) {
	r.masks = r.masks[:0]
	l := r.l
	brick := l.BrickAt(l.Positions[n])
	for i := range int32(27) {
		d := [3]int32{i%3 - 1, i/3%3 - 1, i/9 - 1}
		at := [3]int32{brick[0] + d[0], brick[1] + d[1], brick[2] + d[2]}
		if at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= l.Dims[0] || at[1] >= l.Dims[1] || at[2] >= l.Dims[2] {
			r.mark(0, &l.full[0], d)
			continue
		}
		components, first := l.componentsIn(l.Position(at))
		for i := range components {
			if c := first + int32(i); l.known[c] {
				r.mark(l.w[c], &components[i], d)
			}
		}
	}
}

// A brick has at most maxMasks masks, one for each winding number. Cells with other winding numbers
// count as unknown. // tuning
const maxMasks = 8

// mark adds cells to the mask of winding number w. The cells belong to the brick at offset d from
// the central brick.
func (r *referenceChooser) mark(w int32, c *brickMask, d [3]int32) {
	i := 0
	for i < len(r.masks) && r.masks[i].w != w {
		i++
	}
	if i == len(r.masks) {
		if i == maxMasks {
			return
		}
		r.masks = append(r.masks, haloMask{w: w})
	}
	m := &r.masks[i]
	xs, ys, zs := haloRange[d[0]+1], haloRange[d[1]+1], haloRange[d[2]+1]
	cells := uint16(1)<<(xs[1]-xs[0]) - 1
	for z := zs[0]; z < zs[1]; z++ {
		for y := ys[0]; y < ys[1]; y++ {
			row := uint16(c[z]>>(layout.BrickSide*y)) & 0xff >> xs[0] & cells
			m.rows[(z+layout.BrickSide*d[2]+1)*haloSide+y+layout.BrickSide*d[1]+1] |= row << (xs[0] + layout.BrickSide*d[0] + 1)
		}
	}
}

// haloRange[d+1] is the range of cells that a mask stores along an axis, from a brick at offset d
// from the central brick.
var haloRange = [3][2]int32{{layout.BrickSide - 1, layout.BrickSide}, {0, layout.BrickSide}, {0, 1}}

// choose sets the references of a leaf to the two corners with the largest number of planes between
// them. At least one of these corners is in knownCorners. choose returns false if all knownCorners
// lie in planes.
func (r *referenceChooser) choose(leaf layout.Leaf, knownCorners uint8, w *[8]int32) bool {
	if knownCorners == 0 {
		return false
	}
	l := r.l
	signs, good, planes := r.leafSigns(leaf)
	knownCorners &= good
	a, b := farthestPair(&signs, good, knownCorners, planes)
	if a < 0 {
		return false
	}
	wb := w[b]
	if knownCorners>>b&1 == 0 {
		wb = w[a]
		if signs[a] != signs[b] {
			chi, ok := l.CrossingsOf(leaf.Record, signs[a]^signs[b], ^signs[b], l.Corner(leaf.CellAddr, uint8(b)), l.Corner(leaf.CellAddr, uint8(a)), &r.signs)
			if ok {
				wb += chi
			} else {
				b = a
			}
		}
	}
	refs := references{
		kind:   l.Record(leaf.Record).Kind(),
		corner: [2]uint8{uint8(a), uint8(b)}, signs: [2]uint64{signs[a], signs[b]}, w: [2]int32{l.Reduce(w[a]), l.Reduce(wb)},
	}
	if l.Tables && planes <= layout.TablePlanes {
		rec := l.Record(leaf.Record)
		rec[layout.TableElement], rec[layout.TableElement+1] = r.table(leaf, &refs, &signs, good, knownCorners, w), 0
		refs.kind = layout.KindTable
	}
	if !l.setReferences(leaf.Record, refs) {
		r.overflow = append(r.overflow, leaf.Record)
	}
	return true
}

// references describes the two references of a list: their corners, the planes that are positive
// there, and their winding numbers. kind is the kind of the first record.
type references struct {
	kind   uint8
	corner [2]uint8
	signs  [2]uint64
	w      [2]int32
}

// table returns the table of a leaf. It finds regions at the corners of the cell and at the points of
// tableSamples. signs[c] are the signs of the planes at corner c. The winding numbers of knownCorners
// are known.
func (r *referenceChooser) table(leaf layout.Leaf, refs *references, signs *[8]uint64, good, knownCorners uint8, w *[8]int32) (table uint64) {
	const all = 1<<layout.TablePlanes - 1
	l := r.l
	add := func(region uint64, w int32) {
		switch w {
		case refs.w[0]:
			table |= 1 << (32 + region)
		case refs.w[1]:
			table |= 1<<(32+region) | 1<<region
		}
	}
	tried := uint32(0)
	for left := knownCorners; left != 0; left &= left - 1 {
		c := bits.TrailingZeros8(left)
		add(signs[c]&all, l.Reduce(w[c]))
		tried |= 1 << (signs[c] & all)
	}
	try := func(p r3.Vector, region uint64) {
		if tried>>region&1 == 1 {
			return
		}
		tried |= 1 << region
		for i := range refs.corner {
			chi, ok := l.CrossingsOf(leaf.Record, (region^refs.signs[i])&all, ^region&all, p, l.Corner(leaf.CellAddr, refs.corner[i]), &r.signs)
			if ok {
				add(region, l.Reduce(refs.w[i]+chi))
				return
			}
		}
	}
	for left := good &^ knownCorners; left != 0; left &= left - 1 {
		c := uint8(bits.TrailingZeros8(left))
		try(l.Corner(leaf.CellAddr, c), signs[c]&all)
	}
	rec := l.Record(leaf.Record)
	lo := l.Corner(leaf.CellAddr, 0)
	scale := layout.Scale(leaf.Level)
	edge := l.Cell / scale
	for i, at := range tableSamples {
		p := r3.Vector{X: lo.X + at[0]*edge, Y: lo.Y + at[1]*edge, Z: lo.Z + at[2]*edge}
		x, y, z := l.Coords(p)
		ux, uy, uz := leaf.Units(x, y, z, scale)
		r.samples[i], r.sampled[i], r.records[i] = p, layout.Pack(ux, uy, uz), rec
	}
	layout.PlaneSigns(r.records[:], r.sampled[:], r.sampleSigns[:])
	for i, s := range r.sampleSigns {
		if pos, neg := uint64(s&0xff>>1)&all, uint64(s>>9)&all; pos|neg == all {
			try(r.samples[i], pos)
		}
	}
	return table
}

// tableSamples are points in the unit cube: the first points of the sequence of Halton, and points
// near the middles of the edges and faces of the cube.
var tableSamples = func() (out [24][3]float64) {
	for i := range out {
		for a, base := range [3]int{2, 3, 5} {
			f, n := 1.0, i+1
			for ; n > 0; n /= base {
				f /= float64(base)
				out[i][a] += f * float64(n%base)
			}
			out[i][a] = 0.01 + 0.98*out[i][a]
		}
	}
	return out
}()

// farthestPair returns corner a in knownCorners and corner b in goodCorners with the largest number
// of planes between them. It prefers pairs of known corners. If knownCorners is empty, a is −1.
func farthestPair(signs *[8]uint64, goodCorners, knownCorners uint8, planes int) (a, b int) {
	a, b = -1, -1
	best, most := -1, 2*planes+1
	for left := knownCorners; left != 0; left &= left - 1 {
		i := bits.TrailingZeros8(left)
		s := signs[i]
		// Try each pair of known corners only once.
		for others := goodCorners &^ (knownCorners & (1<<i - 1)); others != 0; others &= others - 1 {
			j := bits.TrailingZeros8(others)
			if n := 2*bits.OnesCount64(s^signs[j]) + int(knownCorners>>j&1); n > best {
				if a, b, best = i, j, n; best == most {
					return a, b
				}
			}
		}
	}
	return a, b
}

// setReferences writes the references of the list that starts at record id. It returns false if a
// winding number does not fit in 16 bits.
func (b *builder) setReferences(id uint32, refs references) bool {
	first := b.Record(id)
	h := uint64(refs.kind)
	signs := refs.signs
	for i, w := range refs.w {
		if w != int32(int16(w)) {
			return false
		}
		h |= uint64(refs.corner[i])<<(24+4*i) | b.windingBits(i, w)
	}
	for r := first; ; r = b.Record(r.Next()) {
		n := r.Planes()
		for i := range signs {
			h |= signs[i] & (1<<n - 1) << (8 + 8*i)
			signs[i] >>= n
		}
		// Store atomically, because other workers can read the kind of the record.
		atomic.StoreUint64(&r[0], h)
		if uint8(h) != layout.KindMore {
			return true
		}
		h = uint64(b.Record(r.Next()).Kind())
	}
}

// windingBits returns the bits of a header for winding number w of reference i.
func (b *builder) windingBits(i int, w int32) uint64 {
	h := uint64(uint16(w)) << (32 + 16*i)
	if b.Side(w) == side.Inside {
		h |= 1 << (15 + 8*i)
	}
	return h
}

// leafSigns computes the signs of the planes of a leaf at its corners. Bit j of signs[c] is set if
// plane j is positive at corner c. The goodCorners lie in no plane. Planes of degenerate faces
// count as positive.
func (r *referenceChooser) leafSigns(leaf layout.Leaf) (signs [8]uint64, goodCorners uint8, planes int) {
	goodCorners = 0xff
	shift := 0
	for id := leaf.Record; ; {
		rec := r.l.Record(id)
		n := rec.Planes()
		var pos, neg [8]uint8
		layout.CornerSigns(rec, &pos, &neg)
		for j := 1; j <= n; j++ {
			if rec[j] != layout.NoPlane {
				planes++
			}
			if pos[j]|neg[j] != 0xff {
				goodCorners &= r.exactSigns(leaf, r.l.Faces(id)[j-1], &pos[j], ^(pos[j] | neg[j]))
			}
		}
		if n < layout.PlanesPerRecord {
			pos[n+1] = 0
		}
		m := transpose(binary.LittleEndian.Uint64(pos[:]))
		for c := range signs {
			signs[c] |= m >> (8*c + 1) & layout.AllPlanes << shift
		}
		if shift += n; rec.Kind() != layout.KindMore {
			return signs, goodCorners, planes
		}
		id = rec.Next()
	}
}

// transpose exchanges bit i of byte j with bit j of byte i, for all i and j.
func transpose(m uint64) uint64 {
	t := (m ^ m>>7) & 0x00aa00aa00aa00aa
	m ^= t ^ t<<7
	t = (m ^ m>>14) & 0x0000cccc0000cccc
	m ^= t ^ t<<14
	t = (m ^ m>>28) & 0x00000000f0f0f0f0
	return m ^ t ^ t<<28
}

// exactSigns adds the given corners to *pos if the plane of face f is positive there. It returns
// all corners of the leaf except those given corners that lie in the plane.
func (r *referenceChooser) exactSigns(leaf layout.Leaf, f int32, pos *uint8, corners uint8) (good uint8) {
	l := r.l
	if l.Degenerate != nil && l.Degenerate[f] {
		*pos |= corners
		return 0xff
	}
	good = 0xff
	t := l.Triangle(f)
	for ; corners != 0; corners &= corners - 1 {
		c := uint8(bits.TrailingZeros8(corners))
		switch r.signs.Orient3D(t[0], t[1], t[2], l.Corner(leaf.CellAddr, c)) {
		case -1:
			*pos |= 1 << c
		case 0:
			good &^= 1 << c
		}
	}
	return good
}

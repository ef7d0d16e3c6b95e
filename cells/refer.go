package cells

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/inpoly/inpoly/predicates"
)

// unknown stands for a winding number that is not known (yet).
const unknown = int32(-1 << 31)

// halo is the side of a brick with the cells around it.
const halo = brickSide + 2

// referrer chooses the references of crossed cells; each worker has its own.
type referrer struct {
	k      *linker
	signs  predicates.Counter
	boards []board
	late   []located // leaves at no corner of which W was known
	large  []uint32  // lines of leaves whose W does not fit: they are handed over
}

// board marks, for one winding number, the empty cells in and around a brick that
// have it: bit x+1 of row (z+1)·halo + y+1 for cell (x, y, z) of the brick, from
// −1 to 8.
type board struct {
	w    int32
	rows [halo * halo]uint16
}

// corners returns which corners of cell (x, y, z) touch a cell of the board.
func (b *board) corners(x, y, z int32) uint8 {
	row := b.rows[z*halo+y:]
	var c uint16
	for dz := range 2 {
		r0, r1, r2 := row[dz*halo]|row[(dz+1)*halo], row[dz*halo+1]|row[(dz+1)*halo+1], row[dz*halo+2]|row[(dz+1)*halo+2]
		lo, hi := (r0|r1)>>x, (r1|r2)>>x
		c |= ((lo|lo>>1)&3 | (hi|hi>>1)&3<<2) << (4 * dz)
	}
	return uint8(c)
}

// brick chooses the references of the cells of brick number n.
func (r *referrer) brick(n int32) {
	x := r.k.x
	r.look(n)
	lo := x.brickAt(x.gridOf[n])
	x.leaves(n, func(l located) bool {
		var w [8]int32
		known := uint8(0)
		for i := range r.boards {
			b := &r.boards[i]
			at := b.corners(l.at[0]-lo[0]*brickSide, l.at[1]-lo[1]*brickSide, l.at[2]-lo[2]*brickSide) &^ known
			known |= at
			for ; at != 0; at &= at - 1 {
				w[bits.TrailingZeros8(at)] = b.w
			}
		}
		if !r.choose(l, known, &w) {
			r.late = append(r.late, l)
		}
		return true
	})
}

// children chooses the references of the children of a refined cell.
func (r *referrer) children(c *childCells) {
	r.k.x.childLeaves(c, func(l located) bool {
		known, w := r.corners(l.place)
		if !r.choose(l, known, &w) {
			r.late = append(r.late, l)
		}
		return true
	})
}

// corners returns the corners of a cell that empty cells of known W touch, and W
// there.
func (r *referrer) corners(p place) (known uint8, w [8]int32) {
	for c := range w {
		if set, ok := r.k.around(p, uint8(c)); ok && r.k.final[set] {
			known |= 1 << c
			w[c] = r.k.value[set]
		}
	}
	return known, w
}

// w returns W of a set, or unknown.
func (k *linker) w(set int32) int32 {
	if k.final[set] {
		return k.value[set]
	}
	return unknown
}

// look sets the boards for brick number n.
func (r *referrer) look(n int32) {
	x := r.k.x
	r.boards = r.boards[:0]
	at := x.brickAt(x.gridOf[n])
	for dz := int32(-1); dz <= 1; dz++ {
		for dy := int32(-1); dy <= 1; dy++ {
			for dx := int32(-1); dx <= 1; dx++ {
				r.lookAt([3]int32{at[0] + dx, at[1] + dy, at[2] + dz}, [3]int32{dx, dy, dz})
			}
		}
	}
}

// lookAt adds what touches the brick of the brick at `at`, whose place from it is
// d.
func (r *referrer) lookAt(at, d [3]int32) {
	k := r.k
	x := k.x
	if at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= x.dims[0] || at[1] >= x.dims[1] || at[2] >= x.dims[2] {
		r.add(0, nil, d)
		return
	}
	g := (at[2]*x.dims[1]+at[1])*x.dims[0] + at[0]
	n := k.brickOf[g]
	if n < 0 {
		if w := k.w(1 + g); w != unknown {
			r.add(w, nil, d)
		}
		return
	}
	parts, first := k.partsOf(n)
	for i := range parts {
		if w := k.w(first + int32(i)); w != unknown {
			r.add(w, &parts[i], d)
		}
	}
}

// mostBoards is how many winding numbers are told apart around a brick; more are
// treated as not known, and found from leaf to leaf.
const mostBoards = 8

// add marks the cells of p, nil being all, of the brick at place d.
func (r *referrer) add(w int32, p *block, d [3]int32) {
	i := 0
	for i < len(r.boards) && r.boards[i].w != w {
		i++
	}
	if i == len(r.boards) {
		if i == mostBoards {
			return
		}
		r.boards = append(r.boards, board{w: w})
	}
	b := &r.boards[i]
	z0, z1 := reach(d[2])
	y0, y1 := reach(d[1])
	x0, x1 := reach(d[0])
	mask := uint16(1)<<(x1-x0) - 1
	for z := z0; z < z1; z++ {
		for y := y0; y < y1; y++ {
			row := mask
			if p != nil {
				row = uint16(p[z]>>(brickSide*y)) & 0xff >> x0 & mask
			}
			b.rows[(z+brickSide*d[2]+1)*halo+y+brickSide*d[1]+1] |= row << (x0 + brickSide*d[0] + 1)
		}
	}
}

// reach returns the cells along an axis, from lo to below hi, of a neighbour at
// place d that touch the brick.
func reach(d int32) (lo, hi int32) {
	switch d {
	case -1:
		return brickSide - 1, brickSide
	case 0:
		return 0, brickSide
	}
	return 0, 1
}

// choose sets the references of a leaf: two of its corners, at least one of
// known W, between which as many planes as possible lie: most points then agree
// with one of them in all signs. w has W at the corners in known. It returns
// false if W is known at no corner that is off all planes.
func (r *referrer) choose(l located, known uint8, w *[8]int32) bool {
	if known == 0 {
		return false
	}
	x := r.k.x
	signs, good, planes := r.cornerSigns(l)
	known &= good
	a, b := apart(&signs, good, known, planes)
	if a < 0 {
		return false
	}
	wb := w[b]
	if known>>b&1 == 0 {
		wb = w[a]
		if signs[a] != signs[b] {
			chi, ok := x.between(l.id, x.corner(l.place, uint8(b)), x.corner(l.place, uint8(a)), ^uint64(0), &r.signs)
			if !ok {
				b = a
			}
			wb += chi
		}
	}
	if !x.refer(l.id, [2]uint8{uint8(a), uint8(b)}, [2]uint64{signs[a], signs[b]}, [2]int32{x.reduce(w[a]), x.reduce(wb)}) {
		r.large = append(r.large, l.id)
	}
	return true
}

// apart returns the corner of known and that of good between which the most
// of the planes lie; among equals the second is of known, too. a < 0: none is
// known.
func apart(signs *[8]uint64, good, known uint8, planes int) (a, b int) {
	a, b = -1, -1
	best, most := -1, 2*planes+1
	for left := known; left != 0; left &= left - 1 {
		i := bits.TrailingZeros8(left)
		s := signs[i]
		// Pairs of known corners once.
		for others := good &^ (known & (1<<i - 1)); others != 0; others &= others - 1 {
			j := bits.TrailingZeros8(others)
			if n := 2*bits.OnesCount64(s^signs[j]) + int(known>>j&1); n > best {
				if a, b, best = i, j, n; best == most {
					return a, b
				}
			}
		}
	}
	return a, b
}

// refer writes the references of the list from line id on; false if their winding
// numbers do not fit.
func (x *Index) refer(id uint32, corner [2]uint8, signs [2]uint64, w [2]int32) bool {
	first := x.line(id)
	h := first[0] & 0xff
	for r := range w {
		if w[r] != int32(int16(w[r])) {
			return false
		}
		h |= uint64(corner[r])<<(24+4*r) | uint64(uint16(w[r]))<<(32+16*r)
	}
	for l := first; ; l = x.line(l.next()) {
		n := l.planes()
		for r := range signs {
			h |= signs[r] & (1<<n - 1) << (8 + 8*r)
			signs[r] >>= n
		}
		// Other workers may look at the kind of the first line.
		atomic.StoreUint64(&l[0], h)
		if uint8(h) != more {
			return true
		}
		h = uint64(x.line(l.next()).kind())
	}
}

// reduce returns what is kept of W.
func (x *Index) reduce(w int32) int32 {
	if x.parity {
		return w & 1
	}
	return w
}

// cornerSigns returns the planes of a leaf that are positive at its corners, and
// which corners are off all planes, and counts the planes. Planes that do not
// matter are positive.
func (r *referrer) cornerSigns(l located) (signs [8]uint64, good uint8, planes int) {
	x := r.k.x
	good = 0xff
	shift := 0
	for id := l.id; ; {
		ln := x.line(id)
		n := ln.planes()
		var pos, neg [8]uint8
		cornerSigns(ln, &pos, &neg)
		for j := 1; j <= n; j++ {
			if ln[j] != noPlane {
				planes++
			}
			if pos[j]|neg[j] != 0xff {
				good &= r.closeSigns(l, x.faces(id)[j-1], &pos[j], ^(pos[j] | neg[j]))
			}
		}
		if n < planesPerLine {
			pos[n+1] = 0
		}
		m := transpose(binary.LittleEndian.Uint64(pos[:]))
		for c := range signs {
			signs[c] |= m >> (8*c + 1) & allPlanes << shift
		}
		if shift += n; ln.kind() != more {
			return signs, good, planes
		}
		id = ln.next()
	}
}

// transpose exchanges bit i of byte j and bit j of byte i, for all of them.
func transpose(m uint64) uint64 {
	t := (m ^ m>>7) & 0x00aa00aa00aa00aa
	m ^= t ^ t<<7
	t = (m ^ m>>14) & 0x0000cccc0000cccc
	m ^= t ^ t<<14
	t = (m ^ m>>28) & 0x00000000f0f0f0f0
	return m ^ t ^ t<<28
}

// closeSigns decides the signs of the plane of a face at corners of a leaf: it
// adds those where it is positive to pos, and returns which are off the plane.
func (r *referrer) closeSigns(l located, f int32, pos *uint8, corners uint8) (good uint8) {
	x := r.k.x
	if x.flat != nil && x.flat[f] {
		*pos |= corners
		return 0xff
	}
	good = 0xff
	t := x.triangle(f)
	for ; corners != 0; corners &= corners - 1 {
		c := uint8(bits.TrailingZeros8(corners))
		switch r.signs.Orient3D(t[0], t[1], t[2], x.corner(l.place, c)) {
		case -1:
			*pos |= 1 << c
		case 0:
			good &^= 1 << c
		}
	}
	return good
}

package cells

import (
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
	k     *linker
	signs predicates.Counter
	near  [halo * halo * halo]int32 // W of the empty cells in and around a brick, else unknown
	late  []located                 // leaves at no corner of which W was known
}

// brick chooses the references of the cells of brick number n.
func (r *referrer) brick(n int32) {
	x := r.k.x
	r.look(n)
	lo := x.brickAt(x.gridOf[n])
	x.leaves(n, func(l located) bool {
		// The cell's lower neighbour across its lower corner.
		at := (l.at[0] - lo[0]*brickSide) + halo*(l.at[1]-lo[1]*brickSide) + halo*halo*(l.at[2]-lo[2]*brickSide)
		var w [8]int32
		for c := range w {
			w[c] = r.nearCorner(at + int32(c&1) + halo*int32(c>>1&1) + halo*halo*int32(c>>2))
		}
		if !r.choose(l, &w) {
			r.late = append(r.late, l)
		}
		return true
	})
}

// nearCorner returns W of an empty cell of the eight from at on.
func (r *referrer) nearCorner(at int32) int32 {
	for _, d := range [8]int32{0, 1, halo, halo + 1, halo * halo, halo*halo + 1, halo*halo + halo, halo*halo + halo + 1} {
		if w := r.near[at+d]; w != unknown {
			return w
		}
	}
	return unknown
}

// children chooses the references of the children of a refined cell.
func (r *referrer) children(c *childCells) {
	r.k.x.childLeaves(c, func(l located) bool {
		if !r.choose(l, r.corners(l.place)) {
			r.late = append(r.late, l)
		}
		return true
	})
}

// corners returns W at the corners of a cell that empty cells touch.
func (r *referrer) corners(p place) *[8]int32 {
	var w [8]int32
	for c := range w {
		w[c] = unknown
		if set, ok := r.k.around(p, uint8(c)); ok {
			w[c] = r.k.w(set)
		}
	}
	return &w
}

// w returns W of a set, or unknown.
func (k *linker) w(set int32) int32 {
	if k.final[set] {
		return k.value[set]
	}
	return unknown
}

// look sets near for brick number n.
func (r *referrer) look(n int32) {
	x, k := r.k.x, r.k
	at := x.brickAt(x.gridOf[n])
	for dz := int32(-1); dz <= 1; dz++ {
		for dy := int32(-1); dy <= 1; dy++ {
			for dx := int32(-1); dx <= 1; dx++ {
				r.lookAt([3]int32{at[0] + dx, at[1] + dy, at[2] + dz}, [3]int32{dx, dy, dz}, k)
			}
		}
	}
}

// lookAt copies what touches the brick of the brick at `at`, whose place from it
// is d.
func (r *referrer) lookAt(at, d [3]int32, k *linker) {
	x := k.x
	var lo, hi [3]int32 // cells in that brick
	for a := range 3 {
		switch d[a] {
		case -1:
			lo[a], hi[a] = brickSide-1, brickSide
		case 0:
			lo[a], hi[a] = 0, brickSide
		default:
			lo[a], hi[a] = 0, 1
		}
	}
	w, n := int32(0), int32(-1)
	if at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < x.dims[0] && at[1] < x.dims[1] && at[2] < x.dims[2] {
		g := (at[2]*x.dims[1]+at[1])*x.dims[0] + at[0]
		if n = k.brickOf[g]; n < 0 {
			w = k.w(1 + g)
		}
	}
	var parts []block
	var first int32
	if n >= 0 {
		parts, first = k.partsOf(n)
	}
	for z := lo[2]; z < hi[2]; z++ {
		for y := lo[1]; y < hi[1]; y++ {
			row := r.near[((z+brickSide*d[2]+1)*halo+y+brickSide*d[1]+1)*halo+brickSide*d[0]+1+lo[0]:]
			for i := range hi[0] - lo[0] {
				if n < 0 {
					row[i] = w
					continue
				}
				row[i] = unknown
				for p := range parts {
					if parts[p][z]>>(brickSide*y+lo[0]+i)&1 == 1 {
						row[i] = k.w(first + int32(p))
						break
					}
				}
			}
		}
	}
}

// choose sets the references of a leaf: two of its corners, at least one of
// known W, between which as many planes as possible lie: most points then agree
// with one of them in all signs. w has W at the corners, as far as it is known.
// It returns false if W is known at no corner that is off all planes.
func (r *referrer) choose(l located, w *[8]int32) bool {
	x := r.k.x
	signs, good := r.cornerSigns(l)
	a, b, best := -1, -1, -1
	for i := range w {
		if w[i] == unknown || good>>i&1 == 0 {
			continue
		}
		if a < 0 {
			a = i
		}
		for j := range w {
			if good>>j&1 == 0 {
				continue
			}
			// A corner of known W wins among equals.
			apart := 2 * bits.OnesCount64(signs[i]^signs[j])
			if w[j] != unknown {
				apart++
			}
			if apart > best {
				a, b, best = i, j, apart
			}
		}
	}
	if a < 0 {
		return false
	}
	wb := w[b]
	if wb == unknown {
		wb = w[a]
		if signs[a] != signs[b] {
			chi, ok := x.between(l.id, x.corner(l.place, uint8(b)), x.corner(l.place, uint8(a)), ^uint64(0), &r.signs)
			if !ok {
				b = a
			}
			wb += chi
		}
	}
	x.refer(l.id, [2]uint8{uint8(a), uint8(b)}, [2]uint64{signs[a], signs[b]}, [2]int32{x.reduce(w[a]), x.reduce(wb)})
	return true
}

// refer writes the references of the list from line id on. A cell whose winding
// numbers do not fit is handed over.
func (x *Index) refer(id uint32, corner [2]uint8, signs [2]uint64, w [2]int32) {
	first := x.line(id)
	h := first[0] & 0xff
	for r := range w {
		if w[r] != int32(int16(w[r])) {
			atomic.StoreUint64(&first[0], handed)
			return
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
			return
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
// which corners are off all planes. Planes that do not matter count as positive.
func (r *referrer) cornerSigns(l located) (signs [8]uint64, good uint8) {
	x := r.k.x
	good = 0xff
	shift := 0
	for id := l.id; ; {
		ln := x.line(id)
		n := ln.planes()
		for j := range n {
			q := ln[1+j]
			if q == noPlane {
				for c := range signs {
					signs[c] |= 1 << (shift + j)
				}
				continue
			}
			s := int32(int16(q>>48)) * unitU
			dx, dy, dz := int32(int16(q))*unitU, int32(int16(q>>16))*unitU, int32(int16(q>>32))*unitU
			for c := range signs {
				v := s - dx - dy - dz + 2*(dx&-int32(c&1)+dy&-int32(c>>1&1)+dz&-int32(c>>2))
				switch {
				case v > certain:
					signs[c] |= 1 << (shift + j)
				case v >= -certain:
					f := x.faces(id)[j]
					switch {
					case x.flat != nil && x.flat[f]:
						signs[c] |= 1 << (shift + j)
					default:
						t := x.triangle(f)
						switch r.signs.Orient3D(t[0], t[1], t[2], x.corner(l.place, uint8(c))) {
						case -1:
							signs[c] |= 1 << (shift + j)
						case 0:
							good &^= 1 << c
						}
					}
				}
			}
		}
		shift += n
		if ln.kind() != more {
			return signs, good
		}
		id = ln.next()
	}
}

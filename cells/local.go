package cells

import (
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/predicates"
)

// place is a cell: a level, 0 being that of the bricks, and numbers along the
// axes.
type place struct {
	level int
	at    [3]int32
}

// verdict is what a crossed cell says of a point.
type verdict uint8

const (
	counted   verdict = iota // its W is known
	onSurface                // it lies exactly on a face
	handOver                 // rays have to answer
)

// units returns the coordinates of a point in the cell, from those of the first
// level, as line.signs wants them. scale is that of the cell's level.
func (c *place) units(x, y, z, scale float64) (ux, uy, uz int32) {
	return unit(x*scale - float64(c.at[0])), unit(y*scale - float64(c.at[1])), unit(z*scale - float64(c.at[2]))
}

// unit maps [0, 1], which f may leave by slack, to [−unitU, unitU].
func unit(f float64) int32 {
	return max(-unitU, min(int32(f*(2*unitU)+0.5)-unitU, unitU))
}

// corner returns corner c of the cell, bit 0 of c for the upper x, and so on.
func (x *Index) corner(p place, c uint8) r3.Vector {
	return x.frame.corner(p.level, p.at[0]+int32(c&1), p.at[1]+int32(c>>1&1), p.at[2]+int32(c>>2&1))
}

// listed returns the face of plane j of the cell whose first line is id.
func (x *Index) listed(id uint32, j int) int32 {
	for j >= planesPerLine-1 {
		l := x.line(id)
		if l.kind() != more {
			break
		}
		id, j = l.next(), j-(planesPerLine-1)
	}
	return x.faces(id)[j]
}

// local returns the winding number of p, which lies in the enlarged box of the
// cell at c whose first line is id: that of a reference, plus the signed
// crossings of the segment to it.
func (x *Index) local(id uint32, c place, p r3.Vector, ux, uy, uz int32, k *predicates.Counter) (w int32, v verdict) {
	var pos, neg uint64
	var ref [2]uint64
	n := 0
	u := pack(ux, uy, uz)
	for l := x.line(id); ; l = x.line(l.next()) {
		lp, ln := lineSigns(l, u)
		count := l.planes()
		mask := uint64(1)<<count - 1
		pos |= lp & mask << n
		neg |= ln & mask << n
		ref[0] |= l[0] >> 8 & mask << n
		ref[1] |= l[0] >> 16 & mask << n
		n += count
		if l.kind() != more {
			break
		}
	}
	all := uint64(1)<<n - 1
	for left := all &^ (pos | neg); left != 0; left &= left - 1 {
		j := bits.TrailingZeros64(left)
		switch sign, on := x.sideOf(x.listed(id, j), p, k); {
		case on != counted:
			return 0, on
		case sign > 0:
			neg |= 1 << j
		case sign < 0:
			pos |= 1 << j
		default:
			// p is in the plane but not on the face: a segment from it does not
			// cross the face.
			all &^= 1 << j
		}
	}
	first := x.line(id)
	diff := [2]uint64{(pos ^ ref[0]) & all, (pos ^ ref[1]) & all}
	r := 0
	if bits.OnesCount64(diff[1]) < bits.OnesCount64(diff[0]) {
		r = 1
	}
	for range 2 {
		corner, _, w := first.reference(r)
		if diff[r] == 0 {
			return w, counted
		}
		if chi, ok := x.crossings(id, diff[r], neg, p, x.corner(c, corner), k); ok {
			return w + chi, counted
		}
		r ^= 1
	}
	return x.detour(id, c, p, all, k)
}

// sideOf returns the sign of Orient3D of face f and p: +1 on its inner side. 0
// means that p is in its plane, and in on whether it is on the face; the points
// of fans are handed over.
func (x *Index) sideOf(f int32, p r3.Vector, k *predicates.Counter) (sign int, on verdict) {
	t := x.triangle(f)
	switch {
	case p == t[0] || p == t[1] || p == t[2]:
	case x.flat != nil && x.flat[f]:
		if !k.OnTriangle(p, t[0], t[1], t[2]) {
			return 0, counted
		}
	default:
		if sign = k.Orient3D(t[0], t[1], t[2], p); sign != 0 {
			return sign, counted
		}
		if !k.OnCoplanar(p, t[0], t[1], t[2]) {
			return 0, counted
		}
	}
	if x.isFan(f) {
		return 0, handOver
	}
	return 0, onSurface
}

// crossings returns the signed crossings of the segment p→r with the faces of
// the planes in diff, which lie strictly between p and r; neg has the planes of
// which p is on the inner side. ok is false if the segment meets an edge or a
// vertex.
func (x *Index) crossings(id uint32, diff, neg uint64, p, r r3.Vector, k *predicates.Counter) (chi int32, ok bool) {
	for ; diff != 0; diff &= diff - 1 {
		j := bits.TrailingZeros64(diff)
		t := x.triangle(x.listed(id, j))
		u := k.Orient3D(r, t[0], t[1], p)
		v := k.Orient3D(r, t[1], t[2], p)
		if u*v < 0 {
			continue
		}
		w := k.Orient3D(r, t[2], t[0], p)
		switch {
		case u*w < 0 || v*w < 0:
		case u == 0 || v == 0 || w == 0:
			return 0, false
		case neg>>j&1 == 1:
			chi++ // from the inner side to the outer
		default:
			chi--
		}
	}
	return chi, true
}

// detour is local for a p whose segments to both references meet edges: it goes
// by way of another point of the cell. all has the planes that do not contain p.
func (x *Index) detour(id uint32, c place, p r3.Vector, all uint64, k *predicates.Counter) (w int32, v verdict) {
	lo, hi := x.corner(c, 0), x.corner(c, 7)
	const attempts = 16
	for n := range uint64(attempts) {
		q := r3.Vector{
			X: lo.X + (hi.X-lo.X)*fraction(6*n+1),
			Y: lo.Y + (hi.Y-lo.Y)*fraction(6*n+3),
			Z: lo.Z + (hi.Z-lo.Z)*fraction(6*n+5),
		}
		chi, ok := x.between(id, p, q, all, k)
		if !ok {
			continue
		}
		var w int32
		if w, ok = x.fromReference(id, c, q, k); ok {
			return w + chi, counted
		}
	}
	return 0, handOver
}

// fromReference returns W of a point of the cell that is in no plane of its list.
func (x *Index) fromReference(id uint32, c place, q r3.Vector, k *predicates.Counter) (w int32, ok bool) {
	for r := range 2 {
		corner, _, w := x.line(id).reference(r)
		if chi, ok := x.between(id, q, x.corner(c, corner), ^uint64(0), k); ok {
			return w + chi, true
		}
	}
	return 0, false
}

// between returns the signed crossings of the segment p→q in the cell with the
// faces of the planes in which; ok is false where p or q is in one of them or
// the segment meets an edge or a vertex.
func (x *Index) between(id uint32, p, q r3.Vector, which uint64, k *predicates.Counter) (chi int32, ok bool) {
	diff, neg := uint64(0), uint64(0)
	n := 0
	for at := id; ; {
		l, faces := x.line(at), x.faces(at)
		count := l.planes()
		for j, f := range faces[:count] {
			if f < 0 || which>>(n+j)&1 == 0 || x.flat != nil && x.flat[f] {
				continue
			}
			t := x.triangle(f)
			sp, sq := k.Orient3D(t[0], t[1], t[2], p), k.Orient3D(t[0], t[1], t[2], q)
			if sp == 0 || sq == 0 {
				return 0, false
			}
			if sp != sq {
				diff |= 1 << (n + j)
			}
			if sp > 0 {
				neg |= 1 << (n + j)
			}
		}
		n += count
		if l.kind() != more {
			break
		}
		at = l.next()
	}
	return x.crossings(id, diff, neg, p, q, k)
}

// fraction returns the n-th of a sequence of numbers between 1/8 and 7/8.
func fraction(n uint64) float64 {
	return 0.125 + 0.75*float64(mix(n)>>11)*0x1p-53
}

// mix returns the n-th number of a sequence without a pattern: SplitMix64
// (Steele, Lea, Flood 2014).
func mix(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// leaf descends from a cell of the first level to the leaf that the point maps
// to. (x, y, z) are its coordinates of the first level. ok is false if the leaf
// has no line: then w is the answer.
func (x *Index) leaf(px, py, pz float64, id uint32, c *place) (leaf uint32, w int32, ok bool) {
	for {
		l := x.line(id)
		switch l.kind() {
		case constant:
			return 0, int32(int64(l[1])), false
		case refined:
		default:
			return id, 0, true
		}
		ch := l.child()
		c.level++
		scale := x.scale(c.level)
		c.at = [3]int32{int32(px * scale), int32(py * scale), int32(pz * scale)}
		bit := uint(c.at[0]&3 | c.at[1]&3<<2 | c.at[2]&3<<4)
		if ch.crossed>>bit&1 == 0 {
			return 0, ch.w[ch.value>>bit&1], false
		}
		id = ch.base + uint32(bits.OnesCount64(ch.crossed&(1<<bit-1)))
	}
}

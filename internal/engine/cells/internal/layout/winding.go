package layout

import (
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
)

// Outcome tells whether a crossed cell determines the winding number of a point.
type Outcome uint8

// These are the possible outcomes.
const (
	Decided   Outcome = iota // the winding number is known
	OnSurface                // the point lies exactly on a face
	NeedsRay                 // the cell cannot decide, so the query must use a ray
)

// WindingInCell returns the winding number of p, a point with cell coordinates (x, y, z). p lies in
// the enlarged box of cell c, whose record has number id. In an empty leaf, the result is the
// winding number of the leaf. In a crossed leaf, it is the winding number of a reference plus the
// signed crossings of the segment from p to the reference.
func (g *Grid) WindingInCell(p r3.Vector, x, y, z float64, id uint32, c CellAddr, k *predicates.Counter) (w int32, o Outcome) {
	id, w, ok := g.Descend(x, y, z, id, &c)
	if !ok {
		return w, Decided
	}
	return g.WindingInLeaf(p, Pack(c.Units(x, y, z, Scale(c.Level))), id, c, k)
}

// WindingInLeaf does the work of WindingInCell for a crossed leaf. u holds the packed coordinates
// of p in the leaf.
func (g *Grid) WindingInLeaf(p r3.Vector, u uint64, id uint32, c CellAddr, k *predicates.Counter) (w int32, o Outcome) {
	if !g.Record(id).HasPlanes() {
		return 0, NeedsRay
	}
	pos, neg, ref0, ref1, n := g.signsInCell(id, u)
	all := uint64(1)<<n - 1
	if pos|neg != all {
		if pos, neg, all, o = g.exactSigns(id, p, pos, neg, all, k); o != Decided {
			return 0, o
		}
	}
	// First try the reference that fewer planes separate from p.
	i, diff, other := 0, (pos^ref0)&all, (pos^ref1)&all
	if bits.OnesCount64(other) < bits.OnesCount64(diff) {
		i, diff, other = 1, other, diff
	}
	first := g.Record(id)
	for range 2 {
		corner, _, w := first.Reference(i)
		if diff == 0 {
			return w, Decided
		}
		if chi, ok := g.CrossingsOf(id, diff, neg, p, g.Corner(c, corner), k); ok {
			return w + chi, Decided
		}
		i, diff = i^1, other
	}
	return g.detour(id, c, p, all, k)
}

// signsInCell returns the signs of all planes of a leaf at a point u of its cell, and at both
// references. n is the number of planes.
func (g *Grid) signsInCell(id uint32, u uint64) (pos, neg, ref0, ref1 uint64, n int) {
	for r := g.Record(id); ; r = g.Record(r.Next()) {
		rp, rn := recordSigns(r, u)
		count := r.Planes()
		mask := uint64(1)<<count - 1
		pos |= rp & mask << n
		neg |= rn & mask << n
		ref0 |= r[0] >> 8 & mask << n
		ref1 |= r[0] >> 16 & mask << n
		n += count
		if r.Kind() != KindMore {
			return pos, neg, ref0, ref1, n
		}
	}
}

// exactSigns finds the missing signs, which are the signs of the planes in all that are in neither
// pos nor neg. It adds each sign to pos or neg. If p lies in a plane but not on its face,
// exactSigns removes the plane from all, because no segment from p crosses this face.
func (g *Grid) exactSigns(id uint32, p r3.Vector, pos, neg, all uint64, k *predicates.Counter) (newPos, newNeg, newAll uint64, o Outcome) {
	for left := all &^ (pos | neg); left != 0; left &= left - 1 {
		j := bits.TrailingZeros64(left)
		switch sign, on := g.ExactSign(g.ListedFace(id, j), p, k); {
		case on != Decided:
			return pos, neg, all, on
		case sign > 0:
			neg |= 1 << j
		case sign < 0:
			pos |= 1 << j
		default:
			all &^= 1 << j
		}
	}
	return pos, neg, all, Decided
}

// FaceCrossings returns the signed crossings of the segment from p to reference 0 with the faces of
// the mesh in a level-0 cell. It ignores caps. p has the cell coordinates (x, y, z) and lies in the
// enlarged box of cell c. The record of c has number id. The outcome is NeedsRay if the cell has no
// list or if the segment meets an edge.
func (g *Grid) FaceCrossings(p r3.Vector, x, y, z float64, id uint32, c CellAddr, k *predicates.Counter) (chi int32, o Outcome) {
	if !g.Record(id).HasPlanes() {
		return 0, NeedsRay
	}
	pos, neg, ref, _, n := g.signsInCell(id, Pack(c.Units(x, y, z, Scale(c.Level))))
	all := g.facePlanes(id, (pos^ref|^(pos|neg))&(1<<n-1))
	if pos, neg, all, o = g.exactSigns(id, p, pos, neg, all, k); o != Decided {
		return 0, o
	}
	corner, _, _ := g.Record(id).Reference(0)
	sum, ok := g.countCrossings(id, (pos^ref)&all, neg, p, g.Corner(c, corner), k)
	if !ok {
		return 0, NeedsRay
	}
	return sum.Faces, Decided
}

// facePlanes returns the planes in which that belong to faces of the mesh, not to caps.
func (g *Grid) facePlanes(id uint32, which uint64) (faces uint64) {
	for left := which; left != 0; left &= left - 1 {
		j := bits.TrailingZeros64(left)
		if f := g.ListedFace(id, j); f >= 0 && !g.IsCap(f) {
			faces |= 1 << j
		}
	}
	return faces
}

// ExactSign returns the sign of Orient3D of face f and p, which is +1 if p is on the inner side. If
// p lies on a face of the mesh, the outcome is OnSurface. If p lies on a cap, the outcome is
// NeedsRay.
func (g *Grid) ExactSign(f int32, p r3.Vector, k *predicates.Counter) (sign int, on Outcome) {
	t := g.Triangle(f)
	switch {
	case p == t[0] || p == t[1] || p == t[2]:
	case g.Degenerate != nil && g.Degenerate[f]:
		if !k.OnTriangle(p, t[0], t[1], t[2]) {
			return 0, Decided
		}
	default:
		if sign = k.Orient3D(t[0], t[1], t[2], p); sign != 0 {
			return sign, Decided
		}
		if !k.OnCoplanar(p, t[0], t[1], t[2]) {
			return 0, Decided
		}
	}
	if g.IsCap(f) {
		return 0, NeedsRay
	}
	return 0, OnSurface
}

// CrossingsOf returns the signed crossings of the segment p→r with the faces of the planes in diff.
// Each of these planes lies strictly between p and r. neg holds the planes for which p is on the
// inner side. ok is false if the segment meets an edge or a vertex.
func (g *Grid) CrossingsOf(id uint32, diff, neg uint64, p, r r3.Vector, k *predicates.Counter) (chi int32, ok bool) {
	c, ok := g.countCrossings(id, diff, neg, p, r, k)
	return c.All, ok
}

// countCrossings does the work of CrossingsOf. It counts the crossings of copies as Copies does.
func (g *Grid) countCrossings(id uint32, diff, neg uint64, p, r r3.Vector, k *predicates.Counter) (sum Copies, ok bool) {
	for ; diff != 0; diff &= diff - 1 {
		j := bits.TrailingZeros64(diff)
		f := g.ListedFace(id, j)
		t := g.Triangle(f)
		u := k.Orient3D(r, t[0], t[1], p)
		v := k.Orient3D(r, t[1], t[2], p)
		if u*v < 0 {
			continue
		}
		w := k.Orient3D(r, t[2], t[0], p)
		switch {
		case u*w < 0 || v*w < 0:
			continue
		case u == 0 || v == 0 || w == 0:
			return sum, false
		}
		c := Copies{1, 1}
		if g.Copies != nil {
			c = g.CopiesOf(f)
		}
		if neg>>j&1 == 0 {
			c = Copies{-c.All, -c.Faces}
		}
		// The segment runs from the inner side to the outer side, or from the outer side to the
		// inner side.
		sum.All += c.All
		sum.Faces += c.Faces
	}
	return sum, true
}

// detour returns the winding number of p by a detour: it counts the crossings along a path from p
// to another point of the cell and from there to a reference. p must lie in none of the offPlanes.
func (g *Grid) detour(id uint32, c CellAddr, p r3.Vector, offPlanes uint64, k *predicates.Counter) (w int32, o Outcome) {
	lo, hi := g.Corner(c, 0), g.Corner(c, 7)
	const attempts = 16
	for n := range uint64(attempts) {
		q := r3.Vector{
			X: lo.X + (hi.X-lo.X)*fraction(6*n+1),
			Y: lo.Y + (hi.Y-lo.Y)*fraction(6*n+3),
			Z: lo.Z + (hi.Z-lo.Z)*fraction(6*n+5),
		}
		chi, ok := g.segment(id, p, q, offPlanes, k)
		if !ok {
			continue
		}
		for i := range 2 {
			corner, _, w := g.Record(id).Reference(i)
			if rest, ok := g.Crossings(id, q, g.Corner(c, corner), k); ok {
				return w + rest + chi, Decided
			}
		}
	}
	return 0, NeedsRay
}

// Crossings returns the signed crossings of the segment p→q with the faces in the list of a cell.
// The cell contains p and q, and its first record has number id. ok is false in two cases: p or q
// lies in the plane of a face, or the segment meets an edge or a vertex.
func (g *Grid) Crossings(id uint32, p, q r3.Vector, k *predicates.Counter) (chi int32, ok bool) {
	return g.segment(id, p, q, ^uint64(0), k)
}

// segment does the work of Crossings for a set of planes.
func (g *Grid) segment(id uint32, p, q r3.Vector, which uint64, k *predicates.Counter) (chi int32, ok bool) {
	diff, neg := uint64(0), uint64(0)
	n := 0
	for at := id; ; {
		r, faces := g.Record(at), g.Faces(at)
		count := r.Planes()
		for j, f := range faces[:count] {
			if f < 0 || which>>(n+j)&1 == 0 || g.Degenerate != nil && g.Degenerate[f] {
				continue
			}
			t := g.Triangle(f)
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
		if r.Kind() != KindMore {
			break
		}
		at = r.Next()
	}
	return g.CrossingsOf(id, diff, neg, p, q, k)
}

// fraction returns number n of a fixed sequence of numbers between 1/8 and 7/8.
func fraction(n uint64) float64 {
	return 0.125 + 0.75*float64(Mix(n)>>11)*0x1p-53
}

// Mix returns number n of a fixed sequence of pseudorandom numbers: SplitMix64 (Steele, Lea, Flood
// 2014).
func Mix(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// Package referee decides which points are inside a polyhedron. It uses integer arithmetic, and
// only tests use it. It shares no code with the packages that it checks: it has no filters and no
// tree, and its rays have other directions. It represents coordinates as integer multiples of a
// power of two, so every sign is exact.
//
//	w, crossings, on := referee.Judge(m.Vertices, m.Faces, p)
//	// w is the sum of the signs of the crossings. For a closed mesh it is the winding number.
package referee

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/golang/geo/r3"
)

type vec [3]big.Int

// integers returns the points as integer vectors in one common unit. The unit is a power of two.
// The coordinates must be finite.
func integers(ps ...r3.Vector) []vec {
	low := math.MaxInt
	for _, p := range ps {
		for _, f := range [3]float64{p.X, p.Y, p.Z} {
			if _, e := math.Frexp(f); f != 0 {
				low = min(low, e)
			}
		}
	}
	out := make([]vec, len(ps))
	for i, p := range ps {
		for k, f := range [3]float64{p.X, p.Y, p.Z} {
			if m, e := math.Frexp(f); m != 0 {
				out[i][k].SetInt64(int64(m * (1 << 53)))
				out[i][k].Lsh(&out[i][k], uint(e-low))
			}
		}
	}
	return out
}

func sub(a, b *vec) (d vec) {
	for k := range d {
		d[k].Sub(&a[k], &b[k])
	}
	return d
}

func cross(a, b *vec) (c vec) {
	var t big.Int
	for k := range c {
		i, j := (k+1)%3, (k+2)%3
		c[k].Sub(c[k].Mul(&a[i], &b[j]), t.Mul(&a[j], &b[i]))
	}
	return c
}

// dotSign returns the sign of the scalar product a·b.
func dotSign(a, b *vec) int {
	var s, t big.Int
	for k := range a {
		s.Add(&s, t.Mul(&a[k], &b[k]))
	}
	return s.Sign()
}

func (v *vec) isZero() bool { return v[0].Sign() == 0 && v[1].Sign() == 0 && v[2].Sign() == 0 }

// Orient3D returns the exact sign of (a−d)·((b−d)×(c−d)).
func Orient3D(a, b, c, d r3.Vector) int {
	v := integers(a, b, c, d)
	ad, bd, cd := sub(&v[0], &v[3]), sub(&v[1], &v[3]), sub(&v[2], &v[3])
	n := cross(&bd, &cd)
	return dotSign(&ad, &n)
}

// ZeroArea reports whether a, b and c are exactly collinear.
func ZeroArea(a, b, c r3.Vector) bool {
	v := integers(a, b, c)
	u, w := sub(&v[1], &v[0]), sub(&v[2], &v[0])
	n := cross(&u, &w)
	return n.isZero()
}

// OnTriangle reports whether p lies exactly on the closed triangle a, b, c.
func OnTriangle(p, a, b, c r3.Vector) bool {
	v := integers(a, b, c, p)
	u, w := sub(&v[1], &v[0]), sub(&v[2], &v[0])
	n := cross(&u, &w)
	if n.isZero() {
		return onSegment(&v[3], &v[0], &v[1]) || onSegment(&v[3], &v[1], &v[2]) || onSegment(&v[3], &v[2], &v[0])
	}
	r := sub(&v[3], &v[0])
	if dotSign(&r, &n) != 0 {
		return false
	}
	for i := range 3 {
		e, q := sub(&v[(i+1)%3], &v[i]), sub(&v[3], &v[i])
		s := cross(&e, &q)
		if dotSign(&s, &n) < 0 {
			return false
		}
	}
	return true
}

// onSegment reports whether p lies on the closed segment from a to b. This is true if p is
// collinear with a and b, and a and b are not on the same side of p.
func onSegment(p, a, b *vec) bool {
	pa, pb := sub(a, p), sub(b, p)
	n := cross(&pa, &pb)
	return n.isZero() && dotSign(&pa, &pb) <= 0
}

// Judge casts one ray from p. It returns the sum of the signs of the crossings with the faces, the
// number of crossings, and whether p lies exactly on a face. Rays never cross faces of zero area,
// but p can lie on such a face. The directions of rays come from a fixed sequence. Judge uses the
// first direction whose ray intersects no edge. p and the vertices must be finite.
func Judge(vertices []r3.Vector, faces [][3]int32, p r3.Vector) (winding, crossings int, on bool) {
	size := max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z))
	for _, v := range vertices {
		size = max(size, math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
	}
	rng := rand.New(rand.NewPCG(0x5eed, 0xface))
	for {
		// The ray from p to the point `far` runs mostly along +x. Its slopes stay below 1/8.
		far := r3.Vector{
			X: p.X + size*(4+rng.Float64()),
			Y: p.Y + size*(rng.Float64()-0.5),
			Z: p.Z + size*(rng.Float64()-0.5),
		}
		if w, n, on, ok := cast(vertices, faces, p, far); ok {
			return w, n, on
		}
	}
}

// cast does the work of Judge with one ray. ok is false if the ray intersects an edge.
func cast(vertices []r3.Vector, faces [][3]int32, p, far r3.Vector) (winding, crossings int, on, ok bool) {
	ok = true
	for _, f := range faces {
		a, b, c := vertices[f[0]], vertices[f[1]], vertices[f[2]]
		if outOfReach(p, a, b, c) {
			continue
		}
		v := integers(a, b, c, p, far)
		pa, pb, pc := sub(&v[0], &v[3]), sub(&v[1], &v[3]), sub(&v[2], &v[3])
		bc, ca, ab := cross(&pb, &pc), cross(&pc, &pa), cross(&pa, &pb)
		side := dotSign(&pa, &bc)
		if side == 0 && OnTriangle(p, a, b, c) {
			return 0, 0, true, true
		}
		if ZeroArea(a, b, c) {
			continue
		}
		d := sub(&v[4], &v[3])
		s0, s1, s2 := dotSign(&d, &bc), dotSign(&d, &ca), dotSign(&d, &ab)
		switch lo, hi := min(s0, s1, s2), max(s0, s1, s2); {
		case lo == hi && lo != 0:
			if side == lo {
				winding += side
				crossings++
			}
		case lo >= 0 || hi <= 0:
			ok = false // the ray intersects an edge or a vertex, or lies in the plane of the face
		}
	}
	return winding, crossings, false, ok
}

// outOfReach reports whether no ray of Judge from p can intersect the triangle. The slopes of the
// rays are below 1/8 before rounding. outOfReach allows slopes up to 1/4, so rounding does not
// matter.
func outOfReach(p, a, b, c r3.Vector) bool {
	hi := max(a.X, b.X, c.X)
	reach := (hi - p.X) / 4
	return hi < p.X || max(a.Y, b.Y, c.Y) < p.Y-reach || min(a.Y, b.Y, c.Y) > p.Y+reach ||
		max(a.Z, b.Z, c.Z) < p.Z-reach || min(a.Z, b.Z, c.Z) > p.Z+reach
}

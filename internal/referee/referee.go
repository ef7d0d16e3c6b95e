// Package referee answers point-in-polyhedron questions in integer arithmetic,
// for tests only. It shares no code with the packages that it judges: no
// filters, no tree, other rays. Coordinates become integers in units of the
// smallest bit among them, so every sign is exact.
//
//	w, crossings, on := referee.Judge(m.Vertices, m.Faces, p)
//	// w: signed crossings = winding number where the boundary chain is empty
package referee

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/golang/geo/r3"
)

type vec struct{ x, y, z big.Int }

// integers returns the points as integer vectors in one common unit, a power of
// two. The coordinates must be finite.
func integers(ps ...r3.Vector) []vec {
	low := math.MaxInt
	split := func(f float64) (int64, int) {
		if f == 0 {
			return 0, math.MaxInt
		}
		m, e := math.Frexp(f)
		return int64(m * (1 << 53)), e - 53
	}
	for _, p := range ps {
		for _, f := range [3]float64{p.X, p.Y, p.Z} {
			if _, e := split(f); e < low {
				low = e
			}
		}
	}
	out := make([]vec, len(ps))
	set := func(z *big.Int, f float64) {
		m, e := split(f)
		z.SetInt64(m)
		if m != 0 {
			z.Lsh(z, uint(e-low))
		}
	}
	for i, p := range ps {
		set(&out[i].x, p.X)
		set(&out[i].y, p.Y)
		set(&out[i].z, p.Z)
	}
	return out
}

func sub(a, b *vec) vec {
	var d vec
	d.x.Sub(&a.x, &b.x)
	d.y.Sub(&a.y, &b.y)
	d.z.Sub(&a.z, &b.z)
	return d
}

func cross(a, b *vec) vec {
	var c vec
	var t big.Int
	c.x.Sub(c.x.Mul(&a.y, &b.z), t.Mul(&a.z, &b.y))
	c.y.Sub(c.y.Mul(&a.z, &b.x), t.Mul(&a.x, &b.z))
	c.z.Sub(c.z.Mul(&a.x, &b.y), t.Mul(&a.y, &b.x))
	return c
}

func dot(a, b *vec) *big.Int {
	var s, t big.Int
	s.Mul(&a.x, &b.x)
	s.Add(&s, t.Mul(&a.y, &b.y))
	return s.Add(&s, t.Mul(&a.z, &b.z))
}

func (v *vec) isZero() bool { return v.x.Sign() == 0 && v.y.Sign() == 0 && v.z.Sign() == 0 }

// Orient3D returns the exact sign of (a−d)·((b−d)×(c−d)).
func Orient3D(a, b, c, d r3.Vector) int {
	v := integers(a, b, c, d)
	ad, bd, cd := sub(&v[0], &v[3]), sub(&v[1], &v[3]), sub(&v[2], &v[3])
	n := cross(&bd, &cd)
	return dot(&ad, &n).Sign()
}

// ZeroArea reports whether a, b, c are exactly collinear.
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
	if dot(&r, &n).Sign() != 0 {
		return false
	}
	for i := range 3 {
		e := sub(&v[(i+1)%3], &v[i])
		q := sub(&v[3], &v[i])
		s := cross(&e, &q)
		if dot(&s, &n).Sign() < 0 {
			return false
		}
	}
	return true
}

// onSegment reports whether p lies on the closed segment a, b: collinear, and
// the ends on opposite sides of it.
func onSegment(p, a, b *vec) bool {
	pa, pb := sub(a, p), sub(b, p)
	n := cross(&pa, &pb)
	return n.isZero() && dot(&pa, &pb).Sign() <= 0
}

// Judge returns the signed and the unsigned number of crossings of one generic
// ray from p with the faces, and whether p lies exactly on a face. Faces of zero
// area count for on only. The direction is drawn from a fixed sequence until no
// face is met on an edge. p and the vertices must be finite.
func Judge(vertices []r3.Vector, faces [][3]int32, p r3.Vector) (winding, crossings int, on bool) {
	size := 0.0
	for _, v := range vertices {
		size = max(size, math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
	}
	size = max(size, math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z))
	rng := rand.New(rand.NewPCG(0x5eed, 0xface))
	for {
		// A far point, mostly along +x; its slopes stay below 1/8.
		far := r3.Vector{
			X: p.X + size*(4+rng.Float64()),
			Y: p.Y + size*(rng.Float64()-0.5),
			Z: p.Z + size*(rng.Float64()-0.5),
		}
		w, n, on, ok := cast(vertices, faces, p, far)
		if on {
			return 0, 0, true
		}
		if ok {
			return w, n, false
		}
	}
}

func cast(vertices []r3.Vector, faces [][3]int32, p, far r3.Vector) (winding, crossings int, on, ok bool) {
	ok = true
	for _, f := range faces {
		a, b, c := vertices[f[0]], vertices[f[1]], vertices[f[2]]
		if far1(p, a, b, c) {
			continue
		}
		v := integers(a, b, c, p, far)
		pa, pb, pc := sub(&v[0], &v[3]), sub(&v[1], &v[3]), sub(&v[2], &v[3])
		n := cross(&pb, &pc)
		side := dot(&pa, &n).Sign()
		if side == 0 {
			if OnTriangle(p, a, b, c) {
				return 0, 0, true, true
			}
		}
		if ZeroArea(a, b, c) {
			continue
		}
		d := sub(&v[4], &v[3])
		bc, ca, ab := cross(&pb, &pc), cross(&pc, &pa), cross(&pa, &pb)
		s0, s1, s2 := dot(&d, &bc).Sign(), dot(&d, &ca).Sign(), dot(&d, &ab).Sign()
		switch {
		case s0 > 0 && s1 > 0 && s2 > 0 || s0 < 0 && s1 < 0 && s2 < 0:
			if side == s0 {
				winding += side
				crossings++
			}
		case (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0):
			ok = false // an edge is met, or the ray lies in the plane
		}
	}
	return winding, crossings, false, ok
}

// far1 reports that no ray from p toward a far point of Judge can meet the
// triangle. All comparisons are of float64 values as they are, and the cone of
// slope 1/4 around +x holds every far point, so rounding cannot matter: the
// slopes of Judge's far points stay below (1/2)/4 = 1/8 before rounding.
func far1(p, a, b, c r3.Vector) bool {
	hi := max(a.X, b.X, c.X)
	if hi < p.X {
		return true
	}
	reach := (hi - p.X) / 4
	return max(a.Y, b.Y, c.Y) < p.Y-reach || min(a.Y, b.Y, c.Y) > p.Y+reach ||
		max(a.Z, b.Z, c.Z) < p.Z-reach || min(a.Z, b.Z, c.Z) > p.Z+reach
}

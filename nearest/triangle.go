package nearest

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// kernelError bounds the error of the computed distance d̂ from a point to a triangle:
// |d̂ − d| ≤ kernelError·M, where M is the distance of the corner farthest from the point. With
// u = 2⁻⁵³ and without terms of order u²:
//
// The point is moved to the origin, and the edges are taken as differences. This makes a triangle
// T1 with corners off by u·M and 2u·M, so d is off by 3uM.
//
// Edges. On P + t·E, t = −P·E/E·E has an error of 3u|P|/|E| + 4u|t|. With |E| ≤ 2M the place has an
// error of 11uM. Its coordinates are rounded by 3uM, its norm by 2.5uM. So each distance to an edge
// of T1 is off by at most 16.5uM.
//
// Face. Let E be the longest edge, of length L ≤ 2M, from the corner V, and F the edge from V to
// the third corner. The height H = F − s·E is made orthogonal to E in two passes. The first leaves
// a component along E of at most 9uL; s·E + H differs from F by 2uL. The second changes that by
// another 2uL, and leaves a component along E of at most 7u|H| + 60u²L. So the computation uses a
// triangle T2 within 4uL ≤ 8uM of T1, and if |H| ≥ 8uL then E and H are orthogonal up to ω ≤ 15u.
// (The second pass halves |H| only if |H| < 6uL afterward; "twice is enough".) The foot of the
// origin is V + α·E + β·H, α = −V·E/E·E, β = −V·H/H·H. Along both axes ω puts it off by 15uM and
// rounding by 7uM, together 22√2·uM < 32uM in the plane. Evaluating the foot costs 4uM, its norm
// 2.5uM. It is in the face if β ≥ 0, α−sβ ≥ 0, α−sβ+β ≤ 1. Rounding in these conditions moves the
// edges by at most 3uL ≤ 6uM.
//   - Found inside: the computed foot is within 6uM of T2 and within 32uM of the exact foot, so the
//     error is at most 3 + 8 + 32 + 6.5 < 50 uM.
//   - Found outside although inside: the foot is within 38uM of an edge of T2, and the edges of T1
//     are used: 3 + 8 + 38 + 8 + 16.5 < 74 uM.
//   - |H| < 8uL: T2 is within 16uM of E: 3 + 8 + 16 + 16.5 < 44 uM.
//
// The rest up to 80 covers the omitted terms.
const kernelError = 80 * 0x1p-53

// thin is (8u)². A triangle whose squared height is below thin·L² counts as its edges.
const thin = 64 * 0x1p-106

// Powers of two bring coordinates relative to the point into [minScale, maxScale], where no square
// overflows. There an edge shorter than 2⁻⁴⁰⁰, whose square is below minEdge2, is a point up to
// u·M ≥ 2⁻³⁵³. The squares of longer edges, times thin, are far from underflow.
const (
	maxScale = 0x1p300
	minScale = 0x1p-300
	minEdge2 = 0x1p-800
)

// closest returns the vector from p to the closest point of the triangle, and its length. The
// length is 0 if and only if p is exactly on the triangle, and +Inf if it exceeds the largest
// float64.
func closest(p r3.Vector, t *mesh.Triangle, signs *predicates.Counter) (r3.Vector, float64) {
	a, b, c := t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)
	size := norm1(a) + norm1(b) + norm1(c) // at least M
	var g r3.Vector
	var d float64
	if size >= minScale && size <= maxScale {
		g = closestToOrigin(a, b, c)
		d = g.Norm()
	} else {
		g, d, size = closestScaled(p, t)
	}
	if d <= kernelError*size {
		switch {
		case signs.OnTriangle(p, t[0], t[1], t[2]):
			return r3.Vector{}, 0
		case d == 0:
			d = math.SmallestNonzeroFloat64
		}
	}
	return g, d
}

// norm1 returns the sum of the absolute coordinates of v.
func norm1(v r3.Vector) float64 { return math.Abs(v.X) + math.Abs(v.Y) + math.Abs(v.Z) }

// closestScaled is the part of closest for very large and very small triangles. It also returns
// their size, which is at least M.
func closestScaled(p r3.Vector, t *mesh.Triangle) (g r3.Vector, d, size float64) {
	// 2⁻⁴ keeps differences and the sum of nine of them finite. The digits that subnormal
	// coordinates lose are negligible beside the huge coordinates.
	pre, exponent := 1.0, 0
	largest := max(norm1(p.Mul(0x1p-4)), norm1(t[0].Mul(0x1p-4)), norm1(t[1].Mul(0x1p-4)), norm1(t[2].Mul(0x1p-4)))
	if largest > maxScale {
		pre, exponent = 0x1p-4, -4
	}
	p = p.Mul(pre)
	a, b, c := t[0].Mul(pre).Sub(p), t[1].Mul(pre).Sub(p), t[2].Mul(pre).Sub(p)
	size = norm1(a) + norm1(b) + norm1(c)
	if size == 0 {
		return r3.Vector{}, 0, 0 // all corners are p
	}
	e := -math.Ilogb(size)
	exponent += e
	g = closestToOrigin(ldexp(a, e), ldexp(b, e), ldexp(c, e))
	d = math.Ldexp(g.Norm(), -exponent)
	return ldexp(g, -exponent), d, math.Ldexp(size, e-exponent)
}

// ldexp returns v times two to the power of e.
func ldexp(v r3.Vector, e int) r3.Vector {
	return r3.Vector{X: math.Ldexp(v.X, e), Y: math.Ldexp(v.Y, e), Z: math.Ldexp(v.Z, e)}
}

// closestToOrigin returns the point of the triangle that is closest to the origin. See kernelError.
func closestToOrigin(a, b, c r3.Vector) r3.Vector {
	ab, bc, ca := b.Sub(a), c.Sub(b), a.Sub(c)
	lab, lbc, lca := ab.Norm2(), bc.Norm2(), ca.Norm2()
	var g r3.Vector
	var ok bool
	switch {
	case lab >= lbc && lab >= lca:
		g, ok = foot(a, ab, ca, lab)
	case lbc >= lca:
		g, ok = foot(b, bc, ab, lbc)
	default:
		g, ok = foot(c, ca, bc, lca)
	}
	if ok {
		return g
	}
	g = onEdge(a, b, ab, lab)
	best := g.Norm2()
	if h := onEdge(b, c, bc, lbc); h.Norm2() < best {
		g, best = h, h.Norm2()
	}
	if h := onEdge(c, a, ca, lca); h.Norm2() < best {
		g = h
	}
	return g
}

// foot returns the foot of the origin on the plane of the triangle v, v+e, v−f, and whether the
// foot is in the triangle. e is the longest edge and l2 = e·e.
func foot(v, e, f r3.Vector, l2 float64) (r3.Vector, bool) {
	if l2 < minEdge2 {
		return v, true // the triangle is a point
	}
	s := -f.Dot(e) / l2
	h := minus(e, s, f)
	again := h.Dot(e) / l2
	h = h.Sub(e.Mul(again))
	s += again
	h2 := h.Norm2()
	if h2 < thin*l2 {
		return r3.Vector{}, false // its edges decide
	}
	alpha := -v.Dot(e) / l2
	beta := -v.Dot(h) / h2
	along := alpha - float64(s*beta)
	if !(beta >= 0 && along >= 0 && along+beta <= 1) {
		return r3.Vector{}, false
	}
	return v.Add(e.Mul(alpha)).Add(h.Mul(beta)), true
}

// minus returns −f − s·e.
func minus(e r3.Vector, s float64, f r3.Vector) r3.Vector {
	return r3.Vector{
		X: -f.X - float64(s*e.X),
		Y: -f.Y - float64(s*e.Y),
		Z: -f.Z - float64(s*e.Z),
	}
}

// onEdge returns the point of the segment from p to q that is closest to the origin, where e = q−p
// and l2 = e·e.
func onEdge(p, q, e r3.Vector, l2 float64) r3.Vector {
	if l2 < minEdge2 {
		return p
	}
	t := -p.Dot(e) / l2
	switch {
	case t <= 0:
		return p
	case t >= 1:
		return q
	}
	return p.Add(e.Mul(t))
}

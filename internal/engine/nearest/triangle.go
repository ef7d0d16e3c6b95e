package nearest

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// kernelError·M bounds the error of the computed distance from a point to a triangle, where M is
// the distance from the point to the farthest corner. For the derivation, see Distances to
// triangles in docs/design/016-error-bounds.md.
const kernelError = 80 * 0x1p-53

// thin limits the ratio of the squared height of a triangle to the square of its longest edge. If
// the ratio is smaller, only the edges of the triangle count. thin is (8u)² with u = 2⁻⁵³. For the
// reason, see the derivation of kernelError.
const thin = 64 * 0x1p-106

// If the size of the coordinates relative to the point is not in [minScale, maxScale], they are
// scaled by a power of two. Then no square overflows. An edge shorter than 2⁻⁴⁰⁰ counts as a point.
// minEdge2 is the square of 2⁻⁴⁰⁰. For longer edges, thin times the squared length does not
// underflow.
const (
	maxScale = 0x1p300
	minScale = 0x1p-300
	minEdge2 = 0x1p-800
)

// closest returns the vector g from p to the closest point of the triangle, its length d, and a
// bound of the error of d. g and d are rounded. They are 0 if and only if p is exactly on the
// triangle, and then bound is 0. If the length exceeds the largest float64, d is +Inf.
func closest(p r3.Vector, t *mesh.Triangle, signs *predicates.Counter) (g r3.Vector, d, bound float64) {
	a, b, c := t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)
	size := norm1(a) + norm1(b) + norm1(c) // at least M, the distance of the farthest corner
	if size >= minScale && size <= maxScale {
		g = closestToOrigin(a, b, c)
		d, bound = g.Norm(), kernelError*size
	} else {
		g, d, size = closestScaled(p, t)
		bound = kernelError*size + math.SmallestNonzeroFloat64 // d can be subnormal
	}
	if d <= bound {
		switch {
		case signs.OnTriangle(p, t[0], t[1], t[2]):
			return r3.Vector{}, 0, 0
		case d == 0:
			d = math.SmallestNonzeroFloat64
		}
	}
	return g, d, bound
}

func norm1(v r3.Vector) float64 { return math.Abs(v.X) + math.Abs(v.Y) + math.Abs(v.Z) }

// closestScaled does the main work of closest for very large and very small triangles. size is at
// least the distance of the farthest corner.
func closestScaled(p r3.Vector, t *mesh.Triangle) (g r3.Vector, d, size float64) {
	// The factor 2⁻⁴ keeps differences, and the sum of nine differences, finite. It can drop digits
	// of subnormal coordinates, which are negligible beside the largest coordinate.
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

func ldexp(v r3.Vector, e int) r3.Vector {
	return r3.Vector{X: math.Ldexp(v.X, e), Y: math.Ldexp(v.Y, e), Z: math.Ldexp(v.Z, e)}
}

// closestToOrigin returns the point of the triangle a, b, c that is closest to the origin.
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

// foot returns the foot of the perpendicular from the origin to the plane of the triangle v, v+e,
// v−f. ok is false if the foot is outside the triangle or the triangle is too thin. e is the
// longest edge and l2 = e·e.
func foot(v, e, f r3.Vector, l2 float64) (r3.Vector, bool) {
	if l2 < minEdge2 {
		return v, true // the triangle is as small as a point
	}
	s := -f.Dot(e) / l2
	h := minus(e, s, f)
	again := h.Dot(e) / l2
	h = h.Sub(e.Mul(again))
	s += again
	h2 := h.Norm2()
	if h2 < thin*l2 {
		return r3.Vector{}, false // the triangle is too thin
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

// onEdge returns the point of the segment from p to q that is closest to the origin. e is q−p and
// l2 is e·e.
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

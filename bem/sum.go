package bem

import (
	"math"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// Sum returns w = (1/4π) Σ m_e Ω(a−x, b−x, d) for d = (x−target)/|x−target| and a
// bound of the absolute error of w. With χ, the signed crossings of the segment
// from x to target, W(x) = χ + w if target lies far enough outside: no triangle
// of the surface may reach beyond it as seen from x.
//
// The direction is the exact one between the two points, and where the segment
// passes an edge closely the side is that of predicates.Orient3D, so w and a χ
// found with exact predicates never disagree by a whole turn. The bound grows
// where x lies within rounding of an edge or the ray within rounding of a
// vertex, to a quarter of a turn an edge.
//
// ok is false if the ray meets an edge of the chain exactly (also if x lies on
// one, or on the line of one with the ray along it): take another target. Points
// on the surface need the chain of Without. If x or target is not finite, w is
// NaN and bound +Inf. Cost: one square root and a bit an end, one arc tangent in
// all; no allocation unless an exact sign needs its last stage.
func (b *Boundary) Sum(x, target r3.Vector, sc *Scratch) (w, bound float64, ok bool) {
	if !vec.Finite(x) || !vec.Finite(target) {
		return math.NaN(), math.Inf(1), true
	}
	if b.Len() == 0 {
		return 0, 0, true
	}
	r := ray{x: x, target: target, c: view(x, target)}
	t := tally{spin: identity}
	for i := 0; i < len(b.single); i += blockFactors {
		if ok := r.single(&t, b.single[i:min(i+blockFactors, len(b.single))], sc); !ok {
			return 0, math.Inf(1), false
		}
	}
	for i, m := range b.mult {
		f, ok := r.factor(b.heavy[i], sc)
		if !ok {
			return 0, math.Inf(1), false
		}
		t.spin = t.spin.times(spin{re: f.re, im: f.im}.pow(m)).rescale()
		t.err += f.err * float64(m)
		t.factors += 2*float64(m) + 1
	}
	w, bound = t.total()
	return w, bound, true
}

// tally is a product of factors on its way, with what its error is made of.
type tally struct {
	spin
	slant   float64 // Σ s/|z|₁ of the fast kernel: errorTurns turns each
	err     float64 // Σ err of factors, in turns
	factors float64 // number of multiplications
}

// total returns the sum of half the solid angles over 2π, which is the winding
// number, and the bound of its error.
func (t *tally) total() (w, bound float64) {
	w = t.spin.total()
	e := t.err + errorTurns*t.slant + errorFactor*t.factors + errorTotal + 2*roundoff*math.Abs(w)
	return w, e * inflate
}

// ray is what all edges of one sum share.
type ray struct {
	x, target r3.Vector
	c         r3.Vector // x − target, scaled: the third corner, at infinity
}

// single multiplies the factors of edges of multiplicity 1, at most
// blockFactors, into t. It is the fast twin of factor: all that is ordinary is
// done here, with the same roundings as strackee.
func (r *ray) single(t *tally, edges []edge, sc *Scratch) (ok bool) {
	x, c := r.x, r.c
	lc := math.Sqrt(c.Dot(c))
	p, slant := t.spin, t.slant
	for i := range edges {
		e := &edges[i]
		ax, ay, az := e.a.X-x.X, e.a.Y-x.Y, e.a.Z-x.Z
		bx, by, bz := e.b.X-x.X, e.b.Y-x.Y, e.b.Z-x.Z
		qa := float64(ax*ax) + float64(ay*ay) + float64(az*az)
		qb := float64(bx*bx) + float64(by*by) + float64(bz*bz)
		if ((math.Float64bits(qa)-loSquare)|(math.Float64bits(qb)-loSquare))>>rangeBits == 0 {
			la, lb := math.Sqrt(qa), math.Sqrt(qb)
			ab := float64(ax*bx) + float64(ay*by) + float64(az*bz)
			bc := float64(bx*c.X) + float64(by*c.Y) + float64(bz*c.Z)
			ca := float64(c.X*ax) + float64(c.Y*ay) + float64(c.Z*az)
			det := float64(ax*(float64(by*c.Z)-float64(bz*c.Y))) +
				float64(ay*(float64(bz*c.X)-float64(bx*c.Z))) +
				float64(az*(float64(bx*c.Y)-float64(by*c.X)))
			s := float64(float64(la*lb) * lc)
			den := s + float64(ab*lc) + float64(bc*la) + float64(ca*lb)
			if den > gate*s {
				n := 1 / (den + math.Abs(det))
				slant += s * n
				re, im := den*n, det*n // spin.mul by hand: too large to be inlined
				turned := float64(p.re*im) + float64(p.im*re)
				p = spin{float64(p.re*re) - float64(p.im*im), turned, p.turns + p.turn(turned)}
				continue
			}
		}
		f, ok := r.factor(*e, sc)
		if !ok {
			return false
		}
		t.err += f.err
		p = p.mulAny(f.re, f.im)
	}
	t.spin, t.slant = p.rescale(), slant
	t.factors += float64(len(edges))
	return true
}

// factor returns the factor of one edge; ok is false if the ray meets it.
func (r *ray) factor(e edge, sc *Scratch) (f factor, ok bool) {
	sc.Near++
	den, det, s := strackee(view(e.a, r.x), view(e.b, r.x), r.c)
	if !doubtful(den, det, s) {
		return newFactor(den, det, s, 0), true
	}
	// det has the sign of (x−R)·((a−x)×(b−x)).
	sign := -sc.Signs.Orient3D(r.target, e.a, e.b, r.x)
	if sign == 0 {
		return factor{}, false
	}
	return newFactor(den, det, s, sign), true
}

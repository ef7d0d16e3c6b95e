package polygon

import "math"

// All decisions about two bodies are signs of (q−p)×(s−r) or (q−p)·(s−r), where p, q, r, s
// are corners of the bodies in the frame, exactly. They escalate: float64 with an error bound
// → twice the precision with an error bound → expansions, or rational numbers where
// expansions could underflow. A sign of 0 means exactly zero.

// crossSign returns the sign of (q−p)×(s−r).
func (f *frame) crossSign(p, q, r, s *corner) int {
	ux, uy, vx, vy := q.x-p.x, q.y-p.y, s.x-r.x, s.y-r.y
	left, right := float64(ux*vy), float64(uy*vx)
	det := left - right
	if bound := f.bound(ux, uy, vx, vy, left, right, p, q, r, s); det > bound {
		return 1
	} else if -det > bound {
		return -1
	}
	return sign(f.settle(p, q, r, s, false, 0))
}

// dotSign returns the sign of (q−p)·(s−r).
func (f *frame) dotSign(p, q, r, s *corner) int {
	ux, uy, vx, vy := q.x-p.x, q.y-p.y, s.x-r.x, s.y-r.y
	left, right := float64(ux*vx), float64(uy*vy)
	det := left + right
	if bound := f.bound(ux, uy, vy, vx, left, right, p, q, r, s); det > bound {
		return 1
	} else if -det > bound {
		return -1
	}
	return sign(f.settle(p, q, r, s, true, 0))
}

// bound bounds the error of left − right, left = ux·vy, right = uy·vx. A component of u is
// wrong by eu + unit·|ux| at most, eu being the errors of its two corners, one of v likewise;
// so the products are wrong by
//
//	|u|₁ev + |v|₁eu + 2eu·ev + 2·unit(|left|+|right|)
//
// to first order in unit, the roundings of the products and of the difference add
// 2·unit(|left|+|right|); twice all of it covers the higher orders and the rounding of the
// bound itself. Underflow costs 2^-1074 a product.
func (f *frame) bound(ux, uy, vx, vy, left, right float64, p, q, r, s *corner) float64 {
	eu, ev := f.err[p.of]+f.err[q.of], f.err[r.of]+f.err[s.of]
	return 8*unit*(math.Abs(left)+math.Abs(right)) +
		2*(ev*(math.Abs(ux)+math.Abs(uy)+eu)+eu*(math.Abs(vx)+math.Abs(vy)+ev)) + 0x1p-1070
}

// cross returns (q−p)×(s−r) with a relative error of at most goodEnough.
func (f *frame) cross(p, q, r, s *corner) float64 { return f.settle(p, q, r, s, false, goodEnough) }

// goodEnough is the relative error that values may have before they are computed exactly
// and rounded: eight units in the last place.
const goodEnough = 0x1p-50

// settle returns the product, a dot product if dot is set, with a relative error of at
// most tolerance, or with its sign alone certain if tolerance is 0.
func (f *frame) settle(p, q, r, s *corner, dot bool, tolerance float64) float64 {
	value, bound := f.double(p, q, r, s, dot)
	if bound < math.Abs(value) && (tolerance == 0 || bound <= float64(tolerance*math.Abs(value))) {
		return value
	}
	return f.precise(p, q, r, s, dot)
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

package polygon

import "math"

// All decisions about two bodies are signs of (q−p)×(s−r) or (q−p)·(s−r), where p, q, r, s
// are corners of the bodies in the frame, exactly. They escalate: float64 with an error bound
// → twice the precision with an error bound → expansions, or rational numbers where
// expansions could underflow. A sign of 0 means exactly zero.

// crossSign returns the sign of (q−p)×(s−r).
func (f *frame) crossSign(p, q, r, s *corner) int {
	det := float64((q.x-p.x)*(s.y-r.y)) - float64((q.y-p.y)*(s.x-r.x))
	if det > f.limit {
		return 1
	} else if det < -f.limit {
		return -1
	}
	f.doubles++
	return sign(f.settle(p, q, r, s, false, 0))
}

// dotSign returns the sign of (q−p)·(s−r).
func (f *frame) dotSign(p, q, r, s *corner) int {
	det := float64((q.x-p.x)*(s.x-r.x)) + float64((q.y-p.y)*(s.y-r.y))
	if det > f.limit {
		return 1
	} else if det < -f.limit {
		return -1
	}
	f.doubles++
	return sign(f.settle(p, q, r, s, true, 0))
}

// limit bounds the error of these determinants for any corners, span being the sum of the
// reaches and of the distance of places along an axis. Coordinates are below span; they are wrong by
// 6·unit·span at most, differences, which are below 2·span, by 14·unit·span. The two products
// are wrong by
//
//	2·(2·2·14 + 4)·unit·span² = 120·unit·span²
//
// to first order, their difference by 8·unit·span² more. The limit covers the higher orders.
// Span is at least MinSize, so underflow is nothing beside it.
func limit(span float64) float64 { return 160 * unit * span * span }

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

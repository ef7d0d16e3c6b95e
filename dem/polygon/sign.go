package polygon

import (
	"math"

	"github.com/golang/geo/r2"
)

// All decisions about two bodies are exact signs of (q−p)×(s−r) or (q−p)·(s−r), where p, q, r, s
// are corners in the frame. The first stage computes in float64 with an error bound. The second
// stage computes with twice the precision, also with an error bound. The last stage uses
// expansions, or rational numbers if expansions can underflow. The sign 0 means exactly zero.

// crossSign returns the sign of (q−p)×(s−r).
func (f *frame) crossSign(p, q, r, s *corner) int {
	det := float64((q.x-p.x)*(s.y-r.y)) - float64((q.y-p.y)*(s.x-r.x))
	if det > f.limit {
		return 1
	} else if det < -f.limit {
		return -1
	}
	f.doubles++
	return sign(f.product(p, q, r, s, false, 0))
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
	return sign(f.product(p, q, r, s, true, 0))
}

// limit bounds the error of the determinants in crossSign and dotSign. Coordinates are below span
// (see frame.span) and have an error of at most 6·unit·span. Differences are below 2·span and have
// an error of at most 14·unit·span. Rounding a product adds at most 4·unit·span². To first order,
// the errors of two products together are at most
//
//	2·(2·2·14 + 4)·unit·span² = 120·unit·span²
//
// Rounding the difference of the products adds 8·unit·span². The factor 160 covers the terms of
// higher order. The span is at least MinSize, so underflow is negligible.
func limit(span float64) float64 { return 160 * unit * span * span }

// cross returns (q−p)×(s−r) with a relative error of at most relativeError.
func (f *frame) cross(p, q, r, s *corner) float64 { return f.product(p, q, r, s, false, relativeError) }

// relativeError is the largest accepted relative error of a value computed with the type double:
// 8·unit. If the error bound of a value is larger, the value is computed exactly and rounded.
const relativeError = 0x1p-50

// product returns (q−p)×(s−r), or (q−p)·(s−r) if wantDot is true. The relative error is at most the
// given tolerance. With tolerance 0, only the sign is correct.
func (f *frame) product(p, q, r, s *corner, wantDot bool, tolerance float64) float64 {
	value, bound := f.doubleProduct(p, q, r, s, wantDot)
	if bound < math.Abs(value) && (tolerance == 0 || bound <= float64(tolerance*math.Abs(value))) {
		return value
	}
	return f.exactProduct(p, q, r, s, wantDot)
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

// double is a number hi+lo with |lo| ≤ unit·|hi|. It has twice the precision of float64 (Dekker, "A
// floating-point technique for extending the available precision", 1971).
type double struct{ hi, lo float64 }

// twoProduct returns the rounded product a·b and its rounding error. The error is exact unless it
// underflows. The fused multiply-add is intended because it does not round the product.
func twoProduct(a, b float64) (prod, err float64) {
	prod = float64(a * b)
	return prod, math.FMA(a, b, -prod)
}

// normal returns the double with the value hi+lo. It requires |hi| ≥ |lo| or hi = 0 (Dekker).
func normal(hi, lo float64) double {
	s := hi + lo
	return double{s, lo - (s - hi)}
}

func (a double) sub(b double) double {
	d, e := twoDiff(a.hi, b.hi)
	return normal(d, e+(a.lo-b.lo))
}

func (a double) add(b double) double { return a.sub(double{-b.hi, -b.lo}) }

func (a double) mul(b double) double {
	p, e := twoProduct(a.hi, b.hi)
	return normal(p, e+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

// div returns a/b. It divides a by b in float64, then divides the remainder by b.
func (a double) div(b double) double {
	q := a.hi / b.hi
	left := a.sub(b.mul(double{q, 0}))
	return normal(q, left.hi/b.hi)
}

func (a double) value() float64 { return a.hi + a.lo }

type point struct{ x, y double }

func (u point) sub(v point) point { return point{u.x.sub(v.x), u.y.sub(v.y)} }

// cross returns u×v. The error is below 16·unit²·u.norm()·v.norm(). Proof: only products with a low
// part and sums of small terms are rounded. Let P be the sum of |u.x.hi·v.y.hi| and
// |u.y.hi·v.x.hi|. These sums and products add errors of at most 14·unit²·P. The omitted products
// of low parts add unit²·P.
func (u point) cross(v point) double {
	p, e := twoProduct(u.x.hi, v.y.hi)
	q, g := twoProduct(u.y.hi, v.x.hi)
	d, h := twoDiff(p, q)
	return normal(d, h+((e-g)+(float64(u.x.hi*v.y.lo)+float64(u.x.lo*v.y.hi)-(float64(u.y.hi*v.x.lo)+float64(u.y.lo*v.x.hi)))))
}
func (u point) value() r2.Point { return r2.Point{X: u.x.value(), Y: u.y.value()} }

// high returns the point without its low parts.
func (u point) high() r2.Point { return r2.Point{X: u.x.hi, Y: u.y.hi} }

// norm returns |x|+|y|, without the low parts.
func (u point) norm() float64 { return math.Abs(u.x.hi) + math.Abs(u.y.hi) }

// doubleCorner returns the position of a corner in the frame. The error of a coordinate is less
// than 8·unit·f.err[c.body]. Proof: each product, sum and place is a pair of a value and its exact
// rounding error. Only sums of at most four rounding errors are rounded. Each of these errors is
// below unit·(reach + |offset|) ≤ f.err[c.body]/4.
func (f *frame) doubleCorner(c *corner) point {
	b, l := f.body[c.body], f.local(c)
	var u point
	u.x, u.y = b.twice(l)
	if c.body == 1 {
		u.x, u.y = u.x.add(double{f.offset.X, f.offsetRest.X}), u.y.add(double{f.offset.Y, f.offsetRest.Y})
	}
	return u
}

// twice rotates the point p of the shape in twice the precision.
func (b *Body) twice(p r2.Point) (x, y double) {
	return combine(b.cos, p.X, -b.sin, p.Y), combine(b.sin, p.X, b.cos, p.Y)
}

func combine(a, p, b, q float64) double {
	s, e := twoProduct(a, p)
	t, g := twoProduct(b, q)
	sum, h := twoSum(s, t)
	return normal(sum, h+(e+g))
}

// differenceError bounds the error of a coordinate of doubleCorner(q) − doubleCorner(p). Half of
// the bound covers the errors of both corners. The other half covers the sums of their low parts.
// The bound omits an error of unit² times the coordinate.
func (f *frame) differenceError(p, q *corner) float64 {
	return 16 * unit * (f.err[p.body] + f.err[q.body])
}

// doubleProduct returns the rounded value of (q−p)×(s−r), or of (q−p)·(s−r) if wantDot is true. It
// also returns a bound of the error before rounding. If the absolute value exceeds the bound, the
// sign is exact. Proof: a product of doubles u and v omits a term of at most unit²|uv|. The product
// has at most four rounding errors of the same size. The difference of two products has two more.
// The factor 64·unit² covers both products and the errors that differenceError omits.
func (f *frame) doubleProduct(p, q, r, s *corner, wantDot bool) (value, bound float64) {
	from := f.doubleCorner(p)
	u := f.doubleCorner(q).sub(from)
	if r != p {
		from = f.doubleCorner(r)
	}
	v := f.doubleCorner(s).sub(from)
	if wantDot {
		// u·v = u×w, where w is v rotated by a right angle counterclockwise.
		v = point{double{-v.y.hi, -v.y.lo}, v.x}
	}
	eu, ev := f.differenceError(p, q), f.differenceError(r, s)
	left, right := u.x.mul(v.y), u.y.mul(v.x)
	bound = 64*unit*unit*(math.Abs(left.hi)+math.Abs(right.hi)) +
		2*(ev*(u.norm()+eu)+eu*(v.norm()+ev)) + 0x1p-1060
	return left.sub(right).value(), bound
}

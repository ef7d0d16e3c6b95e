package polygon

import "math"

// double is an unevaluated sum hi+lo, |lo| ≤ unit·|hi|: twice the precision of float64
// (Dekker, "A floating-point technique for extending the available precision", 1971).
type double struct{ hi, lo float64 }

// twoProduct returns a·b rounded, and the error, exact without underflow. The fused
// multiply-add is wanted here: it does not round the product.
func twoProduct(a, b float64) (prod, err float64) {
	prod = float64(a * b)
	return prod, math.FMA(a, b, -prod)
}

// normal returns hi+lo as a double; |hi| ≥ |lo| or hi = 0 (Dekker).
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

// div returns a/b: a quotient, and that of what it leaves.
func (a double) div(b double) double {
	q := a.hi / b.hi
	left := a.sub(b.mul(double{q, 0}))
	return normal(q, left.hi/b.hi)
}

func (a double) value() float64 { return a.hi + a.lo }

// crossDouble returns u×v.
func crossDouble(ux, uy, vx, vy double) double { return ux.mul(vy).sub(uy.mul(vx)) }

// place returns a corner in the frame. Each coordinate is wrong by less than
// 8·unit·f.err[c.of]: the products, sums and places are exact pairs, and what is rounded
// are sums of at most four errors, each below unit·(reach+|to|) ≤ f.err/4.
func (f *frame) place(c *corner) (x, y double) {
	b, l := f.body[c.of], f.local(c)
	x = combine(b.cos, l.X, -b.sin, l.Y)
	y = combine(b.sin, l.X, b.cos, l.Y)
	if c.of == 1 {
		x, y = x.add(double{f.to.X, f.rest.X}), y.add(double{f.to.Y, f.rest.Y})
	}
	return x, y
}

// combine returns a·p + b·q.
func combine(a, p, b, q float64) double {
	s, e := twoProduct(a, p)
	t, g := twoProduct(b, q)
	sum, h := twoSum(s, t)
	return normal(sum, h+(e+g))
}

// difference returns q−p, and a bound of the error of a coordinate beyond unit² times the
// coordinate: those of the corners, and as much for the sums of their low parts.
func (f *frame) difference(p, q *corner) (x, y double, bound float64) {
	px, py := f.place(p)
	qx, qy := f.place(q)
	return qx.sub(px), qy.sub(py), 16 * unit * (f.err[p.of] + f.err[q.of])
}

// double returns (q−p)×(s−r), or the dot product, rounded, and a bound of its error before
// it was: the sign is certain if the value exceeds the bound. The bound is that of frame.bound with unit² for unit: a product leaves out unit²|uv| and rounds four
// times by that much at most, the difference twice; 64·unit² covers all of them, in both
// products, and the errors relative to the coordinates.
func (f *frame) double(p, q, r, s *corner, dot bool) (value, bound float64) {
	ux, uy, eu := f.difference(p, q)
	vx, vy, ev := f.difference(r, s)
	if dot {
		// u·v = u×w, w being v turned by a right angle.
		vx, vy = double{-vy.hi, -vy.lo}, vx
	}
	left, right := ux.mul(vy), uy.mul(vx)
	bound = 64*unit*unit*(math.Abs(left.hi)+math.Abs(right.hi)) +
		2*(ev*(math.Abs(ux.hi)+math.Abs(uy.hi)+eu)+eu*(math.Abs(vx.hi)+math.Abs(vy.hi)+ev)) + 0x1p-1060
	return left.sub(right).value(), bound
}

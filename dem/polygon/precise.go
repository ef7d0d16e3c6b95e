package polygon

import (
	"math"
	"math/big"

	"github.com/golang/geo/r2"
)

// precise returns (q−p)×(s−r), or the dot product, rounded from its exact value: the sign
// is certain and the relative error below 2^-51.
func (f *frame) precise(p, q, r, s *corner, dot bool) float64 {
	if !f.expandable(p, q) || !f.expandable(r, s) {
		f.rational++
		return f.fractions(p, q, r, s, dot)
	}
	f.exact++
	ux, uy := f.expand(p, q)
	vx, vy := f.expand(r, s)
	var det expansion
	if dot {
		det.addShort(+1, &ux, &vx)
		det.addShort(+1, &uy, &vy)
	} else {
		det.addShort(+1, &ux, &vy)
		det.addShort(-1, &uy, &vx)
	}
	return sum(det.c[:det.n])
}

// expandable reports whether the factors of the coordinates of q−p are zero or within
// 2^±200. Their lowest bits are then multiples of 2^-252, those of the coordinates of 2^-504,
// those of determinants of 2^-1008: no error of a product underflows, and nothing overflows.
func (f *frame) expandable(p, q *corner) bool {
	for _, c := range [2]*corner{p, q} {
		b, l := f.body[c.of], f.local(c)
		if !inRange(l.X) || !inRange(l.Y) || !inRange(b.cos) || !inRange(b.sin) {
			return false
		}
	}
	return p.of == q.of || inRange(f.to.X) && inRange(f.to.Y) && inRange(f.rest.X) && inRange(f.rest.Y)
}

func inRange(x float64) bool {
	x = math.Abs(x)
	return x == 0 || (0x1p-200 <= x && x <= 0x1p200)
}

// expand returns q−p exactly.
func (f *frame) expand(p, q *corner) (x, y short) {
	f.expandCorner(-1, p, p.of != q.of, &x, &y)
	f.expandCorner(+1, q, p.of != q.of, &x, &y)
	return x, y
}

// expandCorner adds sign·c; the places of one body cancel.
func (f *frame) expandCorner(sign float64, c *corner, placed bool, x, y *short) {
	b, l := f.body[c.of], f.local(c)
	x.addProduct(sign, b.cos, l.X)
	x.addProduct(-sign, b.sin, l.Y)
	y.addProduct(sign, b.sin, l.X)
	y.addProduct(sign, b.cos, l.Y)
	if placed && c.of == 1 {
		x.add(sign * f.to.X)
		x.add(sign * f.rest.X)
		y.add(sign * f.to.Y)
		y.add(sign * f.rest.Y)
	}
}

// fractions is precise for any finite coordinates. It allocates.
func (f *frame) fractions(p, q, r, s *corner, dot bool) float64 {
	ux, uy := f.fraction(p, q)
	vx, vy := f.fraction(r, s)
	if dot {
		vx, vy = vy.Neg(vy), vx
	}
	left, right := ux.Mul(ux, vy), uy.Mul(uy, vx)
	return roundRat(left.Sub(left, right))
}

// fraction returns q−p exactly.
func (f *frame) fraction(p, q *corner) (x, y *big.Rat) {
	px, py := f.fractionCorner(p)
	qx, qy := f.fractionCorner(q)
	return qx.Sub(qx, px), qy.Sub(qy, py)
}

func (f *frame) fractionCorner(c *corner) (x, y *big.Rat) {
	b, l := f.body[c.of], f.local(c)
	cos, sin, lx, ly := rat(b.cos), rat(b.sin), rat(l.X), rat(l.Y)
	product := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	x, y = product(cos, lx), product(sin, lx)
	x.Sub(x, product(sin, ly))
	y.Add(y, product(cos, ly))
	if c.of == 1 {
		x.Add(x, rat(f.to.X)).Add(x, rat(f.rest.X))
		y.Add(y, rat(f.to.Y)).Add(y, rat(f.rest.Y))
	}
	return x, y
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// roundRat rounds; what underflows keeps its sign.
func roundRat(x *big.Rat) float64 {
	v, _ := x.Float64()
	if v == 0 {
		return float64(x.Sign()) * math.SmallestNonzeroFloat64
	}
	return v
}

// betweenPrecise returns q−p, each coordinate rounded from its exact value.
func (f *frame) betweenPrecise(p, q *corner) r2.Point {
	if !f.expandable(p, q) {
		f.rational++
		x, y := f.fraction(p, q)
		return r2.Point{X: roundRat(x), Y: roundRat(y)}
	}
	f.exact++
	x, y := f.expand(p, q)
	return r2.Point{X: sum(x.c[:x.n]), Y: sum(y.c[:y.n])}
}

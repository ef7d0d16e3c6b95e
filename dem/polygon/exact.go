package polygon

import (
	"math"
	"math/big"

	"github.com/golang/geo/r2"
)

// An expansion is a slice of nonzero float64 numbers, ordered by increasing magnitude. The numbers
// are its components. Their bits do not overlap, and their exact sum is the value of the expansion
// (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
// 1997, §2). The empty expansion is zero. Arrays on the stack store the expansions.

// maxShort is the largest length of the expansion of a coordinate. A coordinate of the difference
// of two corners has 4 components from the first body and 6 from the second. maxComponents is the
// largest length of the expansion of a determinant, which is the difference of two products. If two
// factors have m and n components, their product has at most 2·m·n.
const (
	maxShort      = 4 + 6
	maxComponents = 2 * 2 * maxShort * maxShort
)

// grow adds the number v to the expansion e in place. It is Shewchuk's GROW-EXPANSION and omits
// zero components. The components of the result do not overlap (theorem 10).
func grow(e []float64, v float64) []float64 {
	n := 0
	for _, c := range e {
		var err float64
		v, err = twoSum(v, c)
		if err != 0 {
			e[n] = err
			n++
		}
	}
	if v != 0 {
		return append(e[:n], v)
	}
	return e[:n]
}

// growProduct adds the product sign·a·b to the expansion e.
func growProduct(e []float64, sign, a, b float64) []float64 {
	hi, lo := twoProduct(a, b)
	return grow(grow(e, sign*lo), sign*hi)
}

// growProducts adds the product sign·a·b to the expansion e. The factors a and b are expansions.
func growProducts(e []float64, sign float64, a, b []float64) []float64 {
	for _, p := range a {
		for _, q := range b {
			e = growProduct(e, sign, p, q)
		}
	}
	return e
}

// sum returns the rounded value of the expansion c. It adds the components in order of magnitude.
// The result has the exact sign and a relative error of at most 2·unit (Shewchuk, §2.8).
func sum(c []float64) float64 {
	s := 0.0
	for _, e := range c {
		s += e
	}
	return s
}

// twoSum returns the rounded sum a+b and its rounding error (Knuth; Shewchuk, theorem 7).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	bv := sum - a
	av := sum - bv
	return sum, (a - av) + (b - bv)
}

func twoDiff(a, b float64) (diff, err float64) { return twoSum(a, -b) }

// exactProduct returns the cross product (q−p)×(s−r), or the dot product (q−p)·(s−r) if wantDot is
// true. The sign is exact, and the relative error is below 2^-51.
func (f *frame) exactProduct(p, q, r, s *corner, wantDot bool) float64 {
	if !f.expandable(p, q) || !f.expandable(r, s) {
		f.rational++
		return f.rationalProduct(p, q, r, s, wantDot)
	}
	f.exact++
	var u, v [2][maxShort]float64
	ux, uy := f.expand(p, q, &u)
	vx, vy := f.expand(r, s, &v)
	var memory [maxComponents]float64
	det := memory[:0]
	if wantDot {
		det = growProducts(det, +1, ux, vx)
		det = growProducts(det, +1, uy, vy)
	} else {
		det = growProducts(det, +1, ux, vy)
		det = growProducts(det, -1, uy, vx)
	}
	return sum(det)
}

// expandable reports whether each number from which expand computes q−p is zero or has a magnitude
// from 2^-200 to 2^200. If the result is true, these numbers are multiples of 2^-252, coordinates
// of q−p are multiples of 2^-504, and products of two such coordinates are multiples of 2^-1008.
// Therefore, no rounding error of a product underflows, and no value overflows.
func (f *frame) expandable(p, q *corner) bool {
	for _, c := range [2]*corner{p, q} {
		b, l := f.body[c.body], f.local(c)
		if !inRange(l.X) || !inRange(l.Y) || !inRange(b.cos) || !inRange(b.sin) {
			return false
		}
	}
	return p.body == q.body || inRange(f.offset.X) && inRange(f.offset.Y) && inRange(f.offsetRest.X) && inRange(f.offsetRest.Y)
}

func inRange(x float64) bool {
	x = math.Abs(x)
	return x == 0 || (0x1p-200 <= x && x <= 0x1p200)
}

// expand computes the coordinates of q−p as expansions in the given memory.
func (f *frame) expand(p, q *corner, memory *[2][maxShort]float64) (x, y []float64) {
	x, y = f.expandCorner(memory[0][:0], memory[1][:0], -1, p, p.body != q.body)
	return f.expandCorner(x, y, +1, q, p.body != q.body)
}

// expandCorner adds sign times the coordinates of c to the expansions x and y. If withPlace is
// false, it omits the place of the body. The place cancels for two corners of the same body.
func (f *frame) expandCorner(x, y []float64, sign float64, c *corner, withPlace bool) (_, _ []float64) {
	b, l := f.body[c.body], f.local(c)
	x = growProduct(growProduct(x, sign, b.cos, l.X), -sign, b.sin, l.Y)
	y = growProduct(growProduct(y, sign, b.sin, l.X), sign, b.cos, l.Y)
	if withPlace && c.body == 1 {
		x = grow(grow(x, sign*f.offset.X), sign*f.offsetRest.X)
		y = grow(grow(y, sign*f.offset.Y), sign*f.offsetRest.Y)
	}
	return x, y
}

// rationalProduct does the work of exactProduct for any finite coordinates. It allocates.
func (f *frame) rationalProduct(p, q, r, s *corner, dot bool) float64 {
	u, v := f.rationalDifference(p, q), f.rationalDifference(r, s)
	if dot {
		v.x, v.y = v.y.Neg(v.y), v.x
	}
	return roundRat(u.cross(v))
}

func (f *frame) rationalDifference(p, q *corner) ratVector {
	return f.rationalCorner(q).sub(f.rationalCorner(p))
}

func (f *frame) rationalCorner(c *corner) ratVector {
	b, l := f.body[c.body], f.local(c)
	cos, sin := rat(b.cos), rat(b.sin)
	// R·l = cos·(x, y) + sin·(−y, x), where l = (x, y) is the corner in its shape.
	u := ratVector{rat(l.X), rat(l.Y)}.mul(cos).add(ratVector{rat(-l.Y), rat(l.X)}.mul(sin))
	if c.body == 1 {
		u = u.add(ratVector{rat(f.offset.X), rat(f.offset.Y)}).add(ratVector{rat(f.offsetRest.X), rat(f.offsetRest.Y)})
	}
	return u
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// roundRat returns x rounded to float64. If a nonzero x rounds to 0, roundRat returns the smallest
// number with the sign of x.
func roundRat(x *big.Rat) float64 {
	v, _ := x.Float64()
	if v == 0 {
		return float64(x.Sign()) * math.SmallestNonzeroFloat64
	}
	return v
}

// exactDifference returns q−p. Each coordinate is the rounded exact value.
func (f *frame) exactDifference(p, q *corner) r2.Point {
	if !f.expandable(p, q) {
		f.rational++
		d := f.rationalDifference(p, q)
		return r2.Point{X: roundRat(d.x), Y: roundRat(d.y)}
	}
	f.exact++
	var memory [2][maxShort]float64
	x, y := f.expand(p, q, &memory)
	return r2.Point{X: sum(x), Y: sum(y)}
}

type ratVector struct{ x, y *big.Rat }

func newRatVector() ratVector { return ratVector{new(big.Rat), new(big.Rat)} }

func (u ratVector) add(v ratVector) ratVector {
	return ratVector{new(big.Rat).Add(u.x, v.x), new(big.Rat).Add(u.y, v.y)}
}

func (u ratVector) sub(v ratVector) ratVector {
	return ratVector{new(big.Rat).Sub(u.x, v.x), new(big.Rat).Sub(u.y, v.y)}
}

func (u ratVector) mul(t *big.Rat) ratVector {
	return ratVector{new(big.Rat).Mul(u.x, t), new(big.Rat).Mul(u.y, t)}
}

func (u ratVector) cross(v ratVector) *big.Rat {
	l := new(big.Rat).Mul(u.x, v.y)
	return l.Sub(l, new(big.Rat).Mul(u.y, v.x))
}

func (u ratVector) value() r2.Point {
	x, _ := u.x.Float64()
	y, _ := u.y.Float64()
	return r2.Point{X: x, Y: y}
}

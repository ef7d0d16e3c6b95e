package nearest

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// square is the exact squared distance 4^exp·num/den.
type square struct {
	num, den big.Int
	exp      int
}

type intVector [3]big.Int

// exact computes squared distances with integers. Its methods reuse its memory.
type exact struct {
	squares    [3]square    // the third one is working memory of measure
	corners    [3]intVector // corners of the triangle minus the point, multiplied by 2^−exp
	p, e, f, n intVector
	x, product big.Int
	left       big.Int
	right      big.Int
}

// measure computes the squared distance from p to t. If a is not 0, the closest point must lie in
// the part a. The result is an element of x.squares, but not other, which stays valid.
func (x *exact) measure(p *r3.Vector, t *mesh.Triangle, a part, other *square) *square {
	exp := x.load(p, t)
	best := &x.squares[0]
	if best == other {
		best = &x.squares[1]
	}
	best.exp = exp
	if a != 0 {
		x.measurePart(best, a, false)
		return best
	}
	x.measurePart(best, 1, false)
	next := &x.squares[2]
	next.exp = exp
	for a := part(2); a <= face; a++ {
		if x.measurePart(next, a, true) && x.compare(next, best) < 0 {
			best.num.Set(&next.num)
			best.den.Set(&next.den)
		}
	}
	return best
}

// load sets x.corners and returns the exponent.
func (x *exact) load(p *r3.Vector, t *mesh.Triangle) (exp int) {
	exp = math.MaxInt
	all := [4]*r3.Vector{p, &t[0], &t[1], &t[2]}
	for _, v := range all {
		for _, c := range [3]float64{v.X, v.Y, v.Z} {
			if _, e := math.Frexp(c); c != 0 {
				exp = min(exp, e-53)
			}
		}
	}
	for i, v := range all {
		to := &x.p
		if i > 0 {
			to = &x.corners[i-1]
		}
		for k, c := range [3]float64{v.X, v.Y, v.Z} {
			fraction, e := math.Frexp(c)
			to[k].SetInt64(int64(math.Ldexp(fraction, 53)))
			to[k].Lsh(&to[k], uint(max(0, e-53-exp)))
			if i > 0 {
				to[k].Sub(&to[k], &x.p[k])
			}
		}
	}
	return exp
}

// measurePart sets s to the squared distance of the line or the plane through the part a. If check
// is true and the closest point is not inside the part, measurePart returns false.
func (x *exact) measurePart(s *square, a part, check bool) bool {
	v, w := &x.corners[a.first()], &x.corners[a.last()]
	switch x.e.subtract(w, v); a.size() {
	case 1:
		x.dot(&s.num, v, v)
		s.den.SetInt64(1)
		return true
	case 2:
		if check && (x.dot(&x.x, v, &x.e).Sign() >= 0 || x.dot(&x.x, w, &x.e).Sign() <= 0) {
			return false
		}
		x.cross(&x.n, &x.e, v)
		x.dot(&s.num, &x.n, &x.n)
		x.dot(&s.den, &x.e, &x.e)
		return true
	}
	x.f.subtract(&x.corners[1], v)
	x.cross(&x.n, &x.f, &x.e)
	for k := 0; check && k < 3; k++ {
		// If the foot is beyond the edge, the triangle of the edge and the point has a negative
		// area.
		x.cross(&x.e, &x.corners[k], &x.corners[(k+1)%3])
		if x.dot(&x.x, &x.e, &x.n).Sign() < 0 {
			return false
		}
	}
	height := x.dot(&x.x, v, &x.n)
	s.num.Mul(height, height)
	return x.dot(&s.den, &x.n, &x.n).Sign() > 0
}

func (v *intVector) subtract(a, b *intVector) {
	for k := range v {
		v[k].Sub(&a[k], &b[k])
	}
}

func (x *exact) dot(sum *big.Int, a, b *intVector) *big.Int {
	sum.SetInt64(0)
	for k := range a {
		sum.Add(sum, x.product.Mul(&a[k], &b[k]))
	}
	return sum
}

func (x *exact) cross(n, a, b *intVector) {
	for k := range n {
		i, j := (k+1)%3, (k+2)%3
		n[k].Mul(&a[i], &b[j])
		n[k].Sub(&n[k], x.product.Mul(&a[j], &b[i]))
	}
}

// compare returns the sign of s − o.
func (x *exact) compare(s, o *square) int {
	l, r := x.left.Mul(&s.num, &o.den), x.right.Mul(&o.num, &s.den)
	if shift := 2 * (s.exp - o.exp); shift >= 0 {
		l.Lsh(l, uint(shift))
	} else {
		r.Lsh(r, uint(-shift))
	}
	return l.Cmp(r)
}

// roundUp returns the least float64 that is at least the square root of s.
func (x *exact) roundUp(s *square) float64 {
	d := s.root()
	atMost := func(d float64) bool {
		fraction, e := math.Frexp(d)
		o := &x.squares[2]
		o.num.SetInt64(int64(math.Ldexp(fraction, 53)))
		o.num.Mul(&o.num, x.product.Set(&o.num))
		o.den.SetInt64(1)
		o.exp = e - 53
		return d > math.MaxFloat64 || x.compare(s, o) <= 0
	}
	for !atMost(d) {
		d = math.Nextafter(d, math.Inf(1))
	}
	for d > 0 && atMost(math.Nextafter(d, 0)) {
		d = math.Nextafter(d, 0)
	}
	return d
}

// root returns the square root of s, rounded to the nearest float64 or to one of its neighbors.
func (s *square) root() float64 {
	q := new(big.Float).SetPrec(64).SetInt(&s.num)
	q.Quo(q, new(big.Float).SetPrec(64).SetInt(&s.den))
	q.SetMantExp(q.Sqrt(q), s.exp)
	d, _ := q.Float64()
	return d
}

package nearest

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// rat is a vector of rational numbers.
type rat [3]*big.Rat

func newRat(v r3.Vector) rat {
	return rat{new(big.Rat).SetFloat64(v.X), new(big.Rat).SetFloat64(v.Y), new(big.Rat).SetFloat64(v.Z)}
}

func (v rat) sub(w rat) rat {
	return rat{new(big.Rat).Sub(v[0], w[0]), new(big.Rat).Sub(v[1], w[1]), new(big.Rat).Sub(v[2], w[2])}
}

func (v rat) dot(w rat) *big.Rat {
	s := new(big.Rat)
	for k := range v {
		s.Add(s, new(big.Rat).Mul(v[k], w[k]))
	}
	return s
}

func (v rat) cross(w rat) (u rat) {
	for k := range u {
		i, j := (k+1)%3, (k+2)%3
		u[k] = new(big.Rat).Mul(v[i], w[j])
		u[k].Sub(u[k], new(big.Rat).Mul(v[j], w[i]))
	}
	return u
}

// along returns v + t·w.
func (v rat) along(t *big.Rat, w rat) (u rat) {
	for k := range u {
		u[k] = new(big.Rat).Mul(t, w[k])
		u[k].Add(u[k], v[k])
	}
	return u
}

// exactDistance2 returns the exact squared distance from p to the closed triangle. It shares no
// code with the kernel. The signs of exact areas decide whether the plane or an edge is nearest.
func exactDistance2(p r3.Vector, t mesh.Triangle) *big.Rat {
	o := newRat(p)
	var c [3]rat
	for k := range c {
		c[k] = newRat(t[k]).sub(o)
	}
	n := c[1].sub(c[0]).cross(c[2].sub(c[0]))
	n2 := n.dot(n)
	inside := n2.Sign() > 0
	for k := 0; k < 3 && inside; k++ {
		// Seen along n, the triangle of edge k and the origin must not have a negative area.
		inside = c[k].cross(c[(k+1)%3]).dot(n).Sign() >= 0
	}
	if inside {
		d := c[0].dot(n)
		return d.Mul(d, d).Quo(d, n2)
	}
	var best *big.Rat
	for k := range c {
		v, e := c[k], c[(k+1)%3].sub(c[k])
		t := new(big.Rat)
		if e2 := e.dot(e); e2.Sign() > 0 {
			t.Quo(v.dot(e), e2).Neg(t)
		}
		if t.Sign() < 0 {
			t.SetInt64(0)
		} else if t.Cmp(big.NewRat(1, 1)) > 0 {
			t.SetInt64(1)
		}
		q := v.along(t, e)
		if d := q.dot(q); best == nil || d.Cmp(best) < 0 {
			best = d
		}
	}
	return best
}

// root returns the square root of v ≥ 0 with a precision of 256 bits.
func root(v *big.Rat) *big.Float {
	f := new(big.Float).SetPrec(256).SetRat(v)
	return f.Sqrt(f)
}

// offBy returns |d − exact| for a finite d.
func offBy(d float64, exact *big.Float) *big.Float {
	f := new(big.Float).SetPrec(256).SetFloat64(d)
	return f.Abs(f.Sub(f, exact))
}

// rootUp returns the least float64 whose square is at least v.
func rootUp(v *big.Rat) float64 {
	d, _ := root(v).Float64()
	atMost := func(d float64) bool {
		x := new(big.Rat).SetFloat64(d)
		return x == nil || v.Cmp(x.Mul(x, x)) <= 0
	}
	for !atMost(d) {
		d = math.Nextafter(d, math.Inf(1))
	}
	for d > 0 && atMost(math.Nextafter(d, 0)) {
		d = math.Nextafter(d, 0)
	}
	return d
}

package predicates

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

type ratPoint [3]*big.Rat

func newRatPoint(v r3.Vector) (p ratPoint) {
	for k, x := range [3]float64{v.X, v.Y, v.Z} {
		p[k] = new(big.Rat).SetFloat64(x)
	}
	return p
}

// clip returns the part of a convex polygon with sign·(x − limit) ≥ 0 along an axis. A polygon of one
// point, or of points on a line, stays closed and convex.
func clip(polygon []ratPoint, axis, sign int, limit *big.Rat) (out []ratPoint) {
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		sp, sq := sign*p[axis].Cmp(limit), sign*q[axis].Cmp(limit)
		if sp >= 0 {
			out = append(out, p)
		}
		if sp*sq < 0 {
			// The point p + t(q−p) has the coordinate limit.
			t := new(big.Rat).Quo(new(big.Rat).Sub(limit, p[axis]), new(big.Rat).Sub(q[axis], p[axis]))
			var x ratPoint
			for k := range x {
				x[k] = new(big.Rat).Sub(q[k], p[k])
				x[k].Add(x[k].Mul(x[k], t), p[k])
			}
			out = append(out, x)
		}
	}
	return out
}

// boxTwin clips the triangle by the sides of the box in rational numbers.
func boxTwin(t [3]r3.Vector, lo, hi r3.Vector) bool {
	polygon := []ratPoint{newRatPoint(t[0]), newRatPoint(t[1]), newRatPoint(t[2])}
	low, high := newRatPoint(lo), newRatPoint(hi)
	for axis := range low {
		polygon = clip(polygon, axis, 1, low[axis])
		polygon = clip(polygon, axis, -1, high[axis])
	}
	return len(polygon) > 0
}

// The box test agrees with clipping in rational numbers. Boxes share coordinates with corners of the
// triangle, so many of them touch it only at a corner, an edge or a side. Many boxes are flat.
func TestTriangleTouchesBoxEqualsTwin(t *testing.T) {
	for name, gen := range generators {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(31, 32))
			var k Counter
			n, touching := cases(6_000), 0
			for range n {
				tri := [3]r3.Vector{gen(r), gen(r), gen(r)}
				p, q := gen(r), gen(r)
				switch r.IntN(6) {
				case 0:
					tri[2] = tri[r.IntN(2)]
				case 1:
					p = tri[0]
				case 2:
					q = p
				case 3:
					p.X, q.Y = tri[1].X, tri[0].Y
				case 4:
					q.Z = p.Z
				}
				lo := r3.Vector{X: min(p.X, q.X), Y: min(p.Y, q.Y), Z: min(p.Z, q.Z)}
				hi := r3.Vector{X: max(p.X, q.X), Y: max(p.Y, q.Y), Z: max(p.Z, q.Z)}
				want := boxTwin(tri, lo, hi)
				if want {
					touching++
				}
				for turn := range 3 {
					u := [3]r3.Vector{tri[turn], tri[(turn+1)%3], tri[(turn+2)%3]}
					if turn == 2 {
						u[0], u[1] = u[1], u[0]
					}
					if got := k.TriangleTouchesBox(&u, lo, hi); got != want {
						t.Fatalf("triangle %v, box %v to %v: %v, want %v", u, lo, hi, got, want)
					}
				}
			}
			if touching == 0 || touching == n {
				t.Errorf("%d of %d touch: the cases say little", touching, n)
			}
		})
	}
}

func TestTriangleTouchesBoxNamed(t *testing.T) {
	v := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	one := v(1, 1, 1)
	const tiny = 0x1p-52
	for _, c := range []struct {
		name string
		tri  [3]r3.Vector
		want bool
	}{
		{"in the box", [3]r3.Vector{v(.2, .2, .2), v(.4, .2, .2), v(.2, .4, .2)}, true},
		{"around the box", [3]r3.Vector{v(-9, -9, .5), v(40, -9, .5), v(-9, 40, .5)}, true},
		{"in the plane of a side", [3]r3.Vector{v(-9, -9, 1), v(40, -9, 1), v(-9, 40, 1)}, true},
		{"just above a side", [3]r3.Vector{v(-9, -9, 1+tiny), v(40, -9, 1+tiny), v(-9, 40, 1+tiny)}, false},
		{"its plane touches a corner", [3]r3.Vector{v(3, 0, 0), v(0, 3, 0), v(0, 0, 3)}, true},
		{"its plane misses a corner", [3]r3.Vector{v(3, 0, 2*tiny), v(0, 3, 2*tiny), v(0, 0, 3+2*tiny)}, false},
		{"its edge touches an edge", [3]r3.Vector{v(2, 0, .5), v(0, 2, .5), v(2, 2, .5)}, true},
		{"its edge misses an edge", [3]r3.Vector{v(2, tiny, .5), v(tiny, 2, .5), v(2, 2, .5)}, false},
		{"a segment through the box", [3]r3.Vector{v(-1, .5, .5), v(2, .5, .5), v(-1, .5, .5)}, true},
		{"a segment past an edge", [3]r3.Vector{v(2, tiny, .5), v(tiny, 2, .5), v(2, tiny, .5)}, false},
		{"a point on a corner", [3]r3.Vector{one, one, one}, true},
		{"a point beside a corner", [3]r3.Vector{v(1, 1, 1+tiny), v(1, 1, 1+tiny), v(1, 1, 1+tiny)}, false},
	} {
		var k Counter
		if twin := boxTwin(c.tri, r3.Vector{}, one); twin != c.want {
			t.Errorf("%s: the twin says %v", c.name, twin)
		}
		if got := k.TriangleTouchesBox(&c.tri, r3.Vector{}, one); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

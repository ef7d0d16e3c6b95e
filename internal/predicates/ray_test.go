package predicates

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// rationals returns the exact differences of the coordinates of a and b.
func rationals(a, b r3.Vector) (d [3]*big.Rat) {
	p, q := [3]float64{a.X, a.Y, a.Z}, [3]float64{b.X, b.Y, b.Z}
	for k := range d {
		d[k] = new(big.Rat).SetFloat64(p[k])
		d[k].Sub(d[k], new(big.Rat).SetFloat64(q[k]))
	}
	return d
}

func crossRational(u, v [3]*big.Rat) (w [3]*big.Rat) {
	for k := range w {
		i, j := (k+1)%3, (k+2)%3
		w[k] = new(big.Rat).Mul(u[i], v[j])
		w[k].Sub(w[k], new(big.Rat).Mul(u[j], v[i]))
	}
	return w
}

func TestRay3DEqualsRationals(t *testing.T) {
	for name, gen := range generators {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, 1))
			var k Counter
			zeros := 0
			for range cases(4000) {
				a, b, p, d := gen(r), gen(r), gen(r), gen(r)
				switch r.IntN(4) {
				case 0: // the ray ends on the line through a and b, or nearly so
					d = a.Sub(p).Mul(0.5).Add(b.Sub(p).Mul(0.5))
				case 1:
					d = b.Sub(a)
				case 2:
					d = d.Mul(math.Ldexp(1, r.IntN(40)-20))
				}
				if x := max(math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)); !(x <= math.MaxFloat64) {
					continue
				}
				n := crossRational(rationals(a, p), rationals(b, p))
				det := new(big.Rat)
				for i, x := range rationals(d, r3.Vector{}) {
					det.Add(det, x.Mul(x, n[i]))
				}
				want := det.Sign()
				if got := k.Ray3D(d, a, b, p); got != want {
					t.Fatalf("Ray3D(%v, %v, %v, %v) = %d, want %d", d, a, b, p, got, want)
				}
				if got := k.Ray3D(d, b, a, p); got != -want {
					t.Fatalf("Ray3D(%v, %v, %v, %v) = %d, want %d", d, b, a, p, got, -want)
				}
				if want == 0 {
					zeros++
				}
			}
			t.Logf("%+v, %d zeros", k, zeros)
		})
	}
}

func TestCross2DEqualsRationals(t *testing.T) {
	for name, gen := range generators {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, 2))
			var k Counter
			zeros := 0
			for range cases(4000) {
				a, b, c, d := gen(r), gen(r), gen(r), gen(r)
				if r.IntN(3) == 0 { // parallel, or nearly so
					d = c.Add(b.Sub(a).Mul(float64(r.IntN(5) - 2)))
					if !(max(math.Abs(d.X), math.Abs(d.Y)) <= math.MaxFloat64) {
						continue
					}
				}
				want := crossRational(rationals(b, a), rationals(d, c))[2].Sign()
				if got := k.Cross2D(a.X, a.Y, b.X, b.Y, c.X, c.Y, d.X, d.Y); got != want {
					t.Fatalf("Cross2D(%v, %v, %v, %v) = %d, want %d", a, b, c, d, got, want)
				}
				if want == 0 {
					zeros++
				}
			}
			t.Logf("%+v, %d zeros", k, zeros)
		})
	}
}

func TestRayStages(t *testing.T) {
	var k Counter
	third, q := r3.Vector{X: 1. / 3, Y: 1. / 3, Z: 1. / 3}, r3.Vector{X: .5, Y: .25, Z: .25}
	if n := testing.AllocsPerRun(10, func() {
		k.Ray3D(q, third, q, r3.Vector{X: 1. / 7, Y: 3})
		k.Ray3D(third, q, third.Mul(3), r3.Vector{X: .1})
		k.Ray3D(q.Sub(third), q, third, r3.Vector{})
		k.Cross2D(0, .1, .3, .4, .2, .3, .5, .6)
	}); n != 0 || k.Exact != 0 || k.Expansion == 0 || k.Filter == 0 {
		t.Errorf("%v allocations, %+v", n, k)
	}
}

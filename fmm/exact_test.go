package fmm

import (
	"math"
	"math/big"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/mesh"
)

// Solid harmonics and moments in 300 bits are the reference for the rounding bounds.

const wideBits = 300

// wide is a complex number of 300 bits.
type wide struct{ re, im *big.Float }

func real300(v float64) *big.Float { return new(big.Float).SetPrec(wideBits).SetFloat64(v) }

func newWide(re, im float64) wide { return wide{real300(re), real300(im)} }

func (a wide) add(b wide) wide {
	return wide{real300(0).Add(a.re, b.re), real300(0).Add(a.im, b.im)}
}

func (a wide) times(k *big.Float) wide {
	return wide{real300(0).Mul(a.re, k), real300(0).Mul(a.im, k)}
}

func (a wide) mul(b wide) wide {
	re := real300(0).Mul(a.re, b.re)
	im := real300(0).Mul(a.re, b.im)
	return wide{re.Sub(re, real300(0).Mul(a.im, b.im)), im.Add(im, real300(0).Mul(a.im, b.re))}
}

func (a wide) over(n int) wide {
	k := real300(float64(n))
	return wide{real300(0).Quo(a.re, k), real300(0).Quo(a.im, k)}
}

// series holds R_n^m for 0 ≤ m ≤ n, or values with the same symmetry.
type series [][]wide

// at returns order m of degree n for any sign of m, or 0 if |m| > n.
func (s series) at(n, m int) wide {
	switch {
	case m > n || -m > n:
		return newWide(0, 0)
	case m >= 0:
		return s[n][m]
	}
	c := s[n][-m]
	out := wide{real300(0).Set(c.re), real300(0).Neg(c.im)}
	if m&1 != 0 {
		return out.times(real300(-1))
	}
	return out
}

type point [3]*big.Float

func newPoint(v r3.Vector) point { return point{real300(v.X), real300(v.Y), real300(v.Z)} }

func (p point) minus(q point) (d point) {
	for i := range d {
		d[i] = real300(0).Sub(p[i], q[i])
	}
	return d
}

func (p point) cross(q point) (c point) {
	for i := range c {
		j, k := (i+1)%3, (i+2)%3
		c[i] = real300(0).Mul(p[j], q[k])
		c[i].Sub(c[i], real300(0).Mul(p[k], q[j]))
	}
	return c
}

// regular returns the solid harmonics R at x up to degree p.
func regular(p int, x point) series {
	r2 := real300(0)
	for _, v := range x {
		r2.Add(r2, real300(0).Mul(v, v))
	}
	s := series{{newWide(1, 0)}}
	for n := 1; n <= p; n++ {
		row := make([]wide, n+1)
		row[n] = s[n-1][n-1].mul(wide{x[0], x[1]}).over(2 * n)
		for m := range n {
			v := s[n-1][m].times(real300(0).Mul(real300(float64(2*n-1)), x[2]))
			if m <= n-2 {
				v = v.add(s[n-2][m].times(real300(0).Neg(r2)))
			}
			row[m] = v.over(n*n - m*m)
		}
		s = append(s, row)
	}
	return s
}

// along returns v·∇R_n^m, where s holds R of degree n−1.
func (s series) along(v point, n, m int) wide {
	half := real300(0.5)
	up, down := wide{v[0], v[1]}.times(half), wide{v[0], real300(0).Neg(v[1])}.times(real300(-0.5))
	return s.at(n-1, m).times(v[2]).add(s.at(n-1, m-1).mul(up)).add(s.at(n-1, m+1).mul(down))
}

// exactMoments returns the packed moments of triangles about a center, in the given unit of length.
// Like bem.Moments, it sums over the edges of the triangles.
func exactMoments(p int, tris []mesh.Triangle, center r3.Vector, unit float64) []*big.Float {
	sum := make([]*big.Float, harmonics.Len(p))
	for i := range sum {
		sum[i] = real300(0)
	}
	c, k := newPoint(center), real300(1/unit)
	for _, t := range tris {
		var v [3]point
		for i := range v {
			v[i] = newPoint(t[i]).minus(c)
			for j := range v[i] {
				v[i][j].Mul(v[i][j], k)
			}
		}
		for i := range v {
			a, b := v[i], v[(i+1)%3]
			w, end := a.cross(b), regular(p, b)
			// I_n is the integral of R_n along the edge from a to b. It satisfies (n+1) I_n = R_n(b) +
			// a·∇R_n, where I_{n−1} replaces R_{n−1} in the gradient.
			integral := series{{newWide(1, 0)}}
			for n := 1; n <= p; n++ {
				row := make([]wide, n+1)
				for m := range row {
					row[m] = integral.along(a, n, m).add(end[n][m]).over(n + 1)
					g := integral.along(w, n, m).over(n + 1)
					j := n*n + max(0, 2*m-1)
					sum[j].Add(sum[j], g.re)
					if m > 0 {
						sum[j+1].Add(sum[j+1], g.im)
					}
				}
				integral = append(integral, row)
			}
		}
	}
	return sum
}

func off(got []float64, want []*big.Float) []float64 {
	d := make([]float64, len(want))
	for i := range d {
		d[i], _ = real300(0).Sub(real300(got[i]), want[i]).Float64()
	}
	return d
}

// For a tiny triangle, the moments in 300 bits agree with the moments of a dipole.
func TestExactMoments(t *testing.T) {
	const p, h = 6, 0x1p-40
	y := r3.Vector{X: 0.5, Y: -0.75, Z: 0.25}
	e1, e2 := r3.Vector{X: h, Y: h, Z: -h}, r3.Vector{X: -h, Z: 2 * h}
	tri := mesh.Triangle{y.Sub(e1.Add(e2).Mul(1.0 / 3)), y.Add(e1.Mul(2.0 / 3)).Sub(e2.Mul(1.0 / 3)), y.Add(e2.Mul(2.0 / 3)).Sub(e1.Mul(1.0 / 3))}
	n := e1.Cross(e2).Mul(0.5)
	got := exactMoments(p, []mesh.Triangle{tri}, r3.Vector{}, 1)
	dipole := make([]float64, harmonics.Len(p))
	addDipole(dipole, p, y, n)
	for i, want := range dipole {
		v, _ := got[i].Float64()
		// Corners are rounded to 2^−53, and edges have length 2^−40. So the relative error of the
		// normal is about 2^−12.
		if !(math.Abs(v-want) <= 0x1p-8*n.Norm()) {
			t.Errorf("moment %d is %g, want %g", i, v, want)
		}
	}
}

// The error of R_n at the centers of octants is at most octantError for each degree n ≤ 30.
func TestOctantError(t *testing.T) {
	const p = 30
	worst := 0.0
	for o := range 8 {
		x := octant(o)
		got := make([]float64, harmonics.Len(p))
		harmonics.RegularTo(got, p, x)
		want := make([]*big.Float, harmonics.Len(p))
		for n, row := range regular(p, newPoint(x)) {
			for m, v := range row {
				j := n*n + max(0, 2*m-1)
				want[j] = v.re
				if m > 0 {
					want[j+1] = v.im
				}
			}
		}
		d := off(got, want)
		for n := 0; n <= p; n++ {
			e := momentNorm(d, n) / math.Pow(math.Sqrt(0.75), float64(n))
			if worst = max(worst, e/roundoff); !(e <= octantError*roundoff) {
				t.Errorf("octant %d, degree %d: error %.3g·2^−53 of the norm, want at most %d", o, n, e/roundoff, octantError)
			}
		}
	}
	t.Logf("errors up to %.3g·2^−53 of the norm of a degree", worst)
}

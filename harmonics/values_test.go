package harmonics

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
)

// closedR returns R_n^m(v) for the degrees 0 to 4 by explicit formulas.
func closedR(v r3.Vector) map[[2]int]complex128 {
	x, y, z := v.X, v.Y, v.Z
	u := complex(x, y)
	r2 := x*x + y*y + z*z
	c := func(f float64) complex128 { return complex(f, 0) }
	return map[[2]int]complex128{
		{0, 0}: 1,
		{1, 0}: c(z), {1, 1}: u / 2,
		{2, 0}: c((3*z*z - r2) / 4), {2, 1}: c(z/2) * u, {2, 2}: u * u / 8,
		{3, 0}: c(z * (5*z*z - 3*r2) / 12), {3, 1}: c((5*z*z-r2)/16) * u,
		{3, 2}: c(z/8) * u * u, {3, 3}: u * u * u / 48,
		{4, 0}: c((35*z*z*z*z - 30*z*z*r2 + 3*r2*r2) / 192), {4, 1}: c(z*(7*z*z-3*r2)/48) * u,
		{4, 2}: c((7*z*z-r2)/96) * u * u, {4, 3}: c(z/48) * u * u * u, {4, 4}: u * u * u * u / 384,
	}
}

func TestClosedForms(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	r, s := make([]float64, Len(4)), make([]float64, Len(4))
	for range 100 {
		v := inBall(rng)
		RegularTo(r, 4, v)
		SingularTo(s, 4, v)
		for key, want := range closedR(v) {
			n, m := key[0], key[1]
			if got := At(r, n, m); cmplx.Abs(got-want) > 16*unit*math.Pow(v.Norm(), float64(n)) {
				t.Errorf("R_%d^%d(%v) = %v, want %v", n, m, v, got, want)
			}
			f := factorial(n-m) * factorial(n+m) / math.Pow(v.Norm(), float64(2*n+1))
			scale := factorial(n+m) / math.Pow(v.Norm(), float64(n+1))
			if got, want := At(s, n, m), want*complex(f, 0); cmplx.Abs(got-want) > 32*unit*scale {
				t.Errorf("S_%d^%d(%v) = %v, want %v", n, m, v, got, want)
			}
		}
	}
}

// At computes negative orders by the symmetry C_n^{−m} = (−1)^m conj C_n^m.
func TestAt(t *testing.T) {
	c := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, row := range []struct {
		n, m int
		want complex128
	}{{0, 0, 1}, {1, 0, 2}, {1, 1, 3 + 4i}, {1, -1, -3 + 4i}, {2, 0, 5}, {2, 1, 6 + 7i}, {2, -1, -6 + 7i}, {2, 2, 8 + 9i}, {2, -2, 8 - 9i}} {
		if got := At(c, row.n, row.m); got != row.want {
			t.Errorf("At(n=%d, m=%d) = %v, want %v", row.n, row.m, got, row.want)
		}
	}
}

const precision = 700 // number of bits; cancellation in the sums below loses fewer than 120 bits

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func bigNew() *big.Float { return new(big.Float).SetPrec(precision) }

// bigPoint stores powers and factorials for the methods regular and weight.
type bigPoint struct {
	z, u    []*big.Float // powers of z and of x²+y²
	re, im  []*big.Float // powers of x+iy
	fact    []*big.Float
	r2      *big.Float
	inverse *big.Float // 1/r
}

func newBigPoint(v r3.Vector, p int) *bigPoint {
	x, y, z := bigOf(v.X), bigOf(v.Y), bigOf(v.Z)
	sum := func(a, b, c, d *big.Float, sub bool) *big.Float {
		ab, cd := bigNew().Mul(a, b), bigNew().Mul(c, d)
		if sub {
			return ab.Sub(ab, cd)
		}
		return ab.Add(ab, cd)
	}
	rho := sum(x, x, y, y, false)
	r2 := bigNew().Add(rho, bigNew().Mul(z, z))
	b := &bigPoint{
		z: []*big.Float{bigOf(1)}, u: []*big.Float{bigOf(1)},
		re: []*big.Float{bigOf(1)}, im: []*big.Float{bigOf(0)}, fact: []*big.Float{bigOf(1)},
		r2: r2, inverse: bigNew().Quo(bigOf(1), bigNew().Sqrt(r2)),
	}
	for i := 1; i <= 2*p+1; i++ {
		b.z = append(b.z, bigNew().Mul(b.z[i-1], z))
		b.u = append(b.u, bigNew().Mul(b.u[i-1], rho))
		b.re = append(b.re, sum(b.re[i-1], x, b.im[i-1], y, true))
		b.im = append(b.im, sum(b.re[i-1], y, b.im[i-1], x, false))
		b.fact = append(b.fact, bigNew().Mul(b.fact[i-1], bigOf(float64(i))))
	}
	return b
}

// regular returns R_n^m by its explicit sum, which does not use the recurrence of RegularTo:
//
//	R_n^m = (x+iy)^m Σ_k (−1)^k (x²+y²)^k z^{n−m−2k} / (2^{2k+m} k! (k+m)! (n−m−2k)!)
func (b *bigPoint) regular(n, m int) (re, im *big.Float) {
	sum := bigOf(0)
	for k := 0; m+2*k <= n; k++ {
		term := bigNew().Mul(b.u[k], b.z[n-m-2*k])
		term.Quo(term, b.fact[k])
		term.Quo(term, b.fact[k+m])
		term.Quo(term, b.fact[n-m-2*k])
		term.SetMantExp(term, -2*k-m)
		if k&1 != 0 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return bigNew().Mul(sum, b.re[m]), bigNew().Mul(sum, b.im[m])
}

// weight returns (n−m)!(n+m)!, which satisfies Σ_m weight(n,m) |R_n^m|² = r^{2n}.
func (b *bigPoint) weight(n, m int) *big.Float { return bigNew().Mul(b.fact[n-m], b.fact[n+m]) }

// R and S agree with sums in 700 bits up to degree 60. The error of degree n, relative to the norm
// of that degree, is below ½n²+2n+8 rounding units. On the z axis the Legendre recurrence does not
// damp errors, and the error reaches 0.27n² units.
func TestBigFloat(t *testing.T) {
	const p = 60
	rng := rand.New(rand.NewSource(2))
	points := []r3.Vector{{Z: 1}, {X: 1}, {Y: -1}, {X: 1e-8, Y: 1e-9, Z: -1}, {X: 0.6, Y: 0.64, Z: 0.48}, {X: 1e-160, Z: 0.5}}
	for len(points) < 14 {
		points = append(points, inBall(rng))
	}
	r, s := make([]float64, Len(p)), make([]float64, Len(p))
	for _, v := range points {
		b := newBigPoint(v, p)
		RegularTo(r, p, v)
		SingularTo(s, p, v)
		r2, inv := bigOf(1), bigNew().Set(b.inverse) // r2 is r^{2n}, and inv is 1/r^{2n+1}
		for n := 0; n <= p; n++ {
			errR, errS := bigOf(0), bigOf(0)
			for m := 0; m <= n; m++ {
				re, im := b.regular(n, m)
				w := b.weight(n, m)
				f := bigNew().Mul(w, inv)
				gr, gs := At(r, n, m), At(s, n, m)
				addSquare(errR, re, real(gr), w, m)
				addSquare(errR, im, imag(gr), w, m)
				one := bigNew().Quo(bigOf(1), w)
				addSquare(errS, bigNew().Mul(re, f), real(gs), one, m)
				addSquare(errS, bigNew().Mul(im, f), imag(gs), one, m)
			}
			allowed := float64(n*n/2+2*n+8) * unit
			if e := relative(errR, r2); !(e <= allowed) {
				t.Errorf("R of degree %d at %v: error %.3g, allowed %.3g", n, v, e, allowed)
			}
			scale := bigNew().Mul(bigNew().Quo(bigOf(1), r2), bigNew().Quo(bigOf(1), b.r2)) // scale is 1/r^{2n+2}
			if e := relative(errS, scale); !(e <= allowed) {
				t.Errorf("S of degree %d at %v: error %.3g, allowed %.3g", n, v, e, allowed)
			}
			r2.Mul(r2, b.r2)
			inv.Quo(inv, b.r2)
		}
	}
}

// addSquare adds weight·(want−got)² to sum. If m > 0, it adds this value twice, because order −m
// has the same value.
func addSquare(sum, want *big.Float, got float64, weight *big.Float, m int) {
	d := bigNew().Sub(want, bigOf(got))
	d.Mul(d, d)
	d.Mul(d, weight)
	if m > 0 {
		d.Add(d, d)
	}
	sum.Add(sum, d)
}

func relative(square, scale *big.Float) float64 {
	f, _ := bigNew().Sqrt(bigNew().Quo(square, scale)).Float64()
	return f
}

// For ½ ≤ |x| ≤ 2, S is finite up to MaxDegree, and the norms of R are correct.
func TestMaxDegree(t *testing.T) {
	r, s := make([]float64, Len(MaxDegree)), make([]float64, Len(MaxDegree))
	norms := make([]float64, MaxDegree+1)
	for _, v := range []r3.Vector{{Z: 1}, {X: 1}, {X: 0.36, Y: 0.48, Z: 0.8}} {
		for _, length := range []float64{0.5, 1, 2} {
			x := v.Mul(length)
			RegularTo(r, MaxDegree, x)
			SingularTo(s, MaxDegree, x)
			NormsTo(norms, MaxDegree, r)
			for n, norm := range norms {
				want := math.Pow(length, float64(n))
				if !(math.Abs(norm/want-1) <= float64(n*n/2+4*n+8)*unit) {
					t.Errorf("norm of R_%d(%v) is %v, want %v", n, x, norm, want)
				}
			}
			for i := range s {
				if math.IsInf(s[i], 0) || math.IsNaN(s[i]) {
					t.Fatalf("S at %v has the value %v at index %d, want a finite one", x, s[i], i)
				}
			}
		}
	}
	SingularTo(s, MaxDegree, r3.Vector{Z: 1})
	if want := factorial(MaxDegree); math.Abs(s[MaxDegree*MaxDegree]/want-1) > 512*unit {
		t.Errorf("S_120^0(0,0,1) = %v, want %v", s[MaxDegree*MaxDegree], want)
	}
}

// At the largest degrees, M2L computes the potential of a charge. The error is at most M2LBound
// plus rounding.
func TestMaxDegreeM2L(t *testing.T) {
	for _, scale := range []float64{0.25, 1} {
		y := r3.Vector{X: 0.3, Y: -0.2, Z: 0.1}.Mul(scale)
		d := r3.Vector{X: 1, Y: 1, Z: -1.4}.Mul(scale)
		x := r3.Vector{X: -0.1, Y: 0.2, Z: 0.2}.Mul(scale)
		want := 1 / d.Add(x).Sub(y).Norm()
		for _, deg := range [][2]int{{60, 60}, {100, 20}, {20, 100}, {120, 0}, {0, 120}} {
			q, p := deg[0], deg[1]
			m, l := make([]float64, Len(MaxDegree)), make([]float64, Len(q))
			RegularTo(m, MaxDegree, y)
			addPair(NewTables(q, p), l, m, d)
			norms := make([]float64, MaxDegree+1)
			NormsTo(norms, MaxDegree, m)
			bound := M2LBound(norms, p, q, x.Norm(), d.Norm()) + 1e-14/scale
			if got := EvaluateLocal(l, q, x); !(math.Abs(got-want) <= bound) {
				t.Errorf("q=%d p=%d scale %v: %v, want %v ± %.3g", q, p, scale, got, want, bound)
			}
		}
	}
}

func TestNonFinite(t *testing.T) {
	r := make([]float64, Len(5))
	for _, v := range []r3.Vector{{X: math.NaN()}, {Y: math.NaN()}, {Z: math.NaN()}} {
		RegularTo(r, 5, v)
		if got := EvaluateLocal(r, 5, v); !math.IsNaN(got) {
			t.Errorf("EvaluateLocal at %v = %v, want NaN", v, got)
		}
		if got := EvaluateMultipole(r, 5, r3.Vector{X: 1, Y: 2, Z: 3}); !math.IsNaN(got) {
			t.Errorf("EvaluateMultipole of moments with NaN = %v, want NaN", got)
		}
	}
	SingularTo(r, 5, r3.Vector{})
	for i, v := range r {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			t.Errorf("S at the origin has %v at index %d, want no finite value", v, i)
		}
	}
}

func TestPanics(t *testing.T) {
	short := make([]float64, 8)
	x := r3.Vector{X: 1}
	for name, f := range map[string]func(){
		"degree":      func() { Len(-1) },
		"degree high": func() { Len(MaxDegree + 1) },
		"order":       func() { At(make([]float64, 9), 2, 3) },
		"regular":     func() { RegularTo(short, 2, x) },
		"singular":    func() { SingularTo(short, 2, x) },
		"local":       func() { EvaluateLocal(short, 2, x) },
		"multipole":   func() { EvaluateMultipole(short, 2, x) },
		"m2l matrix":  func() { MatrixM2L(80, 80, x) },
		"m2l degrees": func() { NewTables(80, 80) },
		"m2l zero":    func() { NewTables(2, 2).M2L(r3.Vector{}, 1) },
		"m2l NaN":     func() { NewTables(9, 9).M2L(r3.Vector{X: math.NaN()}, 1) },
		"m2l tables":  func() { NewTables(9, 9).NewSum().Add(NewTables(2, 2).M2L(x, 1), make([]float64, 100)) },
		"m2l src":     func() { addPair(NewTables(2, 2), make([]float64, 9), short, x) },
		"m2l dst":     func() { addPair(NewTables(2, 2), short, make([]float64, 9), x) },
		"norms":       func() { NormsTo(make([]float64, 2), 2, make([]float64, 9)) },
		"tail one":    func() { LocalTailsTo(short, 3, 1) },
		"tail NaN":    func() { LocalTailsTo(short, 3, math.NaN()) },
		"tail degree": func() { LocalTailsTo(short, -2, 0.5) },
		"radius":      func() { M2LBound(nil, 1, 1, -1, 2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: got no panic, want one", name)
				}
			}()
			f()
		}()
	}
}

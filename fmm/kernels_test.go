package fmm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testinterval"
)

func (k kernel) String() string { return [...]string{"generic", "avx2", "avx512"}[k] }

// evaluateRounding returns the factor of the error bound in the comment of evaluateMany.
func evaluateRounding(q int) float64 { return float64(6*q+8) * roundoff }

// guard fills the memory around the slices of a kernel. A kernel that reads the guard computes NaN.
// If a kernel writes to the guard, the test detects the change.
var guard = math.Float64frombits(0x7ff8_dead_beef_cafe)

const guards = 17

// guarded returns a slice of n elements. The slice begins 8·offset bytes after a multiple of 64
// bytes. The returned function reports whether the guards around the slice are unchanged.
func guarded(n, offset int) (s []float64, intact func() bool) {
	all := make([]float64, n+2*guards+16)
	for i := range all {
		all[i] = guard
	}
	from := guards
	for uintptr(unsafe.Pointer(&all[from]))%64 != 0 {
		from++
	}
	from += offset
	return all[from : from+n : from+n], func() bool {
		for i, v := range all {
			if (i < from || i >= from+n) && math.Float64bits(v) != math.Float64bits(guard) {
				return false
			}
		}
		return true
	}
}

// The table of steps has the memory layout that tools/kernels/fmm assumes.
func TestKernelLayout(t *testing.T) {
	if got := unsafe.Sizeof(steps[0]); got != 512 {
		t.Errorf("steps of an order take %d bytes, want 512 as in the assembly", got)
	}
	if got := unsafe.Offsetof(step{}.r2); got != 8 {
		t.Errorf("r2 of a step is at byte %d, want 8 as in the assembly", got)
	}
}

func TestKernelsPanic(t *testing.T) {
	f := func(n int) []float64 { return make([]float64, n) }
	for name, call := range map[string]func(k kernel){
		"y":             func(k kernel) { k.evaluateMany(f(3), f(3), f(2), f(3), f(9), 2) },
		"coefficients":  func(k kernel) { k.evaluateMany(f(3), f(3), f(3), f(3), f(8), 2) },
		"degree":        func(k kernel) { k.evaluateMany(f(3), f(3), f(3), f(3), f(9), -1) },
		"large degree":  func(k kernel) { k.evaluateMany(f(3), f(3), f(3), f(3), f(2000), maxLocal+1) },
		"no points":     func(k kernel) { k.evaluateMany(nil, nil, nil, nil, f(8), 2) },
		"prepare":       func(kernel) { prepareLocal(f(9), f(8), 2) },
		"prepare deg":   func(kernel) { prepareLocal(f(2000), f(2000), maxLocal+1) },
		"prepare small": func(kernel) { prepareLocal(f(8), f(9), 2) },
	} {
		for _, k := range kernels() {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, %v: no panic", name, k)
					}
				}()
				call(k)
			}()
		}
	}
}

// localPoints writes points with |x| ≤ √3. Some points are on axes, at the center or at corners of
// the cell.
func localPoints(r *rand.Rand, x, y, z []float64) {
	for i := range x {
		c := [3]float64{}
		for a := range c {
			c[a] = 2*r.Float64() - 1
			switch r.IntN(8) {
			case 0:
				c[a] = 0
			case 1:
				c[a] = math.Copysign(1, c[a])
			}
		}
		x[i], y[i], z[i] = c[0], c[1], c[2]
	}
}

// localSize returns Σ_{n≤q} gⁿ |x|ⁿ √(Σ_m |L_n^m|²/((n−m)!(n+m)!)).
func localSize(l []float64, q int, x r3.Vector, g float64) float64 {
	sum := 0.0
	for n := 0; n <= q; n++ {
		norm := 0.0
		for m := -n; m <= n; m++ {
			a, _ := math.Lgamma(float64(n - m + 1))
			b, _ := math.Lgamma(float64(n + m + 1))
			c := harmonics.At(l, n, m)
			norm += (real(c)*real(c) + imag(c)*imag(c)) * math.Exp(-a-b)
		}
		sum += math.Pow(g*x.Norm(), float64(n)) * math.Sqrt(norm)
	}
	return sum
}

// randomLocal returns a local expansion whose degrees have equal weight at |x| = 1.
func randomLocal(r *rand.Rand, q int) []float64 {
	l := make([]float64, harmonics.Len(q))
	for n := 0; n <= q; n++ {
		for m := 0; m <= n; m++ {
			a, _ := math.Lgamma(float64(n - m + 1))
			b, _ := math.Lgamma(float64(n + m + 1))
			w := math.Exp((a + b) / 2)
			j := n*n + max(0, 2*m-1)
			l[j] = w * r.NormFloat64()
			if m > 0 {
				l[j+1] = w * r.NormFloat64()
			}
		}
	}
	return l
}

// Every kernel agrees with harmonics.EvaluateLocal, for all degrees, numbers of points and
// alignments.
func TestEvaluateMany(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, k := range kernels() {
		for q := 0; q <= maxLocal; q++ {
			for n := range 34 {
				if n > 18 && q > 12 {
					break
				}
				plain := randomLocal(r, q)
				l, lIntact := guarded(len(plain), r.IntN(8))
				prepareLocal(l, plain, q)
				x, _ := guarded(n, r.IntN(8))
				y, _ := guarded(n, r.IntN(8))
				z, _ := guarded(n, r.IntN(8))
				dst, intact := guarded(n, r.IntN(8))
				localPoints(r, x, y, z)
				k.evaluateMany(dst, x, y, z, l, q)
				if !intact() || !lIntact() {
					t.Fatalf("%v, degree %d, %d points: the kernel wrote outside dst", k, q, n)
				}
				for i, got := range dst {
					p := r3.Vector{X: x[i], Y: y[i], Z: z[i]}
					want := -1 / (4 * math.Pi) * harmonics.EvaluateLocal(plain, q, p)
					bound := 2 * evaluateRounding(q) * localSize(plain, q, p, 1)
					if e := math.Abs(got - want); !(e <= bound) {
						t.Fatalf("%v, degree %d, %d points: at %v %g, want %g, differs by %g, bound %g", k, q, n, p, got, want, e, bound)
					}
					// The result for a point does not depend on the index of the point.
					one := []float64{0}
					k.evaluateMany(one, x[i:i+1], y[i:i+1], z[i:i+1], l, q)
					if one[0] != got {
						t.Fatalf("%v, degree %d: point %d of %d has the value %v, but %v when evaluated alone", k, q, i, n, got, one[0])
					}
				}
			}
		}
	}
}

// Results can overwrite coordinates, and prepareLocal can work in place.
func TestEvaluateInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, k := range kernels() {
		for q := 0; q <= 12; q++ {
			plain := randomLocal(r, q)
			l := append([]float64(nil), plain...)
			prepareLocal(l, l, q)
			var c [3][21]float64
			localPoints(r, c[0][:], c[1][:], c[2][:])
			var want [21]float64
			k.evaluateMany(want[:], c[0][:], c[1][:], c[2][:], l, q)
			for a := range c {
				d := c
				k.evaluateMany(d[a][:], d[0][:], d[1][:], d[2][:], l, q)
				if d[a] != want {
					t.Fatalf("%v, degree %d: in place of axis %d %v, want %v", k, q, a, d[a], want)
				}
			}
		}
	}
}

// For a point that is not finite, the result is not finite. The results for other points do not
// change.
func TestEvaluateNotFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, k := range kernels() {
		for q := 1; q <= 12; q++ {
			l := randomLocal(r, q)
			prepareLocal(l, l, q)
			var c [3][19]float64
			localPoints(r, c[0][:], c[1][:], c[2][:])
			var want, got [19]float64
			k.evaluateMany(want[:], c[0][:], c[1][:], c[2][:], l, q)
			for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				c[i][5*i+3] = v
			}
			k.evaluateMany(got[:], c[0][:], c[1][:], c[2][:], l, q)
			for i := range got {
				bad := i == 3 || i == 8 || i == 13
				if finite := got[i]-got[i] == 0; finite == bad || !bad && got[i] != want[i] {
					t.Errorf("%v, degree %d, point %d: %v, want %v, not finite: %v", k, q, i, got[i], want[i], bad)
				}
			}
		}
	}
}

func TestKernelsDoNotAllocate(t *testing.T) {
	x := make([]float64, 30)
	l, dst := make([]float64, 400), make([]float64, 30)
	if n := testing.AllocsPerRun(10, func() {
		prepareLocal(l, l, 7)
		evaluateMany(dst, x[:30], x[:30], x[:30], l, 7)
		evaluateMany(dst, x[:30], x[:30], x[:30], l, 15)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// Let κ_n be the growth factor in the error bound of evaluateMany. Each of the two recurrences has
// κ_n ≤ (1+√2)ⁿ at all degrees for which kernels use it.
//
// The sums of both recurrences are trigonometric polynomials of degree 2n in the angle from the z axis. So
// by the lemma of M. Riesz, their maxima are at most the largest values at angles of distance h, divided
// by cos(n·h). All numbers are intervals, so rounding hides nothing.
func TestEvaluateGrowth(t *testing.T) {
	const (
		angles = 16 * stepsSide
		h      = math.Pi / 2 / angles
	)
	of := testinterval.Of
	factorial := func(n int) testinterval.Interval {
		f := of(1)
		for i := range n {
			f = f.Times(of(float64(i + 1)))
		}
		return f
	}
	factor := func(n, m int) testinterval.Interval { // weight of |T_n^m|² in the norm, for m and −m together
		w := factorial(n - m).Times(factorial(n + m)).Over(factorial(m).Square().Times(of(math.Ldexp(1, 2*m))))
		if m > 0 {
			w = w.Times(of(2))
		}
		return w
	}
	growth := of(1).Plus(of(2).Sqrt()).Square()
	every := 32 // a sample; all angles make the proof
	if testcorpus.Full() {
		every = 1
	}
	for i := 0; i <= angles; i += every {
		z := of(max(0, math.Cos(h*float64(i))))
		rho2 := of(1).Minus(z.Square())
		var byOrder [stepsSide][stepsSide]testinterval.Interval
		for m := range byOrder {
			byOrder[m][m] = of(1)
			for n := m + 1; n < stepsSide; n++ {
				d := of(float64(n*n - m*m))
				byOrder[n][m] = of(float64(2*n - 1)).Over(d).Times(z).Times(byOrder[n-1][m])
				if n > m+1 {
					byOrder[n][m] = byOrder[n][m].Plus(byOrder[n-2][m].Over(d))
				}
			}
		}
		zeros := func() []testinterval.Interval {
			return slices.Repeat([]testinterval.Interval{of(0)}, stepsSide+2)
		}
		row, limit := zeros(), of(1)
		row[0] = of(1)
		for n := range stepsSide {
			if n > 0 {
				next := zeros()
				next[0] = z.Times(row[0]).Plus(rho2.Over(of(2)).Times(row[1])).Over(of(float64(n)))
				for m := 1; m <= n; m++ {
					next[m] = row[m-1].Plus(rho2.Over(of(float64(4 * m * (m + 1)))).Times(row[m+1]))
				}
				row, limit = next, limit.Times(growth)
			}
			rows, orders, power := of(0), of(0), of(1)
			for m := 0; m <= n; m++ {
				w := factor(n, m).Times(power)
				rows = rows.Plus(w.Times(row[m].Square()))
				orders = orders.Plus(w.Times(byOrder[n][m].Square()))
				power = power.Times(rho2)
			}
			// The angles are rounded, so their distance can be larger than h.
			most := math.Cos(1.001 * h * float64(n))
			if k := rows.Over(limit).High(); n <= rowsDegree && !(k <= most) {
				t.Errorf("degree %d, angle %d: by rows %g, above %g", n, i, k, most)
			}
			if k := orders.Over(limit).High(); !(k <= most) {
				t.Errorf("degree %d, angle %d: by orders %g, above %g", n, i, k, most)
			}
		}
	}
}

// bigLocal returns Σ R_n^m L_n^m with 200 bits.
func bigLocal(l []float64, q int, p r3.Vector) *big.Float {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	mul := func(a, b *big.Float) *big.Float { return num(0).Mul(a, b) }
	add := func(a, b *big.Float) *big.Float { return num(0).Add(a, b) }
	x, y, z := num(p.X), num(p.Y), num(p.Z)
	r2 := add(mul(x, x), add(mul(y, y), mul(z, z)))
	sum := num(0)
	re, im := num(1), num(0) // value of R_m^m
	for m := 0; m <= q; m++ {
		if m > 0 {
			h := num(float64(2 * m))
			re, im = add(mul(re, x), mul(num(-1), mul(im, y))), add(mul(re, y), mul(im, x))
			re.Quo(re, h)
			im.Quo(im, h)
		}
		one, two := num(1), num(0) // values of R_n^m/R_m^m for two successive degrees n
		for n := m; n <= q; n++ {
			if n > m {
				next := add(mul(num(float64(2*n-1)), mul(z, one)), mul(num(-1), mul(r2, two)))
				two, one = one, next.Quo(next, num(float64(n*n-m*m)))
			}
			if m == 0 {
				sum = add(sum, mul(one, mul(re, num(l[n*n]))))
				continue
			}
			j := n*n + 2*m - 1
			c := add(mul(re, num(l[j])), mul(num(-1), mul(im, num(l[j+1]))))
			sum = add(sum, mul(num(2), mul(one, c)))
		}
	}
	return sum
}

// The difference from a sum in 200 bits is below ½q²+2q+8, as for harmonics.RegularTo. The unit is
// 2⁻⁵³ Σ_n |x|ⁿ √(Σ_m |L_n^m|²/((n−m)!(n+m)!))/4π. From degree 9 on, evaluation by rows has larger
// errors.
func TestEvaluateAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, k := range kernels() {
		for q := 0; q <= 24; q++ {
			worst := 0.0
			for trial := range 100 {
				var c [3][1]float64
				localPoints(r, c[0][:], c[1][:], c[2][:])
				p := r3.Vector{X: c[0][0], Y: c[1][0], Z: c[2][0]}
				plain := randomLocal(r, q)
				if trial&1 == 1 { // half of the trials have a single degree and order
					n := r.IntN(q + 1)
					m := r.IntN(n + 1)
					for j := range plain {
						if j != n*n+max(0, 2*m-1) {
							plain[j] = 0
						}
					}
				}
				l := make([]float64, len(plain))
				prepareLocal(l, plain, q)
				got := []float64{0}
				k.evaluateMany(got, c[0][:], c[1][:], c[2][:], l, q)
				exact := bigLocal(plain, q, p)
				e := new(big.Float).SetPrec(200).SetFloat64(got[0])
				// The value of 4π needs more than 53 bits.
				pi, _ := new(big.Float).SetPrec(200).SetString("3.14159265358979323846264338327950288419716939937510582097494459")
				e.Mul(e, pi.Mul(pi, big.NewFloat(4)))
				d, _ := e.Add(e, exact).Float64()
				if size := localSize(plain, q, p, 1); size > 0 {
					worst = max(worst, math.Abs(d)/(roundoff*size))
				}
			}
			bound := float64(q*q)/2 + 2*float64(q) + 8
			if k == avx512 && q <= rowsDegree {
				bound = max(bound, 8+math.Exp2(float64(q-2)))
			}
			if !(worst <= bound) {
				t.Errorf("%v, degree %d: %g, want at most %g", k, q, worst, bound)
			}
		}
	}
}

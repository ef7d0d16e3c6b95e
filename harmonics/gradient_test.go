package harmonics

import (
	"math"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
)

var axes = [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}

// difference approximates the derivative along e by central differences of order six. The error is
// h⁶/140 times a seventh derivative.
func difference(f func(dst []float64, x r3.Vector), n int, x, e r3.Vector, h float64) []float64 {
	out, a, b := make([]float64, n), make([]float64, n), make([]float64, n)
	for k, w := range []float64{0.75, -0.15, 1.0 / 60} {
		step := e.Mul(float64(k+1) * h)
		f(a, x.Add(step))
		f(b, x.Sub(step))
		for i := range out {
			out[i] += w / h * (a[i] - b[i])
		}
	}
	return out
}

// The gradients of R and S agree with difference quotients. Difference quotients of the gradients
// satisfy the Laplace equation and are symmetric. A seventh derivative of S of degree 9 is at most
// 16!/9! < 6·10⁷ times S. So the difference quotients have an error below 6·10⁷h⁶/140 < 3·10⁻¹¹,
// and a rounding error below 50·2⁻⁵³/h < 3·10⁻¹².
func TestGradients(t *testing.T) {
	const p, h, tolerance = 8, 1.0 / 512, 1e-9
	rng := rand.New(rand.NewSource(3))
	work := make([]float64, Len(p+1))
	n := Len(p)
	var g [3][]float64
	for i := range g {
		g[i] = make([]float64, n)
	}
	for _, kind := range []struct {
		name     string
		value    func(dst []float64, x r3.Vector)
		gradient func(gx, gy, gz []float64, x r3.Vector)
	}{
		{"R", func(d []float64, x r3.Vector) { RegularTo(d, p, x) },
			func(gx, gy, gz []float64, x r3.Vector) { regularGradient(gx, gy, gz, p, x, work) }},
		{"S", func(d []float64, x r3.Vector) { SingularTo(d, p, x) },
			func(gx, gy, gz []float64, x r3.Vector) { singularGradient(gx, gy, gz, p, x, work) }},
	} {
		for range 20 {
			x := inBall(rng).Normalize().Mul(1 + rng.Float64())
			kind.gradient(g[0], g[1], g[2], x)
			var second [3][3][]float64
			for i, e := range axes {
				want := difference(kind.value, n, x, e, h)
				scale := largest(want)
				for j := range want {
					if !(math.Abs(g[i][j]-want[j]) <= tolerance*scale) {
						t.Fatalf("∂%s/∂%d at %v, index %d: %v, want %v from differences", kind.name, i, x, j, g[i][j], want[j])
					}
				}
				for k := range axes {
					second[i][k] = difference(func(d []float64, x r3.Vector) {
						var o [3][]float64
						o[0], o[1], o[2] = make([]float64, n), make([]float64, n), make([]float64, n)
						kind.gradient(o[0], o[1], o[2], x)
						copy(d, o[k])
					}, n, x, e, h)
				}
			}
			scale := largest(second[0][0]) + largest(second[2][2])
			for j := 0; j < n; j++ {
				if l := second[0][0][j] + second[1][1][j] + second[2][2][j]; !(math.Abs(l) <= tolerance*scale) {
					t.Fatalf("Laplacian of %s at %v, index %d: %v relative to %v, want 0", kind.name, x, j, l, scale)
				}
				if a, b := second[0][1][j], second[1][0][j]; !(math.Abs(a-b) <= tolerance*scale) {
					t.Fatalf("mixed derivatives of %s at %v, index %d, differ: %v and %v", kind.name, x, j, a, b)
				}
			}
		}
	}
}

func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = math.Max(m, math.Abs(x))
	}
	return m
}

// EvaluateLocal and EvaluateMultipole agree with sums over all orders.
func TestEvaluate(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for _, p := range []int{0, 1, 2, 3, 5, 8, 13, 30, 60} {
		n := Len(p)
		work, basis := make([]float64, Len(p+1)), make([]float64, Len(p+1))
		for range 10 {
			x := inBall(rng)
			c := randomMoments(rng, p, 4) // coefficients used as moments and as local coefficients
			SingularTo(basis, p, r3.Vector{X: 1.5, Y: -2, Z: 1})
			l := append([]float64(nil), basis[:n]...)

			RegularTo(work, p, x)
			want, scale := sumOrders(work, l, p, false)
			check := func(name string, got, want, scale float64) {
				t.Helper()
				if allowed := float64(8*p+16) * unit * scale; !(math.Abs(got-want) <= allowed) {
					t.Errorf("p=%d x=%v: %s = %v, want %v ± %.2g", p, x, name, got, want, allowed)
				}
			}
			check("EvaluateLocal", EvaluateLocal(l, p, x), want, scale)

			x = x.Normalize().Mul(1.2)
			SingularTo(work, p, x)
			want, scale = sumOrders(work, c, p, true)
			check("EvaluateMultipole", EvaluateMultipole(c, p, x), want, scale)
		}
	}
}

// sumOrders returns Σ A_n^m B_n^m, or Σ conj(A_n^m) B_n^m if conj is set. It also returns the sum
// over all degrees of the product of the norms of A and B.
func sumOrders(a, b []float64, p int, conj bool) (sum, scale float64) {
	for n := 0; n <= p; n++ {
		na, nb := 0.0, 0.0
		for m := -n; m <= n; m++ {
			u, v := At(a, n, m), At(b, n, m)
			if conj {
				u = complex(real(u), -imag(u))
			}
			sum += real(u * v)
			w := math.Sqrt(factorial(n-m)) * math.Sqrt(factorial(n+m))
			if conj {
				w = 1 / w
			}
			na += sqr(real(u)*w) + sqr(imag(u)*w)
			nb += sqr(real(v)/w) + sqr(imag(v)/w)
		}
		scale += math.Sqrt(na) * math.Sqrt(nb)
	}
	return sum, scale
}

func TestNoAllocation(t *testing.T) {
	const p = 20
	x := r3.Vector{X: 1, Y: 0.5, Z: -2}
	m, l, work := make([]float64, Len(p)), make([]float64, Len(p)), make([]float64, Len(p+1))
	RegularTo(m, p, x)
	tables := NewTables(p, p)
	op, sum, padded := tables.M2L(x, 1), tables.NewSum(), append(m, make([]float64, lanes)...)
	norms := make([]float64, p+1)
	for name, f := range map[string]func(){
		"RegularTo":         func() { RegularTo(work, p, x) },
		"SingularTo":        func() { SingularTo(work, p, x) },
		"EvaluateLocal":     func() { EvaluateLocal(m, p, x) },
		"EvaluateMultipole": func() { EvaluateMultipole(m, p, x) },
		"M2L":               func() { sum.Add(op, padded); sum.AddTo(l) },
		"NormsTo":           func() { NormsTo(norms, p, m) },
		"LocalTailsTo":      func() { LocalTailsTo(norms, p, 0.5) },
		"M2LBound":          func() { M2LBound(norms, p, p, 0.5, 2) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s allocates %v times, want 0", name, n)
		}
	}
}

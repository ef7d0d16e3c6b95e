package harmonics

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
)

// localNorms returns the norms √(Σ_m |L_n^m|²/((n−m)!(n+m)!)) of L for all degrees n. After M2L
// from degree s, the norm of degree n is at most C(n+s,n) P_s/D^{n+s+1}.
func localNorms(l []float64, q int) []float64 {
	out := make([]float64, q+1)
	for n := range out {
		sum := 0.0
		for m := -n; m <= n; m++ {
			w := math.Sqrt(factorial(n-m)) * math.Sqrt(factorial(n+m))
			c := At(l, n, m)
			sum += sqr(real(c)/w) + sqr(imag(c)/w)
		}
		out[n] = math.Sqrt(sum)
	}
	return out
}

func sqr(x float64) float64 { return x * x }

// M2L.AddTo and MatrixM2L agree with addM2L. The test covers equal and different degrees, and
// offsets along axes, near axes and elsewhere. The error of degree n is relative to Σ_s C(n+s,n)
// P_s/D^{n+s+1}.
func TestM2LAgreesWithPlain(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	offsets := []r3.Vector{
		{X: 3}, {X: -3}, {Y: 2.5}, {Y: -2.5}, {Z: 4}, {Z: -4},
		{X: 2, Y: -3, Z: 1}, {X: 1e-9, Y: 1e-300, Z: -3}, {X: 1e-20, Y: 3, Z: 1e-12},
		{X: 1, Y: 1, Z: 1}, {X: -0.3, Y: -0.2, Z: -0.1}, {X: 20, Y: 30, Z: -40},
	}
	for _, deg := range [][2]int{{0, 0}, {0, 9}, {9, 0}, {1, 1}, {3, 5}, {6, 6}, {7, 7}, {7, 4}, {4, 9}, {12, 11}, {20, 20}} {
		q, p := deg[0], deg[1]
		tables := NewTables(q, p)
		work := make([]float64, tables.WorkLen())
		for _, d := range offsets {
			src := randomMoments(rng, p, 8)
			want, got := make([]float64, Len(q)), make([]float64, Len(q))
			for i := range want {
				want[i] = rng.NormFloat64()
			}
			copy(got, want)
			start := append([]float64(nil), want...)
			addM2L(want, q, src, p, d)
			for i := range work {
				work[i] = math.NaN() // the old contents of work must have no effect
			}
			tables.M2L(d).AddTo(got, src, work)
			assertClose(t, fmt.Sprintf("q=%d p=%d d=%v", q, p, d), got, want, start, src, q, p, d)
			copy(got, start)
			addMatrix(got, MatrixM2L(q, p, d), src)
			assertClose(t, fmt.Sprintf("matrix q=%d p=%d d=%v", q, p, d), got, want, start, src, q, p, d)
		}
	}
}

func assertClose(t *testing.T, name string, got, want, start, src []float64, q, p int, d r3.Vector) {
	t.Helper()
	diff := make([]float64, len(got))
	for i := range got {
		diff[i] = got[i] - want[i]
	}
	norms := make([]float64, p+1)
	NormsTo(norms, p, src)
	errs, offset := localNorms(diff, q), localNorms(start, q)
	for n, e := range errs {
		scale := offset[n]
		for s, P := range norms {
			scale += binomial(n+s, n) * P / math.Pow(d.Norm(), float64(n+s+1))
		}
		if bound := float64(8*(p+q)+16) * unit * scale; !(e <= bound) {
			t.Errorf("%s: degree %d differs by %.3g, allowed %.3g", name, n, e, bound)
		}
	}
}

func binomial(n, k int) float64 {
	c := 1.0
	for i := 1; i <= k; i++ {
		c = c * float64(n-k+i) / float64(i)
	}
	return c
}

func randomMoments(rng *rand.Rand, p, k int) []float64 {
	m, w := make([]float64, Len(p)), make([]float64, Len(p))
	gx, gy, gz := make([]float64, Len(p)), make([]float64, Len(p)), make([]float64, Len(p))
	for ; k > 0; k-- {
		y, n := inBall(rng), inBall(rng)
		charge := rng.NormFloat64()
		regularGradient(gx, gy, gz, p, y, w)
		for i := range m {
			m[i] += charge*w[i] + n.X*gx[i] + n.Y*gy[i] + n.Z*gz[i]
		}
	}
	return m
}

func inBall(rng *rand.Rand) r3.Vector {
	for {
		v := r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}
		if v.Norm2() <= 1 {
			return v
		}
	}
}

func BenchmarkM2L(b *testing.B) {
	d := r3.Vector{X: 2.25, Y: -0.5, Z: 1.5}
	for _, p := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30} {
		src := randomMoments(rand.New(rand.NewSource(1)), p, 3)
		dst := make([]float64, Len(p))
		b.Run(fmt.Sprintf("kind=rotated/p=%d", p), func(b *testing.B) {
			tables := NewTables(p, p)
			o, work := tables.M2L(d), make([]float64, tables.WorkLen())
			for b.Loop() {
				o.AddTo(dst, src, work)
			}
		})
		if p > 10 {
			continue
		}
		b.Run(fmt.Sprintf("kind=matrix/p=%d", p), func(b *testing.B) {
			m := MatrixM2L(p, p, d)
			for b.Loop() {
				addMatrix(dst, m, src)
			}
		})
	}
}

func BenchmarkEvaluate(b *testing.B) {
	x := r3.Vector{X: 0.3, Y: -0.5, Z: 0.4}
	far := x.Mul(5)
	for _, p := range []int{2, 5, 10, 20} {
		m, work := make([]float64, Len(p)), make([]float64, Len(p+1))
		RegularTo(m, p, x)
		for _, row := range []struct {
			kind string
			f    func()
		}{
			{"local", func() { EvaluateLocal(m, p, x) }},
			{"multipole", func() { EvaluateMultipole(m, p, far) }},
			{"regular", func() { RegularTo(work, p, x) }},
			{"singular", func() { SingularTo(work, p, x) }},
		} {
			b.Run(fmt.Sprintf("kind=%s/p=%d", row.kind, p), func(b *testing.B) {
				for b.Loop() {
					row.f()
				}
			})
		}
	}
}

func BenchmarkSetUp(b *testing.B) {
	d := r3.Vector{X: 2.25, Y: -0.5, Z: 1.5}
	for _, p := range []int{5, 20} {
		tables := NewTables(p, p)
		b.Run(fmt.Sprintf("kind=tables/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				NewTables(p, p)
			}
		})
		b.Run(fmt.Sprintf("kind=offset/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				tables.M2L(d)
			}
		})
	}
}

func BenchmarkMatrixM2L(b *testing.B) {
	d := r3.Vector{X: 2.25, Y: -0.5, Z: 1.5}
	for _, p := range []int{3, 5, 7, 10} {
		b.Run(fmt.Sprintf("p=%d", p), func(b *testing.B) {
			for b.Loop() {
				MatrixM2L(p, p, d)
			}
		})
	}
}

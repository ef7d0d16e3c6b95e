package harmonics

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"
	"unsafe"

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

// addPair adds the local coefficients of the moments src to dst.
func addPair(t *Tables, dst, src []float64, d r3.Vector) {
	s := t.NewSum()
	s.Add(t.M2L(d, 1), src)
	s.AddTo(dst)
}

// Sum and MatrixM2L agree with addM2L, for all kernels. The test covers equal and different degrees,
// and offsets along axes, near axes and elsewhere. The error of degree n is relative to Σ_s C(n+s,n)
// P_s/D^{n+s+1}.
func TestM2LAgreesWithPlain(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	offsets := []r3.Vector{
		{X: 3}, {X: -3}, {Y: 2.5}, {Y: -2.5}, {Z: 4}, {Z: -4},
		{X: 2, Y: -3, Z: 1}, {X: 1e-9, Y: 1e-300, Z: -3}, {X: 1e-20, Y: 3, Z: 1e-12},
		{X: 1, Y: 1, Z: 1}, {X: -0.3, Y: -0.2, Z: -0.1}, {X: 20, Y: 30, Z: -40},
	}
	for _, deg := range [][2]int{{0, 0}, {0, 9}, {9, 0}, {1, 1}, {3, 5}, {6, 6}, {7, 7}, {7, 4}, {4, 9}, {12, 11}, {20, 20}, {25, 30}} {
		q, p := deg[0], deg[1]
		tables := NewTables(q, p)
		for _, d := range offsets {
			src := randomMoments(rng, p, 8)
			start, want, matrix := make([]float64, Len(q)), make([]float64, Len(q)), make([]float64, Len(q))
			for i := range start {
				start[i] = rng.NormFloat64()
			}
			copy(want, start)
			addM2L(want, q, src, p, d)
			for _, k := range kernels() {
				tables.kernel = k
				got := append([]float64(nil), start...)
				addPair(tables, got, src, d)
				assertClose(t, fmt.Sprintf("kernel %d q=%d p=%d d=%v", k, q, p, d), got, want, start, src, q, p, d)
			}
			copy(matrix, start)
			addMatrix(matrix, MatrixM2L(q, p, d), src)
			assertClose(t, fmt.Sprintf("matrix q=%d p=%d d=%v", q, p, d), matrix, want, start, src, q, p, d)
		}
	}
}

// A sum of any number of pairs equals the sum of single pairs, for all kernels and offsets, up to a
// few roundings. A sum can be used again.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewSource(12))
	for _, p := range []int{1, 4, 7, 13} {
		tables := NewTables(p, p)
		for _, k := range kernels() {
			tables.kernel = k
			sum := tables.NewSum()
			for _, n := range []int{0, 1, 7, 8, 9, 40} {
				want, got := make([]float64, Len(p)), make([]float64, Len(p))
				total := make([]float64, p+1)
				for i := range n {
					d, unit := inBall(rng).Normalize().Mul(2+rng.Float64()), math.Ldexp(1, i%3-1)
					src := make([]float64, Len(p)+i%20)
					copy(src, randomMoments(rng, p, 3))
					for j := Len(p); j < len(src); j++ {
						src[j] = math.NaN() // must have no effect
					}
					one := make([]float64, Len(p))
					addPlain(one, p, src, p, m2l(p, p, d))
					rescale(one, p, unit)
					for j, v := range one {
						want[j] += v
					}
					sum.Add(tables.M2L(d, unit), src)
					norms := make([]float64, p+1)
					NormsTo(norms, p, src)
					for m := range total {
						for s, P := range norms {
							total[m] += math.Pow(unit, float64(m)) * binomial(m+s, m) * P / math.Pow(d.Norm(), float64(m+s+1))
						}
					}
				}
				sum.AddTo(got)
				diff := make([]float64, len(got))
				for j := range got {
					diff[j] = got[j] - want[j]
				}
				for m, e := range localNorms(diff, p) {
					if bound := float64(16*p+16+n) * unit * total[m]; !(e <= bound) {
						t.Errorf("kernel %d, degree %d, %d pairs: degree %d differs by %.3g, want at most %.3g", k, p, n, m, e, bound)
					}
				}
			}
		}
	}
}

// The kernels read coefficients and products at these offsets.
func TestProgramLayout(t *testing.T) {
	var c coefficient
	var p product
	got := []uintptr{
		unsafe.Sizeof(c), unsafe.Offsetof(c.re), unsafe.Offsetof(c.im), unsafe.Offsetof(c.cos), unsafe.Offsetof(c.sin),
		unsafe.Offsetof(c.angle), unsafe.Offsetof(c.scale), unsafe.Offsetof(c.weight),
		unsafe.Sizeof(p), unsafe.Offsetof(p.dst), unsafe.Offsetof(p.src), unsafe.Offsetof(p.dstStep), unsafe.Offsetof(p.srcStep),
		unsafe.Offsetof(p.cols), unsafe.Offsetof(p.matrix), lanes, maxRows,
	}
	want := []uintptr{32, 0, 4, 8, 12, 16, 20, 24, 32, 0, 4, 8, 12, 20, 24, 8, 12}
	if !slices.Equal(got, want) {
		t.Errorf("sizes and offsets %v, want %v", got, want)
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
		src = append(src, make([]float64, lanes)...)
		for _, k := range kernels() {
			b.Run(fmt.Sprintf("kind=sum/p=%d/kernel=%d", p, k), func(b *testing.B) {
				tables := NewTables(p, p)
				tables.kernel = k
				o, sum := tables.M2L(d, 1), tables.NewSum()
				for b.Loop() {
					sum.Add(o, src)
				}
			})
		}
		if p > 10 {
			continue
		}
		b.Run(fmt.Sprintf("kind=matrix/p=%d", p), func(b *testing.B) {
			m := MatrixM2L(p, p, d)
			for b.Loop() {
				addMatrix(dst, m, src[:Len(p)])
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
				tables.M2L(d, 1)
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

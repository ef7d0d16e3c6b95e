package harmonics

import (
	"math"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
)

// source is a point source: a charge, or a dipole if dipole is not zero.
type source struct {
	at, dipole r3.Vector
	charge     float64
}

// potential sums charge/|x−y| + n·∇_y(1/|x−y|) over all sources.
func potential(sources []source, x r3.Vector) float64 {
	sum := 0.0
	for _, s := range sources {
		d := x.Sub(s.at)
		r := d.Norm()
		sum += s.charge/r + s.dipole.Dot(d)/(r*r*r)
	}
	return sum
}

// moments returns the moments of the sources about the center c, up to degree p.
func moments(sources []source, p int, c r3.Vector) []float64 {
	n := Len(p)
	m, w, gx, gy, gz := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for _, s := range sources {
		regularGradient(gx, gy, gz, p, s.at.Sub(c), w)
		for i := range m {
			m[i] += s.charge*w[i] + s.dipole.X*gx[i] + s.dipole.Y*gy[i] + s.dipole.Z*gz[i]
		}
	}
	return m
}

// randomSources returns k random sources within radius a of c.
func randomSources(rng *rand.Rand, k int, c r3.Vector, a float64, kind string) []source {
	out := make([]source, k)
	for i := range out {
		out[i].at = c.Add(inBall(rng).Mul(a))
		if kind != "dipoles" {
			out[i].charge = rng.NormFloat64()
		}
		if kind != "charges" {
			out[i].dipole = inBall(rng)
		}
	}
	return out
}

// The addition theorem is 1/|x−y| = Σ conj(S_n^m(y)) R_n^m(x) for |x| < |y|. The sum
// up to degree p has an error below the tail |x|^{p+1}/|y|^{p+1}/(|y|−|x|) of Legendre's series.
func TestAdditionTheorem(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for range 50 {
		x, y := inBall(rng).Mul(0.5), inBall(rng).Normalize()
		ratio := x.Norm()
		for _, p := range []int{0, 1, 2, 4, 8, 16, 30} {
			s := make([]float64, Len(p))
			SingularTo(s, p, y)
			for n := 1; n <= p; n++ { // the local coefficients are the conjugates of S
				for j := 2; j <= 2*n; j += 2 {
					s[n*n+j] = -s[n*n+j]
				}
			}
			got, want := EvaluateLocal(s, p, x), 1/x.Sub(y).Norm()
			bound := math.Pow(ratio, float64(p+1))/(1-ratio) + 64*unit*want
			if !(math.Abs(got-want) <= bound) {
				t.Errorf("p=%d x=%v y=%v: %v, want %v ± %.3g", p, x, y, got, want, bound)
			}
		}
	}
}

// M2M of a unit charge satisfies R_n^m(x+y) = Σ R_s^t(x) R_{n−s}^{m−t}(y).
func TestRegularOfSum(t *testing.T) {
	const p = 20
	rng := rand.New(rand.NewSource(6))
	for range 20 {
		x, y := inBall(rng), inBall(rng)
		rx, got, want := make([]float64, Len(p)), make([]float64, Len(p)), make([]float64, Len(p))
		RegularTo(rx, p, x)
		RegularTo(want, p, x.Add(y))
		addM2M(got, rx, p, y)
		for i := range got {
			got[i] -= want[i]
		}
		norms := make([]float64, p+1)
		NormsTo(norms, p, got)
		for n, e := range norms {
			if bound := float64(8*p+8) * unit * math.Pow(x.Norm()+y.Norm(), float64(n)); !(e <= bound) {
				t.Errorf("degree %d at %v + %v: error %.3g, allowed %.3g", n, x, y, e, bound)
			}
		}
	}
}

// M2M is exact: translated moments equal the moments about the new center. L2L is exact: the
// translated expansion has the same values. MatrixM2M and MatrixL2L agree with addM2M and addL2L.
func TestM2MAndL2LExact(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for _, p := range []int{0, 1, 2, 5, 10, 20} {
		for _, kind := range []string{"charges", "dipoles", "both"} {
			c, c2 := inBall(rng), inBall(rng)
			sources := randomSources(rng, 6, c, 1, kind)
			src, want := moments(sources, p, c), moments(sources, p, c2)
			got := make([]float64, Len(p))
			addM2M(got, src, p, c.Sub(c2))
			compareMoments(t, "M2M "+kind, got, want, src, p, c.Sub(c2).Norm())
			dense := make([]float64, Len(p))
			addMatrix(dense, MatrixM2M(p, c.Sub(c2)), src)
			compareMoments(t, "MatrixM2M "+kind, dense, got, src, p, c.Sub(c2).Norm())

			l, l2, l3 := make([]float64, Len(p)), make([]float64, Len(p)), make([]float64, Len(p))
			addM2L(l, p, src, p, r3.Vector{X: 3, Y: 1, Z: -2})
			shift := inBall(rng)
			addL2L(l2, l, p, shift)
			addMatrix(l3, MatrixL2L(p, shift), l)
			for range 10 {
				x := inBall(rng)
				want, got := EvaluateLocal(l, p, x.Add(shift)), EvaluateLocal(l2, p, x)
				scale := 0.0
				for n, v := range localNorms(l, p) {
					scale += v * math.Pow(x.Norm()+shift.Norm(), float64(n))
				}
				if allowed := float64(8*p*p+16) * unit * scale; !(math.Abs(got-want) <= allowed) {
					t.Errorf("L2L p=%d %s at %v: %v, want %v ± %.2g", p, kind, x, got, want, allowed)
				}
				if got3 := EvaluateLocal(l3, p, x); !(math.Abs(got3-got) <= float64(8*p*p+16)*unit*scale) {
					t.Errorf("MatrixL2L p=%d %s at %v: %v, want %v as in the plain form", p, kind, x, got3, got)
				}
			}
		}
	}
}

// compareMoments fails the test if the error of a degree n is too large. The allowed error is a
// multiple of Σ_s C(n,s) P_s d^{n−s}, where P_s is the norm of degree s in src. M2M over the
// distance d increases the norm of degree n to at most this sum.
func compareMoments(t *testing.T, name string, got, want, src []float64, p int, d float64) {
	t.Helper()
	diff := make([]float64, len(got))
	for i := range got {
		diff[i] = got[i] - want[i]
	}
	norms, errs := make([]float64, p+1), make([]float64, p+1)
	NormsTo(norms, p, src)
	NormsTo(errs, p, diff)
	for n, e := range errs {
		scale := 0.0
		for s := 0; s <= n; s++ {
			scale += binomial(n, s) * norms[s] * math.Pow(d, float64(n-s))
		}
		if allowed := float64(8*p*p+16) * unit * scale; !(e <= allowed) {
			t.Errorf("%s p=%d: degree %d differs by %.3g, allowed %.3g", name, p, n, e, allowed)
		}
	}
}

// The chain source → M2M → M2L → L2L → value agrees with the direct sum. The error is at most
// M2LBound. With each degree, the error falls by at least the theoretical factor, with a tolerance
// of 15 %.
func TestChainAgainstDirectSum(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	const reach = 60 // largest degree of the moments that the bound uses
	child, parent := r3.Vector{X: 0.25, Y: 0.25, Z: -0.25}, r3.Vector{}
	target, leaf := r3.Vector{X: 2.5, Y: 1.5, Z: -1}, r3.Vector{X: 2.75, Y: 1.25, Z: -1.25}
	d := target.Sub(parent)
	for _, kind := range []string{"charges", "dipoles", "both"} {
		sources := randomSources(rng, 10, child, 0.4, kind)
		norms := make([]float64, reach+1)
		NormsTo(norms, reach, moments(sources, reach, parent))
		a, b := 0.0, 0.0
		for _, s := range sources {
			a = math.Max(a, s.at.Norm())
		}
		points := make([]r3.Vector, 50)
		for i := range points {
			points[i] = leaf.Add(inBall(rng).Mul(0.4))
			b = math.Max(b, points[i].Sub(target).Norm())
		}
		worst := map[int]float64{}
		for _, p := range []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20} {
			up, l, down := make([]float64, Len(p)), make([]float64, Len(p)), make([]float64, Len(p))
			addM2M(up, moments(sources, p, child), p, child.Sub(parent))
			tables := NewTables(p, p)
			addPair(tables, l, up, d)
			addL2L(down, l, p, leaf.Sub(target))
			bound := M2LBound(norms, p, p, b, d.Norm()) + 1e-13
			for _, x := range points {
				want := potential(sources, x)
				e := math.Abs(EvaluateLocal(down, p, x.Sub(leaf)) - want)
				worst[p] = math.Max(worst[p], e)
				if !(e <= bound) {
					t.Errorf("%s p=%d at %v: error %.3g, bound %.3g", kind, p, x, e, bound)
				}
				far := x.Sub(parent)
				left := 0.0
				for s := p + 1; s <= reach; s++ {
					left += norms[s] / math.Pow(far.Norm(), float64(s+1))
				}
				if e := math.Abs(EvaluateMultipole(up, p, far) - want); !(e <= left+1e-13) {
					t.Errorf("%s p=%d multipole at %v: error %.3g, bound %.3g", kind, p, x, e, left)
				}
			}
		}
		slope := math.Pow(worst[16]/worst[4], 1.0/12)
		if limit := math.Max(a/(d.Norm()-b), b/(d.Norm()-a)); slope > 1.15*limit {
			t.Errorf("%s: the error falls by %.3f for each degree, want about %.3f", kind, slope, limit)
		}
	}
}

// Scaling by a power of two is exact. It has the effects that the package comment lists.
func TestRescale(t *testing.T) {
	const p, h = 12, 4.0
	rng := rand.New(rand.NewSource(9))
	d, x := r3.Vector{X: 12, Y: -7, Z: 9}, inBall(rng)
	for _, kind := range []string{"charges", "dipoles"} {
		sources := randomSources(rng, 5, r3.Vector{}, 3, kind)
		scaled := append([]source(nil), sources...)
		for i := range scaled {
			scaled[i].at = scaled[i].at.Mul(1 / h)
		}
		want, got := moments(scaled, p, r3.Vector{}), moments(sources, p, r3.Vector{})
		rescale(got, p, 1/h)
		extra, power := 1.0, h
		if kind == "dipoles" {
			extra, power = h, h*h
		}
		for i := range got {
			if got[i] *= extra; got[i] != want[i] {
				t.Fatalf("%s: scaled moment %d is %v, want %v", kind, i, got[i], want[i])
			}
		}
		l, l2 := make([]float64, Len(p)), make([]float64, Len(p))
		addM2L(l, p, moments(sources, p, r3.Vector{}), p, d)
		addM2L(l2, p, want, p, d.Mul(1/h))
		rescale(l, p, h)
		for i := range l {
			if s := power * l[i]; math.Abs(s-l2[i]) > 1e-12*math.Abs(l2[i])+1e-15 {
				t.Errorf("%s: scaled local coefficient %d is %v, want %v", kind, i, s, l2[i])
			}
		}
		if a, b := EvaluateMultipole(want, p, d.Add(x).Mul(1/h)), EvaluateMultipole(moments(sources, p, r3.Vector{}), p, d.Add(x)); math.Abs(a-power*b) > 1e-13*math.Abs(a) {
			t.Errorf("%s: scaled potential %v, want %v", kind, a, power*b)
		}
	}
}

// A Shift equals the product with its matrix, for all kernels and numbers of expansions.
func TestShift(t *testing.T) {
	rng := rand.New(rand.NewSource(19))
	d := r3.Vector{X: 0.5, Y: -0.5, Z: 0.5}
	for _, p := range []int{0, 1, 4, 7, 13} {
		for _, matrix := range [][]float64{MatrixM2M(p, d), MatrixL2L(p, d), make([]float64, Len(p)*Len(p))} {
			shift := NewShift(p, matrix)
			for _, k := range kernels() {
				shift.kernel = k
				work := shift.Work()
				for n := range lanes + 1 {
					dst, src, want, sizes := make([][]float64, n), make([][]float64, n), make([][]float64, n), make([][]float64, n)
					for i := range n {
						src[i], want[i], sizes[i] = make([]float64, padded(Len(p))), make([]float64, Len(p)), make([]float64, Len(p))
						dst[i] = make([]float64, Len(p))
						for j := range Len(p) {
							src[i][j], dst[i][j] = rng.NormFloat64(), rng.NormFloat64()
							want[i][j] = dst[i][j]
						}
						addMatrix(want[i], matrix, src[i][:Len(p)])
						for row := range sizes[i] {
							sizes[i][row] = math.Abs(dst[i][row]) + math.Abs(want[i][row])
							for j, v := range src[i][:Len(p)] {
								sizes[i][row] += math.Abs(matrix[row*Len(p)+j] * v)
							}
						}
					}
					shift.AddTo(dst, src, work)
					for i := range n {
						for j, v := range dst[i] {
							if e := math.Abs(v - want[i][j]); !(e <= float64(Len(p)+p+4)*unit*sizes[i][j]) {
								t.Fatalf("kernel %d, degree %d, expansion %d of %d: coefficient %d is %g, want %g", k, p, i, n, j, v, want[i][j])
							}
						}
					}
				}
			}
		}
	}
}

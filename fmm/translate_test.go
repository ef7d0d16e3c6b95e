package fmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

func degreeChoices() []degreeChoice {
	var all []degreeChoice
	for _, e := range epsilons {
		all = append(all, chooseDegrees(e, 0), chooseDegrees(e, manyTriangles))
	}
	return all
}

// tableError bounds the error of R_n and S_n. The unit is 2^−53 of the norm of degree n.
func tableError(n int) float64 { return float64(n*n)/2 + 2*float64(n) + 8 }

func factorial(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return f
}

// momentNorm and localNorm return the norms of degree n of moments and of local coefficients.
func momentNorm(c []float64, n int) float64 { return degreeNorm(c, n, 1) }
func localNorm(c []float64, n int) float64  { return degreeNorm(c, n, -1) }

func degreeNorm(c []float64, n, power int) float64 {
	weight := func(m int) float64 { return math.Pow(factorial(n-m)*factorial(n+m), float64(power)) }
	sum := c[n*n] * c[n*n] * weight(0)
	for m := 1; m <= n; m++ {
		j := n*n + 2*m - 1
		sum += 2 * weight(m) * (c[j]*c[j] + c[j+1]*c[j+1])
	}
	return math.Sqrt(sum)
}

func minus(a, b []float64) []float64 {
	d := make([]float64, min(len(a), len(b)))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// randomMoments returns the moments of random dipoles within the given radius of the origin. The
// moment of degree 0 is 0.
func randomMoments(r *rand.Rand, p, stride int, radius float64) []float64 {
	m := make([]float64, stride)
	for range 5 {
		addDipole(m, p, direction(r).Mul(radius*r.Float64()), direction(r))
	}
	return m
}

// addDipole adds to m the moments n·∇R(y) of the dipole n at y, up to degree p:
//
//	n·∇R_n^m = n_z R_{n−1}^m + ½(n_x+in_y) R_{n−1}^{m−1} − ½(n_x−in_y) R_{n−1}^{m+1}
func addDipole(m []float64, p int, y, n r3.Vector) {
	r := make([]float64, harmonics.Len(p))
	harmonics.RegularTo(r, p, y)
	for deg := 1; deg <= p; deg++ {
		below := func(order int) complex128 {
			if order >= deg || -order >= deg {
				return 0
			}
			return harmonics.At(r, deg-1, order)
		}
		for k := 0; k <= deg; k++ {
			g := complex(n.Z, 0)*below(k) + complex(n.X/2, n.Y/2)*below(k-1) - complex(n.X/2, -n.Y/2)*below(k+1)
			if k == 0 {
				m[deg*deg] += real(g)
				continue
			}
			m[deg*deg+2*k-1] += real(g)
			m[deg*deg+2*k] += imag(g)
		}
	}
}

// apply returns the row-major matrix times x. It multiplies degree n of the result by unitⁿ.
func apply(matrix, x []float64, unit float64) []float64 {
	out := make([]float64, len(matrix)/len(x))
	for i := range out {
		for j, v := range x {
			out[i] += matrix[i*len(x)+j] * v
		}
		out[i] *= math.Pow(unit, math.Floor(math.Sqrt(float64(i))))
	}
	return out
}

func direction(r *rand.Rand) r3.Vector {
	return r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Normalize()
}

// After a change of units, the operators agree with harmonics.MatrixM2L in all octants and for all
// differences of levels. The errors are within the M2L rounding errors that the bounds of plans
// assume.
func TestOperators(t *testing.T) {
	r := seeded(43)
	worst := 0.0
	for _, q := range degreeChoices() {
		deg := q.degrees
		ops := newM2LOperators(deg)
		sum := ops.tables.NewSum()
		rows := padded(harmonics.Len(deg.local))
		stride := padded(harmonics.Len(deg.kept))
		for k := range rounds(60, 2000) {
			finer := int8(k%(maxFiner-minFiner+1) + minFiner)
			odd := int32(0)
			if finer != 0 {
				odd = 1
			}
			component := func() int32 { return 2*(r.Int32N(12)-6) + odd }
			at := offset{component(), component(), component(), finer}
			unit := math.Ldexp(1, int(min(finer, 0))) // unit of the offset, in half sides of the source cell
			d := r3.Vector{X: float64(at.x), Y: float64(at.y), Z: float64(at.z)}.Mul(unit)
			D, scale := d.Norm(), math.Ldexp(1, int(finer))
			if D < 2 {
				continue
			}
			m := randomMoments(r, deg.kept, stride, 1)
			want := apply(harmonics.MatrixM2L(deg.local, deg.multipole, d), m[:harmonics.Len(deg.multipole)], scale)
			got := make([]float64, rows)
			start := make([]float64, rows)
			if k%2 == 1 { // in half of the trials, AddTo must add to values that are not zero
				for i := range harmonics.Len(deg.local) {
					start[i] = want[i]
				}
				copy(got, start)
			}
			op := ops.of(at)
			sum.Add(op, m)
			sum.AddTo(got)
			if ops.of(at) != op {
				t.Fatalf("%v: the operator over %v is made twice", deg, at)
			}
			diff := minus(minus(got, start), want)
			for n := 0; n <= deg.local; n++ {
				bound := 0.0
				for s := 1; s <= deg.multipole; s++ {
					sharp := factorial(n+s) / factorial(n) / factorial(s) * momentNorm(m, s) / math.Pow(D, float64(n+s+1)) * math.Pow(scale, float64(n))
					terms := 6*float64(n+s+1) + 2*tableError(max(n, s))
					// This covers the rounding of both computations and of the old values.
					bound += 2 * (terms + tableError(n+s) + float64(harmonics.Len(deg.multipole)) + 4) * math.Sqrt(float64(2*min(n, s)+1)) * roundoff * sharp
				}
				e := localNorm(diff, n)
				if !(e <= bound) {
					t.Fatalf("%v over %v: degree %d is wrong by %g, bound %g, norm %g", deg, at, n, e, bound, localNorm(want, n))
				}
				worst = max(worst, e/bound)
			}
			for i := harmonics.Len(deg.local); i < rows; i++ {
				if got[i] != 0 {
					t.Fatalf("%v over %v: padding at index %d is %g, want 0", deg, at, i, got[i])
				}
			}
		}
	}
	t.Logf("errors up to %.2g of the bound", worst)
}

// L2L agrees with harmonics.MatrixL2L. At points of the child, the local expansions of parent and
// child have the same value.
func TestDownward(t *testing.T) {
	r := seeded(44)
	for _, q := range degreeChoices() {
		p := q.local
		down := newShifter(newL2L(p))
		rows := padded(harmonics.Len(p))
		l := make([]float64, rows)
		for n := 0; n <= p; n++ {
			for j := n * n; j < (n+1)*(n+1); j++ {
				l[j] = r.NormFloat64() * factorial(n) * math.Exp2(-float64(2*n)) // the series converges up to radius 4
			}
		}
		for o := range 8 {
			got := make([]float64, rows)
			want := apply(harmonics.MatrixL2L(p, octant(o)), l[:harmonics.Len(p)], 0.5)
			down.add(got, l, o)
			down.flush()
			for n := 0; n <= p; n++ {
				// The bound is Σ_s C(s,n) |d|^{s−n} |L_s| 2^−n times the roundings of both
				// computations. |L_s| is the norm of degree s.
				bound := 0.0
				for s := n; s <= p; s++ {
					size := factorial(s) / factorial(n) / factorial(s-n) * math.Pow(math.Sqrt(0.75), float64(s-n)) * localNorm(l, s) * math.Ldexp(1, -n)
					bound += 2 * float64(octantError+harmonics.Len(p)) * math.Sqrt(float64(2*n+1)) * roundoff * size
				}
				if e := localNorm(minus(got, want), n); !(e <= bound) {
					t.Fatalf("degree %d of %d, octant %d: wrong by %g, bound %g", n, p, o, e, bound)
				}
			}
			for range 20 {
				x := direction(r).Mul(math.Sqrt(3) * r.Float64())
				above := harmonics.EvaluateLocal(l, p, octant(o).Add(x.Mul(0.5)))
				below := harmonics.EvaluateLocal(got, p, x)
				size := 0.0
				for n := 0; n <= p; n++ {
					size += math.Pow(math.Sqrt(3), float64(n)) * localNorm(l, n)
				}
				if e := math.Abs(above - below); !(e <= float64(3*harmonics.Len(p)+100)*roundoff*size) {
					t.Fatalf("degree %d, octant %d, at %v: the parent has %g, but the child has %g", p, o, x, above, below)
				}
			}
		}
	}
}

// M2M agrees with harmonics.MatrixM2M, and with the moments about the center of the parent.
func TestUpward(t *testing.T) {
	r := seeded(45)
	for _, q := range degreeChoices() {
		p := q.kept
		up := newShifter(newM2M(p))
		rows := padded(harmonics.Len(p))
		for o := range 8 {
			child, parent := make([]float64, rows), make([]float64, rows)
			reach := 0.0
			for range 6 { // n has the unit of an area, so it is a quarter as large in parent units
				y, n := direction(r).Mul(2*r.Float64()), direction(r)
				reach = max(reach, octant(o).Norm()+y.Norm()/2)
				addDipole(child, p, y, n)
				addDipole(parent, p, octant(o).Add(y.Mul(0.5)), n.Mul(0.25))
			}
			got := make([]float64, rows)
			up.add(got, child, o)
			up.flush()
			scaled := make([]float64, harmonics.Len(p))
			for i := range scaled {
				scaled[i] = child[i] * math.Pow(0.5, 1+math.Floor(math.Sqrt(float64(i))))
			}
			want := apply(harmonics.MatrixM2M(p, octant(o)), scaled, 1)
			for n := 1; n <= p; n++ {
				size := 6 * float64(n) * math.Pow(reach, float64(n-1)) * math.Sqrt(float64(2*n+1))
				bound := 2 * (float64(octantError+harmonics.Len(p)) + 2*tableError(n)) * roundoff * size
				if e := momentNorm(minus(got, want), n); !(e <= bound) {
					t.Errorf("degree %d of %d, octant %d: %g from MatrixM2M, bound %g", n, p, o, e, bound)
				}
				if e := momentNorm(minus(got, parent), n); !(e <= bound) {
					t.Errorf("degree %d of %d, octant %d: %g from the moments about the parent, bound %g", n, p, o, e, bound)
				}
			}
			if got[0] != 0 {
				t.Errorf("the moment of degree 0 is %g, want 0", got[0])
			}
		}
	}
}

// Many offsets do not exceed the limit on operators, and each gets the same operator as a new cache.
func TestManyOperators(t *testing.T) {
	deg := degrees{2, 2, 2}
	ops := newM2LOperators(deg)
	for i := range int32(maxOperators + 2000) {
		ops.of(offset{x: 2 * (i + 1), finer: 0})
	}
	if n := len(ops.kept); n != 2000 {
		t.Errorf("%d operators are kept, want 2000", n)
	}
	m := randomMoments(seeded(46), 2, padded(harmonics.Len(2)), 1)
	for _, at := range []offset{{x: 4, y: 2}, {x: 2 * maxOperators}, {x: 5, y: 1, z: -3, finer: 1}} {
		var got [2][9]float64
		for i, o := range []*m2lOperators{ops, newM2LOperators(deg)} {
			sum := o.tables.NewSum()
			sum.Add(o.of(at), m)
			sum.AddTo(got[i][:])
		}
		if got[0] != got[1] || got[0] == [9]float64{} {
			t.Errorf("offset %v: %v, want %v", at, got[0], got[1])
		}
	}
}

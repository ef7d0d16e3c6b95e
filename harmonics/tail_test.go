package harmonics

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
)

// exactTail returns Σ_{n>q} C(n+s,n) ρⁿ. It sums with 300 bits until the terms are negligible.
func exactTail(q, s int, rho float64) *big.Float {
	term, sum := bigOf(1), bigOf(0)
	for n := 0; ; n++ {
		if n > q {
			sum.Add(sum, term)
		}
		term.Mul(term, bigOf(rho))
		term.Mul(term, bigOf(float64(n+1+s)))
		term.Quo(term, bigOf(float64(n+1)))
		ratio := rho * float64(n+1+s) / float64(n+1)
		if n > q && (ratio < 1 && term.MantExp(nil) < sum.MantExp(nil)-200+int(math.Log2(1-ratio)) || term.Sign() == 0) {
			return sum
		}
	}
}

// LocalTailsTo returns upper bounds. They exceed the exact values by at most the documented
// rounding.
func TestLocalTailsTo(t *testing.T) {
	for _, rho := range []float64{0, 1e-300, 1e-9, 0.01, 0.3, 0.5, 2.0 / 3, 0.9, 0.99} {
		for _, q := range []int{-1, 0, 1, 2, 5, 20, 60} {
			all := make([]float64, 61)
			LocalTailsTo(all, q, rho)
			for _, s := range []int{0, 1, 2, 7, 30, 60} {
				want := exactTail(q, s, rho)
				got := all[s]
				if bigOf(got).Cmp(want) < 0 {
					t.Errorf("q=%d s=%d ρ=%v: %v is below the tail %v", q, s, rho, got, want)
				}
				w, _ := want.Float64()
				if w > minNormal && got > w*(1+float64(4*(3*s+q+6))*unit) {
					t.Errorf("q=%d s=%d ρ=%v: %v, want %v", q, s, rho, got, w)
				}
				// LocalTailsTo replaces an underflowing ρ^{q+1} by minNormal. Its result is then at
				// most C(120,60)·minNormal < 1e-272.
				if w <= minNormal && got > 1e-272 {
					t.Errorf("q=%d s=%d ρ=%v: %v, want %v", q, s, rho, got, w)
				}
			}
		}
	}
	all := make([]float64, 61)
	if LocalTailsTo(all, 60, 1-0x1p-53); !math.IsInf(all[60], 1) {
		t.Errorf("tail at ρ = 1−2⁻⁵³: %v, want +Inf", all[60])
	}
}

// The factor C(n+s,n) is sharp: it is the operator norm of M2L from degree s to degree n. The bound
// with this factor is an equality for a charge on the axis, and no source exceeds it.
func TestSharpConstant(t *testing.T) {
	const p = 12
	rng := rand.New(rand.NewSource(31))
	tables := NewTables(p, p)
	sum, norms := tables.NewSum(), make([]float64, p+1)
	for range 100 {
		d, x, y := inBall(rng).Normalize(), inBall(rng).Normalize(), inBall(rng).Normalize()
		o := tables.M2L(d, 1)
		charge, axis, basis := make([]float64, Len(p)), make([]float64, Len(p)), make([]float64, Len(p))
		RegularTo(charge, p, y)
		RegularTo(axis, p, d.Mul(-1))
		RegularTo(basis, p, x)
		for _, src := range [][]float64{randomMoments(rng, p, 3), charge, axis} {
			NormsTo(norms, p, src)
			for s := 0; s <= p; s++ {
				one, l := make([]float64, Len(p)), make([]float64, Len(p))
				copy(one[s*s:(s+1)*(s+1)], src[s*s:])
				sum.Add(o, one)
				sum.AddTo(l)
				for n, got := range localNorms(l, p) {
					bound := norms[s] * binomial(n+s, n)
					if got > bound*(1+1e-12) {
						t.Errorf("s=%d n=%d d=%v: norm of the degree %v, bound %v", s, n, d, got, bound)
					}
					if value := math.Abs(pair(basis[n*n:], l[n*n:], n, 1)); value > bound*(1+1e-12) {
						t.Errorf("s=%d n=%d d=%v x=%v: value %v, bound %v", s, n, d, x, value, bound)
					}
					if value := math.Abs(pair(axis[n*n:], l[n*n:], n, 1)); &src[0] == &axis[0] && !(math.Abs(value/bound-1) <= 1e-12) {
						t.Errorf("s=%d n=%d d=%v on the axis: %v, want %v", s, n, d, value, bound)
					}
				}
			}
		}
	}
}

// M2LBound is at least the true error. It equals the error of a charge on the axis between the
// centers. It is +Inf if an argument is NaN, or if the distance is not above the radius.
func TestM2LBound(t *testing.T) {
	rng := rand.New(rand.NewSource(32))
	const reach = 100
	for _, deg := range [][2]int{{0, 0}, {2, 3}, {4, 2}, {5, 5}, {10, 8}, {16, 16}} {
		q, p := deg[0], deg[1]
		for range 30 {
			a, b := 0.2+0.8*rng.Float64(), 0.2+0.8*rng.Float64()
			d := inBall(rng).Normalize().Mul((a + b) * (1.2 + 2*rng.Float64()))
			sources := randomSources(rng, 4, r3.Vector{}, a, "both")
			x := inBall(rng).Normalize().Mul(b)
			if rng.Intn(2) == 0 { // half of the trials have one charge at the position with the largest error
				sources = []source{{at: d.Normalize().Mul(a), charge: 1}}
				x = d.Normalize().Mul(-b)
			}
			norms := make([]float64, reach+1)
			NormsTo(norms, reach, moments(sources, reach, r3.Vector{}))
			l := make([]float64, Len(q))
			addM2L(l, q, moments(sources, p, r3.Vector{}), p, d)
			want := potential(sources, d.Add(x))
			e := math.Abs(EvaluateLocal(l, q, x) - want)
			bound := M2LBound(norms, p, q, b, d.Norm())
			// The variable rest bounds the terms of degree s > reach. The norm of degree s is at most
			// a^s for a charge and s·a^{s−1} for a dipole.
			rest := 0.0
			for s := reach + 1; s < 1000; s++ {
				rest += 4 * (4 + float64(s)) * math.Pow(a, float64(s-1)) / math.Pow(d.Norm()-b, float64(s+1))
			}
			if !(e <= bound+rest+1e-13) {
				t.Errorf("q=%d p=%d a=%v b=%v d=%v: error %.4g, bound %.4g", q, p, a, b, d, e, bound)
			}
			if len(sources) == 1 && bound > 1e-9 && !(bound <= 1.0001*e+1e-12) {
				t.Errorf("q=%d p=%d a=%v b=%v d=%v on the axis: error %.4g, bound %.4g is not sharp", q, p, a, b, d, e, bound)
			}
		}
	}
	one := []float64{1, 1}
	for _, row := range []struct {
		name   string
		b, d   float64
		norms  []float64
		finite bool
	}{
		{"touching", 2, 2, one, false}, {"inside", 3, 2, one, false}, {"NaN radius", math.NaN(), 2, one, false},
		{"NaN distance", 1, math.NaN(), one, false}, {"NaN norm", 1, 2, []float64{math.NaN()}, false},
		{"zero distance", 0, 0, one, false}, {"point", 0, 2, one, true}, {"no moments", 1, 2, nil, true},
	} {
		got := M2LBound(row.norms, 1, 1, row.b, row.d)
		if math.IsInf(got, 1) == row.finite || math.IsNaN(got) {
			t.Errorf("%s: bound %v", row.name, got)
		}
	}
	// M2LBound stays an upper bound if P_1/D² underflows, and if D⁴¹ in P_40/D⁴¹ overflows. P_s is
	// the norm of degree s, and D is the distance.
	if got := M2LBound([]float64{0, 1e-200}, 1, -1, 0, 1e80); !(got > 0) {
		t.Errorf("bound below float64 is %v, want above 0", got)
	}
	high := make([]float64, 41)
	high[40] = 1e300
	for _, p := range []int{39, 40} {
		if got := M2LBound(high, p, -1, 0, 1e9); !(got >= 1e300*1e-300*1e-69) {
			t.Errorf("bound with D⁴¹ = 1e369 is %v, want at least 1e-69", got)
		}
	}
	if got := M2LBound([]float64{0, 0, 0}, 1, 1, 1, 3); got != 0 {
		t.Errorf("bound of zero moments is %v, want 0", got)
	}
}

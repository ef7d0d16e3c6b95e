package harmonics

import (
	"math"
	"math/rand"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"
)

// A charge has P_s = |y|^s, and a dipole has the P_s that the comment of NormsTo states.
func TestNormsOfOneSource(t *testing.T) {
	const p = 40
	rng := rand.New(rand.NewSource(21))
	norms := make([]float64, p+1)
	for range 50 {
		y, n := inBall(rng), inBall(rng)
		NormsTo(norms, p, moments([]source{{at: y, charge: 1}}, p, r3.Vector{}))
		for s, got := range norms {
			if want := math.Pow(y.Norm(), float64(s)); !(math.Abs(got-want) <= float64(s*s+16)*unit*want) {
				t.Errorf("charge at %v: P_%d = %v, want %v", y, s, got, want)
			}
		}
		NormsTo(norms, p, moments([]source{{at: y, dipole: n}}, p, r3.Vector{}))
		radial := n.Dot(y.Normalize())
		across := n.Norm2() - radial*radial
		for s, got := range norms {
			f := float64(s)
			want := math.Sqrt(f*f*radial*radial+f*(f+1)/2*across) * math.Pow(y.Norm(), f-1)
			top := f * math.Pow(y.Norm(), f-1) * n.Norm()
			if !(math.Abs(got-want) <= float64(s*s+64)*unit*top) {
				t.Errorf("dipole %v at %v: P_%d = %v, want %v", n, y, s, got, want)
			}
			if got > top*(1+float64(s*s+64)*unit) {
				t.Errorf("dipole %v at %v: P_%d = %v above s|y|^{s−1}|n| = %v", n, y, s, got, top)
			}
		}
	}
}

// The field of the moments of one degree never exceeds the bound that NormsTo states. For the
// moments M_n^m = S_n^m(x)/((n−m)!(n+m)!), the field equals the bound.
func TestNormBoundsField(t *testing.T) {
	const p = 30
	rng := rand.New(rand.NewSource(22))
	norms, s := make([]float64, p+1), make([]float64, Len(p))
	for range 200 {
		m := make([]float64, Len(p))
		for n := 0; n <= p; n++ {
			for k := 0; k <= n; k++ {
				put(m, n*n, k, rng.NormFloat64()/factorial(n), rng.NormFloat64()/factorial(n))
			}
		}
		NormsTo(norms, p, m)
		x := inBall(rng)
		SingularTo(s, p, x)
		for n := 0; n <= p; n++ {
			got := math.Abs(pair(s[n*n:], m[n*n:], n, -1))
			if bound := norms[n] / math.Pow(x.Norm(), float64(n+1)); got > bound*(1+float64(n*n+64)*unit) {
				t.Errorf("degree %d at %v: field %v, bound %v", n, x, got, bound)
			}
			for k := 0; k <= n; k++ {
				c := At(s, n, k) / complex(factorial(n-k), 0) / complex(factorial(n+k), 0)
				put(m, n*n, k, real(c), imag(c))
			}
		}
		NormsTo(norms, p, m)
		for n := 0; n <= p; n++ {
			got := pair(s[n*n:], m[n*n:], n, -1)
			if bound := norms[n] / math.Pow(x.Norm(), float64(n+1)); !(math.Abs(got/bound-1) <= float64(n*n+64)*unit) {
				t.Errorf("degree %d at %v: extremal field %v, bound %v", n, x, got, bound)
			}
		}
	}
}

// turn24 applies rotation number k of the 24 rotations of the cube. The rotations are exact in
// float64.
func turn24(v r3.Vector, k int) r3.Vector {
	for ; k >= 4; k -= 4 {
		v = r3.Vector{X: v.Y, Y: v.Z, Z: v.X}
	}
	for ; k > 0; k-- {
		v = r3.Vector{X: -v.Y, Y: v.X, Z: v.Z}
	}
	return v
}

// Norms do not change under rotation and satisfy the triangle inequality.
func TestNormProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(0, 20).Draw(t, "p")
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		k := rapid.IntRange(0, 11).Draw(t, "turn")
		sources := randomSources(rng, 5, r3.Vector{}, 1, "both")
		a, b, sum := make([]float64, p+1), make([]float64, p+1), make([]float64, p+1)
		for _, s := range sources {
			NormsTo(b, p, moments([]source{s}, p, r3.Vector{}))
			for i := range b {
				sum[i] += b[i]
			}
		}
		NormsTo(a, p, moments(sources, p, r3.Vector{}))
		for i := range sources {
			sources[i].at, sources[i].dipole = turn24(sources[i].at, k), turn24(sources[i].dipole, k)
		}
		NormsTo(b, p, moments(sources, p, r3.Vector{}))
		for s := range a {
			slack := float64(p*p+64) * unit * sum[s]
			if a[s] > sum[s]+slack {
				t.Fatalf("P_%d = %v, want at most the sum %v of the parts", s, a[s], sum[s])
			}
			if math.Abs(a[s]-b[s]) > slack {
				t.Fatalf("P_%d = %v, but %v after rotation %d", s, a[s], b[s], k)
			}
		}
	})
}

// For every degree, the swap matrix B is orthogonal, and B² is the identity. B maps the harmonics
// at x to the harmonics at the swapped point.
func TestSwap(t *testing.T) {
	const p = 60
	rng := rand.New(rand.NewSource(23))
	tables := newSwaps(p)
	x := inBall(rng).Normalize()
	r, r2 := make([]float64, Len(p)), make([]float64, Len(p))
	RegularTo(r, p, x)
	RegularTo(r2, p, r3.Vector{X: x.Z, Y: x.Y, Z: x.X})
	l := newLayout(p)
	arrange := func(n int, c []float64) []float64 {
		v := make([]float64, l.row)
		at := func(m int) (cos, sin *float64) {
			i, j := l.at(n, m)
			return &v[i-n*l.row], &v[j-n*l.row]
		}
		cos, _ := at(0)
		*cos = c[n*n] * factorial(n)
		for m := 1; m <= n; m++ {
			cos, sin := at(m)
			w := math.Sqrt2 * math.Sqrt(factorial(n-m)*factorial(n+m))
			*cos, *sin = w*c[n*n+2*m-1], w*c[n*n+2*m]
		}
		return v
	}
	apply := func(b *degreeSwap, dst, src []float64) {
		for to, block := range b.blocks {
			in := src[l.start[swappedClass(b.n, to)]:]
			rows := classLen(b.n, to)
			for i, v := range block {
				dst[l.start[to]+i%rows] += v * in[i/rows]
			}
		}
	}
	for n := range tables {
		b := &tables[n]
		in, want := arrange(n, r), arrange(n, r2)
		out, back := make([]float64, l.row), make([]float64, l.row)
		apply(b, out, in)
		apply(b, back, out)
		square, errWant, errBack := 0.0, 0.0, 0.0
		for i := range in {
			square += sqr(in[i])
			errWant += sqr(out[i] - want[i])
			errBack += sqr(back[i] - in[i])
		}
		if math.Abs(square-1) > float64(n*n+32)*unit {
			t.Errorf("degree %d: |Y(x)|² = %v, want 1", n, square)
		}
		if math.Sqrt(errWant) > float64(n*n+32)*unit {
			t.Errorf("degree %d: B Y(x) differs from Y(swapped x) by %.3g", n, math.Sqrt(errWant))
		}
		if math.Sqrt(errBack) > float64(8*n+16)*unit {
			t.Errorf("degree %d: B² differs from 1 by %.3g", n, math.Sqrt(errBack))
		}
	}
}

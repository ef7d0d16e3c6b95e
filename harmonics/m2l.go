package harmonics

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// Tables holds the part of M2L from degree p to degree q that does not depend on the offset: the
// swap of x and z, the translation along z, and the order of the operations. Tables is immutable
// and safe for concurrent use.
type Tables struct {
	q, p     int
	weight   []float64 // values √((n−m)!(n+m)!), at index n(n+1)/2+m
	layout   layout
	program  program
	operator int // padded length of M2L.values
	kernel   kernel
}

// NewTables computes the tables for M2L from degree p to degree q in O((p+q)³) operations. It
// panics unless p, q ≥ 0 and p+q ≤ MaxDegree.
func NewTables(q, p int) *Tables {
	Len(p)
	Len(q)
	Len(p + q)
	t := &Tables{q: q, p: p, layout: newLayout(max(p, q)), kernel: kernels()[0]}
	for n := 0; n <= max(p, q); n++ {
		w := factorial(n)
		t.weight = append(t.weight, w)
		for m := 1; m <= n; m++ {
			w *= math.Sqrt(float64(n+m) * reciprocal[n-m+1])
			t.weight = append(t.weight, w)
		}
	}
	t.operator = padded(t.scaleAt() + p + 1 + q + 1)
	t.program = t.newProgram()
	return t
}

// padded rounds n up to a multiple of lanes.
func padded(n int) int { return (n + lanes - 1) / lanes * lanes }

// axialBlock returns the translation of order m along z over distance 1, in the orthonormal basis.
// Its rows are the degrees n = m … q of the result, its columns the degrees s = m … p. The block is
// stored by columns. On the z axis all S_n^m are 0 except S_n^0 = n!. So conj L_n^m = (−1)^{n+m}
// Σ_s (n+s)! M_s^m. In the orthonormal basis the factor is (−1)^{n+m} √(C(n+s,n−m) C(n+s,n+m)).
func axialBlock(q, p, m int) []float64 {
	rows := q - m + 1
	block := make([]float64, rows*(p-m+1))
	for n := m; n <= q; n++ {
		for s := m; s <= p; s++ {
			f := factorial(n + s)
			v := math.Sqrt(f/(factorial(n-m)*factorial(s+m))) * math.Sqrt(f/(factorial(n+m)*factorial(s-m)))
			if (n+m)&1 != 0 {
				v = -v
			}
			block[(s-m)*rows+n-m] = v
		}
	}
	return block
}

// factorial returns n!. For n ≤ MaxDegree it is finite: 120! ≈ 7·10¹⁹⁸.
func factorial(n int) float64 {
	f := 1.0
	for k := 2; k <= n; k++ {
		f *= float64(k)
	}
	return f
}

// M2L is the operator of MatrixM2L for one offset d = target − source. It rotates d to the z axis,
// translates along z and rotates back, in O((p+q)³) operations. An M2L shares its Tables and has
// O(p+q) memory of its own. It is immutable and safe for concurrent use. A Sum applies it.
type M2L struct {
	// values starts with cos mα for m = 0 … N = max(p, q), then sin mα, where α is the longitude of
	// d. The same values for the latitude of d follow, then |d|^{−s} for s = 0 … p, and |d|^{−n−1}
	// unitⁿ for n = 0 … q.
	values []float64
}

func (t *Tables) latitudeAt() int { return 2 * (t.layout.degree + 1) }
func (t *Tables) scaleAt() int    { return 4 * (t.layout.degree + 1) }

// M2L returns the operator for d = target − source. The operator also multiplies the local coefficients
// of degree n by unitⁿ, which changes their unit of length. M2L panics if d is zero or not finite.
func (t *Tables) M2L(d r3.Vector, unit float64) *M2L {
	length := math.Hypot(math.Hypot(d.X, d.Y), d.Z)
	if !(length > 0 && length <= math.MaxFloat64) {
		panic(fmt.Sprintf("harmonics: the offset %v of M2L is zero or not finite", d))
	}
	// The first rotation about z moves d to the plane x = 0, and the first swap moves d to the plane
	// z = 0. The second rotation about z moves d to the x axis, and the second swap moves d to the z
	// axis.
	across := math.Hypot(d.X, d.Y)
	c, s := 1.0, 0.0
	if across > 0 {
		c, s = d.Y/across, -d.X/across
	}
	v := make([]float64, t.operator)
	n := t.layout.degree
	rotationTo(v[:2*(n+1)], c, s)
	rotationTo(v[t.latitudeAt():t.scaleAt()], d.Z/length, across/length)
	powersTo(v[t.scaleAt():][:t.p+1], 1, 1/length, 1)
	powersTo(v[t.scaleAt()+t.p+1:][:t.q+1], 1/length, 1/length, unit)
	return &M2L{values: v}
}

// rotationTo writes cos mα, then sin mα, for the orders m = 0 … len(dst)/2−1.
func rotationTo(dst []float64, c, s float64) {
	n := len(dst) / 2
	cos, sin := 1.0, 0.0
	for m := range n {
		dst[m], dst[n+m] = cos, sin
		cos, sin = float64(cos*c)-float64(sin*s), float64(cos*s)+float64(sin*c)
	}
}

// powersTo writes start·fⁿ·unitⁿ for n = 0, 1, … to dst. unit should be a power of two.
func powersTo(dst []float64, start, f, unit float64) {
	u := 1.0
	for i := range dst {
		dst[i] = start * u
		start *= f
		u *= unit
	}
}

// Sum adds the local expansions of many pairs with a common target. It translates eight moments at
// a time, one in each lane of a vector register. The pairs can have different offsets. Only one
// goroutine at a time can use a Sum.
type Sum struct {
	tables     *Tables
	count      int // number of pairs that wait for a translation
	used       bool
	operators  [lanes][]float64
	moments    [lanes][]float64
	zero       []float64 // moments for lanes without a pair
	in, values []vector  // moments and operators, one for each lane
	a, b       []vector  // values of one step, in the order of layout
	out        []vector  // local coefficients, and one unused element
}

// NewSum returns an empty sum.
func (t *Tables) NewSum() *Sum {
	return &Sum{
		tables: t, zero: make([]float64, padded(Len(t.p))),
		in: make([]vector, padded(Len(t.p))+1), values: make([]vector, t.operator),
		a: make([]vector, t.layout.size()), b: make([]vector, t.layout.size()),
		out: make([]vector, Len(t.q)+1),
	}
}

// Add adds the local coefficients that o computes from the moments src. o must come from the tables
// of the sum. src must not change until AddTo. If src is shorter than Len(p) rounded up to a
// multiple of eight, Add copies it. If src is shorter than Len(p), Add panics.
func (s *Sum) Add(o *M2L, src []float64) {
	checkLen("src", src, s.tables.p)
	if len(o.values) != s.tables.operator {
		panic("harmonics: the operator comes from tables of other degrees than the sum")
	}
	if n := len(s.zero); len(src) < n {
		src = append(make([]float64, 0, n), src...)[:n]
	}
	s.operators[s.count], s.moments[s.count] = o.values, src[:len(s.zero)]
	if s.count++; s.count == lanes {
		s.translate()
	}
}

// AddTo adds the sum to dst, which has at least Len(q) elements, and empties the sum. At degree n,
// the local coefficients of each pair differ from the result of MatrixM2L by a small multiple of
// (p+q)·2⁻⁵³ Σ_s C(n+s,n) P_s/|d|^{n+s+1}, with P_s from NormsTo.
func (s *Sum) AddTo(dst []float64) {
	t := s.tables
	checkLen("dst", dst, t.q)
	if s.count > 0 {
		for i := s.count; i < lanes; i++ {
			s.operators[i], s.moments[i] = s.operators[0], s.zero
		}
		s.translate()
	}
	if !s.used {
		return
	}
	s.used = false
	for i := range Len(t.q) {
		v := &s.out[i]
		dst[i] += ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
	}
}

// translate adds the waiting pairs to s.out.
func (s *Sum) translate() {
	t := s.tables
	p, k := &t.program, t.kernel
	if !s.used {
		s.used = true
		clear(s.out)
	}
	angles := s.values[t.latitudeAt():]
	k.transpose(s.in, &s.moments)
	k.transpose(s.values, &s.operators)
	k.load(s.a, s.in, s.values, p.source, p.sines)
	k.multiply(s.b, s.a, &p.sourceSwaps)
	k.rotate(s.b, angles, p.sourceRotations, p.sines, 1)
	k.multiply(s.a, s.b, &p.sourceSwaps)
	k.multiply(s.b, s.a, &p.axial)
	k.multiply(s.a, s.b, &p.targetSwaps)
	k.rotate(s.a, angles, p.targetRotations, p.sines, -1)
	k.multiply(s.b, s.a, &p.targetSwaps)
	k.store(s.out, s.b, s.values, p.target, p.sines)
	s.count = 0
}

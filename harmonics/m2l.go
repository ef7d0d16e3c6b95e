package harmonics

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// Tables holds the data of M2L from degree p to degree q that do not depend on the offset: the swap
// of x and z, and the translation along z. Tables is immutable and safe for concurrent use.
type Tables struct {
	q, p   int
	swaps  []degreeSwap // swap of x and z for the degrees 0 … max(p,q)
	axial  [][]quad     // matrix of each order m ≤ min(p,q): rows n = m … q in groups of four, columns s = m … p
	weight []float64    // values √((n−m)!(n+m)!), at index n(n+1)/2+m
	work   workLayout
}

// workLayout divides the working memory of M2L. Before the translation, the values of order m
// (degrees m … p) begin at from[m]. After the translation, the values of order m (degrees m … q, in
// whole quads) begin at to[m]. Cosine coefficients precede sine coefficients. Two buffers for one
// degree each are at the end of the memory.
type workLayout struct {
	from, to             []int
	first, second, total int
}

// NewTables computes the tables for M2L from degree p to degree q in O((p+q)³) operations. It
// requires p, q ≥ 0 and p+q ≤ MaxDegree, else it panics.
func NewTables(q, p int) *Tables {
	Len(p)
	Len(q)
	Len(p + q)
	t := &Tables{q: q, p: p, swaps: newSwaps(max(p, q))}
	for n := 0; n <= max(p, q); n++ {
		w := factorial(n)
		t.weight = append(t.weight, w)
		for m := 1; m <= n; m++ {
			w *= math.Sqrt(float64(n+m) * reciprocal[n-m+1])
			t.weight = append(t.weight, w)
		}
	}
	for m := 0; m <= min(p, q); m++ {
		t.axial = append(t.axial, axialBlock(q, p, m))
	}
	t.work = newWorkLayout(q, p, t.swaps[max(p, q)].length)
	return t
}

func newWorkLayout(q, p, buffer int) (w workLayout) {
	for m := 0; m <= min(p, q); m++ {
		w.from = append(w.from, w.total)
		w.total += 2 * (p - m + 1)
	}
	for m := 0; m <= min(p, q); m++ {
		w.to = append(w.to, w.total)
		w.total += 2 * 4 * quads(q-m+1)
	}
	w.first, w.second, w.total = w.total, w.total+buffer, w.total+2*buffer
	return w
}

// axialBlock returns the translation of order m along z over distance 1, in the orthonormal basis.
// On the z axis all S_n^m are 0 except S_n^0 = n!. So conj L_n^m = (−1)^{n+m} Σ_s (n+s)! M_s^m. In
// the orthonormal basis the factor is (−1)^{n+m} √(C(n+s,n−m) C(n+s,n+m)).
func axialBlock(q, p, m int) []quad {
	cols := p - m + 1
	block := make([]quad, quads(q-m+1)*cols)
	for n := m; n <= q; n++ {
		for s := m; s <= p; s++ {
			f := factorial(n + s)
			v := math.Sqrt(f/(factorial(n-m)*factorial(s+m))) * math.Sqrt(f/(factorial(n+m)*factorial(s-m)))
			if (n+m)&1 != 0 {
				v = -v
			}
			block[(n-m)/4*cols+s-m][(n-m)%4] = v
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
// translates along z and rotates back, in O((p+q)³) operations. It shares its Tables and has O(p+q)
// memory of its own. At degrees up to about 10, a product with MatrixM2L is faster. M2L is
// immutable and safe for concurrent use.
type M2L struct {
	tables                   *Tables
	longitude, latitude      rotation
	sourceScale, targetScale []float64 // factors |d|^{−s} and |d|^{−n−1}
}

// M2L returns the operator for d = target − source. It panics if d is zero or not finite.
func (t *Tables) M2L(d r3.Vector) *M2L {
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
	n := max(t.p, t.q)
	return &M2L{
		tables:      t,
		longitude:   newRotation(n, c, s),
		latitude:    newRotation(n, d.Z/length, across/length),
		sourceScale: powers(t.p, 1, 1/length),
		targetScale: powers(t.q, 1/length, 1/length),
	}
}

// rotation stores cos mα and sin mα. Index 0 holds m = 2, 4, …, and index 1 holds m = 1, 3, …
type rotation struct{ cos, sin [2][]float64 }

func newRotation(n int, c, s float64) (r rotation) {
	cos, sin := 1.0, 0.0
	for m := 1; m <= n; m++ {
		cos, sin = float64(cos*c)-float64(sin*s), float64(cos*s)+float64(sin*c)
		odd := m & 1
		r.cos[odd], r.sin[odd] = append(r.cos[odd], cos), append(r.sin[odd], sin)
	}
	return r
}

// powers returns scale·fⁿ for n = 0 … p.
func powers(p int, scale, f float64) []float64 {
	out := make([]float64, p+1)
	for i := range out {
		out[i] = scale
		scale *= f
	}
	return out
}

// WorkLen returns the length of the work slice that M2L.AddTo needs.
func (t *Tables) WorkLen() int { return t.work.total }

// AddTo computes the local coefficients of degree q from the moments src of degree p, and adds them
// to dst. It overwrites work, which needs Tables.WorkLen elements. AddTo does not allocate. At
// degree n the result differs from the result of MatrixM2L by a small multiple of (p+q)·2⁻⁵³ Σ_s
// C(n+s,n) P_s/|d|^{n+s+1}, with P_s from NormsTo. AddTo panics if a slice is too short.
func (o *M2L) AddTo(dst, src, work []float64) {
	t := o.tables
	checkLen("dst", dst, t.q)
	checkLen("src", src, t.p)
	if len(work) < t.work.total {
		panic(fmt.Sprintf("harmonics: the work slice has length %d, but M2L needs at least %d", len(work), t.work.total))
	}
	first, second := work[t.work.first:t.work.second], work[t.work.second:t.work.total]
	for s := 0; s <= t.p; s++ {
		b := &t.swaps[s]
		o.load(first, src, b)
		b.apply(second, first)
		o.rotate(second, b, 1)
		b.apply(first, second)
		t.scatter(work, first, b)
	}
	t.translate(work)
	for n := 0; n <= t.q; n++ {
		b := &t.swaps[n]
		t.gather(first, work, b)
		b.apply(second, first)
		o.rotate(second, b, -1)
		b.apply(first, second)
		o.store(dst, first, b)
	}
}

// load converts the moments of one degree s to the orthonormal basis, rotates them about z by the
// longitude of d, and divides them by |d|^s. A rotation of the coordinates by −α multiplies order m
// by e^{−imα}.
func (o *M2L) load(dst, src []float64, b *degreeSwap) {
	n := b.n
	row := src[n*n : (n+1)*(n+1)]
	w := o.tables.weight[n*(n+1)/2:][:n+1]
	f := o.sourceScale[n]
	dst[0] = row[0] * w[0] * f
	f *= math.Sqrt2
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(dst, odd)
		s = s[:len(c)]
		cos, sin := o.longitude.cos[odd][:len(c)], o.longitude.sin[odd][:len(c)]
		for i := range c {
			m := 2*i + 2 - odd
			g := w[m] * f
			re, im := row[2*m-1]*g, row[2*m]*g
			c[i] = float64(re*cos[i]) + float64(im*sin[i])
			s[i] = float64(im*cos[i]) - float64(re*sin[i])
		}
	}
}

// rotate rotates the values of one degree about z by the latitude of d, or back if sign is −1.
func (o *M2L) rotate(v []float64, b *degreeSwap, sign float64) {
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(v, odd)
		s = s[:len(c)]
		cos, sin := o.latitude.cos[odd][:len(c)], o.latitude.sin[odd][:len(c)]
		for i, re := range c {
			im, sine := s[i], sign*sin[i]
			c[i] = float64(re*cos[i]) + float64(im*sine)
			s[i] = float64(im*cos[i]) - float64(re*sine)
		}
	}
}

// scatter copies the values v of one degree to work, where each order has its own vector.
func (t *Tables) scatter(work, v []float64, b *degreeSwap) {
	work[t.work.from[0]+b.n] = v[0]
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(v, odd)
		s = s[:len(c)]
		for i := range c {
			m := 2*i + 2 - odd
			if m > t.q {
				break
			}
			at := t.work.from[m] + b.n - m
			work[at], work[at+t.p-m+1] = c[i], s[i]
		}
	}
}

// gather copies the values of one degree from work to v. Orders above p become zero.
func (t *Tables) gather(v, work []float64, b *degreeSwap) {
	v[0] = work[t.work.to[0]+b.n]
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(v, odd)
		s = s[:len(c)]
		for i := range c {
			m := 2*i + 2 - odd
			if m > t.p {
				c[i], s[i] = 0, 0
				continue
			}
			at := t.work.to[m] + b.n - m
			c[i], s[i] = work[at], work[at+4*quads(t.q-m+1)]
		}
	}
}

// translate applies the translation along z, order by order.
func (t *Tables) translate(work []float64) {
	for m, block := range t.axial {
		cols := t.p - m + 1
		in := work[t.work.from[m]:][:2*cols]
		rows := 4 * quads(t.q-m+1)
		out := work[t.work.to[m]:][:2*rows]
		for i := 0; i < rows; i += 4 {
			if m == 0 {
				multiply((*quad)(out[i:]), block, in[:cols])
			} else {
				multiplyTwo((*quad)(out[i:]), (*quad)(out[rows+i:]), block, in[:cols], in[cols:])
			}
			block = block[cols:]
		}
	}
}

// store rotates the values of one degree back by the longitude of d, converts them from the
// orthonormal basis, and adds them to dst. The slice v contains conj L, as axialBlock explains.
func (o *M2L) store(dst, v []float64, b *degreeSwap) {
	n := b.n
	row := dst[n*n : (n+1)*(n+1)]
	w := o.tables.weight[n*(n+1)/2:][:n+1]
	f := o.targetScale[n]
	row[0] += float64(v[0] * w[0] * f)
	f *= math.Sqrt2 / 2
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(v, odd)
		s = s[:len(c)]
		cos, sin := o.longitude.cos[odd][:len(c)], o.longitude.sin[odd][:len(c)]
		for i, re := range c {
			m, im := 2*i+2-odd, s[i]
			g := w[m] * f
			row[2*m-1] += float64(g * (float64(re*cos[i]) - float64(im*sin[i])))
			row[2*m] -= float64(g * (float64(im*cos[i]) + float64(re*sin[i])))
		}
	}
}

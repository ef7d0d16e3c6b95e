package harmonics

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// denseLimit is the largest max(p,q) for which M2L is a dense matrix. By
// BenchmarkM2L the rotated form overtakes one matrix in use all the time between
// degrees 9 and 10; but many offsets take turns, and beyond degree 7 a matrix
// exceeds 32 KiB, a first-level cache.
const denseLimit = 7

// M2L is the operator from moments of degree p to local coefficients of degree q
// over one offset d = target − source: AddM2L made fast. Up to degree 7 it is a
// dense matrix of (q+1)²(p+1)² float64; above, rotation of d to the z axis,
// translation along z and rotation back, O((p+q)³) operations from shared Tables
// and O(p+q) memory of its own. Immutable, safe for concurrent use.
type M2L struct {
	shared *Tables
	matrix []float64 // nil above denseLimit

	longitude, latitude turns
	shrink, grow        []float64 // D^{−s} and D^{−n−1}
}

// NewM2L returns the operator to degree q from degree p for d = target − source.
// Where many offsets share degrees, make Tables once and call its M2L. It panics
// unless p, q ≥ 0, p+q ≤ MaxDegree, and d is finite and not zero.
func NewM2L(q, p int, d r3.Vector) *M2L { return NewTables(q, p).M2L(d) }

// M2L returns the operator for d = target − source. It panics unless d is finite
// and not zero.
func (t *Tables) M2L(d r3.Vector) *M2L {
	length := math.Hypot(math.Hypot(d.X, d.Y), d.Z)
	if !(length > 0 && length <= math.MaxFloat64) {
		panic(fmt.Sprintf("harmonics: M2L over the offset %v", d))
	}
	o := &M2L{shared: t}
	if max(t.p, t.q) <= denseLimit {
		o.matrix = MatrixM2L(t.q, t.p, d)
		return o
	}
	// A turn about z takes d into the plane x = 0; the swap makes that z = 0;
	// a turn about z takes it to the x axis; the swap makes that the z axis.
	across := math.Hypot(d.X, d.Y)
	c, s := 1.0, 0.0
	if across > 0 {
		c, s = d.Y/across, -d.X/across
	}
	n := max(t.p, t.q)
	o.longitude = newTurns(n, c, s)
	o.latitude = newTurns(n, d.Z/length, across/length)
	o.shrink = powers(t.p, 1, 1/length)
	o.grow = powers(t.q, 1/length, 1/length)
	return o
}

// turns holds cos mα and sin mα for m = 2, 4, … at [0] and m = 1, 3, … at [1].
type turns struct{ cos, sin [2][]float64 }

func newTurns(n int, c, s float64) (t turns) {
	cos, sin := 1.0, 0.0
	for m := 1; m <= n; m++ {
		cos, sin = float64(cos*c)-float64(sin*s), float64(cos*s)+float64(sin*c)
		odd := m & 1
		t.cos[odd], t.sin[odd] = append(t.cos[odd], cos), append(t.sin[odd], sin)
	}
	return t
}

// powers returns first·fⁿ, n = 0 … p.
func powers(p int, first, f float64) []float64 {
	out := make([]float64, p+1)
	for i := range out {
		out[i] = first
		first *= f
	}
	return out
}

// Matrix returns the operator as a row-major matrix of Len(q) rows and Len(p)
// columns when it is kept as one, else nil; MatrixM2L builds it for any degree.
// It must not be changed.
func (o *M2L) Matrix() []float64 { return o.matrix }

// WorkLen returns the number of float64 that AddTo of these operators needs as work.
func (t *Tables) WorkLen() int { return t.layout.total }

// WorkLen returns the number of float64 that AddTo needs as work.
func (o *M2L) WorkLen() int { return o.shared.layout.total }

// AddTo adds the local coefficients of the moments src, degree p, to dst, degree q.
// work needs WorkLen elements and is overwritten; it may be shared by operators,
// one after the other. AddTo does not allocate. It agrees with AddM2L to a small
// multiple of (p+q)·2⁻⁵³ of the norm of each degree, C(n+s,n) P_s/D^{n+s+1} summed
// over s. It panics when a slice is too short.
func (o *M2L) AddTo(dst, src, work []float64) {
	need("dst", dst, o.shared.q)
	need("src", src, o.shared.p)
	if o.matrix != nil {
		addMatrix(dst[:Len(o.shared.q)], o.matrix, src[:Len(o.shared.p)])
		return
	}
	if len(work) < o.shared.layout.total {
		panic(fmt.Sprintf("harmonics: work has length %d, M2L needs %d", len(work), o.shared.layout.total))
	}
	first := work[o.shared.layout.first:][:o.shared.layout.bufferLen]
	second := work[o.shared.layout.second:][:o.shared.layout.bufferLen]
	for s := 0; s <= o.shared.p; s++ {
		b := &o.shared.swaps[s]
		o.load(first, src, b)
		b.apply(second, first)
		o.turn(second, b, 1)
		b.apply(first, second)
		o.scatter(work, first, b)
	}
	o.translate(work)
	for n := 0; n <= o.shared.q; n++ {
		b := &o.shared.swaps[n]
		o.gather(first, work, b)
		b.apply(second, first)
		o.turn(second, b, -1)
		b.apply(first, second)
		o.unload(dst, first, b)
	}
}

// load writes one degree of the moments in the orthonormal basis, turned about z
// by the longitude and divided by Dⁿ. A turn of the coordinates by −α multiplies
// order m by e^{−imα}.
func (o *M2L) load(dst, src []float64, b *degreeSwap) {
	n := b.n
	row := src[n*n : (n+1)*(n+1)]
	w := o.shared.weight[n*(n+1)/2:][:n+1]
	f := o.shrink[n]
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

// turn turns one degree about z by the latitude, forth (1) or back (−1).
func (o *M2L) turn(v []float64, b *degreeSwap, sign float64) {
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

// scatter copies one degree to the vectors by order.
func (o *M2L) scatter(work, v []float64, b *degreeSwap) {
	work[o.shared.layout.from[0]+b.n] = v[0]
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(v, odd)
		s = s[:len(c)]
		for i := range c {
			m := 2*i + 2 - odd
			if m > o.shared.q {
				break
			}
			at := o.shared.layout.from[m] + b.n - m
			work[at], work[at+o.shared.p-m+1] = c[i], s[i]
		}
	}
}

// gather copies one degree from the vectors by order; orders above p are zero.
func (o *M2L) gather(v, work []float64, b *degreeSwap) {
	v[0] = work[o.shared.layout.to[0]+b.n]
	for odd := 0; odd < 2; odd++ {
		c, s := b.orders(v, odd)
		s = s[:len(c)]
		for i := range c {
			m := 2*i + 2 - odd
			if m > o.shared.p {
				c[i], s[i] = 0, 0
				continue
			}
			at := o.shared.layout.to[m] + b.n - m
			c[i], s[i] = work[at], work[at+4*quads(o.shared.q-m+1)]
		}
	}
}

// translate applies the translation along z, order by order.
func (o *M2L) translate(work []float64) {
	for m, block := range o.shared.axial {
		cols := o.shared.p - m + 1
		in := work[o.shared.layout.from[m]:][:2*cols]
		rows := 4 * quads(o.shared.q-m+1)
		out := work[o.shared.layout.to[m]:][:2*rows]
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

// unload turns one degree back by the longitude, leaves the orthonormal basis and
// adds to dst. The vectors hold conj L, see axialBlock.
func (o *M2L) unload(dst, v []float64, b *degreeSwap) {
	n := b.n
	row := dst[n*n : (n+1)*(n+1)]
	w := o.shared.weight[n*(n+1)/2:][:n+1]
	f := o.grow[n]
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

// addMatrix adds the row-major matrix times src to dst, four rows at a time.
func addMatrix(dst, matrix, src []float64) {
	n := len(src)
	for len(dst) >= 4 {
		ra, rb, rc, rd := matrix[:n], matrix[n:2*n], matrix[2*n:3*n], matrix[3*n:4*n]
		var a, b, c, d float64
		for j, v := range src {
			a += float64(ra[j] * v)
			b += float64(rb[j] * v)
			c += float64(rc[j] * v)
			d += float64(rd[j] * v)
		}
		dst[0] += a
		dst[1] += b
		dst[2] += c
		dst[3] += d
		dst, matrix = dst[4:], matrix[4*n:]
	}
	for i := range dst {
		a := 0.0
		for j, v := range matrix[i*n : (i+1)*n] {
			a += float64(v * src[j])
		}
		dst[i] += a
	}
}

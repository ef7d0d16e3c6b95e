package harmonics

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// denseLimit is the largest max(p,q) for which M2L is a dense matrix; measured by
// BenchmarkM2L, the rotated form is faster above.
const denseLimit = 6

// M2L is the operator from moments of degree p to local coefficients of degree q
// over one offset d = target − source: AddM2L made fast. Up to degree 6 it is a
// dense matrix of (q+1)²(p+1)² float64; above, rotation of d to the z axis,
// translation along z and rotation back, O((p+q)³) operations from shared Tables
// and O(p+q) memory of its own. Immutable, safe for concurrent use.
type M2L struct {
	*Tables
	matrix []float64 // nil above denseLimit

	longitude, latitude []float64 // cos mα, sin mα at 2m
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
	o := &M2L{Tables: t}
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
	o.longitude = turns(n, c, s)
	o.latitude = turns(n, d.Z/length, across/length)
	o.shrink = powers(t.p, 1, 1/length)
	o.grow = powers(t.q, 1/length, 1/length)
	return o
}

// turns returns cos mα and sin mα, m = 0 … n, at 2m and 2m+1.
func turns(n int, c, s float64) []float64 {
	out := make([]float64, 2*n+2)
	out[0] = 1
	for m := 2; m < len(out); m += 2 {
		a, b := out[m-2], out[m-1]
		out[m] = float64(a*c) - float64(b*s)
		out[m+1] = float64(a*s) + float64(b*c)
	}
	return out
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

// WorkLen returns the number of float64 that AddTo needs as work.
func (t *Tables) WorkLen() int { return t.layout.total }

// AddTo adds the local coefficients of the moments src, degree p, to dst, degree q.
// work needs WorkLen elements and is overwritten; it may be shared by operators,
// one after the other. AddTo does not allocate. It agrees with AddM2L to a small
// multiple of (p+q)·2⁻⁵³ of the norm of each degree, C(n+s,n) P_s/D^{n+s+1} summed
// over s. It panics when a slice is too short.
func (o *M2L) AddTo(dst, src, work []float64) {
	need("dst", dst, o.q)
	need("src", src, o.p)
	if o.matrix != nil {
		addMatrix(dst[:Len(o.q)], o.matrix, src[:Len(o.p)])
		return
	}
	if len(work) < o.layout.total {
		panic(fmt.Sprintf("harmonics: work has length %d, M2L needs %d", len(work), o.layout.total))
	}
	first := work[o.layout.first:][:o.layout.bufferLen]
	second := work[o.layout.second:][:o.layout.bufferLen]
	for s := 0; s <= o.p; s++ {
		o.load(first, src, s)
		o.swaps[s].apply(second, first, s)
		o.turn(second, s, 1)
		o.swaps[s].apply(first, second, s)
		o.scatter(work, first, s)
	}
	o.translate(work)
	for n := 0; n <= o.q; n++ {
		o.gather(first, work, n)
		o.swaps[n].apply(second, first, n)
		o.turn(second, n, -1)
		o.swaps[n].apply(first, second, n)
		o.unload(dst, first, n)
	}
}

// place returns where order m > 0 of degree n has its c and s in the class layout.
func place(start *[classes]int, m int) (c, s int) {
	if m&1 == 0 {
		return start[cosEven] + m/2, start[sinEven] + m/2 - 1
	}
	return start[cosOdd] + m/2, start[sinOdd] + m/2
}

// load writes degree n of the moments in the orthonormal basis, turned about z by
// the longitude and divided by Dⁿ. A turn of the coordinates by −α multiplies
// order m by e^{−imα}.
func (o *M2L) load(dst, src []float64, n int) {
	start, _ := classStarts(n)
	row := src[n*n : (n+1)*(n+1)]
	w := o.weight[n*(n+1)/2:][:n+1]
	f := o.shrink[n]
	dst[0] = row[0] * w[0] * f
	f *= math.Sqrt2
	for m := 1; m <= n; m++ {
		c, s := place(&start, m)
		g := w[m] * f
		re, im := row[2*m-1]*g, row[2*m]*g
		cos, sin := o.longitude[2*m], o.longitude[2*m+1]
		dst[c] = float64(re*cos) + float64(im*sin)
		dst[s] = float64(im*cos) - float64(re*sin)
	}
}

// turn turns degree n about z by the latitude, forth (1) or back (−1).
func (o *M2L) turn(v []float64, n int, sign float64) {
	start, _ := classStarts(n)
	for m := 1; m <= n; m++ {
		c, s := place(&start, m)
		re, im := v[c], v[s]
		cos, sin := o.latitude[2*m], sign*o.latitude[2*m+1]
		v[c] = float64(re*cos) + float64(im*sin)
		v[s] = float64(im*cos) - float64(re*sin)
	}
}

// scatter copies degree s to the vectors by order.
func (o *M2L) scatter(work, v []float64, s int) {
	start, _ := classStarts(s)
	work[o.layout.from[0]+s] = v[0]
	for m := 1; m <= min(s, o.q); m++ {
		at := o.layout.from[m] + s - m
		c, d := place(&start, m)
		work[at], work[at+o.p-m+1] = v[c], v[d]
	}
}

// gather copies degree n from the vectors by order.
func (o *M2L) gather(v, work []float64, n int) {
	start, _ := classStarts(n)
	v[0] = work[o.layout.to[0]+n]
	for m := 1; m <= n; m++ {
		c, s := place(&start, m)
		if m > o.p {
			v[c], v[s] = 0, 0
			continue
		}
		at := o.layout.to[m] + n - m
		v[c], v[s] = work[at], work[at+4*quads(o.q-m+1)]
	}
}

// translate applies the translation along z, order by order.
func (o *M2L) translate(work []float64) {
	for m, block := range o.axial {
		cols := o.p - m + 1
		in := work[o.layout.from[m]:][:2*cols]
		rows := 4 * quads(o.q-m+1)
		out := work[o.layout.to[m]:][:2*rows]
		for i := 0; i < rows; i += 4 {
			multiply(out[i:i+4], block[:cols], in[:cols])
			if m > 0 {
				multiply(out[rows+i:rows+i+4], block[:cols], in[cols:])
			}
			block = block[cols:]
		}
	}
}

// unload turns degree n back by the longitude, leaves the orthonormal basis and
// adds to dst. The vectors hold conj L, see axialBlock.
func (o *M2L) unload(dst, v []float64, n int) {
	start, _ := classStarts(n)
	row := dst[n*n : (n+1)*(n+1)]
	w := o.weight[n*(n+1)/2:][:n+1]
	f := o.grow[n]
	row[0] += v[0] * w[0] * f
	f *= math.Sqrt2 / 2
	for m := 1; m <= n; m++ {
		c, s := place(&start, m)
		re, im := v[c], v[s]
		g := w[m] * f
		cos, sin := o.longitude[2*m], o.longitude[2*m+1]
		row[2*m-1] += g * (float64(re*cos) - float64(im*sin))
		row[2*m] -= g * (float64(im*cos) + float64(re*sin))
	}
}

// addMatrix adds the row-major matrix times src to dst, four rows at a time.
func addMatrix(dst, matrix, src []float64) {
	n := len(src)
	for len(dst) >= 4 {
		ra, rb, rc, rd := matrix[:n], matrix[n:2*n], matrix[2*n:3*n], matrix[3*n:4*n]
		var a, b, c, d float64
		for j, v := range src {
			a += ra[j] * v
			b += rb[j] * v
			c += rc[j] * v
			d += rd[j] * v
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
			a += v * src[j]
		}
		dst[i] += a
	}
}

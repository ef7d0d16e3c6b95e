package harmonics

import (
	"cmp"
	"math"
	"slices"
)

// lanes is the number of pairs that M2L translates at a time.
const lanes = 8

// vector holds one value for each pair that is translated.
type vector = [lanes]float64

// layout arranges the values of an expansion in the orthonormal basis of swap.go. Each degree has a row
// of equal length. A row has the four classes one after another, and one unused element.
type layout struct {
	degree int // largest degree
	start  [classes]int
	row    int
}

func newLayout(degree int) layout {
	l := layout{degree: degree}
	for c := range l.start {
		l.start[c] = l.row
		l.row += classLen(degree, c)
	}
	l.row++
	return l
}

func (l *layout) size() int { return (l.degree + 1) * l.row }

// at returns the positions of the cosine and sine coefficients of degree n and order m. The sine
// coefficient of order 0 is the unused element.
func (l *layout) at(n, m int) (cos, sin int) {
	cos = n*l.row + l.start[cosEven+m&1] + m/2
	if m == 0 {
		return cos, n*l.row + l.row - 1
	}
	return cos, n*l.row + l.start[sinEven+m&1] + (m-1)/2
}

// program lists the operations of M2L. The kernels execute it.
type program struct {
	source, target                   []coefficient
	sourceRotations, targetRotations []coefficient
	sourceSwaps, targetSwaps, axial  products
	sines                            int // distance of sin mα from cos mα in the operator
}

// coefficient describes the coefficient of degree n and order m of an expansion. Its numbers are
// indices of vectors.
type coefficient struct {
	re, im   int32 // positions in the packed expansion; im of order 0 is an unused element
	cos, sin int32 // positions in the layout
	angle    int32 // position of cos mα in the operator
	scale    int32 // position of the factor of degree n in the operator
	weight   float64
}

// products is a list of products of constant matrices with vectors. It is sorted by the number of rows.
type products struct {
	list   []product
	counts [maxRows + 1]int64 // number of products with each number of rows
	values []float64          // matrices, stored by columns
}

// maxRows is the largest number of rows of a product. The sums of more rows would not fit into the
// registers of AVX2.
const maxRows = 12

// product is dst[i·dstStep] = Σ_j matrix[j·rows+i] src[j·srcStep]. The positions are indices of vectors
// in the layout.
type product struct {
	dst, src         int32
	dstStep, srcStep int32
	rows, cols       int32
	matrix           int32 // index of the matrix in products.values
	_                int32
}

// add adds the product of a matrix with a vector. It divides the rows into parts of at most maxRows.
func (p *products) add(dst, dstStep, rows, src, srcStep, cols int, matrix []float64) {
	parts := (rows + maxRows - 1) / maxRows
	for part := range parts {
		lo, hi := rows*part/parts, rows*(part+1)/parts
		p.list = append(p.list, product{
			dst: int32(dst + lo*dstStep), src: int32(src), dstStep: int32(dstStep), srcStep: int32(srcStep),
			rows: int32(hi - lo), cols: int32(cols), matrix: int32(len(p.values)),
		})
		for j := range cols {
			p.values = append(p.values, matrix[j*rows+lo:j*rows+hi]...)
		}
	}
}

// sort sorts the products, so that the kernels have one loop for each number of rows.
func (p *products) sort() {
	slices.SortStableFunc(p.list, func(a, b product) int { return cmp.Or(cmp.Compare(a.rows, b.rows), cmp.Compare(a.cols, b.cols)) })
	for i := range p.list {
		p.counts[p.list[i].rows]++
	}
}

func (t *Tables) newProgram() (p program) {
	l := &t.layout
	p.sines = l.degree + 1
	list := func(degree, unused, scaleAt int, factor func(m int) float64) (all, rotations []coefficient) {
		for n := 0; n <= degree; n++ {
			for m := 0; m <= n; m++ {
				c := coefficient{
					re: int32(n*n + max(0, 2*m-1)), im: int32(n*n + 2*m), angle: int32(m), scale: int32(scaleAt + n),
					weight: t.weight[n*(n+1)/2+m] * factor(m),
				}
				if m == 0 {
					c.im = int32(unused)
				}
				cos, sin := l.at(n, m)
				c.cos, c.sin = int32(cos), int32(sin)
				all = append(all, c)
				if m > 0 {
					rotations = append(rotations, c)
				}
			}
		}
		return all, rotations
	}
	p.source, p.sourceRotations = list(t.p, padded(Len(t.p)), t.scaleAt(), func(m int) float64 {
		if m == 0 {
			return 1
		}
		return math.Sqrt2
	})
	p.target, p.targetRotations = list(t.q, Len(t.q), t.scaleAt()+t.p+1, func(m int) float64 {
		if m == 0 {
			return 1
		}
		return math.Sqrt2 / 2
	})
	swaps := newSwaps(l.degree)
	swapsUpTo := func(degree int) (list products) {
		for n := 0; n <= degree; n++ {
			for to, block := range swaps[n].blocks {
				from := swappedClass(n, to)
				if rows, cols := classLen(n, to), classLen(n, from); rows > 0 {
					list.add(n*l.row+l.start[to], 1, rows, n*l.row+l.start[from], 1, cols, block)
				}
			}
		}
		list.sort()
		return list
	}
	p.sourceSwaps, p.targetSwaps = swapsUpTo(t.p), swapsUpTo(t.q)
	for m := 0; m <= t.q; m++ {
		cos, sin := l.at(m, m)
		for i, at := range [2]int{cos, sin} {
			switch {
			case m == 0 && i == 1:
			case m > t.p: // the result is 0
				p.axial.add(at, l.row, t.q-m+1, l.start[cosEven], l.row, 1, make([]float64, t.q-m+1))
			default:
				p.axial.add(at, l.row, t.q-m+1, at, l.row, t.p-m+1, axialBlock(t.q, t.p, m))
			}
		}
	}
	p.axial.sort()
	return p
}

// kernel identifies an implementation of the operations of a program.
type kernel uint8

const (
	generic kernel = iota
	avx2
	avx512
)

// transposeGeneric sets dst[i][lane] to src[lane][i]. All elements of src have the same length, which
// is a multiple of lanes.
func transposeGeneric(dst []vector, src *[lanes][]float64) {
	for lane := range src {
		for i, v := range src[lane] {
			dst[i][lane] = v
		}
	}
}

// loadGeneric converts moments to the orthonormal basis, rotates them about z by the longitude of
// d, and divides degree s by |d|^s. A rotation of the coordinates by −α multiplies order m by
// e^{−imα}. sines is the offset from cos mα to sin mα in op.
func loadGeneric(dst, src, op []vector, list []coefficient, sines int) {
	for i := range list {
		c := &list[i]
		scale, cos, sin := &op[c.scale], &op[c.angle], &op[int(c.angle)+sines]
		re, im, x, y := &src[c.re], &src[c.im], &dst[c.cos], &dst[c.sin]
		for k := range lanes {
			g := c.weight * scale[k]
			u, v := re[k]*g, im[k]*g
			x[k] = float64(u*cos[k]) + float64(v*sin[k])
			y[k] = float64(v*cos[k]) - float64(u*sin[k])
		}
	}
}

// rotateGeneric rotates v about z by the angle of op, or back if sign is −1.
func rotateGeneric(v, op []vector, list []coefficient, sines int, sign float64) {
	for i := range list {
		c := &list[i]
		cos, sin := &op[c.angle], &op[int(c.angle)+sines]
		x, y := &v[c.cos], &v[c.sin]
		for k := range lanes {
			u, w, s := x[k], y[k], sign*sin[k]
			x[k] = float64(u*cos[k]) + float64(w*s)
			y[k] = float64(w*cos[k]) - float64(u*s)
		}
	}
}

// multiplyGeneric writes the products to dst. multiplyAddGeneric adds the products to dst.
func multiplyGeneric(dst, src []vector, p *products)    { executeGeneric(dst, src, p, false) }
func multiplyAddGeneric(dst, src []vector, p *products) { executeGeneric(dst, src, p, true) }

func executeGeneric(dst, src []vector, p *products, add bool) {
	for i := range p.list {
		o := &p.list[i]
		matrix := p.values[o.matrix:]
		rows, cols := int(o.rows), int(o.cols)
		for r := range rows {
			var sum vector
			for c := range cols {
				f, v := matrix[c*rows+r], &src[int(o.src)+c*int(o.srcStep)]
				for k := range lanes {
					sum[k] += float64(f * v[k])
				}
			}
			to := &dst[int(o.dst)+r*int(o.dstStep)]
			if add {
				for k := range lanes {
					sum[k] += to[k]
				}
			}
			*to = sum
		}
	}
}

// storeGeneric rotates v back by the longitude of d, converts the values from the orthonormal basis,
// and adds them to dst. v contains conj L, as axialBlock explains.
func storeGeneric(dst, v, op []vector, list []coefficient, sines int) {
	for i := range list {
		c := &list[i]
		scale, cos, sin := &op[c.scale], &op[c.angle], &op[int(c.angle)+sines]
		re, im, x, y := &dst[c.re], &dst[c.im], &v[c.cos], &v[c.sin]
		for k := range lanes {
			g := c.weight * scale[k]
			re[k] += float64(g * (float64(x[k]*cos[k]) - float64(y[k]*sin[k])))
			im[k] -= float64(g * (float64(y[k]*cos[k]) + float64(x[k]*sin[k])))
		}
	}
}

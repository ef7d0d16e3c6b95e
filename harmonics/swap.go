package harmonics

import "math"

// The swap of x and z, σ(x,y,z) = (z,y,x), maps harmonics of degree n to harmonics of degree n. Its
// matrix B is symmetric and orthogonal in the real basis
//
//	c_0 = R̃_n^0, c_m = √2 Re R̃_n^m, s_m = √2 Im R̃_n^m,  R̃ = √((n−m)!(n+m)!) R
//
// One table serves every angle. A rotation about the x axis consists of a swap, a rotation about z
// (which is diagonal in m), and another swap.
//
// The coefficients c and s with even and odd orders form four classes. σ keeps the sign of y, so B
// does not mix c and s. σ exchanges the parity in x with the parity in z. So B has one block for
// each class. If n is even, B maps a class of c to itself and exchanges the two classes of s. If n
// is odd, B maps a class of s to itself and exchanges the two classes of c.

// These constants enumerate the classes. Each degree stores them in this sequence.
const (
	cosEven = iota // cosine coefficients of m = 0, 2, 4, …
	cosOdd         // cosine coefficients of m = 1, 3, …
	sinEven        // sine coefficients of m = 2, 4, …
	sinOdd         // sine coefficients of m = 1, 3, …
	classes
)

var lowestOrder = [classes]int{cosEven: 0, cosOdd: 1, sinEven: 2, sinOdd: 1}

// classLen returns the number of orders of a class in degree n.
func classLen(n, class int) int { return (n - lowestOrder[class] + 2) / 2 }

// swappedClass returns the class that σ maps to the given class, for degree n.
func swappedClass(n, class int) int {
	if class <= cosOdd {
		return class ^ (n & 1)
	}
	return class ^ (^n & 1)
}

// quad holds the elements of one column in four consecutive rows of a matrix.
type quad = [4]float64

// quads returns the number of quads that hold n values.
func quads(n int) int { return (n + 3) / 4 }

// degreeSwap holds the matrix B of degree n and the class layout of that degree. The layout stores
// the classes one after another. The index of the first value of a class is a multiple of four.
type degreeSwap struct {
	n      int
	start  [classes]int
	length int             // number of values in the layout
	rows   [classes][]quad // blocks of four rows for each class; a block has one quad for each column
}

func newDegreeSwap(n int) degreeSwap {
	b := degreeSwap{n: n}
	for c := range b.start {
		b.start[c] = b.length
		b.length += 4 * quads(classLen(n, c))
	}
	return b
}

// orders returns the cosine and sine coefficients of some orders in v, which has the class layout.
// If odd is 1, these are the orders 1, 3, … If odd is 0, these are the orders 2, 4, …
func (b *degreeSwap) orders(v []float64, odd int) (c, s []float64) {
	k := (b.n + odd) / 2
	if odd == 0 {
		return v[b.start[cosEven]+1:][:k], v[b.start[sinEven]:][:k]
	}
	return v[b.start[cosOdd]:][:k], v[b.start[sinOdd]:][:k]
}

// newSwaps returns B for the degrees 0 … p. B of degree n is the symmetric power 2n of a 2×2
// matrix. newSwaps computes each power up to 2p from the previous power. Each step adds an error,
// but does not amplify earlier errors (docs/design/016-error-bounds.md, The swap of x and z).
func newSwaps(p int) []degreeSwap {
	out := make([]degreeSwap, p+1)
	root := make([]float64, 2*p+1)
	for i := range root {
		root[i] = math.Sqrt(float64(i))
	}
	power := [][]float64{{1}}
	out[0] = realSwap(0, power)
	for j := 1; j <= 2*p; j++ {
		power = nextPower(power, root, j)
		if j&1 == 0 {
			out[j/2] = realSwap(j/2, power)
		}
	}
	return out
}

// nextPower returns the symmetric power j of the matrix (1 1; 1 −1)/√2. The parameter power is the
// symmetric power j−1, and root[i] is √i.
func nextPower(power [][]float64, root []float64, j int) [][]float64 {
	next := make([][]float64, j+1)
	at := func(i, k int) float64 {
		if i < 0 || k < 0 || i >= j || k >= j {
			return 0
		}
		return power[i][k]
	}
	h := math.Sqrt2 / 2 / float64(j)
	for i := range next {
		next[i] = make([]float64, j+1)
		for k := range next[i] {
			up := float64(root[j-k]*at(i, k)) + float64(root[k]*at(i, k-1))
			down := float64(root[j-k]*at(i-1, k)) - float64(root[k]*at(i-1, k-1))
			next[i][k] = h * (float64(root[j-i]*up) + float64(root[i]*down))
		}
	}
	return next
}

// realSwap returns B of degree n. The parameter power is the symmetric power 2n. Its element (n−m,
// n−k) is B_mk in the complex basis. For m, k > 0 in the real basis, row c_m has the elements
// B_mk + (−1)^k B_{m,−k}, and row s_m has the elements B_mk − (−1)^k B_{m,−k}.
func realSwap(n int, power [][]float64) degreeSwap {
	out := newDegreeSwap(n)
	for to := range out.rows {
		from := swappedClass(n, to)
		cols := classLen(n, from)
		block := make([]quad, quads(classLen(n, to))*cols)
		for i := 0; i < classLen(n, to); i++ {
			m := lowestOrder[to] + 2*i
			for j := 0; j < cols; j++ {
				k := lowestOrder[from] + 2*j
				v := power[n-m][n-k]
				mirror := power[n-m][n+k]
				if k&1 != 0 {
					mirror = -mirror
				}
				switch {
				case to >= sinEven:
					v -= mirror
				case m == 0 && k == 0:
				case m == 0 || k == 0:
					v *= math.Sqrt2
				default:
					v += mirror
				}
				block[i/4*cols+j][i%4] = v
			}
		}
		out.rows[to] = block
	}
	return out
}

// apply writes B·src to dst. Both have the class layout.
func (b *degreeSwap) apply(dst, src []float64) {
	n := b.n
	for to, rows := range &b.rows {
		in := src[b.start[swappedClass(n, to)]:][:classLen(n, to)] // the class in src has the same length
		for out := dst[b.start[to]:]; len(rows) > 0; out = out[4:] {
			multiply((*quad)(out), rows, in)
			rows = rows[len(in):]
		}
	}
}

// multiply computes four elements of a product: dst = Σ_j rows[j] in[j].
func multiply(dst *quad, rows []quad, in []float64) {
	rows = rows[:len(in)]
	var a, b, c, d float64
	for j, v := range in {
		k := &rows[j]
		a += float64(k[0] * v)
		b += float64(k[1] * v)
		c += float64(k[2] * v)
		d += float64(k[3] * v)
	}
	dst[0], dst[1], dst[2], dst[3] = a, b, c, d
}

// multiplyTwo computes two products: dst = Σ_j rows[j] in[j] and dst2 = Σ_j rows[j] in2[j].
func multiplyTwo(dst, dst2 *quad, rows []quad, in, in2 []float64) {
	rows, in2 = rows[:len(in)], in2[:len(in)]
	var a, b, c, d, e, f, g, h float64
	for j, v := range in {
		k, w := &rows[j], in2[j]
		a += float64(k[0] * v)
		b += float64(k[1] * v)
		c += float64(k[2] * v)
		d += float64(k[3] * v)
		e += float64(k[0] * w)
		f += float64(k[1] * w)
		g += float64(k[2] * w)
		h += float64(k[3] * w)
	}
	dst[0], dst[1], dst[2], dst[3] = a, b, c, d
	dst2[0], dst2[1], dst2[2], dst2[3] = e, f, g, h
}

package harmonics

import "math"

// The swap of x and z, σ(x,y,z) = (z,y,x), maps harmonics of degree n to harmonics
// of degree n. In the real basis
//
//	c_0 = R̃_n^0, c_m = √2 Re R̃_n^m, s_m = √2 Im R̃_n^m,  R̃ = √((n−m)!(n+m)!) R,
//
// it is a symmetric orthogonal matrix B with B² = 1. σ keeps the sign of y, so c
// and s do not mix; and it turns parity in x (m even for c, odd for s) into parity
// in z (n+m even). So B consists of four blocks between the classes c with m even,
// c odd, s even, s odd: c stays within its class for n even and changes it for n
// odd, s the reverse. One table serves every angle: a turn about the x axis is a
// swap, a turn about z (diagonal in m), and a swap.

// The classes in their order inside a degree; a class is padded to whole quads.
const (
	cosEven = iota // m = 0, 2, 4, …
	cosOdd         // m = 1, 3, …
	sinEven        // m = 2, 4, …
	sinOdd         // m = 1, 3, …
	classes
)

// classLen returns the number of orders of a class in degree n.
func classLen(n, class int) int {
	switch class {
	case cosEven:
		return n/2 + 1
	case sinEven:
		return n / 2
	}
	return (n + 1) / 2
}

// classOrder returns the order m of element i of a class.
func classOrder(class, i int) int {
	switch class {
	case cosEven:
		return 2 * i
	case sinEven:
		return 2*i + 2
	}
	return 2*i + 1
}

// swapped returns the class that σ maps to class in degree n.
func swapped(n, class int) int {
	if class <= cosOdd {
		return class ^ (n & 1)
	}
	return class ^ (^n & 1)
}

// quad is one column of four rows of a matrix.
type quad = [4]float64

// quads returns the number of quads that hold n values.
func quads(n int) int { return (n + 3) / 4 }

// degreeSwap is B of one degree: for each class the rows of that class, four by
// four, each group as one quad per column.
type degreeSwap [classes][]quad

// start returns the first element of each class in the padded layout of degree n,
// and its whole length.
func classStarts(n int) (start [classes]int, length int) {
	for c := range start {
		start[c] = length
		length += 4 * quads(classLen(n, c))
	}
	return start, length
}

// swaps returns B for the degrees 0 … p.
//
// On null vectors R̃_n^m = const·√C(2n,n+m) u^{n+m} v^{n−m} with a spinor (u,v), and
// σ takes (u,v) to (u+v, u−v)/√2. So B is a symmetric power of that 2×2 matrix,
// computed degree by half degree as the projection of (power j−½)⊗(matrix) on
// symmetric tensors. Each step is a contraction: errors add, they do not grow.
func swaps(p int) []degreeSwap {
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

// nextPower returns the symmetric power j, indexed by the numbers of v, from j−1.
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
			up := root[j-k]*at(i, k) + root[k]*at(i, k-1)
			down := root[j-k]*at(i-1, k) - root[k]*at(i-1, k-1)
			next[i][k] = h * (root[j-i]*up + root[i]*down)
		}
	}
	return next
}

// realSwap packs the symmetric power 2n, element (n−m, n−k), in the real basis:
// R̃^m∘σ = Σ_k B_mk R̃^k gives c_m ← B_mk + (−1)^k B_m,−k and s_m ← B_mk − (−1)^k B_m,−k.
func realSwap(n int, power [][]float64) (out degreeSwap) {
	for to := range out {
		from := swapped(n, to)
		cols := classLen(n, from)
		block := make([]quad, quads(classLen(n, to))*cols)
		for i := 0; i < classLen(n, to); i++ {
			m := classOrder(to, i)
			for j := 0; j < cols; j++ {
				k := classOrder(from, j)
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
		out[to] = block
	}
	return out
}

// apply writes B·src to dst, both in the padded class layout of degree n.
func (b *degreeSwap) apply(dst, src []float64, n int) {
	start, _ := classStarts(n)
	for to := range b {
		from := swapped(n, to)
		in := src[start[from]:][:classLen(n, from)]
		block := b[to]
		for o := start[to]; len(block) > 0; o += 4 {
			multiply(dst[o:o+4:o+4], block, in)
			block = block[len(in):]
		}
	}
}

// multiply sets four rows: dst = Σ_j rows[j] in[j].
func multiply(dst []float64, rows []quad, in []float64) {
	rows = rows[:len(in)]
	var a, b, c, d float64
	for j, v := range in {
		k := &rows[j]
		a += k[0] * v
		b += k[1] * v
		c += k[2] * v
		d += k[3] * v
	}
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = a, b, c, d
}

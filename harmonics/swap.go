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

// The classes, in the order in which each degree stores them.
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

// degreeSwap holds the matrix B of degree n: one block for each class of the result. A block is stored
// by columns.
type degreeSwap struct {
	n      int
	blocks [classes][]float64
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
	out := degreeSwap{n: n}
	for to := range out.blocks {
		from := swappedClass(n, to)
		rows, cols := classLen(n, to), classLen(n, from)
		block := make([]float64, rows*cols)
		for i := range rows {
			m := lowestOrder[to] + 2*i
			for j := range cols {
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
				block[j*rows+i] = v
			}
		}
		out.blocks[to] = block
	}
	return out
}

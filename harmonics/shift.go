package harmonics

import "fmt"

// Shift applies a constant matrix to the packed coefficients of eight expansions at a time, one in each
// lane of a vector register. It is immutable and safe for concurrent use.
type Shift struct {
	degree   int
	products products
	kernel   kernel
}

// NewShift returns the Shift for a matrix between expansions of degree p, such as MatrixM2M and
// MatrixL2L return. A matrix has one block for each pair of degrees, and the Shift leaves out the
// blocks that are 0. NewShift panics if the length of the matrix is not Len(p)².
func NewShift(p int, matrix []float64) *Shift {
	size := Len(p)
	if len(matrix) != size*size {
		panic(fmt.Sprintf("harmonics: a matrix of degree %d needs %d elements; it has %d", p, size*size, len(matrix)))
	}
	h := &Shift{degree: p, kernel: kernels()[0]}
	for s := 0; s <= p; s++ {
		cols := 2*s + 1
		row := func(i int) []float64 { return matrix[i*size+s*s:][:cols] }
		used := func(n int) bool {
			for i := n * n; i < (n+1)*(n+1); i++ {
				for _, v := range row(i) {
					if v != 0 {
						return true
					}
				}
			}
			return false
		}
		for lo := 0; lo <= p; lo++ {
			if !used(lo) {
				continue
			}
			hi := lo + 1
			for hi <= p && used(hi) {
				hi++
			}
			first, rows := lo*lo, hi*hi-lo*lo
			block := make([]float64, rows*cols)
			for i := range rows {
				for j, v := range row(first + i) {
					block[j*rows+i] = v
				}
			}
			h.products.add(first, 1, rows, s*s, 1, cols, block)
			lo = hi
		}
	}
	h.products.sort()
	return h
}

// ShiftWork is working memory for shifts of one degree. Only one goroutine at a time can use it.
type ShiftWork struct {
	in, out []vector
	src     [lanes][]float64
}

// Work returns working memory.
func (h *Shift) Work() *ShiftWork {
	n := padded(Len(h.degree))
	return &ShiftWork{in: make([]vector, n), out: make([]vector, n)}
}

// AddTo adds the product of the matrix with src[i] to dst[i], for at most eight expansions. Several
// elements of dst can be the same slice. Each element of src must have a length of at least Len(p),
// rounded up to a multiple of eight. For each degree of src, the product first sums the terms, and
// then adds this sum. AddTo panics if the numbers or the lengths of the slices do not match.
func (h *Shift) AddTo(dst, src [][]float64, w *ShiftWork) {
	size := Len(h.degree)
	if len(dst) != len(src) || len(src) > lanes || len(w.in) != padded(size) {
		panic("harmonics: a shift needs equal numbers of at most eight sources and destinations, and work of the same degree")
	}
	if len(src) == 0 {
		return
	}
	for i := range w.src {
		w.src[i] = src[min(i, len(src)-1)][:len(w.in)]
	}
	h.kernel.transpose(w.in, &w.src)
	clear(w.out)
	h.kernel.multiplyAdd(w.out, w.in, &h.products)
	for i, d := range dst {
		d = d[:size]
		for j := range d {
			d[j] += w.out[j][i]
		}
	}
}

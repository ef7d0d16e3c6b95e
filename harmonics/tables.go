package harmonics

import "math"

// Tables holds what all M2L operators from degree p to degree q share: the swap
// of x and z and the translation along z. Immutable, safe for concurrent use.
type Tables struct {
	q, p   int
	swaps  []degreeSwap // degrees 0 … max(p,q)
	axial  [][]quad     // orders 0 … min(p,q): rows n = m … q four by four, columns s = m … p
	weight []float64    // √((n−m)!(n+m)!), at n(n+1)/2+m
	layout workspace
}

// workspace places the intermediate values of one application: c and s of order m
// at from[m] (degree m … p, before the translation) and at to[m] (degree m … q,
// after it, in whole quads), each c block followed by its s block; then two
// buffers of one degree in the class layout.
type workspace struct {
	from, to         []int
	first, second    int
	bufferLen, total int
}

// NewTables computes the tables for degree p to degree q in O((p+q)³) operations.
// It panics unless p, q ≥ 0 and p+q ≤ MaxDegree.
func NewTables(q, p int) *Tables {
	Len(p)
	Len(q)
	Len(p + q)
	t := &Tables{q: q, p: p, swaps: swaps(max(p, q))}
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
	t.layout = newWorkspace(q, p, t.swaps[max(p, q)].length)
	return t
}

func newWorkspace(q, p, buffer int) (w workspace) {
	for m := 0; m <= min(p, q); m++ {
		w.from = append(w.from, w.total)
		w.total += 2 * (p - m + 1)
	}
	for m := 0; m <= min(p, q); m++ {
		w.to = append(w.to, w.total)
		w.total += 2 * 4 * quads(q-m+1)
	}
	w.bufferLen = buffer
	w.first = w.total
	w.second = w.first + w.bufferLen
	w.total = w.second + w.bufferLen
	return w
}

// axialBlock returns the translation of order m along z over distance 1, in the
// orthonormal basis. There S_n^m vanishes but for S_n^0 = n!, so that
//
//	conj L_n^m = (−1)^{n+m} Σ_s (n+s)! M_s^m
//
// and in the orthonormal basis (L divided, M multiplied by the weights) the factor
// is (n+s)!/√((n−m)!(n+m)!(s−m)!(s+m)!) = √(C(n+s,n−m) C(n+s,n+m)).
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

// factorial returns n!, finite for n ≤ MaxDegree (120! ≈ 7·10¹⁹⁸).
func factorial(n int) float64 {
	f := 1.0
	for k := 2; k <= n; k++ {
		f *= float64(k)
	}
	return f
}

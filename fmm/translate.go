package fmm

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

// denseDegree is the largest degree for which M2L uses a dense matrix for each offset. At higher
// degrees the matrices do not fit into the caches, and rotations take fewer operations.
const denseDegree = 10

// padded rounds n up to a multiple of eight, the number of float64 in a vector register.
func padded(n int) int { return (n + 7) &^ 7 }

func (d degrees) rotated() bool { return d.local > denseDegree || d.multipole > denseDegree }

// degreeCache shares constant matrices among all plans. The matrices depend only on degrees.
// Computing them takes milliseconds, which would slow down small plans.
type degreeCache[K comparable, T any] struct {
	make func(degree K) *T
	kept sync.Map // map from degree to *T
}

var (
	m2mCache  = degreeCache[int, octantMatrices]{make: newM2M}
	l2lCache  = degreeCache[int, octantMatrices]{make: newL2L}
	m2lShared = degreeCache[degrees, matrixCache]{make: func(degrees) *matrixCache { return &matrixCache{limit: maxShared} }}
)

// of returns the shared value for a degree, and computes it on the first call.
func (c *degreeCache[K, T]) of(degree K) *T {
	if t, ok := c.kept.Load(degree); ok {
		return t.(*T)
	}
	t, _ := c.kept.LoadOrStore(degree, c.make(degree))
	return t.(*T)
}

// octantMatrices holds matrices for the translations between a cell and its eight children, stored
// by columns. The matrices include the change of units.
type octantMatrices struct {
	first, degree int // lowest and highest degree of the source coefficients
	rows          int // padded length of a column
	matrix        [8][]float64
}

// newM2M returns the translations from the children to their parent. The moments of degree 0 are
// zero. The unit of a moment of degree s is a length to the power s+1.
func newM2M(degree int) *octantMatrices {
	return newOctantMatrices(1, degree, harmonics.MatrixM2M, func(_, s int) int { return -s - 1 })
}

// newL2L returns the translations from a cell to its children. The unit of a local coefficient of
// degree n is a length to the power −n.
func newL2L(degree int) *octantMatrices {
	return newOctantMatrices(0, degree, harmonics.MatrixL2L, func(n, _ int) int { return -n })
}

// newOctantMatrices returns matrix(degree, octant(o)) for all octants o, after a change of units.
// It multiplies the entry from degree s to degree n by 2^exponent(n, s).
func newOctantMatrices(first, degree int, matrix func(p int, d r3.Vector) []float64, exponent func(n, s int) int) *octantMatrices {
	size := harmonics.Len(degree)
	t := &octantMatrices{first: first, degree: degree, rows: padded(size)}
	for o := range t.matrix {
		m, columns := matrix(degree, octant(o)), make([]float64, size*t.rows)
		for n := 0; n <= degree; n++ {
			for row := n * n; row < (n+1)*(n+1); row++ {
				for s := 0; s <= degree; s++ {
					for j := s * s; j < (s+1)*(s+1); j++ {
						columns[j*t.rows+row] = math.Ldexp(m[row*size+j], exponent(n, s))
					}
				}
			}
		}
		t.matrix[o] = columns
	}
	return t
}

// add translates src between a cell and its child o, and adds the result to dst. dst has a padded
// length. At high degrees, the method first sums the terms of each source degree. With these
// partial sums, each term has fewer roundings.
func (t *octantMatrices) add(dst, src []float64, o int, work []float64) {
	m := t.matrix[o]
	if t.degree <= denseDegree {
		fastest.addColumns(dst, m[t.first*t.rows:], src[t.first:harmonics.Len(t.degree)])
		return
	}
	sum := work[:t.rows]
	for s := t.first; s <= t.degree; s++ {
		clear(sum)
		fastest.addColumns(sum, m[s*s*t.rows:(s+1)*(s+1)*t.rows], src[s*s:(s+1)*(s+1)])
		for i, v := range sum {
			dst[i] += v
		}
	}
}

// m2lOperators translates moments to local expansions (M2L). Moments are in units of the source
// cell, and local expansions are in units of the target cell. An operator depends only on the
// offset and is made when it is first needed.
type m2lOperators struct {
	deg       degrees
	rows      int               // padded length of a column
	rotations *harmonics.Tables // rotation tables, or nil at degrees that use matrices
	signs     [8][]float64
	caches    []*matrixCache // first the cache that all plans share (if any), then the cache of the plan
}

// matrixCache maps offsets to operators. The limit is its approximate largest size in bytes.
type matrixCache struct {
	kept  sync.Map // map from offset to *m2lOperator
	bytes atomic.Int64
	limit int64
}

// maxKept is the approximate size in bytes of the cache of a plan. Each block of cells recomputes
// the matrices that do not fit into the cache. At degrees up to sharedDegree, a matrix has at most
// 6 KB, and all plans with equal degrees share one cache. The size of this cache is maxShared
// bytes, which is more than ordinary surfaces need.
const (
	maxKept      = 1 << 28 // tuning
	maxShared    = 1 << 24 // tuning
	sharedDegree = 4       // tuning
)

// keep stores an operator. It returns false if the cache is full.
func (m *matrixCache) keep(at offset, op *m2lOperator) bool {
	if m.bytes.Load() >= m.limit {
		return false
	}
	if _, twice := m.kept.LoadOrStore(at, op); !twice {
		m.bytes.Add(int64(8 * len(op.columns)))
	}
	return true
}

type m2lOperator struct {
	columns []float64      // matrix with one column for each moment of degree ≥ 1, or nil
	rotate  *harmonics.M2L // operator with rotations, or nil
	scale   float64        // ratio of the side of the target cell to the side of the source cell
}

func newM2LOperators(deg degrees) *m2lOperators {
	o := &m2lOperators{deg: deg, rows: padded(harmonics.Len(deg.local)), caches: []*matrixCache{{limit: maxKept}}}
	if deg.rotated() {
		o.rotations = harmonics.NewTables(deg.local, deg.multipole)
		return o
	}
	most := max(deg.local, deg.multipole)
	if most <= sharedDegree {
		o.caches = []*matrixCache{m2lShared.of(deg), o.caches[0]}
	}
	for mask := range o.signs {
		o.signs[mask] = mirror(mask, most)
	}
	return o
}

// mirror returns the signs by which a reflection multiplies the packed values of R. Bits 0, 1 and 2
// of mask select the reflected axes x, y and z. The signs also apply to S, moments and local
// coefficients:
//
//	R_n^m(−x, y, z) = (−1)^m conj R_n^m
//	R_n^m(x, −y, z) = conj R_n^m
//	R_n^m(x, y, −z) = (−1)^{n+m} R_n^m
func mirror(mask, degree int) []float64 {
	s := make([]float64, padded(harmonics.Len(degree)))
	for n := 0; n <= degree; n++ {
		for m := 0; m <= n; m++ {
			re, im := 1.0, 1.0
			if mask&1 != 0 && m&1 == 1 {
				re, im = -re, -im
			}
			if mask&4 != 0 && (n+m)&1 == 1 {
				re, im = -re, -im
			}
			if mask&1 != 0 != (mask&2 != 0) {
				im = -im
			}
			if m == 0 {
				s[n*n] = re
				continue
			}
			s[n*n+2*m-1], s[n*n+2*m] = re, im
		}
	}
	return s
}

// workLen returns the length of the work slice that these operators and the L2L translation need.
func (o *m2lOperators) workLen() int {
	if o.rotations == nil {
		return 0
	}
	return max(padded(harmonics.Len(o.deg.local)), harmonics.Len(o.deg.local)+o.rotations.WorkLen())
}

// of returns the operator of an offset. Matrices are stored only for offsets without negative
// components. For other offsets, it also returns the signs that turn the matrix into its mirror
// image.
func (o *m2lOperators) of(at offset) (op *m2lOperator, signs []float64) {
	if o.rotations == nil {
		mask := 0
		for i, v := range [3]*int32{&at.x, &at.y, &at.z} {
			if *v < 0 {
				*v = -*v
				mask |= 1 << i
			}
		}
		if mask != 0 {
			signs = o.signs[mask]
		}
	}
	for _, m := range o.caches {
		if v, ok := m.kept.Load(at); ok {
			return v.(*m2lOperator), signs
		}
	}
	op = o.make(at)
	for _, m := range o.caches {
		if m.keep(at, op) {
			break
		}
	}
	return op, signs
}

func (o *m2lOperators) make(at offset) *m2lOperator {
	// d is the offset in units of half the side of the source cell.
	k := math.Ldexp(1, int(min(at.finer, 0)))
	d := r3.Vector{X: float64(at.x) * k, Y: float64(at.y) * k, Z: float64(at.z) * k}
	op := &m2lOperator{scale: math.Ldexp(1, int(at.finer))}
	if o.rotations != nil {
		op.rotate = o.rotations.M2L(d)
		return op
	}
	op.columns = make([]float64, (harmonics.Len(o.deg.multipole)-1)*o.rows)
	fillM2L(op.columns, o.rows, o.deg, d)
	unit := 1.0
	for n := 0; n <= o.deg.local; n++ {
		if unit != 1 {
			for j := 0; j < len(op.columns); j += o.rows {
				for row := n * n; row < (n+1)*(n+1); row++ {
					op.columns[j+row] *= unit
				}
			}
		}
		unit *= op.scale
	}
	return op
}

// add computes the local expansion of the moments src and adds it to dst. src is in units of the
// source cell, and dst is in units of the target cell.
func (op *m2lOperator) add(dst, src, signs []float64, deg degrees, work []float64) {
	if op.columns != nil {
		src = src[1:harmonics.Len(deg.multipole)]
		if signs == nil {
			fastest.addColumns(dst, op.columns, src)
		} else {
			fastest.addMirrored(dst, op.columns, src, signs)
		}
		return
	}
	out := work[:harmonics.Len(deg.local)]
	clear(out)
	op.rotate.AddTo(out, src[:harmonics.Len(deg.multipole)], work[len(out):])
	unit := 1.0
	for n := 0; n <= deg.local; n++ {
		for j := n * n; j < (n+1)*(n+1); j++ {
			dst[j] += unit * out[j]
		}
		unit *= op.scale
	}
}

// fillM2L writes the columns of the M2L matrix for the offset d = target − source. It uses
//
//	L_n^m = (−1)^n Σ_{s,t} conj(S_{n+s}^{m+t}(d)) M_s^t
//
// (Muth et al. 2006, eq. 24) and M_s^{−t} = (−1)^t conj M_s^t. The matrix equals
// harmonics.MatrixM2L without the column of degree 0. fillM2L is ten times as fast as MatrixM2L.
func fillM2L(columns []float64, rows int, deg degrees, d r3.Vector) {
	var singular [(2*denseDegree + 1) * (2*denseDegree + 1)]float64
	harmonics.SingularTo(singular[:], deg.local+deg.multipole, d)
	// at returns conj S_k^m. The order m can be negative.
	at := func(k, m int) (re, im float64) {
		switch {
		case m == 0:
			return singular[k*k], 0
		case m > 0:
			return singular[k*k+2*m-1], -singular[k*k+2*m]
		}
		re, im = singular[k*k-2*m-1], singular[k*k-2*m]
		if m&1 != 0 {
			return -re, -im
		}
		return re, im
	}
	for s := 1; s <= deg.multipole; s++ {
		for t := 0; t <= s; t++ {
			for n := 0; n <= deg.local; n++ {
				sign := float64(1 - n&1*2)
				for m := 0; m <= n; m++ {
					row := n*n + max(0, 2*m-1)
					if t == 0 {
						c := columns[(s*s-1)*rows:]
						re, im := at(n+s, m)
						c[row] = sign * re
						if m > 0 {
							c[row+1] = sign * im
						}
						continue
					}
					x := columns[(s*s+2*t-2)*rows:]
					y := x[rows:]
					ar, ai := at(n+s, m+t)
					br, bi := at(n+s, m-t)
					if t&1 == 1 {
						br, bi = -br, -bi
					}
					x[row], y[row] = sign*(ar+br), sign*(bi-ai)
					if m > 0 {
						x[row+1], y[row+1] = sign*(ai+bi), sign*(ar-br)
					}
				}
			}
		}
	}
}

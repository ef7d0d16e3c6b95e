package fmm

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

// denseDegree is the largest degree for which M2L is a dense matrix for each
// offset; beyond it the matrices no longer fit into the caches, and rotations
// take fewer operations.
const denseDegree = 10

// operators translate moments to local expansions (M2L), from units of the source
// to those of the target: a local coefficient of degree n is 1/length^n. They are
// made when they are first needed, and depend on the offset alone, so that neither
// workers nor their order matter.
type operators struct {
	deg       degrees
	rows      int               // of a column, padded
	rotations *harmonics.Tables // at high degrees
	signs     [8][]float64
	kept      []*matrices // all plans', if they share any, and its own
}

// matrices keeps operators by their offsets, about most bytes.
type matrices struct {
	kept  sync.Map // offset → *operator
	bytes atomic.Int64
	most  int64
}

// mostKept is how many bytes of matrices a plan keeps, about; others are made again for each
// block of cells that needs them. All plans share matrices up to sharedDegree, 5 KB each, up to
// mostShared for each degree. Choices: ordinary surfaces need less.
const (
	mostKept     = 1 << 28
	mostShared   = 1 << 24
	sharedDegree = 4
)

// of returns the operator of an offset, if it is kept.
func (m *matrices) of(at offset) (op *operator, ok bool) {
	if v, ok := m.kept.Load(at); ok {
		return v.(*operator), true
	}
	return nil, false
}

// keep keeps an operator, the same whoever made it, and tells whether there was room.
func (m *matrices) keep(at offset, op *operator) bool {
	if m.bytes.Load() >= m.most {
		return false
	}
	if _, twice := m.kept.LoadOrStore(at, op); !twice {
		m.bytes.Add(int64(8 * len(op.columns)))
	}
	return true
}

// operator is one of them.
type operator struct {
	columns []float64      // one for each moment of degree ≥ 1, rows long; nil at high degrees
	rotate  *harmonics.M2L // at high degrees
	scale   float64        // of local coefficients
}

func newOperators(deg degrees) *operators {
	o := &operators{deg: deg, rows: padded(harmonics.Len(deg.local)), kept: []*matrices{{most: mostKept}}}
	if deg.rotated() {
		o.rotations = harmonics.NewTables(deg.local, deg.multipole)
		return o
	}
	most := max(deg.local, deg.multipole)
	if most <= sharedDegree {
		o.kept = []*matrices{shared.of(deg), o.kept[0]}
	}
	for mask := range o.signs {
		o.signs[mask] = mirror(mask, most)
	}
	return o
}

// mirror returns the factors that mirroring the axes of mask, bits 0, 1, 2 for x,
// y, z, gives to packed R, and so to S, M and L: R_n^m(−x, y, z) = (−1)^m conj R_n^m,
// R_n^m(x, −y, z) = conj R_n^m, R_n^m(x, y, −z) = (−1)^{n+m} R_n^m.
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

// padded rounds up to whole vector registers of eight.
func padded(n int) int { return (n + 7) &^ 7 }

// rotated tells whether M2L is by rotations.
func (d degrees) rotated() bool { return d.local > denseDegree || d.multipole > denseDegree }

// workLen is the working memory that an operator needs.
func (o *operators) workLen() int {
	if o.rotations == nil {
		return 0
	}
	return max(padded(harmonics.Len(o.deg.local)), harmonics.Len(o.deg.local)+o.rotations.WorkLen())
}

// of returns the operator of an offset: where it is a matrix, that of the offset
// mirrored into the octant of positive ones, and the signs that undo this; nil for
// none.
func (o *operators) of(at offset) (op *operator, signs []float64) {
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
	for _, m := range o.kept {
		if op, ok := m.of(at); ok {
			return op, signs
		}
	}
	op = o.make(at)
	for _, m := range o.kept {
		if m.keep(at, op) {
			break
		}
	}
	return op, signs
}

// make computes an operator.
func (o *operators) make(at offset) *operator {
	// In units of half the source cell.
	k := math.Ldexp(1, int(min(at.finer, 0)))
	d := r3.Vector{X: float64(at.x) * k, Y: float64(at.y) * k, Z: float64(at.z) * k}
	op := &operator{scale: math.Ldexp(1, int(at.finer))} // target half over source half
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

// add adds the local expansion of moments src to dst, both in their cell's units.
func (op *operator) add(dst, src, signs []float64, deg degrees, work []float64) {
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

// downward holds the translations from a cell to its eight children (L2L) with
// the change of units, by columns.
type downward struct {
	degree int
	rows   int
	matrix [8][]float64
}

func newDownward(degree int) *downward {
	size := harmonics.Len(degree)
	d := &downward{degree: degree, rows: padded(size)}
	for o := range d.matrix {
		m := harmonics.MatrixL2L(degree, octant(o))
		d.matrix[o] = make([]float64, size*d.rows)
		for n := 0; n <= degree; n++ {
			for row := n * n; row < (n+1)*(n+1); row++ {
				for j := range size {
					d.matrix[o][j*d.rows+row] = math.Ldexp(m[row*size+j], -n)
				}
			}
		}
	}
	return d
}

// add adds the expansion src of a cell to that of its child o. At high degrees it
// adds up by degree, in work, for fewer roundings a term.
func (d *downward) add(dst, src []float64, o int, work []float64) {
	m := d.matrix[o]
	if d.degree <= denseDegree {
		fastest.addColumns(dst, m, src[:harmonics.Len(d.degree)])
		return
	}
	sum := work[:d.rows]
	for s := 0; s <= d.degree; s++ {
		clear(sum)
		fastest.addColumns(sum, m[s*s*d.rows:(s+1)*(s+1)*d.rows], src[s*s:(s+1)*(s+1)])
		for i, v := range sum {
			dst[i] += v
		}
	}
}

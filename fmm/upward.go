package fmm

import (
	"math"

	"github.com/inpoly/inpoly/harmonics"
)

// upward holds the translations from the eight children to their parent (M2M),
// with the change of units: a moment of degree s is a length to the power s+1.
// They are matrices by columns, which begin with the degree of the source.
type upward struct {
	degree int
	rows   int // of a whole column
	matrix [8][]float64
}

func newUpward(degree int) *upward {
	size := harmonics.Len(degree)
	u := &upward{degree: degree, rows: padded(size)}
	for o := range u.matrix {
		m := harmonics.MatrixM2M(degree, octant(o))
		u.matrix[o] = make([]float64, size*u.rows)
		for s := 0; s <= degree; s++ {
			for j := s * s; j < (s+1)*(s+1); j++ {
				for row := range size {
					u.matrix[o][j*u.rows+row] = math.Ldexp(m[row*size+j], -s-1)
				}
			}
		}
	}
	return u
}

// add adds the moments src of child o to dst, whose length is padded. Moments of
// degree 0 are zero. At high degrees it adds up by degree, in work, for fewer
// roundings a term.
func (u *upward) add(dst, src []float64, o int32, work []float64) {
	m := u.matrix[o]
	if u.degree <= denseDegree {
		fastest.addColumns(dst, m[u.rows:], src[1:harmonics.Len(u.degree)])
		return
	}
	sum := work[:u.rows]
	for s := 1; s <= u.degree; s++ {
		clear(sum)
		fastest.addColumns(sum, m[s*s*u.rows:(s+1)*(s+1)*u.rows], src[s*s:(s+1)*(s+1)])
		for i, v := range sum {
			dst[i] += v
		}
	}
}

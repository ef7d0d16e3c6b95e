package fmm

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

// fillM2L writes the matrix of M2L over the offset d = target − source by columns,
// from
//
//	L_n^m = (−1)^n Σ_{s,t} conj(S_{n+s}^{m+t}(d)) M_s^t
//
// (Muth et al. 2006, eq. 24) and M_s^{−t} = (−1)^t conj M_s^t. It is
// harmonics.MatrixM2L without the moment of degree 0, in a tenth of the time.
func fillM2L(columns []float64, rows int, deg degrees, d r3.Vector) {
	var singular [(2*denseDegree + 1) * (2*denseDegree + 1)]float64
	harmonics.SingularTo(singular[:], deg.local+deg.multipole, d)
	// conj S_k^m for any sign of m.
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

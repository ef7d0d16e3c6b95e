package measure

import (
	"math"

	"github.com/golang/geo/r3"
)

// symmetric is a symmetric 3×3 matrix.
type symmetric [3][3]float64

func (a *symmetric) norm() (f float64) {
	for i := range a {
		f = math.Hypot(f, math.Hypot(math.Hypot(a[i][0], a[i][1]), a[i][2]))
	}
	return f
}

// principal are the eigenvalues and eigenvectors of a symmetric matrix.
type principal struct {
	values [3]float64 // ascending
	bound  float64    // bound of the error of each value
	axes   [3]r3.Vector
	angles [3]float64 // bounds of the angles between the axes and the exact axes; +Inf if an axis is not determined
}

// diagonalize returns the eigenvalues and eigenvectors of an exact matrix whose distance from a is
// at most e in the Frobenius norm.
//
// Let V and Λ be the computed vectors and values. The exact matrix is V·Λ·Vᵀ plus a matrix whose
// norm is at most |a − V·Λ·Vᵀ| + e. By Weyl's theorem, this norm bounds the differences between the
// eigenvalues of the two matrices. By Ostrowski's theorem, the eigenvalues of V·Λ·Vᵀ differ from Λ
// by at most |Λ|·|Vᵀ·V − 1|. (Horn, Johnson, "Matrix Analysis", 4.3.1 and 4.5.9.)
//
// The angle θ of an axis v with the value λ obeys sin θ ≤ |A·v − λ·v|/gap, where gap is the distance
// of λ from the other exact eigenvalues (Parlett, "The Symmetric Eigenvalue Problem", 11.7.1).
func diagonalize(a symmetric, e float64) (p principal) {
	v := jacobi(a)
	for i := range v {
		p.values[i] = v[i].Dot(a.times(v[i])) / v[i].Norm2()
	}
	for _, ij := range [3][2]int{{0, 1}, {1, 2}, {0, 1}} {
		if i, j := ij[0], ij[1]; p.values[i] > p.values[j] {
			p.values[i], p.values[j], v[i], v[j] = p.values[j], p.values[i], v[j], v[i]
		}
	}
	p.axes = righthanded(v)
	size := a.norm()
	var residual, gram symmetric
	for i := range 3 {
		for j := range 3 {
			residual[i][j] = a[i][j]
			for k := range 3 {
				residual[i][j] -= p.values[k] * coordinate(p.axes[k], i) * coordinate(p.axes[k], j)
			}
			gram[i][j] = p.axes[i].Dot(p.axes[j])
			if i == j {
				gram[i][j]--
			}
		}
	}
	// Each element of residual and gram takes at most ten operations. The operands are at most size
	// in residual and at most 1 in gram. So the Frobenius norms of the rounding errors are below
	// 64u·size and 64u.
	rounding := 64 * unit * size
	p.bound = (e+residual.norm()+rounding+size*(gram.norm()+64*unit))*(1+64*unit) + least
	for i, axis := range p.axes {
		gap := math.Inf(1)
		for j, value := range p.values {
			if j != i {
				gap = min(gap, math.Abs(value-p.values[i])-p.bound)
			}
		}
		off := (a.times(axis).Sub(axis.Mul(p.values[i])).Norm() + rounding + e) * (1 + 64*unit)
		if p.angles[i] = math.Inf(1); off < gap*(1-64*unit) {
			// The length of the axis differs from 1 by less than 2⁻⁴⁰. The factor covers this.
			p.angles[i] = math.Asin(min(1, off/gap*(1+0x1p-30))) * (1 + 0x1p-30)
		}
	}
	return p
}

// jacobi returns approximate unit eigenvectors of a, which it finds by Jacobi rotations (Golub, Van
// Loan, 8.5).
func jacobi(a symmetric) [3]r3.Vector {
	v := symmetric{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} // rows are vectors
	const sweeps = 12                               // tuning: convergence is quadratic, and six sweeps suffice
	for range sweeps {
		for _, pq := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			p, q := pq[0], pq[1]
			if a[p][q] == 0 {
				continue
			}
			tau := (a[q][q] - a[p][p]) / (2 * a[p][q])
			t := 1 / (math.Abs(tau) + math.Hypot(1, tau))
			if math.IsInf(tau, 0) {
				t = 0
			}
			t = math.Copysign(t, tau)
			c := 1 / math.Hypot(1, t)
			s := t * c
			for k := range 3 {
				a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
			}
			for k := range 3 {
				a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
				v[p][k], v[q][k] = c*v[p][k]-s*v[q][k], s*v[p][k]+c*v[q][k]
			}
		}
	}
	var out [3]r3.Vector
	for i, row := range v {
		out[i] = r3.Vector{X: row[0], Y: row[1], Z: row[2]}.Normalize()
	}
	return out
}

// righthanded changes signs of axes so that the axes form a right-handed frame. It makes the
// largest coordinates of the first two axes positive.
func righthanded(v [3]r3.Vector) [3]r3.Vector {
	for i := range 2 {
		if x := coordinate(v[i], int(v[i].LargestComponent())); x < 0 {
			v[i] = v[i].Mul(-1)
		}
	}
	if v[0].Cross(v[1]).Dot(v[2]) < 0 {
		v[2] = v[2].Mul(-1)
	}
	return v
}

func (a *symmetric) times(v r3.Vector) r3.Vector {
	return r3.Vector{
		X: a[0][0]*v.X + a[0][1]*v.Y + a[0][2]*v.Z,
		Y: a[1][0]*v.X + a[1][1]*v.Y + a[1][2]*v.Z,
		Z: a[2][0]*v.X + a[2][1]*v.Y + a[2][2]*v.Z,
	}
}

func coordinate(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }

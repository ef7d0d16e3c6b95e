package measure

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/motion"
)

// move moves the properties of a mesh to a pose x ↦ R·x + t. The area, the volume, the mass and the principal
// moments stay.
//
//   - The centroid c moves to R·c + t, which is computed exactly and rounded once. Row i of R moves the error
//     of c by at most Σ_j |R_ij|·e_j.
//   - The inertia tensor T becomes R·T·Rᵀ, in ball arithmetic with the rounded entries of R.
//   - The axes turn. With u = 2⁻⁵³, a turned unit vector has an error of less than 9u, as motion.Placement
//     describes. Its angle to the exact one is at most 16u.
func (p *Properties) move(pl *motion.Placement) {
	if p.Reason == ReasonOpen || p.Reason == ReasonNoVolume {
		return
	}
	rows, exact := pl.Rotation()
	var r [3][3]ball
	for i := range r {
		for j := range r[i] {
			if r[i][j].x = coordinate(rows[i], j); !exact {
				r[i][j].e = unit * math.Abs(r[i][j].x)
			}
		}
	}
	p.moveCentroid(pl, &r)
	if pl.Translates() {
		return
	}
	p.turnInertia(&r)
	for i, axis := range p.Axes {
		p.Axes[i] = r3.Vector{X: rows[0].Dot(axis), Y: rows[1].Dot(axis), Z: rows[2].Dot(axis)}
		if !exact {
			p.AxesBound[i] = (p.AxesBound[i] + 16*unit) * (1 + 4*unit)
		}
	}
	p.Axes = righthanded(p.Axes)
}

func (p *Properties) moveCentroid(pl *motion.Placement, r *[3][3]ball) {
	if c := p.Centroid; math.IsInf(c.X, 0) || math.IsInf(c.Y, 0) || math.IsInf(c.Z, 0) {
		return
	}
	var to [3]ball
	for i, x := range pl.ExactBack(p.Centroid) {
		near, isExact := x.Float64()
		e := 0.0
		if !isExact {
			e = 2 * unit * math.Abs(near)
		}
		for j := range r[i] {
			if f := math.Abs(r[i][j].x); f > 0 {
				e += float64(f * coordinate(p.CentroidBound, j))
			}
		}
		to[i] = newBall(near, e)
	}
	p.Centroid = r3.Vector{X: to[0].x, Y: to[1].x, Z: to[2].x}
	p.CentroidBound = r3.Vector{X: to[0].e, Y: to[1].e, Z: to[2].e}
	if p.CentroidBound.X+p.CentroidBound.Y+p.CentroidBound.Z > math.MaxFloat64 {
		p.Reason = ReasonRange
	}
}

func (p *Properties) turnInertia(r *[3][3]ball) {
	product := func(row *[3]ball, column func(k int) ball) ball {
		return row[0].times(column(0)).plus(row[1].times(column(1))).plus(row[2].times(column(2)))
	}
	var half [3][3]ball // R·T
	for i := range half {
		for j := range half[i] {
			half[i][j] = product(&r[i], func(k int) ball { return ball{p.Inertia[k][j], p.InertiaBound} })
		}
	}
	most := 0.0
	for i := range 3 {
		for j := range i + 1 {
			b := product(&half[i], func(k int) ball { return r[j][k] })
			p.Inertia[i][j], p.Inertia[j][i] = b.x, b.x
			most = max(most, b.e)
		}
	}
	p.InertiaBound = most
}

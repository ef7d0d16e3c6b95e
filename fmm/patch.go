package fmm

import (
	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/inpoly/inpoly/harmonics"
)

// patch computes the moments of a few triangles,
//
//	M_n^m = ∫ n·∇R_n^m ds = (1/(n+1)) Σ_{edges v0→v1} (v0×v1)·∫₀¹ ∇R_n^m(v0+t(v1−v0)) dt
//
// (Stokes' theorem for y×∇R_n^m). Edges that two triangles share cancel.
type patch struct {
	degree        int
	edges         []patchEdge
	nodes, weight []float64 // Gauss–Legendre on [0, 1], exact for polynomials of degree−1
	regular, sum  []float64
	work          []float64
}

type patchEdge struct {
	a, b r3.Vector
	mult float64
}

func newPatch(degree int) *patch {
	p := &patch{degree: degree}
	points := (degree + 1) / 2
	p.nodes, p.weight = make([]float64, points), make([]float64, points)
	quad.Legendre{}.FixedLocations(p.nodes, p.weight, 0, 1)
	p.regular = make([]float64, harmonics.Len(degree))
	p.sum = make([]float64, harmonics.Len(degree))
	p.work = make([]float64, padded(harmonics.Len(degree)))
	return p
}

func (p *patch) reset() { p.edges = p.edges[:0] }

// add adds a triangle.
func (p *patch) add(v [3]r3.Vector) {
next:
	for k := range v {
		a, b := v[k], v[(k+1)%3]
		for i := range p.edges {
			e := &p.edges[i]
			if e.a == b && e.b == a {
				e.mult--
				continue next
			}
			if e.a == a && e.b == b {
				e.mult++
				continue next
			}
		}
		p.edges = append(p.edges, patchEdge{a, b, 1})
	}
}

// momentsTo writes the moments to dst. Their errors are at most those of rounding in
// the moments of a surface of area cover within the radius of the patch: an edge
// counts as |v0×v1| times the gradient of R, at most n·|y|^{n−1}.
func (p *patch) momentsTo(dst []float64) (cover float64) {
	clear(dst)
	for i := range p.edges {
		e := &p.edges[i]
		if e.mult == 0 {
			continue
		}
		u := e.a.Cross(e.b)
		cover += p.edge(dst, e, u)
	}
	for n := 1; n <= p.degree; n++ {
		f := 1 / float64(n+1)
		for j := n * n; j < (n+1)*(n+1); j++ {
			dst[j] *= f
		}
	}
	return cover
}

// edge adds mult·u·∫∇R_n^m along an edge, where
// u·∇R_n^m = u_z R_{n−1}^m + ½(u_x+iu_y) R_{n−1}^{m−1} − ½(u_x−iu_y) R_{n−1}^{m+1}.
func (p *patch) edge(dst []float64, e *patchEdge, u r3.Vector) float64 {
	size := harmonics.Len(p.degree - 1)
	sum := p.sum[:size]
	clear(sum)
	d := e.b.Sub(e.a)
	for i, t := range p.nodes {
		harmonics.RegularTo(p.regular, p.degree-1, e.a.Add(d.Mul(t)))
		w := p.weight[i]
		for j := range sum {
			sum[j] += w * p.regular[j]
		}
	}
	ux, uy, uz := u.X*e.mult/2, u.Y*e.mult/2, u.Z*e.mult
	for n := 1; n <= p.degree; n++ {
		in, out := sum[(n-1)*(n-1):n*n], dst[n*n:(n+1)*(n+1)]
		// order 0: R^{−1} = −conj R^1
		if n == 1 {
			out[0] += uz * in[0]
		} else {
			out[0] += uz*in[0] - 2*(ux*in[1]+uy*in[2])
		}
		for m := 1; m <= n; m++ {
			var re, im float64
			if m <= n-1 {
				re, im = uz*in[2*m-1], uz*in[2*m]
			}
			lre, lim := in[0], 0.0 // order m−1
			if m > 1 {
				lre, lim = in[2*m-3], in[2*m-2]
			}
			re += ux*lre - uy*lim
			im += ux*lim + uy*lre
			if m+1 <= n-1 {
				hre, him := in[2*m+1], in[2*m+2]
				re -= ux*hre + uy*him
				im -= ux*him - uy*hre
			}
			out[2*m-1] += re
			out[2*m] += im
		}
	}
	return e.a.Cross(e.b).Norm() * abs(e.mult)
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

package locate

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/mesh"
)

// tuning
const (
	halfPoints = 50_000 // expected number of points from which NewWorkload calls halfShare
	mostHalf   = 1024   // largest number of boundary edges for which NewWorkload calls halfShare
	halfTerms  = 4096   // number of samples times number of boundary edges, if it leaves 16 to 64 samples
	halfStep   = 1. / 32
	halfReach  = 2 // largest distance from 1/2, relative to the change within a step
)

// halfShare estimates the share of the box of an open mesh in which the winding number is so close to 1/2 that it can cross
// 1/2 within halfStep of the box. Cells of the mesh do not know the side there. The boundary determines winding numbers
// except for an integer. halfShare sums over the boundary at points of a Halton sequence, and at a point beside each along
// each axis.
//
// The result is 0 if halfShare does not know the share: an edge counts more than twice, or there are too many edges.
func halfShare(m *mesh.Mesh) float64 {
	edges := m.Boundary()
	if len(edges) == 0 || len(edges) > mostHalf {
		return 0
	}
	for _, e := range edges {
		if max(e.Mult, -e.Mult) > 2 {
			return 0
		}
	}
	chain, box := bem.NewBoundary(m), m.Box()
	size := box.Size()
	target := box.Max.Add(r3.Vector{X: 1.1, Y: 0.9, Z: 1.3}.Mul(4 * size.Norm()))
	var sc bem.Scratch
	above := func(x, y, z float64) float64 { // the winding number minus 1/2, except for an integer
		w, _, _ := chain.Sum(r3.Vector{X: box.Min.X + x*size.X, Y: box.Min.Y + y*size.Y, Z: box.Min.Z + z*size.Z}, target, &sc)
		return w - math.Floor(w) - 0.5
	}
	samples, near := max(16, min(64, halfTerms/len(edges))), 0
	for i := range samples {
		x, y, z := radical(i+1, 2), radical(i+1, 3), radical(i+1, 5)
		w, change := above(x, y, z), 0.
		for _, v := range [...]float64{above(x+halfStep, y, z), above(x, y+halfStep, z), above(x, y, z+halfStep)} {
			if c := math.Abs(v - w); c < 0.5 { // else a step from 1 to 0
				change += c
			}
		}
		if math.Abs(w) < halfReach*change {
			near++
		}
	}
	return (float64(near) + 0.5) / (float64(samples) + 1) // never 0
}

// radical returns the number between 0 and 1 whose digits after the point are those of i in reverse order.
func radical(i, base int) float64 {
	x, digit := 0., 1.
	for ; i > 0; i /= base {
		digit /= float64(base)
		x += digit * float64(i%base)
	}
	return x
}

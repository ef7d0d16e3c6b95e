package layout

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
)

// CapPotential returns the potential of all caps at p, computed by multipoles, and a bound of its
// error. on reports whether p lies on a cap.
func (g *Grid) CapPotential(p r3.Vector, s *fmm.Scratch) (j, bound float64, on bool) {
	j, bound, on = g.CapPlan.Winding(p, s)
	j, bound = g.allTimes(j, bound)
	return j, bound, on
}

// CapPotentialsTo writes the results of CapPotential for many points to j, bound and on.
//
// Errors: the error of ctx if ctx ends first.
func (g *Grid) CapPotentialsTo(ctx context.Context, j, bound []float64, on []bool, pts []r3.Vector, workers int) error {
	if err := g.CapPlan.WindingsTo(ctx, j, bound, on, pts, workers); err != nil {
		return err
	}
	for i := range j {
		j[i], bound[i] = g.allTimes(j[i], bound[i])
	}
	return nil
}

// CapSumAt computes the results of CapPotential as a sum over all caps. Its bound is smaller, and
// it takes O(n) time for n caps.
func (g *Grid) CapSumAt(p r3.Vector) (j, bound float64, on bool) {
	j, bound, on = g.CapSum.Winding(p)
	j, bound = g.allTimes(j, bound)
	return j, bound, on
}

// allTimes multiplies a potential and its bound by CapTimes, the multiplicity of the caps.
func (g *Grid) allTimes(j, bound float64) (float64, float64) {
	if g.CapTimes == 1 {
		return j, bound
	}
	j *= g.CapTimes
	return j, bound*g.CapTimes*(1+0x1p-50) + 0x1p-52*math.Abs(j)
}

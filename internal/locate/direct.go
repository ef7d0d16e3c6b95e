package locate

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// direct estimates winding numbers by the sum of all solid angles (Muth et al. 2006, §2.1.1). On a
// closed mesh the winding number is an integer, so direct rounds the sum.
type direct struct {
	sum    *bem.Direct
	closed bool
	faces  int
}

// directTerms is the number of solid angles in a block of points. The block then takes about as
// long as a block of rays. Small blocks keep all workers busy. tuning
const directTerms = 1 << 13

func newDirect(s *Surface) *direct {
	return &direct{sum: bem.NewDirect(s.mesh, s.opt.Workers), closed: s.mesh.Closed(), faces: s.mesh.NumFaces()}
}

func (d *direct) Estimate(p r3.Vector) Estimate {
	w, bound, on := d.sum.Winding(p)
	switch {
	case !d.closed || on:
		return Estimate{W: w, Bound: bound, OK: true, OnSurface: on}
	case bound < 0.5:
		return Estimate{W: math.RoundToEven(w) + 0, OK: true} // −0 becomes 0
	}
	return Estimate{}
}

func (d *direct) Prepare(context.Context, []r3.Vector, int) (BatchEstimator, int) {
	return d, min(max(1, directTerms/max(1, d.faces)), blockSize)
}

func (d *direct) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	for i, p := range pts {
		if err := ctx.Err(); err != nil {
			return side.Stats{}, err
		}
		if vec.Finite(p) {
			dst[i] = d.Estimate(p)
		}
	}
	return side.Stats{}, nil
}

// Bytes estimates the size of the copy that bem.NewDirect makes.
func (d *direct) Bytes() int64 { return 9 * int64(d.faces) }

package voxels

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Grid is a regular grid of voxels: see the package for what lies where. Origin is the
// lower corner of voxel (0, 0, 0).
type Grid struct {
	Origin, Spacing r3.Vector
	Counts          [3]int
}

// ulp is the largest relative error of a rounded sum, product or quotient: 2^−53.
const ulp = 0x1p-53

// axes names the axes in messages.
const axes = "xyz"

// Margin returns box grown by margin ≥ 0 on all sides. It fails if box is empty, or
// if margin is negative or not finite.
func Margin(box bvh.Box, margin float64) (bvh.Box, error) {
	if err := checkBox(box); err != nil {
		return box, err
	}
	if !(margin >= 0) || math.IsInf(margin, 0) {
		return box, fmt.Errorf("margin %g: want a finite length ≥ 0", margin)
	}
	d := r3.Vector{X: margin, Y: margin, Z: margin}
	return bvh.Box{Min: box.Min.Sub(d), Max: box.Max.Add(d)}, nil
}

// ErrNoBox is wrapped by the error about a box that contains nothing: that of a mesh
// without faces.
var ErrNoBox = errors.New("the box of the grid is empty")

func checkBox(box bvh.Box) error {
	if box.Empty() {
		return ErrNoBox
	}
	lo, hi := triple(box.Min), triple(box.Max)
	for k := range lo {
		if math.IsInf(lo[k], 0) || math.IsInf(hi[k], 0) || math.IsInf(hi[k]-lo[k], 0) {
			return fmt.Errorf("box from %g to %g along %c: want a finite one", lo[k], hi[k], axes[k])
		}
	}
	return nil
}

// FitSpacing returns the smallest grid of that spacing which begins at the lower
// corner of box and covers it, up to the rounding of its numbers: the last voxels may
// stick out. A side of length 0 gets one voxel. It fails if box is empty or not
// finite, or as Check does.
func FitSpacing(box bvh.Box, spacing r3.Vector) (Grid, error) {
	g := Grid{Origin: box.Min, Spacing: spacing}
	if err := checkBox(box); err != nil {
		return g, err
	}
	lo, hi, h := triple(box.Min), triple(box.Max), triple(spacing)
	for k := range h {
		if err := checkSpacing(k, h[k]); err != nil {
			return g, err
		}
		q := (hi[k] - lo[k]) / h[k]
		n := math.Round(q)
		// A box and a spacing given in decimals are each off by half a unit, as are
		// difference and quotient: 0.3/0.1 has to make three voxels.
		if off := ulp * (3*q + (math.Abs(lo[k])+math.Abs(hi[k]))/h[k]); math.Abs(q-n) > off {
			n = math.Ceil(q)
		}
		if !(n <= mostCount) {
			return g, fmt.Errorf("spacing %g along %c: %.3g voxels, want at most %d", h[k], axes[k], q, int64(mostCount))
		}
		g.Counts[k] = max(1, int(n))
	}
	return g, g.Check()
}

// FitCounts returns the grid of so many voxels that fills box. It fails if box is
// empty, flat or not finite, or as Check does.
func FitCounts(box bvh.Box, counts [3]int) (Grid, error) {
	g := Grid{Origin: box.Min, Counts: counts}
	if err := checkBox(box); err != nil {
		return g, err
	}
	size := triple(box.Size())
	for k, n := range counts {
		if err := checkCount(k, n); err != nil {
			return g, err
		}
		if size[k] == 0 {
			return g, fmt.Errorf("the box has no extent along %c: want a margin, another box or a spacing", axes[k])
		}
		size[k] /= float64(n)
	}
	g.Spacing = vector(size)
	return g, g.Check()
}

// mostCount is the largest number of voxels along an axis: a hundred times as many
// parts (MaxSamples) are still counted exactly in float64.
const mostCount = 1 << 46

func checkCount(axis, n int) error {
	if n < 1 || n > mostCount {
		return fmt.Errorf("%d voxels along %c: want 1 to %d", n, axes[axis], int64(mostCount))
	}
	return nil
}

func checkSpacing(axis int, h float64) error {
	if !(h > 0) || math.IsInf(h, 0) {
		return fmt.Errorf("spacing %g along %c: want a finite length above 0", h, axes[axis])
	}
	return nil
}

// Check returns an error if a count is below 1, the number of voxels overflows, a
// spacing is not a finite length above 0, a corner is not finite, or the spacing is so
// small beside the coordinates that neighbouring centres can coincide.
func (g Grid) Check() error {
	lo, h := triple(g.Origin), triple(g.Spacing)
	for k, n := range g.Counts {
		if err := checkCount(k, n); err != nil {
			return err
		}
		if err := checkSpacing(k, h[k]); err != nil {
			return err
		}
		far := lo[k] + float64(float64(n)*h[k])
		if math.IsNaN(lo[k]) || math.IsInf(lo[k], 0) || math.IsInf(far, 0) {
			return fmt.Errorf("grid from %g to %g along %c: want finite corners", lo[k], far, axes[k])
		}
		// Centres are off by at most four units of the largest coordinate, or of the
		// smallest number there is.
		if most := max(math.Abs(lo[k]), math.Abs(far)); h[k] <= max(8*ulp*most, 8*math.SmallestNonzeroFloat64) {
			return fmt.Errorf("spacing %g along %c is below the resolution of float64 at the coordinate %g", h[k], axes[k], most)
		}
	}
	if _, err := g.points().Len(); err != nil {
		return fmt.Errorf("grid of %s voxels: too many", g.dims())
	}
	return nil
}

func (g Grid) dims() string {
	return fmt.Sprintf("%d×%d×%d", g.Counts[0], g.Counts[1], g.Counts[2])
}

// Len returns the number of voxels of a grid that passes Check.
func (g Grid) Len() int { return g.Counts[0] * g.Counts[1] * g.Counts[2] }

// Volume returns the volume of a voxel: 0 or +Inf if it is out of the range of float64.
func (g Grid) Volume() float64 { return g.volume(1) }

// Centre returns the centre of voxel (i, j, k): Origin + Spacing/2, rounded, plus
// (i, j, k)·Spacing, rounded.
func (g Grid) Centre(i, j, k int) r3.Vector { return g.points().Point(i, j, k) }

// points is the grid of the centres.
func (g Grid) points() inpoly.Grid { return g.parts(1) }

// parts is the grid of the centres of n³ equal parts of each voxel.
func (g Grid) parts(n int) inpoly.Grid {
	m := float64(n)
	h := r3.Vector{X: g.Spacing.X / m, Y: g.Spacing.Y / m, Z: g.Spacing.Z / m}
	return inpoly.Grid{
		Origin:  g.Origin.Add(h.Mul(0.5)),
		Spacing: h,
		Counts:  [3]int{g.Counts[0] * n, g.Counts[1] * n, g.Counts[2] * n},
	}
}

func triple(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

func vector(v [3]float64) r3.Vector { return r3.Vector{X: v[0], Y: v[1], Z: v[2]} }

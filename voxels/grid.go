package voxels

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/plural"
)

// Grid is a regular grid of voxels. Origin is the lower corner of voxel (0, 0, 0). Voxel (i, j, k)
// begins at Origin + (i, j, k)·Spacing.
type Grid struct {
	Origin, Spacing r3.Vector
	Counts          [3]int
}

// ulp is the largest relative error of a rounded sum, product or quotient: 2^−53.
const ulp = 0x1p-53

const axes = "xyz"

// Margin enlarges a box by the given margin on all sides. It returns an error if the box is empty
// (ErrNoBox), or if the margin is negative or not finite.
func Margin(box bvh.Box, margin float64) (bvh.Box, error) {
	if err := checkBox(box); err != nil {
		return box, err
	}
	if !(margin >= 0) || math.IsInf(margin, 0) {
		return box, fmt.Errorf("margin %g: must be a finite length ≥ 0", margin)
	}
	d := r3.Vector{X: margin, Y: margin, Z: margin}
	return bvh.Box{Min: box.Min.Sub(d), Max: box.Max.Add(d)}, nil
}

// ErrNoBox is returned if the box of a grid is empty. The box of a mesh without faces is empty.
var ErrNoBox = errors.New("the box of the grid is empty")

func checkBox(box bvh.Box) error {
	if box.Empty() {
		return ErrNoBox
	}
	lo, hi := components(box.Min), components(box.Max)
	for k := range lo {
		if math.IsInf(lo[k], 0) || math.IsInf(hi[k], 0) || math.IsInf(hi[k]-lo[k], 0) {
			return fmt.Errorf("box from %g to %g along %c: must be finite", lo[k], hi[k], axes[k])
		}
	}
	return nil
}

// FitSpacing returns the smallest grid with the given spacing that begins at the lower corner of
// box and covers box up to rounding. The last voxels can extend beyond box. If box has length 0
// along an axis, the grid has one voxel along this axis.
//
// FitSpacing returns an error if box is empty (ErrNoBox) or not finite. It also returns the errors
// of Grid.Check.
func FitSpacing(box bvh.Box, spacing r3.Vector) (Grid, error) {
	g := Grid{Origin: box.Min, Spacing: spacing}
	if err := checkBox(box); err != nil {
		return g, err
	}
	lo, hi, h := components(box.Min), components(box.Max), components(spacing)
	for k := range h {
		if err := checkSpacing(k, h[k]); err != nil {
			return g, err
		}
		q := (hi[k] - lo[k]) / h[k]
		n := math.Round(q)
		// The test allows for rounding errors of the coordinates, the spacing, the difference and the
		// quotient. For example, 0.3/0.1 must result in three voxels.
		if err := ulp * (3*q + (math.Abs(lo[k])+math.Abs(hi[k]))/h[k]); math.Abs(q-n) > err {
			n = math.Ceil(q)
		}
		if !(n <= maxCount) {
			return g, fmt.Errorf("spacing %g along %c: %.3g voxels exceed the limit of %d: increase the spacing", h[k], axes[k], q, maxCount)
		}
		g.Counts[k] = max(1, int(n))
	}
	return g, g.Check()
}

// FitCounts returns the grid that fills box with the given numbers of voxels. It returns an error
// if box is empty (ErrNoBox), flat or not finite. It also returns the errors of Grid.Check.
func FitCounts(box bvh.Box, counts [3]int) (Grid, error) {
	g := Grid{Origin: box.Min, Counts: counts}
	if err := checkBox(box); err != nil {
		return g, err
	}
	size := components(box.Size())
	for k, n := range counts {
		if err := checkCount(k, n); err != nil {
			return g, err
		}
		if size[k] == 0 {
			return g, fmt.Errorf("the box has no extent along %c: use a margin, another box or a spacing", axes[k])
		}
		size[k] /= float64(n)
	}
	g.Spacing = vector(size)
	return g, g.Check()
}

// maxCount is the largest number of voxels along an axis. The number of parts along an axis is at
// most maxCount·MaxSamples, which is exact in float64 and fits into an int.
const maxCount = min(1<<46, math.MaxInt/MaxSamples)

func checkCount(axis, n int) error {
	if n < 1 || n > maxCount {
		return plural.Errorf("%d voxels along %c: must be from 1 to %d", n, axes[axis], maxCount)
	}
	return nil
}

func checkSpacing(axis int, h float64) error {
	if !(h > 0) || math.IsInf(h, 0) {
		return fmt.Errorf("spacing %g along %c: must be finite and positive", h, axes[axis])
	}
	return nil
}

// Check returns an error if the number of voxels is out of range, or if a spacing is not finite and
// positive. It also returns an error if a corner is not finite, or if the spacing is so small that
// neighboring centers could coincide.
func (g Grid) Check() error {
	lo, h := components(g.Origin), components(g.Spacing)
	for k, n := range g.Counts {
		if err := checkCount(k, n); err != nil {
			return err
		}
		if err := checkSpacing(k, h[k]); err != nil {
			return err
		}
		far := lo[k] + float64(float64(n)*h[k])
		if math.IsNaN(lo[k]) || math.IsInf(lo[k], 0) || math.IsInf(far, 0) {
			return fmt.Errorf("grid from %g to %g along %c: corners must be finite", lo[k], far, axes[k])
		}
		// The error of a center does not exceed 4·ulp·most or four times the smallest positive
		// number, whichever is larger. Neighboring centers differ if h[k] exceeds twice this error.
		if most := max(math.Abs(lo[k]), math.Abs(far)); h[k] <= max(8*ulp*most, 8*math.SmallestNonzeroFloat64) {
			return fmt.Errorf("spacing %g along %c: must exceed the resolution of float64 at the coordinate %g", h[k], axes[k], most)
		}
	}
	if _, err := g.centers().Len(); err != nil {
		return fmt.Errorf("a grid of %s has too many voxels: increase the spacing", g.size())
	}
	return nil
}

// Pieces returns an iterator over the pieces of the grid, in the order of the array. A piece has the
// voxels from lo to hi−1. If one slice has at most limit voxels, a piece is the given number of
// slices. Otherwise, a piece is some rows of a slice, or a part of a row, of at most limit voxels.
// limit and slices must be positive.
func (g Grid) Pieces(limit, slices int) func() (lo, hi [3]int, ok bool) {
	c, at := g.Counts, [3]int{}
	if c[0] > limit || c[1] > limit/c[0] {
		slices = 1
	}
	return func() (lo, hi [3]int, ok bool) {
		if at[2] >= c[2] {
			return lo, hi, false
		}
		lo, hi = at, [3]int{c[0], c[1], min(c[2], at[2]+slices)}
		if c[0] > limit {
			hi[0], hi[1] = min(c[0], at[0]+limit), at[1]+1
		} else {
			hi[1] = min(c[1], at[1]+limit/c[0])
		}
		if at[0] = hi[0] % c[0]; at[0] == 0 {
			if at[1] = hi[1] % c[1]; at[1] == 0 {
				at[2] = hi[2]
			}
		}
		return lo, hi, true
	}
}

func (g Grid) size() string {
	return fmt.Sprintf("%d×%d×%d", g.Counts[0], g.Counts[1], g.Counts[2])
}

// Len returns the number of voxels. The grid must pass Check.
func (g Grid) Len() int { return g.Counts[0] * g.Counts[1] * g.Counts[2] }

// Volume returns the volume of one voxel. It returns 0 or +Inf beyond the range of float64.
func (g Grid) Volume() float64 { return g.volume(1) }

// volume returns the volume of the given number of voxels. Only the result can overflow or
// underflow.
func (g Grid) volume(voxels float64) float64 {
	exponent := 0
	for _, h := range components(g.Spacing) {
		f, e := math.Frexp(h) // f in [1/2, 1)
		voxels *= f
		exponent += e
	}
	return math.Ldexp(voxels, exponent)
}

// Center returns the center of voxel (i, j, k). It rounds Origin + Spacing/2 and the product (i, j,
// k)·Spacing, and then rounds their sum.
func (g Grid) Center(i, j, k int) r3.Vector { return g.centers().Point(i, j, k) }

func (g Grid) centers() inpoly.Grid { return g.partCenters(1) }

// partCenters returns the grid of the centers of the n³ equal parts of each voxel.
func (g Grid) partCenters(n int) inpoly.Grid {
	m := float64(n)
	h := r3.Vector{X: g.Spacing.X / m, Y: g.Spacing.Y / m, Z: g.Spacing.Z / m}
	return inpoly.Grid{
		Origin:  g.Origin.Add(h.Mul(0.5)),
		Spacing: h,
		Counts:  [3]int{g.Counts[0] * n, g.Counts[1] * n, g.Counts[2] * n},
	}
}

func components(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

func vector(v [3]float64) r3.Vector { return r3.Vector{X: v[0], Y: v[1], Z: v[2]} }

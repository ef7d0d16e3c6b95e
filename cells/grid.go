package cells

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// Grid is a regular grid of points. Point (i, j, k), 0 ≤ i < Counts[0] and so
// on, lies at Origin + (i·Spacing.X, j·Spacing.Y, k·Spacing.Z), each coordinate
// a rounded product and a rounded sum in float64, and is number
// i + Counts[0]·(j + Counts[1]·k).
type Grid struct {
	Origin, Spacing r3.Vector
	Counts          [3]int
}

// Len returns the number of points. It fails if a count is negative or the
// product overflows.
func (g Grid) Len() (int, error) {
	n := 1
	for _, c := range g.Counts {
		if c < 0 {
			return 0, fmt.Errorf("grid of %d×%d×%d points: want counts ≥ 0", g.Counts[0], g.Counts[1], g.Counts[2])
		}
		if c > 0 && n > int(^uint(0)>>1)/c {
			return 0, fmt.Errorf("grid of %d×%d×%d points: too many", g.Counts[0], g.Counts[1], g.Counts[2])
		}
		n *= c
	}
	return n, nil
}

// Point returns point (i, j, k).
func (g Grid) Point(i, j, k int) r3.Vector {
	return r3.Vector{
		X: g.Origin.X + float64(float64(i)*g.Spacing.X),
		Y: g.Origin.Y + float64(float64(j)*g.Spacing.Y),
		Z: g.Origin.Z + float64(float64(k)*g.Spacing.Z),
	}
}

// SidesGridTo writes the side of every point of g to dst, in the order of their
// numbers.
func (x *Index) SidesGridTo(ctx context.Context, dst []side.Side, g Grid, workers int) (side.Stats, error) {
	n, err := g.Len()
	if err != nil {
		return side.Stats{}, err
	}
	if n != len(dst) {
		panic("cells: dst and grid differ in length")
	}
	pts := make([]r3.Vector, 0, n)
	for k := range g.Counts[2] {
		for j := range g.Counts[1] {
			for i := range g.Counts[0] {
				pts = append(pts, g.Point(i, j, k))
			}
		}
	}
	return x.SidesTo(ctx, dst, pts, workers)
}

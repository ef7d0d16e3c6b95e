package side

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// Grid is a regular grid of Counts[0]·Counts[1]·Counts[2] points. Point (i, j, k) lies at
//
//	Origin + (i·Spacing.X, j·Spacing.Y, k·Spacing.Z)
//
// where the product and the sum of each coordinate are rounded to float64. The number of the point
// is i + Counts[0]·(j + Counts[1]·k).
type Grid struct {
	Origin, Spacing r3.Vector
	Counts          [3]int
}

// Len returns the number of points. It returns an error if a count is negative or the number
// overflows int.
func (g Grid) Len() (int, error) {
	if min(g.Counts[0], g.Counts[1], g.Counts[2]) < 0 {
		return 0, fmt.Errorf("grid of %d×%d×%d points: counts must be ≥ 0", g.Counts[0], g.Counts[1], g.Counts[2])
	}
	n := 1
	if min(g.Counts[0], g.Counts[1], g.Counts[2]) == 0 {
		return 0, nil
	}
	for _, c := range g.Counts {
		if n > math.MaxInt/c {
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

package side

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// Grid is a regular grid of points. Point (i, j, k), with 0 ≤ i < Counts[0] and
// likewise for j and k, lies at
//
//	Origin + (i·Spacing.X, j·Spacing.Y, k·Spacing.Z)
//
// where each coordinate is a rounded product followed by a rounded sum in
// float64. Its number is i + Counts[0]·(j + Counts[1]·k).
type Grid struct {
	Origin, Spacing r3.Vector
	Counts          [3]int
}

// Len returns the number of points. It fails if a count is negative or if the
// number of points overflows int.
func (g Grid) Len() (int, error) {
	if min(g.Counts[0], g.Counts[1], g.Counts[2]) < 0 {
		return 0, fmt.Errorf("grid of %d×%d×%d points: want counts ≥ 0", g.Counts[0], g.Counts[1], g.Counts[2])
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

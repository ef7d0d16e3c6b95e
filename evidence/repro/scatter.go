package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// scatterRounds is the largest number of rounds. No experiment comes close to the limit, because
// below jamming each round reduces the overlaps by a constant factor.
const scatterRounds = 20000

// scatterBalls places balls of the given radii at random in a box with the lower corner 0. It
// pushes overlapping balls apart (see pushApart).
func scatterBalls(ctx context.Context, random *rand.Rand, radii []float64, size r3.Vector, tolerance float64) ([]neighbor.Sphere, error) {
	balls := make([]neighbor.Sphere, len(radii))
	for i, r := range radii {
		balls[i] = neighbor.Sphere{Radius: r, Center: r3.Vector{X: r + (size.X-2*r)*random.Float64(), Y: r + (size.Y-2*r)*random.Float64(), Z: r + (size.Z-2*r)*random.Float64()}}
	}
	return balls, pushApart(ctx, random, balls, size, tolerance)
}

// pushApart moves overlapping balls in a box until each overlap is within the tolerance. The
// tolerance is a fraction of the diameter of the smaller ball.
func pushApart(ctx context.Context, random *rand.Rand, balls []neighbor.Sphere, size r3.Vector, tolerance float64) error {
	grid := neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{})
	for range scatterRounds {
		if err := grid.Update(ctx, balls); err != nil {
			return err
		}
		worst := 0.0
		for _, p := range grid.Pairs() {
			a, b := &balls[p.A], &balls[p.B]
			d, reach := b.Center.Sub(a.Center), a.Radius+b.Radius
			if d == (r3.Vector{}) {
				d = r3.Vector{X: random.Float64() - 0.5, Y: random.Float64() - 0.5, Z: random.Float64() - 0.5}
			}
			overlap := reach - d.Norm()
			worst = max(worst, overlap/(2*min(a.Radius, b.Radius)))
			// Each ball moves in proportion to the radius of the other ball, so the smaller ball moves
			// more. Earlier moves of this round can have separated the pair.
			if overlap > 0 {
				d = d.Normalize().Mul(overlap)
				a.Center = a.Center.Sub(d.Mul(b.Radius / reach))
				b.Center = b.Center.Add(d.Mul(a.Radius / reach))
			}
		}
		if worst <= tolerance {
			return nil
		}
		for i := range balls {
			c, r := &balls[i].Center, balls[i].Radius
			c.X, c.Y, c.Z = clamp(c.X, r, size.X), clamp(c.Y, r, size.Y), clamp(c.Z, r, size.Z)
		}
	}
	return fmt.Errorf("%d balls still overlap after %d rounds", len(balls), scatterRounds)
}

// scatterDisks does the same as scatterBalls with disks in the plane.
func scatterDisks(ctx context.Context, random *rand.Rand, radii []float64, size r2.Point, tolerance float64) ([]neighbor.Disk, error) {
	disks := make([]neighbor.Disk, len(radii))
	for i, r := range radii {
		disks[i] = neighbor.Disk{Radius: r, Center: r2.Point{X: r + (size.X-2*r)*random.Float64(), Y: r + (size.Y-2*r)*random.Float64()}}
	}
	grid := neighbor.NewHierarchicalGrid[neighbor.Disk](neighbor.GridOptions{})
	for range scatterRounds {
		if err := grid.Update(ctx, disks); err != nil {
			return nil, err
		}
		worst := 0.0
		for _, p := range grid.Pairs() {
			a, b := &disks[p.A], &disks[p.B]
			d, reach := b.Center.Sub(a.Center), a.Radius+b.Radius
			if d == (r2.Point{}) {
				d = r2.Point{X: random.Float64() - 0.5, Y: random.Float64() - 0.5}
			}
			overlap := reach - d.Norm()
			worst = max(worst, overlap/(2*min(a.Radius, b.Radius)))
			if overlap > 0 {
				d = d.Normalize().Mul(overlap)
				a.Center = a.Center.Sub(d.Mul(b.Radius / reach))
				b.Center = b.Center.Add(d.Mul(a.Radius / reach))
			}
		}
		if worst <= tolerance {
			return disks, nil
		}
		for i := range disks {
			c, r := &disks[i].Center, disks[i].Radius
			c.X, c.Y = clamp(c.X, r, size.X), clamp(c.Y, r, size.Y)
		}
	}
	return nil, fmt.Errorf("%d disks still overlap after %d rounds", len(radii), scatterRounds)
}

// clamp keeps a particle between the walls.
func clamp(x, r, size float64) float64 { return math.Max(r, math.Min(size-r, x)) }

// velocities returns n vectors of the given length in random directions.
func velocities(random *rand.Rand, n int, speed float64) []r3.Vector {
	list := make([]r3.Vector, n)
	for i := range list {
		list[i] = r3.Vector{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}.Normalize().Mul(speed)
	}
	return list
}

package main

import (
	"math"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/neighbor"
)

// Balls that grew keep their sizes, lie in the cube, and do not overlap. The same seed gives the same packing.
func TestGrowBalls(t *testing.T) {
	spec := packingSpec{kind: "UV", ratio: 5, n: 150, fraction: 0.4}
	radii := spec.scaledSizes()
	balls, err := growBalls(t.Context(), radii, 3)
	if err != nil {
		t.Fatal(err)
	}
	volume := 0.0
	for i, a := range balls {
		c := a.Center
		if a.Radius != radii[i] || min(c.X, c.Y, c.Z)-a.Radius < -1e-9 || max(c.X, c.Y, c.Z)+a.Radius > 1+1e-9 {
			t.Fatalf("ball %d: %+v", i, a)
		}
		volume += 4 * math.Pi / 3 * math.Pow(a.Radius, 3)
		for _, b := range balls[i+1:] {
			if gap := a.Center.Sub(b.Center).Norm() - a.Radius - b.Radius; gap < -1e-9 {
				t.Errorf("ball %d overlaps another by %g", i, -gap)
			}
		}
	}
	if math.Abs(volume-spec.fraction) > 1e-12 {
		t.Errorf("volume fraction %v", volume)
	}
	again, err := growBalls(t.Context(), radii, 3)
	if err != nil || !slices.Equal(balls, again) {
		t.Errorf("a second run differs, or %v", err)
	}
}

// A collision conserves momentum, and the balls part as fast as they approached, relative to their growth.
func TestCollide(t *testing.T) {
	g := &hardBalls{rate: []float64{0.1, 0.2}, mass: []float64{1, 8}, time: make([]float64, 2), collisions: make([]int, 2), now: 0.5}
	balls := []neighbor.Sphere{{Radius: 0.1}, {Radius: 0.2}}
	balls[1].Center.X = 0.15
	for _, b := range balls {
		g.at = append(g.at, b.Center)
	}
	g.v = append(g.v, balls[1].Center, balls[1].Center.Mul(-2)) // they approach with the speed .45
	g.time[0], g.time[1] = 0.5, 0.5
	before := g.v[0].Add(g.v[1].Mul(8))
	g.collide(event{time: 0.5, a: 0, b: 1})
	if after := g.v[0].Add(g.v[1].Mul(8)); after.Sub(before).Norm() > 1e-15 {
		t.Errorf("momentum %v, was %v", after, before)
	}
	if u := g.v[1].X - g.v[0].X; math.Abs(u-(0.45+2*0.3)) > 1e-15 {
		t.Errorf("they part with the speed %v", u)
	}
}

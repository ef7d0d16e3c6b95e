package neighbor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// BenchmarkStatic takes the same bodies again and again: number density ∝ r^-3 up to a
// ratio of sizes, volume fraction .62.
func BenchmarkStatic(b *testing.B) {
	for _, n := range []int{10_000, 125_001, 1_000_000} {
		for _, ratio := range []float64{1, 50} {
			rng := rand.New(rand.NewPCG(1, 2))
			bodies, _ := random(rng, n, ratio, .62)
			name := fmt.Sprintf("n=%d/ratio=%g", n, ratio)
			b.Run(name+"/spheres", func(b *testing.B) { benchStatic(b, bodies) })
			boxes := make([]bvh.Box, n)
			for i := range boxes {
				sphereBounds(&boxes[i], &bodies[i])
			}
			b.Run(name+"/boxes", func(b *testing.B) { benchStatic(b, boxes) })
		}
	}
}

func benchStatic[T Body](b *testing.B, bodies []T) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			var m Method[T]
			for b.Loop() {
				m = NewHierarchicalGrid[T](GridOptions{Workers: workers})
				if err := m.Update(b.Context(), bodies); err != nil {
					b.Fatal(err)
				}
			}
			s := m.Stats()
			b.ReportMetric(float64(s.Tests)/float64(s.Steps), "tests/step")
			b.ReportMetric(float64(len(m.Pairs())), "pairs")
		})
	}
}

// BenchmarkMoving takes steps of bodies that move by a share of the smallest diameter.
func BenchmarkMoving(b *testing.B) {
	for _, n := range []int{30, 100, 300, 1000, 20_000} {
		for _, ratio := range []float64{1, 10} {
			for _, speed := range []float64{.001, .01, .1, 1} {
				rng := rand.New(rand.NewPCG(1, 2))
				first, side := random(rng, n, ratio, .6)
				velocity := make([]r3.Vector, n)
				for i := range velocity {
					velocity[i] = r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(speed)
				}
				for _, m := range methods[Sphere]() {
					b.Run(fmt.Sprintf("n=%d/ratio=%g/speed=%g/%s", n, ratio, speed, m.name), func(b *testing.B) {
						if m.name == "brute" && n > 1000 {
							b.Skip("takes long")
						}
						bodies := slices.Clone(first)
						method := m.make(1)
						for b.Loop() {
							for i := range bodies {
								c, v := &bodies[i].Center, &velocity[i]
								*c = c.Add(*v)
								bounce(&c.X, &v.X, side)
								bounce(&c.Y, &v.Y, side)
								bounce(&c.Z, &v.Z, side)
							}
							if err := method.Update(b.Context(), bodies); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
					})
				}
			}
		}
	}
}

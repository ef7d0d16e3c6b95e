package neighbor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// BenchmarkStatic passes the same bodies in every step. They are balls that fill .62 of the volume
// of a cube, or the boxes around these balls.
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

// BenchmarkMoving measures steps in which bodies move by a share of the smallest radius.
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

// jitter returns two states of n balls in a cube at a volume fraction of .4, or of n disks in a
// square at an area fraction of .67. In the second state, each body is moved in a random direction
// by 1 % of the smallest diameter. So the steps do not change the density.
func jitter(n int, ratio float64, plane bool) [2][]Sphere {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	bodies, side := random(rng, n, ratio, .4)
	if plane {
		area := 0.0
		for _, b := range bodies {
			area += math.Pi * b.Radius * b.Radius
		}
		shrink := math.Sqrt(area/.67) / side
		for i := range bodies {
			c := &bodies[i].Center
			*c = r3.Vector{X: c.X * shrink, Y: c.Y * shrink}
		}
	}
	moved := make([]Sphere, n)
	for i, b := range bodies {
		d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		if plane {
			d.Z = 0
		}
		moved[i] = Sphere{Center: b.Center.Add(d.Mul(.02 / d.Norm())), Radius: b.Radius}
	}
	return [2][]Sphere{bodies, moved}
}

func BenchmarkSorts(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		for _, ratio := range []float64{1, 50} {
			space := jitter(n, ratio, false)
			name := fmt.Sprintf("bodies=%d/ratio=%g", n, ratio)
			b.Run("method=sort/kind=sphere/"+name, func(b *testing.B) {
				benchmark(b, NewIncrementalSort[Sphere](SortOptions{}), space)
			})
			b.Run("method=undivided/kind=sphere/"+name, func(b *testing.B) {
				benchmark(b, NewIncrementalSort[Sphere](SortOptions{Undivided: true}), space)
			})
			b.Run("method=radial/kind=sphere/"+name, func(b *testing.B) {
				benchmark(b, NewRadialSort[Sphere](RadialOptions{}), space)
			})
			var plane [2][]Disk
			for i, bodies := range jitter(n, ratio, true) {
				for _, s := range bodies {
					plane[i] = append(plane[i], Disk{Center: r2.Point{X: s.Center.X, Y: s.Center.Y}, Radius: s.Radius})
				}
			}
			b.Run("method=sort/kind=disk/"+name, func(b *testing.B) {
				benchmark(b, NewIncrementalSort[Disk](SortOptions{}), plane)
			})
			b.Run("method=undivided/kind=disk/"+name, func(b *testing.B) {
				benchmark(b, NewIncrementalSort[Disk](SortOptions{Undivided: true}), plane)
			})
			b.Run("method=radial/kind=disk/"+name, func(b *testing.B) {
				benchmark(b, NewRadialSort[Disk](RadialOptions{}), plane)
			})
		}
	}
}

// benchmark measures steps that alternate between two states.
func benchmark[T Body](b *testing.B, m Method[T], steps [2][]T) {
	for i := range 2 {
		if err := m.Update(b.Context(), steps[i]); err != nil {
			b.Fatal(err)
		}
	}
	before, k := m.Stats(), 0
	for b.Loop() {
		if err := m.Update(b.Context(), steps[k%2]); err != nil {
			b.Fatal(err)
		}
		k++
	}
	after := m.Stats()
	n := float64(k * len(steps[0]))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/body")
	b.ReportMetric(float64(after.Tests-before.Tests)/n, "tests/body")
	b.ReportMetric(float64(after.Exchanges-before.Exchanges)/n, "exchanges/body")
	b.ReportMetric(float64(len(m.Pairs()))/float64(len(steps[0])), "pairs/body")
}

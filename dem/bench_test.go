package dem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/internal/gain"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// BenchmarkSpheres measures steps of balls on a lattice. All balls touch their neighbors.
func BenchmarkSpheres(b *testing.B) {
	s := gas(30, 1)
	for i := range s.Balls {
		s.Balls[i].Radius *= 1.25 // the lattice spacing is 2.4 times the old radius
	}
	benchmark(b, len(s.Balls), func(o Options) (stepper, error) {
		return NewSpheres(b.Context(), s, fast[neighbor.Sphere](o.Workers), o)
	}, gasOptions)
}

// BenchmarkDisks measures steps of disks. Most disks touch their neighbors.
func BenchmarkDisks(b *testing.B) {
	s := planeGas(150, 1)
	for i := range s.Disks {
		s.Disks[i].Radius *= 1.25
	}
	benchmark(b, len(s.Disks), func(o Options) (stepper, error) {
		return NewDisks(b.Context(), s, fast[neighbor.Disk](o.Workers), o)
	}, planeOptions)
}

// BenchmarkSecondWorker measures what a second worker gains for the balls and disks of
// BenchmarkSpheres and BenchmarkDisks.
func BenchmarkSecondWorker(b *testing.B) {
	balls := gas(30, 1)
	for i := range balls.Balls {
		balls.Balls[i].Radius *= 1.25
	}
	b.Run(fmt.Sprintf("balls=%d", len(balls.Balls)), func(b *testing.B) {
		secondWorker(b, func(o Options) (stepper, error) {
			return NewSpheres(b.Context(), balls, fast[neighbor.Sphere](o.Workers), o)
		}, gasOptions)
	})
	disks := planeGas(150, 1)
	for i := range disks.Disks {
		disks.Disks[i].Radius *= 1.25
	}
	b.Run(fmt.Sprintf("disks=%d", len(disks.Disks)), func(b *testing.B) {
		secondWorker(b, func(o Options) (stepper, error) {
			return NewDisks(b.Context(), disks, fast[neighbor.Disk](o.Workers), o)
		}, planeOptions)
	})
}

func secondWorker(b *testing.B, world func(Options) (stepper, error), o Options) {
	steps := func(workers int) func() {
		o.Workers = workers
		w, err := world(o)
		if err != nil {
			b.Fatal(err)
		}
		return func() {
			for range 20 {
				if err := w.Step(b.Context()); err != nil {
					b.Error(err)
				}
			}
		}
	}
	gain.Measure(b, steps(1), steps(1), steps(2))
}

// BenchmarkPolygons measures steps of polygons that touch their neighbors. The scenes are like those
// of experiment S3 in docs/results.md.
func BenchmarkPolygons(b *testing.B) {
	for _, corners := range [][2]int{{3, 10}, {4, 4}, {6, 6}, {16, 16}, {100, 100}, {1000, 1000}} {
		b.Run(fmt.Sprintf("corners=%d-%d", corners[0], corners[1]), func(b *testing.B) {
			s := touching(b, 40, corners[0], corners[1])
			benchmark(b, len(s.Polygons), func(o Options) (stepper, error) {
				return NewPolygons(b.Context(), s, fast[neighbor.Rect](o.Workers), o)
			}, Options{TimeStep: 2e-4, Stiffness: 1e4})
		})
	}
}

// BenchmarkFriction measures steps like those of BenchmarkPolygons with friction.
func BenchmarkFriction(b *testing.B) {
	s := touching(b, 40, 3, 10)
	benchmark(b, len(s.Polygons), func(o Options) (stepper, error) {
		return NewPolygons(b.Context(), s, fast[neighbor.Rect](o.Workers), o)
	}, Options{TimeStep: 2e-4, Stiffness: 1e4, Friction: .5})
}

// touching returns n² regular polygons on a dense lattice between walls. Their numbers of corners
// are from low to high. Their rotations and velocities are random.
func touching(b *testing.B, n, low, high int) PolygonScene {
	rng := rand.New(rand.NewPCG(12, 34))
	shapes := map[int]*polygon.Shape{}
	for i := low; i <= high; i++ {
		shapes[i] = regular(b, i, 1)
	}
	const spacing, speed = 1.9, 0.3
	side := spacing*float64(n) + 1
	s := PolygonScene{Walls: neighbor.Rect{Max: r2.Point{X: side, Y: side}}}
	for i := range n * n {
		s.Polygons = append(s.Polygons, Polygon{
			Shape:    shapes[low+rng.IntN(high-low+1)],
			Velocity: r2.Point{X: speed * rng.NormFloat64(), Y: speed * rng.NormFloat64()},
			Spin:     speed * rng.NormFloat64(),
			Pose: polygon.Pose{Angle: 2 * math.Pi * rng.Float64(),
				At: r2.Point{X: spacing*(float64(i%n)+0.5) + 0.5, Y: spacing*(float64(i/n)+0.5) + 0.5}},
		})
	}
	return s
}

func benchmark(b *testing.B, particles int, world func(Options) (stepper, error), o Options) {
	for _, damping := range []float64{0, 1} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("particles=%d/damping=%v/workers=%d", particles, damping, workers), func(b *testing.B) {
				o.Workers, o.Damping = workers, damping
				w, err := world(o)
				if err != nil {
					b.Fatal(err)
				}
				walk(b, w, 3)
				for b.Loop() {
					if err := w.Step(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(particles)*float64(b.N)/b.Elapsed().Seconds(), "particles/s")
			})
		}
	}
}

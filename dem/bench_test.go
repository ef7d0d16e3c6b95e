package dem

import (
	"fmt"
	"testing"

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

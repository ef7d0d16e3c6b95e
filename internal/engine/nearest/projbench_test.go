package nearest

import (
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/side"
)

// BenchmarkProjectTo measures closest points with all their properties, beside distances.
func BenchmarkProjectTo(b *testing.B) {
	s := searcher(b, testmesh.Sphere(7), bvh.Options{})
	const n = 1 << 18
	r := rand.New(rand.NewPCG(91, 92))
	pts := make([]r3.Vector, n)
	for i := range pts {
		pts[i] = r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
	}
	d, face, dst := make([]float64, n), make([]int32, n), make([]side.Projection, n)
	b.Run("distances", func(b *testing.B) {
		for b.Loop() {
			if err := s.DistancesTo(b.Context(), d, face, pts, 1); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "points/s")
	})
	b.Run("projections", func(b *testing.B) {
		for b.Loop() {
			if err := s.ProjectTo(b.Context(), dst, pts, 1, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "points/s")
	})
}

package nearest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
)

func BenchmarkClosestTo(b *testing.B) {
	for _, levels := range []int{7} {
		m := testmesh.Sphere(levels)
		s := searcher(b, m, bvh.Options{})
		for _, row := range []struct {
			name string
			near float64 // distance from the surface, or 0 for points in the whole cube
		}{{"random", 0}, {"1e-3", 2e-3}} {
			b.Run(fmt.Sprintf("mesh=%d/points=%s", m.NumFaces(), row.name), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				pts := make([]r3.Vector, 1000000)
				for i := range pts {
					pts[i] = cube(r)
					if row.near > 0 {
						pts[i] = pts[i].Normalize().Mul(1 + row.near*uniform(r))
					}
				}
				dst := make([]Result, len(pts))
				for b.Loop() {
					if err := s.ClosestTo(context.Background(), dst, pts, 1); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*len(pts))/b.Elapsed().Seconds(), "points/s")
			})
		}
	}
}

func BenchmarkWide(b *testing.B) {
	m := testmesh.Sphere(7)
	s := searcher(b, m, bvh.Options{})
	for b.Loop() {
		obbTreeOf(b, s, 1)
	}
	b.ReportMetric(float64(b.N*m.NumFaces())/b.Elapsed().Seconds(), "faces/s")
}

package nearest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
)

func BenchmarkClosest(b *testing.B) {
	for _, levels := range []int{5, 7} {
		m := testmesh.Sphere(levels)
		s := searcher(b, m, bvh.Options{})
		for _, row := range []struct {
			name string
			near float64 // distance from the surface, or 0 for points in the whole cube
		}{{"random", 0}, {"1e-2", 1e-2}, {"1e-6", 1e-6}} {
			b.Run(fmt.Sprintf("mesh=%d/points=%s", m.NumFaces(), row.name), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 1))
				pts := make([]r3.Vector, 1<<14)
				for i := range pts {
					pts[i] = cube(r)
					if row.near > 0 {
						pts[i] = pts[i].Normalize().Mul(1 + row.near*uniform(r))
					}
				}
				var st Scratch
				n := 0
				for b.Loop() {
					s.Closest(pts[n&(len(pts)-1)], &st)
					n++
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "points/s")
				b.ReportMetric(float64(st.Triangles)/float64(n), "triangles/op")
				b.ReportMetric(float64(st.Nodes())/float64(n), "nodes/op")
			})
		}
	}
}

package blocks

import (
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// BenchmarkGrid computes 10⁶ blocks in three solids with one worker: spheres that overlap, layers that are
// apart, and layers that share their walls.
func BenchmarkGrid(b *testing.B) {
	sphere := testmesh.Soup(testmesh.Sphere(5))
	var spheres, apart, adjacent []*inpoly.Solid
	for i := range 3 {
		spheres = append(spheres, solidOf(b, testmesh.Mesh(testmesh.Translate(sphere, r3.Vector{X: 0.7 * float64(i)})), inpoly.Options{}))
		apart = append(apart, solidOf(b, testmesh.Mesh(testmesh.Strata(60, 3, 0.1)[i]), inpoly.Options{}))
		adjacent = append(adjacent, solidOf(b, testmesh.Mesh(testmesh.Strata(60, 3, 0)[i]), inpoly.Options{}))
	}
	round := Frame{Origin: r3.Vector{X: -1.21, Y: -1.23, Z: -1.27}, Size: r3.Vector{X: 0.041, Y: 0.026, Z: 0.027}, Counts: [3]int{100, 100, 100}}
	flat := Frame{Origin: r3.Vector{X: -0.21, Y: -0.23, Z: -0.57}, Size: r3.Vector{X: 0.035, Y: 0.036, Z: 0.045}, Counts: [3]int{100, 100, 100}}
	for _, c := range []struct {
		name   string
		solids []*inpoly.Solid
		frame  Frame
	}{{"spheres", spheres, round}, {"apart", apart, flat}, {"adjacent", adjacent, flat}} {
		b.Run("solids="+c.name, func(b *testing.B) {
			m, err := New(b.Context(), c.solids, c.frame.Pose(), Options{Levels: DefaultLevels})
			if err != nil {
				b.Fatal(err)
			}
			w := m.Worker(b.Context())
			var rows Rows
			largest, mixed := 0.0, 0
			for b.Loop() {
				largest, mixed = 0, 0
				next := c.frame.Grid().Pieces(1<<14, 1)
				for lo, hi, ok := next(); ok; lo, hi, ok = next() {
					if err := w.Grid(&rows, &c.frame, lo, hi); err != nil {
						b.Fatal(err)
					}
					for s := range rows.Bounds {
						largest = max(largest, slices.Max(rows.Bounds[s]))
					}
					for i := range rows.Rows {
						if rows.Rows[i].Mixed {
							mixed++
						}
					}
				}
			}
			b.ReportMetric(float64(c.frame.Grid().Len())*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
			b.ReportMetric(largest, "largest-bound")
			b.ReportMetric(float64(mixed), "at-surface")
		})
	}
}

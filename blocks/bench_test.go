package blocks

import (
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// BenchmarkGrid computes 10⁶ blocks in three solids that overlap, with one worker.
func BenchmarkGrid(b *testing.B) {
	sphere := testmesh.Soup(testmesh.Sphere(5))
	var solids []*inpoly.Solid
	for i := range 3 {
		solids = append(solids, solidOf(b, testmesh.Mesh(testmesh.Translate(sphere, r3.Vector{X: 0.7 * float64(i)})), inpoly.Options{}))
	}
	f := Frame{Origin: r3.Vector{X: -1.21, Y: -1.23, Z: -1.27}, Size: r3.Vector{X: 0.041, Y: 0.026, Z: 0.027}, Counts: [3]int{100, 100, 100}}
	m, err := New(b.Context(), solids, f.Pose(), Options{Levels: DefaultLevels})
	if err != nil {
		b.Fatal(err)
	}
	w := m.Worker(b.Context())
	var rows Rows
	for b.Loop() {
		next := f.Grid().Pieces(1<<14, 1)
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			if err := w.Grid(&rows, &f, lo, hi); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(f.Grid().Len())*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
}

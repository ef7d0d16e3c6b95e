package voxels

import (
	"fmt"
	"io"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// BenchmarkWrite measures the number of voxels per second.
func BenchmarkWrite(b *testing.B) {
	for _, m := range []struct {
		name string
		mesh *mesh.Mesh
	}{{"sphere", testmesh.Sphere(6)}, {"foam", foam(b, 32)}} {
		s := newSolid(b, m.mesh, inpoly.Options{Method: inpoly.Cells})
		for _, opt := range []Options{{}, {Quantity: Winding}, {Quantity: Fraction, Samples: 4}} {
			const n = 128
			b.Run(fmt.Sprintf("mesh=%s/quantity=%v/voxels=%d", m.name, opt.Quantity, n*n*n), func(b *testing.B) {
				g, err := FitCounts(m.mesh.Box(), [3]int{n, n, n})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := Write(b.Context(), io.Discard, s, g, opt); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*n*n*n/b.Elapsed().Seconds(), "voxels/s")
			})
		}
	}
}

package voxels

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
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

// BenchmarkOccupancy measures the voxels per second of a large array that is written to memory. The
// index is built before, and the memory was written before.
func BenchmarkOccupancy(b *testing.B) {
	m := testmesh.Sphere(7) // 131,072 triangles
	const n = 466
	g, err := FitCounts(m.Box(), [3]int{n, n, n})
	if err != nil {
		b.Fatal(err)
	}
	out := memory{make([]byte, n*n*n+maxHeader), 0}
	for _, workers := range []int{1, 2} {
		s := newSolid(b, m, inpoly.Options{ExpectedPoints: n * n * n, Workers: workers})
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				out.n = 0
				if _, err := Write(b.Context(), &out, s, g, Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n*n*n/b.Elapsed().Seconds(), "voxels/s")
		})
	}
}

// memory is a writer to memory that has already been allocated.
type memory struct {
	bytes []byte
	n     int
}

func (m *memory) Write(p []byte) (int, error) {
	n := copy(m.bytes[m.n:], p)
	if m.n += n; n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// BenchmarkBoxes measures the positions of random boxes with a given edge, relative to the mesh.
func BenchmarkBoxes(b *testing.B) {
	m := testmesh.Sphere(7) // 131,072 triangles
	const n = 1 << 20
	s := newSolid(b, m, inpoly.Options{Method: inpoly.Cells, ExpectedPoints: n, Workers: 1})
	boxes, dst := make([]bvh.Box, n), make([]Position, n)
	for _, edge := range []float64{0, .001, .003, .01, .03, .1, .3} {
		r := rand.New(rand.NewPCG(53, 54))
		for i := range boxes {
			p := r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
			d := 2 * edge
			boxes[i] = bvh.Box{Min: p, Max: p.Add(r3.Vector{X: d, Y: d, Z: d})}
		}
		b.Run(fmt.Sprintf("edge=%g", edge), func(b *testing.B) {
			for b.Loop() {
				if err := BoxesTo(b.Context(), s, dst, boxes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "boxes/s")
		})
	}
}

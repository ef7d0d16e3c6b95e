package cells_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// benchMeshes returns a smooth mesh and a rough mesh. Both are closed.
func benchMeshes() map[string]*mesh.Mesh {
	return map[string]*mesh.Mesh{"sphere": testmesh.Sphere(6), "star": testmesh.Mesh(testmesh.Star(4, .7, 1))}
}

func benchIndex(b *testing.B, m *mesh.Mesh) *cells.Index {
	b.Helper()
	x, err := cells.New(b.Context(), m, cells.Options{Workers: 1, Rays: raysOf(m, side.NonZero)})
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// benchClouds returns two clouds of points: points everywhere in the box, and points near faces.
func benchClouds(m *mesh.Mesh, n int) map[string][]r3.Vector {
	k := &maker{r: newRand(1), mesh: m, box: m.Box()}
	random, near := make([]r3.Vector, n), make([]r3.Vector, n)
	for i := range random {
		random[i] = k.around()
		near[i] = k.onFace().Mul(1 + 1e-3*k.r.NormFloat64())
	}
	return map[string][]r3.Vector{"random": random, "near": near}
}

func BenchmarkNew(b *testing.B) {
	for name, m := range benchMeshes() {
		b.Run("mesh="+name, func(b *testing.B) {
			for b.Loop() {
				benchIndex(b, m)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NumFaces()), "ns/triangle")
		})
	}
}

func BenchmarkSidesTo(b *testing.B) {
	for name, m := range benchMeshes() {
		x := benchIndex(b, m)
		for cloud, pts := range benchClouds(m, 1<<17) {
			b.Run("mesh="+name+"/points="+cloud, func(b *testing.B) {
				dst := make([]side.Side, len(pts))
				for b.Loop() {
					if _, err := x.SidesTo(b.Context(), dst, pts, 1); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(pts)), "ns/point")
			})
		}
	}
}

func BenchmarkSide(b *testing.B) {
	for name, m := range benchMeshes() {
		x := benchIndex(b, m)
		for cloud, pts := range benchClouds(m, 1<<12) {
			b.Run("mesh="+name+"/points="+cloud, func(b *testing.B) {
				var s cells.Scratch
				i := 0
				for b.Loop() {
					x.Side(pts[i&(len(pts)-1)], &s)
					i++
				}
			})
		}
	}
}

func BenchmarkWinding(b *testing.B) {
	m := testmesh.Sphere(6)
	x, pts := benchIndex(b, m), benchClouds(m, 1<<12)["near"]
	var s cells.Scratch
	i := 0
	for b.Loop() {
		if w, _ := x.Winding(pts[i&(len(pts)-1)], &s); math.IsNaN(w) {
			b.Fatal("NaN")
		}
		i++
	}
}

func BenchmarkSidesGridTo(b *testing.B) {
	for name, m := range benchMeshes() {
		x := benchIndex(b, m)
		box := m.Box()
		for _, n := range []int{64, 256} {
			g := side.Grid{Origin: box.Min, Spacing: box.Size().Mul(1 / float64(n-1)), Counts: [3]int{n, n, n}}
			dst := make([]side.Side, n*n*n)
			b.Run(fmt.Sprintf("mesh=%s/points=%d", name, len(dst)), func(b *testing.B) {
				for b.Loop() {
					if _, err := x.SidesGridTo(b.Context(), dst, g, 1); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/point")
			})
		}
	}
}

package main

import (
	"fmt"
	"runtime/debug"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/evidence/repro/chart"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// scaleBlock is the number of points that the table scale holds in memory.
const scaleBlock = 1 << 20

// scaleTable measures the sides of 10³ to 10⁹ random points in the box of a mesh. The points are
// generated in blocks, and the time to generate them does not count. The table open measures more
// sizes of meshes.
func (b *bench) scaleTable() error {
	f := chart.Chart{
		Name: "scale", Title: "Sides of random points, build and queries together: four meshes",
		X: "points", Y: "ns per point", LogX: true, LogY: true,
	}
	header("<mesh", "triangles", "points", "<method", "build s", "points s", "ns/point", "with build", "peak MB", "peak B/point")
	for _, s := range []struct {
		name string
		mesh func() *mesh.Mesh
	}{
		{"sphere", func() *mesh.Mesh { return testmesh.Sphere(4) }},
		{"sphere", func() *mesh.Mesh { return testmesh.Sphere(7) }},
		{"sphere", func() *mesh.Mesh { return testmesh.Sphere(9) }},
		{"foam", func() *mesh.Mesh { return testmesh.Foam(mesh.FoamOptions{Cells: 216, Resolution: 64}) }},
	} {
		m := s.mesh()
		for n := 1000; n <= min(b.most, 1_000_000_000); n *= 10 {
			if b.quick && n > 10_000 {
				break
			}
			t, err := b.scaleRow(s.name, m, n)
			if err != nil {
				return err
			}
			addPoint(&f, fmt.Sprintf("%s, %s triangles", s.name, plural.Group(int64(m.NumFaces()), ",")), float64(n), t)
		}
	}
	return b.draw(&f)
}

// scaleRow prints a row. It returns the nanoseconds per point, including the build.
func (b *bench) scaleRow(name string, m *mesh.Mesh, n int) (ns float64, err error) {
	pts, sides := make([]r3.Vector, min(n, scaleBlock)), make([]side.Side, min(n, scaleBlock))
	var builds, queries []float64
	method, peak := "", int64(0)
	for round := 0; round < b.reps && (round == 0 || n <= 10_000_000); round++ {
		debug.FreeOSMemory()
		before, err := resetPeak()
		if err != nil {
			return 0, err
		}
		var s *inpoly.Solid
		build, err := seconds(func() (err error) {
			s, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(n)})
			return err
		})
		if err != nil {
			return 0, err
		}
		rng, box := newRand(uint64(n)), m.Box()
		size := box.Size()
		query := 0.0
		for done := 0; done < n; done += len(pts) {
			part := pts[:min(len(pts), n-done)]
			for i := range part {
				part[i] = box.Min.Add(r3.Vector{X: rng.Float64() * size.X, Y: rng.Float64() * size.Y, Z: rng.Float64() * size.Z})
			}
			t, err := seconds(func() error { return s.SidesTo(b.ctx, sides[:len(part)], part) })
			if err != nil {
				return 0, err
			}
			query += t
		}
		after, err := statusBytes("VmHWM:")
		if err != nil {
			return 0, err
		}
		builds, queries = append(builds, build), append(queries, query)
		method, peak = string(s.Report().Method), max(peak, after-before)
	}
	build, query := median(builds), median(queries)
	ns = (build + query) / float64(n) * 1e9
	fmt.Printf("| %s | %d | %d | %s | %.3g | %.3g | %.3g | %.3g | %.1f | %.2g |\n", name, m.NumFaces(), n, method, build, query,
		query/float64(n)*1e9, ns, float64(peak)/1e6, float64(peak)/float64(n))
	return ns, nil
}

package main

import (
	"fmt"
	"runtime/debug"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// scaleBlock is the number of points that the table scale holds in memory.
const scaleBlock = 1 << 20

// scaleTable measures the sides of 10³ to 10⁹ random points in the box of a mesh. The points are
// generated in blocks, and the time to generate them does not count. The table open measures meshes
// of different sizes.
func (b *bench) scaleTable() error {
	foam := testmesh.Foam(testmesh.FoamOptions{Cells: 6, Resolution: 64})
	header("<mesh", "triangles", "points", "<method", "build s", "points s", "ns/point", "with build", "peak MB", "peak B/point")
	for _, m := range []struct {
		name string
		mesh *mesh.Mesh
	}{{"sphere", testmesh.Sphere(7)}, {"foam", foam}} {
		for n := 1000; n <= min(b.most, 1_000_000_000); n *= 10 {
			if b.quick && n > 10_000 {
				break
			}
			if err := b.scaleRow(m.name, m.mesh, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) scaleRow(name string, m *mesh.Mesh, n int) error {
	pts, sides := make([]r3.Vector, min(n, scaleBlock)), make([]side.Side, min(n, scaleBlock))
	var builds, queries []float64
	method, peak := "", int64(0)
	for round := 0; round < b.reps && (round == 0 || n <= 10_000_000); round++ {
		debug.FreeOSMemory()
		before, err := resetPeak()
		if err != nil {
			return err
		}
		var s *inpoly.Solid
		build, err := seconds(func() (err error) {
			s, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(n)})
			return err
		})
		if err != nil {
			return err
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
				return err
			}
			query += t
		}
		after, err := statusBytes("VmHWM:")
		if err != nil {
			return err
		}
		builds, queries = append(builds, build), append(queries, query)
		method, peak = string(s.Report().Method), max(peak, after-before)
	}
	build, query := median(builds), median(queries)
	fmt.Printf("| %s | %d | %d | %s | %.3g | %.3g | %.3g | %.3g | %.1f | %.2g |\n", name, m.NumFaces(), n, method, build, query,
		query/float64(n)*1e9, (build+query)/float64(n)*1e9, float64(peak)/1e6, float64(peak)/float64(n))
	return nil
}

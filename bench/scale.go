package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// scaleTable measures cells over spheres that grow fourfold: a million random
// points in the cube around the unit sphere, on one thread and on all.
func (b *bench) scaleTable() error {
	header("triangles", "build s, all threads", "ns/triangle", "build s, one thread", "speed-up", "B/triangle", "peak B/triangle",
		"ns/point, one thread", "ns/point, all threads", "<M/s, min–max", "speed-up")
	levels, n := []int{4, 5, 6, 7, 8, 9, 10}, 1_000_000
	if b.quick {
		levels, n = levels[:3], 10_000
	}
	pts := cube(n, 1.05, 1)
	for _, level := range levels {
		if err := b.scaleRow(testmesh.Sphere(level), pts); err != nil {
			return fmt.Errorf("level %d: %w", level, err)
		}
	}
	return nil
}

func (b *bench) scaleRow(m *mesh.Mesh, pts []r3.Vector) error {
	faces := float64(m.NumFaces())
	peak, err := b.peakOfBuild(m)
	if err != nil {
		return err
	}
	reps := b.reps
	if m.NumFaces() > 1<<20 {
		reps = min(reps, 3) // seconds each
	}
	var index *cells.Index
	var builds [2][]float64
	for range reps {
		for i, threads := range []int{1, b.threads} {
			index = nil
			runtime.GC()
			t, err := seconds(func() (err error) {
				index, err = buildCells(b.ctx, m, threads, 0)
				return err
			})
			if err != nil {
				return err
			}
			builds[i] = append(builds[i], t)
		}
	}
	sides := make([]side.Side, len(pts))
	var queries [2]rates
	for range b.reps {
		for i, threads := range []int{1, b.threads} {
			t, err := b.query(index, sides, pts, threads)
			if err != nil {
				return err
			}
			queries[i] = append(queries[i], perSecond(len(pts), t))
		}
	}
	one, all := median(builds[0]), median(builds[1])
	fmt.Printf("| %d | %.4f | %.0f | %.4f | %.2f | %.1f | %s | %.1f | %.1f | %s | %.2f |\n",
		m.NumFaces(), all, all/faces*1e9, one, one/all, float64(index.Shape().Bytes)/faces, perFace(peak, faces),
		1e3/queries[0].median(), 1e3/queries[1].median(), queries[1].spread(), queries[1].median()/queries[0].median())
	return nil
}

// peakOfBuild returns the growth of the resident memory in bytes while the cells are built, or −1 if
// the system does not report it.
func (b *bench) peakOfBuild(m *mesh.Mesh) (int64, error) {
	debug.FreeOSMemory()
	before, ok := resetPeak()
	index, err := buildCells(b.ctx, m, b.threads, 0)
	if err != nil {
		return 0, err
	}
	after, still := peakMemory()
	runtime.KeepAlive(index)
	if !ok || !still {
		return -1, nil
	}
	return after - before, nil
}

func perFace(bytes int64, faces float64) string {
	if bytes < 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(bytes)/faces)
}

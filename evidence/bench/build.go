package main

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/mesh"
)

// buildTable measures the time to build the indexes. The time to read and weld the mesh is not
// included. If a cell needs rays, the time of package cells includes the build of the rays.
func (b *bench) buildTable() error {
	header("<mesh", "triangles", "cells s", "<min–max", "tree and rays s", "Embree s", "<min–max", "CGAL s",
		"cells / Embree", "cells / CGAL", "B/triangle", "crossed cells", "entries", "depth", "ray only")
	jobs := []struct{ mesh, points string }{
		{"sphere131072", "sphere_g10"}, {"sphere2097152", "sphere_g10"}, {"foam", "foam_g10"},
	}
	if b.quick {
		jobs = []struct{ mesh, points string }{{"sphere8192", "sphere_g10"}}
	}
	for _, j := range jobs {
		if err := b.buildRow(j.mesh, j.points); err != nil {
			return fmt.Errorf("%s: %w", j.mesh, err)
		}
	}
	return nil
}

func (b *bench) buildRow(name, points string) error {
	m, err := load(b.ctx, b.stl(name), b.threads)
	if err != nil {
		return err
	}
	pts, err := readPoints(b.f64(points))
	if err != nil {
		return err
	}
	var index *cells.Index
	var ours, rays, embree, cgal []float64
	buildOurs := func() error {
		t, err := b.call(func() { index = nil; runtime.GC() }, func() (err error) {
			index, err = buildCells(b.ctx, m, b.threads, 0)
			return err
		})
		ours = append(ours, t)
		return err
	}
	for range b.calls {
		if err := buildOurs(); err != nil {
			return err
		}
		for _, c := range []struct {
			name string
			mode []string
			to   *[]float64
		}{{"embree", embreeModes[0], &embree}, {"cgal", nil, &cgal}} {
			p, _, err := b.ask(c.name, b.stl(name), b.f64(points), len(pts), c.mode...)
			if err != nil {
				return err
			}
			if p.Faces != m.NumFaces() {
				return fmt.Errorf("%s read %d faces, expected %d", c.name, p.Faces, m.NumFaces())
			}
			*c.to = append(*c.to, p.Build)
			if err := buildOurs(); err != nil {
				return err
			}
		}
		t, err := b.rayBuild(m)
		if err != nil {
			return err
		}
		rays = append(rays, t)
	}
	shape := index.Shape()
	fmt.Printf("| %s | %d | %.4f | %s | %.4f | %.4f | %s | %.4f | %.2f | %.2f | %.1f | %d | %d | %d | %d |\n",
		name, m.NumFaces(), median(ours), span(ours), median(rays), median(embree), span(embree), median(cgal),
		median(ours)/median(embree), median(ours)/median(cgal),
		float64(shape.Bytes)/float64(m.NumFaces()), shape.Crossed, shape.Entries, shape.Depth, shape.RayOnly)
	return nil
}

func (b *bench) rayBuild(m *mesh.Mesh) (float64, error) {
	return b.call(runtime.GC, func() error {
		_, err := buildRays(b.ctx, m, b.threads)
		return err
	})
}

func span(x []float64) string { return fmt.Sprintf("%.4f–%.4f", slices.Min(x), slices.Max(x)) }

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/voxels"
)

// boxEdges are the edges of the boxes of the table boxes, relative to the longest edge of the box of the
// mesh. boxCount is the number of boxes, and the number of points in the table nearest.
var boxEdges = []float64{0, .001, .003, .01, .03, .1, .3}

const boxCount = 1 << 20

// openShare divides the number of boxes for a mesh with a boundary, because such a box can take
// microseconds.
const openShare = 8

// boxMeshes are the meshes of the corpus in the tables boxes and nearest: parts of their paths.
var boxMeshes = []string{
	"dragon_vrip_res3", "scallop.glb", "complex_bin.stl", "Kettle.obj", "two_spheres.stl", "rocks.stl",
	"dodeca_chain_loop.3mf", "head.stl", "1002_tray_bottom", "bunny.off", "2CylinderEngine", "SpecGlossVsMetalRough",
}

// eachBoxMesh calls row for the sphere and for the meshes of boxMeshes.
func (b *bench) eachBoxMesh(row func(name string, m *mesh.Mesh) error) error {
	level := 7 // 131,072 triangles
	if b.quick {
		level = 4
	}
	if m := testmesh.Sphere(level); b.match == "" {
		if err := row(fmt.Sprintf("sphere%d", m.NumFaces()), m); err != nil || b.corpus == "" || b.quick {
			return err
		}
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return err
	}
	for _, part := range boxMeshes {
		for _, name := range names {
			if !strings.Contains(name, part) || !strings.Contains(name, b.match) {
				continue
			}
			m, err := load(b.ctx, filepath.Join(b.corpus, name), b.threads)
			if err != nil {
				continue // the corpus contains broken files on purpose
			}
			if err := row(filepath.Base(name), m); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			break
		}
	}
	return nil
}

// cpuTime returns the median CPU seconds of work over the repetitions, after a first run.
func (b *bench) cpuTime(work func() error) (float64, error) {
	var all []float64
	for i := range b.reps + 1 {
		t, err := cpuOf(work)
		if err != nil {
			return 0, err
		}
		if i > 0 {
			all = append(all, t)
		}
	}
	return median(all), nil
}

// boxesTable measures the positions of random boxes, in CPU nanoseconds for each box. For
// comparison, it also measures points at the same places.
func (b *bench) boxesTable() error {
	columns := []string{"<mesh", "triangles", "boundary edges", "side of a point"}
	for _, e := range boxEdges {
		columns = append(columns, fmt.Sprintf("edge %g", e), "straddling %", "uncertain %")
	}
	header(columns...)
	return b.eachBoxMesh(func(name string, m *mesh.Mesh) error {
		s, err := inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.Cells, ExpectedPoints: boxCount, Workers: b.threads})
		if err != nil {
			return err
		}
		box, size := m.Box(), m.Box().Size()
		longest := max(size.X, size.Y, size.Z)
		count := boxCount
		if !m.Closed() {
			count /= openShare
		}
		pts, sides := make([]r3.Vector, count), make([]inpoly.Side, count)
		boxes, dst := make([]bvh.Box, count), make([]voxels.Position, count)
		r := rand.New(rand.NewPCG(81, 82))
		for i := range pts {
			pts[i] = r3.Vector{X: box.Min.X + size.X*r.Float64(), Y: box.Min.Y + size.Y*r.Float64(), Z: box.Min.Z + size.Z*r.Float64()}
		}
		runtime.GC()
		t, err := b.cpuTime(func() error { return s.SidesTo(b.ctx, sides, pts) })
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %.0f |", name, m.NumFaces(), len(m.Boundary()), t/float64(count)*1e9)
		for _, e := range boxEdges {
			d := r3.Vector{X: e * longest, Y: e * longest, Z: e * longest}
			for i, p := range pts {
				boxes[i] = bvh.Box{Min: p, Max: p.Add(d)}
			}
			t, err := b.cpuTime(func() error { return voxels.BoxesTo(b.ctx, s, dst, boxes) })
			if err != nil {
				return err
			}
			var n [4]int
			for _, p := range dst {
				n[p]++
			}
			percent := func(p voxels.Position) float64 { return 100 * float64(n[p]) / float64(count) }
			fmt.Printf(" %.0f | %.1f | %.1f |", t/float64(count)*1e9, percent(voxels.Straddling), percent(voxels.Unknown))
		}
		fmt.Println()
		return nil
	})
}

// nearestTable measures closest points with all their properties, and distances for comparison, in
// CPU nanoseconds for each point. The two calls alternate.
func (b *bench) nearestTable() error {
	header("<mesh", "triangles", "DistancesTo", "NearestTo", "NearestTo / DistancesTo", "on faces %", "on edges %", "on vertices %")
	return b.eachBoxMesh(func(name string, m *mesh.Mesh) error {
		s, err := inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: boxCount})
		if err != nil {
			return err
		}
		pts := inBox(m, boxCount/4)
		n := float64(len(pts))
		d, face, near := make([]float64, len(pts)), make([]int32, len(pts)), make([]inpoly.Nearest, len(pts))
		var distances, all []float64
		for range b.reps {
			one := *b
			one.reps = 1
			t, err := one.cpuTime(func() error { return s.DistancesTo(b.ctx, d, face, pts) })
			if err != nil {
				return err
			}
			distances = append(distances, t)
			if t, err = one.cpuTime(func() error { return s.NearestTo(b.ctx, near, pts) }); err != nil {
				return err
			}
			all = append(all, t)
		}
		var counts [4]int
		for i := range near {
			counts[near[i].Feature]++
		}
		percent := func(f inpoly.Feature) float64 { return 100 * float64(counts[f]) / n }
		fmt.Printf("| %s | %d | %.0f | %.0f | %.2f | %.1f | %.1f | %.1f |\n", name, m.NumFaces(), median(distances)/n*1e9, median(all)/n*1e9,
			median(all)/median(distances), percent(inpoly.FeatureFace), percent(inpoly.FeatureEdge), percent(inpoly.FeatureVertex))
		return nil
	})
}

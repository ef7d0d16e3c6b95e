package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/section"
)

// slicesPeer is the line that the program of CGAL prints. Times are CPU seconds.
type slicesPeer struct {
	Build     float64 `json:"build"`
	Query     float64 `json:"query"`
	Polylines int     `json:"polylines"`
	Points    int     `json:"points"`
}

// sectionsTable measures sections of spheres against CGAL's Polygon_mesh_slicer. Times are CPU seconds
// of all threads. CGAL returns polylines with rounded coordinates. Sections also have winding numbers,
// nested polygons and areas with bounds. sectionsTable also measures the integrals of package measure.
func (b *bench) sectionsTable() error {
	levels := []int{7, 9}
	if b.quick {
		levels = levels[:1]
	}
	header("triangles", "sections", "first section without tree ms", "a section with tree ms", "a section of a stack ms", "points of a section",
		"CGAL: tree ms", "CGAL: a section ms", "CGAL / with tree", "CGAL / stack", "polylines differ", "integrals ms", "ns a triangle")
	for _, level := range levels {
		if err := b.sectionsRow(level, 200); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) sectionsRow(level, n int) error {
	stl := filepath.Join(b.tmp, "part.stl")
	triangles, err := writeSphere(stl, level, false)
	if err != nil {
		return err
	}
	s, err := inpoly.Open(b.ctx, stl, inpoly.Options{ExpectedPoints: 1, Workers: b.threads})
	if err != nil {
		return err
	}
	planes, raw := make([]section.Plane, n), []byte(nil)
	for i := range planes {
		h := 1.9*(float64(i)+0.3)/float64(n) - 0.95
		planes[i] = section.AxisPlane(2, h)
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(h))
	}
	heights := filepath.Join(b.tmp, "heights.f64")
	if err := os.WriteFile(heights, raw, 0o600); err != nil {
		return err
	}
	polylines, points := 0, 0
	count := func(c *section.Section) {
		polylines += len(c.Contours)
		for _, k := range c.Contours {
			points += len(k.Points)
		}
	}
	var first, tree, stack, theirBuild, theirQuery, integrals []float64
	var theirs slicesPeer
	for range b.calls {
		t, err := cpuOf(func() error { _, err := section.Cut(b.ctx, s, planes[0]); return err })
		if err != nil {
			return err
		}
		if !locate.Of(s).Surface.Indexed() {
			first = append(first, t)
		}
		polylines, points = 0, 0
		if t, err = cpuOf(func() error {
			return section.Stack(b.ctx, s, planes, func(_ int, c *section.Section) error { count(c); return nil })
		}); err != nil {
			return err
		}
		stack = append(stack, t)
		if _, err := locate.Of(s).Surface.Index(b.ctx); err != nil {
			return err
		}
		if t, err = cpuOf(func() error {
			for _, p := range planes {
				if _, err := section.Cut(b.ctx, s, p); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		tree = append(tree, t)
		if t, err = cpuOf(func() error { _, err := measure.Whole(b.ctx, s, measure.Options{}); return err }); err != nil {
			return err
		}
		integrals = append(integrals, t)
		out, err := execute(b.peerPath("cgal_slices"), stl, heights)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(out, &theirs); err != nil {
			return fmt.Errorf("cgal_slices: %w", err)
		}
		theirBuild, theirQuery = append(theirBuild, theirs.Build), append(theirQuery, theirs.Query)
	}
	k := float64(n)
	fmt.Printf("| %d | %d | %.3g | %.3g | %.3g | %.0f | %.3g | %.3g | %.2f | %.2f | %d | %.3g | %.3g |\n",
		triangles, n, first[0]*1e3, median(tree)/k*1e3, median(stack)/k*1e3, float64(points)/k,
		median(theirBuild)*1e3, median(theirQuery)/k*1e3, median(theirQuery)/median(tree), median(theirQuery)/median(stack),
		theirs.Polylines-polylines, median(integrals)*1e3, median(integrals)/float64(triangles)*1e9)
	return nil
}

// cpuOf returns the CPU seconds of a call.
func cpuOf(call func() error) (float64, error) {
	before, err := cpuSeconds()
	if err != nil {
		return 0, err
	}
	if err := call(); err != nil {
		return 0, err
	}
	after, err := cpuSeconds()
	return after - before, err
}

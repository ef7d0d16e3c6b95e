package main

import (
	"fmt"
	"math"
	"time"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// sliversTable measures meshes of long thin faces: the search for intersections, the index, and sides
// and distances of points near the surface, in CPU time. The growth of a column is the exponent k
// of n^k, from the row of the next smaller n: 1 is linear in the number of triangles n, and a query
// should have 0.
func (b *bench) sliversTable() error {
	if _, err := cpuSeconds(); err != nil {
		return nil // a system without a clock of CPU time
	}
	header("<mesh", "triangles", "search s", "<growth", "build ms", "raycross µs/point", "<growth", "auto µs/point", "<auto", "distance µs/point", "<growth", "10⁵ points s", "estimate")
	sizes := []int{2000, 8000, 32_000}
	if b.quick {
		sizes = []int{200, 400}
	}
	var last []sliverRow
	for i, n := range sizes {
		for k, s := range testmesh.Slivers(n) {
			r := sliverRow{name: s.Name}
			if err := b.sliverRow(&r, s.Soup); err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			var before sliverRow
			if i == 0 {
				last = append(last, r)
			} else {
				before, last[k] = last[k], r
			}
			r.print(before)
		}
	}
	return nil
}

// sliverRow holds CPU times in seconds, for one mesh.
type sliverRow struct {
	name                   string
	triangles              int
	search, build          float64
	rays, method, distance float64 // for each point
	chosen                 string
	all, estimate          float64 // for building the index and sideCount points
}

func (r *sliverRow) print(before sliverRow) {
	growth := func(now, then float64) string {
		if before.triangles == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f", math.Log(now/then)/math.Log(float64(r.triangles)/float64(before.triangles)))
	}
	fmt.Printf("| %s | %d | %.3f | %s | %.3g | %.3g | %s | %.3g | %s | %.3g | %s | %.3g | %.2f |\n", r.name, r.triangles, r.search, growth(r.search, before.search),
		1e3*r.build, 1e6*r.rays, growth(r.rays, before.rays), 1e6*r.method, r.chosen, 1e6*r.distance, growth(r.distance, before.distance), r.all, r.estimate/r.all)
}

// sideCount is the number of points for which the method auto chooses a method.
const sideCount = 100_000

func (b *bench) sliverRow(r *sliverRow, soup mesh.Soup) error {
	m, err := mesh.New(b.ctx, soup, mesh.Options{Workers: b.threads})
	if err != nil {
		return err
	}
	r.triangles = m.NumFaces()
	pts := testmesh.Near(m, sideCount, .1, newRand(43))
	if b.quick {
		pts = pts[:1000]
	}
	few := pts[:1000]
	sides, distances, faces := make([]side.Side, len(pts)), make([]float64, len(pts)), make([]int32, len(pts))
	var rays *inpoly.Solid
	r.build, err = b.cpuOfEach(1, func(int) (err error) {
		rays, err = inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.RayCrossing, Workers: b.threads})
		return err
	})
	if err != nil {
		return err
	}
	if r.search, err = b.cpuOfEach(1, func(int) error {
		_, err := rays.Intersections(b.ctx, 10)
		return err
	}); err != nil {
		return err
	}
	if r.rays, err = b.cpuOfEach(len(few), func(n int) error {
		return rays.SidesTo(b.ctx, sides[:n], few[:n])
	}); err != nil {
		return err
	}
	// The first calls build the second tree of distances.
	for range 4 {
		if err := rays.DistancesTo(b.ctx, distances[:len(few)], faces[:len(few)], few); err != nil {
			return err
		}
	}
	if r.distance, err = b.cpuOfEach(len(few), func(n int) error {
		return rays.DistancesTo(b.ctx, distances[:n], faces[:n], few[:n])
	}); err != nil {
		return err
	}
	var auto *inpoly.Solid
	if r.all, err = cpuOf(func() (err error) {
		if auto, err = inpoly.New(b.ctx, m, inpoly.Options{ExpectedPoints: int64(len(pts)), Workers: b.threads}); err != nil {
			return err
		}
		return auto.SidesTo(b.ctx, sides, pts)
	}); err != nil {
		return err
	}
	r.chosen = string(auto.Report().Method)
	w := locate.NewWorkload(m, locate.Workload{Rule: side.NonZero, Points: int64(len(pts)), Workers: b.threads})
	for _, method := range locate.Methods() {
		if method.Name == r.chosen {
			c := method.Cost(w)
			r.estimate = c.Build + float64(len(pts))*c.Point
		}
	}
	r.method, err = b.cpuOfEach(len(few), func(n int) error {
		return auto.SidesTo(b.ctx, sides[:n], few[:n])
	})
	return err
}

// cpuOfEach returns the CPU time of one of n pieces of work. It calls work(n) for a second, or work(n/32) if n pieces take
// more than about a second. The least time counts.
func (b *bench) cpuOfEach(n int, work func(n int) error) (float64, error) {
	best, begin := math.Inf(1), time.Now()
	for count := max(n/32, 1); ; {
		t, err := cpuOf(func() error { return work(count) })
		if err != nil {
			return 0, err
		}
		switch best = min(best, t/float64(count)); {
		case count < n && t < .03:
			count, best = n, math.Inf(1) // the first call can build a tree
		case b.quick || time.Since(begin) > time.Second:
			return best, nil
		}
	}
}

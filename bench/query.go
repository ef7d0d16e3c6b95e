package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// queryTable measures the ray-crossing method through the facade.
func (b *bench) queryTable() error {
	header("<mesh", "<points", "inpoly raycross", "CGAL", "ratio", "Embree parity", "ratio", "build inpoly", "build CGAL", "ratio", "differ from CGAL")
	jobs := []struct{ mesh, points string }{
		{"sphere131072", "sphere_r1e6"},
		{"sphere2097152", "sphere_r1e6"},
		{"foam", "foam_r1e6"},
	}
	if b.quick {
		jobs = []struct{ mesh, points string }{{"sphere2048", "sphere_g20"}}
	}
	for _, j := range jobs {
		if err := b.queryRow(j.mesh, j.points); err != nil {
			return fmt.Errorf("%s: %w", j.mesh, err)
		}
	}
	return nil
}

func (b *bench) queryRow(mesh, points string) error {
	stl, f64 := b.stl(mesh), b.f64(points)
	pts, err := readPoints(f64)
	if err != nil {
		return err
	}
	build, query, sides, err := b.facade(stl, pts)
	if err != nil {
		return err
	}
	cgal, answers, err := b.ask("cgal", stl, f64, len(pts))
	if err != nil {
		return err
	}
	embree, _, err := b.ask("embree", stl, f64, len(pts), "occ16", "g")
	if err != nil {
		return err
	}
	rate := perSecond(len(pts), query)
	fmt.Printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.3f | %.3f | %.2f | %d |\n",
		mesh, points, rate, cgal.MQPS, rate/cgal.MQPS, embree.MQPS, rate/embree.MQPS,
		build, cgal.Build, build/cgal.Build, len(differing(answers, sides)))
	return nil
}

// facade returns the median seconds of building the index and of answering all
// points, and the answers.
func (b *bench) facade(stl string, pts []r3.Vector) (build, query float64, sides []inpoly.Side, err error) {
	var builds, queries []float64
	var solid *inpoly.Solid
	for range b.reps {
		runtime.GC()
		solid, err = inpoly.Open(b.ctx, stl, inpoly.Options{Method: inpoly.RayCrossing, Workers: b.threads})
		if err != nil {
			return 0, 0, nil, err
		}
		builds = append(builds, solid.Report().Timings.Build.Seconds())
	}
	sides = make([]inpoly.Side, len(pts))
	for range b.reps {
		start := time.Now()
		if err := solid.SidesTo(b.ctx, sides, pts); err != nil {
			return 0, 0, nil, err
		}
		queries = append(queries, time.Since(start).Seconds())
	}
	return median(builds), median(queries), sides, nil
}

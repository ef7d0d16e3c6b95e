package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// many is a number of points that makes the set-up cost negligible.
const many = 30_000_000

// multipolesTable measures winding numbers by multipoles and sides by CGAL, for closed meshes.
// Each mesh has three rows, with different expected numbers of points: unknown, a million, and 30
// million.
func (b *bench) multipolesTable() error {
	header("<mesh", "<expected points", "set-up s", "M points/s", "<min–max", "largest bound", "largest error", "points compared", "fallback",
		"CGAL", "ours / CGAL", "<goal")
	jobs := []struct{ mesh, points, goal string }{{"sphere131072", "sphere", "5.1× CGAL, set-up 0.15 s if unknown"}, {"foam", "foam", "9.3× CGAL"}}
	if b.quick {
		jobs = jobs[:1]
		jobs[0].mesh = "sphere2048"
	}
	for _, j := range jobs {
		m, err := load(b.ctx, b.stl(j.mesh), b.threads)
		if err != nil {
			return err
		}
		for _, expected := range []int64{0, 1_000_000, many} {
			if err := b.closedRow(m, j.mesh, b.points(j.points), expected, j.goal); err != nil {
				return fmt.Errorf("%s: %w", j.mesh, err)
			}
		}
	}
	return nil
}

func (b *bench) points(name string) string {
	if b.quick {
		return name + "_g10"
	}
	return name + "_r1e6"
}

func expectedName(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return strconv.FormatInt(n, 10)
}

// closedRow measures a Solid with the method FMM. The winding numbers of a closed mesh are
// integers. The row compares the computed winding numbers with the integers that package cells
// finds.
func (b *bench) closedRow(m *mesh.Mesh, name, points string, expected int64, goal string) error {
	pts, err := readPoints(b.f64(points))
	if err != nil {
		return err
	}
	w, bound := make([]float64, len(pts)), make([]float64, len(pts))
	var setups []float64
	var rate, cgal rates
	var stats inpoly.Stats
	for range b.calls {
		var s *inpoly.Solid
		for range repetitions {
			if s, err = inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.FMM, Workers: b.threads, ExpectedPoints: expected}); err != nil {
				return err
			}
			setups = append(setups, s.Report().Timings.Build.Seconds())
		}
		t, err := b.call(nothing, func() error { return s.WindingsTo(b.ctx, w, bound, pts) })
		if err != nil {
			return err
		}
		rate = append(rate, perSecond(len(pts), t))
		if stats, err = s.LocateTo(b.ctx, inpoly.Answers{Answers: side.Answers{Sides: make([]inpoly.Side, len(pts))}}, pts); err != nil {
			return err
		}
		p, _, err := b.ask("cgal", b.stl(name), b.f64(points), len(pts))
		if err != nil {
			return err
		}
		cgal = append(cgal, p.MQPS)
	}
	exact, err := inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.Cells, Workers: b.threads})
	if err != nil {
		return err
	}
	want, none := make([]float64, len(pts)), make([]float64, len(pts))
	if err := exact.WindingsTo(b.ctx, want, none, pts); err != nil {
		return err
	}
	largest, worst := 0.0, 0.0
	for i := range pts {
		largest, worst = max(largest, bound[i]), max(worst, math.Abs(w[i]-want[i]))
	}
	fmt.Printf("| %s | %s | %.3f | %.2f | %s | %.2g | %.2g | %d | %d | %.3g | %.2f | %s |\n", name, expectedName(expected), median(setups),
		rate.median(), rate.spread(), largest, worst, len(pts), stats.Fallback, cgal.median(), rate.median()/cgal.median(), goal)
	return nil
}

package main

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// maxDirect is the largest product of triangles and points for which the direct sum is measured.
// Such a sum takes about a second.
const maxDirect = 2e8

// totalTable compares these strategies. Each strategy builds indexes and classifies the points.
const (
	byRays        = iota
	byCells       // knows the number of points before the build
	byDirect      // builds no index
	byAuto        // knows the number of points before the build
	byAutoUnknown // does not know the number of points before the build
	strategies
)

// totalTable measures build and query together for N triangles and M points. The first ratio is the
// time of Auto divided by the time of the best strategy. The second ratio is the time of Auto with
// unknown M divided by the time of Auto with known M (compare pre-chosen and well chosen in Muth,
// Of, Eberhard, Steinbach 2006, §3).
func (b *bench) totalTable() error {
	levels, largest := []int{4, 5, 6, 7, 8, 9}, 10_000_000
	if b.quick {
		levels, largest = levels[:2], 1000
	}
	pts := cube(largest, 1.05, 1)
	header("triangles N", "points M", "rays s", "cells s", "direct s", "Auto s", "<Auto is", "Auto / best of rays, cells", "Auto / best of all",
		"Auto without M s", "<is", "without M / with M")
	var verdicts []string
	for _, level := range levels {
		m := testmesh.Sphere(level)
		var totals [strategies][]float64 // totals[strategy][k] is the seconds for M = 10^k
		for n := 1; n <= largest; n *= 10 {
			row, chosen, err := b.totalRow(m, pts[:n])
			if err != nil {
				return fmt.Errorf("%d triangles, %d points: %w", m.NumFaces(), n, err)
			}
			printTotals(m.NumFaces(), n, row, chosen)
			for w, t := range row {
				totals[w] = append(totals[w], t)
			}
		}
		verdicts = append(verdicts, fmt.Sprintf("| %d | %s | %s | %.2f | %.2f |", m.NumFaces(),
			breakEven(totals[byRays], totals[byCells]), breakEven(totals[byDirect], totals[byCells]),
			worst(totals[byAuto], totals[byRays], totals[byCells]), worst(totals[byAutoUnknown], totals[byAuto], nil)))
	}
	header("triangles N", "M from which cells beat rays", "M from which cells beat the direct sum",
		"largest Auto / best of rays, cells", "largest without M / with M")
	for _, v := range verdicts {
		fmt.Println(v)
	}
	return nil
}

// totalRow returns the median seconds of each strategy and the method that the strategy used. The
// seconds are NaN for a direct sum that maxDirect excludes.
func (b *bench) totalRow(m *mesh.Mesh, pts []r3.Vector) (medians [strategies]float64, chosen [strategies]string, err error) {
	var all [strategies][]float64
	got, want := make([]side.Side, len(pts)), make([]side.Side, len(pts))
	for round, start := 0, time.Now(); b.another(round, time.Since(start)); round++ {
		for strategy := range all {
			if strategy == byDirect && float64(m.NumFaces())*float64(len(pts)) > maxDirect {
				all[strategy] = []float64{math.NaN()}
				continue
			}
			clear(got)
			runtime.GC()
			t, name, err := b.total(strategy, m, pts, got)
			if err != nil {
				return medians, chosen, err
			}
			all[strategy], chosen[strategy] = append(all[strategy], t), name
			if strategy == byRays && round == 0 {
				copy(want, got)
			} else if n := unequal(got, want); n > 0 {
				return medians, chosen, fmt.Errorf("strategy %d: %d sides differ from the sides by ray crossing", strategy, n)
			}
		}
	}
	for strategy := range medians {
		medians[strategy] = median(all[strategy])
	}
	return medians, chosen, nil
}

func printTotals(triangles, points int, medians [strategies]float64, chosen [strategies]string) {
	direct := "–"
	bestIndex := min(medians[byRays], medians[byCells])
	best := bestIndex
	if !math.IsNaN(medians[byDirect]) {
		direct = fmt.Sprintf("%.3g", medians[byDirect])
		best = min(best, medians[byDirect])
	}
	fmt.Printf("| %d | %d | %.3g | %.3g | %s | %.3g | %s | %.2f | %.2f | %.3g | %s | %.2f |\n",
		triangles, points, medians[byRays], medians[byCells], direct,
		medians[byAuto], chosen[byAuto], medians[byAuto]/bestIndex, medians[byAuto]/best,
		medians[byAutoUnknown], chosen[byAutoUnknown], medians[byAutoUnknown]/medians[byAuto])
}

// another reports whether a row gets one more round. Each row gets at least three rounds. A row
// gets up to 30 rounds if all rounds end within a second.
func (b *bench) another(round int, spent time.Duration) bool {
	if b.quick {
		return round < 1
	}
	return round < 3 || round < 30 && spent < time.Second
}

// total classifies pts with one strategy. It returns the seconds of build and query, and the method
// that the Solid used. The seconds exclude the diagnosis of the mesh.
func (b *bench) total(strategy int, m *mesh.Mesh, pts []r3.Vector, dst []side.Side) (t float64, method string, err error) {
	opt := inpoly.Options{Workers: b.threads, ExpectedPoints: int64(len(pts))}
	switch strategy {
	case byDirect:
		opt.Method = inpoly.Direct
	case byRays:
		opt.Method = inpoly.RayCrossing
	case byCells:
		opt.Method = inpoly.Cells
	case byAutoUnknown:
		opt.ExpectedPoints = 0
	}
	s, err := inpoly.New(b.ctx, m, opt)
	if err != nil {
		return 0, "", err
	}
	t, err = seconds(func() error { return s.SidesTo(b.ctx, dst, pts) })
	chosen := s.Report().Method
	return t + s.Report().Timings.Build.Seconds(), chosen.String(), err
}

// breakEven returns the number of points above which b costs less than a. Element k of a and b is
// the cost for 10^k points. Elements from the first NaN on are ignored. Costs between elements are
// interpolated linearly.
func breakEven(a, b []float64) string {
	n := 0
	for n < len(a) && !math.IsNaN(a[n]) && !math.IsNaN(b[n]) {
		n++
	}
	k := n // smallest k such that b[i] ≤ a[i] for k ≤ i < n
	for k > 0 && b[k-1] <= a[k-1] {
		k--
	}
	switch k {
	case 0:
		return "1"
	case n:
		return fmt.Sprintf("> %.0f", math.Pow10(n-1))
	}
	above, below := b[k-1]-a[k-1], a[k]-b[k]
	lo, hi := math.Pow10(k-1), math.Pow10(k)
	m := lo + (hi-lo)*above/(above+below)
	unit := math.Pow10(max(0, k-2)) // results with two significant digits are multiples of unit
	return fmt.Sprintf("%.0f", math.Round(m/unit)*unit)
}

// worst returns the largest ratio a[i] / min(b[i], c[i]). c may be nil.
func worst(a, b, c []float64) float64 {
	largest := 0.0
	for i := range a {
		best := b[i]
		if c != nil {
			best = min(best, c[i])
		}
		largest = max(largest, a[i]/best)
	}
	return largest
}

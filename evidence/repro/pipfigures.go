package main

import (
	"fmt"
	"math"
	"slices"
)

// The axes of the figures of Muth, Of, Eberhard, Steinbach 2006.
const (
	axisTriangles  = "number of triangles"
	axisSeconds    = "computational time [s]"
	axisOperations = "floating-point operations"
)

// pipFigures returns three figures for a family of bodies. Two figures show the operations of the paper's
// methods, for the largest and for the smallest grid. The third figure shows the times of the paper's methods
// and of ours, for the largest grid.
func pipFigures(all []timedPair, grids []int, what string, names [2]string) []Figure {
	var figures []Figure
	for i, n := range []int{grids[len(grids)-1], grids[0]} {
		f := Figure{Name: names[0] + []string{"", "-few"}[i], Title: fmt.Sprintf("Ray crossing against FMM, %s, %d³ points: operations", what, n), X: axisTriangles, Y: axisOperations, LogX: true, LogY: true}
		for hue, method := range []string{methodRC, methodWC, methodPC} {
			s := series(all, method, n, operations)
			s.Name, s.Hue = method, hue+1
			f.Series = append(f.Series, s)
		}
		figures = append(figures, f)
	}
	g := Figure{Name: names[1], Title: fmt.Sprintf("Time of the paper's methods and of ours, %s, %d³ points", what, grids[len(grids)-1]), X: axisTriangles, Y: axisSeconds, LogX: true, LogY: true}
	for hue, method := range []string{methodRC, methodWC, methodRays, methodCells} {
		s := Series{Name: method, Hue: hue + 1}
		for _, t := range all {
			if t.method == method && t.points == cube(grids[len(grids)-1]) {
				i := newInterval(t.totals)
				s.AddRange(float64(t.triangles), i.Median, i.Low, i.High)
			}
		}
		g.Series = append(g.Series, s)
	}
	return append(figures, g)
}

func cube(n int) int { return n * n * n }

// endsTable shows all methods for the largest body and the largest grid.
func endsTable(all []timedPair, grids []int, name string) Table {
	n, triangles := grids[len(grids)-1], 0
	for _, x := range all {
		triangles = max(triangles, x.triangles)
	}
	t := Table{Name: name, Title: fmt.Sprintf("%d triangles and %d³ points: operations and seconds (median, smallest and largest; not judged)", triangles, n),
		Columns: []string{"method", "depth", "set-up operations", "all operations", "s", "s without assembly"}}
	for _, method := range methods {
		if x, ok := at(all, method, triangles, n); ok {
			depth := any("–")
			if x.depth > 0 {
				depth = x.depth
			}
			t.Add(method, depth, x.setUpOps, x.ops(), newInterval(x.totals).String(), x.plain)
		}
	}
	return t
}

// hidden returns a copy of a table that is not on the page.
func hidden(t Table) Table {
	t.Long = true
	return t
}

// rangesTable shows where one method needs fewer operations or less time than another.
func rangesTable(all []timedPair, grids []int, name string) Table {
	t := Table{Name: name, Title: "Numbers of triangles for which FMM is better than RC", Columns: []string{"points", "method", "operations", "time", "without assembly"}}
	plain := func(x timedPair) float64 { return x.plain }
	for _, n := range slices.Compact([]int{grids[0], grids[len(grids)-1]}) {
		for _, method := range []string{methodWC, methodPC, methodWCCost, methodPCCost} {
			byOps := any("–")
			if method == methodWC || method == methodPC {
				byOps = crossingText(series(all, method, n, operations), series(all, methodRC, n, operations))
			}
			without := any("–")
			if s := series(all, method, n, plain); len(s.Y) > 0 && !math.IsNaN(s.Y[0]) {
				without = crossingText(s, series(all, methodRC, n, plain))
			}
			t.Add(fmt.Sprintf("%d³", n), method, byOps, crossingText(series(all, method, n, totalSeconds), series(all, methodRC, n, totalSeconds)), without)
		}
	}
	return t
}

// fitPoints fits a power to a value as a function of the number of points. It uses the three largest
// grids, because constant costs dominate small grids.
func fitPoints(s Series) Power {
	n := max(0, len(s.X)-3)
	return fitPower(s.X[n:], s.Y[n:])
}

// linearity fits powers to a value of a method. For each grid, it fits the value as a function of
// the number of triangles. For each body, it fits the evaluation as a function of the number of
// points. linearity ignores bodies of fewer than least triangles.
func linearity(all []timedPair, method string, grids []int, least float64, value, evaluation func(timedPair) float64) (triangles, points []Power) {
	for _, n := range grids {
		triangles = append(triangles, fitTail(series(all, method, n, value), least))
	}
	var bodies []int
	for _, x := range all {
		if !slices.Contains(bodies, x.triangles) {
			bodies = append(bodies, x.triangles)
		}
	}
	for _, b := range bodies {
		if float64(b) >= least {
			points = append(points, fitPoints(overPoints(all, method, b, evaluation)))
		}
	}
	return triangles, points
}

// exponents returns the exponents as text, separated by commas.
func exponents(ps []Power) string {
	s := ""
	for i, p := range ps {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%.2f", p.Exponent)
	}
	return s
}

// exponentsWithin reports whether all exponents lie in a range.
func exponentsWithin(ps []Power, lo, hi float64) bool {
	for _, p := range ps {
		if !(p.Exponent >= lo && p.Exponent <= hi) {
			return false
		}
	}
	return true
}

// at returns the measurement of a method for a body and a grid.
func at(all []timedPair, method string, triangles, grid int) (timedPair, bool) {
	for _, t := range all {
		if t.method == method && t.triangles == triangles && t.points == cube(grid) {
			return t, true
		}
	}
	return timedPair{}, false
}

package main

import (
	"fmt"
	"slices"
)

// The axes of the figures of Muth, Of, Eberhard, Steinbach 2006.
const (
	axisTriangles = "number of triangles"
	axisSeconds   = "computational time [s]"
)

// pipFigures returns the four figures that the paper has for a family of bodies: multipoles WC,
// multipoles PC, ray crossing, and all methods with the smallest and the largest grid.
func pipFigures(all []timed, grids []int, what string, names [4]string) []Figure {
	perGrid := func(name, title, method string) Figure {
		f := Figure{Name: name, Title: title, X: axisTriangles, Y: axisSeconds, LogX: true, LogY: true}
		for _, n := range grids {
			f.Series = append(f.Series, series(all, method, n, fmt.Sprintf("%s, %d³ points", method, n)))
		}
		return f
	}
	last := Figure{Name: names[3], Title: "Ray crossing, FMM and our methods compared, " + what, X: axisTriangles, Y: axisSeconds, LogX: true, LogY: true}
	for i, n := range slices.Compact([]int{grids[0], grids[len(grids)-1]}) {
		for hue, method := range []string{methodRC, methodWC, methodPC, methodRays, methodCells} {
			s := series(all, method, n, fmt.Sprintf("%s, %d³ points", method, n))
			s.Hue, s.Style = hue+1, []Style{Dashed, Measured}[i]
			last.Series = append(last.Series, s)
		}
	}
	return []Figure{
		perGrid(names[0], "FMM with well-chosen depth, "+what+": time by the numbers of triangles and points", methodWC),
		perGrid(names[1], "FMM with pre-chosen depth, "+what+": time by the numbers of triangles and points", methodPC),
		perGrid(names[2], "Ray crossing with a box test for every face, "+what+": time by triangles and points", methodRC),
		last,
	}
}

// crossingTable lists pairs of methods. For each pair, it shows the numbers of triangles for which
// the first method is faster.
func crossingTable(all []timed, grids []int, name, title string) Table {
	t := Table{Name: name, Title: title, Columns: []string{"points", "faster", "than", "triangles"}}
	pairs := [][2]string{{methodWC, methodRC}, {methodPC, methodRC}, {methodWCCost, methodRays}, {methodPCCost, methodRays}, {methodWCCost, methodCells}, {methodCells, methodRays}, {methodCells, methodRC}}
	for _, n := range grids {
		for _, p := range pairs {
			t.Add(fmt.Sprintf("%d³", n), p[0], p[1], crossingText(series(all, p[0], n, ""), series(all, p[1], n, "")))
		}
	}
	return t
}

// linearity fits powers to the times of a method. For each grid, it fits the time as a function of
// the number of triangles. For each body, it fits the evaluation time as a function of the number
// of points. It omits small bodies, because constant costs dominate their times.
func linearity(all []timed, method string, grids []int, least float64) (triangles, points []Power) {
	for _, n := range grids {
		triangles = append(triangles, fitTail(series(all, method, n, ""), least))
	}
	var bodies []int
	for _, x := range all {
		if !slices.Contains(bodies, x.triangles) {
			bodies = append(bodies, x.triangles)
		}
	}
	for _, b := range bodies {
		if float64(b) >= least {
			points = append(points, fitPoints(overPoints(all, method, b)))
		}
	}
	return triangles, points
}

// fitPoints fits a power to an evaluation time as a function of the number of points. It uses the
// three largest grids, because constant costs dominate the times of the small grids.
func fitPoints(s Series) Power {
	n := max(0, len(s.X)-3)
	return fitPower(s.X[n:], s.Y[n:])
}

// exponents returns the powers as text, separated by commas.
func exponents(ps []Power) string {
	s := ""
	for i, p := range ps {
		if i > 0 {
			s += ", "
		}
		s += p.String()
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
func at(all []timed, method string, triangles, grid int) (timed, bool) {
	for _, t := range all {
		if t.method == method && t.triangles == triangles && t.points == grid*grid*grid {
			return t, true
		}
	}
	return timed{}, false
}

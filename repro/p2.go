package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// table2 holds the seconds of the evaluation in table 2, by grid and number of triangles.
var table2 = map[int]map[int]string{
	10: {8192: "< 1", 32768: "≈ 1", 131072: "< 1"},
	20: {8192: "≈ 1", 32768: "5", 131072: "3"},
	40: {8192: "10", 32768: "40", 131072: "24"},
	80: {8192: "83", 32768: "329", 131072: "202"},
}

// printedTimes returns, for each grid, the times of table 2 as a function of the number of
// triangles.
func printedTimes(grids []int) []Series {
	var list []Series
	for i, n := range grids {
		s := Series{Name: fmt.Sprintf("the paper, evaluation, %d³", n), Style: FromPaper, Hue: i + 1}
		for _, triangles := range []int{8192, 32768, 131072} {
			if v, err := strconv.ParseFloat(table2[n][triangles], 64); err == nil {
				s.Add(float64(triangles), v)
			}
		}
		if len(s.X) > 1 {
			list = append(list, s)
		}
	}
	return list
}

// runP2 repeats table 2 of Muth, Of, Eberhard, Steinbach 2006. The table shows the time of the
// evaluation without the set-up, with a pre-chosen depth.
func runP2(ctx context.Context, r *Run) (*Result, error) {
	first, last := pick(r.Size, 1, 4, 5), pick(r.Size, 2, 5, 7)
	grids := pick(r.Size, []int{4, 6}, []int{10, 20, 40}, []int{10, 20, 40, 80})
	all, err := r.contestAll(ctx, spheres(first, last), grids, []string{methodPC, methodPCCost})
	if err != nil {
		return nil, err
	}
	t := Table{Name: "P2-table2", Title: "Seconds (s) of the evaluation alone with FMM PC",
		Columns: []string{"points", "triangles", "the paper s", "FMM PC s", "FMM PC (ours) s", "paper / FMM PC", "depth"}}
	f := Figure{Name: "P2-table2-evaluation", Title: "Evaluation of FMM PC alone: measured against the paper, for three spheres", X: "number of points", Y: axisSeconds, LogX: true, LogY: true}
	fPaper := map[int]*Series{}
	for _, n := range grids {
		for k := first; k <= last; k++ {
			triangles := testmesh.Sphere(k).NumFaces()
			a, _ := at(all, methodPC, triangles, n)
			b, _ := at(all, methodPCCost, triangles, n)
			printed, ok := table2[n][triangles]
			if !ok {
				printed = "–"
			}
			ratio := any("–")
			if s, err := strconv.ParseFloat(printed, 64); err == nil {
				ratio = s / a.evaluation
				if fPaper[triangles] == nil {
					fPaper[triangles] = &Series{Name: fmt.Sprintf("the paper, %d", triangles), Style: FromPaper, Hue: k - first + 1}
				}
				fPaper[triangles].Add(float64(n*n*n), s)
			}
			t.Add(fmt.Sprintf("%d³", n), triangles, printed, a.evaluation, b.evaluation, ratio, a.depth)
		}
	}
	var slopes []Power
	for k := first; k <= last; k++ {
		triangles := testmesh.Sphere(k).NumFaces()
		s := overPoints(all, methodPC, triangles)
		s.Name, s.Hue = fmt.Sprintf("FMM PC, %d", triangles), k-first+1
		f.Series = append(f.Series, s)
		slopes = append(slopes, fitPoints(s))
	}
	for k := first; k <= last; k++ {
		if s := fPaper[testmesh.Sphere(k).NumFaces()]; s != nil {
			f.Series = append(f.Series, *s)
		}
	}
	res := &Result{Figures: []Figure{f}, Tables: []Table{t}, Notes: pipNotes(r)[1:]}
	res.Statements = []Statement{{"The evaluation is linear in the number of points.",
		"The exponents are " + exponents(slopes) + " (one exponent for each body, in ascending order, each fitted to the three largest grids).", verdict(exponentsWithin(slopes, 0.8, 1.2))}}
	if a, ok := at(all, methodPC, 32768, 80); ok {
		b, _ := at(all, methodPC, 131072, 80)
		res.Statements = append(res.Statements, Statement{
			"With a deeper tree, the evaluation for 131,072 triangles is faster than for 32,768 triangles (202 s and 329 s).",
			fmt.Sprintf("The evaluation takes %s s at depth %d for 131,072 triangles, and %s s at depth %d for 32,768 triangles.", short(b.evaluation), b.depth, short(a.evaluation), a.depth),
			verdict(b.evaluation < a.evaluation)})
	}
	return res, nil
}

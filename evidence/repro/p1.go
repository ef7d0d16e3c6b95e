package main

import (
	"context"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// spheres returns spheres of the paper. Sphere k has 8·4^k triangles.
func spheres(first, last int) []func() *mesh.Mesh {
	var bodies []func() *mesh.Mesh
	for k := first; k <= last; k++ {
		bodies = append(bodies, func() *mesh.Mesh { return testmesh.Sphere(k) })
	}
	return bodies
}

// runP1 repeats figures 7 to 10 of Muth, Of, Eberhard, Steinbach 2006.
func runP1(ctx context.Context, r *Run) (*Result, error) {
	last := pick(r.Size, 2, 5, 7)
	grids := pick(r.Size, []int{4, 6}, []int{10, 20}, []int{10, 20, 40, 80})
	all, err := r.contestAll(ctx, spheres(0, last), grids, methods)
	if err != nil || r.TimesOnly {
		return &Result{}, err
	}
	res := &Result{
		Figures: pipFigures(all, grids, "spheres", [2]string{"P1-fig10", "P1-times"}),
		Tables:  []Table{rangesTable(all, grids, "P1-ranges"), endsTable(all, grids, "P1-ends"), timesTable("P1-all", all)},
		Notes:   pipNotes(r),
	}
	f := newFamily("P1", "spheres", all, grids, pick(r.Size, 8.0, 512, 2048), r.Size)
	res.Statements = append(append(f.statements(r), f.evaluation()), f.figure10()...)
	both, err := raisedTogether(ctx, pick(r.Size, []int{1, 2}, []int{3, 4, 5}, []int{3, 4, 5, 6, 7}))
	if err != nil {
		return nil, err
	}
	variable, err := variableOrder(ctx, pick(r.Size, []int{2, 3}, []int{3, 4, 5}, []int{4, 5, 6, 7}), pick(r.Size, 100, 1000, 4000))
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, f.large(both), f.large(variable))
	res.Tables = append(res.Tables, otherCosts(all, last, grids))
	return res, nil
}

// pipNotes returns notes on choices that the paper leaves open.
func pipNotes(r *Run) []string {
	return []string{
		"If all points need more than " + short(r.scanSample()) + " box tests or " + short(r.nearSample()) + " solid angles, evenly spaced points are timed. Sides are compared with those of `cells`, for FMM not on the surface, where J has no sharp limit.",
	}
}

// raisedTogether counts spheres with about four points for each triangle. §3.1 and §3.2 say that the
// behavior is linear if both numbers grow by the same factor.
func raisedTogether(ctx context.Context, refinements []int) (Statement, error) {
	s, divided := Series{Name: methodWC}, Series{}
	for _, k := range refinements {
		if err := ctx.Err(); err != nil {
			return Statement{}, err
		}
		m := testmesh.Sphere(k)
		made := newPrintedPlans(m)
		pts := gridPoints(m.Box(), int(math.Round(math.Cbrt(4*float64(m.NumFaces())))))
		f := made.count(made.wellChosen(pts))
		ops, _ := f.evaluationOps(pts)
		n := float64(m.NumFaces())
		s.Add(n, ops+f.setUpOps())
		divided.Add(n, (ops+f.setUpOps())/math.Pow(math.Log2(n), 2))
	}
	p := fitTail(divided, 0)
	return counted("P1.together", "FMM is linear up to log² N if triangles and points grow together", "§2.1.3, §3: if triangles and points grow together, FMM is linear up to log² N.",
		fmt.Sprintf("With 4 points a triangle, from %s to %s triangles, operations / log² N of WC have the exponent %s, operations %s.", short(s.X[0]), short(s.X[len(s.X)-1]), p, fitTail(s, 0)), ".85–1.15 with the error", p.Exponent-p.Error >= 0.85 && p.Exponent+p.Error <= 1.15, Parameters, ""), nil
}

// otherCosts shows where FMM PC crosses RC for other values of d in eq. 16, and for other costs of a
// box test.
func otherCosts(all []timedPair, last int, grids []int) Table {
	t := Table{Name: "P1-costs", Title: "Where FMM PC needs fewer operations than RC, for other d in eq. 16 (the paper only states d > 1) and other costs of a box test, in solid angles (else 1/15)",
		Columns: []string{"d", "box test", fmt.Sprintf("%d³ points", grids[0]), fmt.Sprintf("%d³ points", grids[len(grids)-1])}}
	ends := []int{grids[0], grids[len(grids)-1]}
	for _, d := range []float64{1.5, admissible2006} {
		curves := make([]Series, len(ends))
		for k := range last + 1 {
			m := testmesh.Sphere(k)
			tris := trianglesOf(m)
			f := newPrinted(tris, m.Box(), preChosen(len(tris)), d, false)
			for i, n := range ends {
				ops, _ := f.evaluationOps(gridPoints(m.Box(), n))
				curves[i].Add(float64(len(tris)), ops+f.setUpOps())
			}
		}
		for _, cost := range []float64{1.0 / 15, 0.25, 0.5, 1} {
			row := []any{d, cost}
			for i, n := range ends {
				rc := series(all, methodRC, n, boxCost(cost))
				row = append(row, crossingText(curves[i], rc))
			}
			t.Add(row...)
		}
	}
	return t
}

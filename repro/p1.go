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
	res.Statements = append(r.pipStatements("P1", all, grids, pick(r.Size, 8.0, 512, 2048)), figure10(all, grids)...)
	both, err := raisedTogether(ctx, pick(r.Size, []int{1, 2}, []int{3, 4, 5}, []int{3, 4, 5, 6, 7}))
	if err != nil {
		return nil, err
	}
	if r.Size == Tiny {
		both = both.unchecked()
	}
	res.Statements = append(res.Statements, both)
	res.Tables = append(res.Tables, otherCosts(all, last, grids))
	return res, nil
}

// pipNotes returns notes on choices that the paper leaves open.
func pipNotes(r *Run) []string {
	return []string{
		"If a scan or the near fields of all points need more than " + short(r.scanSample()) + " box tests or " + short(r.nearSample()) + " solid angles, evenly spaced points are asked and the time is multiplied; the operations of FMM are of all points. All methods find the same sides; FMM is not compared on the surface, where J has no sharp limit.",
	}
}

// pipStatements checks the statements of §3 and §4 for one family of bodies, spheres or foams.
func (r *Run) pipStatements(id string, all []timedPair, grids []int, least float64) []Statement {
	grid := grids[len(grids)-1]
	what := map[string]string{"P1": "spheres", "P3": "foams"}[id]
	overTriangles, overPts := linearity(all, methodRC, grids, least, operations, evaluationOnly)
	name := func(phrase string) string { // of spheres only, so that the sentence stays short
		if id == "P3" {
			return ""
		}
		return phrase
	}
	wc, _ := linearity(all, methodWC, grids, least, operations, evaluationOnly)
	pc, pcPoints := linearity(all, methodPC, grids, least, operations, evaluationOnly)
	largest := 0
	for _, x := range all {
		largest = max(largest, x.triangles)
	}
	rc, _ := at(all, methodRC, largest, grid)
	w, _ := at(all, methodWC, largest, grid)
	p, _ := at(all, methodPC, largest, grid)
	few, _ := at(all, methodPC, largest, grids[0])
	worst := 0.0
	for _, x := range all {
		if x.method == methodPC {
			for _, y := range all {
				if y.method == methodWC && y.triangles == x.triangles && y.points == x.points {
					worst = max(worst, x.ops()/y.ops())
				}
			}
		}
	}
	ours, _ := at(all, methodWCCost, largest, grid)
	tree, _ := at(all, methodRays, largest, grid)
	from := ""
	if least > 8 {
		from = fmt.Sprintf(" from %s on", short(least))
	}
	many := newInterval(ratios(rc.totals, w.totals))
	behind := newInterval(ratios(ours.totals, tree.totals))
	limit := "above 1 for WC"
	if id == "P3" { // §3.2: for the large grid, both versions are strongly better
		limit = "above 1 for both"
	}
	list := []Statement{
		counted(id+".rc-linear", name("RC is linear"), fmt.Sprintf("§3: RC is linear in the numbers of triangles and points (%s).", what),
			fmt.Sprintf("Exponents of the operations over triangles%s: %s, one a grid; over points: %s.", from, exponents(overTriangles), exponents(overPts)), ".85–1.15",
			exponentsWithin(overTriangles, 0.85, 1.15) && exponentsWithin(overPts, 0.85, 1.15), Fails, "For few triangles the faces that the ray hits count most; their number hardly grows."),
		counted(id+".wc-sublinear", name("FMM WC is better than linear in the triangles"), fmt.Sprintf("§3: FMM WC is better than linear in the number of triangles, for few points closest to linear (%s).", what),
			fmt.Sprintf("Exponents of the operations%s, by grid: %s.", from, exponents(wc)), "the largest grid below 1, and the exponents fall", wc[len(wc)-1].Exponent < 1 && wc[len(wc)-1].Exponent <= wc[0].Exponent, Parameters, ""),
		counted(id+".pc-points", "", fmt.Sprintf("§3: the evaluation of FMM PC is linear in the number of points (%s).", what),
			fmt.Sprintf("Exponents of its operations over points: %s; of all operations over triangles: %s.", exponents(pcPoints), exponents(pc)), ".9–1.1", exponentsWithin(pcPoints, 0.9, 1.1), Fails, ""),
		counted(id+".set-up", "", fmt.Sprintf("§3: curves of FMM PC meet where the set-up dominates, for fine meshes and few points (%s).", what),
			fmt.Sprintf("%d triangles, %d³ points: the set-up has %s of the operations.", largest, grids[0], percent(few.setUpOps/few.ops())), "above 50 %", few.setUpOps > 0.5*few.ops(), Parameters, "The rule for the depth is not stated; a deeper tree has a larger set-up."),
		counted(id+".wc-pc", "", fmt.Sprintf("§3: FMM WC is better than PC, sometimes much (%s).", what), fmt.Sprintf("PC needs up to %s times the operations of WC.", short(worst)), "above 1", worst > 1, Parameters, ""),
		counted(id+".many", "FMM beats RC for many faces and points of "+what, fmt.Sprintf("§3, §4: for many faces and points FMM is faster than RC (%s).", what),
			fmt.Sprintf("%d triangles, %d³ points: RC needs %s times the operations of FMM WC and %s times those of PC.", largest, grid, short(rc.ops()/w.ops()), short(rc.ops()/p.ops())), limit, rc.ops() > w.ops() && (id == "P1" || rc.ops() > p.ops()), Parameters,
			fmt.Sprintf("In time RC / FMM WC is %s, without assembly %s.", many, readable(rc.plain/w.plain))),
		r.timedStatement(id+".tree", name("FMM beats rays through a tree"), fmt.Sprintf("§4, extended: FMM is faster than ray crossing for many faces, also if rays use a tree (%s).", what),
			fmt.Sprintf("Time of FMM WC (ours) / rays through the tree (ours): %s; without assembly %s.", behind, readable(ours.plain/tree.plain)), "all below 1", behind, 0, 1, Fails, "The paper has no tree of faces."),
	}
	if r.Size != Paper { // few faces and few points
		for i := range list {
			if list[i].ID == id+".many" || list[i].ID == id+".set-up" {
				list[i] = list[i].unchecked()
			}
		}
	}
	return list
}

// figure10 checks the sizes of figure 10 and §4: with 10³ points, ray crossing is better for the five
// coarsest spheres (up to 2,048 triangles); with 80³ points, for the three coarsest (up to 128).
func figure10(all []timedPair, grids []int) []Statement {
	var list []Statement
	for _, c := range []struct {
		grid   int
		lo, hi float64 // the sizes between which the curves cross
	}{{10, 2048, 8192}, {80, 128, 512}} {
		rc, pc, wc := series(all, methodRC, c.grid, operations), series(all, methodPC, c.grid, operations), series(all, methodWC, c.grid, operations)
		simple, cross := true, crossings(pc, rc)
		for i, x := range rc.X {
			simple = simple && (x > c.lo || rc.Y[i] < pc.Y[i])
		}
		a := counted(fmt.Sprintf("P1.simple-%d", c.grid), fmt.Sprintf("RC wins for simple bodies (%d³ points)", c.grid), fmt.Sprintf("§4: RC is better for simple bodies: up to %s triangles with %d³ points.", short(c.lo), c.grid),
			"FMM PC needs fewer operations than RC: "+crossingText(pc, rc)+".", fmt.Sprintf("RC up to %s", short(c.lo)), simple, Parameters, ownTimes(all, c.grid))
		b := counted(fmt.Sprintf("P1.cross-%d", c.grid), fmt.Sprintf("FMM wins from %s triangles on for %d³ points", short(c.hi), c.grid), fmt.Sprintf("Figure 10: with %d³ points the curves cross between %s and %s triangles.", c.grid, short(c.lo), short(c.hi)),
			"Fewer operations than RC: PC "+crossingText(pc, rc)+"; WC "+crossingText(wc, rc)+".", "PC crosses once, there", len(cross) == 1 && cross[0] > c.lo && cross[0] < c.hi, Parameters,
			"The crossing moves with d, and with the cost of a box test: in the paper it seems to be near that of a solid angle, here it is a fifteenth (last table).")
		if len(rc.X) == 0 {
			a, b = a.unchecked(), b.unchecked()
			a.Ours, b.Ours = "This size has no such grid.", "This size has no such grid."
		}
		list = append(list, a, b)
	}
	return list
}

// ownTimes says where our multipole method is faster than ray crossing, with and without assembly.
func ownTimes(all []timedPair, grid int) string {
	plain := func(x timedPair) float64 { return x.plain }
	text := "Our FMM PC is faster in time: " + crossingText(series(all, methodPCCost, grid, totalSeconds), series(all, methodRC, grid, totalSeconds))
	if s := series(all, methodPCCost, grid, plain); len(s.Y) > 0 && !math.IsNaN(s.Y[0]) {
		text += "; without assembly: " + crossingText(s, series(all, methodRC, grid, plain))
	}
	return text + "."
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
	return counted("P1.together", "FMM is nearly linear if triangles and points grow together", "§3.1, §3.2: if both numbers grow by the same factor, FMM is linear (§2.1.3: O(N log² N) + O(M log² N)).",
		fmt.Sprintf("With 4 points a triangle, operations / log² N of FMM WC have the exponent %s from %s to %s triangles (without the division %s).", p, short(s.X[0]), short(s.X[len(s.X)-1]), fitTail(s, 0)), ".8–1.15", p.Exponent >= 0.8 && p.Exponent <= 1.15, Parameters, ""), nil
}

// otherCosts shows where FMM PC crosses RC for other values of d in eq. 16, and for other costs of a
// box test.
func otherCosts(all []timedPair, last int, grids []int) Table {
	t := Table{Name: "P1-costs", Title: "Where FMM PC needs fewer operations than RC, for other d in eq. 16 (the paper states only d > 1), and other costs of a box test in solid angles (here 1/15)",
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
				rc := series(all, methodRC, n, func(x timedPair) float64 { return x.ops() + x.tested*(nearFlops*cost-boxFlops) })
				row = append(row, crossingText(curves[i], rc))
			}
			t.Add(row...)
		}
	}
	return t
}

package main

import (
	"context"
	"fmt"

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
	if err != nil {
		return nil, err
	}
	res := &Result{
		Figures: pipFigures(all, grids, "spheres", [4]string{"P1-fig7", "P1-fig8", "P1-fig9", "P1-fig10"}),
		Tables: []Table{
			crossingTable(all, grids, "P1-crossings", "Ranges of the number of triangles in which one method is faster than another. The total times are compared"),
			fasterTable(all, testmesh.Sphere(last).NumFaces(), grids[len(grids)-1], "P1-faster"),
			timesTable("P1-times", "All times", all),
		},
		Notes: pipNotes(r),
	}
	res.Figures[1].Series = append(res.Figures[1].Series, printedTimes(grids)...)
	least := pick(r.Size, 8.0, 512, 2048)
	res.Statements = append(pipStatements(all, grids, least), figure10(all, grids)...)
	return res, nil
}

// pipNotes returns notes on choices that the paper leaves open.
func pipNotes(r *Run) []string {
	return []string{
		"RC casts a random ray from each point and tests the box of every face. For each face whose box the ray intersects, it computes exact signs of volumes. It has no tree. If the number of triangles times the number of points exceeds " +
			short(r.scanLimit()) + ", only evenly spaced points are queried, and the time is multiplied by the ratio of all points to the queried points. The last column of the CSV file with all times contains this ratio, which is then above 1.",
		"FMM WC uses the best fixed depth. The search for it begins at the pre-chosen depth and changes the depth in steps of one. FMM PC uses the first level at which a leaf on the surface contains at most log₂² N of the N triangles (§2.1.3). The methods marked “ours” choose the depth with the cost model. The cost model of FMM WC (ours) knows the points. The cost model of FMM PC (ours) does not.",
		fmt.Sprintf("The allowed error of the winding number W (J in the paper) is %.2g. It is certified for every point. This error is small enough to distinguish the sides of a closed surface.", epsilon),
		"All methods found the same side for every queried point, including points on the surface.",
	}
}

// pipStatements checks the statements of §3 and §4 for one family of bodies, spheres or foams.
func pipStatements(all []timed, grids []int, least float64) []Statement {
	lastGrid := grids[len(grids)-1]
	overTriangles, overPts := linearity(all, methodRC, grids, least)
	wc, _ := linearity(all, methodWC, grids, least)
	var below []Power
	for _, p := range wc {
		below = append(below, Power{Exponent: p.Exponent})
	}
	pcSlopes, pcPoints := linearity(all, methodPC, grids, least)
	from := ""
	if least > 0 {
		from = fmt.Sprintf(" from %s on", short(least))
	}
	return []Statement{
		{"Ray crossing is linear in the number of triangles and in the number of points.",
			fmt.Sprintf("The exponents over the number of triangles%s are %s (one exponent for each grid, in ascending order). The exponents over the number of points are %s (one exponent for each body, in ascending order, each fitted to the three largest grids).", from, exponents(overTriangles), exponents(overPts)),
			verdict(exponentsWithin(overTriangles, 0.85, 1.15) && exponentsWithin(overPts, 0.85, 1.15))},
		{"FMM WC is better than linear in the number of triangles until one part of the work, such as the set-up, takes nearly all of the time.",
			fmt.Sprintf("The exponents over the number of triangles%s are %s.", from, exponents(wc)),
			verdict(exponentsWithin(below, -1, 1))},
		{"The evaluation of FMM PC is linear in the number of points.",
			fmt.Sprintf("The exponents of the evaluation over the number of points are %s. The exponents of the total time over the number of triangles%s are %s.", exponents(pcPoints), from, exponents(pcSlopes)),
			verdict(exponentsWithin(pcPoints, 0.8, 1.2))},
		{fmt.Sprintf("For many faces and many points, FMM is faster than ray crossing. Here FMM is compared with RC without a tree for %d³ points.", lastGrid),
			fmt.Sprintf("FMM WC is faster in this range of triangles: %s. FMM PC is faster in this range: %s.", crossingText(series(all, methodWC, lastGrid, ""), series(all, methodRC, lastGrid, "")),
				crossingText(series(all, methodPC, lastGrid, ""), series(all, methodRC, lastGrid, ""))),
			verdict(ahead(all, methodWC, methodRC, lastGrid) && ahead(all, methodPC, methodRC, lastGrid))},
		{"For many faces and many points, FMM is faster than ray crossing. Here FMM is compared with rays through a tree and with cells.",
			fmt.Sprintf("FMM WC (ours) is faster than the tree in this range of triangles: %s. It is faster than cells in this range: %s.", crossingText(series(all, methodWCCost, lastGrid, ""), series(all, methodRays, lastGrid, "")),
				crossingText(series(all, methodWCCost, lastGrid, ""), series(all, methodCells, lastGrid, ""))),
			verdict(ahead(all, methodWCCost, methodRays, lastGrid) && ahead(all, methodWCCost, methodCells, lastGrid))},
	}
}

// ahead reports whether a is faster than b for the largest body.
func ahead(all []timed, a, b string, grid int) bool {
	x, y := series(all, a, grid, ""), series(all, b, grid, "")
	return x.Y[len(x.Y)-1] < y.Y[len(y.Y)-1]
}

// figure10 checks the crossing points of figure 10. With 10³ points, ray crossing is faster for the
// five coarsest spheres (8 … 2,048 triangles). With 80³ points, ray crossing is faster for the
// three coarsest spheres (8, 32, 128 triangles). §4 states these numbers for the method PC only.
func figure10(all []timed, grids []int) []Statement {
	var list []Statement
	for _, n := range []struct {
		grid   int
		lo, hi float64 // range of triangles that contains the crossing
		method string
	}{{10, 2048, 8192, methodPC}, {80, 128, 512, methodPC}, {10, 2048, 8192, methodWC}, {80, 128, 512, methodWC}} {
		a, b := series(all, n.method, n.grid, ""), series(all, methodRC, n.grid, "")
		if len(a.X) == 0 {
			continue
		}
		cross := crossings(a, b)
		holds := len(cross) == 1 && a.Y[0] > b.Y[0] && cross[0] > n.lo && cross[0] < n.hi
		text := fmt.Sprintf("Figure 10, %d³ points: ray crossing is faster than %s up to %s triangles and slower from %s triangles on.", n.grid, n.method, short(n.lo), short(n.hi))
		if n.method == methodWC {
			text = fmt.Sprintf("Figure 10, %d³ points: ray crossing is also faster than %s up to %s triangles and slower from %s triangles on. (§4 states this range only for FMM PC.)", n.grid, n.method, short(n.lo), short(n.hi))
		}
		list = append(list, Statement{text,
			fmt.Sprintf("%s is faster than RC in this range of triangles: %s.", n.method, crossingText(a, b)), verdict(holds)})
	}
	return list
}

// fasterTable compares the methods in the largest case. If the paper measures this case, the table
// includes the time of the paper.
func fasterTable(all []timed, triangles, grid int, name string) Table {
	const paperTotal = 200 // seconds; table 2 and figure 8 show more than 200 seconds at 2.8 GHz
	paper := triangles == 131072 && grid == 80
	t := Table{Name: name, Title: fmt.Sprintf("Times for %d triangles and %d³ points", triangles, grid),
		Columns: []string{"method", "set-up s", "evaluation s", "total s", "times faster than RC"}}
	if paper {
		t.Title += ". For this case, the paper reports 202 s for the evaluation alone with FMM PC (table 2; 2.8 GHz, 2006). The last column uses 200 s as a lower limit of the paper's total time"
		t.Columns = append(t.Columns, "times faster than 200 s")
	}
	rc, _ := at(all, methodRC, triangles, grid)
	for _, method := range methods {
		if x, ok := at(all, method, triangles, grid); ok {
			row := []any{method, x.setUp, x.evaluation, x.total(), rc.total() / x.total()}
			if paper {
				row = append(row, paperTotal/x.total())
			}
			t.Add(row...)
		}
	}
	return t
}

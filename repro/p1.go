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
			crossingTable(all, grids, "P1-crossings", "Where one method becomes faster than another, total time"),
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
		"RC: random ray, box test for every face, exact signs of volumes for faces whose box is met; no tree. Where triangles × points exceed " +
			short(r.scanLimit()) + ", evenly spread points were asked and the time multiplied; the column “points a point asked” of the CSV file of all times is then above 1.",
		"FMM WC: the best fixed depth, searched from the pre-chosen one in steps of one. FMM PC: the first level at which a leaf on the surface holds at most log₂² N triangles (§2.1.3). “Ours” choose the depth by the cost model, with and without the points.",
		fmt.Sprintf("The allowed error of J is %.2g, certified for every point: enough to tell the sides of a closed surface.", epsilon),
		"All methods gave the same side for every point that was asked, points on the surface included.",
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
		{"ray crossing is linear in the number of triangles and in the number of points",
			fmt.Sprintf("exponents over triangles%s %s (grids in order), over points %s (bodies in order, the three largest grids)", from, exponents(overTriangles), exponents(overPts)),
			verdict(exponentsWithin(overTriangles, 0.85, 1.15) && exponentsWithin(overPts, 0.85, 1.15))},
		{"FMM WC is better than linear in the number of triangles, until one part dominates",
			fmt.Sprintf("exponents over triangles%s %s", from, exponents(wc)),
			verdict(exponentsWithin(below, -1, 1))},
		{"FMM PC: the evaluation is linear in the number of points",
			fmt.Sprintf("exponents of the evaluation over points %s; of the total time over triangles%s %s", exponents(pcPoints), from, exponents(pcSlopes)),
			verdict(exponentsWithin(pcPoints, 0.8, 1.2))},
		{fmt.Sprintf("for many faces and many points FMM is faster than ray crossing; here against RC without a tree, %d³ points", lastGrid),
			fmt.Sprintf("FMM WC faster %s, FMM PC %s", crossingText(series(all, methodWC, lastGrid, ""), series(all, methodRC, lastGrid, "")),
				crossingText(series(all, methodPC, lastGrid, ""), series(all, methodRC, lastGrid, ""))),
			verdict(ahead(all, methodWC, methodRC, lastGrid) && ahead(all, methodPC, methodRC, lastGrid))},
		{"the same against rays through a tree, and against cells",
			fmt.Sprintf("FMM WC (ours) faster than the tree %s, than cells %s", crossingText(series(all, methodWCCost, lastGrid, ""), series(all, methodRays, lastGrid, "")),
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
		text := fmt.Sprintf("figure 10, %d³ points: ray crossing is faster than %s up to %s triangles, slower from %s on", n.grid, n.method, short(n.lo), short(n.hi))
		if n.method == methodWC {
			text = fmt.Sprintf("figure 10, %d³ points: the same of %s (§4 counts the spheres for PC alone)", n.grid, n.method)
		}
		list = append(list, Statement{text,
			fmt.Sprintf("%s faster than RC: %s", n.method, crossingText(a, b)), verdict(holds)})
	}
	return list
}

// fasterTable compares the methods in the largest case. If the paper measures this case, the table
// includes the time of the paper.
func fasterTable(all []timed, triangles, grid int, name string) Table {
	const paperTotal = 200 // seconds; table 2 and figure 8 show more than 200 seconds at 2.8 GHz
	paper := triangles == 131072 && grid == 80
	t := Table{Name: name, Title: fmt.Sprintf("%d triangles, %d³ points", triangles, grid),
		Columns: []string{"method", "set-up s", "evaluation s", "total s", "times faster than RC"}}
	if paper {
		t.Title += "; here the evaluation alone took the paper's FMM PC 202 s (table 2; 2.8 GHz, 2006), all of it more than 200 s"
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

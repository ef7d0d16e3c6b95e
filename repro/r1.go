package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// tests2004 holds the ranges of diameters of Leszczynski and Ciesielski 2004, eq. 4. It also holds
// the contacts per particle that the paper states, in the plane and in space.
var tests2004 = []struct {
	name     string
	min, max float64
	stated   [2]float64
}{{"A", 0.05, 0.1, [2]float64{0.87, 0.90}}, {"B", 0.02, 0.05, [2]float64{0.19, 0.10}}, {"C", 0.005, 0.02, [2]float64{0.02, 0.04}}}

// density2004 is the number of particles per unit of area or volume.
var density2004 = [2]float64{100, 1000}

// runR1 repeats figure 2 of Leszczynski and Ciesielski 2004.
func runR1(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{100, 300}, []int{100, 1000, 10000, 30000}, []int{100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000})
	res := &Result{Notes: []string{"LCM is counted with test A only, because its work does not depend on the diameters. Times are of a step that finds all contacts again in memory that is already allocated."}}
	contacts := Table{Name: "R1-contacts", Long: true, Title: "Contacts a particle in percent: stated, counted, and expected far from the border", Columns: []string{"axes", "test", "the paper %", "counted %", "expected %"}}
	tests := Figure{Name: "R1-tests", Title: "Tests a particle of the novel algorithm: diameters A, B and C, plane and space", X: "number of particles", Y: "tests a particle", LogX: true, LogY: true}
	r.progress.plan(2 * len(counts) * len(tests2004))
	for k, axes := range []int{2, 3} {
		var measured []staticRow
		var err error
		if axes == 2 {
			measured, err = staticRows(ctx, r, counts, axes, randomDisks)
		} else {
			measured, err = staticRows(ctx, r, counts, axes, randomBalls)
		}
		if err != nil {
			return nil, err
		}
		f := Figure{Name: fmt.Sprintf("R1-fig2-%dd", axes), Title: []string{"Disks", "Balls"}[k] + ": time of the novel algorithm, linked cells and our methods", X: "number of particles", Y: "t_sim [ms]", LogX: true, LogY: true}
		f.Series = staticSeries(measured, func(d detected, _ int) float64 { return 1e3 * d.seconds })
		res.Figures = append(res.Figures, f)
		curves := staticSeries(measured, func(d detected, n int) float64 { return d.work / float64(n) })
		var exponents []Power
		for hue, s := range curves[:3] {
			exponents = append(exponents, fitTail(s, 1000))
			s.Name, s.Hue, s.Style = fmt.Sprintf("%s, %dD", s.Name, axes), hue+1, []Style{Dashed, Measured}[k]
			tests.Series = append(tests.Series, s)
		}
		res.Statements = append(res.Statements, contactStatement(&contacts, k, axes, measured))
		res.Statements = append(res.Statements, staticStatements(curves, axes)...)
		res.Statements = append(res.Statements, growth(exponents, axes))
	}
	res.Figures = append(res.Figures, tests)
	res.Tables = append(res.Tables, contacts)
	return res, nil
}

// growth compares the exponents of the tests a particle with N^½ in the plane and N^⅔ in space.
func growth(list []Power, axes int) Statement {
	want := []float64{0.5, 2.0 / 3}[axes-2]
	return counted(fmt.Sprintf("R1.growth-%d", axes), "", fmt.Sprintf("§2.2: n_t is the number of tested pairs; the paper does not say how it grows (%dD).", axes),
		fmt.Sprintf("Tests a particle grow with the exponents %s for A, B and C.", exponents(list)), fmt.Sprintf("%s ± .1, the share of a shell as thick as a particle", short(want)), exponentsWithin(list, want-0.1, want+0.1), Fails, "So the novel algorithm is not linear at any density.")
}

// staticRow holds the measurements of all methods for one number of particles and one test.
type staticRow struct {
	n     int
	test  int
	names []string
	got   []detected
}

// staticRows measures all tests for all numbers of particles. The linked cell method (LCM) is
// measured with test A only, because the paper has a single curve of LCM.
func staticRows[T neighbor.Disk | neighbor.Sphere](ctx context.Context, r *Run, counts []int, axes int, particles func(random *rand.Rand, n int, side, min, max float64) []T) ([]staticRow, error) {
	var rows []staticRow
	density := density2004[axes-2]
	for _, n := range counts {
		side := math.Pow(float64(n)/density, 1/float64(axes))
		for k, t := range tests2004 {
			bodies := particles(rand.New(rand.NewPCG(uint64(n), uint64(k))), n, side, t.min, t.max)
			methods := []detection[T]{
				{"novel alg. " + t.name, func() neighbor.Method[T] { return &radialScan[T]{} }},
				{"radial sort " + t.name + " (ours)", func() neighbor.Method[T] {
					return neighbor.NewRadialSort[T](neighbor.RadialOptions{Workers: r.Threads})
				}},
			}
			if k == 0 {
				for _, p := range []float64{1, 5, 10} {
					methods = append(methods, detection[T]{fmt.Sprintf("LCM %g", p), func() neighbor.Method[T] {
						return newCellGrid[T](math.Pow(p/density, 1/float64(axes)))
					}})
				}
				methods = append(methods, detection[T]{"hierarchical grid A (ours)", func() neighbor.Method[T] {
					return neighbor.NewHierarchicalGrid[T](neighbor.GridOptions{Workers: r.Threads})
				}})
			}
			got, err := detect(ctx, r, bodies, methods)
			if err != nil {
				return nil, fmt.Errorf("%dD, test %s: %w", axes, t.name, err)
			}
			row := staticRow{n: n, test: k, got: got}
			for _, m := range methods {
				row.names = append(row.names, m.name)
			}
			rows = append(rows, row)
			r.progress.step(fmt.Sprintf("%dD %d %s", axes, n, t.name))
		}
	}
	return rows, nil
}

// randomDisks returns n disks at random places in a square, with diameters from min to max.
func randomDisks(random *rand.Rand, n int, side, min, max float64) []neighbor.Disk {
	disks := make([]neighbor.Disk, n)
	for i := range disks {
		disks[i].Center = r2.Point{X: side * random.Float64(), Y: side * random.Float64()}
		disks[i].Radius = (min + (max-min)*random.Float64()) / 2
	}
	return disks
}

// randomBalls returns n balls at random places in a cube, with diameters from min to max.
func randomBalls(random *rand.Rand, n int, side, min, max float64) []neighbor.Sphere {
	balls := make([]neighbor.Sphere, n)
	for i := range balls {
		balls[i].Center = r3.Vector{X: side * random.Float64(), Y: side * random.Float64(), Z: side * random.Float64()}
		balls[i].Radius = (min + (max-min)*random.Float64()) / 2
	}
	return balls
}

// staticSeries returns a curve for each method. The methods of the paper come first.
func staticSeries(rows []staticRow, value func(d detected, n int) float64) []Series {
	order := []string{"novel alg. A", "novel alg. B", "novel alg. C", "LCM 1", "LCM 5", "LCM 10", "radial sort C (ours)", "hierarchical grid A (ours)"}
	var list []Series
	for _, name := range order {
		s := Series{Name: name}
		for _, row := range rows {
			for i, m := range row.names {
				if m == name {
					s.Add(float64(row.n), value(row.got[i], row.n))
				}
			}
		}
		list = append(list, s)
	}
	return list
}

// contactStatement adds the contacts per particle for the largest number of particles to the table.
// It also adds the expected value far from the border. For density ρ and random radii r₁ and r₂,
// the expected value is the mean of ½ρπ(r₁+r₂)² in the plane, or of ½ρ·4π/3·(r₁+r₂)³ in space.
func contactStatement(table *Table, k, axes int, rows []staticRow) Statement {
	text, paper, holds := "", "", true
	for i, t := range tests2004 {
		row := rows[len(rows)-len(tests2004)+i]
		got := float64(row.got[0].pairs) / float64(row.n)
		mean, half := (t.min+t.max)/2, (t.max-t.min)/2
		// r₁+r₂ is mean + half·(u₁+u₂)/2, where u₁ and u₂ are uniform in [−1, 1]. So the variance
		// of r₁+r₂ is half²/6.
		variance := half * half / 6
		expected := 0.5 * density2004[k] * math.Pi * (mean*mean + variance)
		if axes == 3 {
			expected = 0.5 * density2004[k] * 4 * math.Pi / 3 * (mean*mean*mean + 3*mean*variance)
		}
		table.Add(fmt.Sprintf("%dD", axes), t.name, 100*t.stated[k], 100*got, 100*expected)
		text += fmt.Sprintf("%s %s %%, ", t.name, short(100*got))
		paper += fmt.Sprintf("%s %s %%, ", t.name, short(100*t.stated[k]))
		holds = holds && math.Abs(got-t.stated[k]) < 0.15*t.stated[k]+0.005
	}
	why := ""
	if axes == 3 {
		why = "C: the density and the diameters give .48 %, an eighth of the printed 4 %; probably a misprint. A and B agree."
	}
	return counted(fmt.Sprintf("R1.contacts-%d", axes), fmt.Sprintf("the contacts a particle in %dD", axes), fmt.Sprintf("§3: contacts a particle in %dD: %s.", axes, paper[:len(paper)-2]), text[:len(text)-2]+".",
		"15 % and half a point", holds, Fails, why)
}

// staticStatements compares the work of the methods for the largest number of particles. In the paper
// the novel algorithm is faster for smaller particles, and linked cells (LCM) are faster with fewer
// particles a cell. Linked cells are better for the densest particles (A), and the novel algorithm is
// better if the concentration is small (C).
func staticStatements(curves []Series, axes int) []Statement {
	last := func(i int) float64 { return curves[i].Y[len(curves[i].Y)-1] }
	n := curves[0].X[len(curves[0].X)-1]
	id := func(s string) string { return fmt.Sprintf("R1.%s-%d", s, axes) }
	return []Statement{
		counted(id("order"), "", fmt.Sprintf("Figure 2, %dD: the novel algorithm is faster for smaller particles, LCM with fewer particles a cell.", axes),
			fmt.Sprintf("Work a particle: novel A, B, C %s, %s, %s; LCM 1, 5, 10 %s, %s, %s.", short(last(0)), short(last(1)), short(last(2)), short(last(3)), short(last(4)), short(last(5))),
			"in this order", last(0) > last(1) && last(1) > last(2) && last(3) < last(4) && last(4) < last(5), Fails, ""),
		counted(id("dense"), fmt.Sprintf("LCM is better for dense particles in %dD", axes), fmt.Sprintf("§4: LCM is better for dense particles (A, %dD).", axes), fmt.Sprintf("For %s particles novel A needs %s times the work of LCM 1.", short(n), short(last(0)/last(3))),
			"above 1", last(0) > last(3), Fails, "Novel needs less work "+crossingText(curves[0], curves[3])+"."),
		counted(id("dilute"), fmt.Sprintf("novel is better for small concentrations in %dD", axes), fmt.Sprintf("§4: novel is better for a small concentration (C, %dD).", axes), fmt.Sprintf("For %s particles novel C needs %s times the work of LCM 1.", short(n), short(last(2)/last(3))),
			"below 1", last(2) < last(3), Fails, "Novel needs less work "+crossingText(curves[2], curves[3])+": its tests grow with N, those of LCM do not."),
	}
}

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
	res := &Result{Notes: []string{
		"“Novel alg.” and “LCM” implement the algorithms of the paper line by line. A cell of LCM p contains p particles on average. LCM is measured with test A only. The methods marked “ours” are the radial-distance sort and the hierarchical grid of package neighbor. They use one thread.",
		"The particles do not move, as in the paper. A measured time is the time of one step. The step finds all contacts again and reuses memory that is already allocated. The radial-distance sort of package neighbor keeps the order of the previous step. This order is still correct, so the step only checks it.",
	}}
	contacts := Table{Name: "R1-contacts", Title: "Contacts per particle in percent", Columns: []string{"axes", "test", "the paper %", "measured %", "expected %"}}
	tests := Figure{Name: "R1-tests", Title: "Overlap tests a particle: tests A, B and C in the plane and in space", X: "number of particles", Y: "tests a particle", LogX: true, LogY: true}
	r.progress.plan(2 * len(counts) * len(tests2004))
	var exponent [2][]Power
	for k, axes := range []int{2, 3} {
		f := Figure{Name: fmt.Sprintf("R1-fig2-%dd", axes), Title: []string{"Disks", "Balls"}[k] + ": the novel algorithm, linked cells and our methods compared", X: "number of particles", Y: "t_sim [ms]", LogX: true, LogY: true}
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
		f.Series = staticSeries(measured, func(d detected, _ int) float64 { return 1e3 * d.seconds })
		res.Figures = append(res.Figures, f)
		for hue, s := range staticSeries(measured, func(d detected, n int) float64 { return float64(d.tests) / float64(n) })[:3] {
			exponent[k] = append(exponent[k], fitTail(s, 1000))
			s.Name, s.Hue, s.Style = fmt.Sprintf("%s, %dD", s.Name, axes), hue+1, []Style{Dashed, Measured}[k]
			tests.Series = append(tests.Series, s)
		}
		res.Statements = append(res.Statements, contactStatement(&contacts, k, axes, measured), staticStatement(f, axes), denseStatement(f, axes))
	}
	res.Figures = append(res.Figures, tests)
	res.Tables = append(res.Tables, contacts)
	res.Statements = append(res.Statements, Statement{"Not in the paper: the tests per particle of the novel algorithm grow as N^½ in the plane and as N^⅔ in space. The reason is a shell around the origin that is as thick as a particle. It contains about that many particles.",
		fmt.Sprintf("From 1,000 particles on, the exponents for A, B and C are %s in the plane and %s in space.", exponents(exponent[0]), exponents(exponent[1])),
		verdict(exponentsWithin(exponent[0], 0.4, 0.6) && exponentsWithin(exponent[1], 0.57, 0.77))})
	return res, nil
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
	answer := verdict(holds)
	if !holds && axes == 3 {
		answer = "A and B: yes. C: no, this density does not give 4 %."
	}
	return Statement{fmt.Sprintf("In %dD, the contacts per particle in the three tests are %s.", axes, paper[:len(paper)-2]), text[:len(text)-2], answer}
}

// staticStatement compares the curves for the largest number of particles. The paper states that
// the novel algorithm is faster for smaller particles, and that linked cells (LCM) are faster with
// fewer particles per cell.
func staticStatement(f Figure, axes int) Statement {
	last := func(i int) float64 { return f.Series[i].Y[len(f.Series[i].Y)-1] }
	holds := last(0) > last(1) && last(1) > last(2) && last(3) < last(4) && last(4) < last(5)
	return Statement{fmt.Sprintf("Figure 2, %dD: the novel algorithm is faster for smaller particles. LCM is faster with fewer particles per cell.", axes),
		fmt.Sprintf("For the largest number of particles, the novel algorithm takes %s, %s and %s ms for A, B and C. LCM 1, 5 and 10 take %s, %s and %s ms.", short(last(0)), short(last(1)), short(last(2)), short(last(3)), short(last(4)), short(last(5))),
		verdict(holds)}
}

// denseStatement compares the novel algorithm with LCM 1 (linked cells) for the largest number of
// particles. The paper states that linked cells are faster for the densest particles (A) and slower
// for the least dense particles (C).
func denseStatement(f Figure, axes int) Statement {
	lcm := f.Series[3]
	last := len(lcm.Y) - 1
	return Statement{fmt.Sprintf("§4, %dD: LCM is better for dense particles. The novel algorithm is better for a small concentration.", axes),
		fmt.Sprintf("The novel algorithm is faster than LCM 1 in these ranges of particles: A %s; B %s; C %s.", crossingText(f.Series[0], lcm), crossingText(f.Series[1], lcm), crossingText(f.Series[2], lcm)),
		fmt.Sprintf("for the largest number of particles: dense (A) %s, small concentration (C) %s", verdict(f.Series[0].Y[last] > lcm.Y[last]), verdict(f.Series[2].Y[last] < lcm.Y[last]))}
}

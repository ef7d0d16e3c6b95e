package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

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

// counts2004 returns the numbers of particles.
func counts2004(s Size) []int {
	return pick(s, []int{100, 300}, []int{100, 1000, 10000, 30000}, []int{100, 300, 1000, 3000, 10000, 30000, 100000, 300000, 1000000})
}

// runR1 repeats figure 2 of Leszczynski and Ciesielski 2004.
func runR1(ctx context.Context, r *Run) (*Result, error) {
	if r.TimesOnly {
		return &Result{}, r.timesR1(ctx)
	}
	counts := counts2004(r.Size)
	res := &Result{Notes: []string{"LCM is counted with test A only, except in R1.dilute: its work does not depend on the diameters. Times are of a step that finds all contacts again in memory that is already allocated. The charts are from one process. The ratios of R1.dilute are from several processes, in which the methods take turns.", simulatedCaches}}
	contacts := Table{Name: "R1-contacts", Long: true, Title: "Contacts a particle in percent: stated, counted, and expected far from the border", Columns: []string{"axes", "test", "the paper %", "counted %", "expected %"}}
	all := Table{Name: "R1-times", Long: true, Title: "Milliseconds of a step", Columns: []string{"axes", "method", "particles", "ms"}}
	tests := Figure{Name: "R1-tests", Title: "Novel algorithm: tests a particle for diameters A and C", X: "number of particles", Y: "number of tests a particle", LogX: true, LogY: true}
	var both [2]staticCurves
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
		f := Figure{Name: fmt.Sprintf("R1-fig2-%dd", axes), Title: []string{"Disks, 100 a unit of area", "Balls, 1000 a unit of volume"}[k] + ": time of a step", X: "number of particles", Y: "t_sim [ms]", LogX: true, LogY: true}
		times := staticSeries(measured, func(d detected, _ int) float64 { return 1e3 * d.seconds })
		for i, s := range times {
			for j, n := range s.X {
				all.Add(fmt.Sprintf("%dD", axes), s.Name, int(n), s.Y[j])
			}
			if i == 0 || i == 2 || i == 3 || i == 5 { // novel A and C, LCM 1 and 10
				f.Series = append(f.Series, s)
			}
		}
		res.Figures = append(res.Figures, f)
		both[k] = staticCurves{axes, times, staticSeries(measured, func(d detected, n int) float64 { return d.work / float64(n) }), staticSeries(measured, func(d detected, n int) float64 { return float64(d.tests) / float64(n) })}
		for hue, i := range []int{0, 2} {
			s := both[k].work[i]
			s.Name, s.Hue, s.Style = fmt.Sprintf("%s, %dD", s.Name, axes), hue+1, []Style{Dashed, Measured}[k]
			tests.Series = append(tests.Series, s)
		}
		res.Statements = append(res.Statements, contactStatement(&contacts, k, axes, measured))
	}
	res.Figures = append(res.Figures, tests)
	res.Tables = append(res.Tables, contacts, all)
	memory, err := memory2004(ctx)
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, staticStatements(both)...)
	for k := range both {
		s, err := r.dilute(ctx, both[k])
		if err != nil {
			return nil, err
		}
		res.Statements = append(res.Statements, s)
	}
	res.Statements = append(res.Statements, estimate(both), memory, growth(both))
	return res, nil
}

// staticCurves holds the curves of one number of axes, with the order of staticSeries: milliseconds,
// work per particle and tests per particle.
type staticCurves struct {
	axes               int
	times, work, tests []Series
}

// end returns the last value of a curve.
func end(s Series) float64 { return s.Y[len(s.Y)-1] }

// growth compares the growth of the tests for each particle with N^½ in the plane and N^⅔ in space,
// where N is the number of particles.
func growth(both [2]staticCurves) Statement {
	text, holds := "", true
	for k, c := range both {
		want := []float64{0.5, 2.0 / 3}[k]
		var list []Power
		for _, s := range c.tests[:3] {
			list = append(list, fitTail(s, 1000))
		}
		holds = holds && exponentsWithin(list, want-0.1, want+0.1)
		text += fmt.Sprintf("%dD: %s. ", c.axes, exponents(list))
	}
	return counted("R1.growth", "", "§2.2: n_t is the number of pairs “eventually in the contact”, read as tested pairs. (The paper does not say how it grows.)", "Exponents of the tests a particle (A, B, C): "+strings.TrimSpace(text),
		"½ in 2D, ⅔ in 3D, ±.1: a shell as thick as a particle", holds, Fails, "So novel is not linear at any density.").uncounted(Addition)
}

// estimate compares the tests of linked cells with the estimate of the paper, for np particles and
// p_avg particles in a cell.
func estimate(both [2]staticCurves) Statement {
	text, holds := "", true
	for k, c := range both {
		var list []string
		for i, p := range []float64{1, 5, 10} {
			list = append(list, fmt.Sprintf("%.2f", end(c.tests[3+i])/p))
		}
		want := []float64{4.5, 13.5}[k]
		holds = holds && math.Abs(end(c.tests[3])/want-1) <= 0.1
		text += fmt.Sprintf("%dD: %s. ", c.axes, strings.Join(list, ", "))
	}
	s := counted("R1.estimate", "the tests of LCM", "§2.1: LCM tests 4.5 np p_avg (2D) and 13.5 np p_avg pairs (3D).", "Tests / (np p_avg) for LCM 1, 5, 10: "+strings.TrimSpace(text), "LCM 1 within 10 %", holds, Fails, "Cells at walls have fewer neighbors.")
	if both[0].tests[3].X[len(both[0].tests[3].X)-1] < 10000 {
		return s.unchecked()
	}
	return s
}

// memory2004 counts the bytes of the arrays of both methods for integers of 4 bytes and numbers of 8.
func memory2004(ctx context.Context) (Statement, error) {
	const n = 10000
	balls := randomBalls(rand.New(rand.NewPCG(5, 2004)), n, math.Cbrt(n/density2004[1]), tests2004[2].min, tests2004[2].max)
	novel := &radialScan[neighbor.Sphere]{}
	if err := novel.Update(ctx, balls); err != nil {
		return Statement{}, err
	}
	var lcm []string
	for _, p := range []float64{1, 10} {
		g := newCellGrid[neighbor.Sphere](math.Cbrt(p / density2004[1]))
		if err := g.Update(ctx, balls); err != nil {
			return Statement{}, err
		}
		lcm = append(lcm, short(float64(g.storage())/n))
	}
	bytes := float64((8+4)*len(novel.order)) / n
	return counted("R1.memory", "novel uses little memory", "§2.2: novel uses a small amount of memory: two arrays of np elements.", fmt.Sprintf("Novel has %g bytes a particle (a distance, an index); LCM 1 and 10 have %s (an index, and one a cell).", bytes, strings.Join(lcm, " and ")),
		"at most 16 bytes", bytes <= 16, Fails, ""), nil
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
	text, paper := "", ""
	var far []string
	why := ""
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
		if math.Abs(got-t.stated[k]) >= 0.15*t.stated[k]+0.005 {
			far = append(far, t.name)
			why += fmt.Sprintf("%s: the stated density and diameters give %s %% far from walls. ", t.name, short(100*expected))
		}
	}
	phrase := fmt.Sprintf("contacts a particle in %dD", axes)
	if len(far) == 1 {
		phrase = fmt.Sprintf("contacts of %s in %dD (probably a misprint; the others agree)", far[0], axes)
		why += "Probably a misprint; the others agree."
	}
	return counted(fmt.Sprintf("R1.contacts-%d", axes), phrase, fmt.Sprintf("§3: contacts a particle in %dD: %s.", axes, paper[:len(paper)-2]), "Counted: "+text[:len(text)-2]+".",
		"15 % and half a point", len(far) == 0, Fails, strings.TrimSpace(why))
}

// diluteWorkloads are steps of the novel algorithm and of LCM 1 with the diameters C and the most particles.
var diluteWorkloads = map[string]workload{
	"novel C 2D": diluteWorkload(2, randomDisks, func(float64) neighbor.Method[neighbor.Disk] { return &radialScan[neighbor.Disk]{} }),
	"LCM 1 2D":   diluteWorkload(2, randomDisks, func(cell float64) neighbor.Method[neighbor.Disk] { return newCellGrid[neighbor.Disk](cell) }),
	"novel C 3D": diluteWorkload(3, randomBalls, func(float64) neighbor.Method[neighbor.Sphere] { return &radialScan[neighbor.Sphere]{} }),
	"LCM 1 3D":   diluteWorkload(3, randomBalls, func(cell float64) neighbor.Method[neighbor.Sphere] { return newCellGrid[neighbor.Sphere](cell) }),
}

func diluteWorkload[T neighbor.Disk | neighbor.Sphere](axes int, particles func(random *rand.Rand, n int, side, min, max float64) []T, method func(cell float64) neighbor.Method[T]) workload {
	return func(ctx context.Context, r *Run) (func() error, error) {
		counts, density, c := counts2004(r.Size), density2004[axes-2], tests2004[2]
		n := counts[len(counts)-1]
		bodies := particles(rand.New(rand.NewPCG(uint64(n), 2)), n, math.Pow(float64(n)/density, 1/float64(axes)), c.min, c.max)
		m := method(math.Pow(1/density, 1/float64(axes)))
		return func() error { return m.Update(ctx, bodies) }, nil
	}
}

// diluteNames are the names of the novel algorithm and of linked cells in diluteWorkloads.
func diluteNames(axes int) [2]string {
	return [2]string{fmt.Sprintf("novel C %dD", axes), fmt.Sprintf("LCM 1 %dD", axes)}
}

// diluteTimes returns, for each process, the seconds of a step of the novel algorithm divided by the seconds of a
// step of linked cells. The methods take turns, in memory that is already allocated.
func (r *Run) diluteTimes(ctx context.Context, axes int) (Interval, error) {
	var works [][]func() error
	for _, name := range diluteNames(axes) {
		step, err := diluteWorkloads[name](ctx, r)
		if err != nil {
			return Interval{}, err
		}
		if err := step(); err != nil {
			return Interval{}, err
		}
		works = append(works, []func() error{step})
	}
	t, err := r.turns(ctx, works)
	if err != nil {
		return Interval{}, err
	}
	names := diluteNames(axes)
	return newInterval(ratios(r.record(names[0], t[0][0]), r.record(names[1], t[1][0]))), nil
}

// timesR1 measures the times for a process that judges them.
func (r *Run) timesR1(ctx context.Context) error {
	for _, axes := range []int{2, 3} {
		if _, err := r.diluteTimes(ctx, axes); err != nil {
			return err
		}
	}
	return nil
}

// dilute checks whether the novel algorithm is faster than linked cells if the concentration is small. Counts cannot
// decide this. The novel algorithm executes more instructions, but reads an array in order. Linked cells follow
// lists and so miss the caches. The result depends on the cost of a miss, so times of alternating steps decide.
func (r *Run) dilute(ctx context.Context, c staticCurves) (Statement, error) {
	novel, lcm := c.work[2], c.work[3]
	ratio, err := r.diluteTimes(ctx, c.axes)
	if err != nil {
		return Statement{}, err
	}
	why := fmt.Sprintf("Without its sort it needs %s times the work.", short(end(novel)/end(lcm)))
	switch more, err := r.diluteCounts(ctx, c.axes); {
	case errors.Is(err, errNoValgrind):
	case err != nil:
		return Statement{}, err
	default:
		why = more + why
	}
	s := r.timedStatement(fmt.Sprintf("R1.dilute-%d", c.axes), fmt.Sprintf("novel is faster for small concentrations in %dD", c.axes),
		fmt.Sprintf("§4: novel is better if the concentration is small and sizes vary more (C, %dD).", c.axes),
		fmt.Sprintf("For %s particles a step of novel C takes %s times as long as one of LCM 1.", short(novel.X[len(novel.X)-1]), ratio),
		"below 1", ratio, 0, 1, Kernel, why).tookTurns(r).number(fmt.Sprintf("%.2f times as long", ratio.Median))
	if r.Size == Tiny {
		s = s.unchecked()
	}
	return s, nil
}

// diluteCounts compares the instructions and the cache misses of both methods.
func (r *Run) diluteCounts(ctx context.Context, axes int) (string, error) {
	if r.Size == Tiny {
		return "", nil
	}
	var steps [2]simulated
	for k, name := range diluteNames(axes) {
		var err error
		if steps[k], err = r.simulate(ctx, name); err != nil {
			return "", err
		}
	}
	a, b := steps[0], steps[1]
	text := fmt.Sprintf("Novel has %.2f times the instructions, and %.2f and %.2f times the misses of the first and the last cache. ", a.instructions/b.instructions, a.misses/b.misses, a.lastMisses/b.lastMisses)
	if cost := breakEven(a, b); cost > 0 {
		text += fmt.Sprintf("So it is faster if a miss of the last cache costs more than %s instructions. ", short(cost))
	}
	return text, nil
}

// staticStatements compares the work of the methods for the largest number of particles. In the paper
// the novel algorithm is faster for smaller particles, and linked cells (LCM) are faster with fewer
// particles per cell. Linked cells are better for the densest particles (A).
func staticStatements(both [2]staticCurves) []Statement {
	order, dense, times := "", "", ""
	inOrder, worse := true, true
	for _, c := range both {
		a, b, d, one, five, ten := end(c.work[0]), end(c.work[1]), end(c.work[2]), end(c.work[3]), end(c.work[4]), end(c.work[5])
		order += fmt.Sprintf("%dD: %s, %s, %s; %s, %s, %s. ", c.axes, short(a), short(b), short(d), short(one), short(five), short(ten))
		inOrder = inOrder && a > b && b > d && one < five && five < ten
		dense += fmt.Sprintf("%s (%dD), ", short(a/one), c.axes)
		worse = worse && a > one
		times += fmt.Sprintf("%s (%dD), ", short(end(c.times[0])/end(c.times[3])), c.axes)
	}
	n := short(both[0].work[0].X[len(both[0].work[0].X)-1])
	return []Statement{
		counted("R1.order", "smaller particles make novel faster, fewer a cell LCM", "Figure 2: novel is faster for smaller particles, LCM with fewer particles a cell.", "Work a particle, novel A, B, C; LCM 1, 5, 10: "+strings.TrimSpace(order), "in this order", inOrder, Fails, ""),
		counted("R1.dense", "LCM is better for dense particles", "§4: LCM is better for dense particles (A).", fmt.Sprintf("For %s particles novel A needs %s times the work of LCM 1.", n, strings.TrimSuffix(dense, ", ")), "above 1", worse, Fails, "Time, one process: "+strings.TrimSuffix(times, ", ")+".").number(short(end(both[0].work[0])/end(both[0].work[3])) + " times the work"),
	}
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
)

// speed2007 returns the speed of each of two equal particles whose collision has the given overlap.
// The overlap is v·√(m/2k), where v is the relative speed, m the mass of a particle, and k the
// stiffness. The paper states no speeds.
func speed2007(overlap, mass, stiffness float64) float64 {
	return overlap / math.Sqrt(mass/(2*stiffness)) / 2 // each particle has half of the relative speed
}

// disks2007 returns the system of §3.1 with 25·2^k cells of side 7 mm.
func disks2007(ctx context.Context, r *Run, k, n int) (*system, float64, error) {
	const mean, width, cell = 1e-3, 0.5, 7e-3 // mean radius and cell size in meters; width of the distribution of radii, relative to the mean
	s := &system{opt: dem.Options{TimeStep: 1e-7, Stiffness: 1e7, Density: 7000, Workers: r.Threads}}
	// The box has 5×5 cells. Its shorter side is doubled k times (figure 11).
	nx, ny := 5<<((k+1)/2), 5<<(k/2)
	s.size = r3.Vector{X: cell * float64(nx), Y: cell * float64(ny), Z: 0}
	random := rand.New(rand.NewPCG(uint64(n), 11))
	radii, area := make([]float64, n), 0.0
	for i := range radii {
		radii[i] = mean * (1 + width*(2*random.Float64()-1))
		area += math.Pi * radii[i] * radii[i]
	}
	var err error
	s.disks, err = scatterDisks(ctx, random, radii, r2.Point{X: s.size.X, Y: s.size.Y}, 0.005)
	if err != nil {
		return nil, 0, err
	}
	s.velocities = velocities(random, n, speed2007(0.01*mean, s.opt.Density*math.Pi*mean*mean, s.opt.Stiffness))
	return s, area / (s.size.X * s.size.Y), nil
}

// curvesOf collects the measurements of trials: the time and the work of a step for each method.
type curvesOf struct {
	names      []string
	time, work []Series
	table      Table
}

// collect returns the curves over x. Values are divided by per. The table also has the given columns
// of each row.
func collect(table Table, names []string, trials []*trial, x, per []float64, rows [][]any) *curvesOf {
	c := &curvesOf{names: names, time: make([]Series, len(names)), work: make([]Series, len(names)), table: table}
	for i, name := range names {
		c.time[i].Name, c.work[i].Name = name, name
		if countable(name) {
			c.table.Columns = append(c.table.Columns, name+", work")
		}
	}
	for _, name := range names {
		c.table.Columns = append(c.table.Columns, name+", µs")
	}
	for k, t := range trials {
		got := t.results()
		row := append(rows[k], got[0].contacts)
		for i, g := range got {
			c.time[i].AddRange(x[k], 1e6*g.seconds/per[k], 1e6*g.low/per[k], 1e6*g.high/per[k])
			if countable(names[i]) {
				c.work[i].Add(x[k], g.work/per[k])
				row = append(row, g.work/per[k])
			}
		}
		for _, g := range got {
			row = append(row, 1e6*g.seconds/per[k])
		}
		c.table.Add(row...)
	}
	return c
}

// of returns the work of a method.
func (c *curvesOf) of(name string) Series {
	for i, n := range c.names {
		if n == name {
			return c.work[i]
		}
	}
	panic("no method " + name)
}

// figures returns a chart of the work of the methods of the paper, and a chart of the times of these
// methods and of our hierarchical grid. The error bars of the times are the fastest and the slowest turn.
func (c *curvesOf) figures(name, title, x, per string, logX, logY bool) (work, times Figure) {
	work = Figure{Name: name + "-work", Title: title + ": work", X: x, Y: "work " + per, LogX: logX, LogY: logY}
	times = Figure{Name: name, Title: title + ": time", X: x, Y: "µs " + per, LogX: logX, LogY: logY}
	for i, n := range c.names {
		w, t := c.work[i], c.time[i]
		w.Hue, t.Hue = i+1, i+1
		switch {
		case countable(n):
			work.Series = append(work.Series, w)
		case n == methodGrid:
			t.Style = Dashed
		default:
			continue
		}
		times.Series = append(times.Series, t)
	}
	return work, times
}

func last(s Series) float64 { return s.Y[len(s.Y)-1] }

// within reports whether an exponent lies between lo and hi together with its standard error.
func within(p Power, lo, hi float64) bool {
	e := p.Error
	if math.IsNaN(e) {
		e = 0
	}
	return p.Exponent-e >= lo && p.Exponent+e <= hi
}

// runV1 repeats figures 12 and 13 of Muth, Müller, Eberhard, Luding 2007.
func runV1(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{244, 488}, []int{244, 488, 975, 1950}, []int{244, 488, 975, 1950, 3900, 7800})
	steps := pick(r.Size, 3, 300, 1000)
	names := []string{methodVL, methodLLL, methodLC, methodLLLx, methodLCx, methodGrid}
	var trials []*trial
	var rows [][]any
	var x, per []float64
	for k, n := range counts {
		s, fraction, err := disks2007(ctx, r, k, n)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(ctx, fmt.Sprintf("%d particles", n), s, names, 7e-3, 1.5e-3)
		if err != nil {
			return nil, err
		}
		trials, rows = append(trials, t), append(rows, []any{n, fraction})
		x, per = append(x, float64(n)), append(per, 1)
	}
	if err := inTurns(ctx, r, trials, steps); err != nil {
		return nil, err
	}
	c := collect(Table{Name: "V1-steps", Title: "Work and microseconds a step", Long: true, Columns: []string{"particles", "area fraction", "contacts"}}, names, trials, x, per, rows)
	work, times := c.figures("V1-fig12", "In the plane", "number of particles", "a step", true, true)
	vl, lll, lc := c.of(methodVL), c.of(methodLLL), c.of(methodLC)
	vlFit, lllFit, lcFit := fitTail(vl, 0), fitTail(lll, 0), fitTail(lc, 0)
	share := func(i int) string { return short(vl.Y[i] / lc.Y[i]) }
	end := len(counts) - 1
	return &Result{
		Figures: []Figure{work, times}, Tables: []Table{c.table},
		Notes: []string{fmt.Sprintf("All particles start with the speed at which a head-on collision overlaps by 1 %% of a radius. Times are medians of %d steps in turns; bars show the fastest and the slowest turn.", steps)},
		Statements: []Statement{
			counted("V1.linear", "LC and LLL are O(n) in the plane", "§3.1: LC and LLL are O(n) in the plane.", fmt.Sprintf("Exponents of the work: LC %s, LLL %s; of the time: %s, %s.", lcFit, lllFit, fitTail(c.time[2], 0), fitTail(c.time[1], 0)),
				"work .9–1.15", within(lllFit, 0.9, 1.15) && within(lcFit, 0.9, 1.15), Fails, "In small boxes more cells are at walls.").number(fmt.Sprintf("exponent %.2f", max(lcFit.Exponent, lllFit.Exponent))),
			counted("V1.small", "VL is good for small systems", "§4: VL is quite good for rather small systems.", fmt.Sprintf("VL needs %s times the work of LC for %d particles, %s times for %d.", share(0), counts[0], share(end), counts[end]), "below 1 for the smallest", vl.Y[0] < lc.Y[0], Parameters, ""),
			counted("V1.steepest", "VL is the steepest", "§3.1: VL is the steepest.", fmt.Sprintf("Exponent of its work: %s (a build every %d steps).", vlFit, verletSteps), "above LC and LLL", vlFit.Exponent > lcFit.Exponent && vlFit.Exponent > lllFit.Exponent, Parameters, ""),
			steepestRange(rows, vl, lll, lc),
		},
	}, nil
}

// quiet removes the phrase of s if s holds. The summary of the paper then mentions s only if it does
// not hold.
func quiet(s Statement) Statement {
	if s.Verdict == Yes {
		s.Phrase = ""
	}
	return s
}

// steepestRange checks where the curves rise most. A row has the number of particles and the area
// fraction.
func steepestRange(rows [][]any, vl, lll, lc Series) Statement {
	const from, to = 1950, 3900
	holds, ours := true, "Their work rises most"
	for k, s := range []Series{vl, lll, lc} {
		at := steepest(s)
		holds = holds && s.X[at] == from && s.X[at+1] == to
		ours += fmt.Sprintf([]string{" from %.0f for VL", ", from %.0f for LLL", ", from %.0f for LC"}[k], s.X[at])
	}
	var fractions []string
	for _, row := range rows {
		if row[0] == from || row[0] == to {
			fractions = append(fractions, short(row[1].(float64)))
		}
	}
	s := counted("V1.jump", "all curves rise most from 1950 to 3900 particles", "§3.1: all curves rise most from 1950 to 3900 particles, as the density changes.", ours+", to twice as many.", "there", holds, Other, "The paper shows times. Area fractions of "+strings.Join(fractions, " and ")+" (paper: .670–.678) do not explain a jump of the work.")
	if len(fractions) < 2 {
		s.Why, s.Phrase = "", ""
		return s.unchecked()
	}
	return s
}

// steepest returns the index of the point after which a curve has the largest slope in logarithms.
func steepest(s Series) int {
	at, most := 0, math.Inf(-1)
	for i := 1; i < len(s.X); i++ {
		if slope := math.Log(s.Y[i]/s.Y[i-1]) / math.Log(s.X[i]/s.X[i-1]); slope > most {
			at, most = i-1, slope
		}
	}
	return at
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

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
			c.time[i].Add(x[k], 1e6*g.seconds/per[k])
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

// both returns the work of the methods of the paper, and below it their times.
func (c *curvesOf) both(name, title, x, per string, logX, logY bool) Figure {
	f := Figure{Name: name, Title: title, X: x, Y: "work " + per + " [tests], time " + per + " [ns]", LogX: logX, LogY: logY}
	for i, n := range c.names {
		if !countable(n) {
			continue
		}
		s, t := c.work[i], c.time[i]
		s.Name, t.Name = n+", work", n+", time"
		s.Hue, t.Hue, t.Style = i+1, i+1, Dashed
		for k := range t.Y {
			t.Y[k] *= 1e3
		}
		t.Y = append([]float64{}, t.Y...)
		f.Series = append(f.Series, s, t)
	}
	return f
}

func last(s Series) float64 { return s.Y[len(s.Y)-1] }

func within(p Power, lo, hi float64) bool { return p.Exponent >= lo && p.Exponent <= hi }

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
	f := c.both("V1-fig12", "In the plane, area fraction about 0.67: work and time of the methods of the paper", "number of particles", "a step", true, true)
	vl, lll, lc := fitTail(c.of(methodVL), 0), fitTail(c.of(methodLLL), 0), fitTail(c.of(methodLC), 0)
	return &Result{
		Figures: []Figure{f}, Tables: []Table{c.table},
		Notes: []string{fmt.Sprintf("The first box has 25 cells of 7 mm, each further one twice as many. Random radii give area fractions from .65 to .70 (paper: .670–.678). All particles start with one speed, at which two particles that collide head-on overlap by 1 %% of their radius. Times are medians of %d steps, the systems take turns.", steps)},
		Statements: []Statement{
			counted("V1.linear", "LC and LLL are O(n) in the plane", "§3.1, figures 12–13: LC and LLL are O(n).", fmt.Sprintf("Exponents of the work: LC %s, LLL %s.", lc, lll), ".9–1.1 for LLL, .9–1.15 for LC", within(lll, 0.9, 1.1) && within(lc, 0.9, 1.15), Fails,
				fmt.Sprintf("Small boxes have relatively more cells at walls. Exponents of the time: LC %s, LLL %s.", fitTail(c.time[2], 0), fitTail(c.time[1], 0))),
			counted("V1.small", "VL is good for small systems", "§4: VL is quite good for rather small systems.", fmt.Sprintf("For %s particles VL needs %.2f times the work of LC; for %s, %.2f times.", short(x[0]), c.of(methodVL).Y[0]/c.of(methodLC).Y[0], short(x[len(x)-1]), last(c.of(methodVL))/last(c.of(methodLC))), "less than LC for the smallest system", c.of(methodVL).Y[0] < c.of(methodLC).Y[0], Parameters, ""),
			counted("V1.steepest", "VL is the steepest", "§3.1: the curve of VL is the steepest.", fmt.Sprintf("Exponent of the work of VL: %s, with a build from all pairs every %d steps.", vl, verletSteps), "above LC and LLL", vl.Exponent > lc.Exponent && vl.Exponent > lll.Exponent, Parameters, ""),
		},
	}, nil
}

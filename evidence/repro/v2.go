package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// stated2007 holds the exponents that the paper states for figure 14.
var stated2007 = []struct {
	name, short string
	exponent    float64
}{{methodVL, "VL", 1.8}, {methodLLL, "LLL", 1.36}, {methodLC, "LC", 1.15}}

// balls2007 returns the system of §3.2 with n³ balls. A cell of 2 mm contains three balls on
// average, which §2.2 calls a good choice. The paper does not state the size of the box.
func balls2007(ctx context.Context, r *Run, n int) (*system, error) {
	const radius, cell, perCell = 5e-4, 2e-3, 3.0
	s := &system{opt: dem.Options{TimeStep: 1e-5, Stiffness: 1e5, Density: 1e10, Workers: r.Threads}}
	side := float64(n) * cell / math.Cbrt(perCell)
	s.size = r3.Vector{X: side, Y: side, Z: side}
	random := rand.New(rand.NewPCG(uint64(n), 14))
	radii := make([]float64, n*n*n)
	for i := range radii {
		radii[i] = radius
	}
	var err error
	if s.balls, err = scatterBalls(ctx, random, radii, s.size, 0.005); err != nil {
		return nil, err
	}
	s.velocities = velocities(random, len(radii), speed2007(0.01*radius, s.opt.Density*4*math.Pi/3*math.Pow(radius, 3), s.opt.Stiffness))
	return s, nil
}

// runV2 repeats figure 14 of Muth, Müller, Eberhard, Luding 2007.
func runV2(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{4, 6}, []int{8, 13, 18, 23}, []int{8, 13, 18, 23, 28, 33, 39})
	steps := pick(r.Size, 3, 100, 200)
	names := []string{methodVL, methodLLL, methodLC, methodLLLx, methodLCx, methodGrid}
	var trials []*trial
	var systems []*system
	var rows [][]any
	var x, per []float64
	for _, n := range counts {
		s, err := balls2007(ctx, r, n)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(ctx, fmt.Sprintf("%d³ particles", n), s, names, 2e-3, 5e-4)
		if err != nil {
			return nil, err
		}
		trials, rows, systems = append(trials, t), append(rows, []any{n * n * n}), append(systems, s)
		x, per = append(x, float64(n*n*n)), append(per, 1)
	}
	if err := inTurns(ctx, r, trials, steps); err != nil {
		return nil, err
	}
	c := collect(Table{Name: "V2-steps", Title: "Work and microseconds a step", Long: true, Columns: []string{"particles", "contacts"}}, names, trials, x, per, rows)
	work, times := c.figures("V2-fig14", "In space, balls of one size", "number of particles", "a step", true, true)
	sweep, why, chart, err := r.speedsV2(ctx, systems, x)
	if err != nil {
		return nil, err
	}
	cells, err := cellSizes(ctx, systems[len(systems)-1])
	if err != nil {
		return nil, err
	}
	return &Result{Figures: []Figure{work, times, chart}, Tables: []Table{sweep, c.table}, Notes: []string{
		"A cell of 2 mm has three balls on average, as in §2.2. In the sweep all balls move straight, by one length a step.",
	}, Statements: append(statements2007(c, why), cells)}, nil
}

// statements2007 returns the statements about figure 14. The argument says which speed would give the
// exponent of the linked linear list.
func statements2007(c *curvesOf, speed string) []Statement {
	var list []Statement
	var fits []Power
	whys := []string{buildInterval(c.of(methodVL), stated2007[0].exponent), speed, fmt.Sprintf("The paper shows times, which also grow with the memory used: ours have %s. Without walls the count is linear.", fitTail(c.time[2], 0))}
	for i, st := range stated2007 {
		fit := fitTail(c.of(st.name), 0)
		fits = append(fits, fit)
		list = append(list, counted("V2."+[]string{"vl", "lll", "lc"}[i], fmt.Sprintf("%s has the exponent %g", st.short, st.exponent),
			fmt.Sprintf("§3.2: %s has the exponent %g%s.", st.short, st.exponent, []string{", almost quadratic", "", ""}[i]), fmt.Sprintf("Exponent of the work: %s; of the time: %s.", fit, fitTail(c.time[i], 0)),
			"work ±.1", math.Abs(fit.Exponent-st.exponent) < 0.1, []Cause{Parameters, Parameters, Other}[i], whys[i]).number(fmt.Sprintf("exponent %.2f", fit.Exponent)))
	}
	vl, lll, lc := c.of(methodVL), c.of(methodLLL), c.of(methodLC)
	end := len(lc.X) - 1
	return append(list,
		counted("V2.order", "LLL is steeper than LC", "§3.2: VL is steepest, then LLL, then LC.", "Exponents of the work: "+exponents(fits)+".", "exponents of the work in this order", fits[0].Exponent > fits[1].Exponent && fits[1].Exponent > fits[2].Exponent, Parameters, "The paper states no speeds, and LLL makes few exchanges at possible ones."),
		counted("V2.linear", "LC and LLL stay close to linear", "§3.2: LC and LLL remain close to linear.", "Exponents of the work: "+exponents(fits[1:])+".", "exponents of the work at most 1.36", fits[1].Exponent <= 1.36 && fits[2].Exponent <= 1.36, Fails, ""),
		counted("V2.best", "LC has the best performance", "§3.2: LC has the best performance.", fmt.Sprintf("LC needs %s times the work of LLL for %s particles, %s times for %s.", short(lc.Y[0]/lll.Y[0]), short(lc.X[0]), short(lc.Y[end]/lll.Y[end]), short(lc.X[end])),
			"least work for the most particles", lc.Y[end] < lll.Y[end] && lc.Y[end] < vl.Y[end], Kernel, fmt.Sprintf("It has if a unit of LLL's work costs %s units of LC's. The paper scales all curves to one start, so only slopes compare.", short(lc.Y[end]/lll.Y[end]))))
}

// cellSizes counts the work of linked cells of several sizes.
func cellSizes(ctx context.Context, s *system) (Statement, error) {
	sizes := []float64{1e-3, 1.5e-3, 2e-3, 4e-3} // the first is the diameter of a ball
	var works []float64
	var texts []string
	for _, size := range sizes {
		g := newCellGrid[neighbor.Sphere](size)
		if err := g.Update(ctx, s.balls); err != nil {
			return Statement{}, err
		}
		w := workOf(methodLC, g, len(s.balls), 3) / float64(len(s.balls))
		works, texts = append(works, w), append(texts, short(w))
	}
	// Cells have 3 balls for each (2 mm)³, so there are (2 mm/size)³/3 cells for each ball. An empty cell costs
	// no work here.
	cellsA := func(k int) float64 { return math.Pow(2e-3/sizes[k], 3) / 3 }
	needed := (works[1] - works[0]) / (cellsA(0) - cellsA(1))
	least := slices.Min(works)
	return counted("V2.cells", "small cells are inefficient", "§2.4, §4: very small and very large cells are inefficient.", fmt.Sprintf("Cells of 1, 1.5, 2 and 4 mm need %s work a particle.", strings.Join(texts, ", ")), "both ends need more than the least", works[0] > least && works[len(works)-1] > least, Kernel,
		fmt.Sprintf("Cells of 1 mm, the diameter of a ball, need more than those of 1.5 mm if each cell of the box costs %s tests a step; here it costs none.", short(needed))), nil
}

// buildInterval describes the number of steps between two builds with which the work of Verlet
// lists would have the given exponent. The measured work has a build every verletSteps steps.
func buildInterval(s Series, exponent float64) string {
	curve := func(every float64) Series {
		t := Series{X: s.X}
		for i, n := range s.X {
			pairs := n * (n - 1) / 2
			t.Y = append(t.Y, s.Y[i]-pairs/verletSteps+pairs/every)
		}
		return t
	}
	low, high := 1.0, 1e4 // the exponent falls as the interval grows
	if !(fitTail(curve(low), 0).Exponent > exponent && fitTail(curve(high), 0).Exponent < exponent) {
		return fmt.Sprintf("No interval of builds gives %g.", exponent)
	}
	for range 60 {
		if middle := math.Sqrt(low * high); fitTail(curve(middle), 0).Exponent > exponent {
			low = middle
		} else {
			high = middle
		}
	}
	return fmt.Sprintf("A build every %.0f steps, not every %d, gives %g.", low, verletSteps, exponent)
}

// speeds are the lengths of a step in the sweep, in radii.
func (r *Run) speeds() []float64 {
	return pick(r.Size, []float64{1e-3, 1e-1}, []float64{1e-5, 1e-3, 1e-2, 1e-1}, []float64{1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1})
}

// sweepSteps is the number of steps for one speed.
const sweepSteps = 3

// listWork returns the work per step of the linked linear list if all balls move on straight lines by
// the given length per step. Walls reflect them.
func listWork(ctx context.Context, balls []neighbor.Sphere, size r3.Vector, length float64) (float64, error) {
	moved := slices.Clone(balls)
	v := velocities(rand.New(rand.NewPCG(14, 14)), len(balls), length)
	m := neighbor.NewIncrementalSort[neighbor.Sphere](neighbor.SortOptions{Undivided: true, Workers: 1})
	work, _, err := workAlong(ctx, methodLLL, m, moved, 3, sweepSteps, func() {
		for i := range moved {
			c := &moved[i].Center
			reflect(&c.X, &v[i].X, size.X)
			reflect(&c.Y, &v[i].Y, size.Y)
			reflect(&c.Z, &v[i].Z, size.Z)
		}
	})
	return work, err
}

// headOn is the overlap, in radii, of two equal balls that collide head-on, divided by the number of
// radii that each moves in a step. Balls pass through each other if this overlap exceeds 2.
func headOn(opt dem.Options, radius float64) float64 {
	mass := opt.Density * 4 * math.Pi / 3 * radius * radius * radius
	return 2 / opt.TimeStep * math.Sqrt(mass/(2*opt.Stiffness))
}

// speedsV2 finds the speed at which the linked linear list has the stated exponent. The text says
// whether this speed is possible.
func (r *Run) speedsV2(ctx context.Context, systems []*system, x []float64) (table Table, text string, f Figure, err error) {
	const radius = 5e-4
	stated, overlap := stated2007[1].exponent, headOn(systems[0].opt, radius)
	table = Table{Name: "V2-sweep", Long: true, Title: "Exponent of the work of LLL by the length of a step, with the overlap of two balls that collide head-on", Columns: []string{"radii a step", "overlap, radii", "exponent", "work a particle, largest system"}}
	curve := Series{Name: "LLL, counted"}
	line := Series{Name: fmt.Sprintf("the paper: %g", stated), Style: Prediction, Hue: 2}
	for _, length := range r.speeds() {
		s := Series{X: x}
		for _, y := range systems {
			w, err := listWork(ctx, y.balls, y.size, length*radius)
			if err != nil {
				return table, "", f, err
			}
			s.Y = append(s.Y, w)
		}
		p := fitTail(s, 0)
		table.Add(length, length*overlap, p.Exponent, s.Y[len(s.Y)-1]/x[len(x)-1])
		curve.Add(length, p.Exponent)
		line.Add(length, stated)
	}
	f = Figure{Name: "V2-speeds", Title: "Linked linear list: exponent of the work by speed", X: "length of a step [radii]", Y: "exponent", LogX: true, Series: []Series{curve, line}}
	at := crossings(curve, line)
	if len(at) == 0 {
		return table, fmt.Sprintf("No speed gives %g.", stated), f, nil
	}
	return table, fmt.Sprintf("Only a speed of %s radii a step gives %g: %s.", short(at[0]), stated, possible(at[0]*overlap)), f, nil
}

// possible says whether balls can have a speed at which a head-on collision has the given overlap.
func possible(overlap float64) string {
	if overlap < 2 {
		return fmt.Sprintf("a head-on collision would overlap by %s radii", short(overlap))
	}
	return fmt.Sprintf("impossible, as a head-on collision would overlap by %s radii with the stated stiffness", short(overlap))
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// stated2007 holds the exponents that the paper states for figure 14.
var stated2007 = []struct {
	name     string
	exponent float64
}{{methodVL, 1.8}, {methodLLL, 1.36}, {methodLC, 1.15}}

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
	f := c.both("V2-fig14", "In space, balls of one size: work and time of the methods of the paper", "number of particles", "a step", true, true)
	var fits []Power
	for _, name := range names[:3] {
		fits = append(fits, fitTail(c.of(name), 0))
	}
	vl, lll, lc := fits[0], fits[1], fits[2]
	sweep, table, chart, err := r.speedsV2(ctx, systems, x)
	if err != nil {
		return nil, err
	}
	builds := buildInterval(c.of(methodVL), 1.8)
	res := &Result{Figures: []Figure{f, chart}, Tables: []Table{table, c.table}, Notes: []string{
		"The paper does not state the box. Here a cell of 2 mm has three balls on average, which §2.2 calls a good choice; ν is .196.",
		"The sweep moves all balls on straight lines by the same length a step, with reflection at the walls.",
	}}
	causes := []Cause{Parameters, Parameters, Kernel}
	whys := []string{
		fmt.Sprintf("%s With builds every 100 steps the exponent only depends on the numbers of particles.", builds),
		sweep,
		"In an infinite box the count is linear; walls add the rest. Times also grow with the memory that a step touches.",
	}
	for i, st := range stated2007 {
		res.Statements = append(res.Statements, counted("V2."+[]string{"vl", "lll", "lc"}[i], fmt.Sprintf("the %s has the exponent %g", st.name, st.exponent),
			fmt.Sprintf("§3.2, figure 14: the %s has the exponent %g.", st.name, st.exponent), fmt.Sprintf("Exponent of the work: %s; of the time: %s.", fits[i], fitTail(c.time[i], 0)),
			"±.1", math.Abs(fits[i].Exponent-st.exponent) < 0.1, causes[i], whys[i]))
	}
	res.Statements = append(res.Statements,
		counted("V2.order", "", "§3.2: VL is the steepest, then LLL, then LC.", fmt.Sprintf("Exponents of the work in this order: %s, %s, %s.", vl, lll, lc), "in this order", vl.Exponent > lll.Exponent && lll.Exponent > lc.Exponent, Parameters, "At the speeds here LLL makes few exchanges, so it is the least steep. See V2.lll."),
		counted("V2.linear", "LC and LLL stay close to linear unlike VL", "§3.2: LC and LLL remain close to linear, VL is almost quadratic.", fmt.Sprintf("LC %s, LLL %s, VL %s.", lc, lll, vl), "LC and LLL below 1.4, VL more", lc.Exponent < 1.4 && lll.Exponent < 1.4 && vl.Exponent > max(lc.Exponent, lll.Exponent), Parameters, ""),
	)
	return res, nil
}

// buildInterval describes the number of steps between two builds for which the work of Verlet lists
// has the given exponent. The measured work is with a build every verletSteps steps.
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
		return fmt.Sprintf("No interval of builds gives %g for these numbers of particles.", exponent)
	}
	for range 60 {
		if middle := math.Sqrt(low * high); fitTail(curve(middle), 0).Exponent > exponent {
			low = middle
		} else {
			high = middle
		}
	}
	return fmt.Sprintf("With a build every %.0f steps it would be %g.", low, exponent)
}

// speeds are the lengths of a step in the sweep, in radii.
func (r *Run) speeds() []float64 {
	return pick(r.Size, []float64{1e-3, 1e-1}, []float64{1e-5, 1e-3, 1e-2, 1e-1}, []float64{1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1})
}

// sweepSteps is the number of steps for one speed.
const sweepSteps = 3

// listWork returns the work a step of the linked linear list if all balls move on straight lines by
// the given length a step. Walls reflect them.
func listWork(ctx context.Context, balls []neighbor.Sphere, size r3.Vector, length float64) (float64, error) {
	moved := append([]neighbor.Sphere{}, balls...)
	v := velocities(rand.New(rand.NewPCG(14, 14)), len(balls), length)
	m := neighbor.NewIncrementalSort[neighbor.Sphere](neighbor.SortOptions{Undivided: true, Workers: 1})
	if err := m.Update(ctx, moved); err != nil {
		return 0, err
	}
	before := workOf(methodLLL, m, len(balls), 3)
	for range sweepSteps {
		for i := range moved {
			c := &moved[i].Center
			reflect(&c.X, &v[i].X, size.X)
			reflect(&c.Y, &v[i].Y, size.Y)
			reflect(&c.Z, &v[i].Z, size.Z)
		}
		if err := m.Update(ctx, moved); err != nil {
			return 0, err
		}
	}
	return (workOf(methodLLL, m, len(balls), 3) - before) / sweepSteps, nil
}

// reflect moves x by v and keeps it between 0 and size.
func reflect(x, v *float64, size float64) {
	*x += *v
	if *x < 0 || *x > size {
		*v = -*v
		*x = math.Max(0, math.Min(size, *x+2**v))
	}
}

// overlapAt returns the overlap of two balls of §3.2 that collide head-on, in radii, if each moves by
// the given number of radii a step.
func overlapAt(length float64) float64 {
	const radius, stiffness, density, step = 5e-4, 1e5, 1e10, 1e-5
	mass := density * 4 * math.Pi / 3 * radius * radius * radius
	return 2 * length / step * math.Sqrt(mass/(2*stiffness))
}

// speedsV2 finds the speed at which the linked linear list has the stated exponent.
func (r *Run) speedsV2(ctx context.Context, systems []*system, x []float64) (text string, table Table, f Figure, err error) {
	const stated = 1.36
	table = Table{Name: "V2-sweep", Long: true, Title: "Exponent of the work of LLL by the length of a step, with the overlap of two balls that collide head-on", Columns: []string{"radii a step", "overlap, radii", "exponent", "work a particle, largest system"}}
	curve := Series{Name: "LLL, counted"}
	line := Series{Name: "the paper: 1.36", Style: Prediction, Hue: 2}
	for _, length := range r.speeds() {
		s := Series{X: x}
		for _, y := range systems {
			w, err := listWork(ctx, y.balls, y.size, length*5e-4)
			if err != nil {
				return "", table, f, err
			}
			s.Y = append(s.Y, w)
		}
		p := fitTail(s, 0)
		table.Add(length, overlapAt(length), p.Exponent, s.Y[len(s.Y)-1]/x[len(x)-1])
		curve.Add(length, p.Exponent)
		line.Add(length, stated)
	}
	f = Figure{Name: "V2-speeds", Title: "Linked linear list: exponent of the work by the length of a step", X: "length of a step [radii]", Y: "exponent", LogX: true, Series: []Series{curve, line}}
	at := crossings(curve, line)
	if len(at) == 0 {
		return fmt.Sprintf("No speed gives %g: exponents of %s to %s.", stated, short(curve.Y[0]), short(curve.Y[len(curve.Y)-1])), table, f, nil
	}
	return fmt.Sprintf("%g appears if balls move by %s radii a step. Balls that collide at this speed would overlap by %s radii with the stated stiffness, mass and time step.", stated, short(at[0]), short(overlapAt(at[0]))), table, f, nil
}

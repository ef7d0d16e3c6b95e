package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
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
	steps := pick(r.Size, 3, 300, 300)
	names := []string{methodVL, methodLLL, methodLC, methodLLLx, methodLCx, methodGrid}
	curves := make([]Series, len(names))
	table := Table{Name: "V2-times", Title: "Milliseconds per step", Columns: []string{"particles", "contacts"}}
	for i, name := range names {
		curves[i].Name = name
		table.Columns = append(table.Columns, name)
	}
	var trials []*trial
	for _, n := range counts {
		s, err := balls2007(ctx, r, n)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(ctx, fmt.Sprintf("%d³ particles", n), s, names, 2e-3, 5e-4)
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	if err := inTurns(ctx, r, trials, steps); err != nil {
		return nil, err
	}
	for k, n := range counts {
		got := trials[k].results()
		row := []any{n * n * n, got[0].contacts}
		for i := range got {
			curves[i].Add(float64(n*n*n), got[i].seconds)
			row = append(row, 1e3*got[i].seconds)
		}
		table.Add(row...)
	}
	f := Figure{Name: "V2-fig14", Title: "In space, balls of one size: three methods of the paper, ours, and the stated exponents", X: "number of particles", Y: "computation time [s a step]", LogX: true, LogY: true, Series: curves}
	for i, st := range stated2007 { // add a line with the exponent of the paper through the first point of the curve
		x, y := curves[i].X, curves[i].Y[0]
		s := Series{Name: fmt.Sprintf("the paper: n^%g", st.exponent), Style: Prediction, Hue: i + 1}
		for _, v := range x {
			s.Add(v, y*math.Pow(v/x[0], st.exponent))
		}
		f.Series = append(f.Series, s)
	}
	res := &Result{Figures: []Figure{f}, Tables: []Table{table}, Notes: append(lockstepNotes(steps, true, "particles"),
		"The paper does not state the size of the box. Here a cell of 2 mm contains three balls on average, which §2.2 calls a good choice. The volume fraction is .196.")}
	var fits []Power
	slopes := Table{Name: "V2-exponents", Title: "Exponents from a regression of the times", Columns: []string{"method", "the paper", "measured", "standard error"}}
	for i, name := range names {
		p := fitTail(curves[i], 0)
		fits = append(fits, p)
		stated := any("–")
		if i < len(stated2007) {
			stated = stated2007[i].exponent
		}
		slopes.Add(name, stated, p.Exponent, p.Error)
	}
	res.Tables = append(res.Tables, slopes)
	for i, st := range stated2007 {
		res.Statements = append(res.Statements, Statement{fmt.Sprintf("The %s method has the exponent %g.", st.name, st.exponent), fits[i].String(),
			verdict(math.Abs(fits[i].Exponent-st.exponent) < 0.1)})
	}
	res.Statements = append(res.Statements,
		Statement{"The Verlet list is the steepest, the linked linear list is the second steepest, and linked cell is the least steep.", fmt.Sprintf("In this order, the exponents are %s, %s and %s.", fits[0], fits[1], fits[2]),
			verdict(fits[0].Exponent > fits[1].Exponent && fits[1].Exponent > fits[2].Exponent)},
		sameContacts(steps, len(counts)))
	return res, nil
}

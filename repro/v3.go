package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
)

// fractured2007 holds the numbers of balls that stay whole in §3.3. There are 1000 balls of radius
// R. Each ball that does not stay whole becomes ratio³ balls of radius R/ratio. The totals are
// 1000, 4451, 14676, 32374 and 65480.
var fractured2007 = []struct{ ratio, whole int }{{1, 1000}, {2, 507}, {3, 474}, {4, 502}, {5, 480}}

// fracture2007 returns the system of §3.3. An edge of the box is ten cells of size .033 long. The
// volume fraction is .117, which the paper rounds to .12.
func fracture2007(ctx context.Context, r *Run, ratio, whole int) (*system, error) {
	const radius, cell = 0.01, 0.033
	s := &system{opt: dem.Options{TimeStep: 4e-7, Stiffness: 4e6, Density: 7000, Workers: r.Threads}}
	s.size = r3.Vector{X: 10 * cell, Y: 10 * cell, Z: 10 * cell}
	random := rand.New(rand.NewPCG(uint64(ratio), 16))
	var radii []float64
	for i := range 1000 {
		if i < whole {
			radii = append(radii, radius)
			continue
		}
		for range ratio * ratio * ratio {
			radii = append(radii, radius/float64(ratio))
		}
	}
	var err error
	if s.balls, err = scatterBalls(ctx, random, radii, s.size, 0.005); err != nil {
		return nil, err
	}
	s.velocities = velocities(random, len(radii), speed2007(0.01*radius, s.opt.Density*4*math.Pi/3*math.Pow(radius, 3), s.opt.Stiffness))
	return s, nil
}

// runV3 repeats figure 16 of Muth, Müller, Eberhard, Luding 2007.
func runV3(ctx context.Context, r *Run) (*Result, error) {
	systems := fractured2007[:pick(r.Size, 2, 3, 5)]
	steps := pick(r.Size, 2, 50, 200)
	names := []string{methodLC, methodLLL, methodLLLx, methodLCx, methodGrid}
	curves := make([]Series, len(names))
	table := Table{Name: "V3-times", Title: "Microseconds per particle and step", Columns: []string{"R/r", "particles", "contacts"}}
	for i, name := range names {
		curves[i].Name = name
		table.Columns = append(table.Columns, name)
	}
	var trials []*trial
	var counts []int
	for _, f := range systems {
		s, err := fracture2007(ctx, r, f.ratio, f.whole)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(ctx, fmt.Sprintf("R/r = %d", f.ratio), s, names, 0.033, 0.01)
		if err != nil {
			return nil, err
		}
		trials, counts = append(trials, t), append(counts, len(s.balls))
	}
	if err := inTurns(ctx, r, trials, steps); err != nil {
		return nil, err
	}
	for k, f := range systems {
		got := trials[k].results()
		n := float64(counts[k])
		row := []any{f.ratio, counts[k], got[0].contacts}
		for i := range got {
			curves[i].Add(float64(f.ratio), 1e6*got[i].seconds/n)
			row = append(row, 1e6*got[i].seconds/n)
		}
		table.Add(row...)
	}
	last := len(systems) - 1
	rise := func(s Series) float64 { return s.Y[last] / s.Y[0] }
	cross := crossings(curves[1], curves[0])
	return &Result{
		Figures: []Figure{{Name: "V3-fig16", Title: "In space, fractured particles, volume fraction 0.12: time by the ratio of sizes", X: "R/r", Y: "time a particle and step [µs]", LogY: true, Series: curves}},
		Tables:  []Table{table}, Notes: append(lockstepNotes(steps, false, "particles of radius R"), "The time axis of the paper's figure is linear. Here it is logarithmic, so that the flat curves can be distinguished."),
		Statements: []Statement{
			{"The curves of linked cell and linked linear list cross near R/r = 2.5. The list is faster for wide ranges of size.", "The linked linear list is faster than linked cell in this range of R/r: " + crossingText(curves[1], curves[0]),
				verdict(len(cross) == 1 && curves[1].Y[0] > curves[0].Y[0] && math.Abs(cross[0]-2.5) < 0.5)},
			{"The curve of linked cell over R/r rises more than the curve of the linked linear list.", fmt.Sprintf("From the smallest to the largest R/r, the time per particle and step grows by these factors: linked cell %s, linked linear list %s, linked linear list in regions %s, pruned linked cell %s, hierarchical grid %s.",
				short(rise(curves[0])), short(rise(curves[1])), short(rise(curves[2])), short(rise(curves[3])), short(rise(curves[4]))), verdict(rise(curves[0]) > rise(curves[1]))},
			sameContacts(steps, len(systems)),
		},
	}, nil
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

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
	steps := pick(r.Size, 2, 30, 100)
	names := []string{methodLC, methodLLL, methodLLLx, methodLCx, methodGrid}
	var trials []*trial
	var states []*system
	var rows [][]any
	var x, per []float64
	for _, f := range systems {
		s, err := fracture2007(ctx, r, f.ratio, f.whole)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(ctx, fmt.Sprintf("R/r = %d", f.ratio), s, names, 0.033, 0.01)
		if err != nil {
			return nil, err
		}
		trials, states, rows = append(trials, t), append(states, s), append(rows, []any{f.ratio, len(s.balls)})
		x, per = append(x, float64(f.ratio)), append(per, float64(len(s.balls)))
	}
	if err := inTurns(ctx, r, trials, steps); err != nil {
		return nil, err
	}
	c := collect(Table{Name: "V3-steps", Title: "Work and microseconds a particle and step", Long: true, Columns: []string{"R/r", "particles", "contacts"}}, names, trials, x, per, rows)
	work, times := c.figures("V3-fig16", "In space, fractured particles", "R/r, ratio of the radii", "a particle and step", false, true)
	lc, lll := c.of(methodLC), c.of(methodLLL)
	sweep, text, err := r.speedsV3(ctx, states, lc)
	if err != nil {
		return nil, err
	}
	end := len(systems) - 1
	rise := func(s Series) float64 { return s.Y[end] / s.Y[0] }
	cross, crossed := crossings(lll, lc), "no crossing"
	if len(cross) > 0 {
		crossed = "R/r = " + short(cross[0])
	}
	return &Result{
		Figures: []Figure{work, times}, Tables: []Table{sweep, c.table},
		Statements: []Statement{
			counted("V3.cross", "LC and LLL cross near R/r = 2.5", "§3.3: unscaled, LC and LLL cross near R/r = 2.5; LC is better for one size.", "LLL needs less work "+crossingText(lll, lc)+".",
				"one crossing, 2–3, LC better for one size", len(cross) == 1 && lll.Y[0] > lc.Y[0] && math.Abs(cross[0]-crossing2007) < 0.5, Kernel, text).number(crossed),
			counted("V3.rise", "LC suffers from wide ranges unlike LLL", "§3.3: over R/r, LC rises a lot more than LLL.", fmt.Sprintf("From R/r = 1 to %d LC's work a particle grows by %s, LLL's by %s; the times by %s and %s.", systems[end].ratio, short(rise(lc)), short(rise(lll)), short(rise(c.time[0])), short(rise(c.time[1]))),
				"LC by twice as much", rise(lc) > 2*rise(lll), Fails, "").number(fmt.Sprintf("LC rises %s times as much", short(rise(lc)/rise(lll)))),
		},
		Notes: []string{fmt.Sprintf("Cells have the stated edge, .033: 1 to %.0f particles on average.", per[end]/1000)},
	}, nil
}

// crossing2007 is the ratio R/r at which the curves of the paper cross.
const crossing2007 = 2.5

// speedsV3 counts the linked linear list at several speeds. For each speed, the table has the range
// in which the list needs less work than linked cells. The table also has the cost of a unit of the
// list's work that gives a crossing at 2.5. The text says whether a speed exists at which this cost
// is 1.
func (r *Run) speedsV3(ctx context.Context, states []*system, lc Series) (Table, string, error) {
	t := Table{Name: "V3-speeds", Long: true, Title: "LLL against LC by the length of a step: where LLL needs less work, and the cost of a unit of LLL's work (in units of LC's) with which the curves cross at 2.5", Columns: []string{"radii R a step", "LLL needs less work", "cost for 2.5", "LLL needs less then"}}
	least, most := math.Inf(1), 0.0
	speeds := r.speeds()
	slow, fast := 0.0, 0.0 // successive speeds whose costs are above and below 1; faster speeds are not considered
	for i, length := range speeds {
		s, err := listWorks(ctx, states, lc.X, length)
		if err != nil {
			return t, "", err
		}
		cost := valueAt(lc, crossing2007) / valueAt(s, crossing2007)
		scaled := Series{X: s.X}
		for _, y := range s.Y {
			scaled.Y = append(scaled.Y, cost*y)
		}
		if len(crossings(scaled, lc)) == 1 && scaled.Y[0] > lc.Y[0] { // linked cells are better for one size
			least, most = math.Min(least, cost), math.Max(most, cost)
		}
		t.Add(length, crossingText(s, lc), cost, crossingText(scaled, lc))
		if cost < 1 && i > 0 {
			slow, fast = speeds[i-1], length
			break
		}
	}
	text := ""
	if slow > 0 {
		at, below, err := equalCost(ctx, states, lc, slow, fast)
		if err != nil {
			return t, "", err
		}
		text = fmt.Sprintf("They cross at %g if balls move by %s radii a step: %s; LLL then needs less work %s. ", crossing2007, short(at), possible(at*headOn(states[0].opt, 0.01)), below)
	}
	if most > 0 {
		text += fmt.Sprintf("At slower speeds they cross there if a unit of LLL's work costs %s to %s units of LC's.", short(least), short(most))
	}
	return t, strings.TrimSpace(text), nil
}

// listWorks returns the work per particle of the linked linear list for all systems.
func listWorks(ctx context.Context, states []*system, x []float64, length float64) (Series, error) {
	s := Series{X: x[:len(states)]}
	for _, y := range states {
		w, err := listWork(ctx, y.balls, y.size, length*0.01)
		if err != nil {
			return s, err
		}
		s.Y = append(s.Y, w/float64(len(y.balls)))
	}
	return s, nil
}

// equalCost bisects the speed at which the curves of the linked linear list and of linked cells cross
// at 2.5 if a unit of their work costs the same. It also returns the ranges in which the list needs
// less work at this speed.
func equalCost(ctx context.Context, states []*system, lc Series, slow, fast float64) (at float64, below string, err error) {
	near := min(3, len(states)) // at a ratio of 2.5, only the systems up to R/r = 3 matter
	for fast/slow > 1.001 {
		at = math.Sqrt(slow * fast)
		s, err := listWorks(ctx, states[:near], lc.X, at)
		if err != nil {
			return 0, "", err
		}
		if valueAt(s, crossing2007) < valueAt(lc, crossing2007) {
			slow = at
		} else {
			fast = at
		}
	}
	at = math.Sqrt(slow * fast)
	s, err := listWorks(ctx, states, lc.X, at)
	return at, crossingText(s, lc), err
}

// valueAt interpolates a curve at x, linearly in the logarithms.
func valueAt(s Series, x float64) float64 {
	for i := 1; i < len(s.X); i++ {
		if x <= s.X[i] || i == len(s.X)-1 {
			t := (math.Log(x) - math.Log(s.X[i-1])) / (math.Log(s.X[i]) - math.Log(s.X[i-1]))
			return math.Exp(math.Log(s.Y[i-1])*(1-t) + math.Log(s.Y[i])*t)
		}
	}
	return s.Y[0]
}

package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly/neighbor"
)

// related holds the measurements of one packing of H2.
type related struct {
	counts  leveled
	seconds [2]float64 // a step with cells and with our grid
	saved   float64    // work of one level divided by the work with the levels used
}

// runH2 repeats figure 5 of Ogarko and Luding 2012: the work of a step, divided by the work for the
// same number of balls of equal size.
func runH2(ctx context.Context, r *Run) (*Result, error) {
	fraction, counts, systems := r.relative2012()
	f := Figure{Name: "H2-fig5", Title: fmt.Sprintf("Work of a search relative to balls of one size, ν = %g", fraction), X: "number of particles N", Y: "work relative to one size", LogX: true}
	table := Table{Name: "H2-counts", Long: true, Title: "Counts a particle and step, work relative to one size (mono), and ms a step (not judged)",
		Columns: []string{"packing", "levels", "tests", "cells", "work", "relative", "cells: ms", "ours: ms"}}
	mono := Series{Name: "mono"}
	curves := make([]Series, len(systems))
	totals := make([]Series, len(systems))
	for k, s := range systems {
		curves[k] = Series{Name: fmt.Sprintf("%s, ω = %g", s.kind, s.ratio), Hue: k + 1}
	}
	ends := map[string]related{} // the largest systems
	r.progress.plan(len(counts) * (1 + len(systems)))
	for _, n := range counts {
		base, err := r.relate(ctx, r.scaled("mono", 1, n, fraction), nil, &table)
		if err != nil {
			return nil, err
		}
		mono.Add(float64(n), base.counts.work())
		for k, s := range systems {
			if !realizable(s.kind, s.ratio, n) {
				continue
			}
			got, err := r.relate(ctx, r.scaled(s.kind, s.ratio, n, fraction), &base, &table)
			if err != nil {
				return nil, err
			}
			curves[k].Add(float64(n), got.counts.work()/base.counts.work())
			totals[k].Add(float64(n), got.counts.work())
			ends[curves[k].Name] = got
		}
	}
	spread, largest, text := 0.0, 0.0, ""
	for _, c := range curves {
		if len(c.X) == 0 {
			continue
		}
		f.Series = append(f.Series, c)
		mean, own := 0.0, 0.0
		for _, y := range c.Y {
			mean += y / float64(len(c.Y))
		}
		for _, y := range c.Y {
			own, largest = math.Max(own, math.Abs(y/mean-1)), math.Max(largest, y)
		}
		if len(c.Y) > 1 {
			spread = math.Max(spread, own)
			text += fmt.Sprintf("%s ±%.0f %%; ", c.Name, 100*own)
		}
	}
	slope := fitTail(mono, 0)
	linear := fmt.Sprintf("mono %s", slope)
	holds := len(mono.X) < 2 || within(slope, 0.9, 1.1)
	for k, t := range totals {
		if len(t.X) > 1 {
			p := fitTail(t, 0)
			linear += fmt.Sprintf(", %s %s", curves[k].Name, p)
			holds = holds && within(p, 0.9, 1.1)
		}
	}
	list := []Statement{
		counted("H2.linear", "the search is O(N)", "§4.3: the time is O(N).", "Exponents of the work over N: "+linear+".", ".9–1.1", holds, Fails, "Small systems have fewer neighbors: more of their cells are at walls.").number(fmt.Sprintf("exponent %.2f", slope.Exponent)),
		counted("H2.constant", "the work relative to one size is constant", "Figure 5: the time relative to one size is constant within ±10 %.", "Largest deviations of the work from the mean: "+strings.TrimSuffix(text, "; ")+".", "±10 %", spread <= 0.1, Fails, ""),
		counted("H2.near", "wide ranges cost little more than one size", "§4.3: the time is close to that of one size; the largest difference is about 50 % (UV, ω = 10).", fmt.Sprintf("The largest ratio of work is %.2f.", largest), "below 1.6", largest < 1.6, Kernel,
			"Work is of the search alone. The paper's steps also have forces and integration, which bring ratios nearer to 1."),
	}
	list = append(list, wider(ends), twoLevels(ends))
	if len(counts) < 3 { // too few for a slope
		for i := range list[:3] {
			list[i] = list[i].unchecked()
		}
	}
	return &Result{Figures: []Figure{f}, Tables: []Table{table}, Statements: list, Notes: []string{
		"Two sizes (bi) need at least 1 + ω³ balls; fewer than about 5,000 of one size do not reach ν = .62 between walls. Cells have one level for one size, two for two, and the recipe's for UV.",
	}}, nil
}

// wider compares the largest systems with the size ratios 10 and 50, for all K that the paper states.
func wider(ends map[string]related) Statement {
	const id, phrase, paper, limit = "H2.wider", "a wider range costs less", "§4.3: the time falls with ω at constant ν.", "below 1"
	var ours []string
	least, most := math.Inf(1), 0.0
	for _, kind := range []string{"UV", "bi"} {
		narrow, wide := ends[kind+", ω = 10"].counts, ends[kind+", ω = 50"].counts
		if narrow.n == 0 || wide.n == 0 || narrow.n != wide.n {
			return counted(id, phrase, paper, "ω = 50 needs more balls.", limit, false, Fails, "").unchecked()
		}
		ratio := func(k float64) float64 { return (wide.tests + k*wide.visits) / (narrow.tests + k*narrow.visits) }
		low, high := min(ratio(leastOverhead), ratio(mostOverhead)), max(ratio(leastOverhead), ratio(mostOverhead))
		ours = append(ours, fmt.Sprintf("%.2f–%.2f (%s)", low, high, kind))
		if high > most {
			least, most = low, high
		}
	}
	cause, why := Kernel, ""
	if least < 1 && most >= 1 {
		cause, why = Parameters, "ω = 50 has more tests and fewer cells, so K decides. Forces and integration are not counted."
	}
	return counted(id, phrase, paper, "Work for ω = 50 / ω = 10, largest systems, K from .2 to .45: "+strings.Join(ours, ", ")+".", limit, most < 1, cause, why)
}

// twoLevels compares two levels with one for two sizes and the largest size ratio.
func twoLevels(ends map[string]related) Statement {
	const id, phrase, paper, limit = "H2.two", "two levels are much better for two sizes", "§2.3: for two sizes with ω > 10, two levels are a significant improvement.", "at least 2"
	gain := ends["bi, ω = 50"].saved
	if gain == 0 {
		return counted(id, phrase, paper, "ω = 50 needs more balls.", limit, false, Fails, "").unchecked()
	}
	return counted(id, phrase, paper, fmt.Sprintf("ω = 50: one level needs %s times the work of two.", short(gain)), limit, gain >= 2, Fails, "")
}

// relative2012 returns the volume fraction, the numbers of balls and the systems of H2. With balls of
// one size between walls, a fraction of .62 needs at least about 5,000 balls.
func (r *Run) relative2012() (fraction float64, counts []int, systems []packingSpec) {
	return pick(r.Size, 0.1, 0.5, 0.62), pick(r.Size, []int{1100}, []int{1001, 4004}, []int{8008, 16016, 32032, 64064, 125001}),
		[]packingSpec{{kind: "bi", ratio: 10}, {kind: "bi", ratio: 50}, {kind: "UV", ratio: 10}, {kind: "UV", ratio: 50}}
}

// scaled returns the description of a packing of H2.
func (r *Run) scaled(kind string, ratio float64, n int, fraction float64) packingSpec {
	return packingSpec{kind, ratio, n, fraction, pick(r.Size, 5, 300, 500)}
}

// realizable reports whether n balls suffice for a kind of packing. Two sizes need at least one
// large ball. Uniform volume (UV) needs many balls, because the largest ball must have only a small
// part of the volume.
func realizable(kind string, ratio float64, n int) bool {
	if kind == "bi" {
		return float64(n) >= 1+ratio*ratio*ratio
	}
	// If the radii have the density r⁻³ from 1 to ω, Σ r³ is n·2(ω−1)/(1−ω⁻²) ≥ n·2(ω−1). The
	// largest ball has r³ = ω³. This must be at most a tenth of Σ r³.
	return float64(n)*2*(ratio-1) >= 10*ratio*ratio*ratio
}

// relate counts a step of the packing, and measures it.
func (r *Run) relate(ctx context.Context, spec packingSpec, base *related, table *Table) (related, error) {
	var got related
	p, err := r.packing(ctx, spec)
	if err != nil {
		return got, err
	}
	r.progress.step(spec.String())
	var sizes []float64
	switch spec.kind {
	case "mono":
		sizes = neighbor.LevelSizes(p.radii(), 1, 3, 1)
	case "bi":
		sizes = neighbor.LevelSizes(p.radii(), 1, 3, 2)
	default:
		sizes = neighbor.OptimalLevels(p.radii(), 1, 3)
	}
	contacts, err := contactsOf(ctx, p.balls)
	if err != nil {
		return got, err
	}
	if got.counts, err = countLevels(ctx, p.balls, paperGrid(sizes), contacts); err != nil {
		return got, fmt.Errorf("%s: %w", spec, err)
	}
	tests, visits := countOneLevel(p.balls, sizes[len(sizes)-1])
	got.saved = (tests + overhead*visits) / got.counts.work()
	for i, m := range []neighbor.Method[neighbor.Sphere]{paperGrid(sizes), ourGrid(sizes, r.Threads)} {
		w, err := p.world(ctx, m, r.Threads)
		if err != nil {
			return got, err
		}
		t, err := r.phases(ctx, func() error { return w.Step(ctx) })
		if err != nil {
			return got, err
		}
		got.seconds[i] = t[0]
	}
	if base == nil {
		base = &got
	}
	c := got.counts
	table.Add(spec.String(), len(sizes), c.tests/c.n, c.visits/c.n, c.work()/c.n, c.work()/base.counts.work(), 1e3*got.seconds[0], 1e3*got.seconds[1])
	return got, nil
}

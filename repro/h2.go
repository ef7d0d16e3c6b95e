package main

import (
	"context"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/neighbor"
)

// runH2 repeats figure 5 of Ogarko and Luding 2012: the time of a step, divided by the time of a
// step with the same number of balls of one size.
func runH2(ctx context.Context, r *Run) (*Result, error) {
	fraction, counts, systems := r.relative2012()
	f := Figure{Name: "H2-fig5", Title: fmt.Sprintf("Time of a step relative to particles of one size, ν = %g: cells against our grid", fraction), X: "number of particles N", Y: "T relative to monodisperse", LogX: true}
	table := Table{Name: "H2-times", Title: "Seconds (s) per step, and the ratio to the time for one size (mono). The last column is the time to make the packing", Columns: []string{"packing", "levels", "cells: s a step", "cells: relative", "ours: s a step", "ours: relative", "s to make"}}
	curves := make([]Series, 2*len(systems))
	for k, s := range systems {
		curves[2*k] = Series{Name: fmt.Sprintf("%s, ω = %g, cells", s.kind, s.ratio), Hue: k + 1}
		curves[2*k+1] = Series{Name: fmt.Sprintf("%s, ω = %g, ours", s.kind, s.ratio), Hue: k + 1, Style: Dashed}
	}
	// mono holds two curves for balls of one size: the seconds of a step as a function of the
	// number of balls. A fit of these curves tests whether the seconds are linear.
	mono := [2]Series{{Name: "cells"}, {Name: "ours"}}
	r.progress.plan(2 * r.placements() * len(counts) * (1 + len(systems)))
	for _, n := range counts {
		base, err := r.relativeStep(ctx, r.scaled("mono", 1, n, fraction), &table, nil)
		if err != nil {
			return nil, err
		}
		for i := range mono {
			mono[i].Add(float64(n), base[i])
		}
		for k, s := range systems {
			if !realizable(s.kind, s.ratio, n) {
				continue
			}
			got, err := r.relativeStep(ctx, r.scaled(s.kind, s.ratio, n, fraction), &table, base)
			if err != nil {
				return nil, err
			}
			for i := range got {
				curves[2*k+i].Add(float64(n), got[i]/base[i])
			}
		}
	}
	spread, largest := 0.0, 0.0
	var deviations [2]string // for “cells” and “ours”
	for i, c := range curves {
		if len(c.X) == 0 {
			continue
		}
		f.Series = append(f.Series, c)
		mean := 0.0
		for _, y := range c.Y {
			mean += y / float64(len(c.Y))
		}
		own := 0.0
		for _, y := range c.Y {
			own = math.Max(own, math.Abs(y/mean-1))
			if c.Style == Measured {
				largest = math.Max(largest, y)
			}
		}
		if c.Style == Measured {
			spread = math.Max(spread, own)
		}
		deviation := fmt.Sprintf("±%.0f %%", 100*own)
		if len(c.Y) == 1 {
			deviation = "only one measurement"
		}
		s := systems[i/2]
		deviations[i%2] += fmt.Sprintf("; %s, ω = %g (%s)", s.kind, s.ratio, deviation)
	}
	slope := fitTail(mono[0], 0)
	return &Result{Figures: []Figure{f}, Tables: []Table{table},
		Statements: []Statement{
			{"The time relative to one size is constant (±10 %), so the method is O(N).", fmt.Sprintf("The largest deviations of “cells” from the mean ratio are%s. The largest deviations of “ours” from the mean ratio are%s. For one size, the exponent of the time over N is %s.",
				deviations[0][1:], deviations[1][1:], slope), verdict(spread <= 0.1)},
			{"The time is near the time for one size, at most about 50 % above it.", fmt.Sprintf("The largest ratio of “cells” is %.2f.", largest), verdict(largest < 1.6)},
		},
		Notes: []string{
			fmt.Sprintf("The volume fraction ν is %g. Balls of one size reach .62 only if they become ordered, which begins at the walls. Fewer than about 5,000 balls of one size do not reach .62.", fraction),
			fmt.Sprintf("The times are medians of %d worlds, as in H1.", r.placements()),
			"Two sizes (bi) of equal total volume need at least 1 + ω³ balls, so two sizes with ω = 50 exist only from N = 125,001 on. “Cells” is the algorithm of the paper. It has one level for one size, two levels for two sizes, and the levels of the recipe for UV. “Ours” is the grid of package neighbor with the same cell sizes.",
		}}, nil
}

// relative2012 returns the volume fraction, the numbers of balls and the systems of H2. Fewer than about
// 5,000 balls of one size cannot be packed between walls to a fraction of .62.
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
	// largest ball has r³ = ω³. It must have at most a tenth of Σ r³.
	return float64(n)*2*(ratio-1) >= 10*ratio*ratio*ratio
}

// relativeStep measures a step of the packing with the algorithm of the paper and with ours.
func (r *Run) relativeStep(ctx context.Context, spec packingSpec, table *Table, base []float64) ([]float64, error) {
	p, err := r.packing(ctx, spec)
	if err != nil {
		return nil, err
	}
	radii := p.radii()
	var levels int
	switch spec.kind {
	case "mono":
		levels = 1
	case "bi":
		levels = 2
	default:
		levels = len(neighbor.OptimalLevels(radii, 1, 3))
	}
	var got []float64
	for _, m := range []gridMethod{paperGrid, ourGrid(r.Threads)} {
		list, err := r.levelSteps(ctx, p, []int{levels}, m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec, err)
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("%s: a grid with %d levels is not possible", spec, levels)
		}
		got = append(got, list[0].seconds)
	}
	if base == nil {
		base = got
	}
	table.Add(spec.String(), levels, got[0], got[0]/base[0], got[1], got[1]/base[1], p.seconds)
	return got, nil
}

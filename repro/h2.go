package main

import (
	"context"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/neighbor"
)

// runH2 repeats figure 5 of Ogarko and Luding 2012: a step relative to one of as many balls
// of one size.
func runH2(ctx context.Context, r *Run) (*Result, error) {
	fraction, counts, systems := r.relative2012()
	f := Figure{Name: "H2-fig5", Title: fmt.Sprintf("A step relative to one size, ν = %g", fraction), X: "number of particles N", Y: "T relative to monodisperse", LogX: true}
	table := Table{Name: "H2-times", Title: "A step, and relative to one size", Columns: []string{"packing", "levels", "cells: s a step", "cells: relative", "ours: s a step", "ours: relative", "s to make"}}
	curves := make([]Series, 2*len(systems))
	for k, s := range systems {
		curves[2*k] = Series{Name: fmt.Sprintf("%s, ω = %g, cells", s.kind, s.ratio), Hue: k + 1}
		curves[2*k+1] = Series{Name: fmt.Sprintf("%s, ω = %g, ours", s.kind, s.ratio), Hue: k + 1, Style: Dashed}
	}
	// seconds over N of one size: linear?
	mono := [2]Series{{Name: "cells"}, {Name: "ours"}}
	r.progress.plan(2 * r.placements() * len(counts) * (1 + len(systems)))
	var cases []*relative
	for _, n := range counts {
		for k, s := range append([]recipe{{kind: "mono", ratio: 1}}, systems...) {
			if !realisable(s.kind, s.ratio, n) {
				continue
			}
			c, err := r.newRelative(ctx, r.scaled(s.kind, s.ratio, n, fraction), k-1)
			if err != nil {
				return nil, err
			}
			cases = append(cases, c)
		}
	}
	for range r.placements() {
		for _, c := range cases {
			if err := c.measure(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	var base [2]float64 // of one size, which is the first of each number
	for _, c := range cases {
		x := float64(c.rec.n)
		if c.system < 0 {
			base = c.seconds
		}
		for i, t := range c.seconds {
			if c.system < 0 {
				mono[i].Add(x, t)
			} else {
				curves[2*c.system+i].Add(x, t/base[i])
			}
		}
		table.Add(c.rec.String(), c.levels, c.seconds[0], c.seconds[0]/base[0], c.seconds[1], c.seconds[1]/base[1], c.p.seconds)
	}
	spread, largest, text := 0.0, 0.0, ""
	for _, c := range curves {
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
		text += fmt.Sprintf("%s ±%.0f %%, ", c.Name, 100*own)
	}
	slope := fitTail(mono[0], 0)
	return &Result{Figures: []Figure{f}, Tables: []Table{table},
		Statements: []Statement{
			{"the time relative to one size is constant (±10 %), so the method is O(N)", text + fmt.Sprintf("one size over N: exponent %s", slope), verdict(spread <= 0.1)},
			{"it is near that of one size: at most about 50 % above it", fmt.Sprintf("largest %.2f (cells)", largest), verdict(largest < 1.6)},
		},
		Notes: []string{
			fmt.Sprintf("ν = %g; balls of one size get to .62 only by ordering, at walls first, and fewer than some 5,000 not at all.", fraction),
			fmt.Sprintf("Times are those of the fastest of %d worlds each, as in H1, in turns through all packings.", r.placements()),
			"Two sizes of equal volume need 1 + ω³ balls at least: ω = 50 exists from N = 125,001 on. Cells: the paper's algorithm, two levels for two sizes, those of the recipe for UV, one for one size. Ours: package neighbor with the same sizes.",
		}}, nil
}

// relative2012 is the volume fraction, the numbers of balls, and the systems of H2. Fewer
// than some 5,000 balls of one size cannot be packed to .62 between walls.
func (r *Run) relative2012() (fraction float64, counts []int, systems []recipe) {
	return pick(r.Size, 0.1, 0.5, 0.62), pick(r.Size, []int{1100}, []int{1001, 4004}, []int{8008, 16016, 32032, 64064, 125001}),
		[]recipe{{kind: "bi", ratio: 10}, {kind: "bi", ratio: 50}, {kind: "UV", ratio: 10}, {kind: "UV", ratio: 50}}
}

// scaled is a recipe of H2.
func (r *Run) scaled(kind string, ratio float64, n int, fraction float64) recipe {
	return recipe{kind, ratio, n, fraction, pick(r.Size, 5, 300, 500)}
}

// realisable tells whether n balls suffice: of one size always, of two sizes at least one large one, of UV so
// many that the largest takes a small part of the volume.
func realisable(kind string, ratio float64, n int) bool {
	switch kind {
	case "mono":
		return true
	case "bi":
		return float64(n) >= 1+ratio*ratio*ratio
	}
	// Σ r³ = n·∫r³r⁻³/∫r⁻³ = n·2(ω−1)/(1−ω⁻²) in units of the smallest; the largest has ω³
	return float64(n)*2*(ratio-1) >= 10*ratio*ratio*ratio
}

// relative is one packing of H2.
type relative struct {
	rec     recipe
	system  int // which, -1 for one size
	p       *packed
	levels  int
	seconds [2]float64 // a step of the paper's algorithm and of ours
}

// newRelative makes the packing.
func (r *Run) newRelative(ctx context.Context, rec recipe, system int) (*relative, error) {
	p, err := r.packing(ctx, rec)
	if err != nil {
		return nil, err
	}
	c := &relative{rec: rec, system: system, p: p, seconds: [2]float64{math.Inf(1), math.Inf(1)}}
	switch rec.kind {
	case "mono":
		c.levels = 1
	case "bi":
		c.levels = 2
	default:
		c.levels = len(neighbor.OptimalLevels(p.radii(), 1, 3))
	}
	return c, nil
}

// measure measures one world of each algorithm.
func (c *relative) measure(ctx context.Context, r *Run) error {
	for i, m := range []gridMethod{paperGrid, ourGrid(r.Threads)} {
		list, err := r.levelSteps(ctx, c.p, []int{c.levels}, m, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", c.rec, err)
		}
		if len(list) == 0 {
			return fmt.Errorf("%s: the recipe has no %d levels", c.rec, c.levels)
		}
		c.seconds[i] = min(c.seconds[i], list[0].seconds)
	}
	return nil
}

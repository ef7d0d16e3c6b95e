package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/neighbor"
)

// tower returns a tower of n disks (Schinner 1999, figure 6). Each disk lies to the right of the
// disk below, or to the left in a reversed tower. The shift moves disks 0, 2, 4, … to the right and
// the other disks to the left.
func tower(n int, reversed bool, shift float64) []neighbor.Disk {
	disks := make([]neighbor.Disk, n)
	for i := range disks {
		x := 0.4 * float64(i)
		if reversed {
			x = -x
		}
		if i%2 == 1 {
			x -= shift
		} else {
			x += shift
		}
		disks[i] = neighbor.Disk{Center: r2.Point{X: x, Y: 1.01 * float64(i)}, Radius: 0.5}
	}
	return disks
}

// towerStep holds the measurements of a step of the tower.
type towerStep struct {
	seconds   float64
	exchanges uint64
	tests     uint64
}

// runS2 repeats figure 6 of Schinner 1999: a step at rest, the reversal, and the next step.
func runS2(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{50, 100}, []int{250, 500, 1000, 2000}, []int{250, 500, 1000, 2000, 4000, 8000, 16000})
	names := []string{"step before", "reversal", "step after", "reversal, regions (ours)", "step after, regions (ours)"}
	curves, counted3 := make([]Series, len(names)), make([]Series, 3)
	table := Table{Name: "S2-steps", Long: true, Title: "Seconds (s) and exchanges of the step before the reversal, the reversal, and the step after it. The last two columns are for lists in regions", Columns: []string{"particles", "before s", "reversal s", "after s", "exchanges before", "exchanges in the reversal", "exchanges after", "reversal in regions s", "exchanges there"}}
	for i, name := range names {
		curves[i].Name = name
		if i < 3 {
			counted3[i].Name = name
		}
	}
	r.progress.plan(len(counts))
	for _, n := range counts {
		list, err := towerSteps(ctx, r, n, neighbor.SortOptions{Undivided: true, Workers: r.Threads})
		if err != nil {
			return nil, err
		}
		regions, err := towerSteps(ctx, r, n, neighbor.SortOptions{Workers: r.Threads})
		if err != nil {
			return nil, err
		}
		for i := range list {
			curves[i].Add(float64(n), list[i].seconds)
			counted3[i].Add(float64(n), float64(list[i].exchanges))
		}
		curves[3].Add(float64(n), regions[1].seconds)
		curves[4].Add(float64(n), regions[2].seconds)
		table.Add(n, list[0].seconds, list[1].seconds, list[2].seconds, list[0].exchanges, list[1].exchanges, list[2].exchanges, regions[1].seconds, regions[1].exchanges)
		r.progress.step(fmt.Sprint(n))
	}
	exchanges, after := fitTail(counted3[1], 0), fitTail(counted3[2], 0)
	least := pick(r.Size, 0.0, 500, 1000)
	with, without, err := elongated(ctx, counts[len(counts)-1])
	if err != nil {
		return nil, err
	}
	list, err := sortStatements(ctx, pick(r.Size, 404, 2020, 8080))
	if err != nil {
		return nil, err
	}
	return &Result{
		Figures: []Figure{{Name: "S2-fig6", Title: "The reversal tower: exchanges", X: "number of particles", Y: "exchanges in a step", LogX: true, LogY: true, Series: counted3}},
		Tables:  []Table{table},
		Statements: append([]Statement{
			counted("S2.reversal", "a reversal takes O(N²)", "§3.4, figure 6: a reversal takes O(N²). No sort is better than N log N in its worst case.", fmt.Sprintf("Exponent of the exchanges: %s; of the time: %s.", exchanges, fitTail(curves[1], least)), "1.95–2.05", within(exchanges, 1.95, 2.05), Fails, "Regions (ours) then sort from scratch: N log N.").number(fmt.Sprintf("exponent %.2f", exchanges.Exponent)),
			counted("S2.after", "the next step takes O(N) again", "§3.4: the next steps take O(N) again.", fmt.Sprintf("Exponent of the exchanges: %s; of the time: %s.", after, fitTail(curves[2], least)), ".9–1.1", within(after, 0.9, 1.1), Fails, "").number(fmt.Sprintf("exponent %.2f", after.Exponent)),
			quiet(counted("S2.elongated", "a large particle costs the sort nothing", "§3.4, figure 5: a particle that overlaps all others costs the sort no time.", fmt.Sprintf("%d exchanges with it, %d without it.", with, without), "at most 1 % more", float64(with) <= 1.01*float64(without), Fails, "")),
		}, list...),
		Notes: []string{"From S2.moved on, disks at random places move straight, by up to .05 largest diameters a step (.001 in S2.better)."},
	}, nil
}

// mixedDisks returns disks that cover 35 % of a square. Half of the area has the diameter 1, the
// other half 1/ratio. Ratio 1 means disks of one size. n must be a multiple of 1 + ratio².
func mixedDisks(n, ratio int) ([]neighbor.Disk, float64) {
	random := rand.New(rand.NewPCG(uint64(ratio), 1999))
	large := n
	if ratio > 1 {
		large = n / (1 + ratio*ratio)
	}
	area := math.Pi / 4 * float64(large)
	if ratio > 1 {
		area *= 2
	}
	side := math.Sqrt(area / 0.35)
	d := 1 / float64(ratio)
	return append(randomDisks(random, large, side, 1, 1), randomDisks(random, n-large, side, d, d)...), side
}

// moving returns a function that moves disks of a square on straight lines, each by the given lengths
// along both axes. Walls reflect them. Only the given share of the disks moves.
func moving(disks []neighbor.Disk, side, x, y, share float64) func() {
	random := rand.New(rand.NewPCG(6, 1999))
	v := make([]r2.Point, len(disks))
	for i := range v {
		a := r2.Point{X: x * (2*random.Float64() - 1), Y: y * (2*random.Float64() - 1)}
		if float64(i%100) < 100*share {
			v[i] = a
		}
	}
	return func() {
		for i := range disks {
			reflect(&disks[i].Center.X, &v[i].X, side)
			reflect(&disks[i].Center.Y, &v[i].Y, side)
		}
	}
}

// moved1999 and fast1999 are the largest components of a step, in largest diameters. moved1999 is
// for betterThan. fast1999 is for sortStatements, in which exchanges must be visible beside the
// comparisons.
const (
	moved1999 = 0.001
	fast1999  = 0.05
)

// sortStatements judges the statements about the cost of the incremental sort, and compares it with
// Verlet lists and linked cells, for n disks.
func sortStatements(ctx context.Context, n int) ([]Statement, error) {
	list := func(disks []neighbor.Disk, side, x, y, share float64) (work, exchanges float64, err error) {
		disks = slices.Clone(disks)
		m := neighbor.NewIncrementalSort[neighbor.Disk](neighbor.SortOptions{Undivided: true, Workers: 1})
		return workAlong(ctx, methodLLL, m, disks, 2, verletSteps, moving(disks, side, x, y, share))
	}
	one, side := mixedDisks(n, 1)
	full := Series{}
	var rest, all float64
	for _, share := range []float64{0, 0.01, 0.1, 1} {
		work, exchanges, err := list(one, side, fast1999, fast1999, share)
		if err != nil {
			return nil, err
		}
		if share == 0 {
			rest = work
			continue
		}
		full.Add(share, exchanges)
		all = work
	}
	_, along, err := list(one, side, fast1999, 0, 1)
	if err != nil {
		return nil, err
	}
	ends := 2 * float64(n) // comparisons along an axis
	plane := (last(full) + 2*ends) / (along + ends)
	var sizes []string
	spread := 0.0
	for _, scale := range []float64{0.1, 0.01} {
		disks := slices.Clone(one)
		for i := range disks {
			disks[i].Radius *= math.Pow(scale, float64(i%11)/10)
		}
		_, exchanges, err := list(disks, side, fast1999, fast1999, 1)
		if err != nil {
			return nil, err
		}
		ratio := (exchanges + 2*ends) / (last(full) + 2*ends)
		sizes, spread = append(sizes, fmt.Sprintf("%.2f", ratio)), max(spread, math.Abs(ratio-1))
	}
	better, err := betterThan(ctx, n)
	if err != nil {
		return nil, err
	}
	exchanges := fitPower(full.X, full.Y)
	return []Statement{
		counted("S2.moved", "the sort is O(number of moved particles)", "§1.1: the sort is O(Ñ) for Ñ moved particles, so zero at rest.", fmt.Sprintf("At rest %s of the work stays. Exponent of the exchanges: %s.", percent(rest/all), exchanges), "at most 1.1; below 5 %", exchanges.Exponent+zeroIfNaN(exchanges.Error) <= 1.1 && rest < 0.05*all, Fails, "Each step compares all ends; §3.3.1 also says N steps."),
		quiet(counted("S2.plane", "the sort costs twice as much in 2D", "§3.3: 2D takes twice as long as 1D, whatever the sizes.", fmt.Sprintf("%.2f times the exchanges and comparisons; for sizes of ratio 10 and 100 %s times those of one size.", plane, strings.Join(sizes, " and ")), "1.8–2.2; within 10 %", plane > 1.8 && plane < 2.2 && spread < 0.1, Fails, "")),
		better,
	}, nil
}

// betterThan compares the incremental sort with Verlet lists and linked cells, for disks of one size
// and of mixed sizes.
func betterThan(ctx context.Context, n int) (Statement, error) {
	ratios := map[int][2]float64{} // for Verlet lists and for linked cells: work divided by the work of the sort
	for _, ratio := range []int{1, 10} {
		disks, side := mixedDisks(n, ratio)
		var works []float64
		for _, name := range []string{methodVL, methodLC, methodLLL} {
			moved := slices.Clone(disks)
			m := methods2007[neighbor.Disk]([]string{name}, 1, 0.5, 1)[0]
			work, _, err := workAlong(ctx, name, m, moved, 2, verletSteps, moving(moved, side, moved1999, moved1999, 1))
			if err != nil {
				return Statement{}, err
			}
			works = append(works, work)
		}
		ratios[ratio] = [2]float64{works[0] / works[2], works[1] / works[2]}
	}
	one, mixed := ratios[1], ratios[10]
	return counted("S2.better", "the sort beats Verlet tables and cells for mixed sizes", "§1.1, §6: for mixed sizes the sort beats Verlet tables and neighborhood lists.", fmt.Sprintf("They need %s and %s times its work for sizes of ratio 10; %s and %s for one size.", short(mixed[0]), short(mixed[1]), short(one[0]), short(one[1])),
		"above 1 for mixed sizes", min(mixed[0], mixed[1]) > 1, Parameters, "Work as for Muth 2007; cells of one diameter.").number(short(min(mixed[0], mixed[1])) + " times the work"), nil
}

// towerSteps measures the step before the reversal, the reversal and the next step. Each round begins
// with a new tower.
func towerSteps(ctx context.Context, r *Run, n int, opt neighbor.SortOptions) ([]towerStep, error) {
	scenes := [][]neighbor.Disk{tower(n, false, 0), tower(n, false, 0.15), tower(n, true, 0), tower(n, true, 0.15)}
	var m *neighbor.IncrementalSort[neighbor.Disk]
	steps := make([]towerStep, 3)
	work := []func() error{func() error {
		m = neighbor.NewIncrementalSort[neighbor.Disk](opt)
		return m.Update(ctx, scenes[0])
	}}
	for i := range steps {
		work = append(work, func() error {
			before := m.Stats()
			err := m.Update(ctx, scenes[i+1])
			steps[i].exchanges, steps[i].tests = m.Stats().Exchanges-before.Exchanges, m.Stats().Tests-before.Tests
			return err
		})
	}
	s, err := r.phases(ctx, work...)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		steps[i].seconds = r.overProcesses(fmt.Sprintf("%d particles, undivided %t, step %d", n, opt.Undivided, i), s[i+1]).Median
	}
	reference := neighbor.NewBruteForce[neighbor.Disk]()
	if err := reference.Update(ctx, scenes[3]); err != nil {
		return nil, err
	}
	if !slices.Equal(reference.Pairs(), m.Pairs()) {
		return nil, fmt.Errorf("%d particles: the method finds %d pairs, but brute force finds %d", n, len(m.Pairs()), len(reference.Pairs()))
	}
	return steps, nil
}

// elongated returns the exchanges of a step of n small boxes in a row, with and without one long box
// along the row (figure 5).
func elongated(ctx context.Context, n int) (with, without uint64, err error) {
	for _, long := range []bool{true, false} {
		m := neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{Undivided: true, Workers: 1})
		for step := range 2 {
			var boxes []neighbor.Rect
			for i := range n {
				x := float64(i)
				if step == 1 && i%2 == 0 {
					x += 0.7
				}
				boxes = append(boxes, neighbor.Rect{Min: r2.Point{X: x, Y: 1}, Max: r2.Point{X: x + 0.5, Y: 1.5}})
			}
			if long {
				boxes = append(boxes, neighbor.Rect{Min: r2.Point{X: -1, Y: 0}, Max: r2.Point{X: float64(n) + 1, Y: 2}})
			}
			before := m.Stats().Exchanges
			if err := m.Update(ctx, boxes); err != nil {
				return 0, 0, err
			}
			if step == 0 {
				continue
			}
			if long {
				with = m.Stats().Exchanges - before
			} else {
				without = m.Stats().Exchanges - before
			}
		}
	}
	return with, without, nil
}

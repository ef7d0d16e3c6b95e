package main

import (
	"context"
	"fmt"
	"slices"

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
}

// runS2 repeats figure 6 of Schinner 1999: a step at rest, the reversal, and the next step.
func runS2(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{50, 100}, []int{250, 500, 1000, 2000}, []int{250, 500, 1000, 2000, 4000, 8000, 16000})
	names := []string{"step before", "reversal", "step after", "reversal, regions (ours)", "step after, regions (ours)"}
	curves, counted := make([]Series, len(names)), make([]Series, 3)
	table := Table{Name: "S2-steps", Title: "Seconds (s) and exchanges of the step before the reversal, the reversal, and the step after it. The last two columns are for lists in regions", Columns: []string{"particles", "before s", "reversal s", "after s", "exchanges before", "exchanges in the reversal", "exchanges after", "reversal in regions s", "exchanges there"}}
	for i, name := range names {
		curves[i].Name = name
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
			counted[i].Add(float64(n), float64(list[i].exchanges))
		}
		curves[3].Add(float64(n), regions[1].seconds)
		curves[4].Add(float64(n), regions[2].seconds)
		table.Add(n, list[0].seconds, list[1].seconds, list[2].seconds, list[0].exchanges, list[1].exchanges, list[2].exchanges, regions[1].seconds, regions[1].exchanges)
		r.progress.step(fmt.Sprint(n))
	}
	exchanges, times := fitTail(counted[1], 0), fitTail(curves[1], pick(r.Size, 0.0, 500, 1000))
	after, regions := fitTail(curves[2], pick(r.Size, 0.0, 500, 1000)), fitTail(curves[3], pick(r.Size, 0.0, 500, 1000))
	return &Result{
		Figures: []Figure{{Name: "S2-fig6", Title: "The reversal tower: the reversing step against the steps before and after", X: "number of particles", Y: "time of the step [s]", LogX: true, LogY: true, Series: curves}},
		Tables:  []Table{table},
		Statements: []Statement{
			{"The step that reverses the order takes O(N²).", fmt.Sprintf("The exponent of the exchanges is %s. The exponent of the time is %s.", exchanges, times), verdict(within(exchanges, 1.95, 2.05) && within(times, 1.7, 2.3))},
			{"The following steps take O(N) again.", fmt.Sprintf("The exponent of the time is %s. For %d particles, the step before the reversal makes %v exchanges, and the step after it makes %v.", after, counts[len(counts)-1], table.Rows[len(table.Rows)-1][4], table.Rows[len(table.Rows)-1][6]), verdict(within(after, 0.7, 1.3))},
			{"Not in the paper: lists in regions are sorted from scratch if they are very disordered. They take less than O(N²).", fmt.Sprintf("The exponent of the time of the reversal is %s.", regions), verdict(regions.Exponent < 1.3)},
		},
		Notes: []string{"The disks lie above each other. The projections of three successive disks overlap. The steps before and after the reversal move neighboring disks by 0.3 diameters relative to each other. Then every second disk begins to overlap the third disk above it in the projection. So these steps make about half as many exchanges as there are disks. The run measures one list per axis, as in the paper, and lists in regions, as in package neighbor."},
	}, nil
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
			before := m.Stats().Exchanges
			err := m.Update(ctx, scenes[i+1])
			steps[i].exchanges = m.Stats().Exchanges - before
			return err
		})
	}
	s, err := r.phases(ctx, work...)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		steps[i].seconds = s[i+1]
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

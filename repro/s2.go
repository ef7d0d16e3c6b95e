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
	tests     uint64
}

// runS2 repeats figure 6 of Schinner 1999: a step at rest, the reversal, and the next step.
func runS2(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{50, 100}, []int{250, 500, 1000, 2000}, []int{250, 500, 1000, 2000, 4000, 8000, 16000})
	names := []string{"step before", "reversal", "step after", "reversal, regions (ours)", "step after, regions (ours)"}
	curves, counted3 := make([]Series, len(names)), make([]Series, 3)
	regionWork := Series{Name: "reversal, regions (ours)"}
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
		regionWork.Add(float64(n), float64(regions[1].exchanges+regions[1].tests))
		curves[3].Add(float64(n), regions[1].seconds)
		curves[4].Add(float64(n), regions[2].seconds)
		table.Add(n, list[0].seconds, list[1].seconds, list[2].seconds, list[0].exchanges, list[1].exchanges, list[2].exchanges, regions[1].seconds, regions[1].exchanges)
		r.progress.step(fmt.Sprint(n))
	}
	exchanges, after := fitTail(counted3[1], 0), fitTail(counted3[2], 0)
	least := pick(r.Size, 0.0, 500, 1000)
	inRegions := fitTail(regionWork, least)
	with, without, err := elongated(ctx, counts[len(counts)-1])
	if err != nil {
		return nil, err
	}
	return &Result{
		Figures: []Figure{{Name: "S2-fig6", Title: "The reversal tower: work of the reversing step and of the steps around it", X: "number of particles", Y: "exchanges; with regions also tests", LogX: true, LogY: true, Series: append(counted3, regionWork)}},
		Tables:  []Table{table},
		Statements: []Statement{
			counted("S2.reversal", "a reversal takes O(N²)", "§3.4, figure 6: the step that reverses the order takes O(N²).", fmt.Sprintf("Exponent of the exchanges: %s.", exchanges), "1.95–2.05", within(exchanges, 1.95, 2.05), Fails, fmt.Sprintf("Of the time: %s.", fitTail(curves[1], least))),
			counted("S2.after", "the next step takes O(N) again", "§3.4: the following steps take O(N) again.", fmt.Sprintf("Exponent of the exchanges of the next step: %s.", after), ".9–1.1", within(after, 0.9, 1.1), Fails, fmt.Sprintf("Of the time: %s.", fitTail(curves[2], least))),
			counted("S2.elongated", "", "§3.4, figure 5: a large particle that overlaps all others takes no additional time in the sort.", fmt.Sprintf("%d exchanges with it, %d without it (%d small boxes).", with, without, counts[len(counts)-1]), "at most 1 % more", float64(with) <= 1.01*float64(without), Fails, ""),
			counted("S2.avoid", "the quadratic case cannot be avoided", "§3.4: such cases cannot be avoided; no sort is better than N log N in its worst case.", fmt.Sprintf("With lists in regions (ours) the exponent of exchanges and tests is %s.", inRegions), "the exponent is above 1.3, so the quadratic case stays", inRegions.Exponent > 1.3, Kernel, "Regions sort from scratch if they are very disordered."),
		},
		Notes: []string{"The disks lie above each other; the projections of three successive disks overlap. The steps around the reversal move neighbors by 0.3 diameters."},
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

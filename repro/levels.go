package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/inpoly/inpoly/neighbor"
)

// overhead is K of Ogarko and Luding 2012, eq. 7.
const overhead = 0.3

// leveled is what a number of levels takes.
type leveled struct {
	levels    int
	load      float64 // m: the largest mean number of particles a cell of any level
	seconds   float64 // a step, integration and forces included
	detection float64 // of contacts alone
	tests     float64 // a step
}

// predicted is L(m+K), eq. 7, up to a factor.
func (l leveled) predicted() float64 { return float64(l.levels) * (l.load + overhead) }

// load returns the mean number of particles a cell in the fullest level; the cube has the
// edge 1.
func load(sizes, radii []float64) float64 {
	counts := make([]int, len(sizes))
	for _, r := range radii {
		h := 0
		for h < len(sizes)-1 && 2*r > sizes[h] {
			h++
		}
		counts[h]++
	}
	m := 0.0
	for h, s := range sizes {
		m = max(m, float64(counts[h])*s*s*s)
	}
	return m
}

// gridMethod makes a method for cell sizes.
type gridMethod func(sizes []float64) neighbor.Method[neighbor.Sphere]

// paperGrid is the paper's algorithm, ourGrid that of package neighbor.
func paperGrid(sizes []float64) neighbor.Method[neighbor.Sphere] {
	return newCellGrid[neighbor.Sphere](sizes...)
}

func ourGrid(threads int) gridMethod {
	return func(sizes []float64) neighbor.Method[neighbor.Sphere] {
		return neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{Sizes: sizes, Workers: threads})
	}
}

// levelSteps measures worlds of the packing with each number of levels. Those that the
// recipe does not need are left out: with fewer levels as few particles a cell are reached.
// All have the same contacts after two steps, or it fails.
func (r *Run) levelSteps(ctx context.Context, p *packed, levels []int, method gridMethod) ([]leveled, error) {
	radii, repeat := p.radii(), r.repetitions()
	var list []leveled
	var contacts, early []neighbor.Pair
	for _, n := range levels {
		sizes := neighbor.LevelSizes(radii, 1, 3, n)
		if len(sizes) != n {
			continue
		}
		m := method(sizes)
		w, err := p.world(ctx, m, r.Threads)
		if err != nil {
			return nil, err
		}
		var times []float64
		for start := time.Now(); len(times) < 2 || repeat.another(len(times), time.Since(start)); {
			t, err := seconds(func() error { return w.Step(ctx) })
			if err != nil {
				return nil, fmt.Errorf("%d levels: %w", n, err)
			}
			times = append(times, t)
			if len(times) == 2 { // as many as all numbers of levels make
				found, _ := w.Contacts()
				early = slices.Clone(found)
			}
		}
		if contacts == nil {
			contacts = early
		} else if !slices.Equal(contacts, early) {
			return nil, fmt.Errorf("%d levels: %d contacts differ from the %d with %d levels", n, len(early), len(contacts), list[0].levels)
		}
		stats := m.Stats()
		var alone []float64
		for start := time.Now(); repeat.another(len(alone), time.Since(start)); {
			t, err := seconds(func() error { return m.Update(ctx, w.Balls()) })
			if err != nil {
				return nil, err
			}
			alone = append(alone, t)
		}
		list = append(list, leveled{n, load(sizes, radii), median(times), median(alone), float64(stats.Tests) / float64(stats.Steps)})
		r.progress.step(fmt.Sprintf("%d levels", n))
	}
	return list, nil
}

// best returns the row with the least value.
func best(list []leveled, value func(leveled) float64) leveled {
	return slices.MinFunc(list, func(a, b leveled) int {
		switch x, y := value(a), value(b); {
		case x < y:
			return -1
		case x > y:
			return +1
		}
		return 0
	})
}

// slowdown returns the curve of the slow-down factor: time over the least time.
func slowdown(name string, list []leveled, value func(leveled) float64) Series {
	s := Series{Name: name}
	least := value(best(list, value))
	for _, l := range list {
		s.Add(float64(l.levels), value(l)/least)
	}
	return s
}

// deviation is the largest factor between two curves with the same x.
func deviation(a, b Series) float64 {
	worst := 1.0
	for i := range a.Y {
		worst = math.Max(worst, math.Max(a.Y[i]/b.Y[i], b.Y[i]/a.Y[i]))
	}
	return worst
}

func total(l leveled) float64     { return l.seconds }
func predicted(l leveled) float64 { return l.predicted() }
